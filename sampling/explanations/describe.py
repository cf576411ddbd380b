"""A look at any grammar: given, of a sampler, or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grammar.description import Description
from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.opening import open_grammar

__all__ = ["describe"]


def describe(grammar: Any | PathLike, symbol: str | None = None, top: int = 20) -> Description:
    """Look at a grammar, and at one of its symbols (else the start) more closely.

    Parameters
    ----------
    grammar : Weighted, sampler, str or path
        A grammar of any family, what a method induced, or a saved grammar.
    symbol : str, optional
        Whose rules to show.
    top : int
        How many.

    Raises
    ------
    OptionError
        If the grammar has no such symbol, or is none.
    UnreadableInputError, SchemaError, NotationError, WeightError, StartSymbolError
        If the file holds no grammar.

    Examples
    --------
    >>> from grammar import Grammar
    >>> describe(Grammar.parse("S -> 'a' [3/4] | 'b' [1/4]"), "S", top=1).details["rules of S"]
    ["S -> 'a' [0.75]"]
    """
    opened: Any = open_grammar(grammar) if isinstance(grammar, str | Path) else grammar
    grammar = getattr(opened, "grammar", opened)
    if not hasattr(grammar, "describe"):
        raise OptionError(
            f"a {type(grammar).__name__} is no grammar",
            hint="induce one first, as in TreeMix.induce(...), or name a file with one",
        )
    shown: Description = grammar.describe(symbol, top)
    return shown

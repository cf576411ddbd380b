"""A look at any grammar: given, of a sampler, or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.look import Look
from grammar.opening import open_grammar

__all__ = ["look"]


def look(grammar: Any | PathLike, symbol: str | None = None, top: int = 20) -> Look:
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
    >>> look(Grammar.parse("S -> 'a' [3/4] | 'b' [1/4]"), "S", top=1).details["rules of S"]
    ["S -> 'a' [0.75]"]
    """
    opened: Any = open_grammar(grammar) if isinstance(grammar, str | Path) else grammar
    grammar = getattr(opened, "grammar", opened)
    if not hasattr(grammar, "look"):
        raise OptionError(
            f"a {type(grammar).__name__} is no grammar",
            hint="induce one first, as in TreeMix.induce(...), or name a file with one",
        )
    shown: Look = grammar.look(symbol, top)
    return shown

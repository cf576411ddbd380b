"""A small language of pairs, which is a synchronous grammar: what it derives is right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from induction.corpus.pairs import Pair

__all__ = ["Language"]


@dataclass(frozen=True, eq=False)
class Language:
    """A language with a name, and the lengths at which it is shown.

    Parameters
    ----------
    name, about : str
        What it is called, and what is special about it.
    grammar : SynchronousGrammar
        What it derives is in the language, and nothing else.
    longest : int
        Most source words of a training pair.
    deeper : int
        Most source words of a held-out pair.

    Examples
    --------
    >>> grammar = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1\\nwalk ### WALK")
    >>> language = Language("doubles", "a word that doubles", grammar, longest=2, deeper=3)
    >>> language.holds([("walk twice", "WALK WALK"), ("walk twice", "WALK"), ("twice", "WALK")])
    [True, False, False]
    """

    name: str
    about: str
    grammar: SynchronousGrammar = field(repr=False)
    longest: int
    deeper: int

    def holds(self, pairs: Iterable[Pair]) -> list[bool]:
        """Say of each pair of source and target whether the grammar derives it."""
        return [self._parser.is_derivable(_words(s), _words(t)) for s, t in pairs]

    @cached_property
    def _parser(self) -> SynchronousParser:
        return SynchronousParser(self.grammar)


def _words(side: str | Iterable[str]) -> list[str]:
    return side.split() if isinstance(side, str) else list(side)

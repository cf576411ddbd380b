"""What may be known of the tree of a sentence before it is parsed: brackets and tags.

Given brackets restrict a tree as in Pereira & Schabes 1992, *Inside-outside reestimation from
partially bracketed corpora*: no constituent may cross one. Parts of constituents may: the rest of
a rule with more than two children, and symbols that binarisation made (``VP|<NP-PP>``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, IntArray
from grammar.chart.kernels import cell_of
from grammar.errors import OptionError, located
from grammar.pictures.base_labels import known_symbols

__all__ = ["Constraints", "row_spans"]

Bracket = tuple[int, int] | tuple[int, int, str]
_PART = "|<"


@dataclass(frozen=True)
class Constraints:
    """Brackets and tags that every tree of a sentence must agree with.

    Parameters
    ----------
    brackets : iterable of (start, end) or (start, end, label)
        Spans, from word ``start`` to word ``end - 1``, that no constituent may cross. With a
        label, no symbol with another name may stand over the span itself; several labels for one
        span are all allowed, and a label stands for all symbols that annotate it.
    tags : iterable of None, str or collections of str, optional
        For each word the symbols that may have it as their only child; None allows any. Over a
        word that the grammar has with none of its tags, each of them may stand at no cost.

    Raises
    ------
    OptionError
        If a bracket is not made of two whole numbers and perhaps a label.

    Examples
    --------
    >>> from grammar.chart.parser import Parser
    >>> from grammar.pcfg.grammar import Grammar
    >>> parser = Parser(Grammar.parse("S -> S S [0.4] | 'a' [0.6]"))
    >>> print(parser.viterbi("a a a a".split(), constraints=Constraints([(1, 3), (0, 3)])).tree)
    (S (S (S a) (S (S a) (S a))) (S a))
    >>> print(parser.viterbi("a b".split(), constraints=Constraints(tags=[None, "S"])).tree)
    (S (S a) (S b))
    """

    brackets: tuple[Bracket, ...]
    tags: tuple[frozenset[str] | None, ...] | None

    def __init__(
        self,
        brackets: Iterable[Bracket] = (),
        *,
        tags: Iterable[str | Collection[str] | None] | None = None,
    ) -> None:
        object.__setattr__(self, "brackets", tuple(_checked_bracket(b) for b in brackets))
        given = None if tags is None else tuple(map(_tag_set, tags))
        object.__setattr__(self, "tags", given)

    def check(self, length: int, names: Sequence[str]) -> None:
        """Raise OptionError unless this suits a sentence of so many words and these symbols."""
        if self.tags is not None and len(self.tags) != length:
            raise OptionError(
                f"{len(self.tags)} tags are given for {length} words", hint="None allows any tag"
            )
        for bracket in self.brackets:
            if bracket[1] > length:
                raise OptionError(
                    f"the bracket {bracket} ends after the last of {length} words",
                    hint="a bracket over all of them is (0, number of words)",
                )
            with located(f"bracket {bracket}"):
                self._meant(bracket[2:], names)

    def of_symbols(self, names: Sequence[str]) -> Constraints:
        """Return the same in symbols of a grammar: a label stands for all that annotate it."""
        brackets: list[Any] = []
        for bracket in self.brackets:
            labels = self._meant(bracket[2:], names)
            brackets += [(*bracket[:2], label) for label in labels] or [bracket]
        tags = self.tags and [t and self._meant(t, names, unknown=True) for t in self.tags]
        return Constraints(brackets, tags=tags)

    @staticmethod
    def _meant(labels: Iterable[str], names: Sequence[str], *, unknown: bool = False) -> list[str]:
        found: list[str] = []
        for label in labels:
            try:
                found += known_symbols(label, names)
            except OptionError:
                if not unknown:
                    raise
                found.append(label)
        return found

    def seen_through(self, look: Callable[[str], str]) -> Constraints:
        """Return the same for a coarser grammar, whose symbols have the names that look gives."""
        brackets = [(*b[:2], *map(look, b[2:])) for b in self.brackets]
        tags = None
        if self.tags is not None:
            tags = [None if t is None else frozenset(map(look, t)) for t in self.tags]
        return Constraints(brackets, tags=tags)  # type: ignore[arg-type]

    def allowed(self, length: int, names: tuple[str, ...]) -> tuple[IntArray, BoolArray]:
        """Return the group of each symbol, and which groups may stand over which spans.

        The groups are: parts of constituents, all other symbols, and one for each label.
        """
        groups = {label: i for i, label in enumerate(self._labels, 2)}
        group = [groups.get(name, int(_PART not in name)) for name in names]
        start, end = row_spans(length)
        may = np.ones((len(start), len(groups) + 2), np.bool_)
        for i, j in self._spans:
            crosses = (start < i) & (i < end) & (end < j) | (i < start) & (start < j) & (j < end)
            may[crosses, 1:] = False
        for (i, j), labels in self._spans.items():
            if labels:
                inner = may[cell_of(i, j)]
                inner[:] = inner & np.array([i in labels for i in ("", "", *groups)])
        return np.array(group, np.int32), may

    @cached_property
    def _spans(self) -> dict[tuple[int, int], set[str]]:
        spans: dict[tuple[int, int], set[str]] = {}
        for bracket in self.brackets:
            spans.setdefault(bracket[:2], set()).update(bracket[2:])
        return spans

    @cached_property
    def _labels(self) -> list[str]:
        return sorted({label for labels in self._spans.values() for label in labels})


def row_spans(length: int) -> tuple[IntArray, IntArray]:
    """Return start and end of each row of a chart.

    >>> [column.tolist() for column in row_spans(3)]
    [[0, 1, 0, 2, 1, 0], [1, 2, 2, 3, 3, 3]]
    """
    end = np.repeat(np.arange(1, length + 1), np.arange(1, length + 1)).astype(np.int32)
    place = np.arange(len(end)) - (end * (end - 1)) // 2
    return (end - 1 - place).astype(np.int32), end


def _checked_bracket(bracket: Any) -> Bracket:
    given = tuple(bracket)
    whole = all(isinstance(b, int | np.integer) and not isinstance(b, bool) for b in given[:2])
    named = all(isinstance(b, str) for b in given[2:])
    if not (2 <= len(given) <= 3 and whole and named and 0 <= given[0] < given[1]):
        raise OptionError(
            f"{bracket!r} is not a bracket",
            hint='write (start, end) or (start, end, "NP"), with 0 <= start < end',
        )
    return (int(given[0]), int(given[1]), *given[2:])


def _tag_set(tags: str | Collection[str] | None) -> frozenset[str] | None:
    return None if tags is None else frozenset((tags,) if isinstance(tags, str) else tags)

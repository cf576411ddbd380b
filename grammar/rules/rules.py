"""Rules: one production as a value for people, and many productions as columns for kernels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grammar.arrays import IntArray, LongArray

__all__ = [
    "Nonterminal",
    "Production",
    "RuleColumns",
    "RuleTable",
    "format_symbol",
    "protect",
    "unprotect",
]

_PLAIN_NAME = re.compile(r"[\w/][\w/^<>-]*")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r"}
_PROTECTED = "\\'\"{}"


@dataclass(frozen=True, slots=True, order=True)
class Nonterminal:
    """A symbol that rules rewrite; words are plain ``str``, as in NLTK.

    >>> Nonterminal("NP"), str(Nonterminal("NP"))
    (Nonterminal('NP'), 'NP')
    """

    name: str

    def __str__(self) -> str:
        return self.name

    def __call__(self) -> Nonterminal:
        """Return the symbol, since NLTK's users call: ``production.lhs()``."""
        return Nonterminal(self.name)

    def symbol(self) -> str:
        """Return the name, as NLTK's symbols do."""
        return self.name

    def __repr__(self) -> str:
        return f"Nonterminal({self.name!r})"


class _Symbols(tuple[Nonterminal | str, ...]):
    """A right-hand side, which NLTK's users call: ``production.rhs()``."""

    __slots__ = ()

    def __call__(self) -> tuple[Nonterminal | str, ...]:
        return tuple(self)


_OF_NLTK = {
    "prob": "production.weight",
    "logprob": "math.log2(production.weight)",
    "is_lexical": "any(isinstance(one, str) for one in production.rhs)",
    "is_nonlexical": "not any(isinstance(one, str) for one in production.rhs)",
}
"""What NLTK's productions have, and what gives it here."""


@dataclass(frozen=True, slots=True)
class Production:
    """A context-free production with its weight.

    Parameters
    ----------
    lhs : Nonterminal
        Left-hand side.
    rhs : tuple of Nonterminal or str
        Right-hand side; strings are words; may be empty.
    weight : float
        Probability given the left-hand side.
    count : int
        How often it was seen; 0 if it was not counted.

    Examples
    --------
    >>> print(Production(Nonterminal("NP"), (Nonterminal("DT"), "dog"), 0.25))
    NP -> DT 'dog' [0.25]
    """

    lhs: Nonterminal
    rhs: tuple[Nonterminal | str, ...]
    weight: float = 1.0
    count: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "rhs", _Symbols(self.rhs))

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            told = f"\n  hint: it is {_OF_NLTK[name]}" if name in _OF_NLTK else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{told}")

    @property
    def text(self) -> str:
        """The production in the notation, without its weight."""
        return " ".join([format_symbol(self.lhs), "->", *map(format_symbol, self.rhs)])

    def __str__(self) -> str:
        return f"{self.text} [{float(self.weight)!r}]"


class RuleColumns(NamedTuple):
    """Productions as columns in any order, with names in any order; see :class:`RuleTable`."""

    nonterminals: Sequence[str]
    words: Sequence[str]
    lhs: IntArray
    offsets: LongArray
    rhs: IntArray

    @classmethod
    def of(
        cls, productions: Iterable[tuple[Nonterminal, tuple[Nonterminal | str, ...]]]
    ) -> RuleColumns:
        """Return the columns of (left-hand side, right-hand side) pairs."""
        symbols: dict[str, int] = {}
        words: dict[str, int] = {}
        lhs, offsets, rhs = [], [0], []
        for left, right in productions:
            lhs.append(symbols.setdefault(left.name, len(symbols)))
            for child in right:
                if isinstance(child, Nonterminal):
                    rhs.append(symbols.setdefault(child.name, len(symbols)))
                else:
                    rhs.append(-1 - words.setdefault(child, len(words)))
            offsets.append(len(rhs))
        return cls(
            tuple(symbols),
            tuple(words),
            np.array(lhs, np.int32),
            np.array(offsets, np.int64),
            np.array(rhs, np.int32),
        )

    def without_empty_words(self) -> RuleColumns:
        """Return the columns in which a word without characters is no word at all, as in NLTK."""
        if "" not in self.words:
            return self
        kept = self.rhs != -1 - list(self.words).index("")
        offsets = np.concatenate(([0], np.cumsum(kept)))[self.offsets]
        return self._replace(offsets=offsets.astype(np.int64), rhs=self.rhs[kept])

    def production(self, rule: int) -> tuple[Nonterminal, tuple[Nonterminal | str, ...]]:
        """Return the left-hand and right-hand side of one rule."""
        children = self.rhs[self.offsets[rule] : self.offsets[rule + 1]].tolist()
        names, words = self.nonterminals, self.words
        right = tuple(Nonterminal(names[c]) if c >= 0 else words[-1 - c] for c in children)
        return Nonterminal(names[self.lhs[rule]]), right


@dataclass(frozen=True, eq=False)
class RuleTable:
    """Distinct productions as columns, in one canonical order.

    Names are sorted, rules are sorted by left-hand side and then by right-hand side (symbols
    before words), so equal sets of rules have equal columns, whatever order they were met in.

    Attributes
    ----------
    nonterminals, words : tuple of str
        Sorted names.
    lhs : int32 array, shape (rules,)
        Id of the left-hand side.
    offsets : int64 array, shape (rules + 1,)
        Rule ``r`` has the right-hand side ``rhs[offsets[r] : offsets[r + 1]]``.
    rhs : int32 array
        Ids of children: nonterminal ``k`` is ``k``, word ``w`` is ``-1 - w``.
    """

    nonterminals: tuple[str, ...]
    words: tuple[str, ...]
    lhs: IntArray
    offsets: LongArray
    rhs: IntArray

    @classmethod
    def canonical(
        cls,
        nonterminals: Sequence[str],
        words: Sequence[str],
        lhs: IntArray,
        offsets: LongArray,
        rhs: IntArray,
    ) -> tuple[RuleTable, LongArray]:
        """Put columns into canonical order, merging equal rules.

        Returns
        -------
        table : RuleTable
            Without names that no rule uses.
        position : int64 array, shape (rules given,)
            Where each of the given rules went.
        """
        is_word = rhs < 0
        symbol_ids, symbol_rank = _sorted_names(nonterminals, np.concatenate((lhs, rhs[~is_word])))
        word_ids, word_rank = _sorted_names(words, -1 - rhs[is_word])
        ranked = np.empty(len(rhs), np.int32)
        ranked[~is_word] = symbol_rank[rhs[~is_word]]
        ranked[is_word] = -1 - word_rank[-1 - rhs[is_word]]
        order, position, starts = _sorted_rules(symbol_rank[lhs], offsets, ranked, len(symbol_ids))
        chosen = order[starts]
        lengths = np.diff(offsets)[chosen]
        new_offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        index = np.arange(new_offsets[-1]) + np.repeat(offsets[chosen] - new_offsets[:-1], lengths)
        table = cls(
            tuple(nonterminals[i] for i in symbol_ids),
            tuple(words[i] for i in word_ids),
            symbol_rank[lhs][chosen].astype(np.int32),
            new_offsets,
            ranked[index],
        )
        return table, position

    @classmethod
    def from_productions(
        cls, productions: Iterable[tuple[Nonterminal, tuple[Nonterminal | str, ...]]]
    ) -> tuple[RuleTable, LongArray]:
        """Build a table from (left-hand side, right-hand side) pairs (see :meth:`canonical`)."""
        return cls.canonical(*RuleColumns.of(productions))

    def __len__(self) -> int:
        return len(self.lhs)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleTable):
            return NotImplemented
        return (
            self.nonterminals == other.nonterminals
            and self.words == other.words
            and np.array_equal(self.lhs, other.lhs)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.rhs, other.rhs)
        )

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def starts(self) -> LongArray:
        """int64 array, shape (nonterminals + 1,): where the rules of each symbol begin."""
        return np.searchsorted(self.lhs, np.arange(len(self.nonterminals) + 1)).astype(np.int64)

    @cached_property
    def _symbols(self) -> tuple[Nonterminal, ...]:
        return tuple(Nonterminal(name) for name in self.nonterminals)

    def sides(self, rule: int) -> tuple[Nonterminal, tuple[Nonterminal | str, ...]]:
        """Return the left-hand and right-hand side of one rule."""
        children = self.rhs[self.offsets[rule] : self.offsets[rule + 1]].tolist()
        right = tuple(self._symbols[c] if c >= 0 else self.words[-1 - c] for c in children)
        return self._symbols[self.lhs[rule]], right

    def __iter__(self) -> Iterator[tuple[Nonterminal, tuple[Nonterminal | str, ...]]]:
        return (self.sides(rule) for rule in range(len(self)))


def _sorted_names(names: Sequence[str], used: IntArray) -> tuple[list[int], IntArray]:
    """Return the used ids sorted by name, and the rank of every id (-1 if it is not used)."""
    ids = sorted(np.unique(used).tolist(), key=names.__getitem__)
    rank = np.full(len(names), -1, np.int32)
    rank[ids] = np.arange(len(ids))
    return ids, rank


def _sorted_rules(
    lhs: IntArray, offsets: LongArray, rhs: IntArray, symbols: int
) -> tuple[LongArray, LongArray, LongArray]:
    """Return an order of the rules, each rule's place among the distinct ones, and their starts."""
    if len(lhs) == 0:
        empty = np.zeros(0, np.int64)
        return empty, empty, empty
    lengths = np.diff(offsets)
    longest = int(lengths.max())
    # absent children sort first, then symbols, then words; a rule is one row of whole numbers
    rows = np.zeros((len(lhs), longest + 1), np.int32)
    rows[:, 0] = lhs
    column = np.arange(len(rhs)) - np.repeat(offsets[:-1], lengths) + 1
    rows[np.repeat(np.arange(len(lhs)), lengths), column] = np.where(
        rhs >= 0, rhs + 1, symbols - rhs
    )
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    new = np.concatenate(([True], (ordered[1:] != ordered[:-1]).any(axis=1)))
    position = np.empty(len(lhs), np.int64)
    position[order] = np.cumsum(new) - 1
    return order, position, np.flatnonzero(new)


def format_symbol(symbol: Nonterminal | str) -> str:
    """Write a word in quotes, or a nonterminal plain or in braces.

    >>> format_symbol("it's"), format_symbol(Nonterminal("NP")), format_symbol(Nonterminal("PRP$"))
    ('"it\\'s"', 'NP', '{PRP$}')
    """
    if isinstance(symbol, Nonterminal):
        if _PLAIN_NAME.fullmatch(symbol.name):
            return symbol.name
        return "{" + protect(symbol.name, "{}") + "}"
    quote = '"' if "'" in symbol and '"' not in symbol else "'"
    return quote + protect(symbol, quote) + quote


def protect(text: str, signs: str) -> str:
    r"""Escape backslashes, the given signs, and what cannot be printed.

    >>> protect("it's\n", "'")
    "it\\'s\\u000a"
    """
    pieces = []
    for character in text:
        if character == "\\" or character in signs:
            pieces.append("\\" + character)
        elif character.isprintable():
            pieces.append(character)
        elif ord(character) < 0x10000:
            pieces.append(f"\\u{ord(character):04x}")
        else:
            pieces.append(f"\\U{ord(character):08x}")
    return "".join(pieces)


def unprotect(text: str) -> str:
    r"""Undo :func:`protect`.

    >>> unprotect(protect("it's\n", "'")) == "it's\n"
    True
    """

    def character(match: re.Match[str]) -> str:
        code = match.group(1)
        if len(code) > 1:
            return chr(int(code[1:], 16)) if int(code[1:], 16) <= 0x10FFFF else match.group()
        if code in _PROTECTED:
            return code
        # NLTK knows no escapes, so a backslash before any other character stands for itself
        return _CHARACTERS.get(code, match.group())

    return _ESCAPE.sub(character, text)

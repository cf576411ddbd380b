"""How many examples of which kind: counts split exactly over classes, lengths and methods.

What is wanted is a table of *cells*: classes by bands of length, with a number in each. Without
quotas there is one class (any) and one band (any). A mixture splits every cell by the same rule:
the largest remainder.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import LongArray
from grammar.errors import CorpusError, OptionError
from grammar.options import whole_number
from induction.corpus.corpus import Corpus
from sampling.examples.labels import has_sets, is_soft, read_labels

__all__ = ["ANY_LENGTH", "Band", "Cells", "apportion", "classes_of", "levelled", "plan_cells",
           "read_bands"]  # fmt: skip

_BAND = re.compile(r"(\d+)(?::(\d+))?(?:=(\d+))?")
_DIGITS = 15
"""Numbers of lengths and counts have no more."""


@dataclass(frozen=True)
class Band:
    """Texts of ``least`` to ``most`` words, and how many of them; None is no limit, or no count."""

    least: int
    most: int | None
    count: int | None = None

    def __str__(self) -> str:
        if self == ANY_LENGTH:
            return "any length"
        return f"{self.least}:{self.most} words"


ANY_LENGTH = Band(0, None)
"""The band of all texts."""


def read_bands(text: str | None) -> tuple[Band, ...]:
    """Read bands of lengths, in words.

    Raises
    ------
    OptionError
        If one is not a band, two overlap, or one of several has no count.

    Examples
    --------
    >>> read_bands("5:20")
    (Band(least=5, most=20, count=None),)
    >>> [band.count for band in read_bands("5:10=100, 11:20=50")]
    [100, 50]
    """
    if text is None:
        return (ANY_LENGTH,)
    bands = []
    for part in text.split(","):
        match = _BAND.fullmatch(part.strip())
        if match is None:
            raise OptionError(
                f"the length {part.strip()!r} is not a band",
                hint="for example 5:20, or 5:10=100,11:20=50",
            )
        if any(number and len(number) > _DIGITS for number in match.groups()):
            raise OptionError(
                f"a number of the length {part.strip():.40} is too large",
                hint=f"give numbers of up to {_DIGITS} digits",
            )
        least, most, count = (None if number is None else int(number) for number in match.groups())
        bands.append(Band(least or 0, least if most is None else most, count))
    _check_bands(bands)
    return tuple(bands)


def _check_bands(bands: list[Band]) -> None:
    for band in bands:
        if band.most is not None and band.most < band.least:
            raise OptionError(
                f"the band {band.least}:{band.most} is backwards",
                hint=f"use {band.most}:{band.least}",
            )
    if len(bands) > 1 and any(band.count is None for band in bands):
        raise OptionError("a band has no count", hint="give each one, as in 5:10=100,11:20=50")
    rising = sorted(bands, key=lambda band: band.least)
    for band, above in itertools.pairwise(rising):
        if band.most is None or above.least <= band.most:
            raise OptionError(
                f"the bands {band.least}:{band.most} and {above.least}:{above.most} overlap",
                hint="give every length to one band",
            )


@dataclass(frozen=True, eq=False)
class Cells:
    """What is wanted: numbers of new examples, by class and length.

    Attributes
    ----------
    classes : tuple of int or None
        The classes; (None,) if classes do not matter.
    bands : tuple of Band
        The lengths.
    wanted : int64[classes x bands]
        How many of each, band by band within a class.
    class_names : tuple of str
        What classes are called; empty if they have only numbers.
    """

    classes: tuple[int | None, ...]
    bands: tuple[Band, ...]
    wanted: LongArray
    class_names: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many examples are wanted in all."""
        return int(self.wanted.sum())

    @property
    def names(self) -> list[str]:
        """What each cell holds, in words."""
        called = self.class_names
        rows = ["" if c is None else f"class {called[c] if called else c}" for c in self.classes]
        bands = ["" if band == ANY_LENGTH else str(band) for band in self.bands]
        return [", ".join(filter(None, (c, band))) or "any" for c in rows for band in bands]

    def split(self, shares: Sequence[Fraction]) -> list[LongArray]:
        """Split every cell by shares, exactly.

        What rounding kept from a part in one cell counts for it in the next, so the parts of all
        cells together come out right too.

        >>> cells = Cells((0, 1), (ANY_LENGTH,), np.array([5, 5]))
        >>> [part.tolist() for part in cells.split([Fraction(1, 2), Fraction(1, 2)])]
        [[3, 2], [2, 3]]
        """
        owed = [Fraction(0)] * len(shares)
        rows = []
        for count in self.wanted.tolist():
            row = apportion(count, shares, owed)
            owed = [
                before + count * share - given
                for before, share, given in zip(owed, shares, row, strict=True)
            ]
            rows.append(row)
        return [np.array(column, np.int64) for column in zip(*rows, strict=True)]

    def of(self, words: LongArray, classes: LongArray) -> LongArray:
        """Return the cell of examples of these lengths and classes, -1 where there is none."""
        band = np.full(len(words), -1, np.int64)
        for number, b in enumerate(self.bands):
            inside = words >= b.least
            if b.most is not None:
                inside &= words <= b.most
            band[inside] = number
        if self.classes == (None,):
            return band
        number_of = np.full(max(int(classes.max(initial=0)), *_numbers(self.classes)) + 1, -1)
        number_of[_numbers(self.classes)] = np.arange(len(self.classes))
        row = number_of[classes]
        return np.where((row < 0) | (band < 0), -1, row * len(self.bands) + band)


def _numbers(classes: tuple[int | None, ...]) -> list[int]:
    return [c for c in classes if c is not None]


def classes_of(table: pa.Table) -> LongArray:
    """Return the class of each example: of a soft label the most probable, the first of equals.

    Without labels, or where these are no classes, there are none.

    >>> classes_of(pa.table({"label": [[0.2, 0.8], [0.5, 0.5]]})).tolist()
    [1, 0]
    """
    if "label" not in table.column_names:
        return np.zeros(0, np.int64)
    label: Any = table.column("label").combine_chunks()
    if pa.types.is_integer(label.type):
        return np.asarray(label.to_numpy(zero_copy_only=False), np.int64)
    if not len(label) or not is_soft(label.type):
        return np.zeros(0, np.int64)
    width = int(pc.list_value_length(label)[0].as_py())
    soft = label.flatten().to_numpy(zero_copy_only=False).reshape(len(label), width)
    return np.asarray(soft.argmax(axis=1), np.int64)


def plan_cells(
    corpus: Corpus,
    *,
    n: int | None = None,
    times: int | None = None,
    per_class: int | None = None,
    balance: bool = False,
    length: str | None = None,
    class_names: tuple[str, ...] = (),
) -> Cells:
    """Return how many examples of each class and length are wanted.

    Parameters
    ----------
    corpus : Corpus
        The originals.
    n, times : int, optional
        How many in all, or how many times the size of the corpus. Without any count, once its size.
    per_class : int, optional
        So many of each class of the corpus.
    balance : bool
        Bring all classes, originals and new ones together, as near to one count as ``n`` allows;
        without ``n`` or ``times``, all up to the largest class.
    length : str, optional
        A band, or bands with counts. Next to another count these are shares of it (of each class).
    class_names : tuple of str
        What classes are called.

    Raises
    ------
    OptionError
        If a number cannot be used, or two say the same thing.
    CorpusError
        If classes are asked for and the corpus has none.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a", "b", "c", "d"], label=[0, 0, 0, 1])
    >>> plan_cells(corpus, balance=True).wanted.tolist()
    [0, 2]
    >>> plan_cells(corpus, n=6, balance=True).wanted.tolist()
    [2, 4]
    >>> plan_cells(corpus, per_class=10, length="1:5=3,6:9=1").wanted.tolist()
    [8, 2, 8, 2]
    """
    _check_counts(n, times, per_class, balance)
    bands = read_bands(length)
    total = n if times is None else times * len(corpus)
    classes: tuple[int | None, ...] = (None,)
    if balance or per_class is not None:
        found, counts = np.unique(_own_classes(corpus), return_counts=True)
        classes = tuple(found.tolist())
        rows = levelled(counts.tolist(), total) if balance else [per_class or 0] * len(found)
    elif total is None:
        known = [band.count for band in bands if band.count is not None]
        rows = [sum(known) if known else len(corpus)]
    else:
        rows = [total]
    return Cells(classes, bands, np.array(_by_band(rows, bands), np.int64), class_names)


def _by_band(rows: list[int], bands: tuple[Band, ...]) -> list[int]:
    whole = sum(band.count or 0 for band in bands)
    if not whole:
        if len(bands) > 1:
            raise OptionError("the counts of all bands are 0", hint="ask for at least one example")
        shares = [Fraction(1)]
    else:
        shares = [Fraction(band.count or 0, whole) for band in bands]
    return [part for count in rows for part in apportion(count, shares)]


def _check_counts(n: int | None, times: int | None, per_class: int | None, balance: bool) -> None:
    named = {"n": n, "times": times, "per_class": per_class}
    given = [name for name, value in named.items() if value is not None]
    for name in given:
        whole_number(name, named[name], 0)
    if len(given) > 1 or (balance and per_class is not None):
        both = [*given, *(["balance"] if balance and len(given) == 1 else [])]
        raise OptionError(f"{' and '.join(both)} both say how many", hint="give one of them")


def _own_classes(corpus: Corpus) -> LongArray:
    if "label" not in corpus.names:
        raise CorpusError(
            "the corpus has no column 'label' to balance or count by",
            where=f"columns {', '.join(corpus.names)}",
            hint="name the column of the classes, or give a count in all",
        )
    if has_sets(corpus):
        raise CorpusError(
            "the labels are sets of classes (multi-label), so there are no classes to balance or "
            "count by",
            hint="give a count in all, such as n or times",
        )
    read_labels(corpus)
    return classes_of(corpus.table)


def apportion(
    total: int, shares: Sequence[Fraction], owed: Sequence[Fraction] | None = None
) -> list[int]:
    """Split a whole number by shares that sum to 1: the largest remainders get what is left.

    What is ``owed`` from before is added to the remainders. Of equal ones the first comes first.

    References
    ----------
    Hamilton's method; Balinski & Young 1982, Fair Representation.

    Examples
    --------
    >>> apportion(10, [Fraction(1, 3)] * 3), apportion(5, [Fraction(7, 10), Fraction(3, 10)])
    ([4, 3, 3], [4, 1])
    """
    quotas = [total * share for share in shares]
    counts = [int(quota) for quota in quotas]
    extra = [Fraction(0)] * len(quotas) if owed is None else owed
    order = sorted(range(len(quotas)), key=lambda k: (counts[k] - quotas[k] - extra[k], k))
    for k in order[: total - sum(counts)]:
        counts[k] += 1
    return counts


def levelled(counts: Sequence[int], total: int | None) -> list[int]:
    """Return how many to add to each count so that all come as near to each other as they can.

    Without a total, all come up to the largest.

    >>> levelled([3, 1], None), levelled([3, 1], 1), levelled([3, 1], 5)
    ([0, 2], [0, 1], [2, 3])
    """
    if total is None:
        return [max(counts, default=0) - count for count in counts]
    lowest = min(counts)
    levels = range(lowest, lowest + total + 1)
    level = levels[bisect.bisect_right(levels, total, key=lambda top: _below(counts, top)) - 1]
    added = [max(level - count, 0) for count in counts]
    for k in [k for k, count in enumerate(counts) if count <= level][: total - sum(added)]:
        added[k] += 1
    return added


def _below(counts: Sequence[int], level: int) -> int:
    return sum(max(level - count, 0) for count in counts)

"""Comparing two treebanks, or grammars by what they generate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.errors import EmptyTreebankError, OptionError
from grammar.files import PathLike, write_text
from grammar.pictures.svg import Picture
from grammar.progress import stages
from grammar.trees.given import as_treebank
from grammar.trees.treebank import Treebank
from grammar.weighted import Weighted
from induction.trees.normalise import normalise
from sampling.comparison.differences import LEVEL, Differences, differences
from sampling.comparison.divergences import Divergence, divergence
from sampling.comparison.features import KINDS, Counts, counts_of_units
from sampling.comparison.page import comparison_page
from sampling.comparison.plot import differences_picture

__all__ = ["STEPS", "Comparison", "Coverage", "compare", "sampled_trees"]

STEPS = ("traces", "functions", "root")
"""What is done to the trees of both: a grammar's trees are like this, too."""
SAMPLES = 2000
_TESTED = ("rules", "words")
_SHOWN = 10


@dataclass(frozen=True)
class Coverage:
    """What of one is in the other, too: shares of occurrences and of distinct ones."""

    occurrences: float
    distinct: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """How two treebanks differ.

    Attributes
    ----------
    names : (str, str)
        What A and B are called.
    trees, units : (int, int)
        How many there are of each; units are what is independent: trees, or documents.
    differences : dict of str to Differences
        Of ``rules`` and ``words``.
    divergences : dict of str to Divergence
        Of ``rules``, ``words``, ``lengths`` and ``depths``.
    coverage : dict of str to (Coverage, Coverage)
        Of ``rules`` and ``words``: of A by B, and of B by A.

    Examples
    --------
    >>> from grammar import Treebank
    >>> a = Treebank.parse("(S (NP (PRP we)) (VP (VBD ran)))" * 30)
    >>> b = Treebank.parse("(S (VP (VB run)))" * 30)
    >>> found = compare(a, b)
    >>> found.differences["rules"].passing, found.divergences["rules"].p
    (5, 0.01)
    """

    names: tuple[str, str]
    trees: tuple[int, int]
    units: tuple[int, int]
    differences: dict[str, Differences]
    divergences: dict[str, Divergence]
    coverage: dict[str, tuple[Coverage, Coverage]]

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return everything as values that JSON can hold; of differences the first ones."""
        return {
            "names": list(self.names),
            "trees": list(self.trees),
            "units": list(self.units),
            "coverage": {
                kind: {
                    side: {"occurrences": one.occurrences, "distinct": one.distinct}
                    for side, one in zip(("a_by_b", "b_by_a"), pair, strict=True)
                }
                for kind, pair in self.coverage.items()
            },
            "divergences": {
                kind: {
                    "jensen_shannon_bits": one.plug_in,
                    "expected_bits": one.expected,
                    "p": one.p,
                }
                for kind, one in self.divergences.items()
            },
            "differences": {
                kind: {
                    "compared": len(one),
                    "passing": one.passing,
                    "rows": one.table[:top].to_pylist(),
                }
                for kind, one in self.differences.items()
            },
        }

    def lines(self, top: int = _SHOWN) -> Iterator[str]:
        """Yield everything as text for people."""
        for side, name, trees, units in zip("AB", self.names, self.trees, self.units, strict=True):
            yield f"{side}  {name}: {trees:,} trees, {units:,} units"
        for kind, (ours, theirs) in self.coverage.items():
            yield (
                f"{kind:<8} of A in B: {ours.occurrences:.1%} of occurrences, {ours.distinct:.1%} "
                f"of distinct; of B in A: {theirs.occurrences:.1%}, {theirs.distinct:.1%}"
            )
        for kind, far in self.divergences.items():
            yield (
                f"{kind:<8} Jensen-Shannon {far.plug_in:.4f} bits (plug-in), {far.expected:.4f} "
                f"expected of parts that do not differ, p {far.p:.2f}"
            )
        for kind, one in self.differences.items():
            yield ""
            yield (
                f"{kind}: {one.passing:,} of {len(one):,} pass {LEVEL:g} after Holm's correction; "
                "per 1,000 in A and B, log-odds"
            )
            yield from _rows(one, top)

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        return comparison_page(self.to_dict(_SHOWN), self._pictures(_SHOWN), whole=False)

    def show(self, kind: str = "rules", top: int = 20) -> Picture:
        """Return a picture of the first differences with their intervals.

        Raises
        ------
        OptionError
            If the kind is neither rules nor words, or nothing was compared.
        """
        if kind not in self.differences:
            raise OptionError(f"there are no differences of {kind}", hint="choose rules or words")
        return differences_picture(self.differences[kind].table, self.names, kind, top)

    def save_html(self, path: PathLike, top: int = 50) -> None:
        """Write a page that needs nothing else, with tables and pictures.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        write_text(path, comparison_page(self.to_dict(top), self._pictures(top), whole=True))

    def _pictures(self, top: int) -> dict[str, str]:
        shown = ((kind, one) for kind, one in self.differences.items() if len(one))
        return {kind: self.show(kind, min(top, 20)).svg() for kind, _ in shown}


def compare(
    a: Any,
    b: Any,
    *,
    names: tuple[str, str] = ("A", "B"),
    units: tuple[Sequence[Any], Sequence[Any]] | None = None,
    n: int = SAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare two treebanks, or grammars by trees that are sampled from them.

    Parameters
    ----------
    a, b : Treebank, trees or grammar
        Traces are left out, functions taken off labels, and a root comes above every tree.
    names : (str, str)
        What they are called.
    units : (sequence, sequence), optional
        Of each tree of A and of B what it belongs to, such as its document: trees of one
        document are alike, so documents are what is counted as independent. Else trees are.
    n : int
        Trees that are drawn from a grammar.
    seed : int
        Of the draws, and of the random divisions that divergences are set against.

    Raises
    ------
    EmptyTreebankError
        If one has no trees.
    OptionError
        If there is not one unit for each tree, or a grammar cannot be sampled.

    Examples
    --------
    >>> from induction import read_treebank
    >>> trees = read_treebank()
    >>> print(type(compare(trees[:200], trees[200:400])).__name__)
    Comparison
    """
    trees = [_compared(each, n, seed + place) for place, each in enumerate((a, b))]
    numbers = [_unit_numbers(units[i] if units else None, len(trees[i])) for i in range(2)]
    first = int(numbers[0].max()) + 1
    both = np.concatenate([numbers[0], numbers[1] + first])
    counts = counts_of_units(Treebank.concatenate(trees), both)
    units_a, units_b = np.arange(first), np.arange(first, int(both.max()) + 1)
    return Comparison(
        names,
        (len(trees[0]), len(trees[1])),
        (len(units_a), len(units_b)),
        differences({kind: counts[kind] for kind in _TESTED}, units_a, units_b),
        {
            kind: divergence(counts[kind], units_a, units_b, seed)
            for kind in stages(KINDS, "comparing distributions")
        },
        {
            kind: (
                _coverage(counts[kind], units_a, units_b),
                _coverage(counts[kind], units_b, units_a),
            )
            for kind in _TESTED
        },
    )


def sampled_trees(grammar: Any, n: int = SAMPLES, seed: int = 0) -> Treebank:
    """Return trees that are drawn from a grammar.

    Raises
    ------
    TreewrightError
        As :func:`sampling.sample_sentences`; if the grammar gives pairs and no sentences.
    """
    from sampling.sentences.sentences import sample_sentences

    if grammar.pcfg is None:
        raise OptionError(
            f"a grammar of the family {grammar.family!r} gives no sentences by itself",
            hint="compare treebanks, or grammars of another family",
        )
    drawn = sample_sentences(grammar, n, seed=seed, trees=True)
    return Treebank.parse("\n".join(drawn.column("tree")))


def _compared(data: Any, n: int, seed: int) -> Treebank:
    """Return trees in the form in which they are compared; those of a grammar are sampled."""
    given = as_treebank(sampled_trees(data, n, seed) if isinstance(data, Weighted) else data)
    if not len(given):
        raise EmptyTreebankError("there are no trees to compare", hint="give one tree or more")
    treebank = normalise(given, STEPS)
    if len(treebank) < len(given):
        raise EmptyTreebankError(
            f"{len(given) - len(treebank):,} trees have no words but traces",
            hint="leave them out: units are told by place",
        )
    return treebank


def _unit_numbers(units: Sequence[Any] | None, trees: int) -> np.ndarray[Any, Any]:
    if units is None:
        return np.arange(trees)
    if len(units) != trees:
        raise OptionError(
            f"there are {len(units):,} units for {trees:,} trees", hint="give one for each tree"
        )
    known: dict[Any, int] = {}
    return np.array([known.setdefault(unit, len(known)) for unit in units], np.int64)


def _coverage(counts: Counts, units: Any, others: Any) -> Coverage:
    ours, theirs = counts.of(units), counts.of(others)
    known = (ours > 0) & (theirs > 0)
    distinct = max(1, int(np.count_nonzero(ours)))
    return Coverage(
        float(ours[known].sum() / max(1, ours.sum())), int(np.count_nonzero(known)) / distinct
    )


def _rows(found: Differences, top: int) -> Iterator[str]:
    rows = found.table[:top].to_pylist()
    width = max((len(row["name"]) for row in rows), default=0)
    for row in rows:
        mark = "*" if row["p_holm"] < LEVEL else " "
        yield (
            f"  {mark} {row['name']:<{width}}  {row['per_1000_a']:8.2f} {row['per_1000_b']:8.2f}  "
            f"{row['log_odds']:+6.2f} [{row['low']:+.2f}, {row['high']:+.2f}]"
        )

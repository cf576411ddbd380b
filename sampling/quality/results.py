"""What a quality report holds: scores with intervals, and the material they were measured on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grammar.arrays import FloatArray, LongArray
from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from sampling.quality.measures.parents import Parents
from sampling.quality.measures.words import Words

if TYPE_CHECKING:
    from induction.parsers.protocol import TextParser

__all__ = ["Material", "Result", "Results", "Score", "written"]


@dataclass(frozen=True)
class Score:
    """A value with its 95 % confidence interval, where there is one."""

    value: float
    low: float | None = None
    high: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """Return value, low and high by name."""
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Result:
    """One measure of the augmented corpus, and the same of the originals where that has a sense.

    Attributes
    ----------
    name : str
        A key of :data:`~sampling.quality.measures_table.MEASURES`.
    score : Score
        Of the augmented corpus.
    original : Score or None
        Of the originals.
    count : int
        How many examples (tokens, for types over tokens) went into the score.
    each, each_original : float64[examples] or None
        What each augmented example, or each original, contributes; NaN where it was not looked at.
    """

    name: str
    score: Score
    original: Score | None
    count: int
    each: FloatArray | None = field(default=None, repr=False, compare=False)
    each_original: FloatArray | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, eq=False)
class Material:
    """What measures read: the corpora, their words in one vocabulary, and what is known of them."""

    originals: Corpus
    augmented: Corpus
    test: Corpus | None
    parser: TextParser | None
    seed: int
    old: Words
    new: Words
    test_words: Words | None
    parents: Parents | None
    why_no_parents: CorpusError | None
    class_names: tuple[str, ...] = ()

    @property
    def host(self) -> LongArray | None:
        """The row of the first parent of each augmented example, -1 if unknown."""
        return self.parents.host if self.parents else None


@dataclass(frozen=True, eq=False)
class Results:
    """The results by name, what was left out and why, and what they were measured on."""

    results: Mapping[str, Result]
    left_out: Mapping[str, str]
    material: Material = field(repr=False)

    def __getitem__(self, name: str) -> Result:
        return self.results[name]

    @property
    def sizes(self) -> dict[str, int]:
        """How many examples each corpus has."""
        m = self.material
        sizes = {"originals": len(m.originals), "augmented": len(m.augmented)}
        return sizes if m.test is None else {**sizes, "test": len(m.test)}


def written(value: float, share: bool) -> str:
    """Write a score for people.

    >>> written(0.01234, share=True), written(12.345, share=False), written(0.5, share=False)
    ('1.23 %', '12.35', '0.500')
    """
    if share:
        return f"{100 * value:.2f} %"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.2f}"

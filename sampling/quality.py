"""A quality report of augmentation: all measures that two corpora allow, with intervals.

What cannot be measured (no labels, no trees, no provenance, ...) is left out, and the report says
why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grammar.arrays import FloatArray, LongArray
from grammar.errors import CorpusError, MissingDataError, TreewrightError, located
from grammar.files import PathLike
from induction.corpus import Corpus
from sampling.class_names import class_names, number_classes
from sampling.measures.parents import Parents, find_parents
from sampling.measures.words import Words, shared_words
from sampling.quality_measures import MEASURES
from sampling.thresholds import Threshold

if TYPE_CHECKING:
    from induction.text_parsers import TextParser

__all__ = ["Material", "QualityReport", "Result", "Score", "assess"]


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
        A key of :data:`~sampling.quality_measures.MEASURES`.
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
class QualityReport:
    """The results by name, what was left out and why, and what they were measured on.

    Prints as a table; ``report["duplicates"].score.value`` is a number.
    """

    results: Mapping[str, Result]
    left_out: Mapping[str, str]
    material: Material = field(repr=False)

    def __getitem__(self, name: str) -> Result:
        return self.results[name]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        sizes = self.sizes
        yield ", ".join(f"{count:,} {name}" for name, count in sizes.items())
        yield f"{'':34}{'augmented':>10}  {'95 % interval':<19}{'originals':>9}"
        for name, result in self.results.items():
            score, share = result.score, MEASURES[name].share
            between = (
                f"{written(score.low, share)} to {written(score.high, share)}"
                if score.low is not None and score.high is not None
                else ""
            )
            beside = written(result.original.value, share) if result.original else ""
            yield f"{name:<34}{written(score.value, share):>10}  {between:<19}{beside:>9}".rstrip()
        for part, why in self.left_out.items():
            yield f"left out: {part}: {why}"

    @property
    def sizes(self) -> dict[str, int]:
        """How many examples each corpus has."""
        m = self.material
        sizes = {"originals": len(m.originals), "augmented": len(m.augmented)}
        return sizes if m.test is None else {**sizes, "test": len(m.test)}

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the examples, as JSON can hold it."""
        return {
            "schema": "treewright.quality/1",
            "sizes": self.sizes,
            "seed": self.material.seed,
            "measures": {
                name: {
                    **result.score.to_dict(),
                    "original": result.original.to_dict() if result.original else None,
                    "count": result.count,
                }
                for name, result in self.results.items()
            },
            "left_out": dict(self.left_out),
        }

    def failed(self, thresholds: Iterable[Threshold]) -> list[str]:
        """Say which thresholds are passed on the wrong side, or cannot be judged.

        An example of the result: ``["duplicates = 0.02, which is > 0.01"]``.
        """
        failures = []
        for threshold in thresholds:
            result = self.results.get(threshold.name)
            if result is None:
                failures.append(f"{threshold.name} could not be measured")
            elif threshold.fails(result.score.value):
                number = f"{threshold.sign} {threshold.number:g}"
                failures.append(f"{threshold.name} = {result.score.value:.6g}, which is {number}")
        return failures

    def save_html(self, path: PathLike, *, title: str = "Augmentation quality") -> None:
        """Write one self-contained page with plots, tables and examples.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        from grammar.files import write_text
        from sampling.quality_page import page

        write_text(path, page(self, title))


Part = Callable[[Material], Iterator[Result]]


def assess(
    originals: Corpus,
    augmented: Corpus,
    *,
    test: Corpus | None = None,
    parser: TextParser | None = None,
    seed: int = 0,
    told: Callable[[str], None] = lambda part: None,
) -> QualityReport:
    """Measure augmented examples against the originals that they were made from.

    Parameters
    ----------
    originals, augmented : Corpus
        Their columns decide what is measured: ``label`` (classes or distributions), ``tree``, and
        the ``provenance`` of the augmented examples.
    test : Corpus, optional
        To look for leakage.
    parser : TextParser, optional
        To parse a part of the augmented examples again.
    seed : int
        Of the intervals and of the folds of the classifier.
    told : function, optional
        Called with the name of each part before it is measured.

    Raises
    ------
    CorpusError
        If a corpus is empty, a text is missing, or labels are not valid.

    Examples
    --------
    >>> given = Corpus.from_columns(text=["a good film", "a bad film"])
    >>> made = Corpus.from_columns(text=["a good book", "a bad film"])
    >>> report = assess(given, made)
    >>> report["novelty"].score.value, report.left_out["leakage"]
    (0.5, 'there is no test corpus')
    """
    from sampling.quality_parts import PARTS

    material = _material(originals, augmented, test, parser, seed)
    results: dict[str, Result] = {}
    left_out: dict[str, str] = {}
    for name, part in PARTS.items():
        told(name)
        try:
            for result in part(material):
                results[result.name] = result
        except (CorpusError, MissingDataError) as error:
            left_out[name] = _reason(error)
    ordered = {name: results[name] for name in MEASURES if name in results}
    return QualityReport(MappingProxyType(ordered), MappingProxyType(left_out), material)


def written(value: float, share: bool) -> str:
    """Write a score for people.

    >>> written(0.01234, share=True), written(12.345, share=False), written(0.5, share=False)
    ('1.23 %', '12.35', '0.500')
    """
    if share:
        return f"{100 * value:.2f} %"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.2f}"


def _material(
    originals: Corpus,
    augmented: Corpus,
    test: Corpus | None,
    parser: TextParser | None,
    seed: int,
) -> Material:
    names = class_names(originals)
    if not names and class_names(augmented):
        raise CorpusError(
            "the classes of the augmented are names, and those of the originals are not",
            hint="give the corpus that was augmented, with the same column 'label'",
        )
    names = class_names(originals, augmented)
    originals, augmented = number_classes(originals, names), number_classes(augmented, names)
    named = {"the originals": originals, "the augmented": augmented}
    if test is not None:
        named["the test corpus"] = number_classes(test)
    for name, corpus in named.items():
        with located(name):
            shared_words(corpus)
            _check_labels(corpus)
    old, new, *rest = shared_words(*named.values())
    parents, why_not = None, None
    try:
        parents = find_parents(augmented, originals)
    except CorpusError as error:
        why_not = error
    return Material(
        originals, augmented, test, parser, seed, old, new, rest[0] if rest else None,
        parents, why_not, names,
    )  # fmt: skip


def _check_labels(corpus: Corpus) -> None:
    from sampling.labels import read_labels

    if "label" in corpus.names:
        read_labels(corpus)


def _reason(error: TreewrightError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what

"""A quality report of augmentation: all measures that two corpora allow, with intervals.

What cannot be measured (no labels, no trees, no provenance, ...) is left out, and the report says
why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from grammar.errors import CorpusError, MissingDataError, TreewrightError, located
from grammar.files import PathLike
from grammar.messages import tell
from grammar.options import names_keywords
from grammar.progress import stages
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.examples.class_names import class_names, holds_names, label_kind, number_classes
from sampling.quality.measures.parents import find_parents
from sampling.quality.measures.words import shared_words
from sampling.quality.measures_table import MEASURES
from sampling.quality.results import Material, Result, Results, written
from sampling.quality.thresholds import Threshold

if TYPE_CHECKING:
    from induction.parsers.protocol import TextParser

__all__ = ["QualityReport", "assess"]


class QualityReport(Results):
    """The results by name, what was left out and why, and what they were measured on.

    Prints as a table; ``report["duplicates"].score.value`` is a number.
    """

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"QualityReport({len(self.results)} measures of {self.material.augmented!r})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

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
        from sampling.quality.page import page

        write_text(path, page(self, title))


@names_keywords()
def assess(
    originals: Any,
    augmented: Any,
    *,
    test: Any = None,
    parser: TextParser | None = None,
    seed: int = 0,
    told: Callable[[str], None] = lambda part: None,
) -> QualityReport:
    """Measure augmented examples against the originals that they were made from.

    Parameters
    ----------
    originals, augmented : Corpus, or data of any kind
        A file, a frame, a list (:func:`~induction.corpus.formats.read_corpus`). Their columns
        decide what is measured: ``label`` (classes or distributions), ``tree``, and
        the ``provenance`` of the augmented examples.
    test : Corpus, or data of any kind, optional
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
    from sampling.quality.parts import PARTS

    tests = None if test is None else read_corpus(test)
    material = _material(read_corpus(originals), read_corpus(augmented), tests, parser, seed)
    results: dict[str, Result] = {}
    left_out: dict[str, str] = {}
    for name, part in stages(PARTS.items(), "measuring"):
        told(name)
        try:
            for result in part(material):
                results[result.name] = result
        except (CorpusError, MissingDataError) as error:
            left_out[name] = _reason(error)
    ordered = {name: results[name] for name in MEASURES if name in results}
    return QualityReport(MappingProxyType(ordered), MappingProxyType(left_out), material)


def _material(
    originals: Corpus,
    augmented: Corpus,
    test: Corpus | None,
    parser: TextParser | None,
    seed: int,
) -> Material:
    if holds_names(augmented) and not holds_names(originals):
        raise CorpusError(
            "the classes of the augmented are names, and those of the originals are not",
            hint="give the corpus that was augmented, with the same column 'label'",
        )
    names = class_names(originals, augmented)
    if holds_names(originals) and label_kind(augmented) == "int64" and not augmented.classes:
        told = ", ".join(f"{number} for {name}" for number, name in enumerate(names))
        tell(f"the classes of the augmented are numbers, taken as places of classes: {told}")
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
    from sampling.examples.labels import read_labels

    if "label" in corpus.names:
        read_labels(corpus)


def _reason(error: TreewrightError) -> str:
    return f"{error.where}: {error.what}" if error.where else error.what

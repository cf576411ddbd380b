"""Augmentation in one call: from a corpus and an expression of methods to new examples."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from induction.corpus.corpus import Corpus
from sampling.pipeline.manifest import manifest_of
from sampling.pipeline.pipeline import Pipeline
from sampling.pipeline.report import Report
from sampling.pipeline.settings import read_settings
from sampling.stream import ShortfallWarning

__all__ = ["Augmentation", "augment"]


@dataclass(frozen=True, eq=False, repr=False)
class Augmentation:
    """New examples, and what is to be said about them.

    Attributes
    ----------
    corpus : Corpus
        The new examples (behind the originals, if those were kept).
    report : Report
        What was requested and made, duplicates, leakage, and the reasons of a shortfall.
    manifest : dict
        Everything that decides the result, as JSON can hold it.
    """

    corpus: Corpus
    report: Report
    manifest: dict[str, Any]

    def __repr__(self) -> str:
        return f"Augmentation({self.report!r}, {self.corpus!r})"

    def _repr_html_(self) -> str:
        return f"{self.report._repr_html_()}{self.corpus._repr_html_()}"


def augment(
    corpus: Corpus,
    method: str = "treemix",
    *,
    test: Corpus | None = None,
    workers: int = 1,
    **settings: Any,
) -> Augmentation:
    """Make new examples from a corpus.

    Parameters
    ----------
    corpus : Corpus
        The originals, with the columns that the methods need. Where labels are names, so are those
        of the new examples; distributions are over the names in their order.
    method : str
        What to make (see :func:`~sampling.expression.read_expression`): a method, with
        options in parentheses; ``a | b``, b applied to what a makes; ``0.7*a + 0.3*b``, a mixture.
    test : Corpus, optional
        Texts to look for among the new ones; they are counted, or left out (``drop_leaked``).
    workers : int
        Threads; they change nothing.
    **settings
        Fields of :class:`~sampling.pipeline.settings.Settings`: how many (``n``, ``times``,
        ``per_class``, ``balance``, ``length``), ``dedup``, ``threshold``, ``drop_leaked``,
        ``keep_originals``, ``options`` of the methods, ``seed``.

    Warns
    -----
    ShortfallWarning
        If fewer examples exist than were asked for, with the reason.

    Raises
    ------
    OptionError
        If the expression or a setting cannot be used.
    CorpusError
        If the corpus is not valid or a method cannot use it.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a b c d", "e f g h"], label=[0, 1])
    >>> made = augment(corpus, "0.5*sub2 + 0.5*sub2 | aeda", n=4)
    >>> made.corpus.column("id")[:2], len(made.corpus)
    (['sub2-0-0', 'sub2-0-1'], 4)
    >>> print(made.report)
    4 of 4 new examples
      sub2: 2 of 2; drawn: 2 made
      sub2 | aeda: 2 of 2; drawn: 2 made
    """
    pipeline = Pipeline(
        corpus, read_settings({"method": method, **settings}), test=test, workers=workers
    )
    tables = list(pipeline.run())
    made = Corpus(pa.concat_tables(tables).combine_chunks())
    report = pipeline.report()
    if report.shortfall:
        warnings.warn(report.shortfall, ShortfallWarning, stacklevel=2)
    return Augmentation(made, report, manifest_of(pipeline))

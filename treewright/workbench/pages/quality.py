"""Quality: what an augmented table is worth beside the one that it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grammar.errors import OptionError
from sampling.quality.examples import example_pairs
from sampling.quality.measures_table import GROUPS, MEASURES
from sampling.quality.report import QualityReport, assess
from sampling.quality.results import Result, Score, written
from treewright.workbench.answers import Page, address, answered
from treewright.workbench.opened import OpenCorpus, Opened
from treewright.workbench.parameters import Parameters

__all__ = ["quality_page"]

_MOST_ROWS = 5_000
"""More takes longer than one waits for a page."""


def quality_page(opened: Opened, asked: Parameters) -> Page:
    """Show the measures of an augmented table, if two tables are chosen."""
    corpora = dict(opened.of_kind("corpus"))
    original, augmented = asked.choice("original", corpora), asked.choice("augmented", corpora)
    values = {
        "corpora": corpora,
        "original": original,
        "augmented": augmented,
        "most_rows": _MOST_ROWS,
    }
    if not original or not augmented:
        return Page("quality.html", values)

    def answer() -> Mapping[str, Any]:
        report = _report(corpora[original], corpora[augmented])
        return {
            "sizes": report.sizes,
            "groups": _groups(report),
            "left_out": report.left_out,
            "examples": list(example_pairs(report)),
            "example_address": lambda row: address(
                f"/corpus/{augmented}/example", id=row, source=original
            ),
        }

    return answered("quality.html", values, answer)


def _report(original: OpenCorpus, augmented: OpenCorpus) -> QualityReport:
    for item in (original, augmented):
        if len(item.corpus) > _MOST_ROWS:
            raise OptionError(
                f"{len(item.corpus):,} rows are too many for a page",
                where=item.name,
                hint="use the command: treewright quality ORIGINAL AUGMENTED --html report.html",
            )
    return assess(original.corpus, augmented.corpus)


def _groups(report: QualityReport) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Return the questions, and the measures that answer each."""
    found = []
    for group, question in GROUPS.items():
        results = [r for name, r in report.results.items() if MEASURES[name].group == group]
        if results:
            found.append((question, list(map(_row, results))))
    return found


def _row(result: Result) -> Mapping[str, Any]:
    measure = MEASURES[result.name]

    def shown(score: Score | None) -> str:
        return "" if score is None else written(score.value, measure.share)

    low, high = result.score.low, result.score.high
    between = ""
    if low is not None and high is not None:
        between = f"{written(low, measure.share)} to {written(high, measure.share)}"
    return {
        "title": measure.title,
        "meaning": measure.meaning,
        "better": measure.better,
        "value": shown(result.score),
        "between": between,
        "original": shown(result.original),
    }

"""What an augmentation made, and what it did not make and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import numpy as np

from sampling.expression import Part
from sampling.pipeline.deduplication import FATES, Progress
from sampling.pipeline.quotas import Cells

__all__ = ["PartReport", "Report", "report_of"]


@dataclass(frozen=True)
class PartReport:
    """One part of the expression.

    Attributes
    ----------
    method : str
        The chain of methods.
    requested : int
        How many examples were asked of it.
    drawn : mapping
        How many drawn examples met each of :data:`~sampling.pipeline.deduplication.FATES`.
    shortfall : str
        Why there are fewer; empty if there are not.
    """

    method: str
    requested: int
    drawn: dict[str, int]
    shortfall: str

    @property
    def made(self) -> int:
        """How many examples it made."""
        return self.drawn[FATES[0]]


@dataclass(frozen=True, repr=False)
class Report:
    """What was asked for and what was made.

    Attributes
    ----------
    requested, made : int
        Numbers of new examples.
    parts : tuple of PartReport
        By part of the expression.
    cells : mapping
        Requested and made, by class and length; only where either was asked for.
    leaked : int or None
        How many new examples equal a test text; None without a test corpus.
    originals : int
        How many originals stand before them.
    classes : tuple of str
        The names of the classes that distributions are over, in their order; empty if labels are
        no distributions, or classes have only numbers.
    mixed : bool
        Whether classes became distributions.
    skipped : int
        How many rows of the source were left out because they could not be used.
    """

    requested: int
    made: int
    parts: tuple[PartReport, ...]
    cells: dict[str, tuple[int, int]]
    leaked: int | None
    originals: int
    classes: tuple[str, ...] = ()
    mixed: bool = False
    skipped: int = 0

    @property
    def shortfall(self) -> str:
        """Why fewer were made than requested, in one sentence; empty if there were not."""
        if self.made >= self.requested:
            return ""
        why = "; ".join(f"{p.method}: {p.shortfall}" for p in self.parts if p.shortfall)
        return f"{self.made:,} of {self.requested:,} examples were made: {why}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        cells = {
            name: {"requested": asked, "made": made} for name, (asked, made) in self.cells.items()
        }
        parts = [{**asdict(part), "made": part.made} for part in self.parts]
        return {**asdict(self), "parts": parts, "cells": cells}

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"Report({self.made:,} of {self.requested:,} examples)"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def _lines(self) -> Iterator[str]:
        yield f"{self.made:,} of {self.requested:,} new examples"
        for part in self.parts:
            fates = ", ".join(f"{n:,} {fate}" for fate, n in part.drawn.items() if n)
            yield f"  {part.method}: {part.made:,} of {part.requested:,}; drawn: {fates or 'none'}"
            if part.shortfall:
                yield f"    {part.shortfall}"
        for name, (asked, made) in self.cells.items():
            yield f"  {name}: {made:,} of {asked:,}"
        if self.leaked is not None:
            yield f"  {self.leaked:,} equal a test text"
        if self.skipped:
            yield f"  rows of the source left out because they cannot be used: {self.skipped:,}"
        if self.mixed:
            over = ", ".join(self.classes) or "the classes"
            yield f"  labels are mixed: each is a distribution over {over}"
        elif self.classes:
            yield "  classes: " + ", ".join(f"{k} {name}" for k, name in enumerate(self.classes))


def report_of(
    parts: tuple[Part, ...],
    wanted: list[Any],
    progress: list[Progress],
    cells: Cells,
    *,
    tested: bool,
    originals: int,
    classes: tuple[str, ...] = (),
    mixed: bool = False,
    skipped: int = 0,
) -> Report:
    """Sum up what the parts of an augmentation have made."""
    by_part = []
    for part, asked, done in zip(parts, wanted, progress, strict=True):
        drawn = dict(zip(FATES, done.tally.tolist(), strict=True))
        by_part.append(PartReport(str(part), int(asked.sum()), drawn, done.shortfall))
    left = np.sum([done.wanted for done in progress], axis=0)
    made = cells.wanted - left
    by_cell = {}
    if len(cells.names) > 1:
        pairs = zip(cells.wanted.tolist(), made.tolist(), strict=True)
        by_cell = dict(zip(cells.names, pairs, strict=True))
    leaked = sum(done.leaked for done in progress) if tested else None
    return Report(
        cells.total, int(made.sum()), tuple(by_part), by_cell, leaked, originals, classes, mixed,
        skipped,
    )  # fmt: skip

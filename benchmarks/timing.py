"""Times of two ways to do the same work, taken in turn in one process, and their ratio."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def seconds(work: Callable[[], Any]) -> float:
    """Return the processor seconds that a call takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def compare(
    what: str, ours: Callable[[], Any], peer: Callable[[], Any], *, bar: float, runs: int = 5
) -> None:
    """Run both in turn after one warm-up of ours; print medians, their ratio, and the bar."""
    ours()
    pairs = [(seconds(ours), seconds(peer)) for _ in range(runs)]
    mine, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    report(what, theirs / mine, bar, f"{mine * 1e3:.1f} ms against {theirs * 1e3:.1f} ms")


def report(what: str, value: float, bar: float, detail: str, unit: str = "x") -> None:
    """Print one measured value beside its bar."""
    verdict = "met" if value >= bar else "MISSED"
    print(f"{what:<58} {value:>12,.1f} {unit:<4} bar {bar:>9,.0f}  {verdict}   ({detail})")

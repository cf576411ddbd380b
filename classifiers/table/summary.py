"""What the cells of a table say together: means, paired gains with intervals, and mean ranks."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifiers.table.cells import Result
from classifiers.table.files import RARE
from grammar.errors import MissingDataError

__all__ = [
    "Gain",
    "Ranks",
    "Row",
    "markdown",
    "paired_gain",
    "rank_table",
    "ranks",
    "rows_of",
    "to_csv",
]

BASE = "none"
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Gain:
    """A method against none, on the same samples.

    Attributes
    ----------
    mean, spread : float
        Of the differences, in points.
    low, high : float
        The 95 % interval of the mean (Student's t over samples).
    p : float
        How probable so large a difference is by chance (two-sided paired t-test); 1 if all are 0.
    better, worse : int
        On how many samples.
    """

    mean: float
    spread: float
    low: float
    high: float
    p: float
    better: int
    worse: int


@dataclass(frozen=True)
class Row:
    """The samples of one data set, size, part and method.

    Attributes
    ----------
    data, part, method : str
        What was learnt, tested and tried.
    k, ratio : int
        Of the samples.
    scores : mapping of int to float
        The score of each seed, in points.
    gain : Gain, optional
        Against none; only where there are two seeds of both.
    seconds : float
        Processor time of making and learning, in the mean.
    made : float
        New examples, in the mean.
    cannot : int
        How many samples the method could make nothing of.
    """

    data: str
    k: int
    ratio: int
    part: str
    method: str
    scores: Mapping[int, float]
    gain: Gain | None
    seconds: float
    made: float
    cannot: int = 0

    @property
    def mean(self) -> float:
        """The mean of the scores."""
        return float(np.mean(list(self.scores.values()))) if self.scores else float("nan")

    @property
    def spread(self) -> float:
        """Their standard deviation."""
        return float(np.std(list(self.scores.values()), ddof=1)) if len(self.scores) > 1 else 0.0


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of methods over data sets; 1 is the best.

    Attributes
    ----------
    mean : mapping of str to float
        The mean rank of each method.
    distance : float
        The critical difference: mean ranks that are nearer are not told apart (Nemenyi, 5 %).
    p : float
        How probable such ranks are if all methods are alike (Friedman).
    blocks : int
        Over how many data sets and sizes.
    """

    mean: Mapping[str, float]
    distance: float
    p: float
    blocks: int


def paired_gain(with_it: Sequence[float], without: Sequence[float]) -> Gain:
    """Compare scores on the same samples.

    Examples
    --------
    >>> gain = paired_gain([3.0, 5.0, 4.0], [2.0, 3.0, 1.0])  # differences 1, 2, 3
    >>> gain.mean, gain.spread, round(gain.p, 4), (gain.better, gain.worse)
    (2.0, 1.0, 0.0742, (3, 0))
    >>> round(gain.low, 3), round(gain.high, 3)  # 2 -+ 4.303 / sqrt(3)
    (-0.484, 4.484)
    """
    from scipy.stats import t, ttest_rel

    gains = np.subtract(with_it, without)
    mean, spread, count = float(gains.mean()), float(gains.std(ddof=1)), len(gains)
    half = float(t.ppf(0.975, count - 1) * spread / np.sqrt(count))
    if spread < 1e-12:
        p = 1.0 if abs(mean) < 1e-12 else 0.0
    else:
        p = float(ttest_rel(with_it, without).pvalue)
    better, worse = int((gains > 1e-9).sum()), int((gains < -1e-9).sum())
    return Gain(mean, spread, mean - half, mean + half, p, better, worse)


def rows_of(results: Iterable[Result]) -> list[Row]:
    """Return a row for each data set, size, part and method, in the order of the results.

    The score is the first of a result (accuracy), or macro F1 where some classes are rare.
    """
    grouped: dict[tuple[str, int, int, str], list[Result]] = {}
    parts: dict[str, tuple[str, ...]] = {}
    for one in results:
        cell = one.cell
        grouped.setdefault((cell.data, cell.k, cell.ratio, cell.method), []).append(one)
        if one.scores:
            parts[cell.data] = tuple(one.scores)
    return [
        _row(key, part, mine, grouped.get((*key[:3], BASE), []))
        for key, mine in grouped.items()
        for part in parts.get(key[0], ())
    ]


def _row(
    key: tuple[str, int, int, str], part: str, mine: Sequence[Result], base: Sequence[Result]
) -> Row:
    data, k, ratio, method = key
    scores, without = _scores(mine, part), _scores(base, part)
    both = sorted(scores.keys() & without.keys())
    gain = None
    if method != BASE and len(both) > 1:
        gain = paired_gain([scores[seed] for seed in both], [without[seed] for seed in both])
    return Row(
        data, k, ratio, part, method, scores, gain,
        float(np.mean([one.seconds for one in mine])), float(np.mean([one.made for one in mine])),
        sum(not one.scores for one in mine),
    )  # fmt: skip


def _scores(results: Iterable[Result], part: str) -> dict[int, float]:
    return {one.cell.seed: _points(one, part) for one in results if part in one.scores}


def _points(result: Result, part: str) -> float:
    """Return the score that counts: macro F1 where classes are rare, else the one named first."""
    scores = result.scores[part]
    return scores[RARE] if result.cell.ratio > 1 else next(iter(scores.values()))


def ranks(rows: Iterable[Row]) -> Ranks:
    """Rank methods on each data set and size by their mean scores, and average the ranks.

    Of a data set with several parts the first counts. Methods that lack a score somewhere are left
    out.

    Raises
    ------
    MissingDataError
        If fewer than two methods, or two data sets and sizes, are complete.

    References
    ----------
    Demšar 2006, Statistical comparisons of classifiers over multiple data sets, section 3.2.2.
    """
    blocks: dict[tuple[str, int, int], dict[str, float]] = {}
    first: dict[str, str] = {}
    names: dict[str, None] = {}
    for row in rows:
        names.setdefault(row.method)
        if first.setdefault(row.data, row.part) == row.part:
            mine = blocks.setdefault((row.data, row.k, row.ratio), {})
            if row.scores and not row.cannot:
                mine[row.method] = row.mean
    complete = [name for name in names if all(name in block for block in blocks.values())]
    if len(complete) < 2 or len(blocks) < 2:
        raise MissingDataError(
            "there are too few results to rank: it takes two methods on two data sets or sizes",
            hint="run more cells",
        )
    table = np.array([[block[name] for name in complete] for block in blocks.values()])
    return rank_table(complete, table)


def rank_table(names: Sequence[str], table: Scores) -> Ranks:
    """Return mean ranks of a table with a row for each data set and a column for each method."""
    from scipy.stats import chi2, rankdata, studentized_range

    blocks, count = table.shape
    # scores that differ by less than rounding are ties
    each = rankdata(-np.round(table, 6), axis=1)
    mean = each.mean(0)
    statistic = 12 * blocks / (count * (count + 1)) * (
        (mean**2).sum() - count * (count + 1) ** 2 / 4
    )  # fmt: skip
    apart = float(studentized_range.ppf(0.95, count, np.inf)) / np.sqrt(2)
    distance = float(apart * np.sqrt(count * (count + 1) / (6 * blocks)))
    pairs = dict(zip(names, mean.tolist(), strict=True))
    return Ranks(pairs, distance, float(chi2.sf(statistic, count - 1)), blocks)


def markdown(rows: Sequence[Row], told: Callable[[int, int], str] | None = None) -> str:
    """Return a table for each size: a row for each method, a column for each data set and part.

    A cell is the mean and the standard deviation, and in parentheses the gain over none with half
    of its 95 % interval. A star says that the interval does not hold 0. The title of a table is
    what ``told`` says of a size and ratio, by default that of classifiers.
    """
    tables = []
    for k, ratio in dict.fromkeys((row.k, row.ratio) for row in rows):
        mine = [row for row in rows if (row.k, row.ratio) == (k, ratio)]
        title = _title((told or _of_classes)(k, ratio), mine)
        tables.append(title + "\n\n" + _table(mine))
    return "\n\n".join(tables)


def _of_classes(k: int, ratio: int) -> str:
    if ratio > 1:
        return f"{k} examples of half of the classes, {k * ratio} of the others, macro F1"
    return f"{k} examples of each class, accuracy"


def _title(told: str, rows: Sequence[Row]) -> str:
    seeds = sorted({len(row.scores) + row.cannot for row in rows})
    over = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    return f"**{told}** ({over} seeds)"


def _table(rows: Sequence[Row]) -> str:
    columns = list(dict.fromkeys((row.data, row.part) for row in rows))
    many = {data: sum(d == data for d, _ in columns) for data, _ in columns}
    names = [data if many[data] == 1 else f"{data}, {part}" for data, part in columns]
    found = {(row.method, row.data, row.part): row for row in rows}
    lines = ["| method | " + " | ".join(names) + " | seconds |", "| --- " * (len(names) + 2) + "|"]
    for method in dict.fromkeys(row.method for row in rows):
        mine = [found.get((method, *column)) for column in columns]
        there = [row.seconds for row in mine if row is not None]
        cells = " | ".join("" if row is None else shown(row) for row in mine)
        name = method.replace("|", "\\|")
        lines.append(f"| {name} | {cells} | {np.mean(there):.1f} |")
    return "\n".join(lines)


def shown(row: Row) -> str:
    """Return a row as the cell of a table."""
    if not row.scores:
        return "–"
    text = f"{row.mean:.1f} ± {row.spread:.1f}"
    if row.gain is not None:
        sure = "*" if row.gain.low > 0 or row.gain.high < 0 else ""
        text += f" ({row.gain.mean:+.1f} ± {row.gain.high - row.gain.mean:.1f}{sure})"
    return text + (f", {row.cannot} could not" if row.cannot else "")


def to_csv(rows: Iterable[Row]) -> str:
    """Return a header, and a line for each seed of each row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["data", "part", "k", "ratio", "method", "seed", "score"])
    for row in rows:
        for seed, value in sorted(row.scores.items()):
            writer.writerow([row.data, row.part, row.k, row.ratio, row.method, seed, value])
    return out.getvalue()

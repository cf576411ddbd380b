"""Results as small files: one a cell, run again if what decides it changed."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grammar.errors import SchemaError
from grammar.files import PathLike, made_folder, write_text
from grammar.saving.value_checks import ANY, Whole, read_declared

__all__ = ["RARE", "Cell", "Result", "Wanted", "read_done", "read_result", "run_missing"]


_CELL = {"data": str, "k": Whole(), "ratio": Whole(), "method": str, "seed": Whole()}
_DECLARED = {
    "cell": _CELL, "settings": str, "scores": {ANY: {ANY: float}}, "made": Whole(),
    "seconds": float, "facts": {ANY: object},
}  # fmt: skip
"""What a file must hold."""
RARE = "macro F1"
"""The score that counts where some classes are rare."""


@dataclass(frozen=True)
class Cell:
    """One training: on a sample of a data set, with a method."""

    data: str
    k: int
    ratio: int
    method: str
    seed: int

    @property
    def path(self) -> Path:
        """Where its file is, in the folder of results."""
        rare = f"-1to{self.ratio}" if self.ratio > 1 else ""
        name = re.sub(r"[^\w.-]+", "_", self.method).strip("_")
        return Path(f"{self.data}-{self.k}{rare}") / f"{name}-{self.seed}.json"


@dataclass(frozen=True)
class Result:
    """What a cell found.

    Attributes
    ----------
    cell : Cell
        Which it is.
    settings : str
        A hash of all that decides it.
    scores : mapping
        Of each part that is tested, in points, by name. Empty if the method could make nothing.
    made : int
        New examples.
    seconds : float
        Of one processor: to make examples, and to learn.
    facts : mapping
        What else the method said.
    """

    cell: Cell
    settings: str
    scores: Mapping[str, Mapping[str, float]]
    made: int
    seconds: float
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Wanted:
    """A cell of a table.

    Attributes
    ----------
    cell : Cell
        Which it is.
    digest : str
        A hash of all that decides it.
    run : callable
        Finds its result.
    """

    cell: Cell
    digest: str
    run: Callable[[], Result]


def run_missing(
    wanted: Sequence[Wanted],
    folder: PathLike,
    *,
    budget: float | None = None,
    on_cell: Callable[[Result, int, int], None] | None = None,
) -> int:
    """Run the cells that are not done, and return how many are left for want of time.

    Parameters
    ----------
    wanted : sequence of Wanted
        All cells, in the order in which they are run.
    folder : path
        Where results are.
    budget : float, optional
        Seconds. A cell is not begun if it would end after them, were it as slow as the slowest of
        its data set and method before it.
    on_cell : callable, optional
        Told each result, how many are done, and of how many.

    Raises
    ------
    OutputError
        If a file cannot be written.
    SchemaError
        If a file is no result of this version.
    """
    begin, slowest = time.monotonic(), dict[tuple[str, str], float]()
    missing = [each for each in wanted if not _is_done(each, folder)]
    left = 0
    for number, each in enumerate(missing, len(wanted) - len(missing) + 1):
        key = each.cell.data, each.cell.method
        now = time.monotonic()
        if budget is not None and now - begin + slowest.get(key, 0.0) > budget:
            left += 1
            continue
        result = each.run()
        _write(result, folder)
        slowest[key] = max(slowest.get(key, 0.0), time.monotonic() - now)
        if on_cell is not None:
            on_cell(result, number, len(wanted))
    return left


def read_done(wanted: Sequence[Wanted], folder: PathLike, *, strict: bool = True) -> list[Result]:
    """Read the cells that are done; without ``strict`` those of other settings too.

    Raises
    ------
    SchemaError
        If a file is no result of this version.
    """
    found = []
    for each in wanted:
        result = read_result(each.cell, folder)
        if result and not (strict and result.settings != each.digest):
            found.append(result)
    return found


def read_result(cell: Cell, folder: PathLike) -> Result | None:
    """Read a cell; None if it was not run (raises SchemaError if its file is damaged)."""
    path = Path(folder) / cell.path
    if not path.exists():
        return None
    hint = "delete it, and run it again"
    held = read_declared(path, _DECLARED, what="a result file", hint=hint)
    if held["cell"] != asdict(cell):
        raise SchemaError("the result is of another cell", where=str(path), hint=hint)
    counted = {RARE} if cell.ratio > 1 else set()
    if not all(scores and counted <= set(scores) for scores in held["scores"].values()):
        raise SchemaError("a part has no score", where=str(path), hint=hint)
    return Result(cell, **{name: held[name] for name in _DECLARED if name != "cell"})


def _is_done(each: Wanted, folder: PathLike) -> bool:
    result = read_result(each.cell, folder)
    return result is not None and result.settings == each.digest


def _write(result: Result, folder: PathLike) -> None:
    path = Path(folder) / result.cell.path
    made_folder(path.parent)
    write_text(path, json.dumps(asdict(result), indent=1, default=dict) + "\n", renewed=True)

"""Tables of runs: which cells there are, their result files, and what they say together.

Each finished cell (a split, a method, a model, a seed) is one small JSON file with its command,
config and history, so that runs can be spread over days and machines, and the table is built
from what is there.
"""

from __future__ import annotations

import csv
import io
import json
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grammar.files import PathLike, write_text
from grammar.saving.value_checks import Whole, read_declared
from scan.augmenters import find_augmenter
from scan.experiment import Outcome, run
from scan.models.config import TrainingConfig
from scan.splits import check_split

if TYPE_CHECKING:
    from scan.models.training import Progress

__all__ = [
    "HEADER",
    "Cell",
    "Row",
    "cells",
    "config_of",
    "load_results",
    "markdown_table",
    "result_path",
    "rows",
    "run_cell",
    "to_csv",
]

UPDATES = 4000
_OUTCOME = {
    "split": str, "method": str, "seed": Whole(), "train_pairs": Whole(),
    "synthetic_pairs": Whole(), "test_pairs": Whole(), "agreeing": float,
    "sampled_tests": Whole(), "steps": Whole(), "train_exact": float, "test_exact": float,
    "unsampled_exact": (float, None), "seconds": float,
}  # fmt: skip
"""What a result file must say of an outcome."""
HEADER = (
    "split", "method", "model", "seeds", "new pairs", "verified", "tests made", "train exact",
    "test exact", "test exact, not sampled", "minutes",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One training run.

    >>> Cell("jump", "geca", 0).model
    'lstm'
    """

    split: str
    method: str
    seed: int
    model: str = "lstm"

    @property
    def name(self) -> str:
        """The name of its result file, without suffix."""
        return f"{self.split}-{self.method}-{self.model}-seed{self.seed}"


@dataclass(frozen=True)
class Row:
    """What the seeds of one split, method and model found together."""

    split: str
    method: str
    model: str
    outcomes: tuple[Outcome, ...]

    def texts(self) -> tuple[str, ...]:
        """Return what stands under :data:`HEADER`: means, and standard deviations of exact match.

        *tests made* is the share of test commands that are among the synthetic ones.
        """
        each = self.outcomes
        made = any(outcome.synthetic_pairs for outcome in each)
        name = f"{self.method} (oracle)" if find_augmenter(self.method).oracle else self.method
        return (
            self.split,
            name,
            self.model,
            str(len(each)),
            f"{statistics.mean(o.synthetic_pairs for o in each):,.0f}",
            f"{statistics.mean(o.agreeing for o in each):.1%}" if made else "-",
            f"{statistics.mean(o.sampled_tests / o.test_pairs for o in each):.1%}" if made else "-",
            _percent([o.train_exact for o in each]),
            _percent([o.test_exact for o in each]),
            _percent([o.unsampled_exact for o in each if o.unsampled_exact is not None]),
            f"{statistics.mean(o.seconds for o in each) / 60:.1f}",
        )

    def facts(self) -> list[dict[str, Any]]:
        """Return the model and all attributes of the outcome of each run."""
        return [{"model": self.model, **asdict(outcome)} for outcome in self.outcomes]


def cells(
    splits: Sequence[str], methods: Sequence[str], seeds: int, models: Sequence[str] = ("lstm",)
) -> list[Cell]:
    """Return all cells of a table: the first seed of every cell comes before the second of any.

    Raises
    ------
    OptionError
        If there is no such split, method or model.

    Examples
    --------
    >>> [cell.name for cell in cells(["jump"], ["none", "geca"], 1)]
    ['jump-none-lstm-seed0', 'jump-geca-lstm-seed0']
    """
    for method in methods:
        find_augmenter(method)
    for split in splits:
        check_split(split)
    for model in models:
        TrainingConfig.of(model)
    return [
        Cell(split, method, seed, model)
        for seed in range(seeds)
        for model in models
        for method in methods
        for split in splits
    ]


def config_of(cell: Cell) -> TrainingConfig:
    """Return the config of a cell: one for all, but for the model, the seed, and what the method
    itself changes (SeqMix mixes; the released program of GECA has a config of its own).

    It was chosen by exact match on training pairs alone. Training stops when all training pairs
    (made ones included) are right, or after 4,000 steps; where fewer than 99.9 % of them are
    right by then, after 4,000 more.

    >>> from scan import Cell
    >>> config_of(Cell("jump", "seqmix", 0)).mix > 0
    True
    """
    common = {"steps": UPDATES, "augmented_share": 0.5, "stop_at": 1.0, "again_below": 0.999}
    own = find_augmenter(cell.method).config
    return TrainingConfig.of(cell.model, seed=cell.seed, **{**common, **own})


def result_path(cell: Cell, folder: PathLike) -> Path:
    """Return where the result of a cell is kept."""
    return Path(folder) / f"{cell.name}.json"


def run_cell(
    cell: Cell,
    folder: PathLike,
    *,
    command: str,
    steps: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Run a cell and write its result file; ``steps`` instead of 4,000 is for trying out."""
    config = config_of(cell)
    if steps is not None:
        config = replace(config, steps=steps)
    outcome, trained = run(cell.split, cell.method, config=config, on_progress=on_progress)
    document = {
        "command": command,
        "outcome": asdict(outcome),
        "config": asdict(config),
        "history": [check._asdict() for check in trained.history],
    }
    write_text(result_path(cell, folder), json.dumps(document, indent=1) + "\n")
    return outcome


def load_results(folder: PathLike, model: str = "lstm") -> list[Outcome]:
    """Read the outcomes of all result files of a folder with this model, by name.

    Raises
    ------
    SchemaError
        If a file is no result of this version.
    """
    found = []
    for path in sorted(Path(folder).glob(f"*-{model}-seed*.json")):
        hint = "delete it, and run it again"
        held = read_declared(path, {"outcome": _OUTCOME}, what="a result file", hint=hint)
        found.append(Outcome(**{name: held["outcome"][name] for name in _OUTCOME}))
    return found


def rows(
    results: Mapping[str, Iterable[Outcome]], splits: Sequence[str], methods: Sequence[str]
) -> list[Row]:
    """Group the outcomes of each model by split and method.

    Rows come in the order of splits, methods and models; what is not there is left out.
    """
    grouped: dict[tuple[str, str, str], list[Outcome]] = {}
    for model, outcomes in results.items():
        for outcome in sorted(outcomes, key=lambda o: o.seed):
            grouped.setdefault((outcome.split, outcome.method, model), []).append(outcome)
    return [
        Row(*cell, tuple(grouped[cell]))
        for cell in product(splits, methods, results)
        if cell in grouped
    ]


def to_csv(table: Iterable[Row]) -> str:
    """Return a header, and a line for each run: its model, and all attributes of its outcome."""
    out = io.StringIO()
    names = ["model", *(field.name for field in fields(Outcome))]
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(line for row in table for line in row.facts())
    return out.getvalue()


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table.

    >>> print(markdown_table(("a", "b"), [(1, "x|y")]))
    | a | b |
    | --- | --- |
    | 1 | x\\|y |
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def _percent(shares: Sequence[float]) -> str:
    if not shares:
        return "-"
    spread = f" ± {100 * statistics.stdev(shares):.2f}" if len(shares) > 1 else ""
    return f"{100 * statistics.mean(shares):.2f}{spread}"

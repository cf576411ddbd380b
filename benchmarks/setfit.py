"""SetFit beside the choice: the same samples, tests and encoder as ``benchmarks.worth``.

The library ``setfit`` with its defaults: one epoch of contrastive pairs of the labelled examples
(oversampling), then logistic regression on the vectors of the trained encoder. *Both* is a head on
the vectors of that encoder, trained on the labelled examples and on those of the names by hand,
where the choice took them; without them it is SetFit. Seconds are those of a processor core, of the
choice with nothing encoded before. It is installed in an environment of its own. A file for every
cell; cells that are there are not made again.

    python -m benchmarks.setfit run [-k 5 10] [--seeds 3] [--data sst2 trec ag_news subj]
    python -m benchmarks.setfit table
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.found_names import TESTED, tested_part
from benchmarks.worth import ENCODER, FOLDERS, parser, run
from classifiers import read_config, read_examples, trainer
from classifiers.encoders.cache import VARIABLE
from classifiers.examples import Examples
from classifiers.selection import auto
from classifiers.table.data import FewShot, corpus_of
from classifiers.training.frozen import fit_linear
from sampling.neural.packaged import packaged

FOLDER = Path("docs/results/classifiers/setfit")
BESIDE = FOLDERS[ENCODER]
DATA = ("sst2", "trec", "ag_news", "subj")
FROZEN = read_config(encoder=ENCODER, train="frozen", device="cpu")
ROWS = {"by hand": "by hand", "accuracy": "SetFit", "both": "both"}


def main() -> None:
    asked = parser(__doc__, seeds=3, data=DATA).parse_args()
    if asked.do == "run":
        run(asked, FOLDER, cell)
    print(table())


def cell(data: FewShot, k: int, seed: int) -> dict[str, float]:
    """Return accuracies, and the seconds of a processor core that training and choice take."""
    few = data.sample(k, seed)
    given = read_examples(few)
    tested = read_examples(corpus_of(tested_part(data, TESTED)), classes=given.classes)
    texts = [str(text) for text in tested.texts]
    (choice, ours), ours_took = timed(lambda: chosen(data, few, seed))
    model, took = timed(lambda: trained(given, seed))
    held = {"accuracy": right(model.predict(texts, as_numpy=True), tested), "seconds": took,
            "choice seconds": ours_took}  # fmt: skip
    if choice.chosen is None:
        return held | {"both": held["accuracy"]}
    vectors = model.encode([str(text) for text in ours.texts])
    head = fit_linear(vectors, ours, FROZEN)
    return held | {"both": right(head.predict(model.encode(texts)), tested)}


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    done = work()
    return done, round(time.process_time() - began, 1)


def right(told: Any, tested: Examples) -> float:
    return float((told == tested.hard).mean())


def chosen(data: FewShot, few: Any, seed: int) -> tuple[Any, Examples]:
    """Return the choice with names by hand, and what is trained on; nothing is encoded before."""
    with tempfile.TemporaryDirectory() as place:
        os.environ[VARIABLE] = place
        choice = auto(few, trainer(FROZEN), names=data.names, methods=[], budget=None, seed=seed)
        return choice, choice.examples(few, seed=seed)


def trained(given: Examples, seed: int) -> Any:
    """Return what SetFit trains with its defaults."""
    from datasets import Dataset
    from setfit import SetFitModel, Trainer, TrainingArguments

    rows = {"text": [str(text) for text in given.texts], "label": given.hard.tolist()}
    with tempfile.TemporaryDirectory() as place:
        Trainer(
            model := SetFitModel.from_pretrained(str(packaged(ENCODER)), device="cpu"),
            TrainingArguments(output_dir=place, seed=seed, save_strategy="no", report_to="none"),
            train_dataset=Dataset.from_dict(rows),
        ).train()
    return model


def table() -> str:
    """Return gains over the fitted baseline on the samples that both have, in points."""
    lines = [f"| data | k | seeds | none | {' | '.join(ROWS.values())} | SetFit, s | choice, s |"]
    lines.append("|" + " --- |" * (6 + len(ROWS)))
    cells = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    means: dict[int, list[list[float]]] = {}
    for k, data in sorted({(one["k"], one["data"]) for one in cells}):
        each = [one for one in cells if (one["data"], one["k"]) == (data, k)]
        beside = [
            json.loads((BESIDE / f"{data}-{k}-{one['seed']}.json").read_text()) for one in each
        ]
        whole = [other | one for one, other in zip(each, beside, strict=True)]
        none = mean(one["none"] for one in whole)
        gains = [100 * (mean(one[name] for one in whole) - none) for name in ROWS]
        costs = [mean(one[name] for one in whole) for name in ("seconds", "choice seconds")]
        means.setdefault(k, []).append([*gains, *costs])
        lines.append(f"| {data} | {k} | {len(each)} | {100 * none:.1f} | {_shown(means[k][-1])} |")
    for k, found in means.items():
        shown = _shown([mean(column) for column in zip(*found, strict=True)])
        lines.append(f"| mean | {k} | | | {shown} |")
    return "\n".join(lines)


def _shown(figures: list[float]) -> str:
    gains, costs = figures[: len(ROWS)], figures[len(ROWS) :]
    return " | ".join([f"{gain:+.1f}" for gain in gains] + [f"{cost:.0f}" for cost in costs])


if __name__ == "__main__":
    main()

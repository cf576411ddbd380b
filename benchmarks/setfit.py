"""SetFit beside the choice: the same samples, tests and encoder as ``benchmarks.worth``.

The library ``setfit`` with its defaults: one epoch of contrastive pairs of the labelled examples
(oversampling), then logistic regression on the vectors of the trained encoder. It is installed in
an environment of its own. A file for every cell; cells that are there are not made again.

    python -m benchmarks.setfit run [-k 5 10] [--seeds 3] [--data sst2 trec ag_news subj]
    python -m benchmarks.setfit table
"""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.found_names import TESTED, tested_part
from benchmarks.worth import ENCODER, FOLDERS, parser, run
from classifiers import read_examples
from classifiers.examples import Examples
from classifiers.table.data import FewShot, corpus_of
from sampling.neural.packaged import packaged

FOLDER = Path("docs/results/classifiers/setfit")
BESIDE = FOLDERS[ENCODER]


def main() -> None:
    asked = parser(__doc__, seeds=3).parse_args()
    if asked.do == "run":
        run(asked, FOLDER, cell)
    print(table())


def cell(data: FewShot, k: int, seed: int) -> dict[str, float]:
    """Return accuracy, and the seconds of a processor that training takes."""
    given = read_examples(data.sample(k, seed))
    tested = read_examples(corpus_of(tested_part(data, TESTED)), classes=given.classes)
    began = time.process_time()
    model = trained(given, seed)
    taken = time.process_time() - began
    told = model.predict([str(text) for text in tested.texts], as_numpy=True)
    return {"accuracy": float((told == tested.hard).mean()), "seconds": round(taken, 1)}


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
    lines = ["| data | k | seeds | none | by hand | SetFit | seconds |", "|" + " --- |" * 7]
    cells = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    for k, data in sorted({(one["k"], one["data"]) for one in cells}):
        each = [one for one in cells if (one["data"], one["k"]) == (data, k)]
        beside = [
            json.loads((BESIDE / f"{data}-{k}-{one['seed']}.json").read_text()) for one in each
        ]
        none = 100 * mean(one["none"] for one in beside)
        gains = [
            100 * mean(one["by hand"] for one in beside) - none,
            100 * mean(one["accuracy"] for one in each) - none,
        ]
        shown = " | ".join(f"{gain:+.1f}" for gain in gains)
        cost = mean(one["seconds"] for one in each)
        lines.append(f"| {data} | {k} | {len(each)} | {none:.1f} | {shown} | {cost:.0f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

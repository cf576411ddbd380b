"""ATIS and restaurants: a grammar induced from questions, a model, and the model with its pairs.

``python -m benchmarks.atis [CELL...] [--data NAME] [--folds N...]`` runs the cells that are not yet
under docs/results, one small file a fold, and prints the table of all that are. ``grammar`` induces
with the default settings and answers the questions of the fold; ``uncompared`` does so without
comparison of pairs and search for faults, which is faster. ``none`` trains a model; ``synchronous``
trains it with pairs of the grammar of ``uncompared``, and for restaurants with those of
``grammar``. Grammars are kept under build.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grammar.files import write_text
from grammar.synchronous.grammar import SynchronousGrammar
from induction.corpus.corpus import Corpus
from sampling.sentences.pairs import sample_pairs
from scan.atis.data import FOLDS, atis, fold
from scan.atis.experiment import atis_score, induce_atis, read_answer, training_pairs
from scan.atis.restaurants import restaurants
from scan.models.config import TrainingConfig
from scan.table import markdown_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
GRAMMARS = ROOT / "build"
INDUCTIONS: dict[str, dict[str, Any]] = {
    "grammar": {},
    "uncompared": {"compare": False, "tolerance": 0.0},
}
"""Options of the cells without a model."""
CELLS = (*INDUCTIONS, "none", "synchronous")
RECIPE = TrainingConfig(
    hidden=128, dropout=0.3, batch=16, peak_rate=4e-3, augmented_share=0.5, copy=True
)
"""That of GeoQuery."""


@dataclass(frozen=True)
class Data:
    """Questions, how long a model learns from them, and whose pairs it gets."""

    name: str
    read: Callable[[], Corpus]
    steps: int
    sampled: str


DATA = {
    data.name: data
    for data in (
        Data("atis", atis, 6000, "uncompared"),
        Data("restaurants", restaurants, 2000, "grammar"),
    )
}
MADE = 3_000
DRAWS = 30_000
DEPTH = (1, 7)


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.atis")
    arguments.add_argument("cells", nargs="*", metavar="CELL", help=f"from {', '.join(CELLS)}")
    arguments.add_argument("--data", choices=DATA, default="atis")
    arguments.add_argument("--folds", nargs="*", type=int, default=range(FOLDS))
    given = arguments.parse_args()
    if unknown := set(given.cells) - set(CELLS):
        arguments.error(f"no cell {min(unknown)!r}: choose from {', '.join(CELLS)}")
    data = DATA[given.data]
    for folder in (RESULTS, GRAMMARS):
        (folder / data.name).mkdir(parents=True, exist_ok=True)
    for number in given.folds:
        for cell in given.cells or CELLS:
            path = RESULTS / data.name / f"{cell}-fold{number}.json"
            if not path.exists():
                write_text(path, json.dumps(run(data, cell, number), indent=1) + "\n")
                print("finished", path.name, flush=True)
    files = sorted((RESULTS / data.name).glob("*.json"))
    print(table([json.loads(path.read_text()) for path in files]))


def run(data: Data, cell: str, number: int) -> dict[str, Any]:
    """Induce or train on a fold, and answer its questions."""
    train, asked = fold(data.read(), number)
    began = time.process_time()
    facts, said = (by_grammar if cell in INDUCTIONS else by_model)(data, cell, number)
    option = "" if data.name == "atis" else f" --data {data.name}"
    return {
        "name": cell,
        "fold": number,
        "command": f"python -m benchmarks.atis {cell}{option} --folds {number}",
        "training_questions": len(train),
        **facts,
        **atis_score(said, asked),
        "processor_seconds": round(time.process_time() - began),
    }


def by_grammar(data: Data, cell: str, number: int) -> tuple[dict[str, Any], list[str | None]]:
    train, asked = fold(data.read(), number)
    began = time.process_time()
    made = induce_atis(train, on_progress=told, **INDUCTIONS[cell])
    made.found.core.save(grammar_file(data, cell, number))
    facts = {
        "distinct_pairs": made.found.explained.pairs,
        "by_rote": made.found.explained.rote,
        "rules": len(made.found.rules),
        "types": made.found.types,
        "induction_seconds": round(time.process_time() - began),
    }
    return facts, made.answers(asked.column("text"))


def told(text: str) -> None:
    print(text.split("\n")[0][:100], flush=True)


def grammar_file(data: Data, cell: str, number: int) -> Path:
    return GRAMMARS / data.name / f"{cell}-fold{number}.json"


def by_model(data: Data, cell: str, number: int) -> tuple[dict[str, Any], list[str | None]]:
    """Train on questions and flat forms with marks for names, and with pairs of the grammar."""
    from scan.models.training import train as fit

    train, asked = fold(data.read(), number)
    pairs, names = training_pairs(train)
    made: list[tuple[str, str]] = []
    if cell == "synchronous":
        file = grammar_file(data, data.sampled, number)
        if not file.exists():
            by_grammar(data, data.sampled, number)
        made = sampled(SynchronousGrammar.load(file), pairs, number)
    steps = data.steps
    config = replace(RECIPE, seed=number, steps=steps, check_every=steps)
    trained = fit(pairs, augmented=made, config=config)
    hidden = [names.hide(text) for text in asked.column("text")]
    written = trained.decode([pair.text for pair in hidden], length_limit=100)
    said = [
        read_answer(" ".join(pair.names.get(word, word) for word in found.target.split()))
        for pair, found in zip(hidden, written, strict=True)
    ]
    return {"synthetic_pairs": len(made), "steps": steps}, said


def sampled(
    grammar: SynchronousGrammar, pairs: Sequence[tuple[str, str]], seed: int
) -> list[tuple[str, str]]:
    """Return pairs of a grammar whose targets are forms, each question once, none of training's."""
    draws = sample_pairs(grammar, DRAWS, seed=seed, depth=DEPTH)
    known = {text for text, _ in pairs}
    made: dict[str, str] = {}
    for text, target in zip(draws.column("text"), draws.column("target"), strict=True):
        if text not in known and read_answer(target) is not None:
            made.setdefault(text, target)
    return list(made.items())[:MADE]


def table(documents: Iterable[dict[str, Any]]) -> str:
    """Return the sums over the finished folds of each cell."""
    rows = []
    found = list(documents)
    for cell in CELLS:
        folds = [document for document in found if document["name"] == cell]
        if not folds:
            continue
        right, wrong, silent = (
            sum(d[name] for d in folds) for name in ("right", "wrong", "silent")
        )
        asked = right + wrong + silent
        seconds = [document["processor_seconds"] for document in folds]
        rows.append(
            (
                cell,
                str(len(folds)),
                f"{asked:,}",
                f"{100 * right / asked:.1f}",
                f"{100 * (right + wrong) / asked:.1f}",
                f"{min(seconds)}-{max(seconds)}",
            )
        )
    return markdown_table(
        ("cell", "folds", "questions", "right, %", "answered, %", "seconds a fold"), rows
    )


if __name__ == "__main__":
    main()

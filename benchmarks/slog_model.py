"""SLOG by the model of COGS, with and without pairs from the induced grammar.

``python -m benchmarks.slog_model [CELL...] [--seed N]`` runs the cells that are not yet under
docs/results/slog/model, and prints the table of all that are. Seven structures are taken out of
the training pairs, all at once, and asked; ``grammar`` is the best parse of the grammar of what is
left, ``none`` and ``synchronous`` are the model, without and with pairs of that grammar. ``all`` is
the model with pairs of the grammar of all training pairs, asked for the development part. With
``--file``, a file of lines ``sentence TAB logical form TAB kind`` is answered by the model of the
cell ``all``, and its shares are printed by kind. Training that was interrupted goes on from its
checkpoint under build/slog.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cogs import Clock, config_of
from benchmarks.slog import table
from grammar.files import write_text
from induction.corpus.corpus import Corpus
from induction.terms.induce import induce_from_terms
from induction.terms.terms import Term
from scan.cogs.augmentation import Amounts
from scan.cogs.experiment import grammar_answers
from scan.cogs.training import model_answers, train_on_terms
from scan.models.files import TrainedModel
from scan.slog.data import read_slog, slog
from scan.slog.experiment import Answers, hold_out, slog_answers, slog_pairs, whole
from scan.table import markdown_table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results" / "slog" / "model"
MODELS = ROOT / "build" / "slog"
HELD = (
    "centre embedding",
    "noun phrases in noun phrases, 3 or more",
    "clauses in clauses, 2 or more",
    "relative clauses without agent",
    "relative clauses without recipient",
    "relative clauses beside a recipient",
    "relative clauses below that",
)
"""Structures that the grammar answers when each is taken out alone."""
CELLS = ("grammar", "none", "synchronous", "all")
AMOUNTS = Amounts(power=0.5)


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.slog_model")
    arguments.add_argument("cells", nargs="*", metavar="CELL", help=f"from {', '.join(CELLS)}")
    arguments.add_argument("--seed", type=int, default=0)
    arguments.add_argument("--file", help="answer this file by the model of the cell 'all'")
    given = arguments.parse_args()
    if unknown := set(given.cells) - set(CELLS):
        arguments.error(f"no cell {min(unknown)!r}: choose from {', '.join(CELLS)}")
    if given.file:
        asked = read_slog(given.file)
        model = TrainedModel.load(MODELS / f"all-seed{given.seed}.safetensors")
        found = slog_answers(model_answers(model, asked.column("text")), asked)
        print(table({kind: {"answers": asdict(answers)} for kind, answers in found.items()}))
        return
    for folder in (RESULTS, MODELS):
        folder.mkdir(parents=True, exist_ok=True)
    for cell in given.cells or CELLS:
        name = cell if cell == "grammar" else f"{cell}-seed{given.seed}"
        path = RESULTS / f"{name}.json"
        if not path.exists():
            command = f"python -m benchmarks.slog_model {cell} --seed {given.seed}"
            document = {"name": name, "command": command}
            write_text(path, json.dumps(document | run(cell, given.seed), indent=1) + "\n")
            print("finished", path.name, flush=True)
    print(compared([json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))]))


def run(cell: str, seed: int) -> dict[str, Any]:
    """Induce, draw, train and ask one cell."""
    train, asked = hold_out(slog("train"), *(() if cell == "all" else HELD))
    induced = induce_from_terms(slog_pairs(train))
    facts = {"training_pairs": len(train), **induced.to_dict()}
    if cell == "grammar":
        return facts | answers_of(partial(grammar_answers, induced.grammar), asked)
    name = f"{cell}-seed{seed}"
    clock = Clock(MODELS / f"{name}.seconds")
    pairs = [(s, str(induced.references.write(Term.parse(t)))) for s, t in slog_pairs(train)]
    model = train_on_terms(
        pairs,
        None if cell == "none" else induced.grammar,
        config=config_of(seed),
        amounts=AMOUNTS,
        checkpoint=MODELS / f"{name}.safetensors",
        on_progress=clock.tell,
    )
    facts |= {
        "synthetic_pairs": len(model.made),
        "agreeing": model.agreeing,
        "steps": model.trained.history[-1].update,
        "train_exact": model.trained.history[-1].exact_match,
        "processor_seconds": round(clock.total),
    }
    return facts | answers_of(partial(model_answers, model.trained), asked)


def answers_of(say: Callable[[list[str]], list[Term | None]], asked: Corpus) -> dict[str, Any]:
    """Return the answers to what was held out, by structure, and to the development part."""
    found = slog_answers(say(asked.column("text")), asked) if len(asked) else {}
    dev = slog("dev")
    found["dev"] = whole(list(slog_answers(say(dev.column("text")), dev).values()))
    return {"answers": {kind: asdict(answers) for kind, answers in found.items()}}


def compared(documents: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of exact match, a column for each finished cell."""
    rows = []
    for kind in (*HELD, "dev"):
        found = [d["answers"].get(kind) for d in documents]
        shares = (f"{100 * Answers(**each).exact:.1f}" if each else "-" for each in found)
        rows.append((kind, *shares))
    times = (f"{d['processor_seconds']} s" if "steps" in d else "-" for d in documents)
    return markdown_table(
        ("exact match", *(d["name"] for d in documents)), [*rows, ("training", *times)]
    )


if __name__ == "__main__":
    main()

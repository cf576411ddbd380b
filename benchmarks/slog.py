"""SLOG by the grammar: its development part, and structures held out of its training part.

``python -m benchmarks.slog [--file FILE]`` runs the cells that are not yet under docs/results/slog,
one small file each, and prints the table of all that are. With ``--file``, a file of lines
``sentence TAB logical form TAB kind`` is answered by the grammar of all training pairs instead, and
its shares are printed by kind.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from grammar.files import write_text
from induction.corpus.corpus import Corpus
from induction.terms.induce import induce_from_terms
from scan.cogs.experiment import grammar_answers
from scan.slog.data import read_slog, slog
from scan.slog.experiment import Answers, hold_out, slog_answers, slog_pairs, whole
from scan.slog.structures import STRUCTURES
from scan.table import markdown_table

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "slog"


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.slog")
    arguments.add_argument(
        "--file", help="answer this file, with the grammar of all training pairs"
    )
    given = arguments.parse_args()
    if given.file:
        _, answers = answered(slog("train"), read_slog(given.file))
        print(table({kind: {"answers": asdict(found)} for kind, found in answers.items()}))
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    for name in ("dev", *STRUCTURES):
        path = RESULTS / f"{name.replace(' ', '-').replace(',', '')}.json"
        if not path.exists():
            write_text(path, json.dumps(cell(name), indent=1) + "\n")
            print("finished", path.name, flush=True)
    documents = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))]
    print(table({document["name"]: document for document in documents}))


def cell(name: str) -> dict[str, Any]:
    """Induce from what is not held out, and answer what is."""
    train, asked = (slog("train"), slog("dev")) if name == "dev" else hold_out(slog("train"), name)
    began = time.process_time()
    facts, answers = answered(train, asked)
    return {
        "name": name,
        "command": "python -m benchmarks.slog",
        "training_pairs": len(train),
        **facts,
        "answers": asdict(whole(list(answers.values()))),
        "processor_seconds": round(time.process_time() - began),
    }


def answered(train: Corpus, asked: Corpus) -> tuple[dict[str, int], dict[str, Answers]]:
    """Return facts about the grammar of some pairs, and what it answers to others."""
    found = induce_from_terms(slog_pairs(train))
    return found.to_dict(), slog_answers(
        grammar_answers(found.grammar, asked.column("text")), asked
    )


def table(documents: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a table, one row each."""
    rows = []
    for name, document in documents.items():
        answers = Answers(**document["answers"])
        shares = (answers.right, answers.wrong, answers.silent)
        rows.append((name, str(answers.asked), *(f"{100 * n / answers.asked:.1f}" for n in shares)))
    return markdown_table(("asked", "pairs", "exact", "wrong", "no answer"), rows)


if __name__ == "__main__":
    main()

"""How fast rows become lines, and what a second worker is worth from the grammar to the file.

Peers: Python's ``json`` and ``csv`` row by row, and pandas, on the same 100,000 examples of TreeMix
with provenance; processor times, in turn. Then 3,000,000 sentences of the treebank PCFG, drawn and
written to one file, by one worker and two; times by the clock, so leave both cores free.

    python -m benchmarks.writing [--sentences 3000000]
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import tempfile
import time
from pathlib import Path

import pyarrow as pa

from benchmarks.augment import corpus
from benchmarks.timing import compare
from grammar.pcfg.grammar import Grammar
from induction import read_treebank
from induction.corpus.formats import write_batches
from induction.corpus.tables.writing import csv_lines, json_lines
from induction.counts.pcfg import induce_pcfg
from sampling.method import induce
from sampling.sentences.sentences import sentence_batches

EXAMPLES = 100_000
ROUNDS = 3


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--sentences", type=int, default=3_000_000)
    asked = arguments.parse_args()
    lines(induce("treemix", corpus()).sample(EXAMPLES).table)
    grammar = induce_pcfg(read_treebank("nltk:treebank"))
    for ending in ("jsonl", "csv", "parquet"):
        times = {workers: written(grammar, asked.sentences, ending, workers) for workers in (1, 2)}
        print(
            f"{asked.sentences:,} sentences to .{ending}: {times[1]:.1f} s, with two workers "
            f"{times[2]:.1f} s: {times[1] / times[2]:.2f} x",
            flush=True,
        )


def lines(table: pa.Table) -> None:
    compare("JSON lines, against json row by row", lambda: json_lines(table),
            lambda: plain_json(table), bar=4)  # fmt: skip
    compare("JSON lines, against pandas", lambda: json_lines(table),
            lambda: table.to_pandas().to_json(orient="records", lines=True), bar=2)  # fmt: skip
    flat = table.select(["id", "text", "tree"])
    compare("CSV, against csv row by row", lambda: csv_lines(flat),
            lambda: plain_csv(flat), bar=3)  # fmt: skip
    compare("CSV, against pandas", lambda: csv_lines(flat),
            lambda: flat.to_pandas().to_csv(index=False), bar=3)  # fmt: skip


def plain_json(table: pa.Table) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())


def plain_csv(table: pa.Table) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(row.values() for row in table.to_pylist())
    return out.getvalue()


def written(grammar: Grammar, n: int, ending: str, workers: int) -> float:
    """Return the seconds of the fastest of some runs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"made.{ending}"
        write_batches(sentence_batches(grammar, 1000, workers=workers), path, workers=workers)
        times = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            write_batches(sentence_batches(grammar, n, workers=workers), path, workers=workers)
            times.append(time.perf_counter() - began)
    return min(times)


if __name__ == "__main__":
    main()

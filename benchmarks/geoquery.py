"""GeoQuery with and without augmentation: one small result file a finished run.

``python -m benchmarks.geoquery`` runs what is not yet under docs/results/geoquery, one run after
the other on one core, and prints the table. ``--cells query:funql:none,synchronous`` names the
split, the representation and the methods to run first; ``--table`` runs nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from dataclasses import asdict, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from scan.geoquery.augmentation import augment_geoquery, induced_grammar
from scan.geoquery.data import GeoQuery, geoquery, template
from scan.geoquery.database import GeoDatabase
from scan.models.config import TrainingConfig
from scan.table import markdown_table

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "geoquery"
SEEDS = (0, 1, 2)
CELLS = (
    ("query", "logic", ("none", "exchange", "geca", "synchronous")),
    ("query", "funql", ("none", "exchange", "synchronous", "geca", "names")),
    ("query", "sql", ("none", "exchange", "geca")),
    ("query", "prolog", ("none", "exchange")),
    ("query", "lambda", ("none", "exchange", "synchronous", "geca")),
    ("question", "funql", ("none", "exchange", "synchronous", "geca")),
    ("question", "logic", ("none", "exchange", "geca")),
    ("length", "funql", ("none", "exchange")),
    ("length", "logic", ("none", "exchange")),
)
RECIPE = TrainingConfig(
    hidden=128,
    dropout=0.3,
    batch=16,
    steps=2000,
    check_every=2000,
    peak_rate=4e-3,
    augmented_share=0.5,
    copy=True,
)
"""All runs make as many steps: training is looked at once, at its end."""
N = {"none": 0, "names": 1000, "geca": 1000, "synchronous": 1000, "exchange": 10_000}
"""Pairs asked for; there are often fewer."""
RESAMPLES = 10_000

Pair = tuple[str, str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", nargs="*", default=[], help="split:representation:methods")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table")
    options = parser.parse_args()
    chosen = [cell.split(":") for cell in options.cells]
    cells = [(split, name, tuple(methods.split(","))) for split, name, methods in chosen] or CELLS
    RESULTS.mkdir(parents=True, exist_ok=True)
    if not options.table:
        for seed, (split, representation, methods) in product(SEEDS, cells):
            for method in methods:
                if not result_file(split, representation, method, seed).exists():
                    run_cell(split, representation, method, seed)
    print(table())


def result_file(split: str, representation: str, method: str, seed: int) -> Path:
    return RESULTS / f"{split}-{representation}-{method}-seed{seed}.json"


def run_cell(split: str, representation: str, method: str, seed: int) -> None:
    """Augment, train and test one cell."""
    from grammar.files import write_text
    from scan.models.training import exact_match, train

    data = geoquery(representation, split)
    config = replace(RECIPE, seed=seed)
    made = synthetic(split, representation, method, seed)
    began, worked = time.monotonic(), time.process_time()
    trained = train(pairs_of(data.train), augmented=made, config=config)
    seconds, processor = time.monotonic() - began, time.process_time() - worked
    test = list(zip(data.test.column("text"), data.test.column("target"), strict=True))
    found = trained.decode([text for text, _ in test], length_limit=150)
    right = [h.target == target for h, (_, target) in zip(found, test, strict=True)]
    executed = None
    if representation == "sql":
        database = GeoDatabase()
        answers = [
            database.same_answer(h.target, gold) for h, (_, gold) in zip(found, test, strict=True)
        ]
        executed = sum(answers) / len(answers)
    tested = set(data.test.column("template"))
    forms = {template(representation, target) for _, target in made}
    document: dict[str, Any] = {
        "command": "python -m benchmarks.geoquery",
        "split": split,
        "representation": representation,
        "method": method,
        "seed": seed,
        "config": asdict(config),
        "synthetic_asked": N[method],
        "train_pairs": len(pairs_of(data.train)),
        "synthetic_pairs": len(made),
        "new_templates": len(forms - set(data.train.column("template"))),
        "test_templates_made": len(forms & tested),
        "test_templates": len(tested),
        "test_questions_made": sum(text in {text for text, _ in made} for text, _ in test),
        "train_exact": exact_match(trained, pairs_of(data.train)),
        "dev_exact": exact_match(trained, pairs_of(data.dev)),
        "test_exact": sum(right) / len(right),
        "test_same_answer": executed,
        # one character a test question, in order
        "right": "".join("01"[one] for one in right),
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
    }
    write_text(
        result_file(split, representation, method, seed), json.dumps(document, indent=1) + "\n"
    )
    print(f"{split} {representation} {method} seed {seed}: dev {document['dev_exact']:.3f}, "
          f"test {document['test_exact']:.3f}, {seconds:.0f} s", flush=True)  # fmt: skip


def synthetic(split: str, representation: str, method: str, seed: int) -> list[Pair]:
    uses_grammar = method in ("synchronous", "exchange")
    grammar = induced(split, representation, method) if uses_grammar else None
    data = geoquery(representation, split)
    return pairs_of(augment_geoquery(data, method, n=N[method], seed=seed, grammar=grammar))


@cache
def induced(split: str, representation: str, method: str) -> Any:
    return induced_grammar(geoquery(representation, split), method)


def pairs_of(corpus: Any) -> list[Pair]:
    return list(dict.fromkeys(zip(corpus.column("text"), corpus.column("target"), strict=True)))


def table() -> str:
    rows = []
    for split, representation, methods in CELLS:
        data = geoquery(representation, split)
        base = outcomes(split, representation, "none")
        for method in methods:
            found = outcomes(split, representation, method)
            if not found:
                continue
            first = found[0]
            gain = "-" if method == "none" or not base else interval(base, found, data)
            rows.append(
                (
                    split,
                    representation,
                    method,
                    f"{first['synthetic_pairs']:,}",
                    f"{first['test_templates_made']} of {first['test_templates']}",
                    spread(found, "train_exact"),
                    spread(found, "dev_exact"),
                    spread(found, "test_exact"),
                    gain,
                    str(len(found)),
                )
            )
    header = ("split", "form", "method", "made", "test templates made", "train", "dev", "test",
              "gain on test", "seeds")  # fmt: skip
    return markdown_table(header, rows)


def outcomes(split: str, representation: str, method: str) -> list[dict[str, Any]]:
    files = [result_file(split, representation, method, seed) for seed in SEEDS]
    return [json.loads(file.read_text()) for file in files if file.exists()]


def spread(found: list[dict[str, Any]], name: str) -> str:
    values = [100 * outcome[name] for outcome in found]
    return f"{statistics.mean(values):.1f} ± {statistics.stdev(values) if values[1:] else 0:.1f}"


def interval(base: list[dict[str, Any]], found: list[dict[str, Any]], data: GeoQuery) -> str:
    """Return the gain in points, with the 95 % interval of a bootstrap.

    Questions of one template stand or fall together, so templates are drawn again, not questions;
    and the seeds of either side.
    """
    names, group = np.unique(data.test.column("template"), return_inverse=True)
    sizes = np.bincount(group)
    draw = np.random.default_rng(0)
    picked = draw.multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLES)

    def accuracy(outcomes: list[dict[str, Any]]) -> tuple[float, Any]:
        right = np.array([np.bincount(group, [c == "1" for c in o["right"]]) for o in outcomes])
        seeds = draw.integers(len(outcomes), size=(RESAMPLES, len(outcomes)))
        means = right[seeds].mean(axis=1)
        shares = (picked * means).sum(axis=1) / (picked * sizes).sum(axis=1)
        return float(right.mean(axis=0).sum() / sizes.sum()), shares

    before, after = accuracy(base), accuracy(found)
    low, high = np.percentile(100 * (after[1] - before[1]), (2.5, 97.5))
    return f"{100 * (after[0] - before[0]):+.1f} ({low:+.1f} to {high:+.1f})"


if __name__ == "__main__":
    main()

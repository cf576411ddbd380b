"""Language modelling with and without GECA: one small result file a language and seed.

``python -m benchmarks.language_models`` runs what is not yet under docs/results/lm, one run at a
time, and prints the tables; an interrupted run is done again from its start.
"""

from __future__ import annotations

import json
import statistics
from pathlib import Path

from grammar.files import write_text
from scan.language_modelling import LANGUAGES, METHODS, SHARED, run
from scan.table import markdown_table

RESULTS = Path(__file__).parents[1] / "docs" / "results" / "lm"
SEEDS = (0, 1, 2)


def main() -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    for seed in SEEDS:
        for language in LANGUAGES:
            if not result_file(language, seed).exists():
                outcome = json.loads(run(language, seed=seed).to_json())
                document = {"command": "python -m benchmarks.language_models", "outcome": outcome}
                write_text(result_file(language, seed), json.dumps(document, indent=1) + "\n")
                print("finished", result_file(language, seed).name, flush=True)
    print(table())
    print()
    print(comparison_table())


def result_file(language: str, seed: int) -> Path:
    return RESULTS / f"{language}-seed{seed}.json"


def outcomes(language: str) -> list[dict]:
    files = [result_file(language, seed) for seed in SEEDS]
    return [json.loads(file.read_text())["outcome"] for file in files]


def table() -> str:
    rows = []
    for language, name in LANGUAGES.items():
        found = outcomes(language)
        base = found[0]
        rows.append((name, "none", "-", "-", "-", f"{base['validation']:.2f}",
                     f"{base['test']:.2f}", f"{base['known']:.2f}"))  # fmt: skip
        for method in (*METHODS, *(method + SHARED for method in METHODS)):
            choices = [outcome["choices"][method] for outcome in found]
            settings = {f"{c['setting']['window']}, {c['setting']['variants']}" for c in choices}
            made = round(statistics.mean(c["made"] for c in choices))
            rows.append((name, method, " / ".join(sorted(settings)), f"{made:,}",
                         *(spread(choices, key, 3 if key == "weight" else 2)
                           for key in ("weight", "validation", "test", "known"))))  # fmt: skip
    header = ("language", "augmentation", "window, variants", "made", "weight", "validation",
              "test", "test, known words")  # fmt: skip
    return markdown_table(header, rows)


def spread(values: list[dict], key: str, digits: int) -> str:
    numbers = [value[key] for value in values]
    return f"{statistics.mean(numbers):.{digits}f} ± {statistics.stdev(numbers):.{digits}f}"


def comparison_table() -> str:
    rows = []
    for language, name in LANGUAGES.items():
        found = [outcome["comparisons"] for outcome in outcomes(language)]
        for pair in found[0]:
            if pair.startswith(("geca", "program")):
                rows.append((name, pair, *(gain(each[pair]) for each in found)))
    return markdown_table(("language", "gain of", *(f"seed {seed}" for seed in SEEDS)), rows)


def gain(found: dict) -> str:
    low, high = 100 * found["low"], 100 * found["high"]
    return f"{100 * found['gain']:.2f} % ({low:.2f} to {high:.2f}), p = {found['p_value']:.1e}"


if __name__ == "__main__":
    main()

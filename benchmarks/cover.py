"""How many inputs until all rules are covered: against random inputs of grammarinator.

    python -m benchmarks.cover [FOLDER]

Each of the published grammars of the tests is written for grammarinator (pip install grammarinator;
FOLDER has its programs, by default they are on the path). Its inputs are drawn at random with
depths of at most 10, 20 and 40, and parsed with the grammar. Long inputs are not parsed, so depths
that make some are not compared. The best of the other depths counts. Then inputs a minute of one
core, from the JSON grammar.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from grammar import Grammar, write_notation
from grammar.chart.parser import NoParse, Parser
from grammar.pcfg.rule_pairs import Targets
from grammar.pcfg.spelling import Spelling
from sampling import cover, sample_sentences
from tests.grammar.formats.published import PUBLISHED

BAR = 1 / 3
INPUTS, LONGEST = 200, 150
DEPTHS = (10, 20, 40)
PEER = ("json", "sql")
SEEDS = (0, 1, 2)
DRAWN = 200_000


def generated(
    grammar: Grammar, programs: str, depth: int, seed: int, *, spacing: str = "characters"
) -> list[str]:
    """Return random inputs of grammarinator."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "G.g4").write_text(
            write_notation(grammar, "grammarinator", spacing=spacing), "utf-8"
        )
        [process, generate] = [
            str(Path(programs) / f"grammarinator-{verb}") for verb in ("process", "generate")
        ]
        subprocess.run([process, "G.g4", "-o", "."], cwd=folder, check=True, capture_output=True)
        made = next(folder.glob("*Generator.py")).stem
        subprocess.run(
            [generate, f"{made}.{made}", "--sys-path", ".", "-d", str(depth), "-n", str(INPUTS),
             "-o", "out/%d", "--random-seed", str(seed)],
            cwd=folder, check=True, capture_output=True, timeout=120,
        )  # fmt: skip
        return [(folder / "out" / str(i)).read_text("utf-8") for i in range(INPUTS)]


def until_all_rules(grammar: Grammar, texts: list[str]) -> float:
    """Return how many texts cover all rules; infinite if all of them do not, NaN if one is long."""
    if max(map(len, texts)) > LONGEST:
        return float("nan")
    spelling, targets = Spelling.of(grammar, "characters"), Targets.of(grammar, "rules")
    parser = Parser(spelling.parsed)
    left = targets.wanted.copy()
    for number, text in enumerate(texts, 1):
        if not text:
            continue
        parse = parser.viterbi(spelling.words(text))
        if not isinstance(parse, NoParse):
            left &= ~targets.covered([spelling.derivation(parse.rules)])
        if not left.any():
            return number
    return float("inf")


def main() -> None:
    """Print the table."""
    found = shutil.which("grammarinator-process")
    programs = sys.argv[1] if sys.argv[1:] else found and str(Path(found).parent)
    for name, grammar in PUBLISHED.items():
        ours = [len(cover(grammar, seed=seed)) for seed in SEEDS]
        pairs = len(cover(grammar, "pairs"))
        line = f"{name:<10} rules {sum(ours) / len(ours):.0f} inputs, pairs {pairs}"
        if programs and name in PEER:
            counts = {
                depth: float(
                    np.median(
                        [
                            until_all_rules(grammar, generated(grammar, programs, depth, seed))
                            for seed in SEEDS
                        ]
                    )
                )
                for depth in DEPTHS
            }
            best = np.nanmin(list(counts.values()))
            met = "met" if max(ours) <= BAR * best else "not met"
            line += f"; grammarinator {counts} (bar {met})"
        print(line, flush=True)
    grammar = PUBLISHED["json"]
    sample_sentences(grammar, 10, length=(1, 40), spacing="characters")
    for flat in (False, True):
        began = time.process_time()
        sample_sentences(grammar, DRAWN, length=(1, 40), flat=flat, spacing="characters")
        rate = DRAWN / (time.process_time() - began) * 60
        print(f"{rate:,.0f} inputs a minute of JSON of 1 to 40 words{', flat' if flat else ''}")


if __name__ == "__main__":
    main()

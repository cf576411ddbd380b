"""NACS: SCAN reversed, actions to commands, by a grammar induced from the pairs exchanged.

``python -m benchmarks.nacs [SPLIT...]`` prints, for every split and for 2,000 of its training pairs
with one command for each sequence of actions, the share of test actions whose best command is one
of the right ones: the interpreter gives these actions for it.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from grammar.chart.parses import NoParse
from grammar.synchronous.inverse import InverseParser
from induction.corpus.corpus import Corpus
from induction.synchronous.induce import induce_synchronous
from scan.language import actions_of
from scan.splits import split

NAMES = ("simple", "jump", "length")
FEW = 2_000

Pairs = Sequence[tuple[str, str]]


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.nacs")
    arguments.add_argument(
        "splits", nargs="*", metavar="SPLIT", help=f"default: {', '.join(NAMES)}"
    )
    print("| split | pairs | further commands of actions | rules | test | executed | seconds |")
    print("| --- " * 7 + "|")
    for name in arguments.parse_args().splits or NAMES:
        parts = split(name)
        train, test = exchanged(parts.train), exchanged(parts.test)
        for pairs in (one_each(train), train):
            print(row(name, pairs, test), flush=True)


def exchanged(corpus: Corpus) -> Pairs:
    """Return actions and commands."""
    return list(zip(corpus.column("target"), corpus.column("text"), strict=True))


def one_each(pairs: Pairs, most: int = FEW) -> Pairs:
    """Return some pairs, drawn evenly, of which no two have the same actions."""
    order = np.random.default_rng(0).permutation(len(pairs))
    return list(dict(pairs[i] for i in order).items())[:most]


def row(name: str, train: Pairs, test: Pairs) -> str:
    """Induce, translate, and return a line of the table."""
    began = time.process_time()
    found = induce_synchronous(train, inverse=True)
    parser = InverseParser(found.core)
    right = 0
    asked = sorted({actions for actions, _ in test})
    for actions in asked:
        best = parser.translations(actions.split())
        if not isinstance(best, NoParse):
            right += actions_of(" ".join(best[0].target)) == tuple(actions.split())
    seconds = time.process_time() - began
    several = len(train) - len({actions for actions, _ in train})
    return (
        f"| {name} | {len(train):,} | {several:,} | {len(found.rules)} | {len(asked):,} "
        f"| {right / len(asked):.2%} | {seconds:.1f} |"
    )


if __name__ == "__main__":
    main()

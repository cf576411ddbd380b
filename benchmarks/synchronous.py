"""SCAN by a synchronous grammar induced from pairs alone: every split, three shuffles.

``python -m benchmarks.synchronous [SPLIT...]`` prints, for every split and shuffle, the exact match
of the grammar's best parses on the whole test set, the number of derivations of the grammar to
sample from, the agreement of pairs sampled from it with the interpreter (an audit: it labels
nothing), and the processor time of it all; then the rules.

``python -m benchmarks.synchronous --ablation [SPLIT...]`` induces with lexical licensing and class
closure, without one of them, and without both, and prints for each the exact match, the agreement
of sampled pairs, and the number of rules.

``python -m benchmarks.synchronous --faults [SPLIT...]`` gives a share of the training lines
the target of another one, and prints for each share the exact match, the agreement of sampled
pairs, the pairs that were taken for faulty, and those that are.

``python -m benchmarks.synchronous --few [SPLIT...]`` induces from a hundredth of the training
pairs, for three draws.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from grammar.chart.parses import NoParse
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.tables import DepthSampler
from induction.corpus.corpus import Corpus
from induction.synchronous.induce import SynchronousInduction, induce_synchronous
from sampling.sentences.pairs import sample_pairs
from scan.generator import verify
from scan.splits import split

NAMES = (
    "simple", "length", "jump", "turn-left", "around-right", "opposite-right", "right",
    "jump-around-right", "mcd1", "mcd2", "mcd3",
)  # fmt: skip
FAULTY_NAMES = ("jump", "around-right", "length", "mcd3")
SHARES = (0.001, 0.01, 0.05)
FEW_NAMES = ("simple", "length", "mcd1", "mcd2", "mcd3")
FEW = 0.01
SHUFFLES = 3
SAMPLED = 10_000
DEPTHS = (1, 20)
BAR_SECONDS = 60
VARIANTS: dict[str, dict[str, bool]] = {
    "full": {},
    "no licensing": {"licensing": False},
    "no closure": {"closure": False},
    "neither": {"licensing": False, "closure": False},
}


class Outcome(NamedTuple):
    found: SynchronousInduction
    exact: float
    derivations: int
    agreeing: float
    inducing: float
    parsing: float

    @property
    def met(self) -> bool:
        in_time = self.inducing + self.parsing <= BAR_SECONDS
        return self.exact == 1.0 and self.agreeing == 1.0 and in_time


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.synchronous")
    arguments.add_argument("splits", nargs="*", metavar="SPLIT", help=f"from {', '.join(NAMES)}")
    arguments.add_argument("--ablation", action="store_true", help="leave out parts of induction")
    arguments.add_argument("--faults", action="store_true", help="exchange some targets")
    arguments.add_argument("--few", action="store_true", help="a hundredth of the training pairs")
    given = arguments.parse_args()
    warm_up()
    if given.ablation:
        ablation(given.splits or NAMES)
    elif given.faults:
        faulty(given.splits or FAULTY_NAMES)
    elif given.few:
        few(given.splits or FEW_NAMES)
    else:
        every_split(given.splits or NAMES)


def every_split(names: Iterable[str]) -> None:
    rules = set()
    print("| split | test | shuffle | types | rules | exact | derived | audit | induce | parse | |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in names:
        parts = split(name)
        for shuffle in range(SHUFFLES):
            done = run(parts.train, parts.test, shuffle)
            rules.add("\n".join(map(str, done.found.rules.rules)))
            verdict = "met" if done.met else "MISSED"
            print(
                f"| {name} | {len(parts.test):,} | {shuffle} | {done.found.types} "
                f"| {len(done.found.rules)} | {done.exact:.3%} "
                f"| {done.derivations:,} | {done.agreeing:.3%} "
                f"| {done.inducing:.1f} s | {done.parsing:.1f} s | {verdict} |",
                flush=True,
            )
    print(f"\n{len(rules)} different rule sets:\n")
    print("\n\n".join(sorted(rules)))


def ablation(names: Iterable[str]) -> None:
    """Print a table with, for each variant, exact match, agreement of samples, and rules."""
    print(f"| split | {' | '.join(VARIANTS)} |")
    print("| --- " * (1 + len(VARIANTS)) + "|")
    for name in names:
        parts = split(name)
        print(f"| {name} ", end="", flush=True)
        for left_out in VARIANTS.values():
            done = run(parts.train, parts.test, 0, **left_out)
            rules = len(done.found.rules)
            print(f"| {done.exact:.1%}, {done.agreeing:.1%}, {rules} ", end="", flush=True)
        print("|", flush=True)


def faulty(names: Iterable[str]) -> None:
    """Print what is found where a share of the training pairs has the target of another."""
    print("| split | share | exact | audit | left out | faulty of them | faulty | induce | |")
    print("| --- " * 9 + "|")
    for name in names:
        parts = split(name)
        for share in SHARES:
            train = with_faults(parts.train, share)
            done = run(train, parts.test, 0)
            rows = set(zip(train.column("text"), train.column("target"), strict=True))
            clean = set(zip(*(parts.train.column(c) for c in ("text", "target")), strict=True))
            wrong, left = rows - clean, {f[:2] for f in done.found.faults}
            met = done.exact >= (0.99 if share > 0.01 else 0.999) and done.agreeing >= 0.99
            print(
                f"| {name} | {share:.1%} | {done.exact:.3%} | {done.agreeing:.3%} | {len(left)} "
                f"| {len(left & wrong)} | {len(wrong)} | {done.inducing:.1f} s "
                f"| {'met' if met else 'MISSED'} |",
                flush=True,
            )


def few(names: Iterable[str]) -> None:
    """Print what is found in a hundredth of the training pairs, for three draws."""
    print("| split | draw | pairs | rules | by rote | exact | audit | induce | |")
    print("| --- " * 9 + "|")
    for name in names:
        parts = split(name)
        pairs = list(zip(*(parts.train.column(c) for c in ("text", "target")), strict=True))
        for draw in range(SHUFFLES):
            order = np.random.default_rng(draw).permutation(len(pairs))
            drawn = [pairs[i] for i in order[: round(FEW * len(order))]]
            began = time.process_time()
            found = induce_synchronous(drawn, seed=draw)
            seconds = time.process_time() - began
            exact = exact_match(found.grammar, parts.test)
            print(
                f"| {name} | {draw} | {len(drawn)} | {len(found.rules)} | {found.explained.rote} "
                f"| {exact:.1%} | {agreement(found, draw):.1%} | {seconds:.1f} s "
                f"| {'met' if exact >= 0.99 else 'MISSED'} |",
                flush=True,
            )


def with_faults(train: Corpus, share: float) -> Corpus:
    """Return the training lines, some of them with the target of another."""
    targets = train.column("target")
    drawn = np.random.default_rng(0)
    chosen = drawn.choice(len(targets), round(share * len(targets)), replace=False)
    others = drawn.integers(len(targets), size=len(chosen))
    made = list(targets)
    for row, other in zip(chosen.tolist(), others.tolist(), strict=True):
        made[row] = targets[other]
    return Corpus.from_columns(text=train.column("text"), target=made)


def warm_up() -> None:
    """Compile, or load what was compiled."""
    pairs = [("a", "A"), ("b", "B"), ("a c", "A A"), ("b c", "B B")]
    found = induce_synchronous(pairs, types=1)
    SynchronousParser(found.grammar).translations(["a"])


def run(train: Corpus, test: Corpus, shuffle: int, **left_out: bool) -> Outcome:
    order = np.random.default_rng(shuffle).permutation(len(train))
    texts, targets = train.column("text"), train.column("target")
    pairs = [(texts[i], targets[i]) for i in order]
    began = time.process_time()
    found = induce_synchronous(pairs, seed=shuffle, **left_out)
    induced = time.process_time()
    exact = exact_match(found.grammar, test)
    parsed = time.process_time()
    derivations = int(DepthSampler(found.core, DEPTHS, uniform=True).table.sum())
    agreeing = agreement(found, shuffle)
    return Outcome(found, exact, derivations, agreeing, induced - began, parsed - induced)


def agreement(found: SynchronousInduction, seed: int) -> float:
    """Return the share of sampled pairs that agree with the interpreter."""
    made = sample_pairs(found.core, SAMPLED, seed=seed, uniform=True, depth=DEPTHS)
    return verify(made).rate


def exact_match(grammar: SynchronousGrammar, test: Corpus) -> float:
    parser = SynchronousParser(grammar)
    right = 0
    for text, target in zip(test.column("text"), test.column("target"), strict=True):
        found = parser.translations(text.split())
        right += not isinstance(found, NoParse) and " ".join(found[0].target) == target
    return right / len(test)


if __name__ == "__main__":
    main()

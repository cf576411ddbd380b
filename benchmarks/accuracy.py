"""How well the parsers of each family parse, on the tenth of NLTK's treebank sample that none saw.

Test: the trees whose number ends in 9, of at most 40 words; training: all others. The settings
were chosen on the trees whose number ends in 8, with the remaining eight tenths to train on
(``--development``). Labelled F1 by evalb's conventions (COLLINS.prm).

    python -m benchmarks.accuracy [--development] [FAMILY ...]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from grammar.trees.evaluation import evalb
from grammar.trees.treebank import Treebank
from induction import normalise, read_treebank
from induction.bayes.induce import induce_bayes_tsg
from induction.fragments.dop import induce_double_dop
from induction.lexicalised.lpcfg import induce_lpcfg
from induction.parsers.fragments import FragmentParser
from induction.parsers.lexicalised import LexicalisedParser
from induction.parsers.protocol import TextParser
from induction.parsers.training import induce_parser
from induction.trees.normalise import SKELETON_STEPS

LONGEST, PEERS = 40, 82.0
Trained = tuple[TextParser, str]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--development", action="store_true")
    arguments.add_argument("family", nargs="*", choices=[*FAMILIES, []])
    chosen = arguments.parse_args()
    train, test = split(development=chosen.development)
    print(f"{len(train):,} trees to train on; {len(test)} to test on, of at most {LONGEST} words")
    for name in chosen.family or FAMILIES:
        train_one, bar = FAMILIES[name]
        began = time.process_time()
        parser, size = train_one(train)
        trained = time.process_time() - began
        score(name, parser, test, bar, f"{size}; trained in {trained:.0f} s")


def split(*, development: bool) -> tuple[Treebank, Treebank]:
    treebank = read_treebank("nltk:treebank")
    place = np.arange(len(treebank)) % 10
    seen = place < 8 if development else place != 9
    tested = treebank.take(place == (8 if development else 9))
    # traces are no words
    return treebank.take(seen), tested.take(normalise(tested).lengths <= LONGEST)


def score(name: str, parser: TextParser, test: Treebank, bar: float, detail: str) -> None:
    gold = normalise(test)
    sentences = gold.sentences()
    parser.parse(sentences[:3])  # compiles
    began = time.process_time()
    parsed = parser.parse(sentences)
    rate = len(sentences) / (time.process_time() - began)
    found = evalb(gold, parsed).all
    verdict = f"bar {bar:.1f} {'met' if found.f1 >= bar else 'MISSED'}" if bar else "no bar"
    print(
        f"{name:<12} F1 {found.f1:.2f}  {verdict}  (P {found.precision:.2f}, "
        f"R {found.recall:.2f}; exact match {found.complete_match:.1f}; tags {found.tagging:.2f}; "
        f"coverage {100 - 100 * found.skipped / found.sentences:.1f} %, {found.errors} not scored; "
        f"{rate:.1f} sentences/s; {detail})",
        flush=True,
    )


def pcfg(train: Treebank) -> Trained:
    parser = induce_parser(
        train, models=1, rounds=0, lexicalised=False, horizontal_markov=2, vertical_markov=2
    )
    return parser, f"h=2 v=2, {len(parser.skeleton.grammar):,} rules over tags"


def lpcfg(train: Treebank) -> Trained:
    grammar = induce_lpcfg(train)
    return LexicalisedParser(grammar), f"{len(grammar):,} lexicalised rules"


def double_dop(train: Treebank) -> Trained:
    grammar = induce_double_dop(train, steps=SKELETON_STEPS, direction="head", horizontal_markov=1)
    return FragmentParser(grammar), f"{len(grammar):,} fragments"


def bayes_tsg(train: Treebank) -> Trained:
    grammar = induce_bayes_tsg(
        train, iterations=100, steps=SKELETON_STEPS, direction="head", horizontal_markov=1
    )
    return FragmentParser(grammar), f"{len(grammar):,} fragments"


def split_merge(train: Treebank) -> Trained:
    return _latent(train, models=1, lexicalised=False, direction="right")


def product(train: Treebank) -> Trained:
    return _latent(train, models=4, lexicalised=False, direction="right")


def default(train: Treebank) -> Trained:
    return _latent(train)


def _latent(train: Treebank, **options: Any) -> Trained:
    parser = induce_parser(train, workers=2, **options)
    weights = sum(int((m.grammar.weight > 0).sum()) for m in parser.models)
    states = sum(int(m.grammar.states.sum()) for m in parser.models)
    models = len(parser.models)
    detail = f"{models} x {states // models} states, {weights:,} weights"
    if parser.heads:
        detail += f", {len(parser.heads.grammar):,} lexicalised rules"
    return parser, detail


FAMILIES: dict[str, tuple[Callable[[Treebank], Trained], float]] = {
    "pcfg": (pcfg, 76.6),
    "lpcfg": (lpcfg, 80.0),
    "double-dop": (double_dop, PEERS),
    "bayes-tsg": (bayes_tsg, 0.0),
    "split-merge": (split_merge, 83.0),
    "product": (product, 84.0),
    "default": (default, 84.0),
}

if __name__ == "__main__":
    main()

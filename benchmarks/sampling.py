"""Sampling sentences from a treebank PCFG, to Arrow strings, against the package ``pcfg``."""

from __future__ import annotations

import time

import pcfg
import pyarrow.compute as pc

from benchmarks.timing import report, seconds
from induction import induce_pcfg, read_treebank
from sampling import sample_sentences

STEPS = ("traces", "functions", "root", "unaries")
OURS, PEERS = 400_000, 1_000


def main() -> None:
    grammar = induce_pcfg(read_treebank("nltk:treebank"), steps=STEPS, horizontal_markov=2)
    theirs = grammar.to_nltk()
    peer = pcfg.PCFG(theirs.start(), theirs.productions())
    sample_sentences(grammar, 1_000)
    rates, ratios = [], []
    for run in range(3):
        ours = OURS / seconds(lambda: sample_sentences(grammar, OURS, seed=run))  # noqa: B023
        other = PEERS / seconds(lambda: list(peer.generate(PEERS)))
        rates.append(ours)
        ratios.append(ours / other)
    ratio, rate = sorted(ratios)[1], sorted(rates)[1]
    report("sample from the treebank PCFG, against pcfg", ratio, 200, f"{rate:,.0f} sentences/s")
    report("sentences a second, one core", rate, 50_000, "with derivations", unit="/s")
    began = time.process_time()
    banded = sample_sentences(grammar, OURS, length=(5, 20))
    rate = len(banded) / (time.process_time() - began)
    report("... given a length of 5 to 20", rate, 50_000, "tables included", unit="/s")
    expected = grammar.check().expected_length
    words = pc.sum(pc.add(pc.count_substring(sampled(grammar), " "), 1)).as_py() / OURS
    off = abs(words / expected - 1)
    print(f"mean length {words:.4f} words, expected {expected:.4f}: off by {off:.3%} (bar 2 %)")


def sampled(grammar):
    return sample_sentences(grammar, OURS, seed=99).arrow("text")


if __name__ == "__main__":
    main()

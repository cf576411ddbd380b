"""Parsing with a treebank PCFG against NLTK: speed, and k-best lists.

The grammar is induced from nine tenths of NLTK's treebank sample (all but every tenth tree);
the sentences are those of 20 words in the rest. Processor time, one core.
"""

from __future__ import annotations

import inspect
import itertools
import statistics

import nltk
import numpy as np

from benchmarks.timing import report, seconds
from grammar import Grammar
from grammar.chart.parser import Parser
from grammar.trees.treebank import Treebank
from induction import induce_pcfg, normalise, read_treebank
from induction.trees.unknown import signature

WORDS, PEERS, SENTENCES, K = 20, 3, 100, 50


def main() -> None:
    train, test = split()
    speed(train, test)


def split() -> tuple[Treebank, Treebank]:
    """Return training and test trees."""
    treebank = read_treebank("nltk:treebank")
    place = np.arange(len(treebank))
    return treebank.take(place[place % 10 != 9]), treebank.take(place[place % 10 == 9])


def speed(train: Treebank, test: Treebank) -> None:
    """Time best trees and k-best lists."""
    smaller = induce_pcfg(train, horizontal_markov=2, rare_words=1)
    sentences = of_length(test, smaller, WORDS)
    print(f"{smaller}\n{len(sentences)} sentences of {WORDS} words")
    against_nltk(smaller, sentences[:PEERS])
    throughput("sentences a second, h=2 v=1", smaller, sentences)
    larger = induce_pcfg(train, horizontal_markov=2, vertical_markov=2, rare_words=1)
    throughput("sentences a second, h=2 v=2", larger, of_length(test, larger, WORDS))
    lists(smaller, [s for n in range(15, 26) for s in of_length(test, smaller, n)][:SENTENCES])


def of_length(treebank: Treebank, grammar: Grammar, length: int) -> list[tuple[str, ...]]:
    """Return the sentences of a length, with rare-word classes for words that are not known."""
    known = set(grammar.rules.words)

    def seen(word: str) -> str:
        named = signature(word)
        return word if word in known else named if named in known else "<rare>"

    found = normalise(treebank).sentences()
    return [tuple(map(seen, words)) for words in found if len(words) == length]


def against_nltk(grammar: Grammar, sentences: list[tuple[str, ...]]) -> None:
    parser = Parser(grammar)
    parser.viterbi(sentences[0])
    known = inspect.signature(nltk.ViterbiParser).parameters
    unhurried = {"max_time": None} if "max_time" in known else {}
    peer = nltk.ViterbiParser(grammar.to_nltk(), **unhurried)
    mine, theirs = [], []
    for sentence in sentences:
        ours, other = parser.viterbi(sentence), []
        theirs.append(seconds(lambda: other.extend(peer.parse(sentence))))  # noqa: B023
        mine.append(statistics.median(seconds(lambda: parser.viterbi(sentence)) for _ in range(5)))  # noqa: B023
        equal = bool(ours) == bool(other)
        if ours and other:
            equal = abs(ours.log_probability / other[0].logprob() / np.log(2) - 1) < 1e-9
        print(f"  {mine[-1] * 1e3:.2f} ms against {theirs[-1]:.1f} s; equal probability: {equal}")
    ratio = sum(theirs) / sum(mine)
    detail = f"{sum(mine) * 1e3:.1f} ms against {sum(theirs):.0f} s"
    report("Viterbi, 20 words, against nltk.ViterbiParser", ratio, 2_000, detail)


def throughput(what: str, grammar: Grammar, sentences: list[tuple[str, ...]]) -> None:
    parser = Parser(grammar)
    parsed = sum(map(bool, parser.parse_all(sentences)))
    rates = [len(sentences) / seconds(lambda: parser.parse_all(sentences)) for _ in range(5)]
    detail = f"{parsed} of {len(sentences)} with a parse, trees built"
    report(what, statistics.median(rates), 100, detail, unit="/s")


def lists(grammar: Grammar, sentences: list[tuple[str, ...]]) -> None:
    parser = Parser(grammar)
    parser.kbest(sentences[0], K)
    found: list[list] = []
    spent = seconds(lambda: found.extend(parser.kbest(s, K) or [] for s in sentences))
    parses = sum(map(len, found))
    print(
        f"{parses:,} parses of {len(sentences)} sentences of 15 to 25 words, k={K}: {spent:.1f} s"
    )
    ordered = all(
        a.log_probability >= b.log_probability
        for parsed in found
        for a, b in itertools.pairwise(parsed)
    )
    ties = sum(
        a.log_probability == b.log_probability
        for parsed in found
        for a, b in itertools.pairwise(parsed)
    )
    distinct = all(len({p.rules for p in parsed}) == len(parsed) for parsed in found)
    print(f"never a better parse after a worse one: {ordered} ({ties} ties); distinct: {distinct}")


if __name__ == "__main__":
    main()

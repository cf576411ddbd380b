"""The distribution of the next word, after every prefix of sentences: against genlm-grammar.

    python -m benchmarks.next_word [PEER_SENTENCES]

The grammar is the embedded treebank's. A step is a word: the prefix is extended, and the whole
distribution after it is computed. genlm-grammar (pip install genlm-grammar) gets the same rules,
and keeps the columns of the prefix that it knows; without it, the times of ours are printed alone.
The same for the treebank sample of NLTK, ours alone, if it is there.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.timing import report
from grammar import Grammar, MissingDataError, Nonterminal
from induction import induce_pcfg, read_treebank
from sampling import sample_sentences

SENTENCES = 200
BAR_OF_RATIO, BAR_OF_TIME = 100, 0.1


def samples(grammar: Grammar, n: int) -> list[list[str]]:
    """Return sentences of the grammar that have five to thirty words."""
    table = sample_sentences(grammar, n=n, seed=0, length=(5, 30))
    return [text.split() for text in table.column("text")]


def steps(
    sentences: Sequence[Sequence[str]], begin: Callable[[], Any], step: Callable[[Any, str], Any]
) -> Iterator[float]:
    """Yield the processor seconds of each step."""
    for sentence in sentences:
        state = begin()
        for word in sentence:
            began = time.process_time()
            state = step(state, word)
            yield time.process_time() - began


def ours(grammar: Grammar) -> tuple[Callable[[], Any], Callable[[Any, str], Any]]:
    """Return how a sentence begins, and how it goes on."""

    def step(prefix: Any, word: str) -> Any:
        prefix = prefix.extend([word])
        prefix.next_words()
        return prefix

    return grammar.prefix, step


def theirs(grammar: Grammar) -> tuple[Callable[[], Any], Callable[[Any, str], Any]]:
    """Return the same of genlm-grammar."""
    from genlm.grammar import CFG, Float
    from genlm.grammar.parse.earley import EarleyLM

    peer = CFG(R=Float, S=("N", grammar.start), V=set(grammar.rules.words))
    for rule in grammar:
        right = [("N", c.name) if isinstance(c, Nonterminal) else c for c in rule.rhs]
        peer.add(rule.weight, ("N", rule.lhs.name), *right)
    model = EarleyLM(peer)

    def step(prefix: tuple[str, ...], word: str) -> tuple[str, ...]:
        prefix = (*prefix, word)
        model.p_next(prefix)
        return prefix

    return tuple, step


def told(name: str, times: list[float]) -> None:
    """Print the times of one side, in ms."""
    ranked = sorted(1e3 * one for one in times)
    print(
        f"{name:<40} median {statistics.median(ranked):.3f} ms, mean {statistics.mean(ranked):.3f},"
        f" p95 {ranked[int(0.95 * len(ranked))]:.3f}, {len(ranked):,} words"
    )


def main() -> None:
    """Time both sides in turn."""
    peer_sentences = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    grammar = induce_pcfg(read_treebank())
    sentences = samples(grammar, SENTENCES)
    list(steps(sentences[:3], *ours(grammar)))  # compiles
    mine = list(steps(sentences, *ours(grammar)))
    name = f"embedded, {len(grammar):,} rules"
    told(name, mine)
    median = statistics.median(mine)
    report("next word: a step", BAR_OF_TIME / (1e3 * median), 1, "share of 0.1 ms")
    try:
        peer = theirs(grammar)
    except ImportError:
        print("genlm-grammar is not installed: pip install genlm-grammar")
    else:
        few = list(steps(sentences[:peer_sentences], *peer))
        told("  genlm-grammar", few)
        again = list(steps(sentences[:peer_sentences], *ours(grammar)))
        ratio = statistics.median(few) / statistics.median(again)
        report("next word: genlm-grammar", ratio, BAR_OF_RATIO, "medians of the same words")
    try:
        large = induce_pcfg(read_treebank("nltk:treebank"))
    except MissingDataError:
        return
    told(f"nltk:treebank, {len(large):,} rules", list(steps(samples(large, 100), *ours(large))))


if __name__ == "__main__":
    main()

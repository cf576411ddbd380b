"""What each rule distribution gives: rules used, new bigrams, new trigrams, and examples a second.

python -m benchmarks.grammar_sampling                the embedded reviews
python -m benchmarks.grammar_sampling sst            SST's training trees (TREEWRIGHT_DATA)
python -m benchmarks.grammar_sampling reviews covered   after how many examples coverage has used
python -m benchmarks.grammar_sampling sst covered       all rules, and how many the others have then
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_sst
from induction.corpus.readers import read_reviews
from induction.corpus.sources import data_file
from sampling import GrammarSampler

EXAMPLES, LENGTH = 2_000, "4:24"
CHOICES: tuple[dict[str, Any], ...] = (
    {"distribution": "mle"},
    {"distribution": "tempered", "temperature": 2.0},
    {"distribution": "uniform"},
    {"distribution": "inverse-frequency"},
    {"distribution": "coverage"},
)


def grams(texts: list[str], n: int) -> list[tuple[str, ...]]:
    words = [text.split() for text in texts]
    return [tuple(w[i : i + n]) for w in words for i in range(len(w) - n + 1)]


def row(corpus: Corpus, known: list[set[tuple[str, ...]]], choice: dict[str, Any]) -> str:
    sampler = GrammarSampler.induce(corpus, model="pcfg", length=LENGTH, **choice)
    sampler.sample(300, seed=7)
    began = time.process_time()
    made = sampler.sample(EXAMPLES)
    took = time.process_time() - began
    used = {rule for row in made.column("provenance") for rule in row["rules"]}
    texts = made.column("text")
    new = [sum(g not in known[n] for g in grams(texts, n + 2)) for n in range(2)]
    shares = [100 * k / len(grams(texts, n + 2)) for n, k in enumerate(new)]
    words = sum(len(text.split()) for text in texts) / len(texts)
    score = sum(row["log_probability"] for row in made.column("provenance")) / len(made) / words
    return (
        f"{choice['distribution']:<18} {len(used):>7,} {words:>6.1f} {shares[0]:>7.0f}%"
        f" {shares[1]:>7.0f}% {score:>8.2f} {EXAMPLES / took:>10,.0f}"
    )


def first_uses(made: Corpus) -> Any:
    """Return, for every rule that some example uses, the number of the first one that does."""
    rules = made.arrow("provenance").combine_chunks().field("rules")
    lengths = np.diff(rules.offsets.to_numpy())
    owner = np.repeat(np.arange(len(made)), lengths)
    _, first = np.unique(rules.values.to_numpy(), return_index=True)
    return np.sort(owner[first])


def covered(corpus: Corpus) -> None:
    """Print how many examples coverage needs, and how many rules so many of the others use."""
    sampler = GrammarSampler.induce(corpus, model="pcfg", length=LENGTH, distribution="coverage")
    rules = len(sampler.grammar)
    first = first_uses(sampler.sample(rules))
    needed = int(first.max()) + 1
    print(f"{'coverage':<18} {len(first):>7,} of {rules:,} rules after {needed:,} examples")
    for choice in CHOICES[:-1]:
        made = GrammarSampler.induce(corpus, model="pcfg", length=LENGTH, **choice).sample(needed)
        print(f"{choice['distribution']:<18} {len(first_uses(made)):>7,} of {rules:,} rules then")


def main(name: str, what: str = "") -> None:
    corpus = read_sst(data_file("sst/train.txt.gz")) if name == "sst" else read_reviews()
    if what == "covered":
        covered(corpus)
        return
    trees = GrammarSampler.induce(corpus, model="pcfg", length=LENGTH)
    texts = [" ".join(text.split()) for text in corpus.column("text")]
    known = [set(grams(texts, n)) for n in (2, 3)]
    print(f"{EXAMPLES:,} examples of {LENGTH} words from {len(trees.grammar):,} rules")
    print(f"{'':<18} {'rules':>7} {'words':>6} {'bigrams':>8} {'trigrams':>8}", end="")
    print(f" {'log p':>8} {'a second':>10}")
    for choice in CHOICES:
        print(row(corpus, known, choice))


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["reviews"]))

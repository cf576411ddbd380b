"""Entities from few sentences: ``python -m benchmarks.entities [SEEDS]``.

WNUT-17: so many sentences of each type of entity are drawn from the training part, each method adds
four new examples a sentence, and the tagger of ``classifiers.tagging`` looks at 12,000 sentences
whatever the method (*replicate* is the same sentences five times). Strict F1 on the development
part, in hundredths: mean and standard deviation over seeds, and in how many of them a method is
ahead of none. No option was chosen by these figures. Needs ``TREEWRIGHT_DATA``.
"""

from __future__ import annotations

import statistics
import sys
import warnings
from collections import Counter

import numpy as np
import pyarrow as pa

from classifiers.tagging.scores import span_scores
from classifiers.tagging.tagger import EntityTagger
from grammar.messages import heard_by
from grammar.rng import stream_key, uniforms
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.sources import data_file
from sampling.expression import read_step
from sampling.method import find_method

SHOTS = (5, 10, 50)
METHODS = (
    "none", "replicate", "random-word", "shuffle(structure=segments)",
    "eda(alpha_ri=0, alpha_rs=0, alpha_rd=0, alpha_sr=0.3)", "label-wise",
    "mention-replacement", "sub2(task=spans)", "sub2(phrase=false, length=true, max_words=4)",
)  # fmt: skip
TIMES, UPDATES = 4, 12_000


def few(corpus: Corpus, shots: int, seed: int) -> Corpus:
    """Return sentences in a random order, each taken if a type in it has too few so far."""
    order = np.argsort(uniforms(stream_key(seed, "few"), 0, len(corpus)), kind="stable")
    spans = corpus.column("spans")
    held: Counter[str] = Counter()
    taken = []
    for row in order.tolist():
        types = {span["label"] for span in spans[row]}
        if any(held[name] < shots for name in types):
            taken.append(row)
            held.update(types)
    return Corpus(corpus.table.take(pa.array(taken)))


def with_new(corpus: Corpus, method: str, seed: int) -> Corpus:
    """Return sentences with new ones behind them."""
    if method == "none":
        return corpus
    if method == "replicate":
        columns = corpus.table.select(["text", "tokens", "spans"])
        return Corpus(pa.concat_tables([columns] * (TIMES + 1)))
    step = read_step(method)
    sampler = find_method(step.method).induce(corpus, **dict(step.options))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = sampler.sample(TIMES * len(corpus), seed=seed)
    kept = ["text", "tokens", "spans"]
    return Corpus(pa.concat_tables([corpus.table.select(kept), made.table.select(kept)]))


def f1(train: Corpus, dev: Corpus, seed: int) -> float:
    """Return the strict F1 of a tagger, in hundredths."""
    tagger = EntityTagger.train(train, steps=UPDATES, seed=seed)
    return 100 * span_scores(dev, tagger.tag(dev))[""].f1


def main() -> None:
    """Print a row a method."""
    seeds = range(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    parts = (read_corpus(data_file(f"ner/wnut17/{part}.conll.gz")) for part in ("train", "dev"))
    train, dev = parts
    found: dict[tuple[str, int], list[float]] = {}
    with heard_by(lambda message: None):
        for shots in SHOTS:
            for seed in seeds:
                chosen = few(train, shots, seed)
                for method in METHODS:
                    score = f1(with_new(chosen, method, seed), dev, seed)
                    found.setdefault((method, shots), []).append(score)
    print(f"{'sentences a type':<54}" + "".join(f"{shots:>20}" for shots in SHOTS))
    for method in METHODS:
        cells = []
        for shots in SHOTS:
            mine, none = found[method, shots], found["none", shots]
            ahead = sum(a > b for a, b in zip(mine, none, strict=True))
            spread = statistics.stdev(mine) if len(mine) > 1 else 0.0
            cells.append(f"{statistics.mean(mine):>9.1f} ± {spread:>3.1f} {ahead}/{len(mine)}")
        print(f"{method:<54}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    main()

"""Fluent Sub2 and TreeMix on the embedded reviews: examples a second on one core.

python -m benchmarks.fluent                       speed
python -m benchmarks.fluent quality FILE          variety and fidelity, with trees and labels
python -m benchmarks.fluent model FILE [METHOD]   fewer examples, and a language model chooses
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from benchmarks.timing import report, seconds
from induction import Corpus, read_corpus, read_reviews
from sampling import Fluent, Sampler
from sampling.operators.repetition_penalty import fillers_of
from sampling.quality.measures.fidelity import agreement, judge, shared_labels
from sampling.quality.measures.parents import find_parents
from sampling.quality.measures.self_bleu import self_bleu

METHODS = ("sub2", "treemix")
SCORES = ("joins", "learnt")
FEW, READ, MANY = 50, 300, 1000
MODEL = "smollm2"


def speed(corpus: Corpus) -> None:
    for of in METHODS:
        for score in SCORES:
            for most_pairs, how in ((0, "32 draws"), (2**24, "exactly")):
                sampler = Fluent.induce(corpus, of=of, score=score, most_pairs=most_pairs)
                # draws as they come: of a small corpus, most repeat an example before
                sampler.inner.distinct = False
                stream = sampler.stream(0)
                stream.take(FEW)
                size = 32_768
                rate = size / seconds(lambda: stream.take(size))  # noqa: B023
                report(f"{of}, {score}, {how}", rate, 20_000, "one core", unit="/s")


def quality(corpus: Corpus) -> None:
    for of in METHODS:
        plain = Fluent.induce(corpus, of=of, power=0)
        tell(f"{of}, plain with hosts in turn", plain, corpus)
        for score in SCORES:
            tell(f"{of}, {score}", Fluent.induce(corpus, of=of, score=score), corpus)


def model(corpus: Corpus, methods: Sequence[str]) -> None:
    for of in methods:
        for name, options in (("plain", {"power": 0}), ("joins", {}), (MODEL, {"model": MODEL})):
            sampler = Fluent.induce(corpus, of=of, **options)
            tell(f"{of}, {name}, {READ} examples", sampler, corpus, READ)


def tell(name: str, sampler: Sampler, corpus: Corpus, size: int = MANY) -> None:
    made = sampler.sample(size)
    bleu, fillers, hosts = variety(made).values()
    varied = f"self-BLEU-5 {bleu:.3f}  fillers {fillers}  hosts {hosts}"
    print(f"{name:<40} {varied}  fidelity {fidelity(made, corpus):.3f}", flush=True)


def fidelity(made: Corpus, corpus: Corpus) -> float:
    """Return how many labels a classifier confirms that has seen no parent of the example."""
    judged = judge(made, corpus, find_parents(made, corpus))
    known = ~np.isnan(judged.augmented[:, 0])
    agreed = agreement(judged.augmented[known], shared_labels(made, corpus)[0][known])
    return round(float(agreed.mean()), 3)


def variety(made: Corpus) -> dict[str, float]:
    """Return self-BLEU-5 of examples, and how many fillers and hosts are distinct."""
    return {
        "self-BLEU": round(float(self_bleu(made).mean()), 3),
        "fillers": len(set(fillers_of(made.table))),
        "hosts": len({row["provenance"]["parents"][0] for row in made}),
    }


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            speed(read_reviews())
        case ["quality", file]:
            quality(read_corpus(file))
        case ["model", file, *methods] if {*methods} <= {*METHODS, "alp"}:
            model(read_corpus(file), methods or METHODS)
        case _:
            sys.exit(__doc__)

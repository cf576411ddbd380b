"""Methods that edit words on SST-2 sentences, against nlpaug's augmenter of synonyms.

Both replace words by WordNet synonyms in the same sentences in one run. nlpaug's tables fill up as
it goes, so it runs over the sentences once before it is timed; ours look all words up when the
method is induced, which is timed apart.

    python -m benchmarks.tokens
"""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable
from typing import Any

from benchmarks.timing import report, seconds
from induction.corpus.corpus import Corpus
from induction.corpus.sources import data_file
from sampling.words.aeda import AEDA
from sampling.words.drop import WordDrop
from sampling.words.eda import EDA
from sampling.words.noise import RandomWord
from sampling.words.shuffle import Shuffle
from sampling.words.switchout import SwitchOut

SENTENCES, EXAMPLES, BAR = 1_000, 100_000, 20
ONLY_SYNONYMS = {"alpha_ri": 0, "alpha_rs": 0, "alpha_rd": 0}


def sentences() -> Corpus:
    with gzip.open(data_file("sst2/stsa.binary.train.gz"), "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split(" ", 1) for line in lines]
    return Corpus.from_columns(
        text=[text for _, text in rows], label=[int(label) for label, _ in rows]
    )


def nlpaug_rate(texts: list[str]) -> tuple[float, float]:
    """Sentences a second of nlpaug's synonym augmenter, on the second and on the first pass."""
    from nlpaug.augmenter.word import SynonymAug

    augmenter = SynonymAug(aug_src="wordnet")
    work: Callable[[], Any] = lambda: [augmenter.augment(text) for text in texts]  # noqa: E731
    cold = len(texts) / seconds(work)
    return len(texts) / seconds(work), cold


def main() -> None:
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")
    corpus = sentences()
    began = time.process_time()
    synonyms = EDA.induce(corpus, **ONLY_SYNONYMS)
    inducing = time.process_time() - began
    samplers = {
        "EDA, all four operations": EDA.induce(corpus),
        "EDA, synonym replacement": synonyms,
        "AEDA": AEDA.induce(corpus),
        "random words": RandomWord.induce(corpus),
        "SwitchOut": SwitchOut.induce(corpus),
        "WordDrop": WordDrop.induce(corpus),
        "shuffled words": Shuffle.induce(corpus),
    }
    peer, cold = nlpaug_rate(corpus.column("text")[:SENTENCES])
    for name, sampler in samplers.items():
        sampler.sample(1)
        took = seconds(lambda sampler=sampler: sampler.sample(EXAMPLES, seed=1))
        rate = EXAMPLES / took
        report(f"{name} / nlpaug synonyms", rate / peer, BAR, f"{rate:,.0f} against {peer:,.0f}/s")
    took = inducing + seconds(lambda: synonyms.sample(len(corpus), seed=2))
    rate = len(corpus) / took
    detail = f"{rate:,.0f} against {cold:,.0f}/s, WordNet loaded in ours ({inducing:.1f} s)"
    report("one example a sentence, with induction, first pass", rate / cold, 1, detail)


if __name__ == "__main__":
    main()

"""GECA: complete sets on SCAN, speed on SST against plain Python, and a million sentences.

    python -m benchmarks.geca               SCAN: how many new pairs, how right
    python -m benchmarks.geca sst           the complete set of SST, plainly and by ours
    python -m benchmarks.geca million FILE  1,000,000 lines of text, and as many new ones

The plain version is the sample code of the paper (section 4) with ``str`` and ``dict``, for
fragments of one n-gram: tables from fragments to templates and from environments to fragments, and
then every context with every filler it admits. It keeps no record of what made an example.
Times are those of the processor.
"""

from __future__ import annotations

import resource
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.timing import report
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_sst
from induction.corpus.sources import data_file
from sampling import GECA
from sampling.geca.stream import GECAStream
from scan import split, verify

HELD_OUT = {"jump": "jump", "around-right": "around right"}
SIZE, WINDOW, MAX_COUNT = 2, 2, 20
MARK = "⟨0⟩"


def scan() -> None:
    for name, phrase in HELD_OUT.items():
        data = split(name)
        began = time.process_time()
        sampler = GECA.induce(data.train, size=1, gaps=2)
        made = sampler.sample()
        took = time.process_time() - began
        texts = made.column("text")
        tests = set(data.test.column("text"))
        held_out = sum(phrase in text for text in texts) / len(texts)
        print(
            f"{name}: {len(made):,} new pairs in {took:.1f} s; {verify(made).rate:.2%} agree with "
            f"the interpreter; {held_out:.1%} contain {phrase!r}; "
            f"{len(tests.intersection(texts)):,} of {len(tests):,} test commands are among them"
        )
        code = [
            len(GECA.induce(data.train, size=1, gaps=2, faithful="code").sample(seed=seed))
            for seed in range(3)
        ]
        print(f"  faithful='code', three seeds: {code} pairs")


class PlainGECA:
    """The sample code of the paper, for fragments of one n-gram that is not frequent."""

    def __init__(self, texts: list[str]) -> None:
        self.sentences = list(dict.fromkeys(tuple(text.split()) for text in texts))
        counts = Counter(gram for s in self.sentences for gram in self.grams(s))
        self.rare = {gram for gram, count in counts.items() if count <= MAX_COUNT}
        self.known = set(self.sentences)

    def grams(self, sentence: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for size in range(1, SIZE + 1):
            for i in range(len(sentence) - size + 1):
                yield sentence[i : i + size]

    def cut(self, sentence: tuple[str, ...], gram: tuple[str, ...]) -> tuple[str, ...]:
        template: list[str] = []
        i = 0
        while i < len(sentence):
            here = sentence[i : i + len(gram)] == gram
            template.append(MARK if here else sentence[i])
            i += len(gram) if here else 1
        return tuple(template)

    def environment(self, template: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        padded = ("",) * WINDOW + template + ("",) * WINDOW
        holes = [i for i, word in enumerate(template) if word == MARK]
        return tuple(padded[i : i + 2 * WINDOW + 1] for i in holes)

    def all(self) -> set[tuple[str, ...]]:
        templates_of, fragments_of, near = defaultdict(set), defaultdict(set), defaultdict(set)
        for sentence in self.sentences:
            for gram in set(self.grams(sentence)) & self.rare:
                template = self.cut(sentence, gram)
                templates_of[gram].add(template)
                fragments_of[template].add(gram)
                near[self.environment(template)].add(gram)
        made = set()
        for host, held in fragments_of.items():
            fillers: set[tuple[str, ...]] = set()
            for gram in held:
                for template in templates_of[gram]:
                    fillers |= near[self.environment(template)]
            for gram in fillers - held:
                text = tuple(w for word in host for w in (gram if word == MARK else (word,)))
                if text not in self.known:
                    made.add(text)
        return made


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def sst() -> None:
    data = read_sst(data_file("sst/train.txt.gz"))
    texts = Corpus.from_columns(text=data.column("text"))
    options: dict[str, Any] = {
        "gaps": 1, "size": SIZE, "window": WINDOW, "max_count": MAX_COUNT
    }  # fmt: skip
    GECA.induce(Corpus(texts.table.slice(0, 300)), **options).sample(10)
    GECAStream.induce(Corpus(texts.table.slice(0, 300)), **options, max_length=None).sample(10)
    plain, theirs = timed(lambda: PlainGECA(texts.column("text")).all())
    ours, made = timed(lambda: GECA.induce(texts, **options).sample())
    assert {tuple(text.split()) for text in made.column("text")} == theirs
    what = f"{len(made):,} examples from {len(texts):,} texts"
    report(f"GECA on SST, {what}", plain / ours, 50, f"{ours:.2f} s against {plain:.2f} s")
    sampler = GECA.induce(texts, **options)
    sampler.sample(1)
    again, _ = timed(sampler.sample)
    n = len(made)
    report(
        "the same, induced before",
        plain / again,
        50,
        f"{n / again:,.0f} against {n / plain:,.0f} a second",
    )
    induced, stream = timed(lambda: GECAStream.induce(texts, **options, max_length=None))
    drawn, _ = timed(lambda: stream.sample(n // 2))
    rate = f"induced in {induced:.2f} s, then {n // 2 / drawn:,.0f} a second"
    report("GECAStream, half as many", plain / n / (drawn / (n // 2)), 50, rate)


def million(path: str, n: int = 1_000_000) -> None:
    with Path(path).open(encoding="utf-8") as lines:
        texts = pa.array((line.rstrip("\n") for _, line in zip(range(n), lines, strict=False)))
    corpus = Corpus.from_columns(text=texts)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    induced, stream = timed(lambda: GECAStream.induce(corpus))
    middle = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    drawn, rows = timed(lambda: sum(len(table) for table in stream.batches(n)))
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{stream} of {len(corpus):,} texts in {induced:.1f} s; {rows:,} new ones in {drawn:.1f} s;"
        f" peak memory {before:.2f}, {middle:.2f}, {after:.2f} GiB (read, induced, drawn); at most"
        f" {stream.count():,} substitutions"
    )


if __name__ == "__main__":
    which = (sys.argv[1:] or ["scan"])[0]
    {"scan": scan, "sst": sst, "million": lambda: million(sys.argv[2])}[which]()

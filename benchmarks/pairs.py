"""Pairs that teach what belongs: sentences as they were written, and exchanges in the same place.

    python -m benchmarks.pairs FOLDER [SOURCE ...]

A thousand sentences at a time are a corpus of which Sub2, TreeMix and ALP make new texts as they
do for anybody, with the scores of ``fluent`` and without a language model. Each new text makes a
pair with its first parent: what either has and the other has not is what was changed. Nobody has to
read them: the parent is right, and most of the others are wrong. ``FOLDER/SOURCE.parquet`` has a
row a text: the text, the characters at which what was changed begins and ends, and whether it is as
it was written. Sources are those of the verdicts (their licences are in the card of the probes).
No sentence has six words in a row with a text of the table of verdicts, or with any sentence of
SST-2, TREC and Subj but for those of one thousand of Subj that are not read blind. Takes a quarter
of an hour of two cores, if two run side by side. Needs ``TREEWRIGHT_DATA`` and ``NLTK_DATA``.
"""

from __future__ import annotations

import gzip
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
from nltk.corpus import movie_reviews

from benchmarks.english_parser import gum
from benchmarks.reading import sentences
from benchmarks.verdicts import rows as verdicts
from classifiers.table.data import corpus_of, open_few_shot
from induction import Corpus, read_treebank, with_trees
from induction.corpus.sources import data_file
from induction.corpus.text.tokens import detokenise
from sampling import number_classes
from sampling.expression import read_step
from sampling.method import induce
from sampling.neural.causal.features import Change, changed

AT_ONCE, FEWEST, RUNNING = 1000, 300, 6
METHODS = {"fluent(treemix)": 3500, "fluent(sub2)": 2200, "treemix": 300, "fluent(alp)": 1000}
"""So many texts of a thousand sentences."""
LENGTHS = range(6, 33)
PLOTS = 7
"""The thousand of Subj whose sentences may be learnt from."""
QUESTION = re.compile(r"(what|who|where|when|how|why|which|whose|in what|name)\b.*\?$", re.I)
RARE = 9
"""A class of so many sentences or fewer is not one."""

Sentence = tuple[str, str]
"""A text and its class."""


class Source(NamedTuple):
    """Where sentences come from, and how many are taken at the most."""

    read: Callable[[], Iterator[Sentence]]
    most: int


def _gum() -> Iterator[Sentence]:
    for path in gum("train"):
        for tree in read_treebank(path):
            yield detokenise(tree.leaves()), path.name.split("_")[1]


def _reviews() -> Iterator[Sentence]:
    for name in movie_reviews.fileids():
        for words in movie_reviews.sents(name):
            yield " ".join(words), movie_reviews.categories(name)[0]


def _plots() -> Iterator[Sentence]:
    corpus = sentences("subj", PLOTS)
    yield from zip(corpus.column("text"), map(str, corpus.column("label")), strict=True)


def _tatoeba() -> Iterator[Sentence]:
    with gzip.open(data_file("text/tatoeba_eng.txt.gz"), "rt", encoding="utf-8") as lines:
        for text in map(str.strip, lines):
            if not QUESTION.match(text):
                yield text, ("even", "odd")[len(text) % 2]


def _questions() -> Iterator[Sentence]:
    with gzip.open(data_file("text/tatoeba_eng.txt.gz"), "rt", encoding="utf-8") as lines:
        for text in map(str.strip, lines):
            if QUESTION.match(text):
                yield text, text.split()[0].lower()


SOURCES: Mapping[str, Source] = {
    "gum": Source(_gum, 3000),
    "movie-reviews": Source(_reviews, 15000),
    "plots": Source(_plots, 1000),
    "tatoeba": Source(_tatoeba, 10000),
    "questions": Source(_questions, 8000),
}


def running(text: str) -> set[str]:
    """Return all six words running in a text, or the whole of a shorter one, plainly written."""
    words = re.sub(r"[^a-z0-9]+", " ", text.lower()).split()
    return {" ".join(words[k : k + RUNNING]) for k in range(max(1, len(words) - RUNNING + 1))}


def not_to_learn() -> set[str]:
    """Return what no sentence may have: of texts with verdicts, and of data sets."""
    texts = [row.change.text for row in verdicts()]
    for name in ("sst2", "trec", "subj"):
        data = open_few_shot(name)
        texts += [text for part in (data.pool, *data.tests.values()) for text, _ in part]
    plots = {text for text, _ in _plots()}
    return {part for text in texts if text not in plots for part in running(text)}


def chosen(name: str, without: set[str]) -> list[Sentence]:
    """Return sentences of a source, in an order that chance made."""
    source = SOURCES[name]
    found = [
        (text, label)
        for text, label in dict.fromkeys(source.read())
        if len(text.split()) in LENGTHS and not without & running(text)
    ]
    random.Random(name).shuffle(found)
    return found[: source.most]


def corpus(rows: Sequence[Sentence]) -> Corpus:
    """Return sentences with trees; small classes are one with the largest."""
    sizes = Counter(label for _, label in rows)
    usual = max(sizes, key=sizes.__getitem__)
    rows = [(text, label if sizes[label] > RARE else usual) for text, label in rows]
    return with_trees(number_classes(corpus_of(rows)))


def pairs(given: Corpus, seed: int) -> Iterator[tuple[Change, Change]]:
    """Yield new texts, each beside its first parent, and what either has that the other has not."""
    source = {
        name: " ".join(detokenise(text.split()).split())
        for name, text in zip(given.column("id"), given.column("text"), strict=True)
    }
    for method, count in METHODS.items():
        step = read_step(method)
        made = induce(step.method, given, **step.options).sample(count, seed=seed)
        provenance = made.table.column("provenance").combine_chunks()
        parents = provenance.field("parents").to_pylist()
        for text, names in zip(made.column("text"), parents, strict=True):
            new, old = " ".join(detokenise(text.split()).split()), source[names[0]]
            if new != old:
                yield changed(new, old), changed(old, new)


def write(name: str, folder: Path) -> None:
    rows, columns = chosen(name, not_to_learn()), ("text", "begin", "end", "own")
    found: dict[str, list[str | int]] = {column: [] for column in columns}
    for first in range(0, len(rows), AT_ONCE):
        part = rows[first : first + AT_ONCE]
        if len(part) < FEWEST:
            break
        for pair in pairs(corpus(part), first):
            for own, change in enumerate(pair):
                told = (change.text, change.begin, change.end, own)
                for column, value in zip(columns, told, strict=True):
                    found[column].append(value)
        print(f"{name}: {first + len(part)} of {len(rows)} sentences", flush=True)
    pq.write_table(pa.table(found), folder / f"{name}.parquet", compression="zstd")


def read(folder: Path) -> tuple[list[Change], list[int]]:
    """Return the texts of all sources, and whether each is as it was written."""
    tables = [pq.read_table(folder / f"{name}.parquet") for name in SOURCES]
    rows = [row for table in tables for row in zip(*(c.to_pylist() for c in table), strict=True)]
    changes = [Change(text, "", begin, end, 0, 0, 0) for text, begin, end, _ in rows]
    return changes, [own for *_, own in rows]


if __name__ == "__main__":
    if len(sys.argv) < 2 or not {*sys.argv[2:]} <= {*SOURCES}:
        sys.exit(__doc__)
    to = Path(sys.argv[1])
    to.mkdir(parents=True, exist_ok=True)
    for each in sys.argv[2:] or SOURCES:
        if not (to / f"{each}.parquet").exists():
            write(each, to)

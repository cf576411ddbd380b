"""Annotated sentences to draw a few of, and others to test on."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from classifiers.structured.tasks import Task
from classifiers.table.data import VARIABLE
from grammar.arrays import BoolArray, LongArray
from grammar.errors import CorpusError, MissingDataError
from grammar.rng import stream_key, uniforms
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.readers import read_treebank
from induction.corpus.tree_files import corpus_of_trees
from induction.trees.normalise import normalise

__all__ = ["Annotated", "open_annotated"]

LONGEST_LEARNT, LONGEST_TESTED = 25, 40
"""Words of the trees of NLTK's sample that are drawn, and that are tested."""


@dataclass(frozen=True)
class Annotated:
    """A data set.

    Attributes
    ----------
    name : str
        What it is called.
    pool, test : Corpus
        What samples are drawn from, and what is tested on.
    digest : str
        A hash of all of it.
    """

    name: str
    pool: Corpus
    test: Corpus
    digest: str

    @classmethod
    def of(cls, name: str, pool: Corpus, test: Corpus) -> Annotated:
        """Return a data set with its hash."""
        digest = hashlib.sha256()
        for part in (pool, test):
            digest.update(str(part.table.to_pylist()).encode("utf-8", "surrogatepass"))
        return cls(name, pool, test, digest.hexdigest()[:16])

    def sample(self, k: int, seed: int) -> Corpus:
        """Return ``k`` sentences (all, if there are fewer), as a function of the seed.

        Of sentences with spans there are ``k`` for each label, or a few more of those that stand
        with rarer ones; sentences without any are not drawn.
        """
        draws = uniforms(stream_key(seed, "few sentences"), 0, len(self.pool))
        order = np.argsort(draws, kind="stable")
        rows = _few_of_each(self.pool, order, k) if self.by_label else order[:k]
        return Corpus(self.pool.table.take(pa.array(np.sort(rows))))

    @property
    def by_label(self) -> bool:
        """Whether so many sentences are drawn for each label."""
        return "spans" in self.pool.names


def _few_of_each(pool: Corpus, order: LongArray, k: int) -> list[int]:
    """Return rows in their order, each taken if a label in it has too few so far."""
    spans, held = pool.column("spans"), Counter[str]()
    taken = []
    for row in order.tolist():
        labels = {span["label"] for span in spans[row]}
        if any(held[label] < k for label in labels):
            taken.append(row)
            held.update(labels)
    return taken


def open_annotated(given: str, task: Task, *, development: bool = False) -> Annotated:
    """Open a data set.

    Parameters
    ----------
    given : str
        ``nltk:treebank`` (every tenth tree is tested); a folder, here or below the one that
        ``TREEWRIGHT_DATA`` names, with files whose names have ``train`` and ``test`` in them
        (where there is no ``test``, ``dev`` is tested); or a file, a third of which is tested.
    task : Task
        Says which columns are kept.
    development : bool
        Test on other sentences: those of ``dev``, or a part of what is otherwise drawn from.

    Raises
    ------
    MissingDataError
        If it is not there.
    CorpusError
        If it does not have what the task learns from.
    """
    pool, test = _parts(given, development=development)
    kept = ["text", *(("tokens",) if "tokens" in pool.names else ()), *task.columns]
    pool, test = (_kept(each, kept, task) for each in (pool, test))
    if not len(pool) or not len(test):
        raise CorpusError("there are too few sentences", where=given, hint="give more of them")
    name = Path(given).name.removeprefix("UD_").replace(":", "-")
    return Annotated.of(name, pool, test)


def _kept(corpus: Corpus, names: list[str], task: Task) -> Corpus:
    columns: dict[str, Any] = {name: corpus.arrow(name) for name in names}
    if "tokens" in names and task.name != "spans":  # multiword tokens are not what texts show
        columns["text"] = [" ".join(words) for words in corpus.column("tokens")]
    return Corpus.from_columns(**columns)


def _parts(given: str, *, development: bool) -> tuple[Corpus, Corpus]:
    if given.startswith("nltk:"):
        return _trees(given, development=development)
    folder = _found(given)
    if folder.is_file():
        whole = read_corpus(folder)
        place = np.arange(len(whole)) % 3
        return _rows(whole, place != 2), _rows(whole, place == (1 if development else 2))
    if _has(folder, "test"):
        return _file(folder, "train"), _file(folder, "dev" if development else "test")
    if development:  # dev is the test
        whole = _file(folder, "train")
        place = np.arange(len(whole)) % 3
        return _rows(whole, place != 2), _rows(whole, place == 2)
    return _file(folder, "train"), _file(folder, "dev" if _has(folder, "dev") else "test")


def _trees(given: str, *, development: bool) -> tuple[Corpus, Corpus]:
    trees = normalise(read_treebank(given))
    place, tested = np.arange(len(trees)) % 10, 8 if development else 9
    drawn = (place < 8) & (trees.lengths <= LONGEST_LEARNT)
    held = (place == tested) & (trees.lengths <= LONGEST_TESTED)
    return corpus_of_trees(trees.take(drawn)), corpus_of_trees(trees.take(held))


def _rows(corpus: Corpus, kept: BoolArray) -> Corpus:
    return Corpus(corpus.table.filter(pa.array(kept)))


def _found(given: str) -> Path:
    below = os.environ.get(VARIABLE)
    places = [Path(given), *([Path(below) / given] if below else [])]
    for place in places:
        if place.exists():
            return place
    raise MissingDataError(
        "there are no such data", where=given, hint=f"name a file or folder, or set {VARIABLE}"
    )


def _has(folder: Path, part: str) -> bool:
    return any(part in path.name for path in folder.iterdir())


def _file(folder: Path, part: str) -> Corpus:
    found: list[Path] = sorted(path for path in folder.iterdir() if part in path.name)
    if not found:
        raise MissingDataError(
            f"there is no file for {part}", where=str(folder), hint=f"name it like {part}.conllu"
        )
    return read_corpus(found[0])

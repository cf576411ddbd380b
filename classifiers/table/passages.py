"""Data sets of passages: sentences of documents of several kinds, which are told apart."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from classifiers.table.rows import Parts, Rows, drawn, order_of
from grammar.trees.surfaces import surface_of
from induction.corpus.readers import read_treebank

__all__ = ["brown", "gum"]

SENTENCES = 3
"""In a passage."""
CATEGORIES = (
    "government", "hobbies", "learned", "mystery", "news", "religion", "reviews", "romance",
)  # fmt: skip
"""Those of Brown that have more than a dozen documents, and whose subjects differ."""
TESTED = 600


def brown(root: Path) -> Parts:
    """Return passages of Brown: half of the documents are tested on, each class alike often."""
    parts: tuple[Rows, Rows] = [], []
    with zipfile.ZipFile(root / "nltk_data" / "corpora" / "brown.zip") as archive:
        listed = [line.split() for line in archive.read("brown/cats.txt").decode().split("\n")]
        files = [(one[0], one[1]) for one in listed if one[1:] and one[1] in CATEGORIES]
        for place, number in enumerate(order_of(len(files), "brown").tolist()):
            name, label = files[number]
            lines = archive.read(f"brown/{name}").decode("latin-1").split("\n")
            sentences = [
                " ".join(word.rpartition("/")[0] for word in line.split())
                for line in lines
                if line.strip()
            ]
            parts[place % 2].extend(_passages(sentences, label))
    pool, test = parts
    return pool, {"test": drawn(test, TESTED // len(CATEGORIES), "brown test")}


def gum(root: Path) -> Parts:
    """Return passages of GUM, whose documents are named after their kinds; its own test part."""
    pool, test = (_of_trees(root / "gum" / part) for part in ("train", "test"))
    return pool, {"test": drawn(test, TESTED, "gum test")}


def _of_trees(folder: Path) -> Rows:
    rows: Rows = []
    for path in sorted(folder.iterdir()):
        trees = read_treebank(path)
        sentences = [" ".join(map(surface_of, tree.leaves())) for tree in trees]
        rows += _passages(sentences, path.stem.split("_")[1])
    return rows


def _passages(sentences: Sequence[str], label: str) -> Rows:
    places = range(0, len(sentences), SENTENCES)
    return [(" ".join(sentences[place : place + SENTENCES]), label) for place in places]

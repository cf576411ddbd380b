"""Data sets for few-shot trials: labelled samples of k a class, and parts to test on.

Files lie below the folder that ``TREEWRIGHT_DATA`` names. What is sampled and what is tested on
have no example in common.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from grammar.rng import stream_key
from induction import Corpus

__all__ = ["DATA", "FewShot", "read_few_shot"]

DATA = ("sst2", "trec", "ag_news", "subj")
Rows = list[tuple[str, str]]
AG_CLASSES = ("World", "Sports", "Business", "Sci/Tech")
HELD_OUT = {"trec": 800, "subj": 2000}
DEVELOPMENT = 1000


@dataclass(frozen=True)
class FewShot:
    """A data set.

    Attributes
    ----------
    pool : list of (str, str)
        Texts and classes that labelled samples are drawn from.
    tests : mapping of str to list of (str, str)
        Parts to test on; the first is the one that bars are about.
    digest : str
        A hash of all of it.
    """

    pool: Rows
    tests: Mapping[str, Rows]
    digest: str

    def sample(self, k: int, seed: int) -> Corpus:
        """Return k examples of each class, as a function of the seed."""
        draw = np.random.Generator(np.random.Philox(key=int(stream_key(seed, f"few-shot {k}"))))
        rows: list[int] = []
        for name in sorted({label for _, label in self.pool}):
            mine = [row for row, (_, label) in enumerate(self.pool) if label == name]
            rows += draw.choice(mine, k, replace=False).tolist()
        return corpus_of([self.pool[row] for row in rows])


def corpus_of(rows: Rows) -> Corpus:
    """Return rows as a corpus."""
    return Corpus.from_columns(text=[text for text, _ in rows], label=[label for _, label in rows])


def read_few_shot(name: str, *, development: bool = False) -> FewShot:
    """Read a data set; for development the test is a part of what is otherwise sampled from."""
    pool, tests = _READERS[name](Path(os.environ["TREEWRIGHT_DATA"]))
    if development:
        pool, tests = _divided(pool, DEVELOPMENT, "development", {})
    tested = {text for rows in tests.values() for text, _ in rows}
    pool = [row for row in pool if row[0] not in tested]
    whole = repr((pool, tests)).encode("utf-8", "surrogatepass")
    return FewShot(pool, tests, hashlib.sha256(whole).hexdigest()[:16])


def _divided(
    pool: Rows, size: int, name: str, tests: Mapping[str, Rows]
) -> tuple[Rows, dict[str, Rows]]:
    order = np.random.Generator(np.random.Philox(key=int(stream_key(0, name)))).permutation(
        len(pool)
    )
    held = [pool[row] for row in sorted(order[:size].tolist())]
    return [pool[row] for row in sorted(order[size:].tolist())], {**tests, name: held}


def _sst2(root: Path) -> tuple[Rows, dict[str, Rows]]:
    names = {"0": "negative", "1": "positive"}

    def rows(part: str) -> Rows:
        lines = gzip.decompress((root / "sst2" / f"stsa.binary.{part}.gz").read_bytes())
        return [(line[2:], names[line[0]]) for line in lines.decode("latin-1").split("\n") if line]

    return rows("train"), {"test": rows("test")}


def _trec(root: Path) -> tuple[Rows, dict[str, Rows]]:
    def rows(name: str) -> Rows:
        lines = (root / "trec" / name).read_text("latin-1").split("\n")
        parted = (line.partition(" ") for line in lines if line.strip())
        return [(text.strip(), label.partition(":")[0]) for label, _, text in parted]

    tests = {"test": rows("TREC_10.label")}
    return _divided(rows("train_5500.label"), HELD_OUT["trec"], "held out", tests)


def _ag_news(root: Path) -> tuple[Rows, dict[str, Rows]]:
    def rows(name: str) -> Rows:
        text = gzip.decompress((root / "ag_news" / name).read_bytes()).decode()
        read = csv.reader(io.StringIO(text))
        # the training file has title and description in one column, and then the source
        texts = slice(1, 2) if name.startswith("train") else slice(1, 3)
        return [(" ".join(r[texts]), AG_CLASSES[int(r[0]) - 1]) for r in read if r[0].isdecimal()]

    return rows("train_subset.csv.gz"), {"test": rows("test.csv.gz")}


def _subj(root: Path) -> tuple[Rows, dict[str, Rows]]:
    names = {"0": "subjective", "1": "objective"}
    lines = gzip.decompress((root / "subj" / "subj.all.gz").read_bytes()).decode("latin-1")
    rows = [(line[2:], names[line[0]]) for line in lines.split("\n") if line.strip()]
    return _divided(rows, HELD_OUT["subj"], "test", {})


_READERS = {"sst2": _sst2, "trec": _trec, "ag_news": _ag_news, "subj": _subj}

"""Data for few-shot trials: what labelled samples are drawn from, and parts to test on."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from classifiers.table.corpora import CORPORA
from classifiers.table.rows import Rows, divided
from grammar.errors import CorpusError, MissingDataError, OptionError
from grammar.options import meant
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus

__all__ = ["VARIABLE", "FewShot", "corpus_of", "open_few_shot"]

VARIABLE = "TREEWRIGHT_DATA"
"""Names the folder of the data sets that are known by name."""
NAMED_AS = {"sst2_imdb": "sst2", "imdb": "sst2"}
"""Data sets with the classes of another."""
DEVELOPMENT = 1000
"""So many examples of the training file are tested on in development, or a third of them."""


@dataclass(frozen=True)
class FewShot:
    """A data set.

    Attributes
    ----------
    name : str
        What it is called.
    pool : list of (text, class)
        What labelled samples are drawn from; a text may be a pair.
    tests : mapping of str to list of (text, class)
        Parts to test on. None of their texts is in the pool.
    digest : str
        A hash of all of it.
    names : path, optional
        A file with what the classes are called.
    """

    name: str
    pool: Rows
    tests: Mapping[str, Rows]
    digest: str
    names: Path | None = None

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes of the pool, in order."""
        return tuple(sorted({label for _, label in self.pool}))

    def sample(self, k: int, seed: int, ratio: int = 1) -> Corpus:
        """Return labelled examples, as a function of the seed.

        Parameters
        ----------
        k : int
            So many of each class; of a class that has fewer, all.
        seed : int
            Of the draw.
        ratio : int
            Of half of the classes, which are drawn, there are so many times k.
        """
        rows = self._drawn(k, seed, ratio)
        return corpus_of([self.pool[row] for row in rows])

    def others(self, k: int, seed: int, count: int, ratio: int = 1) -> Corpus:
        """Return other examples of the pool, drawn without regard to their classes."""
        taken = set(self._drawn(k, seed, ratio))
        free = [row for row in range(len(self.pool)) if row not in taken]
        rows = _draw(seed, f"others {k}").permutation(free)[:count].tolist()
        return corpus_of([self.pool[row] for row in rows])

    def _drawn(self, k: int, seed: int, ratio: int) -> list[int]:
        often = set()
        if ratio > 1:
            order = _draw(seed, "frequent classes").permutation(len(self.classes))
            often = {self.classes[i] for i in order[len(order) // 2 :].tolist()}
        draw = _draw(seed, f"few-shot {k}" + (f" 1:{ratio}" if ratio > 1 else ""))
        rows: list[int] = []
        for name in self.classes:
            mine = [row for row, (_, label) in enumerate(self.pool) if label == name]
            count = k * ratio if name in often else k
            rows += draw.choice(mine, min(count, len(mine)), replace=False).tolist()
        return rows


def corpus_of(rows: Rows) -> Corpus:
    """Return rows as a corpus."""
    columns: dict[str, Any] = {"text": [text for text, _ in rows]}
    if rows and not isinstance(rows[0][0], str):
        first, second = zip(*columns["text"], strict=True)
        columns = {"text": first, "text_pair": second}
    return Corpus.from_columns(**columns, label=[label for _, label in rows])


def open_few_shot(
    given: str, *, development: bool = False, names: str | Path | None = None
) -> FewShot:
    """Open a data set: by its name, a folder with ``train`` and ``test`` files, or one file.

    Parameters
    ----------
    given : str
        A name of :data:`~classifiers.table.corpora.CORPORA`, found below the folder that
        ``TREEWRIGHT_DATA`` names; or a folder with ``train.csv`` and ``test.csv`` (or ``.tsv``,
        ``.jsonl``, ``.parquet``), and perhaps ``names.txt``; or a file, a third of which is tested.
    development : bool
        Test on a part of what is otherwise sampled from.
    names : path, optional
        A folder with a file ``NAME.txt`` for each data set: what its classes are called.

    Raises
    ------
    MissingDataError
        If a named data set, or a file, is not there.
    CorpusError
        If a class is tested that no example can be drawn of.

    Examples
    --------
    >>> open_few_shot("sst3")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: unknown data set 'sst3'
      hint: did you mean 'sst2'? Or give a folder with train.csv and test.csv
    """
    if os.path.isfile(given):
        rows = _read_file(Path(given))
        name, (pool, tests) = Path(given).stem, divided(rows, len(rows) // 3, "held out", {})
    elif os.path.isdir(given):
        name, (pool, tests) = Path(given).resolve().name, _read_folder(Path(given))
    else:
        name, (pool, tests) = given, _read_named(given)
    if development:
        size = min(DEVELOPMENT, len(pool) // 3)
        pool, tests = divided(pool, size, "development", {})
    tested = {text for rows in tests.values() for text, _ in rows}
    pool = [row for row in pool if row[0] not in tested]
    whole = repr((pool, tests)).encode("utf-8", "surrogatepass")
    made = FewShot(name, pool, tests, hashlib.sha256(whole).hexdigest()[:16])
    _check(made)
    return replace(made, names=_names(given, name, names))


def _read_named(name: str) -> tuple[Rows, dict[str, Rows]]:
    if name not in CORPORA:
        first = meant(name, CORPORA) or f"there are {', '.join(CORPORA)}."
        raise OptionError(
            f"unknown data set {name!r}", hint=f"{first} Or give a folder with train.csv and "
            "test.csv",
        )  # fmt: skip
    root = os.environ.get(VARIABLE)
    if not root:
        raise MissingDataError(
            f"it is not said where the data set {name!r} lies",
            hint=f"set {VARIABLE} to the folder of data sets, or give a folder with train.csv and "
            "test.csv",
        )
    try:
        return CORPORA[name](Path(root))
    except OSError as error:
        raise MissingDataError(
            f"the data set {name!r} is not there: {error.strerror or error}",
            where=str(error.filename or root),
            hint=f"{VARIABLE} has to name the folder that holds it",
        ) from None


def _read_folder(folder: Path) -> tuple[Rows, dict[str, Rows]]:
    pool, test = (_read_part(folder, part) for part in ("train", "test"))
    return pool, {"test": test}


def _read_part(folder: Path, part: str) -> Rows:
    found = [path for path in sorted(folder.glob(f"{part}.*")) if path.suffix != ".txt"]
    if not found:
        raise MissingDataError(
            f"the folder has no file {part}.csv", where=str(folder),
            hint="put labelled examples there as train.csv and test.csv (or .tsv, .jsonl)",
        )  # fmt: skip
    return _read_file(found[0])


def _read_file(path: Path) -> Rows:
    from classifiers.examples import read_examples, refuse_multilabel
    from sampling.pipeline.sources import read_source

    examples = read_examples(read_source(str(path)))
    refuse_multilabel(examples, "a table", "compare methods with treewright classify auto")
    named = [examples.classes[number] for number in examples.hard.tolist()]
    return list(zip(examples.texts, named, strict=True))


def _names(given: str, name: str, folder: str | Path | None) -> Path | None:
    places = [Path(given) / "names.txt"] if os.path.isdir(given) else []
    places += [] if folder is None else [Path(folder) / f"{NAMED_AS.get(name, name)}.txt"]
    return next((place for place in reversed(places) if place.is_file()), None)


def _check(data: FewShot) -> None:
    for part, rows in data.tests.items():
        strange = sorted({label for _, label in rows} - set(data.classes))
        if strange:
            raise CorpusError(
                f"{data.name}: the class {strange[0]!r} of the part {part!r} has no example to "
                "learn from",
                hint="put some of every class into the training file",
            )
    if len(data.classes) < 2:
        raise CorpusError(
            f"{data.name}: there are fewer than two classes to learn", hint="give some of each"
        )


def _draw(seed: int, name: str) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=int(stream_key(seed, name))))

"""Augmentation during training: new examples every epoch, the same for any number of workers.

Example i of epoch e is a function of the seed, e and i. No state is shared between workers:
each makes the examples of its own share. Nothing here needs torch;
``classifiers.on_the_fly`` wraps :class:`Epochs` for torch's loader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, LongArray
from grammar.errors import CorpusError, OptionError
from grammar.options import whole_number
from grammar.rng import stream_key, uniforms
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.examples.labels import is_soft, read_labels, soften
from sampling.stream import Sampler, ShortfallWarning, shortfalls_heard
from sampling.words.sampler import TokenSampler

__all__ = ["Epochs", "Transform"]

_SEEDS = 2**62


class Epochs:
    """The examples of a corpus, some of them new, in another order every epoch.

    Parameters
    ----------
    corpus : Corpus, or data of any kind
        The originals (:func:`~induction.corpus.formats.read_corpus`); what the sampler was
        induced from.
    sampler : Sampler
        A method that edits texts (EDA, AEDA, ...) edits example i. Any other gives a new example
        in its place: number i of a stream of the epoch's own.
    seed : int
        Which stream.
    probability : float
        That an example is replaced by a new one.
    shuffle : bool
        Give the examples of each epoch in a random order of its own.
    batch_size : int
        How many are made at once; changes no example.

    Raises
    ------
    OptionError
        If the seed or probability cannot be used, or the sampler edits texts of another corpus.

    Examples
    --------
    >>> from sampling.words.aeda import AEDA
    >>> corpus = Corpus.from_columns(text=["a b c", "d e f"], label=[0, 1])
    >>> epochs = Epochs(corpus, AEDA.induce(corpus), shuffle=False)
    >>> [row["text"] for row in epochs.rows(0)]
    ['a ; b c', 'd e ? f']
    >>> [row["text"] for row in epochs.rows(1)]
    ['a b c ?', '; d e f']
    """

    def __init__(
        self,
        corpus: Any,
        sampler: Sampler,
        *,
        seed: int = 0,
        probability: float = 1.0,
        shuffle: bool = True,
        batch_size: int = 256,
    ) -> None:
        whole_number("seed", seed, 0)
        whole_number("batch_size", batch_size, 1)
        if not 0 <= probability <= 1:
            raise OptionError(
                f"probability={probability!r} is not from 0 to 1", hint="use probability=0.5"
            )
        self.corpus: Corpus = read_corpus(corpus)
        self.sampler = sampler
        self.seed = seed
        self.probability = probability
        self.shuffle = shuffle
        self.batch_size = batch_size
        self._last: tuple[int, Corpus] | None = None
        self._editor = sampler if isinstance(sampler, TokenSampler) else None
        if self._editor is not None and len(self._editor.texts.side) != len(self.corpus):
            raise OptionError(
                "the sampler edits the texts of another corpus",
                hint="induce it from the corpus given here",
            )
        if self._editor is None and "label" in corpus.names and is_soft(self._label_type):
            # one batch holds originals and new examples, so their labels must be of one kind
            self.corpus = corpus.with_column("label", soften(read_labels(corpus)))

    @property
    def _label_type(self) -> pa.DataType:
        made = self._sampled(0)
        return made.arrow("label").type if "label" in made.names else pa.null()

    def __len__(self) -> int:
        return len(self.corpus)

    def rows(self, epoch: int, *, share: int = 0, shares: int = 1) -> Iterator[dict[str, Any]]:
        """Yield the examples of an epoch, or every ``shares``-th of them from ``share`` on.

        All shares together are the epoch; which there are changes no example.

        Parameters
        ----------
        epoch : int
            Its number, from 0.
        share, shares : int
            Which part, of how many; one a worker.
        """
        whole_number("epoch", epoch, 0)
        whole_number("shares", shares, 1)
        if not 0 <= share < shares:
            raise OptionError(f"share={share!r} is not below {shares}", hint="count from 0")
        mine = self._order(epoch)[share::shares]
        for first in range(0, len(mine), self.batch_size):
            yield from self.take(mine[first : first + self.batch_size], epoch)

    def take(self, numbers: LongArray, epoch: int) -> list[dict[str, Any]]:
        """Return chosen examples of an epoch, by their numbers in the corpus."""
        new = self._replaced(epoch)[numbers]
        made = iter(self._new(numbers[new], epoch))
        kept = iter(_rows(self.corpus, numbers[~new], self._columns))
        return [next(made if replaced else kept) for replaced in new.tolist()]

    def _new(self, numbers: LongArray, epoch: int) -> list[dict[str, Any]]:
        if self._editor is not None:
            varied = self._editor.vary(numbers, seed=self.seed, epoch=epoch)
            return _rows(varied, np.arange(len(numbers)), self._columns)
        made = self._sampled(epoch)
        found = numbers < len(made)
        rows = iter(_rows(made, numbers[found], self._columns))
        rest = iter(_rows(self.corpus, numbers[~found], self._columns))
        return [next(rows if there else rest) for there in found.tolist()]

    def _sampled(self, epoch: int) -> Corpus:
        """Return the new examples of an epoch; there may be fewer than examples in the corpus."""
        last = self._last  # other threads may be at another epoch
        if last is None or last[0] != epoch:
            own = int(stream_key(self.seed, f"epoch {epoch}")) % _SEEDS
            with shortfalls_heard(_nothing):  # originals stay in the places of what lacks
                last = self._last = epoch, self.sampler.sample(len(self), seed=own)
        return last[1]

    @cached_property
    def _columns(self) -> list[str]:
        """Columns that originals and new examples both have."""
        made = self._sampled(0) if self._editor is None else self._editor.texts.corpus
        return [name for name in self.corpus.names if name in made.names]

    def _order(self, epoch: int) -> LongArray:
        if not self.shuffle:
            return np.arange(len(self), dtype=np.int64)
        key = stream_key(self.seed, "order of an epoch")
        return np.argsort(uniforms(key, epoch * len(self), len(self)), kind="stable")

    def _replaced(self, epoch: int) -> BoolArray:
        key = stream_key(self.seed, "replaced in an epoch")
        return np.asarray(uniforms(key, epoch * len(self), len(self)) < self.probability)


class Transform:
    """A function of batches for ``datasets.Dataset.with_transform``: examples augmented when read.

    Parameters
    ----------
    epochs : Epochs
        What to give.
    key : str
        The column of the batch that holds the id of each example in the corpus.
    rename : mapping, optional
        Columns of the corpus to columns of the batch, as in ``{"text": "sentence"}``.

    Notes
    -----
    Call ``set_epoch`` before each epoch. Loader workers that outlive an epoch
    (``persistent_workers=True``) do not see it; use ``classifiers.on_the_fly`` with those.

    Examples
    --------
    >>> from sampling.words.aeda import AEDA
    >>> corpus = Corpus.from_columns(text=["a b c", "d e f"], label=[0, 1])
    >>> transform = Transform(Epochs(corpus, AEDA.induce(corpus)))
    >>> transform({"id": ["1", "0"], "text": ["d e f", "a b c"]})["text"]
    ['d e ? f', 'a ; b c']
    """

    def __init__(
        self, epochs: Epochs, *, key: str = "id", rename: Mapping[str, str] | None = None
    ) -> None:
        self.epochs = epochs
        self.key = key
        self.rename = dict(rename or {})
        self.epoch = 0
        self._numbers = {name: i for i, name in enumerate(epochs.corpus.column("id"))}

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch the next batches are of (OptionError if it is not a number from 0)."""
        whole_number("epoch", epoch, 0)
        self.epoch = epoch

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return the batch with the columns of the corpus filled in again; others stay.

        Raises
        ------
        CorpusError
            If the batch lacks the ids, or one is not in the corpus.
        """
        if self.key not in batch:
            raise CorpusError(
                f"the batch has no column {self.key!r}",
                where=f"columns {', '.join(batch)}",
                hint="name the column of the ids with key=",
            )
        try:
            numbers = np.array([self._numbers[str(name)] for name in batch[self.key]], np.int64)
        except KeyError as error:
            raise CorpusError(
                f"the corpus has no example {error.args[0]!r}",
                hint="give the corpus the ids of the data set",
            ) from None
        rows = self.epochs.take(numbers, self.epoch)
        filled = {name: list(values) for name, values in batch.items()}
        for name in rows[0] if rows else ():
            target = self.rename.get(name, name)
            if target in filled and name != "id":
                filled[target] = [row[name] for row in rows]
        return filled


def _nothing(warning: ShortfallWarning) -> None:
    """Do nothing about it."""


def _rows(corpus: Corpus, numbers: LongArray, columns: list[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = corpus.table.select(columns).take(numbers).to_pylist()
    return rows

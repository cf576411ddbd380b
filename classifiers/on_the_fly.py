"""What is drawn during training, as data sets of torch: examples, another epoch at every pass; and
tokens of a grammar without end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.data import IterableDataset, get_worker_info

from grammar.errors import OptionError
from sampling.pipeline.on_the_fly import Epochs
from sampling.sentences.token_streams import TokenStream

__all__ = ["OnTheFly", "TokenBlocks"]

_MOST_WORKERS = 1024


class OnTheFly(IterableDataset[dict[str, Any]]):
    """The examples of :class:`Epochs` for ``torch.utils.data.DataLoader``.

    Example i of epoch e depends on (seed, e, i) alone, for any number of workers; only the order
    in which workers take turns differs. Every pass is a new epoch: each worker counts its passes
    in memory that all processes share, so this also holds for workers that outlive an epoch and
    for workers started again. :meth:`set_epoch` sets the number of the next pass.

    Parameters
    ----------
    epochs : Epochs
        What to give.
    rank, world_size : int
        Which part of the epoch this process gets, if training runs in several.

    Raises
    ------
    OptionError
        If the rank is not below the world size.

    Examples
    --------
    >>> from induction import Corpus
    >>> from sampling.words.aeda import AEDA
    >>> corpus = Corpus.from_columns(text=["a b c", "d e f"], label=[0, 1])
    >>> data = OnTheFly(Epochs(corpus, AEDA.induce(corpus), shuffle=False))
    >>> [row["text"] for row in data], [row["text"] for row in data]
    (['a ; b c', 'd e ? f'], ['a b c ?', '; d e f'])
    """

    def __init__(self, epochs: Epochs, *, rank: int = 0, world_size: int = 1) -> None:
        super().__init__()
        if not 0 <= rank < world_size:
            raise OptionError(
                f"rank={rank!r} is not below world_size={world_size!r}", hint="count from 0"
            )
        self.epochs = epochs
        self.rank = rank
        self.world_size = world_size
        # one counter a worker: none is read by another, so no pass can be counted twice
        passes: Any = torch.zeros(_MOST_WORKERS, dtype=torch.int64)
        self._passes = passes.share_memory_()

    def __len__(self) -> int:
        return len(range(self.rank, len(self.epochs), self.world_size))

    def set_epoch(self, epoch: int) -> None:
        """Let the next pass be this epoch (OptionError if it is negative)."""
        if epoch < 0:
            raise OptionError(f"epoch={epoch!r} is negative", hint="count from 0")
        self._passes.fill_(epoch)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        worker = get_worker_info()
        number, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
        if workers > _MOST_WORKERS:
            raise OptionError(f"{workers} workers are too many", hint=f"use {_MOST_WORKERS}")
        epoch = int(self._passes[number])
        self._passes[number] += 1
        share = self.rank + self.world_size * number
        yield from self.epochs.rows(epoch, share=share, shares=self.world_size * workers)


class TokenBlocks(IterableDataset[torch.Tensor]):
    """Blocks of tokens of a :class:`TokenStream`, drawn as they are needed, without end.

    Each worker of a loader takes its own shards, so there must be as many shards as workers; which
    blocks there are depends on the stream alone.

    Parameters
    ----------
    stream : TokenStream
        What is drawn.
    size : int
        Tokens of a block.
    rank, world_size : int
        Which shards this process gets, if training runs in several.

    Raises
    ------
    OptionError
        If there are fewer shards than those who take them.

    Examples
    --------
    >>> from grammar import Grammar
    >>> stream = TokenStream(Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]"))
    >>> next(iter(TokenBlocks(stream, size=4)))
    tensor([0, 2, 1, 1])
    """

    def __init__(
        self, stream: TokenStream, size: int, *, rank: int = 0, world_size: int = 1
    ) -> None:
        super().__init__()
        self.stream, self.size = stream, size
        self.rank, self.world_size = rank, world_size
        self._shards(0, 1)

    def __iter__(self) -> Iterator[torch.Tensor]:
        worker = get_worker_info()
        mine = self._shards(*((worker.id, worker.num_workers) if worker else (0, 1)))
        for blocks in zip(*(self.stream.blocks(k, self.size) for k in mine), strict=True):
            yield from (torch.from_numpy(block.astype("int64")) for block in blocks)

    def _shards(self, worker: int, workers: int) -> range:
        takers = self.world_size * workers
        if not 0 <= self.rank < self.world_size or takers > self.stream.shards:
            raise OptionError(
                f"{self.stream.shards} shards are not enough for {takers} processes of rank "
                f"{self.rank}",
                hint="give the stream shards=, at least one for each worker of each process",
            )
        return range(self.rank * workers + worker, self.stream.shards, takers)

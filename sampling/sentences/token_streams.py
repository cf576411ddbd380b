"""Corpora for language models: sentences of a grammar as a stream of tokens, in numbered shards.

A shard is a function of the grammar, the seed and its number alone: an endless stream of sentences,
each followed by an end mark. So a corpus of any size is made by any number of workers, and what is
trained on may be drawn while it is trained on, without files.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import MissingDataError, OptionError, to_install
from grammar.options import whole_number
from grammar.pcfg.derivable import Derivable
from grammar.rng import stream_key
from grammar.sampling_kernels.ancestral import AncestralSampler, Derivations
from grammar.sampling_kernels.lengths import LengthSampler

__all__ = ["END", "TokenStream"]

END = "</s>"
"""What follows each sentence; it has the number behind the last word."""

Tokens = NDArray[Any]

_AT_ONCE = 16_384


@dataclass(frozen=True, eq=False)
class TokenStream:
    """The tokens of a grammar's sentences.

    Parameters
    ----------
    grammar : Derivable
        A PCFG, or a grammar that has one as its view.
    seed : int
        Which streams.
    length : (int, int), optional
        Condition exactly on sentences of so many words.
    shards : int
        How many streams the wrappers for torch and Hugging Face go through.

    Raises
    ------
    OptionError
        If there are no shards, the seed cannot be used, or a word of the grammar is the end mark.
    NotTightError
        If no length is given and derivations may never end.
    LengthBandError
        If the grammar has no sentence with such a length.

    Examples
    --------
    >>> from grammar import Grammar
    >>> stream = TokenStream(Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]"))
    >>> stream.vocabulary
    ('good', 'very', '</s>')
    >>> block = next(stream.blocks(shard=0, size=8))
    >>> block.dtype, " ".join(stream.vocabulary[token] for token in block)
    (dtype('uint16'), 'good </s> very very good </s> good </s>')
    """

    grammar: Derivable
    seed: int = 0
    length: tuple[int, int] | None = None
    shards: int = 1

    def __post_init__(self) -> None:
        whole_number("shards", self.shards, 1)
        stream_key(self.seed, "")
        if END in self.grammar.pcfg.rules.words:
            raise OptionError(
                f"the grammar has the word {END!r}, which marks the ends of sentences",
                hint="rename it in the grammar",
            )
        _ = self._sampler  # what cannot be drawn from is refused now

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words in the order of their numbers, and the end mark."""
        return (*self.grammar.pcfg.rules.words, END)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of tokens: 16 bits where they are enough, else 32."""
        return np.dtype(np.uint16 if len(self.vocabulary) <= 2**16 else np.uint32)

    def draws(self, shard: int) -> Iterator[Derivations]:
        """Yield the derivations of a shard, some thousand at a time, without end."""
        key = stream_key(self.seed, f"{self.grammar.family} tokens, shard {shard}")
        for first in itertools.count(0, _AT_ONCE):
            yield self._sampler.draw(key, first, _AT_ONCE)

    def sentences(self, shard: int, tokens: int) -> Iterator[tuple[Tokens, Derivations, int]]:
        """Yield the first sentences of a shard that have so many tokens, end marks included.

        The last is whole, so there may be some more. With the tokens come the derivations, and how
        many of them are meant.
        """
        left = tokens
        for draws in self.draws(shard):
            ends = draws.word_offsets[1:] + np.arange(1, len(draws) + 1)
            taken = min(int(np.searchsorted(ends, left)) + 1, len(draws))
            yield self._packed(draws)[: ends[taken - 1]], draws, taken
            left -= int(ends[taken - 1])
            if left <= 0:
                return

    def blocks(self, shard: int, size: int) -> Iterator[Tokens]:
        """Yield the tokens of a shard in blocks of one size, without end."""
        whole_number("size", size, 1)
        waiting: list[Tokens] = []
        room = 0
        for draws in self.draws(shard):
            waiting.append(self._packed(draws))
            room += len(waiting[-1])
            if room < size:
                continue
            joined = np.concatenate(waiting)
            whole = room - room % size
            yield from joined[:whole].reshape(-1, size)
            waiting, room = [joined[whole:]], room - whole

    def to_dataset(self, size: int) -> Any:
        """Return an endless ``datasets.IterableDataset`` of blocks, in the column ``input_ids``.

        It has as many shards as the stream, so it can be split among processes and workers. As
        none of them ends, each process gives the first of those that it has.

        Raises
        ------
        MissingDataError
            If the library ``datasets`` is not installed.
        """
        try:
            import datasets  # type: ignore[import-untyped]
        except ImportError:
            raise MissingDataError(
                "a Hugging Face data set needs the library datasets, which is not installed",
                hint=to_install("hf"),
            ) from None
        given = {"stream": self, "shards": list(range(self.shards)), "size": size}
        return datasets.IterableDataset.from_generator(_rows, gen_kwargs=given)

    @functools.cached_property
    def _sampler(self) -> AncestralSampler | LengthSampler:
        pcfg = self.grammar.pcfg
        return AncestralSampler(pcfg) if self.length is None else LengthSampler(pcfg, *self.length)

    def _packed(self, draws: Derivations) -> Tokens:
        ends = draws.word_offsets[1:] + np.arange(len(draws))
        packed = np.empty(len(draws.words) + len(draws), self.dtype)
        is_word = np.ones(len(packed), np.bool_)
        is_word[ends] = False
        packed[ends] = len(self.vocabulary) - 1
        packed[is_word] = draws.words
        return packed


def _rows(stream: TokenStream, shards: list[int], size: int) -> Iterator[dict[str, Any]]:
    """Yield the blocks of these shards, one shard after the other, as data sets have them."""
    for shard in shards:
        yield from ({"input_ids": block.astype(np.int64)} for block in stream.blocks(shard, size))

"""A sequence-to-sequence Transformer whose attention knows distances, not places.

A token attends to others of its own sequence by what they are and by how far away they are; no
place has a number. Distances beyond ``FARTHEST`` count as that one, so the longest training
sequence is no border. Layers are normalised at their entrance.

References
----------
Vaswani et al. 2017, *Attention is all you need*. Shaw, Uszkoreit & Vaswani 2018, *Self-attention
with relative position representations*, equations 4 and 5 (distances at the keys; their table 3
finds nothing more in those at the values). Csordas, Irie & Schmidhuber 2021, *The devil is in the
detail: simple tricks improve systematic generalization of Transformers* (why distances). Gehrmann,
Deng & Rush 2018, *Bottom-up abstractive summarization* (one head's attention says what to copy).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn

from grammar.errors import OptionError
from scan.models.encoder_decoder import EncoderDecoder, Memory, Mixture, State
from scan.models.vocabulary import Vocabulary

__all__ = ["FARTHEST", "Transformer"]

FARTHEST = 16
"""Largest distance, in tokens, that is told from the one before it."""

Drop = Callable[[Tensor], Tensor]


class Transformer(EncoderDecoder):
    """Transformer encoder and decoder with relative positions.

    Parameters
    ----------
    source, target, copy
        See :class:`scan.models.encoder_decoder.EncoderDecoder`; what is copied is what the first
        head of the last layer attends to.
    embedding, hidden : int
        Width of the embeddings, and of the layers.
    layers : int
        Layers of the encoder, and of the decoder.
    heads : int
        Attention heads a layer; they share ``hidden`` equally.
    feedforward : int
        Units of the network after the attention of a layer.
    dropout : float
        Share of the embeddings and of the output of each part of a layer that is dropped in
        training.

    Raises
    ------
    OptionError
        If ``hidden`` is no multiple of ``heads``, or the model is to copy but its two
        vocabularies differ.
    """

    def __init__(
        self,
        source: Vocabulary,
        target: Vocabulary,
        *,
        embedding: int = 64,
        hidden: int = 128,
        layers: int = 2,
        heads: int = 8,
        feedforward: int = 256,
        dropout: float = 0.1,
        copy: bool = False,
    ) -> None:
        super().__init__(source, target, embedding=embedding, dropout=dropout, copy=copy)
        if hidden % heads:
            raise OptionError(
                f"hidden={hidden} is no multiple of heads={heads}",
                hint=f"for example hidden={heads * max(1, hidden // heads)}",
            )
        self.source_entry = nn.Linear(embedding, hidden)
        self.target_entry = nn.Linear(embedding, hidden)
        self.reader = nn.ModuleList(_ReaderLayer(hidden, heads, feedforward) for _ in range(layers))
        self.writer = nn.ModuleList(_WriterLayer(hidden, heads, feedforward) for _ in range(layers))
        # every writer layer attends to the last reader states through keys and values of its own
        self.keys = nn.Linear(hidden, layers * hidden)
        self.values = nn.Linear(hidden, layers * hidden)
        self.read_norm, self.written_norm = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self._make_output(hidden)

    def encode(
        self,
        sources: Tensor,
        lengths: Tensor,
        noise: torch.Generator | None = None,
        mixture: Mixture | None = None,
    ) -> tuple[Memory, State]:
        """Read source sentences; the state is past keys and values (layers, n, 0, hidden)."""
        drop = partial(self._drop, noise=noise)
        padding = torch.arange(sources.shape[1]) >= lengths.clamp(min=1)[:, None]
        states = self.source_entry(drop(self._embed(self.source_embedding, sources, mixture)))
        for layer in self.reader:
            states = layer(states, padding[:, None, None], drop)
        states = self.read_norm(states)
        memory = Memory(self.values(states), self.keys(states), padding[:, None], sources)
        nothing = states.new_empty(len(self.writer), len(sources), 0, states.shape[2])
        return memory, (nothing, nothing)

    def write(
        self,
        tokens: Tensor,
        state: State,
        memory: Memory,
        noise: torch.Generator | None = None,
        mixture: Mixture | None = None,
    ) -> tuple[Tensor, State]:
        """Continue targets, see :meth:`scan.models.encoder_decoder.EncoderDecoder.write`."""
        drop = partial(self._drop, noise=noise)
        past, now = state[0].shape[2], tokens.shape[1]
        later = torch.ones(now, past + now, dtype=torch.bool).triu(past + 1)
        states = self.target_entry(drop(self._embed(self.target_embedding, tokens, mixture)))
        sources = zip(
            memory.keys.chunk(len(self.writer), dim=2),
            memory.values.chunk(len(self.writer), dim=2),
            strict=True,
        )
        fed = []
        for layer, source, before in zip(
            self.writer, sources, zip(*state, strict=True), strict=True
        ):
            states, attention, kept = layer(states, later, before, source, memory.padding, drop)
            fed.append(kept)
        keys, values = (torch.stack(part) for part in zip(*fed, strict=True))
        return self._scores(self.written_norm(states), attention[:, 0], memory), (keys, values)


class _ReaderLayer(nn.Module):
    """Self-attention, then a feed-forward network; each adds to what it was given."""

    def __init__(self, hidden: int, heads: int, feedforward: int) -> None:
        super().__init__()
        self.itself = _SelfAttention(hidden, heads, ahead=FARTHEST)
        self.network = _network(hidden, feedforward)

    def forward(self, states: Tensor, blocked: Tensor, drop: Drop) -> Tensor:
        states = states + drop(self.itself(states, blocked)[0])
        return states + drop(self.network(states))


class _WriterLayer(nn.Module):
    """Self-attention to what is written, attention to the source, then a feed-forward network."""

    def __init__(self, hidden: int, heads: int, feedforward: int) -> None:
        super().__init__()
        self.heads = heads
        self.itself = _SelfAttention(hidden, heads, ahead=0)
        self.query = nn.Sequential(nn.LayerNorm(hidden), nn.Linear(hidden, hidden))
        self.join = nn.Linear(hidden, hidden)
        self.network = _network(hidden, feedforward)

    def forward(
        self,
        states: Tensor,
        later: Tensor,
        past: tuple[Tensor, Tensor],
        source: tuple[Tensor, Tensor],
        padding: Tensor,
        drop: Drop,
    ) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
        """Return states, the attention to the source (n, heads, t, s), and all keys and values."""
        read, kept = self.itself(states, later, past)
        states = states + drop(read)
        query, keys, values = (_split(x, self.heads) for x in (self.query(states), *source))
        attention = _attention(query @ keys.transpose(2, 3), query, padding[:, None])
        states = states + drop(self.join(_joined(attention @ values)))
        return states + drop(self.network(states)), attention, kept


class _SelfAttention(nn.Module):
    """Attention of a sequence to itself, by words and distances.

    ``ahead`` is the farthest distance that is told of tokens to the right; a decoder sees none.
    """

    def __init__(self, hidden: int, heads: int, *, ahead: int) -> None:
        super().__init__()
        self.heads, self.ahead = heads, ahead
        self.norm = nn.LayerNorm(hidden)
        self.project = nn.Linear(hidden, 3 * hidden)
        self.distances = nn.Embedding(FARTHEST + 1 + ahead, hidden // heads)
        self.join = nn.Linear(hidden, hidden)

    def forward(
        self, states: Tensor, blocked: Tensor, past: tuple[Tensor, Tensor] | None = None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return what the states (n, t, hidden) read, and the keys and values, past ones first.

        ``blocked`` (broadcast to n, heads, t, past + t) is true where nothing may be read.
        """
        query, keys, values = self.project(self.norm(states)).chunk(3, dim=2)
        if past is not None:
            keys, values = torch.cat([past[0], keys], dim=1), torch.cat([past[1], values], dim=1)
        heads = _split(query, self.heads)
        scores = heads @ _split(keys, self.heads).transpose(2, 3) + self._by_distance(
            heads, keys.shape[1]
        )
        attention = _attention(scores, heads, blocked)
        return self.join(_joined(attention @ _split(values, self.heads))), (keys, values)

    def _by_distance(self, query: Tensor, keys: int) -> Tensor:
        """Return how well each query (n, heads, t, width) goes with the distance of each key."""
        queries = query.shape[2]
        places = torch.arange(keys)
        distance = places - places[keys - queries :, None]
        columns = distance.clamp(-FARTHEST, self.ahead) + FARTHEST
        fits: Tensor = query @ self.distances.weight.T
        return fits.gather(3, columns.expand(*query.shape[:2], queries, keys))


def _network(hidden: int, feedforward: int) -> nn.Sequential:
    return nn.Sequential(
        nn.LayerNorm(hidden),
        nn.Linear(hidden, feedforward),
        nn.ReLU(),
        nn.Linear(feedforward, hidden),
    )


def _attention(scores: Tensor, query: Tensor, blocked: Tensor) -> Tensor:
    scaled: Tensor = scores * query.shape[3] ** -0.5
    return scaled.masked_fill(blocked, -torch.inf).softmax(dim=3)


def _split(states: Tensor, heads: int) -> Tensor:
    """Turn (n, t, hidden) into (n, heads, t, hidden / heads)."""
    return states.view(*states.shape[:2], heads, -1).transpose(1, 2)


def _joined(states: Tensor) -> Tensor:
    """Undo :func:`_split`."""
    return states.transpose(1, 2).flatten(2)

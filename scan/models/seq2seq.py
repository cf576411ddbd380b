"""A sequence-to-sequence model: LSTM encoder and decoder with attention; and decoding.

The model is small and meant for one CPU core. The decoder is not fed its own attention, so that
a whole target is one call of a fused LSTM, and attention at all positions is one batched product.
Sequences are padded on the right only; the encoder's leftward LSTM reads each sentence turned
round in place, so padding always comes after what is read and cannot change any output.

References
----------
Luong, Pham & Manning 2015, *Effective approaches to attention-based neural machine translation*
(dot attention, without their input feeding).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from grammar.options import whole_number
from scan.models.encoder_decoder import EncoderDecoder, Memory, Mixture, State
from scan.models.vocabulary import END, FIRST_OUTPUT, START, Vocabulary, pad

__all__ = ["Hypothesis", "Memory", "Seq2Seq", "Vocabulary", "decode", "pad"]


class Seq2Seq(EncoderDecoder):
    """Bidirectional LSTM encoder, LSTM decoder, dot attention over projected encoder states.

    Parameters
    ----------
    source, target, copy
        See :class:`scan.models.encoder_decoder.EncoderDecoder`.
    embedding, hidden : int
        Width of the embeddings, and of each LSTM.
    layers : int
        LSTMs on top of each other, in the encoder and in the decoder.
    dropout : float
        Share of the embeddings and of the attention outputs that is dropped in training.

    Raises
    ------
    OptionError
        If the model is to copy, but its two vocabularies differ.
    """

    def __init__(
        self,
        source: Vocabulary,
        target: Vocabulary,
        *,
        embedding: int = 64,
        hidden: int = 128,
        layers: int = 1,
        dropout: float = 0.1,
        copy: bool = False,
    ) -> None:
        super().__init__(source, target, embedding=embedding, dropout=dropout, copy=copy)
        self.layers = layers
        widths = [embedding] + [2 * hidden] * (layers - 1)
        self.rightward = nn.ModuleList(nn.LSTM(w, hidden, batch_first=True) for w in widths)
        self.leftward = nn.ModuleList(nn.LSTM(w, hidden, batch_first=True) for w in widths)
        self.bridge = nn.Linear(2 * hidden, 2 * layers * hidden)
        self.key = nn.Linear(2 * hidden, hidden, bias=False)
        self.decoder = nn.LSTM(embedding, hidden, layers, batch_first=True)
        self.mix = nn.Linear(3 * hidden, hidden)
        self._make_output(hidden)

    def encode(
        self,
        sources: Tensor,
        lengths: Tensor,
        noise: torch.Generator | None = None,
        mixture: Mixture | None = None,
    ) -> tuple[Memory, State]:
        """Read source sentences; the state is that of the decoder's LSTMs."""
        rows = torch.arange(len(sources))
        lengths = lengths.clamp(min=1)
        position = torch.arange(sources.shape[1])
        padding = position >= lengths[:, None]
        turned = torch.where(padding, position, lengths[:, None] - 1 - position)
        states = self._drop(self._embed(self.source_embedding, sources, mixture), noise)
        for rightward, leftward in zip(self.rightward, self.leftward, strict=True):
            ahead = rightward(states)[0]
            back = _reorder(leftward(_reorder(states, turned))[0], turned)
            states = torch.cat([ahead, back], dim=2)
        read = torch.cat([ahead[rows, lengths - 1], back[:, 0]], dim=1)
        start = torch.tanh(self.bridge(read)).view(len(sources), 2, self.layers, -1)
        hidden, cell = start.permute(1, 2, 0, 3).contiguous()
        return Memory(states, self.key(states), padding[:, None], sources), (hidden, cell)

    def write(
        self,
        tokens: Tensor,
        state: State,
        memory: Memory,
        noise: torch.Generator | None = None,
        mixture: Mixture | None = None,
    ) -> tuple[Tensor, State]:
        """Continue targets, see :meth:`scan.models.encoder_decoder.EncoderDecoder.write`."""
        fed = self._drop(self._embed(self.target_embedding, tokens, mixture), noise)
        states, state = self.decoder(fed, state)
        scores = states @ memory.keys.transpose(1, 2)
        attention = scores.masked_fill(memory.padding, -torch.inf).softmax(dim=2)
        mixed = torch.tanh(self.mix(torch.cat([states, attention @ memory.values], dim=2)))
        return self._scores(self._drop(mixed, noise), attention, memory), state


def _reorder(states: Tensor, positions: Tensor) -> Tensor:
    return states.gather(1, positions[:, :, None].expand(-1, -1, states.shape[2]))


class Hypothesis(NamedTuple):
    """A decoded target, its natural log-probability, and whether the model ended it itself."""

    target: str
    log_probability: float
    finished: bool


def decode(
    model: EncoderDecoder,
    sources: Sequence[str],
    *,
    beam: int = 1,
    length_limit: int = 200,
    batch: int = 256,
) -> list[Hypothesis]:
    """Find a probable target for each source sentence, by greedy or beam search.

    Parameters
    ----------
    model : EncoderDecoder
        The model.
    sources : sequence of str
        Space-separated sentences; tokens that the model has never seen are allowed.
    beam : int
        Hypotheses kept; 1 is greedy decoding.
    length_limit : int
        Longest target in tokens, its end mark included; one that has not ended by then is
        returned with ``finished=False``.
    batch : int
        Sentences decoded together; it changes nothing but the time.

    Returns
    -------
    list of Hypothesis
        In the order of ``sources``. With ``beam > 1`` the greedy target is always a candidate, so
        a beam never finds a less probable target than greedy decoding does.

    Raises
    ------
    OptionError
        If ``beam``, ``length_limit`` or ``batch`` is less than one.
    """
    options = {"beam": beam, "length_limit": length_limit, "batch": batch}
    for name, value in options.items():
        whole_number(name, value, 1)
    encoded = [model.encode_source(source) for source in sources]
    found: dict[int, Hypothesis] = {}
    # neighbours of one length need the least padding and tend to end together
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        rows = [encoded[i] for i in chosen]
        texts = [sources[i] for i in chosen]
        best = _search(model, texts, rows, 1, length_limit)
        if beam > 1:
            wide = _search(model, texts, rows, beam, length_limit)
            best = [
                max(pair, key=lambda h: h.log_probability) for pair in zip(best, wide, strict=True)
            ]
        found.update(zip(chosen, best, strict=True))
    return [found[i] for i in range(len(encoded))]


@torch.inference_mode()
def _search(
    model: EncoderDecoder, texts: list[str], sources: list[list[int]], beam: int, length_limit: int
) -> list[Hypothesis]:
    """Beam search; a sentence is done when its best hypothesis has ended.

    That is exact: log-probabilities only fall as a hypothesis grows, so none that is still open
    can overtake an ended one that is ahead of it.
    """
    found: dict[int, Hypothesis] = {}
    rows, lengths = pad(sources)
    memory, state = model.encode(torch.from_numpy(rows), torch.from_numpy(lengths))
    live = torch.arange(len(sources))
    memory, state = _select(memory, state, live.repeat_interleave(beam))
    totals = torch.full((len(sources), beam), -torch.inf)
    totals[:, 0] = 0.0
    ended = torch.zeros(len(sources), beam, dtype=torch.bool)
    paths = torch.full((len(sources), beam, 1), START)
    for length in range(1, length_limit + 1):
        scores, state = model.write(paths[:, :, -1].reshape(-1, 1), state, memory)
        steps = scores[:, 0].log_softmax(dim=1).view(len(live), beam, -1)
        # an ended hypothesis stays as it is: one continuation, which costs nothing
        steps = steps.masked_fill(ended[:, :, None], -torch.inf)
        steps[:, :, 0].masked_fill_(ended, 0.0)
        width = steps.shape[2]
        totals, picks = (totals[:, :, None] + steps).flatten(1).topk(beam)
        parents, tokens = picks // width, picks % width + FIRST_OUTPUT
        paths = torch.cat([_reorder(paths, parents), tokens[:, :, None]], dim=2)
        ended = tokens == END
        done = ended[:, 0] | (length == length_limit)
        for row in done.nonzero()[:, 0].tolist():
            sentence = int(live[row])
            found[sentence] = _hypothesis(
                model, texts[sentence], paths[row, 0], float(totals[row, 0])
            )
        keep = (~done).nonzero()[:, 0]
        if not len(keep):
            break
        kept = (parents + torch.arange(len(live))[:, None] * beam)[keep].flatten()
        memory, state = _select(memory, state, kept)
        live, totals, ended, paths = live[keep], totals[keep], ended[keep], paths[keep]
    return [found[row] for row in range(len(sources))]


def _select(memory: Memory, state: State, rows: Tensor) -> tuple[Memory, State]:
    hidden, cell = state
    return memory.select(rows), (hidden[:, rows], cell[:, rows])


def _hypothesis(model: EncoderDecoder, source: str, path: Tensor, total: float) -> Hypothesis:
    numbers = path[1:].tolist()
    finished = numbers[-1] == END
    written = numbers[: numbers.index(END)] if finished else numbers
    return Hypothesis(model.decode_target(source, written), total, finished)

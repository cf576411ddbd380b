"""The sequence-to-sequence model of GECA's released program, whose decoder is fed its attention.

What the decoder wrote at a step, with what it attended to, is part of its input at the next
(input feeding). So even a known target is read step by step, in many small calls where
:class:`scan.models.seq2seq.Seq2Seq` makes one; rows whose target has ended take no part.

References
----------
Andreas 2020, *Good-enough compositional data augmentation*, section 4.2, and its released program.
Luong, Pham & Manning 2015, section 3.3 (input feeding).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from scan.models.encoder_decoder import EncoderDecoder, Memory, Mixture, State
from scan.models.vocabulary import FIRST_OUTPUT, PAD, Vocabulary

__all__ = ["InputFeeding"]


class InputFeeding(EncoderDecoder):
    """Bidirectional LSTM encoder, LSTM decoder with input feeding, dot attention.

    The first state of the decoder is the sum of the encoder's last two. Dropout is on the
    embeddings, on what is fed, and on what is written. If the model copies, the share of copied
    words is the probability that it gives to a mark of its own.

    Parameters
    ----------
    source, target, copy
        See :class:`scan.models.encoder_decoder.EncoderDecoder`.
    embedding, hidden : int
        Width of the embeddings, and of each LSTM.
    dropout : float
        Share that is dropped in training, wherever something is.

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
        hidden: int = 512,
        dropout: float = 0.5,
        copy: bool = False,
    ) -> None:
        super().__init__(source, target, embedding=embedding, dropout=dropout, copy=copy)
        self.encoder = nn.LSTM(embedding, hidden, batch_first=True, bidirectional=True)
        self.value = nn.Linear(2 * hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.decoder = nn.LSTMCell(embedding + hidden, hidden)
        self.mix = nn.Linear(2 * hidden, hidden)
        # the mark that stands for copying has the last column
        self.output = nn.Linear(hidden, len(target) - FIRST_OUTPUT + copy)

    def encode(
        self,
        sources: Tensor,
        lengths: Tensor,
        noise: torch.Generator | None = None,
        mixture: Mixture | None = None,
    ) -> tuple[Memory, State]:
        """Read source sentences; the state is the decoder's (with what is fed) and its cell."""
        lengths = lengths.clamp(min=1)
        read = self._drop(self._embed(self.source_embedding, sources, mixture), noise)
        packed = pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
        states, (hidden, cell) = self.encoder(packed)
        width = sources.shape[1]
        values = self.value(pad_packed_sequence(states, batch_first=True, total_length=width)[0])
        padding = torch.arange(width) >= lengths[:, None]
        start = hidden.sum(dim=0)
        state = torch.stack([start, torch.zeros_like(start)]), cell.sum(dim=0, keepdim=True)
        return Memory(values, self.key(values), padding[:, None], sources), state

    def write(
        self,
        tokens: Tensor,
        state: State,
        memory: Memory,
        noise: torch.Generator | None = None,
        mixture: Mixture | None = None,
    ) -> tuple[Tensor, State]:
        """Continue targets, see :meth:`scan.models.encoder_decoder.EncoderDecoder.write`.

        Scores at padding are not worked out: they are zero, or those of nothing written.
        """
        there = tokens != PAD if mixture is None else (tokens != PAD) | (mixture.tokens != PAD)
        steps = torch.arange(1, tokens.shape[1] + 1)
        lengths = (there * steps).amax(dim=1).clamp(min=1)
        # the longest first, so that those that go on are always the first rows
        order = lengths.argsort(descending=True, stable=True)
        live = (lengths[:, None] >= steps).sum(dim=0).tolist()
        memory = memory.select(order)
        (hidden, fed), cell = state[0][:, order], state[1][0, order]
        words = self._embed(self.target_embedding, tokens, mixture)[order]
        kept = self._drop(words.new_ones(*tokens.shape, words.shape[2] + fed.shape[1]), noise)
        written, attended, ends = [], [], []
        for step, rows in enumerate(live):
            if rows < len(hidden):
                ends.append(torch.stack([part[rows:] for part in (hidden, fed, cell)]))
            inputs = torch.cat([words[:rows, step], fed[:rows]], dim=1) * kept[:rows, step]
            hidden, cell = self.decoder(inputs, (hidden[:rows], cell[:rows]))
            fed, attention = self._attend(hidden, memory, noise)
            written.append(nn.functional.pad(fed, (0, 0, 0, len(tokens) - rows)))
            attended.append(nn.functional.pad(attention, (0, 0, 0, len(tokens) - rows)))
        ends.append(torch.stack([hidden, fed, cell]))
        back = order.argsort()
        last = torch.cat(ends[::-1], dim=1)[:, back]
        scores = self._scores(torch.stack(written, 1), torch.stack(attended, 1), memory)
        return scores[back], (last[:2], last[2:])

    def _attend(
        self, hidden: Tensor, memory: Memory, noise: torch.Generator | None
    ) -> tuple[Tensor, Tensor]:
        """Return what is written, and fed to the next step, and the attention (rows, s)."""
        rows = len(hidden)
        scores = (memory.keys[:rows] @ hidden[:, :, None])[:, :, 0]
        attention = scores.masked_fill(memory.padding[:rows, 0], -torch.inf).softmax(dim=1)
        summary = (attention[:, None] @ memory.values[:rows])[:, 0]
        return self._drop(self.mix(torch.cat([hidden, summary], dim=1)), noise), attention

    def _scores(self, states: Tensor, attention: Tensor, memory: Memory) -> Tensor:
        logits: Tensor = self.output(states)
        if not self.copy:
            return logits
        probabilities = logits.softmax(dim=2)
        written, share = probabilities[..., :-1], probabilities[..., -1:]
        return self._with_copies((1.0 - share) * written, share * attention, memory)

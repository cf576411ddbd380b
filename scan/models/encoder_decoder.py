"""What the sequence-to-sequence models have in common: their two calls, and how they copy words.

Training and decoding know a model by :meth:`EncoderDecoder.encode`, which reads source sentences,
and :meth:`EncoderDecoder.write`, which continues targets from a state.

References
----------
See, Liu & Manning 2017, *Get to the point: summarization with pointer-generator networks*,
equations 8 and 9 (copying).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from grammar.errors import OptionError
from scan.models.vocabulary import FIRST_OUTPUT, PAD, UNKNOWN, Vocabulary

__all__ = ["EncoderDecoder", "Memory", "Mixture", "State"]

State = tuple[Tensor, Tensor]
"""What a decoder remembers of the tokens fed to it; sentences are the second dimension of both."""


class Memory(NamedTuple):
    """What the decoder attends to: one row a sentence.

    ``values`` and ``keys`` (n, s, widths of the model) are made from the encoder states,
    ``padding`` (n, 1, s) is true where there is no token, ``tokens`` (n, s) are the token numbers.
    """

    values: Tensor
    keys: Tensor
    padding: Tensor
    tokens: Tensor

    def select(self, rows: Tensor) -> Memory:
        """Return the memory of the given sentences (int64 (m,), repeats allowed)."""
        return Memory(*(part[rows] for part in self))


class Mixture(NamedTuple):
    """Sequences to be mixed into others: ``tokens`` (n, as long as the others), and the ``shares``
    (float32 (n,)) that the *others* have in the mixed embeddings."""

    tokens: Tensor
    shares: Tensor


class EncoderDecoder(nn.Module, ABC):
    """Vocabularies, embeddings, dropout and output of a model; its layers are for the subclass.

    Parameters
    ----------
    source, target : Vocabulary
        What it reads and what it writes.
    embedding : int
        Width of the embeddings.
    dropout : float
        Share of the embeddings, and of what else the model says, that is dropped in training.
    copy : bool
        Mix the distribution over the vocabulary with one over the words of the source, which is
        its attention; a gate says how much of each. A word that is not in the vocabulary can be
        copied too. The vocabulary must then be the same for both sides.

    Raises
    ------
    OptionError
        If the model is to copy, but its two vocabularies differ.
    """

    output: nn.Linear
    gate: nn.Linear | None

    def __init__(
        self,
        source: Vocabulary,
        target: Vocabulary,
        *,
        embedding: int,
        dropout: float,
        copy: bool,
    ) -> None:
        super().__init__()
        if copy and source.tokens != target.tokens:
            raise OptionError(
                "a model that copies has one vocabulary for both sides",
                hint="give one vocabulary twice, see scan.vocabulary.vocabularies",
            )
        self.source, self.target = source, target
        self.dropout, self.copy = dropout, copy
        self.source_embedding = nn.Embedding(len(source), embedding, padding_idx=PAD)
        self.target_embedding = nn.Embedding(len(target), embedding, padding_idx=PAD)

    def encode_source(self, source: str) -> list[int]:
        """Return the token numbers of a source sentence.

        If the model copies, a word that it does not know gets the number behind the vocabulary's
        last that its first place in the sentence says.
        """
        numbers = self.source.encode(source)
        if not self.copy:
            return numbers
        words = source.split()
        return [
            len(self.source) + words.index(word) if number == UNKNOWN else number
            for word, number in zip(words, numbers, strict=True)
        ]

    def encode_target(self, source: str, target: str) -> list[int]:
        """Return the token numbers of a target, those of words to copy as in its source."""
        numbers = self.target.encode(target)
        if not self.copy:
            return numbers
        places = dict(zip(source.split(), self.encode_source(source), strict=True))
        return [
            places.get(word, UNKNOWN) if number == UNKNOWN else number
            for word, number in zip(target.split(), numbers, strict=True)
        ]

    def decode_target(self, source: str, numbers: Iterable[int]) -> str:
        """Return the target that token numbers stand for."""
        words = source.split()
        known = len(self.target)
        return " ".join(
            self.target.decode([number]) if number < known else words[number - known]
            for number in numbers
        )

    @abstractmethod
    def encode(
        self,
        sources: Tensor,
        lengths: Tensor,
        noise: torch.Generator | None = None,
        mixture: Mixture | None = None,
    ) -> tuple[Memory, State]:
        """Read source sentences.

        Parameters
        ----------
        sources : int64 (n, s)
            Token numbers, padded on the right.
        lengths : int64 (n,)
            Their lengths; an empty sentence counts as one padding mark.
        noise : torch.Generator, optional
            Where dropout masks are drawn from; without it nothing is dropped.
        mixture : Mixture, optional
            Sentences to be mixed in; ``lengths`` are then those of the longer of each two.

        Returns
        -------
        (Memory, state)
            What to attend to, and the first state of the decoder.
        """

    @abstractmethod
    def write(
        self,
        tokens: Tensor,
        state: State,
        memory: Memory,
        noise: torch.Generator | None = None,
        mixture: Mixture | None = None,
    ) -> tuple[Tensor, State]:
        """Continue targets.

        Parameters
        ----------
        tokens : int64 (n, t)
            What was written so far and not yet fed, ``START`` first.
        state : state
            State of the decoder before those tokens.
        memory : Memory
            The source sentences (n of them).
        noise : torch.Generator, optional
            Where dropout masks are drawn from; without it nothing is dropped.
        mixture : Mixture, optional
            Targets to be mixed in.

        Returns
        -------
        (float32 (n, t, outputs), state)
            After each token a score (logit) for each possible next one, beginning with ``END``
            (number ``END + j`` has column j), and the state after the last token. If the model
            copies, the scores are log-probabilities, and there is a column for each place of the
            source behind those of the vocabulary.
        """

    def _make_output(self, hidden: int) -> None:
        """Make the layers that :meth:`_scores` needs."""
        self.output = nn.Linear(hidden, len(self.target) - FIRST_OUTPUT)
        # made last, so that a model that does not copy has the first weights it would have had
        self.gate = nn.Linear(hidden, 1) if self.copy else None

    def _scores(self, states: Tensor, attention: Tensor, memory: Memory) -> Tensor:
        """Return what :meth:`write` does, from states (n, t, hidden) and attention (n, t, s)."""
        logits: Tensor = self.output(states)
        if self.gate is None:
            return logits
        gate = self.gate(states).sigmoid()
        return self._with_copies(gate * logits.softmax(dim=2), (1.0 - gate) * attention, memory)

    def _with_copies(self, written: Tensor, copied: Tensor, memory: Memory) -> Tensor:
        """Return the log of p_written + p_copied, the latter (n, t, s) by places of the source."""
        both = torch.cat([written, torch.zeros_like(copied)], dim=2)
        # the padding mark has no column; its attention is zero, or the sentence is empty
        columns = (memory.tokens - FIRST_OUTPUT).clamp(min=0)[:, None].expand_as(copied)
        both = both.scatter_add(2, columns, copied)
        return both.clamp(min=torch.finfo(both.dtype).tiny).log()

    def _embed(self, table: nn.Embedding, tokens: Tensor, mixture: Mixture | None) -> Tensor:
        states: Tensor = table(self._known(tokens))
        if mixture is None:
            return states
        others: Tensor = table(self._known(mixture.tokens))
        return others.lerp(states, mixture.shares[:, None, None])

    def _known(self, tokens: Tensor) -> Tensor:
        """Return token numbers with all words that are not in the vocabulary as one."""
        if not self.copy:
            return tokens
        return tokens.masked_fill(tokens >= len(self.source), UNKNOWN)

    def _drop(self, states: Tensor, noise: torch.Generator | None) -> Tensor:
        # written out because nn.Dropout draws from the global generator, which cannot be resumed
        if noise is None or not self.dropout:
            return states
        keep = 1.0 - self.dropout
        return states * torch.empty_like(states).bernoulli_(keep, generator=noise).div_(keep)

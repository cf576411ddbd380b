"""A causal language model that reads texts: how probable each of their pieces is."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from grammar.arrays import FloatArray
from sampling.neural.causal.features import Reading
from sampling.neural.causal.prefixes import ReadPrefixes
from sampling.neural.opening import digest_of_weights, open_model

__all__ = ["CausalModel"]

_DOCUMENT = "<|endoftext|>"
"""What many models saw between two documents; marks of a chat are no beginning of a text."""
_LONGEST = 1024


@dataclass(frozen=True, eq=False)
class CausalModel:
    """A causal language model of Hugging Face and its tokenizer.

    Examples
    --------
    >>> model = CausalModel.opened("gpt2")  # doctest: +SKIP
    >>> [reading.log_probability.sum() for reading in model.read(["Dogs bark.", "Bark dogs."])]
    ... # doctest: +SKIP
    """

    model: Any
    tokenizer: Any

    @classmethod
    def opened(cls, name: str, device: str = "auto") -> CausalModel:
        """Open a model by its name or folder (raises as ``open_model``).

        Its weights are rounded to bfloat16, with which it reads more than twice as fast.
        """
        model, tokenizer = open_model(name, "causal", device=device)
        # the model may be held by others, who want it as it is
        return cls(copy.deepcopy(model).to(torch.bfloat16), tokenizer)

    @property
    def weights(self) -> str:
        """The hash of its weights."""
        return digest_of_weights(self.model)

    @cached_property
    def vectors(self) -> str:
        """The hash of the vectors among its weights, which files that quantise leave as they are.

        So it is the same of one model in all its files.
        """
        held = hashlib.sha256()
        for weight in self.model.state_dict().values():
            if weight.dim() == 1:
                rounded = weight.detach().to(torch.bfloat16).cpu().contiguous()
                held.update(rounded.view(torch.int16).numpy().tobytes())
        return held.hexdigest()

    @cached_property
    def first(self) -> int:
        """The piece that a text is read behind."""
        tokenizer = self.tokenizer
        known = tokenizer.get_vocab().get(_DOCUMENT)
        marks = (known, tokenizer.bos_token_id, tokenizer.eos_token_id, 0)
        return next(int(mark) for mark in marks if mark is not None)

    @property
    def longest(self) -> int:
        """How many pieces of a text are read."""
        known = getattr(self.model.config, "max_position_embeddings", None) or _LONGEST
        return min(int(known), _LONGEST) - 1

    def read(self, texts: Sequence[str], layer: int | None = None) -> list[Reading]:
        """Read texts, all in one batch: the last bits of a reading depend on what is read with it.

        Of a text that is too long, the beginning is read. With a layer (0 are the embeddings),
        readings have its states.
        """
        if not texts:
            return []
        cut = self.tokenizer(
            list(texts), add_special_tokens=False, truncation=True, max_length=self.longest,
            return_offsets_mapping=True, verbose=False,
        )  # fmt: skip
        lengths = [len(row) for row in cut["input_ids"]]
        ids = torch.zeros(len(lengths), 1 + max(lengths, default=0), dtype=torch.long)
        for row, pieces in enumerate(cut["input_ids"]):
            ids[row, 0] = self.first
            ids[row, 1 : 1 + len(pieces)] = torch.tensor(pieces, dtype=torch.long)
        each, states = self._forward(ids.to(self.model.device), layer)
        made = []
        for row, length in enumerate(lengths):
            places = np.array(cut["offset_mapping"][row], np.int64).reshape(-1, 2)
            own = None if states is None else states[row, :length]
            made.append(Reading(each[row, :length], places[:, 0], places[:, 1], own))
        return made

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the pieces of texts."""
        if not texts:
            return []
        found = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)
        pieces: list[list[int]] = found["input_ids"]
        return pieces

    def begin(self, rows: int) -> ReadPrefixes:
        """Return so many empty beginnings of texts (raises as :class:`ReadPrefixes`)."""
        return ReadPrefixes(self.model, self.first, rows, self.longest)

    def usual(self, texts: Sequence[str]) -> FloatArray:
        """Return the logarithm of the mean probability of every piece, over all places of texts."""
        total, places = np.zeros(()), 0
        for pieces in self.pieces(texts):
            ids = torch.tensor([[self.first, *pieces[: self.longest]]])
            with torch.no_grad():
                logits = self.model(input_ids=ids.to(self.model.device), use_cache=False).logits[0]
            total = total + logits.float().softmax(-1).double().sum(0).cpu().numpy()
            places += ids.shape[1]
        return np.log(total / places)

    def _forward(
        self, ids: torch.Tensor, layer: int | None
    ) -> tuple[FloatArray, FloatArray | None]:
        """Return the log-probability of each piece behind the first, and its state if asked for."""
        with torch.no_grad():
            found = self.model(
                input_ids=ids, use_cache=False, output_hidden_states=layer is not None
            )
            logits = found.logits[:, :-1].float()
            chosen = logits.gather(2, ids[:, 1:, None])[..., 0]
            likely: FloatArray = (chosen - logits.logsumexp(-1)).double().cpu().numpy()
            if layer is None:
                return likely, None
            states: FloatArray = found.hidden_states[layer][:, 1:].float().cpu().numpy()
            return likely, states

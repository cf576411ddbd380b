"""A causal language model that reads texts: how probable each of their pieces is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import nn

from grammar.arrays import FloatArray, LongArray
from sampling.neural.causal.adapter import Adapter
from sampling.neural.causal.features import Hidden, Reading
from sampling.neural.causal.lower_layers import Trunk
from sampling.neural.causal.packing import Packed, packed
from sampling.neural.causal.prefixes import ReadPrefixes
from sampling.neural.opening import digest_of_weights, open_model
from sampling.neural.precision import rounded
from sampling.neural.threads import tokenized

__all__ = ["CausalModel"]

_DOCUMENT = "<|endoftext|>"
"""What many models saw between two documents; marks of a chat are no beginning of a text."""
_LONGEST = 1024
_ROW = 96
"""So many pieces a row: wider ones have more in common, and more places to look at."""


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
    _trunks: dict[tuple[int, Adapter | None], Trunk] = field(default_factory=dict)

    @classmethod
    def opened(cls, name: str, device: str = "auto") -> CausalModel:
        """Open a model by its name or folder (raises as ``open_model``).

        Its weights are rounded to bfloat16, and it computes in the precision that is fast here.
        The same files give the same value again, as long as it lives.
        """
        model, tokenizer = open_model(name, "causal", device=device)
        if model not in _ROUNDED:
            # the model may be held by others, who want it as it is
            _ROUNDED[model] = cls(rounded(model), tokenizer)
        return _ROUNDED[model]

    @cached_property
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

    @cached_property
    def ends(self) -> frozenset[int]:
        """The pieces that end a text."""
        settings = getattr(self.model, "generation_config", None)
        named = getattr(settings, "eos_token_id", None)
        given = named if isinstance(named, list) else [named]
        document = self.tokenizer.get_vocab().get(_DOCUMENT)
        marks = (*given, self.tokenizer.eos_token_id, document)
        return frozenset(int(mark) for mark in marks if mark is not None)

    @property
    def longest(self) -> int:
        """How many pieces of a text are read."""
        known = getattr(self.model.config, "max_position_embeddings", None) or _LONGEST
        return min(int(known), _LONGEST) - 1

    def read(self, texts: Sequence[str]) -> list[Reading]:
        """Read texts, all in one batch: the last bits of a reading depend on what is read with it.

        Of a text that is too long, the beginning is read.
        """
        if not texts:
            return []
        pieces, places = self.cut(texts)
        behind = [torch.tensor([self.first, *each]) for each in pieces]
        ids = nn.utils.rnn.pad_sequence(behind, batch_first=True).to(self.model.device)
        with torch.no_grad():
            logits = self.model(input_ids=ids, use_cache=False).logits[:, :-1].float()
            chosen = logits.gather(2, ids[:, 1:, None])[..., 0]
            each = (chosen - logits.logsumexp(-1)).double().cpu().numpy()
        rows = zip(each, places, strict=True)
        return [Reading(row[: len(at)], at[:, 0], at[:, 1]) for row, at in rows]

    def hidden(
        self, texts: Sequence[str], layer: int, adapter: Adapter | None = None
    ) -> list[Hidden]:
        """Return what a layer makes of texts (0 are the embeddings); nothing behind it computes.

        With an adapter the layers before it are changed for this.

        What texts have in common at their beginnings is read once. So it takes a seventh of the
        time of :meth:`read`, which it is like otherwise.
        """
        if not texts:
            return []
        pieces, characters = self.cut(texts)
        rows = packed(pieces, self.first, _ROW)
        states = self._states(rows, layer, adapter).float().cpu().numpy()
        found = zip(rows.places, characters, strict=True)
        return [Hidden(states[row, at], where[:, 0], where[:, 1]) for (row, at), where in found]

    def pieces(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the numbers of the pieces of texts."""
        if not texts:
            return []
        found = tokenized(self.tokenizer, list(texts), add_special_tokens=False, verbose=False)
        pieces: list[list[int]] = found["input_ids"]
        return pieces

    def cut(self, texts: Sequence[str]) -> tuple[list[list[int]], list[LongArray]]:
        """Return the pieces of texts that are read, and the characters of each.

        Of each text int64[pieces, 2]: where in it every piece begins and ends.
        """
        cut = tokenized(
            self.tokenizer, list(texts), add_special_tokens=False, truncation=True,
            max_length=self.longest, return_offsets_mapping=True, verbose=False,
        )  # fmt: skip
        places = [np.array(each, np.int64).reshape(-1, 2) for each in cut["offset_mapping"]]
        return cut["input_ids"], places

    def begin(self, rows: int, behind: Sequence[int] = ()) -> ReadPrefixes:
        """Return so many empty beginnings of texts, which stand behind these pieces.

        Raises as :class:`ReadPrefixes`.
        """
        return ReadPrefixes(self.model, (self.first, *behind), rows, self.longest)

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

    def _states(self, rows: Packed, layer: int, adapter: Adapter | None) -> torch.Tensor:
        """Return what a layer makes of pieces."""
        key = layer, adapter
        if key not in self._trunks:
            self._trunks[key] = Trunk(self.model.base_model, layer, adapter)
        arrays = (rows.ids, rows.depth, rows.sees)
        ids, depth, sees = (torch.from_numpy(each).to(self.model.device) for each in arrays)
        nothing = torch.zeros(sees.shape, dtype=self.model.dtype, device=sees.device)
        mask = nothing.masked_fill(~sees, torch.finfo(self.model.dtype).min)[:, None]
        with torch.no_grad():
            return self._trunks[key].states(ids, position_ids=depth, attention_mask=mask)


_ROUNDED: WeakKeyDictionary[Any, CausalModel] = WeakKeyDictionary()
"""What was made of models that are open."""

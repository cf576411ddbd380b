"""Beginnings of texts that a causal language model has read, and what may follow them."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from grammar.arrays import FloatArray, LongArray
from grammar.errors import OptionError

__all__ = ["ReadPrefixes"]

_CACHES = ("cache", "past_key_values")
"""What a model calls that which it keeps of the pieces before; the library changed its mind."""
_LAST_ONLY = "logits_to_keep"
"""What a model calls the number of places of which it computes what follows."""


class ReadPrefixes:
    """So many beginnings of texts, one a row, each read behind the same pieces.

    A row that waits while others go on has a gap there, which is never looked at.

    Parameters
    ----------
    model : transformers.PreTrainedModel
        A causal language model that attends to what it read.
    first : sequence of int
        The pieces that texts are read behind, one at the least.
    rows : int
        How many.
    longest : int
        So many pieces have places of their own; those behind them share the last.

    Raises
    ------
    OptionError
        If the model keeps nothing of what it read.
    """

    def __init__(self, model: Any, first: Sequence[int], rows: int, longest: int) -> None:
        known = inspect.signature(model.forward).parameters
        name = next((name for name in _CACHES if name in known), None)
        if name is None or "position_ids" not in known:
            raise OptionError(
                f"a model of the kind {type(model).__name__} cannot read word by word",
                hint="name one that attends to what it read, as smollm2 does",
            )
        self._model, self._name, self._longest = model, name, longest
        self._given = {_LAST_ONLY: 1} if _LAST_ONLY in known and len(first) > 1 else {}
        self._cache = DynamicCache()
        self._seen = torch.zeros((rows, 0), dtype=torch.long, device=model.device)
        self._length = torch.zeros(rows, dtype=torch.long, device=model.device)
        self.following: FloatArray = np.zeros((rows, 0), np.float32)
        self._last: Any = None
        self._extend(np.tile(np.array(first, np.int64), (rows, 1)))

    def extend(self, piece: LongArray) -> FloatArray:
        """Read one piece more in each row, -1 for none; return its log-probability, or 0.

        >>> prefixes.extend(np.array([5, -1]))  # doctest: +SKIP
        array([-9.1,  0. ])
        """
        return self._extend(piece[:, None])

    def branch(self, rows: LongArray) -> ReadPrefixes:
        """Return beginnings that go on from these rows, which stay here as they are."""
        made = copy.copy(self)
        made._cache = copy.deepcopy(self._cache)
        made.keep(rows)
        return made

    def _extend(self, pieces: LongArray) -> FloatArray:
        """Read pieces; return the log-probability of the first in each row."""
        ids = torch.from_numpy(pieces).to(self._seen.device)
        there = ids >= 0
        ids = ids.clamp(min=0)
        self._seen = torch.cat((self._seen, there.long()), 1)
        given = {"input_ids": ids, "attention_mask": self._seen, self._name: self._cache}
        ahead = torch.arange(ids.shape[1], device=ids.device)
        place = (self._length[:, None] + ahead).clamp(max=self._longest)
        with torch.no_grad():
            found = self._model(**given, **self._given, position_ids=place, use_cache=True)
            behind = found.logits[:, -1].float().log_softmax(-1)
        self._length += there.sum(1)
        gained = np.zeros(len(pieces))
        if self._last is not None:
            likely = torch.where(there, self._last.gather(1, ids), 0.0)[:, 0]
            gained = likely.double().cpu().numpy()
            behind = torch.where(there, behind, self._last)
        self._show(behind)
        return gained

    def keep(self, rows: LongArray) -> None:
        """Go on with these rows, of which some may be one."""
        order = torch.from_numpy(rows).to(self._seen.device)
        self._cache.reorder_cache(order)  # type: ignore[arg-type]
        self._seen, self._length = self._seen[order], self._length[order]
        self._show(self._last[order])

    def _show(self, behind: torch.Tensor) -> None:
        self._last, self.following = behind, behind.cpu().numpy()

"""Which words a causal language model expects next: log-probabilities of whole words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import nn

from grammar.arrays import FloatArray, LongArray
from sampling.neural.causal.model import CausalModel
from sampling.neural.threads import decoded

__all__ = ["NextWords"]

_BEFORE = "it is"
"""Words are cut into pieces behind it, as they are in a text."""
_AT_ONCE = 16
"""So many texts are read together: the last bits of a reading depend on what is read with it."""
_KEPT = 16
"""So many answers are kept: a choice, its training and a new example ask for the same."""


class NextWords:
    """The words that a model has as one piece each, and how probable it makes them behind a text.

    A word of several pieces is none of them: its first piece begins other words as well. In a
    vocabulary of pieces the words of one piece are the frequent ones.

    Parameters
    ----------
    model : CausalModel
        A causal language model.
    fits : callable
        Says which words are asked about.

    Attributes
    ----------
    words : tuple of str
        In their order.
    """

    def __init__(self, model: CausalModel, fits: Callable[[str], bool]) -> None:
        self._model = model
        tokenizer = model.tokenizer
        every = decoded(tokenizer, [[number] for number in range(len(tokenizer))])
        words = sorted({word for word in map(str.strip, every) if word and fits(word)})
        before = model.pieces([_BEFORE])[0]
        behind = model.pieces([f"{_BEFORE} {word}" for word in words])
        known = [
            (word, pieces[-1])
            for word, pieces in zip(words, behind, strict=True)
            if pieces[:-1] == before and every[pieces[-1]].strip() == word
        ]
        self.words = tuple(word for word, _ in known)
        self._pieces: LongArray = np.array([piece for _, piece in known], np.int64)
        self._answers: dict[tuple[str, ...], FloatArray] = {}

    @classmethod
    def opened(cls, name: str, device: str, fits: Callable[[str], bool]) -> NextWords:
        """Open a model by its name or folder (raises as ``open_model``).

        The same model and the same words give the same value again, as long as the model lives.
        """
        model = CausalModel.opened(name, device)
        known = _KNOWN.setdefault(model, {})
        if fits not in known:
            known[fits] = cls(model, fits)
        return known[fits]

    @property
    def weights(self) -> str:
        """The hash of the weights of the model."""
        return self._model.weights

    def after(self, texts: Sequence[str]) -> FloatArray:
        """Return the log-probability of each word behind each text: float64[texts, words]."""
        asked = tuple(texts)
        if asked not in self._answers:
            if len(self._answers) == _KEPT:
                del self._answers[next(iter(self._answers))]
            parts = [self._read(texts[at : at + _AT_ONCE]) for at in range(0, len(texts), _AT_ONCE)]
            self._answers[asked] = np.concatenate([np.zeros((0, len(self.words))), *parts])
        return self._answers[asked].copy()

    def _read(self, texts: Sequence[str]) -> FloatArray:
        model = self._model
        pieces = [torch.tensor([model.first, *each]) for each in model.cut(texts)[0]]
        last = torch.tensor([len(each) - 1 for each in pieces])
        ids = nn.utils.rnn.pad_sequence(pieces, batch_first=True).to(model.model.device)
        with torch.no_grad():
            logits = model.model(input_ids=ids, use_cache=False).logits
            behind = logits[torch.arange(len(texts)), last].float().log_softmax(-1)
        found: FloatArray = behind.double().cpu().numpy()[:, self._pieces]
        return found


_KNOWN: WeakKeyDictionary[CausalModel, dict[Callable[[str], bool], NextWords]] = WeakKeyDictionary()
"""The words of models that are open."""

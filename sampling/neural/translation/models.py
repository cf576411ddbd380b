"""Translators of Hugging Face: Marian and all other encoder-decoders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from sampling.neural.opening import digest_of_weights, open_model
from sampling.neural.threads import decoded, lengths, seeded, tokenized

__all__ = ["ModelTranslator"]


@dataclass(frozen=True, eq=False)
class ModelTranslator:
    """Translates with a model.

    Parameters
    ----------
    model, tokenizer
        An encoder-decoder and its tokenizer.
    temperature : float
        Words are drawn at it; 0 searches the best text with ``beams``.
    beams : int
        Of the search.
    """

    model: Any
    tokenizer: Any
    temperature: float
    beams: int

    @classmethod
    def opened(cls, name: str, device: str, temperature: float, beams: int) -> ModelTranslator:
        """Open a translator by its name or folder (raises as ``open_model``)."""
        return cls(*open_model(name, "seq2seq", device=device), temperature, beams)

    @property
    def is_random(self) -> bool:
        """Whether a text has more translations than one."""
        return self.temperature > 0

    @property
    def weights(self) -> str:
        """The hash of its weights."""
        return digest_of_weights(self.model)

    @property
    def longest(self) -> int:
        """How many pieces a text can have."""
        known = getattr(self.model.config, "max_position_embeddings", None) or 512
        return min(int(known), int(self.tokenizer.model_max_length))

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many pieces texts have."""
        return lengths(self.tokenizer, texts)

    def translate(self, texts: Sequence[str], seed: int = 0) -> list[str]:
        """Return the translation of each text; draws are a function of the seed and the texts."""
        cut = tokenized(
            self.tokenizer, list(texts), padding=True, truncation=True, max_length=self.longest,
            return_tensors="pt",
        ).to(self.model.device)  # fmt: skip
        how: dict[str, Any] = {"num_beams": self.beams, "do_sample": False}
        if self.is_random:
            how = {"do_sample": True, "temperature": self.temperature, "num_beams": 1, "top_k": 0}
        with torch.no_grad(), seeded(seed, self.model.device):
            ids = self.model.generate(
                input_ids=cut["input_ids"], attention_mask=cut["attention_mask"],
                max_length=min(self.longest, 2 * cut["input_ids"].shape[1] + 16), **how,
            )  # fmt: skip
        found = decoded(self.tokenizer, ids)
        return [text.strip() for text in found]

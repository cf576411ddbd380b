"""Answers of a causal language model that runs here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sampling.neural.opening import digest_of_weights, open_model
from sampling.neural.prompted.lines import Answer, Asked, Lines
from sampling.neural.threads import decoded, lengths, seeded, tokenized

__all__ = ["LocalModel"]


@dataclass(frozen=True, eq=False)
class LocalModel:
    """Writes lines with a causal language model.

    Parameters
    ----------
    model, tokenizer
        The model and its tokenizer.
    temperature : float
        Pieces are drawn at it.
    pieces : int
        The most that an answer has.
    """

    model: Any
    tokenizer: Any
    temperature: float
    pieces: int

    at_once = 32

    @classmethod
    def opened(cls, name: str, device: str, temperature: float, pieces: int) -> LocalModel:
        """Open a model by its name or folder (raises as ``open_model``)."""
        model, tokenizer = open_model(name, "causal", device=device)
        tokenizer.padding_side = "left"
        return cls(model, tokenizer, temperature, pieces)

    @property
    def weights(self) -> str:
        """The hash of its weights."""
        return digest_of_weights(self.model)

    @property
    def longest(self) -> int:
        """How many pieces a prompt can have."""
        known = getattr(self.model.config, "max_position_embeddings", None) or 1 << 20
        return int(min(known, self.tokenizer.model_max_length)) - self.pieces

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """Return how many pieces texts have."""
        return lengths(self.tokenizer, texts, add_special_tokens=False)

    def answers(self, asked: Sequence[Asked], seeds: Sequence[int]) -> list[tuple[str, None]]:
        """Return a line for each prompt; draws are a function of the first seed and the prompts."""
        given = self._read([one.before + one.begin for one in asked])
        with torch.no_grad(), seeded(seeds[0], self.model.device):
            ids = self.model.generate(
                **given, do_sample=True, temperature=self.temperature, top_k=0,
                max_new_tokens=self.pieces, pad_token_id=self.tokenizer.pad_token_id,
            )  # fmt: skip
        made = decoded(self.tokenizer, ids[:, given["input_ids"].shape[1] :])
        return [
            (one.begin + text.split("\n")[0], None) for one, text in zip(asked, made, strict=True)
        ]

    def shares(self, answers: Sequence[Answer], lines: Lines) -> NDArray[np.float32]:
        """Return how probable the name of each class is where an answer has one.

        Parameters
        ----------
        answers : sequence of Answer
            Examples.
        lines : Lines
            Knows the classes.

        Returns
        -------
        float32 array, shape (answers, classes)
            Distributions: the probabilities of whole names, divided by their sum.
        """
        made = np.empty((len(answers), len(lines.classes)), np.float32)
        for row, answer in enumerate(answers):
            before = answer.asked.before + lines.up_to_label(answer.line)
            scores = self._log_probabilities([f'{before}{name}"' for name in lines.classes])
            made[row] = scores.softmax(0).numpy()
        return made

    def _log_probabilities(self, texts: Sequence[str]) -> torch.Tensor:
        """Return the log-probability of texts; those that begin alike differ in their ends only."""
        given = self._read(texts)
        ids, mask = given["input_ids"], given["attention_mask"]
        with torch.no_grad():
            logits = self.model(**given).logits[:, :-1].double().log_softmax(-1)
        each = logits.gather(2, ids[:, 1:, None])[..., 0]
        return (each * (mask[:, 1:] * mask[:, :-1])).sum(1).cpu()

    def _read(self, texts: Sequence[str]) -> dict[str, Any]:
        read = tokenized(
            self.tokenizer, list(texts), add_special_tokens=False, padding=True, return_tensors="pt"
        ).to(self.model.device)
        return {name: read[name] for name in ("input_ids", "attention_mask")}

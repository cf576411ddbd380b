"""How to build and train a sequence-to-sequence model: sizes, learning rate, stopping, seed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from grammar.errors import OptionError
from grammar.options import TINY, Checked, option, options_of, refuse_unknown
from induction.models import Model

__all__ = ["GECA_CODE", "MODELS", "SCHEDULES", "TRAINED", "TrainingConfig"]

MODELS = ("lstm", "transformer")
SCHEDULES = ("cosine", "plateau")
_MANY = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class TrainingConfig(Checked):
    """How to build and train a model; the values of code mode are those of GECA's program.

    Raises
    ------
    OptionError
        If a value cannot be used, a model that copies is to be trained on mixed pairs, whose words
        are no longer words that could be copied, or a model other than an LSTM of one layer is to
        be fed its attention.

    Examples
    --------
    >>> TrainingConfig(steps=500, seed=1).hidden
    128
    """

    embedding: int = option(64, "Width of embeddings.", least=1, most=2**16)
    hidden: int = option(128, "Width of hidden states.", code=512, least=1, most=2**16)
    layers: int = option(1, "Layers of the encoder and of the decoder.", least=1, most=64)
    dropout: float = option(
        0.1, "Share of values that dropout sets to zero.", code=0.5, least=0.0, most=0.99
    )
    batch: int = option(64, "Pairs in a batch.", least=1, most=2**20)
    augmented_share: float = option(
        0.3,
        "Share of each batch (on average) taken from the augmented pairs, if there are any.",
        least=0.0,
        most=1.0,
    )
    peak_rate: float = option(4e-3, "The highest learning rate.", code=1e-3, least=TINY, most=1e3)
    clip: float = option(1.0, "The largest norm of the gradient.", least=TINY, most=1e9)
    steps: int = option(
        3000, "The largest number of optimiser steps.", code=150 * 32, least=1, most=_MANY
    )
    check_every: int = option(
        250,
        "Steps between two measurements of training exact match; each also saves a checkpoint.",
        code=32,
        least=1,
        most=_MANY,
    )
    checked_pairs: int = option(
        512,
        "Number of pairs to measure on, drawn once from the training and once from the "
        "augmented pairs.",
        least=1,
        most=_MANY,
    )
    stop_at: float = option(
        0.999,
        "Training stops when a measurement and then all pairs reach this exact match. "
        "With validation pairs, it continues to the last step.",
        least=0.0,
        most=1.0,
    )
    again_below: float = option(
        0.0,
        "If fewer than this share of all training pairs is right after the last step, "
        "the schedule of learning rates runs once more from there (a warm restart). 0 "
        "turns this off.",
        source="Loshchilov & Hutter 2017",
        least=0.0,
        most=1.0,
    )
    seed: int = option(0, "Seed of everything random.", least=0, most=2**63 - 1)
    copy: bool = option(
        False, "Copy words of the source, by a gate.", source="See et al. 2017", code=True
    )
    model: str = option("lstm", "The architecture.", choices=MODELS)
    heads: int = option(8, "Attention heads of a Transformer.", least=1, most=2**10)
    feedforward: int = option(
        256, "Width of the feedforward layers of a Transformer.", least=1, most=2**16
    )
    mix: float = option(
        0.0,
        "SeqMix: mix each pair of a batch with another one; its share of the embeddings"
        " and of the loss comes from Beta(mix, mix). 0 turns this off; the paper uses "
        "0.1 to 1.5.",
        source="Guo, Kim & Rush 2020",
        least=0.0,
        most=1e3,
    )
    schedule: str = option(
        "cosine",
        "How the learning rate falls from its peak: half a cosine, or halved each time "
        "that eleven measurements in a row are no better.",
        code="plateau",
        choices=SCHEDULES,
    )
    feed: bool = option(
        False,
        "Give the decoder of the LSTM its attention as an input, and build it like that"
        " of GECA's program.",
        source="Andreas 2020",
        code=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.copy and self.mix:
            raise OptionError(
                f"copy=True and mix={self.mix} do not go together", hint="use mix=0 or copy=False"
            )
        if self.feed and (self.model, self.layers) != ("lstm", 1):
            raise OptionError(
                f"feed=True is for an LSTM of one layer, not a {self.model} of {self.layers}",
                hint="use feed=False, or model='lstm' and layers=1",
            )

    @classmethod
    def of(cls, model: str, **changes: Any) -> TrainingConfig:
        """Return the config that suits an architecture, with the given values changed.

        Raises
        ------
        OptionError
            As for the constructor, or if there is no such value.

        Examples
        --------
        >>> TrainingConfig.of("lstm") == TrainingConfig()
        True
        >>> config = TrainingConfig.of("transformer", seed=3)
        >>> config.layers, config.peak_rate, config.seed
        (2, 0.001, 3)
        """
        refuse_unknown(changes, (o.name for o in options_of(cls)), "a config")
        suited = TRANSFORMER if model == "transformer" else {}
        return cls(**{"model": model, **suited, **changes})

    def learning_rate(self, update: int, looks: Iterable[float] = ()) -> float:
        """Return the learning rate of an update.

        With the schedule ``"cosine"`` it goes up in a line, then down in half a cosine. With
        ``"plateau"`` it is halved each time that eleven looks in a row found nothing better.

        Parameters
        ----------
        update : int
            Updates made before it.
        looks : iterable of float
            Exact match at each look so far.

        Examples
        --------
        >>> config = TrainingConfig(steps=100, peak_rate=1.0)
        >>> [round(config.learning_rate(update), 3) for update in (0, 9, 54, 99, 100)]
        [0.1, 1.0, 0.517, 0.0, 0.1]
        >>> config = TrainingConfig(schedule="plateau", peak_rate=1.0)
        >>> config.learning_rate(99, [0.5] * 11), config.learning_rate(99, [0.5] * 12)
        (1.0, 0.5)
        """
        if self.schedule == "plateau":
            return self.peak_rate * 0.5 ** _plateaus(looks)
        warm = max(1, round(WARM_UP * self.steps))
        update %= self.steps
        if update < warm:
            return self.peak_rate * (update + 1) / warm
        past = (update - warm) / max(1, self.steps - warm)
        return self.peak_rate * (1.0 + math.cos(math.pi * past)) / 2.0


def _plateaus(looks: Iterable[float]) -> int:
    """Count how often more than :data:`PATIENCE` looks in a row found nothing better."""
    best, worse, plateaus = -math.inf, 0, 0
    for exact in looks:
        worse += 1
        if exact > best * (1.0 + LEAST_GAIN):
            best, worse = exact, 0
        if worse > PATIENCE:
            plateaus, worse = plateaus + 1, 0
    return plateaus


WARM_UP = 0.1
"""Share of the steps in which the learning rate rises."""

PATIENCE, LEAST_GAIN = 10, 1e-4
"""Looks without a better one after which the rate of a plateau stays, and the relative gain that
counts as better: the default values of PyTorch's ReduceLROnPlateau."""

GECA_CODE: Mapping[str, Any] = MappingProxyType(
    {o.name: o.code for o in options_of(TrainingConfig) if o.code != o.default}
    | {name: getattr(TrainingConfig(), name) for name in ("augmented_share", "again_below")}
)
"""The values that the released program of GECA (Andreas 2020) trains with on SCAN, where they
differ from the default ones: in its words, 150 epochs of 32 batches."""

TRANSFORMER = {"layers": 2, "peak_rate": 1e-3}
"""What the config for a Transformer has in place of the default values, which suit the LSTM."""

TRAINED: Mapping[str, Model] = MappingProxyType(
    {
        "seq2seq": Model("seq2seq", "LSTM or Transformer from pairs, by treewright scan train",
                         "pairs", "scan.models.config", "TrainingConfig")
    }
)  # fmt: skip
"""What is trained by a config, by name, as :data:`induction.models.MODELS`."""

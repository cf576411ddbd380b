"""How to build and train a sequence-to-sequence model: sizes, learning rate, stopping, seed."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from grammar.errors import OptionError

__all__ = ["GECA_CODE", "MODELS", "SCHEDULES", "Recipe"]

MODELS = ("lstm", "transformer")
SCHEDULES = ("cosine", "plateau")


@dataclass(frozen=True)
class Recipe:
    """How to build and train a model.

    Parameters
    ----------
    model : {"lstm", "transformer"}
        The architecture; :meth:`of` has the other values that suit it.
    embedding, hidden, layers, dropout, copy
        The shape of the model, see :class:`scan.seq2seq.Seq2Seq` and
        :class:`scan.transformer.Transformer`.
    feed : bool
        Feed the decoder of the LSTM its attention, and build it otherwise too as GECA's program
        does, see :class:`scan.input_feeding.InputFeeding`.
    heads, feedforward : int
        More of the shape of a Transformer; the LSTM has no such parts.
    batch : int
        Pairs an update.
    augmented_share : float
        Share of each batch (on average) taken from the augmented pairs, where there are any.
    peak_rate : float
        Largest learning rate.
    schedule : {"cosine", "plateau"}
        How the learning rate goes on from there; see :meth:`learning_rate`.
    clip : float
        Largest norm of the gradient.
    updates : int
        Updates at most.
    check_every : int
        Updates between two looks at training exact match, each of which is also a checkpoint.
    checked_pairs : int
        Pairs looked at, drawn once from the training and once from the augmented pairs.
    stop_at : float
        Training stops when a look finds at least this exact match, and so do all the pairs. If
        there are validation pairs, it goes on to the last update.
    again_below : float
        If fewer than this share of all training pairs is right after the last update, training
        goes on from there with the learning rates of all updates once more, and only once
        (a warm restart, Loshchilov & Hutter 2017, *SGDR*). 0 means never.
    seed : int
        Where all that is random starts from.
    mix : float
        The parameter of SeqMix (Guo, Kim & Rush 2020, *Sequence-level mixed sample data
        augmentation*): each pair of a batch is mixed with another pair of the batch, its share of
        the embeddings and of the loss drawn from Beta(mix, mix). 0 mixes nothing; the paper uses
        0.1 to 1.5.

    Raises
    ------
    OptionError
        If a value is out of range, there is no such model or schedule, a model that copies is
        to be trained on mixed pairs, whose words are no longer words that could be copied, or a
        model other than an LSTM of one layer is to be fed its attention.
    """

    embedding: int = 64
    hidden: int = 128
    layers: int = 1
    dropout: float = 0.1
    batch: int = 64
    augmented_share: float = 0.3
    peak_rate: float = 4e-3
    clip: float = 1.0
    updates: int = 3000
    check_every: int = 250
    checked_pairs: int = 512
    stop_at: float = 0.999
    again_below: float = 0.0
    seed: int = 0
    copy: bool = False
    model: str = "lstm"
    heads: int = 8
    feedforward: int = 256
    mix: float = 0.0
    schedule: str = "cosine"
    feed: bool = False

    def __post_init__(self) -> None:
        for option in fields(self):
            value = getattr(self, option.name)
            if option.name in _CHOICES:
                choices = _CHOICES[option.name]
                if value not in choices:
                    raise OptionError(
                        f"{option.name}={value!r} is not a {option.name}",
                        hint=f"choose from {', '.join(choices)}",
                    )
                continue
            if option.type == "bool":
                if not isinstance(value, bool):
                    raise _not_of_type(option.name, value, option.type, option.default)
                continue
            low, high = _RANGES[option.name]
            kinds = int if option.type == "int" else int | float
            if isinstance(value, bool) or not isinstance(value, kinds):
                raise _not_of_type(option.name, value, option.type, option.default)
            if not low <= value <= high:
                raise OptionError(
                    f"{option.name}={value!r} is out of range",
                    hint=f"choose a value from {low} to {high}, for example {option.default}",
                )
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
    def of(cls, model: str, **changes: Any) -> Recipe:
        """Return the recipe that suits an architecture, with the given values changed.

        Raises
        ------
        OptionError
            As for the constructor, or if there is no such value.

        Examples
        --------
        >>> Recipe.of("lstm") == Recipe()
        True
        >>> recipe = Recipe.of("transformer", seed=3)
        >>> recipe.layers, recipe.peak_rate, recipe.seed
        (2, 0.001, 3)
        """
        known = [option.name for option in fields(cls)]
        for name in changes:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                meant = f"did you mean {near[0]}? " if near else ""
                raise OptionError(
                    f"a recipe has no {name!r}", hint=f"{meant}It has {', '.join(known)}"
                )
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
        >>> recipe = Recipe(updates=100, peak_rate=1.0)
        >>> [round(recipe.learning_rate(update), 3) for update in (0, 9, 54, 99, 100)]
        [0.1, 1.0, 0.517, 0.0, 0.1]
        >>> recipe = Recipe(schedule="plateau", peak_rate=1.0)
        >>> recipe.learning_rate(99, [0.5] * 11), recipe.learning_rate(99, [0.5] * 12)
        (1.0, 0.5)
        """
        if self.schedule == "plateau":
            return self.peak_rate * 0.5 ** _plateaus(looks)
        warm = max(1, round(WARM_UP * self.updates))
        update %= self.updates
        if update < warm:
            return self.peak_rate * (update + 1) / warm
        past = (update - warm) / max(1, self.updates - warm)
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


def _not_of_type(name: str, value: object, kind: object, example: object) -> OptionError:
    return OptionError(
        f"{name}={value!r} is not of type {kind}", hint=f"for example {name}={example}"
    )


WARM_UP = 0.1
"""Share of the updates in which the learning rate rises."""

PATIENCE, LEAST_GAIN = 10, 1e-4
"""Looks without a better one after which the rate of a plateau stays, and the relative gain that
counts as better: the default values of PyTorch's ReduceLROnPlateau."""

GECA_CODE: Mapping[str, Any] = MappingProxyType(
    {
        "hidden": 512,
        "dropout": 0.5,
        "copy": True,
        "feed": True,
        "augmented_share": 0.3,
        "peak_rate": 1e-3,
        "schedule": "plateau",
        "updates": 150 * 32,
        "check_every": 32,
        "again_below": 0.0,
    }
)
"""The values that the released program of GECA (Andreas 2020) trains with on SCAN, where they
differ from the default ones: in its words, 150 epochs of 32 batches."""

TRANSFORMER = {"layers": 2, "peak_rate": 1e-3}
"""What the recipe for a Transformer has in place of the default values, which suit the LSTM."""

_MANY = 2**31 - 1
_CHOICES = {"model": MODELS, "schedule": SCHEDULES}
_RANGES: dict[str, tuple[float, float]] = {
    "embedding": (1, 2**16),
    "hidden": (1, 2**16),
    "layers": (1, 64),
    "dropout": (0.0, 0.99),
    "batch": (1, 2**20),
    "augmented_share": (0.0, 1.0),
    "peak_rate": (1e-9, 1e3),
    "clip": (1e-9, 1e9),
    "updates": (1, _MANY),
    "check_every": (1, _MANY),
    "checked_pairs": (1, _MANY),
    "stop_at": (0.0, 1.0),
    "again_below": (0.0, 1.0),
    "seed": (0, 2**63 - 1),
    "heads": (1, 2**10),
    "feedforward": (1, 2**16),
    "mix": (0.0, 1e3),
}

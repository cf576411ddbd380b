"""What all classifiers have in common that learn in batches."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from classifiers.config import TrainingConfig
from classifiers.encoders.encoding import Text
from classifiers.examples import Examples
from classifiers.networks.batches import Batches, Read
from classifiers.networks.loop import Course, StoppedTrainingError, learn
from classifiers.predicting import Predicting
from grammar.rng import stream_key
from sampling.neural.threads import seeded

__all__ = ["Network", "fitted", "judged"]

BATCH = 64


@dataclass(frozen=True, eq=False, kw_only=True)
class Network(Predicting, ABC):
    """A classifier that learnt in batches.

    Attributes
    ----------
    config : TrainingConfig
        How it was trained.
    classes : tuple of str
        What the classes are called.
    model : Module
        The weights; it returns ``logits`` for the inputs that :meth:`read` makes.
    losses : tuple of float
        Of every update.
    chosen : int
        After how many steps the weights were taken.
    """

    config: TrainingConfig
    classes: tuple[str, ...]
    model: Any
    losses: tuple[float, ...] = ()
    chosen: int = 0

    @abstractmethod
    def read(self, texts: Sequence[Text]) -> Read:
        """Return texts as the model reads them."""

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        place: torch.device = next(self.model.parameters()).device
        return place

    def precision(self) -> AbstractContextManager[Any]:
        """Return the context in which the model computes."""
        return nullcontext()

    def probabilities(self, texts: Sequence[Text]) -> NDArray[np.float64]:
        """Return the probability of every class, float64 of shape (texts, classes)."""
        return self.probabilities_of(self.read(texts))

    def probabilities_of(self, read: Read) -> NDArray[np.float64]:
        """Return the same of texts that were prepared before."""
        self.model.eval()
        return self._named(read)

    def passes(self, texts: Sequence[Text], count: int, seed: int) -> NDArray[np.float64]:
        """Return what the model says with dropout, float64 of shape (passes, texts, classes)."""
        read = self.read(texts)
        # another thread may ask the model meanwhile, without dropout
        dropping = replace(self, model=copy.deepcopy(self.model).train())
        made = np.zeros((count, len(read.sizes), len(self.classes)))
        for number in range(count):
            with seeded(int(stream_key(seed, f"dropout {number}")) >> 1, self.device):
                made[number] = dropping._named(read)
        return made

    def _named(self, read: Read) -> NDArray[np.float64]:
        sizes = read.sizes
        made = np.zeros((len(sizes), len(self.classes)))
        order = sorted(range(len(sizes)), key=lambda row: sizes[row])
        with torch.inference_mode(), self.precision():
            for first in range(0, len(order), BATCH):
                rows = order[first : first + BATCH]
                inputs = {name: value.to(self.device) for name, value in read.batch(rows).items()}
                logits = self.model(**inputs)["logits"]
                scores = logits.float()
                shares = scores.sigmoid() if self.multilabel else scores.softmax(1)
                made[rows] = shares.double().cpu().numpy()
        return made


Some = TypeVar("Some", bound=Network)


def fitted(blank: Some, batches: Batches, course: Course, held: Examples | None = None) -> Some:
    """Return a classifier after it has learnt.

    Parameters
    ----------
    blank : Network
        Its model has the weights to begin with; they change.
    batches : Batches
        What it learns from.
    course : Course
        Checkpoints, and who is told.
    held : Examples, optional
        A tenth of the training after the other, these judge it; the weights that name most of
        them right are taken, with the lower loss where as many are.

    Raises
    ------
    StoppedTrainingError
        If the loss is no number any more; the message names the update, and the error has the
        classifier with the last weights whose loss was one.
    TrainingError
        If it never was a number.
    """
    if held is not None:
        texts = blank.read(held.texts)
        course = replace(course, judge=lambda: judged(blank.probabilities_of(texts), held))
    try:
        losses, chosen = learn(blank.model, batches, blank.config, blank.device, course)
    except StoppedTrainingError as error:
        error.model = replace(blank, chosen=error.update)
        raise
    return replace(blank, losses=tuple(losses), chosen=chosen)


def judged(shares: NDArray[np.float64], held: Examples) -> tuple[float, float]:
    """Return the share of right names, and minus the loss."""
    right = float(held.right(shares).mean())
    if held.multilabel:
        return right, float(held.nats(shares).mean())
    return right, float((held.labels * np.log(shares.clip(min=1e-12))).sum(1).mean())

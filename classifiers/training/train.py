"""One door to all classifiers: the config says which is trained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from classifiers.config import TFIDF, TrainingConfig
from classifiers.encoders.opening import Encoder, open_encoder
from classifiers.examples import Examples, refuse_multilabel
from classifiers.mixing.options import Mixing
from classifiers.networks.finetuning import fine_tune
from classifiers.networks.from_scratch import train_from_scratch
from classifiers.networks.model import UNMIXED
from classifiers.networks.perceptron import train_perceptron
from classifiers.training.fitting import fit_config
from classifiers.training.frozen import train_frozen, train_tfidf
from grammar.errors import CorpusError, OptionError

__all__ = ["Classifier", "Training", "trainer"]

STRENGTHS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""What held examples choose from, in place of a number of steps: factors of C."""


class Classifier(Protocol):
    """What training returns."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes."""
        ...

    def probabilities(self, texts: Sequence[str | tuple[str, str]]) -> NDArray[np.float64]:
        """Return the probability of every class, of shape (texts, classes)."""
        ...


@dataclass(frozen=True, eq=False)
class Training:
    """Trains classifiers by a config.

    Attributes
    ----------
    config : TrainingConfig
        How.
    mixing : Mixing
        Where examples are mixed, if anywhere.
    encoder : Encoder or None
        Opened; None if the config is one of words.
    """

    config: TrainingConfig
    mixing: Mixing
    encoder: Encoder | None

    @property
    def linear(self) -> bool:
        """Whether only a linear head learns, from all examples at once."""
        return self.config.linear

    def __call__(
        self,
        examples: Examples,
        *,
        held: Examples | None = None,
        checkpoint: Path | None = None,
        on_update: Callable[[int, float], None] | None = None,
    ) -> Classifier:
        """Train a classifier.

        Parameters
        ----------
        examples : Examples
            What to learn.
        held : Examples, optional
            What the number of steps is chosen by; C, of a linear head.
        checkpoint : path, optional
            A file for the state of what learns in batches (see
            :func:`~classifiers.networks.finetuning.fine_tune`).
        on_update : callable, optional
            Told the number of each update and its loss, but of a linear head.

        Raises
        ------
        CorpusError
            If there is nothing to learn, or one class.
        TrainingError
            If the loss is no number any more.
        OptionError
            If gamma is negative, and a linear head learns.
        """
        examples = _checked(examples)
        if self.config.multilabel != examples.multilabel:
            training, examples = self._matching(examples)
            return training(examples, held=held, checkpoint=checkpoint, on_update=on_update)
        if held is not None and self.config.multilabel:
            held = replace(held, multilabel=True)
        if not self.linear:
            learn = self._network(examples)
            return learn(held=held, checkpoint=checkpoint, on_update=on_update)
        examples = _merged(examples, self.config.gamma)
        if held is None:
            return self._linear(examples, self.fitted(examples).config)
        # the first of several that are alike good
        middle = self.config.C or 1.0
        ways = [replace(self.config, C=f * middle) for f in STRENGTHS]
        models = [self._linear(examples, way) for way in ways]
        right = [held.right(m.probabilities(list(held.texts))).mean() for m in models]
        return models[int(np.argmax(right))]

    def _network(self, examples: Examples) -> Callable[..., Classifier]:
        """Return what trains all that learns in batches."""
        if self.encoder is None:
            return partial(train_from_scratch, examples, self.config)
        if self.config.frozen:
            return partial(train_perceptron, self.encoder, examples, self.config)
        return partial(fine_tune, self.encoder, examples, self.config, mixing=self.mixing)

    def fitted(self, examples: Examples) -> Training:
        """Return this with its linear head fitted to the labelled examples, if it is to be.

        What the config leaves open is chosen by :func:`~classifiers.training.fitting.fit_config`;
        otherwise each training chooses anew.
        """
        training, examples = self._matching(examples)
        config = fit_config(training.config, examples, training._linear)
        return replace(training, config=config)

    def _matching(self, examples: Examples) -> tuple[Training, Examples]:
        """Return both for sets of classes, if either is: the labels are so, or it was asked for."""
        if not (self.config.multilabel or examples.multilabel):
            return self, examples
        examples = replace(examples, multilabel=True)
        for name, used in (("mix", self.mixing.used), ("contrast", self.config.contrast > 0)):
            if used:
                refuse_multilabel(examples, name, f"leave out {name}")
        return replace(self, config=replace(self.config, multilabel=True)), examples

    def _linear(self, examples: Examples, config: TrainingConfig) -> Classifier:
        if self.encoder is None:
            return train_tfidf(examples, config)
        return train_frozen(self.encoder, examples, config)


def trainer(config: TrainingConfig, mixing: Mixing = UNMIXED) -> Training:
    """Return what trains a classifier by a config; its encoder is opened once.

    Raises
    ------
    MissingDataError
        If the encoder, or a library, is not there.
    OptionError
        If examples are to be mixed where nothing learns.

    Examples
    --------
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["good", "bad"], label=["pos", "neg"]))
    >>> trainer(TrainingConfig(encoder="tfidf"))(few).probabilities(["bad"]).argmax(1)
    array([0])
    """
    words = config.encoder == TFIDF or config.from_scratch
    if mixing.used and (words or config.frozen):
        raise OptionError(
            f"mix={mixing.mix!r} needs an encoder that learns",
            hint="use train='top_layers' or train='whole', with an encoder",
        )
    encoder = None if words else open_encoder(config.encoder, device=config.device)
    if encoder is not None:
        mixing.check(encoder.depth, encoder.depth // 2 if config.train == "top_layers" else 0)
    return Training(config, mixing, encoder)


def _merged(examples: Examples, gamma: float | None) -> Examples:
    """Return examples whose new ones weigh gamma times what the others do: a merged loss."""
    if gamma is None or not examples.new.any():
        return examples
    if gamma < 0:
        raise OptionError(
            f"gamma={gamma!r} is negative, which a linear head cannot learn",
            hint="use train='top_layers' or train='whole'",
        )
    given, made = examples.take(np.flatnonzero(~examples.new)), np.flatnonzero(examples.new)
    return given.with_new(examples.take(made), gamma) if len(given) else examples


def _checked(examples: Examples) -> Examples:
    """Refuse what cannot be learnt: nothing, or one class (of sets, no difference at all)."""
    used = examples.labels[examples.weights > 0]
    if examples.multilabel and len(used):
        if (used == used[0]).all():
            raise CorpusError(
                "all examples have the same set of classes", hint="give some of other sets"
            )
        return examples
    present = used.sum(0) > 0
    if not present.any():
        raise CorpusError("there are no examples to learn from", hint="give some of every class")
    if present.sum() < 2:
        name = examples.classes[int(np.flatnonzero(present)[0])]
        raise CorpusError(
            f"all examples are of the class {name!r}", hint="give some of every class"
        )
    return examples

"""Fine-tuning an encoder by ``transformers.Trainer``, in a fixed order of examples."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from classifiers.config import TrainingConfig
from classifiers.encoders.cache import fingerprint
from classifiers.encoders.encoding import Text, lower_states
from classifiers.encoders.opening import Encoder
from classifiers.examples import Examples
from classifiers.mixing.options import Mixing
from classifiers.networks.batches import Batches, Read, Rows
from classifiers.networks.loop import Course
from classifiers.networks.model import UNMIXED, TextModel, lowest_trained
from classifiers.networks.network import Network, fitted
from sampling.neural.precision import lowered
from sampling.neural.threads import seeded

__all__ = ["FineTuned", "fine_tune", "key_of", "read_texts"]


@dataclass(frozen=True, eq=False, kw_only=True)
class FineTuned(Network):
    """A classifier whose encoder, or a part of it, was trained.

    Attributes
    ----------
    encoder : Encoder
        Where training started from.
    """

    encoder: Encoder

    def read(self, texts: Sequence[Text]) -> Rows:
        """Return texts as :func:`read_texts` prepares them."""
        return read_texts(self.encoder, texts, self.config)

    def precision(self) -> AbstractContextManager[Any]:
        """Return a context of bf16, if the config asks for it, or it is fast here."""
        return lowered(self.config.precision, self.device)

    def whole_encoder(self) -> Any:
        """Return the encoder with the weights as they were trained."""
        if not self.model.frozen_layers:
            return self.model.body
        whole = copy.deepcopy(self.encoder.model)
        layers = self.model.body.layer
        for number, layer in enumerate(layers, self.model.frozen_layers):
            whole.encoder.layer[number].load_state_dict(layer.state_dict())
        return whole


def read_texts(encoder: Encoder, texts: Sequence[Text], config: TrainingConfig) -> Rows:
    """Return texts as numbers of pieces, or as what a fixed lower half makes of them.

    With ``train="top_layers"`` the lower half is run here, once a text.
    """
    depth = lowest_trained(encoder, config)
    if depth:
        states = lower_states(encoder, texts, depth, max_length=config.max_length)
        return Rows([{"states": state} for state in states])
    rows = []
    for text in texts:
        batch = encoder.pieces([text], config.max_length)
        rows.append({name: value[0].cpu() for name, value in batch.items()})
    return Rows(rows)


def fine_tune(
    encoder: Encoder,
    examples: Examples,
    config: TrainingConfig,
    *,
    mixing: Mixing = UNMIXED,
    held: Examples | None = None,
    checkpoint: Path | None = None,
    read: Read | None = None,
    on_update: Callable[[int, float], None] | None = None,
) -> FineTuned:
    """Train a classifier on an encoder.

    Parameters
    ----------
    encoder : Encoder
        Where training starts from; it is not changed.
    examples : Examples
        What to learn, new ones among them.
    config : TrainingConfig
        How.
    mixing : Mixing
        Where examples are mixed, if anywhere.
    held : Examples, optional
        A tenth of the training after the other, these judge it; the weights that name most of
        them right are taken, with the lower loss where as many are.
    checkpoint : path, optional
        A file for the state: a training that was stopped goes on from there, with the same result.
    read : Read, optional
        The texts of the examples, prepared, where they are used more than once.
    on_update : callable, optional
        Told the number of each update and its loss.

    Returns
    -------
    FineTuned
        The same on one machine whenever it is called with the same arguments.

    Raises
    ------
    StoppedTrainingError
        If the loss is no number any more; the message names the update, and the error has the
        classifier with the last weights whose loss was one.
    TrainingError
        If it never was a number.
    OptionError
        If the encoder cannot be run in parts, or a library is missing.
    """
    with seeded(config.seed, encoder.device):
        model = TextModel(encoder, config, len(examples.classes), mixing).to(encoder.device)
        blank = FineTuned(encoder=encoder, config=config, classes=examples.classes, model=model)
        if not config.steps:
            return blank
        read = read or blank.read(examples.texts)
        course = Course(
            checkpoint=checkpoint,
            key=key_of(encoder, config, mixing, [examples, held]) if checkpoint else "",
            on_update=on_update,
        )
        batches = Batches(read, examples, config, mixing=mixing, depth=encoder.depth)
        return fitted(blank, batches, course, held)


def key_of(
    encoder: Encoder | None, config: TrainingConfig, mixing: Mixing, parts: Sequence[Any]
) -> str:
    """Return a hash of what decides a training: the encoder, the options and the examples.

    Parts are examples, None, or whatever is written in JSON.
    """
    facts: list[Any] = [fingerprint(encoder) if encoder else None, asdict(config), asdict(mixing)]
    for part in parts:
        if not isinstance(part, Examples):
            facts.append(part)
            continue
        numbers = hashlib.sha256(part.labels.tobytes() + part.weights.tobytes())
        facts.append(
            [part.texts, part.classes, part.new.tolist(), part.weighed, numbers.hexdigest()]
        )
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

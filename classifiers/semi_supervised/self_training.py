"""Self-training: a teacher names texts, a student learns from them, and is the next teacher.

Every student starts from the encoder as it was, so a round depends on the labels that it learns
from and on nothing else of the rounds before. These labels are all that is kept between rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from classifiers.examples import Examples
from classifiers.semi_supervised.options import SemiSupervised
from classifiers.semi_supervised.rounds import Pseudo, load_round, save_round
from classifiers.semi_supervised.uncertainty import (
    bald,
    drawn_by_ease,
    most_certain,
    variance_weights,
)
from classifiers.training.train import Classifier, Training

__all__ = ["Round", "named_texts", "self_train"]

Text = str | tuple[str, str]


@dataclass(frozen=True)
class Round:
    """What is said of a round.

    Attributes
    ----------
    number : int
        From 1.
    taken : int
        How many texts it learns from.
    of_each : tuple of int
        How many are taken for each class.
    """

    number: int
    taken: int
    of_each: tuple[int, ...]

    def line(self, classes: Sequence[str]) -> str:
        """Return it as one line."""
        each = ", ".join(f"{name} {n:,}" for name, n in zip(classes, self.of_each, strict=True))
        return f"round {self.number}: {self.taken:,} unlabelled texts taken ({each})"


def self_train(
    training: Training,
    labelled: Examples,
    texts: Sequence[Text],
    options: SemiSupervised,
    *,
    held: Examples | None = None,
    folder: Path | None = None,
    key: str = "",
    on_round: Callable[[Round], None] | None = None,
) -> Classifier:
    """Return the student of the last round.

    Parameters
    ----------
    training : Training
        Trains teachers and students.
    labelled : Examples
        Labelled examples, and new ones if there are any.
    texts : sequence of str or (str, str)
        Unlabelled ones.
    options : SemiSupervised
        ``self-training`` takes the texts that the teacher is most certain of; ``ust`` draws those
        that passes with dropout agree on, and weighs them by the variance of the passes.
    held : Examples, optional
        What chooses the number of steps of each.
    folder : path, optional
        Where rounds are kept: training that was stopped goes on from there, with the same result.
    key : str
        A hash of all that decides the result; rounds of another are refused.
    on_round : callable, optional
        Told of each round before it is learnt.

    Raises
    ------
    OptionError
        If passes are asked of a model without an encoder, or the folder is of other options.
    """
    kept = 0
    if folder is not None:
        kept = max((n for n in range(1, options.rounds + 1) if _round(folder, n, key, texts)),
                   default=0)  # fmt: skip
    model: Classifier | None = None
    for number in range(kept, options.rounds + 1):
        learnt = labelled
        if number:
            pseudo = None if folder is None else _round(folder, number, key, texts)
            if pseudo is None:
                assert model is not None
                pseudo = named_texts(model, texts, options, training.config.seed + number)
                if folder is not None:
                    save_round(folder, number, key, pseudo)
            learnt = _with_pseudo(labelled, texts, pseudo, options)
            if on_round is not None:
                of_each = np.bincount(pseudo.labels.argmax(1), minlength=len(labelled.classes))
                on_round(Round(number, len(pseudo.rows), tuple(of_each.tolist())))
        state = None if folder is None else folder / f"training-{number}.safetensors"
        model = training(learnt, held=held, checkpoint=state)
        if state is not None and number < options.rounds:
            state.unlink(missing_ok=True)
    assert model is not None
    return model


def named_texts(model: Any, texts: Sequence[Text], options: SemiSupervised, seed: int) -> Pseudo:
    """Return the texts that a student learns from, as a teacher names them.

    Parameters
    ----------
    model : Classifier
        The teacher; for ``ust`` it has ``passes``.
    texts : sequence of str or (str, str)
        All unlabelled ones.
    options : SemiSupervised
        How many are taken, and how.
    seed : int
        Of passes and draws.
    """
    count = max(1, round(options.take * len(texts)))
    if options.semi == "ust":
        passes = model.passes(list(texts), options.passes, seed)
        shares = passes.mean(0)
        classes = shares.argmax(1)
        rows = drawn_by_ease(bald(passes), classes, count, seed)
        weights = variance_weights(passes[:, rows], classes[rows])
    else:
        shares = model.probabilities(list(texts))
        rows = most_certain(shares, count)
        weights = np.ones(len(rows))
    labels = shares[rows]
    if options.pseudo_labels == "hard":
        labels = np.eye(shares.shape[1])[labels.argmax(1)]
    return Pseudo(rows, labels.astype(np.float32), weights)


def _with_pseudo(
    labelled: Examples,
    texts: Sequence[Text],
    pseudo: Pseudo,
    options: SemiSupervised,
) -> Examples:
    some = tuple(texts[row] for row in pseudo.rows.tolist())
    made = Examples(
        some, pseudo.labels, pseudo.weights.astype(np.float32), np.zeros(len(some), np.bool_),
        labelled.classes,
    )  # fmt: skip
    # what is new already is learnt as the labelled ones are: a batch has one share of the others
    given = replace(labelled, new=np.zeros(len(labelled), np.bool_))
    return given.with_new(made, options.unlabelled_weight)


def _round(folder: Path, number: int, key: str, texts: Sequence[Text]) -> Pseudo | None:
    return load_round(folder, number, key, len(texts))

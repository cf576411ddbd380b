"""From a corpus and a augmentation to what is learnt, and to what training is judged by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from classifiers.examples import Examples, read_examples, refuse_multilabel
from classifiers.networks.losses import sharpened
from classifiers.training.augmentation import AugmentationConfig
from classifiers.training.relabelling import relabelled
from classifiers.training.strategies import divide
from classifiers.training.train import Training
from grammar.errors import CorpusError, OptionError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus

__all__ = ["Prepared", "from_file", "maker", "prepare_examples"]

MAKING = ("augtrain-val", "augment-and-split", "augtrain-train", "augtrain-augtrain")
"""The strategies that learn from new examples."""
Make = Callable[[Corpus], Corpus]


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is learnt from.

    Attributes
    ----------
    learn : Examples
        New ones among them.
    held : Examples or None
        What chooses the number of steps.
    training : Training
        With the share of new examples that the augmentation asks for.
    facts : dict
        What is to be said of it.
    """

    learn: Examples
    held: Examples | None
    training: Training
    facts: dict[str, Any]


def maker(expression: str, augmentation: AugmentationConfig, seed: int) -> Make:
    """Return what makes new examples of a corpus, as many as a augmentation says.

    Parameters
    ----------
    expression : str
        As :func:`sampling.augment` takes it.
    augmentation : AugmentationConfig
        ``times``, ``per_class`` or ``fill``; else as many as the corpus has.
    seed : int
        Of all draws.
    """
    from sampling.pipeline.augment import augment

    def make(corpus: Corpus) -> Corpus:
        asked: dict[str, Any] = {"times": augmentation.times, "per_class": augmentation.per_class}
        if augmentation.fill is not None:
            given = read_examples(corpus)
            sizes = np.bincount(given.hard, minlength=len(given.classes))
            if (sizes != sizes[0]).any():
                raise OptionError(
                    f"fill={augmentation.fill} needs as many labelled examples of each class; "
                    "there are "
                    f"{', '.join(map(str, sizes.tolist()))}",
                    hint="use per_class",
                )
            asked["per_class"] = max(0, augmentation.fill - int(sizes[0]))
        return augment(corpus, expression, seed=seed, columns="none", **asked).corpus

    return make


def from_file(made: Corpus) -> Make:
    """Return what finds the new examples of a part of a corpus among those of a file.

    Raises
    ------
    CorpusError
        When it is called with a part, if the file does not say what they were made from.
    """

    def make(corpus: Corpus) -> Corpus:
        if "provenance" not in made.names or made.arrow("provenance").null_count:
            raise CorpusError(
                "the new examples do not say what they were made from, so they cannot be divided",
                hint="name the method (--method) instead of the file, or write them as .jsonl",
            )
        known = set(corpus.column("id"))
        rows = [
            row for row, origin in enumerate(made.column("provenance"))
            if set(origin["parents"]) <= known
        ]  # fmt: skip
        return Corpus(made.table.take(rows))

    return make


def prepare_examples(
    corpus: Any,
    augmentation: AugmentationConfig,
    training: Training,
    *,
    make: Make | str | None = None,
    new: Corpus | None = None,
    seed: int = 0,
) -> Prepared:
    """Return what to learn from, and how.

    Parameters
    ----------
    corpus : Corpus, or data of any kind
        Labelled examples (:func:`~induction.corpus.formats.read_corpus`).
    augmentation : AugmentationConfig
        What is done with them.
    training : Training
        What trains, teachers too.
    make : str or callable, optional
        Makes new examples of a corpus: an expression of methods (:func:`maker`), or any function.
    new : Corpus, optional
        New examples, in its place.
    seed : int
        Of all draws.

    Raises
    ------
    OptionError
        If the augmentation needs new examples, and there are none.
    CorpusError
        If labels cannot be read.

    Warns
    -----
    UserWarning
        If the strategy chooses by what is learnt from, or teachers could not name all.

    Examples
    --------
    >>> from classifiers.config import TrainingConfig
    >>> from classifiers.training.train import trainer
    >>> few = Corpus.from_columns(text=["a b", "c d"] * 4, label=[0, 1] * 4)
    >>> training = trainer(TrainingConfig(encoder="tfidf"))
    >>> augmentation = AugmentationConfig(times=2, strategy="augtrain-train")
    >>> parts = prepare_examples(few, augmentation, training, make="shuffle", seed=1)
    >>> parts.learn, parts.held
    (Examples(10 of 2 classes, 2 of them new), Examples(8 of 2 classes, 0 of them new))
    """
    corpus = read_corpus(corpus)
    making = make is not None or new is not None
    if isinstance(make, str):
        make = maker(make, augmentation, seed)
    _check(augmentation, making=making)
    given, held = read_examples(corpus), None
    _check_sets(given, augmentation)
    classes = given.classes
    if augmentation.strategy is None:
        found = make(corpus) if make is not None else new
        made = None if found is None else read_examples(found, classes=classes)
        origins = [] if found is None else _parents(corpus, found)
    else:
        find = make or (from_file(new) if new is not None else lambda part: part)
        parts = divide(corpus, augmentation.strategy, find, share=augmentation.kept, seed=seed)
        held = read_examples(parts.choose, classes=classes)
        given, made, origins = _divided(parts.learn, classes)
    facts: dict[str, Any] = {} if augmentation.strategy is None else {
        "strategy": augmentation.strategy, "chosen by": len(held or ()),
    }  # fmt: skip
    facts["new examples"] = int(given.new.sum()) + (0 if made is None else len(made))
    if made is None or not len(made):
        return Prepared(given, held, training, facts)
    if augmentation.relabel != "no":
        hard = augmentation.relabel == "hard"
        anew = relabelled(given, made, origins, training, hard=hard, seed=seed)
        made = anew.examples
        facts |= {"pseudo-labelled": len(made) - anew.left, "of another class": anew.changed}
    if augmentation.sharpen is not None:
        labels = sharpened(torch.from_numpy(made.labels), augmentation.sharpen)
        made = replace(made, labels=labels.numpy())
    learn, training = _counted(given, made, augmentation, training)
    return Prepared(learn, held, training, facts)


def _counted(
    given: Examples, made: Examples, augmentation: AugmentationConfig, training: Training
) -> tuple[Examples, Training]:
    """Return all examples with their weights, and the training with the share of new ones."""
    if augmentation.replication == "aug-only":
        return replace(made, new=np.zeros(len(made), np.bool_)), training
    weight = augmentation.weight
    if augmentation.replication is not None:
        share = 0.5 if augmentation.replication == "replicate" else None
        training = replace(training, config=replace(training.config, share=share))
        if weight is None and training.linear:
            weight = 1.0 if augmentation.replication == "replicate" else None
    return given.with_new(made, weight), training


def _check(augmentation: AugmentationConfig, *, making: bool) -> None:
    """Refuse regimes that ask for what is not there."""
    strategy = augmentation.strategy
    if strategy in MAKING and not making:
        raise OptionError(
            f"strategy={strategy!r} needs new examples", hint="name a method: --method eda"
        )
    if making and strategy is not None and strategy not in MAKING:
        raise OptionError(
            f"strategy={strategy!r} does not learn from new examples",
            hint=f"use one of {', '.join(MAKING)}",
        )
    of_new = ("replication", "weight", "sharpen", "times", "per_class", "fill")
    asked = [name for name in of_new if getattr(augmentation, name) is not None]
    asked += ["relabel"] * (augmentation.relabel != "no")
    if asked and not making:
        raise OptionError(
            f"{asked[0]} is about new examples, and there are none",
            hint="name a method (--method) or a file of them (--new)",
        )


def _check_sets(given: Examples, augmentation: AugmentationConfig) -> None:
    """Refuse what names or counts examples by one class, where they have sets of classes."""
    asked = {
        "relabel": augmentation.relabel != "no",
        **{n: getattr(augmentation, n) is not None for n in ("sharpen", "fill", "per_class")},
    }
    for name, used in asked.items():
        if used:
            refuse_multilabel(given, name, f"leave out {name}; times says how many are made")


def _divided(learn: Corpus, classes: tuple[str, ...]) -> tuple[Examples, Examples, list[list[int]]]:
    """Return the labelled examples of a corpus, its new ones, and their parents."""
    both = read_examples(learn, classes=classes)
    given, made = np.flatnonzero(~both.new), np.flatnonzero(both.new)
    parts = [Corpus(learn.table.take(rows)) for rows in (given, made)]
    new = replace(both.take(made), new=np.zeros(len(made), np.bool_))
    return both.take(given), new, _parents(*parts)


def _parents(given: Corpus, made: Corpus) -> list[list[int]]:
    """Return the rows that each new example was made from, as far as it is known."""
    if "provenance" not in made.names:
        return [[] for _ in range(len(made))]
    rows = {name: row for row, name in enumerate(given.column("id"))}
    origins = [origin["parents"] if origin else [] for origin in made.column("provenance")]
    return [[rows[name] for name in parents if name in rows] for parents in origins]

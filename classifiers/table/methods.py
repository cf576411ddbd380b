"""What is compared: ways to learn from the same labelled examples, each under one name."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from classifiers.candidates import LIGHT, PER_CLASS, RECOMBINING, WEIGHTS, candidates_of
from classifiers.choice import FOLDS, ROUNDS
from classifiers.config import TrainingConfig
from classifiers.evidence import LEVEL, PRIOR
from classifiers.examples import Examples, balanced, read_examples
from classifiers.selection import auto
from classifiers.table.controls import adjusted, undersampled
from classifiers.table.data import FewShot
from classifiers.training.train import Classifier, Training
from grammar.errors import MissingDataError, OptionError
from induction.corpus.corpus import Corpus
from sampling.expression import Expression, Step, read_expression
from sampling.method import find_method

__all__ = [
    "IMBALANCE",
    "METHODS",
    "NAMES",
    "Learnt",
    "Method",
    "Trial",
    "find_compared",
    "versions_of",
]

RULE = (
    "permutation tests of what a person wrote, and of all else made without labels; sign tests; "
    "labels more probable; copies"
)
"""To be changed when the rule of the choice changes."""
NAMES = "names"
FULL = 1.0
"""What new examples weigh together; which of the two suits a method was settled in development."""


@dataclass(frozen=True)
class Trial:
    """What a method is given.

    Attributes
    ----------
    data : FewShot
        Of which the sample is.
    k, seed, ratio : int
        Of the sample (:meth:`~classifiers.table.data.FewShot.sample`).
    few : Corpus
        The labelled examples.
    config : TrainingConfig
        What is trained.
    train : Training
        What trains by the config.
    """

    data: FewShot
    k: int
    seed: int
    ratio: int
    few: Corpus
    config: TrainingConfig
    train: Training

    @property
    def given(self) -> Examples:
        """The labelled examples, to learn from."""
        return read_examples(self.few)


@dataclass(frozen=True)
class Learnt:
    """What a method makes of a trial.

    Attributes
    ----------
    model : Classifier
        The trained classifier.
    made : int
        How many new examples it was given.
    facts : mapping
        What else is to be kept.
    """

    model: Classifier
    made: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """A way to learn from labelled examples.

    Attributes
    ----------
    name : str
        What it is called in tables.
    learn : callable
        Does it.
    expression : str
        Of new examples, as :func:`sampling.augment` takes it.
    weight : float
        What new examples weigh together, relative to the labelled ones.
    """

    name: str
    learn: Callable[[Method, Trial], Learnt]
    expression: str = ""
    weight: float = FULL

    def settings(self, data: FewShot) -> dict[str, Any]:
        """Return all that decides what it does, with the content of files that it reads."""
        held: dict[str, Any] = {"method": self.name}
        if self.expression:
            held |= {"expression": self.expression, "versions": versions_of(self.expression)}
        if self.learn in (_recombined, _named, _replicated, _taught, _labelled):
            held |= {"weight": self.weight, "per class": PER_CLASS}
        if self.learn is _chosen:
            held |= {"rule": [RULE, FOLDS, ROUNDS, LEVEL, PRIOR], "weights": list(WEIGHTS),
                     "per class": PER_CLASS, "tried": list(_tried(self))}  # fmt: skip
        if self.needs_names and data.names is not None:
            held["content of names"] = data.names.read_text("utf-8")
        return held

    @property
    def needs_names(self) -> bool:
        """Whether it has to be told what the classes are called."""
        return self.learn is _named or self.name in ("auto", "auto-names")


def _plain(method: Method, trial: Trial) -> Learnt:
    return Learnt(trial.train(trial.given))


def _replicated(method: Method, trial: Trial) -> Learnt:
    given = trial.given
    return _trained(trial, _joined(trial, given, given, method.weight))


def _recombined(method: Method, trial: Trial) -> Learnt:
    amount = {"balance": True} if trial.ratio > 1 else {"per_class": PER_CLASS}
    return _from(method, trial, method.expression, amount)


def _named(method: Method, trial: Trial) -> Learnt:
    if trial.data.names is None:
        raise MissingDataError(
            f"it is not said what the classes of {trial.data.name} are called",
            hint=f"open the data with names=FOLDER, in which there is {trial.data.name}.txt",
        )
    expression = str(Step(NAMES, {"file": str(trial.data.names)}))
    return _from(method, trial, expression, {"per_class": PER_CLASS})


def _from(method: Method, trial: Trial, expression: str, amount: dict[str, Any]) -> Learnt:
    (way,) = candidates_of([expression], trial.few, weights=[method.weight], amount=amount)
    given = trial.given
    made = read_examples(way.make(trial.few, trial.seed), classes=given.classes)
    if trial.ratio > 1:
        return _trained(trial, _joined(trial, given, made, method.weight))
    # a few new examples do not weigh as much as all that were given
    way = replace(way, weight=min(method.weight, len(made) / len(given)))
    return _trained(trial, way.added(given, trial.few, trial.seed))


def _taught(method: Method, trial: Trial) -> Learnt:
    """Learn from real texts as well, as a model of the labelled ones names them."""
    given, made = trial.given, _others(trial)
    shares = trial.train(given).probabilities(list(made.texts)).astype(np.float32)
    return _trained(trial, _joined(trial, given, replace(made, labels=shares), method.weight))


def _labelled(method: Method, trial: Trial) -> Learnt:
    """Learn from real texts as well, with the labels that nobody has: what a method could win."""
    return _trained(trial, _joined(trial, trial.given, _others(trial), method.weight))


def _others(trial: Trial) -> Examples:
    classes = trial.data.classes
    found = trial.data.others(trial.k, trial.seed, PER_CLASS * len(classes), trial.ratio)
    return read_examples(found, classes=classes)


def _joined(trial: Trial, given: Examples, made: Examples, weight: float) -> Examples:
    """Return both; where classes are rare, the new ones make up for it by their weight."""
    if trial.ratio == 1:
        return given.with_new(made, weight)
    sizes, new = given.labels.sum(0), made.labels.sum(0)
    lacking = sizes.max() - sizes
    factor = np.divide(lacking, new, out=np.zeros_like(lacking), where=new > 0)
    weights = (made.labels * factor).sum(1).astype(np.float32)
    return replace(given.with_new(replace(made, weights=weights)), weighed=True)


def _trained(trial: Trial, examples: Examples) -> Learnt:
    return Learnt(trial.train(examples), int(examples.new.sum()))


def _chosen(method: Method, trial: Trial) -> Learnt:
    names = trial.data.names if method.needs_names else None
    found = auto(
        trial.few, trial.train, names=names, methods=_tried(method), budget=None, seed=trial.seed
    )  # fmt: skip
    examples = found.examples(trial.few, seed=trial.seed)
    facts = {"chosen": found.chosen, "evidence": [one.line() for one in found.evidence]}
    return Learnt(trial.train(examples), int(examples.new.sum()), facts)


def _tried(method: Method) -> tuple[str, ...]:
    return () if method.name == "auto-names" else RECOMBINING


def _reweighted(method: Method, trial: Trial) -> Learnt:
    return Learnt(trial.train(balanced(trial.given)))


def _adjusted(method: Method, trial: Trial) -> Learnt:
    return Learnt(adjusted(trial.train, trial.given))


def _undersampled(method: Method, trial: Trial) -> Learnt:
    return Learnt(undersampled(trial.train, trial.given, trial.seed))


_GECA = "geca(gaps=1, size=2, window=1)"
"""As its paper has it for language models, with a narrower environment: so few texts share none
that is wider."""
_LISTED = (
    Method("none", _plain),
    Method("replicate", _replicated),
    Method("eda", _recombined, "eda"),
    Method("aeda", _recombined, "aeda"),
    Method("randmix", _recombined, "randmix", LIGHT),
    Method("sub2", _recombined, "sub2(phrase=true)", LIGHT),
    Method("sub2-p-t", _recombined, "sub2(phrase=true, text_label=true)", LIGHT),
    Method("treemix", _recombined, "treemix", LIGHT),
    Method("alp", _recombined, "alp", LIGHT),
    Method("geca", _recombined, _GECA, LIGHT),
    Method("grammar", _recombined, "grammar", LIGHT),
    Method("fluent-sub2", _recombined, "fluent(sub2(phrase=true))", LIGHT),
    Method("fluent-treemix", _recombined, "fluent(treemix)", LIGHT),
    Method("fluent-alp", _recombined, "fluent(alp)", LIGHT),
    Method("fluent-geca", _recombined, f"fluent({_GECA})", LIGHT),
    Method("fluent-grammar", _recombined, "fluent(grammar)", LIGHT),
    Method("names", _named),
    Method("unlabelled", _taught),
    Method("more-labels", _labelled),
    Method("auto-no-names", _chosen),
    Method("auto-names", _chosen),
    Method("auto", _chosen),
    Method("reweighting", _reweighted),
    Method("logit-adjustment", _adjusted),
    Method("undersampling", _undersampled),
)
METHODS: Mapping[str, Method] = MappingProxyType({one.name: one for one in _LISTED})
"""What is compared, by name."""
IMBALANCE = ("reweighting", "logit-adjustment", "undersampling")
"""Controls for samples in which some classes are rare."""


def find_compared(name: str, *, weight: float | None = None) -> Method:
    """Return a method by its name, or one for an expression.

    Raises
    ------
    OptionError
        If it is neither.

    Examples
    --------
    >>> find_compared("sub2").expression, find_compared("shuffle | aeda").name
    ('sub2(phrase=true)', 'shuffle | aeda')
    """
    if name in METHODS:
        found = METHODS[name]
    else:
        try:
            found = Method(name, _recombined, str(read_expression(name)))
        except OptionError as error:
            raise OptionError(
                f"{name!r} is neither a row of the table nor an expression: {error.what}",
                hint=f"rows are {', '.join(METHODS)}",
            ) from None
    return found if weight is None else replace(found, weight=weight)


_MODELS = {"model", "back", "teacher"}
"""Options that may name the folder of a model."""


def versions_of(expression: str) -> dict[str, Any]:
    """Return the version of every method in an expression, and a hash of every model in a folder.

    Examples
    --------
    >>> sorted(versions_of("aeda + fluent(of=sub2)"))
    ['aeda', 'fluent', 'sub2']
    """
    steps = list(_steps(expression))
    held = {name: find_method(name).sampler.version for name in sorted({s.method for s in steps})}
    folders = {str(step.options[name]) for step in steps for name in _MODELS & {*step.options}}
    return held | {one: _content(Path(one)) for one in sorted(folders) if os.path.isdir(one)}


def _steps(expression: str) -> Iterator[Step]:
    read: Expression = read_expression(expression)
    for part in read.parts:
        for step in part.steps:
            yield step
            if "of" in step.options:
                yield from _steps(str(step.options["of"]))


def _content(folder: Path) -> str:
    """Return a hash of the files of a folder: a model that was trained again is another one."""
    held = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        held.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return held.hexdigest()[:16]

"""The choice with all that it tries: one call from labelled examples to what to train on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from classifiers.candidates import LIGHT, WEIGHTS, candidates_of, tried_by_itself
from classifiers.choice import ROUNDS, Choice, choose
from classifiers.config import TFIDF, TrainingConfig, read_config
from classifiers.evidence import Evidence
from classifiers.examples import read_examples, refuse_multilabel
from classifiers.networks.model import UNMIXED
from classifiers.training.train import Training, trainer
from grammar.files import PathLike
from grammar.options import names_keywords
from induction.corpus.formats import read_corpus
from sampling.examples.class_names import class_names
from sampling.expression import Step

__all__ = ["auto"]

BUDGET = 300
"""Trainings: what is tried by itself, with names and a grammar, takes fewer."""


@names_keywords()
def auto(
    corpus: Any,
    config: TrainingConfig | Training | None = None,
    *,
    names: PathLike | Mapping[str, str] | None = None,
    grammar: PathLike | None = None,
    methods: Iterable[str] | None = None,
    weights: Sequence[float] | None = None,
    budget: int | None = BUDGET,
    seconds: float | None = None,
    seed: int = 0,
    on_trial: Callable[[Evidence], None] | None = None,
) -> Choice:
    """Find whether any way to make examples helps, how much of it, or none.

    Parameters
    ----------
    corpus : Corpus, or data of any kind
        Labelled examples (:func:`~induction.corpus.formats.read_corpus`).
    config : TrainingConfig or Training, optional
        What is trained, or what trains by it, whose encoder is open already; by default weights of
        words (``tfidf``). In the trials, an encoder that learns stands still, with a linear head.
    names : str, path or mapping, optional
        A file with what the classes are called (:class:`sampling.Names`), or the names themselves,
        as ``{"positive": "good, great", "negative": "bad, poor"}``.
    grammar : str or path, optional
        A written grammar with a start symbol a class (:class:`sampling.GrammarSampler`).
    methods : iterable of str, optional
        What else to try, as expressions; by default methods that recombine, and, if labels are
        words, these as names and the names that an installed language model finds from them
        (:func:`~classifiers.candidates.tried_by_itself`).
    weights : sequence of float, optional
        What new examples weigh together, relative to the labelled ones: 0.3 and 1, or 0.3 alone
        where an encoder learns, which makes more of what is wrong in them.
    budget : int, optional
        Trainings, those of the controls among them. What is left untried is named.
    seconds : float, optional
        A clock that ends the trials early, and says so.
    seed : int
        Of all draws.
    on_trial : callable, optional
        Told the evidence on each candidate.

    Returns
    -------
    Choice
        ``trainer(config)(choice.examples(corpus))`` is the model of it.

    Raises
    ------
    CorpusError
        If a class has one example only; or if labels are sets of classes, and there are names, or
        a grammar, whose texts are of one class each. Methods are compared by whole sets then.
    MissingDataError
        If the encoder of the config is not there.

    Examples
    --------
    >>> few = {"text": ["fine film", "poor film"] * 3, "label": ["g", "b"] * 3}
    >>> print(auto(few, methods=["aeda"]).chosen)
    None
    >>> tried = auto(few, names={"g": "fine, good", "b": "poor, bad"}, methods=[])
    >>> tried.chosen, len(tried.evidence)
    ("names(g='fine, good', b='poor, bad'), weight 1", 2)
    """
    corpus = read_corpus(corpus)
    asked = config or read_config(encoder=TFIDF)
    training = asked if isinstance(asked, Training) else trainer(asked)
    for name, value in (("names", names), ("grammar", grammar)):
        if value is not None:
            refuse_multilabel(read_examples(corpus), name, "compare methods that keep labels")
    judge = _standing_still(training)
    if weights is None:
        weights = WEIGHTS if judge is training else (LIGHT,)
    known = [
        str(Step(method, dict(given) if isinstance(given, Mapping) else {"file": str(given)}))
        for method, given in (("names", names), ("grammar", grammar))
        if given is not None
    ]
    if methods is None:
        sets = read_examples(corpus).multilabel  # a name is of one class
        methods = tried_by_itself(() if sets else class_names(corpus))
    ways = [replace(way, written=True) for way in candidates_of(known, corpus, weights=weights)]
    ways += candidates_of(methods, corpus, weights=weights)
    return choose(
        corpus,
        ways,
        judge,
        # dealing folds again takes trainings, which are quick where nothing learns in batches
        rounds=ROUNDS if judge.linear else 1,
        seed=seed,
        budget=budget,
        seconds=seconds,
        on_trial=on_trial,
    )


def _standing_still(training: Training) -> Training:
    """Return what judges: a linear head on the encoder, if there is one.

    Few labels cannot tell good examples from bad ones by trainings whose own chance moves the
    accuracy by as much as the examples do; a linear head has no such chance, and takes a twentieth
    of the time.
    """
    if training.linear or training.encoder is None:
        return training
    config = replace(training.config, train="frozen", head="linear")
    return Training(config, UNMIXED, training.encoder)

"""The choice with all that it tries: one call from labelled examples to what to train on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from classifiers.candidates import RECOMBINING, WEIGHTS, candidates_of
from classifiers.choice import ROUNDS, Choice, Evidence, choose
from classifiers.examples import Examples
from classifiers.recipe import Recipe
from classifiers.training.train import Classifier, trainer
from grammar.files import PathLike
from induction.corpus.corpus import Corpus
from sampling.expression import Step

__all__ = ["auto"]

BUDGET = 120.0


def auto(
    corpus: Corpus,
    recipe: Recipe,
    *,
    names: PathLike | None = None,
    grammar: PathLike | None = None,
    methods: Iterable[str] = RECOMBINING,
    weights: Sequence[float] = WEIGHTS,
    budget: float = BUDGET,
    seed: int = 0,
    train: Callable[[Examples], Classifier] | None = None,
    on_trial: Callable[[Evidence], None] | None = None,
) -> Choice:
    """Find whether any way to make examples helps, how much of it, or none.

    Parameters
    ----------
    corpus : Corpus
        Labelled examples.
    recipe : Recipe
        What is trained, in the trials too.
    names : str or path, optional
        A file with what the classes are called (:class:`sampling.Names`).
    grammar : str or path, optional
        A written grammar with a start symbol a class (:class:`sampling.GrammarSampler`).
    methods : iterable of str
        What else to try, as expressions.
    weights : sequence of float
        What new examples weigh together, relative to the labelled ones.
    budget : float
        Seconds. What is left untried is named.
    seed : int
        Of all draws.
    train : callable, optional
        What trains by the recipe, where it is there already: its encoder is not opened again.
    on_trial : callable, optional
        Told the evidence on each candidate.

    Returns
    -------
    Choice
        ``trainer(recipe)(choice.examples(corpus))`` is the model of it.

    Raises
    ------
    CorpusError
        If a class has one example only.
    MissingDataError
        If the encoder of the recipe is not there.

    Examples
    --------
    >>> from classifiers.recipe import read_recipe
    >>> few = Corpus.from_columns(text=["fine film", "poor film"] * 3, label=["g", "b"] * 3)
    >>> print(auto(few, read_recipe(encoder="tfidf"), methods=["aeda"]).chosen)
    None
    """
    given = [("names", names), ("grammar", grammar)]
    known = [str(Step(method, {"file": str(path)})) for method, path in given if path is not None]
    ways = candidates_of([*known, *methods], corpus, weights=weights)
    # dealing folds anew takes trainings, which are quick without an encoder that learns
    rounds = ROUNDS if recipe.linear or recipe.frozen else 1
    return choose(
        corpus,
        ways,
        train or trainer(recipe),
        rounds=rounds,
        seed=seed,
        seconds=budget,
        on_trial=on_trial,
    )

"""What the latent states of a label have come to stand for: their words, and their rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray
from grammar.errors import OptionError
from grammar.forest.latent import LatentGrammar
from grammar.rules.rules import Production
from induction.latent.em import LatentModel

__all__ = ["LatentState", "latent_states", "states_of_labels"]


class LatentState(NamedTuple):
    """One state of a label.

    Attributes
    ----------
    number : int
        Of the state, from 0.
    words : tuple of (str, float)
        The most probable words given the state of a tag, with P(word | tag, state).
    rules : tuple of Production
        The most probable rules of the state of a phrase, summed over the states of the children.
    """

    number: int
    words: tuple[tuple[str, float], ...]
    rules: tuple[Production, ...]


def states_of_labels(grammar: LatentGrammar) -> dict[str, int]:
    """Return how many states each label has, the most first.

    >>> from induction import induce_parser, read_treebank
    >>> parser = induce_parser(read_treebank()[:40], models=1, rounds=1)
    >>> states_of_labels(parser.models[0].grammar)["TOP"]
    1
    """
    names = grammar.skeleton.grammar.rules.nonterminals
    pairs = zip(names, grammar.states.tolist(), strict=True)
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def latent_states(model: LatentModel, label: str, top: int = 10) -> list[LatentState]:
    """Return what the states of a label stand for.

    Parameters
    ----------
    model : LatentModel
        A grammar with its lexicon.
    label : str
        A tag or a phrase.
    top : int
        How many words, or rules, of each state.

    Raises
    ------
    OptionError
        If the grammar has no such label.

    Examples
    --------
    >>> from grammar.trees.treebank import Treebank
    >>> from induction.latent.em import Annotator
    >>> from induction.counts.skeletons import SkeletonTrees
    >>> treebank = Treebank.parse("(S (D a) (N cat)) (S (D the) (N cat)) (S (D the) (N dog))")
    >>> model = Annotator(SkeletonTrees.of(treebank)).unsplit()
    >>> [state] = latent_states(model, "D", top=1)
    >>> state.words[0][0]
    'the'
    >>> [str(rule) for rule in latent_states(model, "S")[0].rules]
    ['S -> D N [1.0]']
    """
    names = model.grammar.skeleton.grammar.rules.nonterminals
    if label not in names:
        raise OptionError(f"the grammar has no label {label!r}", hint=f"try {', '.join(names[:8])}")
    number = names.index(label)
    tags = model.grammar.skeleton.tags.tolist()
    if number in tags:
        words = _words(model, tags.index(number), top)
        return [LatentState(s, chosen, ()) for s, chosen in enumerate(words)]
    rules = _rules(model.grammar, number, top)
    return [LatentState(s, (), chosen) for s, chosen in enumerate(rules)]


def _words(model: LatentModel, tag: int, top: int) -> list[tuple[tuple[str, float], ...]]:
    lexicon = model.lexicon
    probability = lexicon.seen()
    word = np.repeat(np.arange(len(lexicon.words)), np.diff(lexicon.counts.indptr))
    found = []
    for column in range(*model.grammar.tag_starts[tag : tag + 2].tolist()):
        entries = np.flatnonzero(lexicon.counts.indices == column)
        best = entries[np.argsort(-probability[entries], kind="stable")[:top]]
        found.append(tuple((lexicon.words[word[i]], float(probability[i])) for i in best.tolist()))
    return found


def _rules(grammar: LatentGrammar, label: int, top: int) -> list[tuple[Production, ...]]:
    table, shape = grammar.skeleton.grammar.rules, grammar.shape
    numbers = np.flatnonzero((shape.lhs == label) & (shape.first >= 0))
    masses = np.array([_masses(grammar, rule) for rule in numbers.tolist()])
    found = []
    for of_state in masses.T:
        best = np.argsort(-of_state, kind="stable")[:top]
        found.append(
            tuple(
                Production(*table.sides(int(numbers[i])), float(of_state[i]))
                for i in best.tolist()
                if of_state[i] > 0.0
            )
        )
    return found


def _masses(grammar: LatentGrammar, rule: int) -> FloatArray:
    """Return the probability of a rule given each state of its parent."""
    block = grammar.weight[slice(*grammar.shape.blocks[rule : rule + 2].tolist())]
    states: FloatArray = block.reshape(-1, int(grammar.shape.sizes[0][rule])).sum(axis=0)
    return states

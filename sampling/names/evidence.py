"""What labelled examples say against names: words that occur where their class is not."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from grammar.arrays import BoolArray
from grammar.messages import tell
from induction.corpus.corpus import Corpus
from sampling.examples.labels import read_labels

__all__ = ["LEVEL", "contradicts", "without_contradicted"]

LEVEL = 0.05
"""The level of the test of one word."""


def contradicts(occurs: BoolArray, own: BoolArray) -> bool:
    """Say whether a word occurs in too few texts of its own class (Fisher's exact test, one-sided).

    Parameters
    ----------
    occurs : bool[texts]
        Which texts have the word.
    own : bool[texts]
        Which texts are of its class.

    Examples
    --------
    >>> own = np.arange(20) < 10
    >>> contradicts(np.arange(20) >= 15, own), contradicts(np.arange(20) >= 17, own)
    (True, False)
    """
    from scipy.stats import hypergeom

    both = int((occurs & own).sum())
    p = hypergeom.cdf(both, len(own), int(own.sum()), int(occurs.sum()))
    return bool(occurs.any() and p <= LEVEL)


def without_contradicted(
    names: Mapping[str, Mapping[str, float]], corpus: Corpus, numbers: Mapping[str, int]
) -> dict[str, dict[str, float]]:
    """Return names without those that the labelled texts contradict, which one line tells.

    The last name of a class stays.

    Parameters
    ----------
    names : mapping of str to mapping of str to float
        The names of each class and their weights.
    corpus : Corpus
        The labelled texts; distributions count by their most probable class.
    numbers : mapping of str to int
        The number of each class.
    """
    labels = read_labels(corpus)
    hard = labels.hard if labels.soft is None else labels.soft.argmax(1)
    words = [set(re.findall(r"\w+", text.lower())) for text in corpus.column("text")]
    kept: dict[str, dict[str, float]] = {}
    dropped = []
    for label, weights in names.items():
        own: BoolArray = hard == numbers[label]
        bad = [n for n in weights if contradicts(np.array([n in has for has in words], bool), own)]
        left = {name: weight for name, weight in weights.items() if name not in bad}
        left = left or dict([max(weights.items(), key=lambda item: item[1])])
        total = sum(left.values()) if len(left) < len(weights) else 1.0
        kept[label] = {name: weight / total for name, weight in left.items()}
        dropped += [name for name in weights if name not in left]
    if dropped:
        tell(f"dropped, the labelled examples contradict them: {', '.join(dropped)}")
    return kept

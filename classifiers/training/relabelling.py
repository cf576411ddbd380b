"""New labels for new examples, by teachers that have not seen what these were made from.

A teacher that was trained on the parents agrees with nearly everything that is made from them. So
the labelled examples are dealt into folds, and each new example is named by a teacher of the folds
that none of its parents lie in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from classifiers.examples import Examples
from classifiers.training.folds import deal_folds
from classifiers.training.train import Classifier

__all__ = ["Relabelled", "relabelled"]

FOLDS = 5


@dataclass(frozen=True, eq=False)
class Relabelled:
    """New examples with labels of teachers.

    Attributes
    ----------
    examples : Examples
        All of them, in their order.
    left : int
        How many kept their labels, for no teacher could be trained without their parents.
    changed : int
        How many have another most probable class than before.
    """

    examples: Examples
    left: int
    changed: int


def relabelled(
    given: Examples,
    made: Examples,
    parents: Sequence[Sequence[int]],
    train: Callable[[Examples], Classifier],
    *,
    hard: bool = False,
    seed: int = 0,
) -> Relabelled:
    """Return new examples as teachers name them.

    Parameters
    ----------
    given : Examples
        Labelled examples, which teachers learn from.
    made : Examples
        New ones.
    parents : sequence of sequences of int
        From which of the labelled ones each was made; none, if from nothing of them.
    train : callable
        Trains a teacher.
    hard : bool
        Whether the most probable class is all of a label, and not a distribution.
    seed : int
        Of the folds.

    Examples
    --------
    >>> from classifiers.training.frozen import train_tfidf
    >>> from classifiers.examples import read_examples
    >>> from induction import Corpus
    >>> few = read_examples(Corpus.from_columns(text=["so good", "so bad"] * 3, label=[1, 0] * 3))
    >>> wrong = read_examples(Corpus.from_columns(text=["very bad"], label=[1]), classes=("0", "1"))
    >>> relabelled(few, wrong, [[1]], train_tfidf, hard=True).examples.labels
    array([[1., 0.]], dtype=float32)
    """
    sizes = np.bincount(given.hard, minlength=len(given.classes))
    count = max(2, min(FOLDS, int(sizes[sizes > 0].min())))
    fold = deal_folds(given.hard, count, seed)
    labels = made.labels.copy()
    groups: dict[frozenset[int], list[int]] = {}
    for row, mine in enumerate(parents):
        unseen = frozenset(fold[np.asarray(mine, np.int64)].tolist())
        groups.setdefault(unseen, []).append(row)
    left = 0
    for unseen, rows in sorted(groups.items(), key=lambda group: sorted(group[0])):
        some = given.take(np.flatnonzero(~np.isin(fold, sorted(unseen))))
        if not _has_all(some, given):
            left += len(rows)
            continue
        shares = train(some).probabilities([made.texts[row] for row in rows])
        named = np.eye(shares.shape[1])[shares.argmax(1)] if hard else shares
        labels[rows] = named.astype(np.float32)
    changed = int((labels.argmax(1) != made.hard).sum())
    return Relabelled(replace(made, labels=labels), left, changed)


def _has_all(some: Examples, given: Examples) -> bool:
    """Say whether some of the examples have all the classes that all of them have."""
    return bool(len(some)) and set(some.hard.tolist()) == set(given.hard.tolist())

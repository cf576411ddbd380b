"""How labelled examples are divided into those to learn from and those to choose by.

With few labels it matters whether augmentation comes before or behind the division, and whether a
part is kept back at all. Kim et al. 2022 (ALP), figure 2 and table 5, compare six ways.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from classifiers.examples import read_examples
from grammar.errors import OptionError
from grammar.options import named
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.examples.class_names import class_names
from sampling.examples.labels import deal_sets, has_sets

__all__ = ["STRATEGIES", "Division", "divide"]

Augment = Callable[[Corpus], Corpus]
"""Makes new examples from those given."""


@dataclass(frozen=True, eq=False)
class Division:
    """What is learnt from, and what decides when to stop.

    Attributes
    ----------
    learn, choose : Corpus
        New examples are those with provenance.
    overlaps : bool
        Whether something that is chosen by is learnt from too, or was made from what is.
    """

    learn: Corpus
    choose: Corpus
    overlaps: bool


def divide(
    corpus: Any, strategy: str, augment: Augment, *, share: float = 0.5, seed: int = 0
) -> Division:
    """Divide labelled examples by a strategy.

    Parameters
    ----------
    corpus : Corpus, or data of any kind
        With ``label`` (:func:`~induction.corpus.formats.read_corpus`).
    strategy : str
        One of :data:`STRATEGIES`.
    augment : callable
        Makes new examples from a corpus; they are used as the strategy says.
    share : float
        The part that is learnt from where something is kept back. Each class is divided so.
    seed : int
        Of the division.

    Raises
    ------
    OptionError
        If the strategy is not known, or the share is not between 0 and 1.

    Warns
    -----
    UserWarning
        If the strategy chooses by what is learnt from.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["a", "b", "c", "d"], label=[0, 0, 1, 1])
    >>> parts = divide(corpus, "train-val", lambda given: given, seed=1)
    >>> len(parts.learn), len(parts.choose), parts.overlaps
    (2, 2, False)
    """
    way = named(strategy, STRATEGIES)
    if not 0 < share < 1:
        raise OptionError(f"share={share!r} is not between 0 and 1", hint="for example share=0.8")
    division = way(read_corpus(corpus), augment, lambda whole: _parts(whole, share, seed))
    if division.overlaps:
        warnings.warn(
            f"{strategy} chooses by what it learns from, so its choice says little about new texts",
            stacklevel=2,
        )
    return division


def _train_val(corpus: Corpus, augment: Augment, parts: Any) -> Division:
    learn, choose = parts(corpus)
    return Division(learn, choose, False)


def _augtrain_val(corpus: Corpus, augment: Augment, parts: Any) -> Division:
    learn, choose = parts(corpus)
    return Division(_joined(learn, augment(learn)), choose, False)


def _train_train(corpus: Corpus, augment: Augment, parts: Any) -> Division:
    return Division(corpus, corpus, True)


def _augment_and_split(corpus: Corpus, augment: Augment, parts: Any) -> Division:
    learn, choose = parts(_joined(corpus, augment(corpus)))
    return Division(learn, choose, True)


def _augtrain_train(corpus: Corpus, augment: Augment, parts: Any) -> Division:
    return Division(_joined(corpus, augment(corpus)), corpus, True)


def _augtrain_augtrain(corpus: Corpus, augment: Augment, parts: Any) -> Division:
    both = _joined(corpus, augment(corpus))
    return Division(both, both, True)


STRATEGIES: Mapping[str, Callable[[Corpus, Augment, Any], Division]] = MappingProxyType(
    {
        "train-val": _train_val,
        "augtrain-val": _augtrain_val,
        "train-train": _train_train,
        "augment-and-split": _augment_and_split,
        "augtrain-train": _augtrain_train,
        "augtrain-augtrain": _augtrain_augtrain,
    }
)
"""The strategies of ALP's figure 2 by name."""


def _parts(corpus: Corpus, share: float, seed: int) -> tuple[Corpus, Corpus]:
    """Divide each class alike: at least one example of each on either side, where it has two.

    Examples whose label is a distribution are of its most probable class. Sets of classes are
    divided by iterative stratification (:func:`~sampling.examples.labels.deal_sets`).
    """
    key = int(stream_key(seed, "division"))
    if has_sets(corpus):
        parts = deal_sets(read_examples(corpus).labels > 0, (share, 1 - share), key)
        first, rest = (np.flatnonzero(parts == part) for part in (0, 1))
        return Corpus(corpus.table.take(first)), Corpus(corpus.table.take(rest))
    classes = [
        str(int(np.argmax(label)) if isinstance(label, list) else label)
        for label in corpus.column("label")
    ]
    draw = np.random.Generator(np.random.Philox(key=key))
    chosen: list[int] = []
    for name in sorted(set(classes)):
        rows = draw.permutation([i for i, own in enumerate(classes) if own == name])
        count = min(max(round(share * len(rows)), 1), max(len(rows) - 1, 1))
        chosen += rows[:count].tolist()
    first = np.sort(np.array(chosen, np.int64))
    rest = np.setdiff1d(np.arange(len(corpus)), first)
    return Corpus(corpus.table.take(first)), Corpus(corpus.table.take(rest))


def _joined(given: Corpus, made: Corpus) -> Corpus:
    """Return both, with the columns that both have and the provenance of what is new.

    Where the new ones have distributions, all labels are distributions over the classes.
    """
    import pyarrow as pa

    if given.arrow("label").type != made.arrow("label").type:
        classes = class_names(given) or None
        given, made = (_with_distributions(corpus, classes) for corpus in (given, made))
    shared = [name for name in given.names if name in made.names and name != "provenance"]
    tables = [given.table.select(shared), made.table.select(shared)]
    both = pa.concat_tables(tables, promote_options="permissive")
    origins = [
        corpus.arrow("provenance").to_pylist() if "provenance" in corpus.names
        else [None] * len(corpus)
        for corpus in (given, made)
    ]  # fmt: skip
    return Corpus(both).with_column("provenance", origins[0] + origins[1])


def _with_distributions(corpus: Corpus, classes: tuple[str, ...] | None) -> Corpus:
    rows = read_examples(corpus, classes=classes).labels
    return corpus.with_column("label", rows.tolist())

"""Splitting a corpus and training a classifier, each in one call."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifiers.config import TFIDF
from classifiers.estimator import TextClassifier
from grammar.errors import OptionError
from grammar.foreign_names.keywords import keyword_hint
from grammar.options import names_keywords, refuse_unknown
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus

__all__ = ["split", "train"]

GIVEN = ("data", "labels", "method", "text", "label", "seed", "encoder")
"""What :func:`train` has itself."""
OWN = ("names", "train", "C", "class_weight")
"""Parameters of the estimator; all else is of the config."""


_SIZE = 0.25


@names_keywords(
    stratify="leave it out: of each class the same share is on both sides",
    shuffle="leave it out: the examples of the test are drawn at random, and keep their order",
    train_size="give the share of the test: test_size=0.25",
)
def split(
    data: Any,
    *size: Any,
    test_size: float | int | None = None,
    seed: int = 0,
    text: str | None = None,
    label: str | None = None,
) -> tuple[Corpus, Corpus]:
    """Split a corpus at random into examples to train on and examples to test on.

    Parameters
    ----------
    data : Corpus, or data of any kind
        What to split (:func:`~induction.corpus.formats.read_corpus`). With classes, each has its
        share on both sides.
    *size
        May have ``test_size``.
    test_size : float or int, optional
        The share of the test, or the number of its examples; by default 0.25.
    seed : int
        Of the draw.
    text, label : str, optional
        The columns of texts and classes, where their names do not tell.

    Returns
    -------
    train, test : Corpus
        Both in the order of the data.

    Raises
    ------
    OptionError
        If either side would be empty, texts and labels are given apart, or there is no such option.

    Examples
    --------
    >>> train, test = split({"text": list("abcdefgh"), "label": [0, 1] * 4}, test_size=0.25)
    >>> len(train), sorted(test.column("label"))
    (6, [0, 1])
    """
    if not all(isinstance(one, Real) for one in size) or len(size) + (test_size is not None) > 1:
        raise OptionError(
            "texts and their labels are one corpus",
            hint="train, test = split({'text': texts, 'label': labels}, test_size=0.25)",
        )
    asked: Any = next((one for one in (*size, test_size) if one is not None), _SIZE)
    corpus = read_corpus(data, text=text, label=label)
    count = round(asked * len(corpus)) if 0 < asked < 1 else int(asked)
    if not 0 < count < len(corpus) or (count != asked and asked >= 1):
        raise OptionError(
            f"test_size={asked!r} leaves nothing on one side of {len(corpus):,} examples",
            hint="give a share such as 0.25, or a number of examples",
        )
    drawn = np.random.Generator(np.random.Philox(key=int(stream_key(seed, "split"))))
    order = drawn.permutation(len(corpus))
    if "label" in corpus.names:
        order = order[np.argsort(_evenly(corpus.column("label"), order), kind="stable")]
    chosen = np.zeros(len(corpus), np.bool_)
    chosen[order[:count]] = True
    return _rows(corpus, ~chosen), _rows(corpus, chosen)


def _evenly(labels: list[Any], order: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return where in its class each example comes, from 0 to 1, so that classes take turns."""
    names = [str(labels[row]) for row in order.tolist()]
    seen: dict[str, int] = {}
    place = np.empty(len(names))
    for at, name in enumerate(names):
        place[at] = seen.get(name, 0) + 0.5
        seen[name] = seen.get(name, 0) + 1
    shares: NDArray[np.float64] = place / np.array([seen[name] for name in names])
    return shares


def _rows(corpus: Corpus, chosen: NDArray[np.bool_]) -> Corpus:
    return Corpus(corpus.table.take(np.flatnonzero(chosen)), classes=corpus.classes)


def train(
    data: Any,
    labels: Any = None,
    *,
    method: str | None = None,
    text: str | None = None,
    label: str | None = None,
    seed: int = 0,
    encoder: str = TFIDF,
    **config: Any,
) -> TextClassifier:
    """Train a classifier of texts.

    Parameters
    ----------
    data : Corpus, or data of any kind
        Labelled examples (:func:`~induction.corpus.formats.read_corpus`); with ``labels`` texts.
    labels : list, array or series, optional
        The class, or the classes, of each text, as for
        :meth:`TextClassifier.fit <classifiers.estimator.TextClassifier.fit>`.
    method : str, optional
        What to make new examples by, as many as there are (:func:`sampling.augment`); ``auto``:
        what the examples speak for, or none.
    text, label : str, optional
        The columns of texts and classes, where their names do not tell.
    seed : int
        Of the training and of the new examples.
    encoder : str
        An encoder of Hugging Face, or ``tfidf``: weights of words and pairs of words.
    **config
        Parameters of :class:`~classifiers.estimator.TextClassifier`, and further fields of the
        config (:func:`~classifiers.config.read_config`).

    Raises
    ------
    CorpusError
        If there are no classes, or one alone.
    OptionError
        If an option cannot be used.
    MissingDataError
        If the encoder is not there.

    Examples
    --------
    >>> few = {"text": ["a fine film", "a poor film"] * 3, "label": ["good", "bad"] * 3}
    >>> train(few, method="aeda").predict("fine").tolist()
    ['good']
    >>> train(few["text"], few["label"]).predict("poor").tolist()
    ['bad']
    """
    refuse_unknown((name for name in config if keyword_hint(name, GIVEN)), (*GIVEN, *OWN), "train")
    own = {name: config.pop(name) for name in OWN if name in config}
    model = TextClassifier(encoder, augment=method, seed=seed, config=config, **own)
    if labels is not None:
        return model.fit(data, labels)
    return model.learn(read_corpus(data, text=text, label=label))

"""A tagger of entities without a neural model: trained in a second, and the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from classifiers.tagging.features import Features, words_of
from classifiers.tagging.learning import learnt
from classifiers.tagging.perceptron import Weights, best_tags
from grammar.arrays import BoolArray
from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from sampling.examples.entities import Marks, NewWords, carried_spans

__all__ = ["EntityTagger"]


@dataclass(frozen=True, eq=False)
class EntityTagger:
    """Finds labelled spans by the letters of words and of their neighbours.

    Attributes
    ----------
    names : tuple of str
        The labels of spans.
    features : Features
        What it knows of words.
    weights : Weights
        Of features and of tags that follow each other.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["Ann left", "we met Bo", "we left"],
    ...     spans=[[{"start": 0, "end": 3, "label": "P"}], [{"start": 7, "end": 9, "label": "P"}],
    ...            []])
    >>> tagger = EntityTagger.train(corpus)
    >>> tagger.tag(Corpus.from_columns(text=["Bo left"]))[0]["spans"]
    [{'start': 0, 'end': 2, 'label': 'P'}]
    """

    task: ClassVar[str] = "spans"

    names: tuple[str, ...]
    features: Features
    weights: Weights

    def __repr__(self) -> str:
        return f"EntityTagger({', '.join(self.names)}: {len(self.features):,} features)"

    @classmethod
    def train(cls, corpus: Corpus, *, steps: int | None = None, seed: int = 0) -> EntityTagger:
        """Train a tagger.

        Parameters
        ----------
        corpus : Corpus
            With ``spans``; words are the tokens, or what stands between white space.
        steps : int, optional
            How many sentences it looks at, all of them in each round; by default ten rounds.
        seed : int
            Of the order of each round.

        Raises
        ------
        CorpusError
            If there is no column ``spans``, it is not valid, or there is no span.
        OptionError
            If ``steps`` is not a whole number of one or more.
        """
        corpus.arrow("spans")
        side = words_of(corpus, cores=True)
        marks = side.marks
        if marks is None or not marks.names:
            raise CorpusError("there is no span to learn from", hint="give texts with spans")
        features, weights = learnt(side, marks.mark, cls.following(len(marks.names)), steps, seed)
        return cls(marks.names, features, weights)

    def tag(self, corpus: Corpus) -> Corpus:
        """Return texts with the spans that are found in them; spans that they have are not seen."""
        rest = corpus.table.drop_columns([name for name in ("spans",) if name in corpus.names])
        plain = Corpus(rest, corpus.places)
        side = words_of(plain, cores=True)
        found = best_tags(self.features.of(side), side.offsets, self.weights)
        none = np.zeros(len(found), np.int32)
        begin = np.repeat(side.text_offsets[:-1], side.lengths)
        words = np.arange(len(found), dtype=np.int64)
        new = NewWords(side.offsets, words, side.start - begin, side.end - begin)
        marks = Marks(found, none, none, self.names)
        spans = carried_spans(marks, new, (side.text, side.text_offsets))
        return plain.with_column("spans", spans)

    @staticmethod
    def following(names: int) -> BoolArray:
        """Return which mark may follow which (:class:`sampling.examples.entities.Marks`).

        0 is outside, an odd number begins a span, and the even one behind it goes on with it; the
        last row is of the beginning of a sentence.
        """
        tags = 2 * names + 1
        may = np.ones((tags + 1, tags), np.bool_)
        inside = np.arange(2, tags, 2)
        may[:, inside] = False
        may[inside, inside] = may[inside - 1, inside] = True
        return may

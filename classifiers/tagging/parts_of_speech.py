"""A tagger of parts of speech without a neural model: trained in a second, in any language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from classifiers.tagging.features import Features, words_of
from classifiers.tagging.learning import learnt
from classifiers.tagging.perceptron import Weights, best_tags
from grammar.arrays import BoolArray
from grammar.errors import CorpusError
from induction.corpus.corpus import COLUMNS, Corpus
from sampling.examples.text_columns import Side

__all__ = ["WordTagger"]


@dataclass(frozen=True, eq=False)
class WordTagger:
    """Finds the tag of each word by its letters, those of its neighbours, and the tag before it.

    Attributes
    ----------
    names : tuple of str
        The tags.
    features : Features
        What it knows of words.
    weights : Weights
        Of features and of tags that follow each other.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["Ann left", "we met Bo"], tags=[["PROPN", "VERB"], ["PRON", "VERB", "PROPN"]])
    >>> WordTagger.train(corpus).tag(Corpus.from_columns(text=["Bo left"])).column("tags")
    [['PROPN', 'VERB']]
    """

    task: ClassVar[str] = "tags"

    names: tuple[str, ...]
    features: Features
    weights: Weights

    def __repr__(self) -> str:
        return f"WordTagger({len(self.names)} tags: {len(self.features):,} features)"

    @classmethod
    def train(cls, corpus: Corpus, *, steps: int | None = None, seed: int = 0) -> WordTagger:
        """Train a tagger.

        Parameters
        ----------
        corpus : Corpus
            With ``tags``; words are the tokens, or what stands between white space.
        steps : int, optional
            How many sentences it looks at, all of them in each round; by default ten rounds.
        seed : int
            Of the order of each round.

        Raises
        ------
        CorpusError
            If there is no column ``tags``, there are not as many as words, or there are no words.
        OptionError
            If ``steps`` is not a whole number of one or more.
        """
        corpus.arrow("tags")
        side = _words(corpus)
        tags = _tags(corpus, side)
        names = tuple(sorted(set(tags)))
        numbers = {name: number for number, name in enumerate(names)}
        gold = np.array([numbers[tag] for tag in tags], np.int32)
        return cls(names, *learnt(side, gold, cls.following(len(names)), steps, seed))

    def tag(self, corpus: Corpus) -> Corpus:
        """Return texts with the tags that are found; those that they have are not seen."""
        rest = corpus.table.drop_columns([name for name in ("tags",) if name in corpus.names])
        plain = Corpus(rest, corpus.places)
        side = _words(plain)
        found = best_tags(self.features.of(side), side.offsets, self.weights)
        values = pa.array([self.names[tag] for tag in found.tolist()], pa.string())
        offsets = pa.array(side.offsets.astype(np.int32))
        tags = pa.ListArray.from_arrays(offsets, values).cast(COLUMNS["tags"])
        return plain.with_column("tags", tags)

    @staticmethod
    def following(names: int) -> BoolArray:
        """Return that every tag may follow every other, and be the first."""
        return np.ones((names + 1, names), np.bool_)


def _tags(corpus: Corpus, side: Side) -> list[str]:
    """Return the tags of all words (raises CorpusError if a text has not as many tags as words)."""
    rows = [row or () for row in corpus.column("tags")]
    for number, (row, words) in enumerate(zip(rows, side.lengths.tolist(), strict=True)):
        if len(row) != words:
            raise CorpusError(
                f"there are {len(row)} tags for {words} words",
                where=corpus.places(number) if corpus.places else f"row {number}",
                hint="give one for each token, or for each word between spaces",
            )
    if not any(rows):
        raise CorpusError("there is no word to learn from", hint="give texts with tags")
    return [tag for row in rows for tag in row]


def _words(corpus: Corpus) -> Side:
    """Return the words of texts."""
    # multiword tokens of CoNLL-U are not what stands in the text
    return words_of(corpus, tokenised="tokens" in corpus.names)

"""A trained tagger or parser: what it says of sentences, and of corpora."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from classifiers.encoders.opening import Encoder
from classifiers.structured.config import StructuredConfig
from classifiers.structured.network import StructuredNetwork
from classifiers.structured.states import WordStates, states_of_words
from classifiers.structured.tasks import Task, words_of
from induction.corpus.corpus import Corpus

__all__ = ["StructuredModel"]

_BATCH = 32


@dataclass(frozen=True, eq=False)
class StructuredModel:
    """A tagger or a parser that was trained on an encoder.

    Attributes
    ----------
    task : Task
        What it does.
    config : StructuredConfig
        How it was trained.
    encoder : Encoder
        What reads words, with the weights that it has learnt, if it did.
    network : StructuredNetwork
        What learnt.

    Examples
    --------
    >>> from classifiers import open_structured
    >>> open_structured("tagger").task.name  # doctest: +SKIP
    'tags'
    """

    task: Task
    config: StructuredConfig
    encoder: Encoder
    network: StructuredNetwork

    def __repr__(self) -> str:
        said = ", ".join(f"{len(names)} {kind}" for kind, names in self.network.names.items())
        return f"StructuredModel({self.task.name} on {self.encoder.name}: {said})"

    def read(self, sentences: Sequence[Sequence[str]]) -> WordStates:
        """Return the states of sentences, for :meth:`answers_of`."""
        return states_of_words(self.encoder, sentences)

    def answers_of(self, states: WordStates) -> list[Any]:
        """Return an answer a sentence: spans and tags, tags, or heads and relations."""
        made: list[Any] = []
        for first in range(0, len(states.rows), _BATCH):
            made += self.network.answers(states.rows[first : first + _BATCH])
        return made

    def apply(self, corpus: Corpus) -> Corpus:
        """Return a corpus with answers in the place of those that it had.

        Raises
        ------
        CorpusError
            If a text has no words.
        """
        return self.task.written(corpus, self.answers_of(self.read(words_of(corpus))))

    def score(self, corpus: Corpus) -> dict[str, float]:
        """Return how good the answers are where the right ones are known, from 0 to 100.

        Raises
        ------
        CorpusError
            If the corpus has no right answers.
        """
        return self.task.score(corpus, self.apply(corpus))

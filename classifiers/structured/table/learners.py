"""What learns in a table: heads on encoders, averaged perceptrons, and grammars of treebanks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from classifiers.structured.config import StructuredConfig
from classifiers.structured.states import WordStates
from classifiers.structured.table.data import Annotated
from classifiers.structured.tasks import Task, words_of
from classifiers.tagging.parts_of_speech import WordTagger
from classifiers.tagging.tagger import EntityTagger
from grammar.errors import OptionError
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from induction.parsers.training import induce_parser

__all__ = ["LEARNERS", "Learner", "find_learner"]

LOOKS = 80
"""How often a perceptron looks at each given sentence, or at as many new ones."""


@dataclass(frozen=True)
class Learner:
    """Something that learns from sentences and is tested.

    Attributes
    ----------
    name : str
        What it is called.
    task : Task
        What it learns.
    train : callable
        Given itself, sentences (new ones have provenance), data and a seed, returns a corpus of the
        test with answers.
    config : StructuredConfig
        Of an encoder.
    """

    name: str
    task: Task
    train: Callable[[Learner, Corpus, Annotated, int], Corpus]
    config: StructuredConfig
    _held: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def settings(self) -> dict[str, Any]:
        """Return all that decides what it learns."""
        held: dict[str, Any] = {"learner": self.name, "task": self.task.name}
        if self.train is _encoder:
            rest = {k: v for k, v in asdict(self.config).items() if k not in ("device", "seed")}
            if self.config.train == "frozen":  # as cells have it from before there was a choice
                del rest["train"]
            return held | {"config": rest}
        return held | ({"looks": LOOKS} if self.train is _perceptron else {})

    def score(self, corpus: Corpus, data: Annotated, seed: int) -> dict[str, float]:
        """Return how good it is on the test of some data after it has learnt."""
        scores = self.task.score(data.test, self.train(self, corpus, data, seed))
        return {name: round(value, 2) for name, value in scores.items()}


def _encoder(learner: Learner, corpus: Corpus, data: Annotated, seed: int) -> Corpus:
    from classifiers.encoders.opening import open_encoder
    from classifiers.structured.learning import train_structured
    from classifiers.structured.states import states_of_words

    held = learner._held
    if "encoder" not in held:
        held["encoder"] = open_encoder(learner.config.encoder, device=learner.config.device)
    config = replace(learner.config, seed=seed)
    model = train_structured(learner.task.name, corpus, config, encoder=held["encoder"])
    if config.train != "frozen":
        return model.apply(data.test)
    if data.digest not in held:  # what is tested is read once
        held[data.digest] = states_of_words(held["encoder"], words_of(data.test))
    states: WordStates = held[data.digest]
    return learner.task.written(data.test, model.answers_of(states))


def _perceptron(learner: Learner, corpus: Corpus, data: Annotated, seed: int) -> Corpus:
    even, given = balanced(corpus)
    kind = WordTagger if learner.task.name == "tags" else EntityTagger
    return kind.train(even, steps=LOOKS * given, seed=seed).tag(data.test)


def _pcfg(learner: Learner, corpus: Corpus, data: Annotated, seed: int) -> Corpus:
    return _parsed(corpus, data, rounds=0, direction="head", horizontal_markov=2,
                   vertical_markov=2)  # fmt: skip


def _latent(learner: Learner, corpus: Corpus, data: Annotated, seed: int) -> Corpus:
    return _parsed(corpus, data, seed=seed, direction="right")


def _parsed(corpus: Corpus, data: Annotated, **options: Any) -> Corpus:
    trees = Treebank.parse("\n".join(balanced(corpus)[0].column("tree")))
    parser = induce_parser(trees, models=1, lexicalised=False, **options)
    sentences = Treebank.parse("\n".join(data.test.column("tree"))).sentences()
    found = parser.parse(sentences).brackets()
    return data.test.with_column("tree", found.cast(pa.string()))


def balanced(corpus: Corpus) -> tuple[Corpus, int]:
    """Return given sentences as often as there are new ones for each, and how many are given.

    Examples
    --------
    >>> made = [None, *[{"method": "m"}] * 3]
    >>> both = Corpus.from_columns(text=["given", "a", "b", "c"], provenance=made)
    >>> balanced(both)[0].column("text"), balanced(both)[1]
    (['given', 'given', 'given', 'a', 'b', 'c'], 1)
    """
    if "provenance" not in corpus.names:
        return corpus, len(corpus)
    is_new = corpus.arrow("provenance").is_valid()
    given = corpus.table.filter(pa.compute.invert(is_new))
    new = corpus.table.filter(is_new)
    times = max(1, round(new.num_rows / max(1, given.num_rows)))
    rows = pa.concat_tables([*[given] * times, new]).drop_columns(["provenance"])
    return Corpus(rows), given.num_rows


_TRAINED: Mapping[str, tuple[tuple[str, ...], Any]] = {
    "encoder": (("constituency", "dependencies", "tags", "spans"), _encoder),
    "perceptron": (("tags", "spans"), _perceptron),
    "pcfg": (("constituency",), _pcfg),
    "latent": (("constituency",), _latent),
}
LEARNERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: tasks for name, (tasks, _) in _TRAINED.items()}
)
"""What learns, and for which tasks."""


def find_learner(name: str, task: Task, config: StructuredConfig) -> Learner:
    """Return a learner by its name (raises OptionError if there is none, or not for the task)."""
    if task.name not in LEARNERS.get(name, ()):
        fitting = [one for one, tasks in LEARNERS.items() if task.name in tasks]
        raise OptionError(
            f"no learner {name!r} is there for {task.name}", hint=f"use {', '.join(fitting)}"
        )
    return Learner(name, task, _TRAINED[name][1], config)

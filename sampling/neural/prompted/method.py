"""Prompted generation as a method: a language model is shown examples and writes one more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, LongArray
from grammar.errors import OptionError
from grammar.options import option, read_options
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from sampling.examples.labels import read_labels
from sampling.neural.grammar import ModelGrammar
from sampling.neural.opening import KINDS, needs_libraries
from sampling.neural.prompted.endpoint import USUAL_KEY, Endpoint
from sampling.neural.prompted.lines import Answer, Asked, Item, Lines
from sampling.neural.prompted.requests import AskedAttempts, Requests
from sampling.neural.prompted.skeletons import Skeletons, skeletons_of
from sampling.neural.sampler import DEVICE, TEACHER, ModelSampler, fitting
from sampling.stream import Columns, Stream, in_rounds

__all__ = ["Prompted", "PromptedOptions"]

_MILLION = 1_000_000


@dataclass(frozen=True, eq=False)
class _Writer:
    """A model, here or behind an endpoint, and what it is to fill, if anything."""

    model: Any
    skeletons: Skeletons | None

    @property
    def weights(self) -> str:
        own: str = self.model.weights
        return own if self.skeletons is None else f"{own} {self.skeletons.digest}"


@dataclass(frozen=True, kw_only=True)
class PromptedOptions:
    """The options of :meth:`Prompted.induce`."""

    model: str = option(
        "",
        "A causal language model by folder or name; with an endpoint, its name there. Required.",
    )
    endpoint: str | None = option(
        None,
        "The address of a server with the OpenAI interface, such as http://127.0.0.1:8000/v1. "
        "Texts of the corpus are sent to it, and to no other.",
    )
    key: str = option(
        USUAL_KEY, "The environment variable that holds the key of the endpoint, if any."
    )
    shown: int = option(2, "Examples in a prompt.", source="Yoo et al. 2021", least=1, most=64)
    temperature: float = option(1.0, "Temperature of the draws.", least=0.01)
    pieces: int = option(
        100, "Most subword tokens of an answer.", source="Yoo et al. 2021", least=4
    )
    soft: bool = option(
        True,
        "Labels are the probabilities of the class names. Otherwise the class that was written.",
    )
    skeletons: str | None = option(
        None,
        "A saved grammar. The model fills its sentences, whose content words are gaps.",
    )
    tries: int = option(4, "Most requests to an endpoint per example.", least=1, most=16)
    seconds: float = option(60.0, "Time limit of an endpoint's answer, in seconds.", least=0.01)
    prices: str | None = option(
        None, "Price of a million subword tokens of prompts and of answers, as 0.15:0.6."
    )
    teacher: Any = TEACHER
    device: str = DEVICE


class Prompted(ModelSampler):
    """New texts, with labels, of a language model that is shown some of the corpus.

    Examples are lines of JSON, one more is asked for, and what is not exactly such a line is
    refused. A label is a distribution: how probable the name of each class is at its place.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["I like tea.", "She sold her car."], label=[1, 0])
    >>> Prompted.induce(corpus, model="gpt2").sample(2)  # doctest: +SKIP
    Corpus(2 examples: id, text, label, provenance)

    References
    ----------
    Kang Min Yoo et al. 2021. GPT3Mix: Leveraging Large-scale Language Models for Text Augmentation
    (sections 3.1 to 3.3: examples in a prompt, and soft labels from the probabilities of names).
    """

    method = "prompted"
    version = "2"
    Options = PromptedOptions

    @classmethod
    def models_here(cls, options: Mapping[str, Any]) -> list[str]:
        """Return the model, if it is not behind an endpoint."""
        return [] if options.get("endpoint") else super().models_here(options)

    def __init__(self, grammar: ModelGrammar) -> None:
        super().__init__(grammar)
        _price(self.options.prices, 0, 0)  # says if they are none
        if self.options.endpoint is not None:
            self.at_once = Endpoint.at_once
            self.requests = Requests(self.options.tries, self.cost)

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Prompted:
        """Find which texts can be shown.

        Parameters
        ----------
        corpus : Corpus
            With ``text``; for pairs also ``text_pair``, and perhaps ``label``; with ``tree`` for
            skeletons.
        **options
            Fields of :class:`PromptedOptions`; ``model`` is needed.

        Raises
        ------
        CorpusError
            If a column is not valid, or there are fewer texts than are shown.
        OptionError, MissingDataError
            If an option or a model cannot be used or is not to be had.
        """
        chosen = read_options(PromptedOptions, options, cls.method)
        writer = cls.opened_model(chosen)
        model = writer.model
        most = model.longest // (chosen.shown + 1)
        given, hosts = fitting(corpus, model.lengths, most, cls.method, chosen.shown)
        if chosen.skeletons is not None:
            if "text_pair" in given.names:
                raise OptionError("pairs have no skeletons", hint="leave out skeletons")
            given = given.with_column("skeleton", skeletons_of(corpus.column("tree")))
        facts = cls.method, cls.version, asdict(chosen)
        weights = cls.weights_of(writer)
        return cls(ModelGrammar(*facts, given, hosts, weights, chosen.shown, np.zeros(0)))

    @classmethod
    def opened_model(cls, options: PromptedOptions) -> Any:
        """Open the model, or check the address of the endpoint; and the grammar, if one is used."""
        path = options.skeletons
        return _Writer(cls._backend(options), None if path is None else Skeletons(path))

    @classmethod
    def _backend(cls, o: PromptedOptions) -> Any:
        if not o.model:
            raise OptionError(
                "prompted needs a language model",
                hint=f"model='FOLDER': {KINDS['causal'][2]}; or endpoint='URL' and its name there",
            )
        if o.endpoint is not None:
            return Endpoint.allowed(
                o.endpoint, o.key, model=o.model, temperature=o.temperature, pieces=o.pieces,
                tries=o.tries, seconds=o.seconds,
            )  # fmt: skip
        needs_libraries(cls.method)
        from sampling.neural.prompted.local import LocalModel

        return LocalModel.opened(o.model, o.device, o.temperature, o.pieces)

    @classmethod
    def weights_of(cls, model: Any) -> str:
        """Return what tells the model, and the grammar, from others."""
        weights: str = model.weights
        return weights

    def count(self) -> int:
        """Return an upper bound of the number of distinct new texts."""
        return len(self.grammar.hosts) << 32

    def cost(self, n: int) -> str:
        """Say how many requests there may be, how many pieces they have, and what these cost."""
        if self.options.endpoint is None or not n:
            return ""
        with self.as_allowed():
            endpoint = self.model.model
        most = n * self.options.tries
        prompt = self._lines.ask(self._items[: self.options.shown])
        (size,) = endpoint.lengths([prompt.before + prompt.begin])
        answered = most * self.options.pieces
        price = _price(self.options.prices, most * size, answered)
        examples = f"{n:,} example{'s' * (n > 1)}"
        return (
            f"up to {most:,} requests to {endpoint.url} for {examples}: they have about "
            f"{most * size:,} pieces, and answers at most {answered:,}{price}"
        )

    def prepare(self, n: int) -> None:
        """Say what so many examples take of an endpoint, before it is asked for any.

        Raises
        ------
        NotAllowedError
            If the endpoint is the word of a file, or there would be more requests than this run
            allows.
        """
        if self.options.endpoint is not None and n:
            self.requests.expect(n)

    def stream(self, seed: int) -> Stream:
        """Return the examples of a seed from the first on; of an endpoint, by single requests."""
        if self.options.endpoint is None:
            return super().stream(seed)
        return AskedAttempts(self, seed, self.requests)

    def draw(self, seed: int, numbers: LongArray) -> Columns:
        """Show texts, the first in turn and others by chance, and read what comes."""
        size, shown = len(self.grammar.hosts), self.options.shown
        key = stream_key(seed, self.method)
        first = in_rounds(key, numbers, size)
        parents = np.empty((len(numbers), shown), np.int64)
        for row, number in enumerate(numbers.tolist()):
            random = np.random.Generator(np.random.Philox(key=[int(key), number]))
            others = random.choice(size - 1, shown - 1, replace=False)
            parents[row] = first[row], *(others + (others >= first[row]))
        asked = self._asked(seed, numbers, parents)
        seeds = [_seed_of(int(key), number) for number in numbers.tolist()]
        answers = self.model.model.answers(asked, seeds)
        items = [self._lines.read(line, one) for (line, _), one in zip(answers, asked, strict=True)]
        texts = [("",) * len(self.sides) if item is None else item.texts for item in items]
        likely = np.full(len(numbers), -float(np.log(np.arange(size, size - shown, -1)).sum()))
        rules = np.column_stack([np.zeros(len(numbers), np.int64), 1 + parents])
        made = np.array(texts, object).reshape(-1, len(self.sides)), parents, rules, likely
        if not self._lines.classes:
            return made
        read = {
            row: Answer(one, line, item, likely)
            for row, (one, (line, likely), item) in enumerate(
                zip(asked, answers, items, strict=True)
            )
            if item is not None
        }
        return (*made, self._shares(len(items), read))

    def refused(self, drawn: Columns) -> Mapping[str, BoolArray]:
        """Return which answers are not a line as it was asked for."""
        return {"not as asked": super().refused(drawn)["empty"]}

    def _asked(self, seed: int, numbers: LongArray, parents: LongArray) -> list[Asked]:
        gaps = [""] * len(numbers)
        if self.model.skeletons is not None:
            gaps = self.model.skeletons.drawn(seed, numbers.tolist())
        return [
            self._lines.ask([self._items[parent] for parent in row], gap)
            for row, gap in zip(parents.tolist(), gaps, strict=True)
        ]

    def _shares(self, count: int, read: dict[int, Answer]) -> Any:
        classes = self._lines.classes
        made = np.full((count, len(classes)), 1 / len(classes), np.float32)
        answers = list(read.values())
        if self.options.soft and answers:
            made[list(read)] = self.model.model.shares(answers, self._lines)
        elif answers:
            named = [classes.index(answer.item.label) for answer in answers]
            made[list(read)] = np.eye(len(classes))[named]
        return made

    @cached_property
    def model(self) -> _Writer:
        """The model, and what it is to fill; an endpoint sends no more than it may."""
        opened: _Writer = super().model
        if self.options.endpoint is None:
            return opened
        return replace(opened, model=replace(opened.model, spend=self.requests.spend))

    @cached_property
    def _lines(self) -> Lines:
        return Lines(tuple(self.sides), self.class_names(), self.options.skeletons is not None)

    @cached_property
    def _items(self) -> list[Item]:
        return self._shown(range(len(self.grammar.hosts)))

    def _shown(self, rows: Sequence[int]) -> list[Item]:
        """Return texts as they are shown."""
        examples, classes = self.grammar.examples, self.class_names()
        hosts = self.grammar.hosts[list(rows)]
        labels = [""] * len(hosts)
        if classes:
            likely = read_labels(examples).distributions(hosts).argmax(1)
            labels = [classes[k] for k in likely.tolist()]
        gaps = [""] * len(hosts)
        if "skeleton" in examples.names:
            held = examples.column("skeleton")
            gaps = [held[row] for row in hosts.tolist()]
        texts = zip(*([side[row] for row in rows] for side in self.texts), strict=True)
        return [Item(*row) for row in zip(texts, labels, gaps, strict=True)]


def _seed_of(key: int, number: int) -> int:
    return int(np.random.Generator(np.random.Philox(key=[key, number])).integers(2**62))


def _price(prices: str | None, asked: int, answered: int) -> str:
    if prices is None:
        return ""
    try:
        each = [float(part) for part in prices.split(":")]
        if len(each) != 2 or not all(0 <= part < np.inf for part in each):
            raise ValueError
    except ValueError:
        raise OptionError(
            f"prices={prices!r} are not two numbers", hint="for prompts and answers, as 0.15:0.6"
        ) from None
    cost = (asked * each[0] + answered * each[1]) / _MILLION
    return f": at most {cost:.2f} at these prices"

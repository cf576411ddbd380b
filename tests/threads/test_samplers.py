"""Samplers that a hundred threads use at once, none of which was used before."""

from __future__ import annotations

import functools
import time
import warnings
from functools import partial
from typing import Any

import pytest

from grammar import Grammar
from grammar.errors import MissingDataError
from induction.corpus.corpus import Corpus
from sampling import augment, sample_sentences
from sampling.method import induce
from sampling.pipeline.on_the_fly import Epochs, Transform
from sampling.stream import Sampler, ShortfallWarning
from sampling.words.eda import EDA
from tests.guards.golden import METHODS_TRIED, corpora
from tests.threads.together import THREADS, check_alike, together


@functools.cache
def held() -> dict[str, Corpus]:
    return {name: Corpus(corpus.table.slice(0, 40)) for name, corpus in corpora().items()}


def induced(name: str) -> Sampler:
    method, corpus, options = METHODS_TRIED[name]
    try:
        return induce(method, held()[corpus], **options)
    except MissingDataError as error:
        pytest.skip(f"{error.what}")


def drawn(sampler: Sampler, seed: int, start: int, workers: int) -> list[Any]:
    tables = sampler.batches(6, seed=seed, start=start, workers=workers, batch_size=4)
    return [row for table in tables for row in table.to_pylist()]


# fluent over a grammar takes five seconds for its first draw; it is fluent and grammar, both here
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in METHODS_TRIED if name != "fluent-grammar"])
def test_methods(name: str) -> None:
    """Seeds beside one another, and threads that go on where others left off."""
    asked = [(1, 0, 1), (1, 6, 1), (2, 0, 1), (1, 0, 2)]
    first = induced(name)
    began = time.process_time()
    alone = [drawn(first, *one) for one in asked]
    # as many threads as a quarter of a second of a processor is enough for
    threads = max(4, min(THREADS, int(1.0 / (time.process_time() - began + 1e-9))))
    shared = induced(name)
    check_alike([partial(drawn, shared, *one) for one in asked], alone, threads)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("wordnet_data")
def test_synonyms_that_nobody_asked_for_before() -> None:
    from sampling.english import inflection, wordnet

    words = ["good", "films", "slow", "ran", "bad", "happier"]
    asked = [
        partial(wordnet.synonyms, word, inflect=True, senses=senses)
        for word in words
        for senses in (wordnet.FREQUENT, wordnet.ALL)
    ]
    alone = [ask() for ask in asked]
    for module in (wordnet, inflection):
        for kept in vars(module).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()
    check_alike(asked, alone)


def test_sentences() -> None:
    text = (
        "S -> NP VP [1]\nNP -> 'cats' [3/4] | NP 'and' NP [1/4]\nVP -> 'see' NP [1/2] | 'nap' [1/2]"
    )

    def sentences(grammar: Grammar, seed: int, length: Any) -> list[str]:
        return sample_sentences(grammar, 20, seed=seed, length=length).column("text")

    asked = [(0, None), (1, None), (0, (2, 9)), (0, (3, 20))]
    alone = [sentences(Grammar.parse(text), *one) for one in asked]
    shared = Grammar.parse(text)
    check_alike([partial(sentences, shared, *one) for one in asked], alone)


def test_the_pipeline() -> None:
    corpus = held()["labelled"] if "labelled" in held() else next(iter(held().values()))
    corpus = Corpus(corpus.table.select([n for n in ("id", "text", "label") if n in corpus.names]))

    def made(seed: int) -> list[Any]:
        return augment(
            corpus, "0.7*eda + 0.3*aeda", n=20, seed=seed, workers=2
        ).corpus.table.to_pylist()

    alone = [made(seed) for seed in range(4)]
    check_alike([partial(made, seed) for seed in range(4)], alone, 24)


SMALL = Corpus.from_columns(
    text=["a b c d", "e f g h", "i j k l", "m n o p"] * 3, label=[0, 1, 0, 1] * 3
)


@pytest.mark.parametrize("method", ["eda", "randmix(threshold=0.5)"])
def test_epochs(method: str) -> None:
    """Of one value in several epochs at once, as of loaders with threads."""
    from sampling.expression import read_expression

    step = read_expression(method).parts[0].steps[0]

    def epochs() -> Epochs:
        return Epochs(SMALL, induce(step.method, SMALL, **step.options), seed=5)

    def rows(given: Epochs, epoch: int) -> list[Any]:
        return list(given.rows(epoch))

    alone = [rows(epochs(), epoch) for epoch in range(5)]
    shared = epochs()
    check_alike([partial(rows, shared, epoch) for epoch in range(5)], alone)


def test_transforms_of_batches() -> None:
    transform = Transform(Epochs(SMALL, EDA.induce(SMALL)))
    batches = [{"id": [str(k), "0"], "text": ["", ""]} for k in range(12)]
    alone = [transform(batch) for batch in batches]
    check_alike([partial(transform, batch) for batch in batches], alone)


def test_warnings_are_as_before() -> None:
    """Filters of warnings are of the process: who changes them in a thread may leave them so."""
    with warnings.catch_warnings():
        before = list(warnings.filters)
        epochs = Epochs(SMALL, induce("randmix", SMALL, threshold=0.5), seed=1)
        together([lambda epoch=epoch: list(epochs.rows(epoch)) for epoch in range(7)])
        assert list(warnings.filters) == before
    few = Corpus.from_columns(text=["a b", "c d"], label=[0, 1])
    with pytest.warns(ShortfallWarning):
        induce("randmix", few, threshold=0.5).sample(500)

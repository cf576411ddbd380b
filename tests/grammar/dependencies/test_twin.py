"""Hits of requests equal those that enumeration finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from grammar.dependencies import searching
from grammar.dependencies.treebank import DependencyTreebank
from tests.grammar.dependencies.strategies import Twin, requests, treebanks


def found(treebank: DependencyTreebank, text: str) -> list[tuple[int, ...]]:
    hits = treebank.search(text)
    return list(
        zip(hits.sentence.tolist(), *(w.tolist() for w in hits.named.values()), strict=True)
    )


def expected(treebank: DependencyTreebank, text: str) -> list[tuple[int, ...]]:
    twins = [Twin(treebank, sentence) for sentence in range(len(treebank))]
    return sorted(
        (number, *(word + twin.begin for word in words))
        for number, twin in enumerate(twins)
        for words in twin.hits(text)
    )


@settings(max_examples=300, deadline=None)
@given(treebanks(), requests())
def test_hits_are_those_of_enumeration(treebank: DependencyTreebank, text: str) -> None:
    assert found(treebank, text) == expected(treebank, text)


@settings(max_examples=50, deadline=None)
@given(treebanks(), requests())
def test_blocks_of_sentences_give_the_same_hits(treebank: DependencyTreebank, text: str) -> None:
    whole = found(treebank, text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(searching, "MOST_WORDS", 1)
        assert found(treebank, text) == whole


@settings(max_examples=50, deadline=None)
@given(treebanks())
def test_sentences_with_hits_have_the_same_hits(treebank: DependencyTreebank) -> None:
    hits = treebank.search('pattern { X -[1=a]-> Y; X << Y; Y [form=re"u.*"] }')
    again = hits.sentences().search(hits.request)
    assert [again.values(name) for name in "XY"] == [hits.values(name) for name in "XY"]
    assert [again.word(name).tolist() for name in "XY"] == [
        hits.word(name).tolist() for name in "XY"
    ]


TEN = (
    "pattern { X -> Y }",
    "pattern { X -> Y; Y -> Z }",
    "pattern { X -> Y; X -> Z; Y << Z }",
    "pattern { X [] } without { X -> Y }",
    "pattern { X [] } without { Y -> X } without { X -> Y }",
    "pattern { X -> Y } with { Y -> Z; Z << X }",
    "pattern { X -> Y; X.form = Y.form }",
    "pattern { X -> Y; X.N <> Y.N }",
    "pattern { * -[root]-> X; X -[^a]-> * }",
    "pattern { e: X -> Y; f: Y -> Z; e.label = f.label }",
)


@pytest.mark.parametrize("text", TEN)
@settings(max_examples=20, deadline=None)
@given(treebanks(most_words=6))
def test_usual_requests(text: str, treebank: DependencyTreebank) -> None:
    assert found(treebank, text) == expected(treebank, text)

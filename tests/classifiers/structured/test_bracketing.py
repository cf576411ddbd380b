"""The chart against all binary trees, and trees against their spans."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers.structured.bracketing import best_bracketing
from classifiers.structured.trees import spans_of_tree, tree_of_spans
from grammar.errors import CorpusError
from grammar.trees.tree import Tree
from tests.grammar.strategies import trees

Span = tuple[int, int]


def bracketings(begin: int, end: int) -> Iterator[list[Span]]:
    """Every binary tree over some words, as its spans."""
    if end - begin == 1:
        yield [(begin, end)]
        return
    for middle in range(begin + 1, end):
        for left in bracketings(begin, middle):
            for right in bracketings(middle, end):
                yield [(begin, end), *left, *right]


@given(seed=st.integers(0, 10**6), words=st.integers(1, 7))
@settings(max_examples=60)
def test_the_best_bracketing_is_the_best_of_all(seed: int, words: int) -> None:
    value = np.random.default_rng(seed).normal(size=(words + 1, words + 1)).astype(np.float32)

    def worth(spans: list[Span]) -> float:
        return sum(float(value[span]) for span in spans)

    found = [tuple(span) for span in best_bracketing(value).tolist()]
    best = max(bracketings(0, words), key=worth)
    assert worth(found) == pytest.approx(worth(best))
    assert found in list(bracketings(0, words))  # in preorder


def test_no_words_have_no_spans() -> None:
    assert best_bracketing(np.zeros((1, 1), np.float32)).shape == (0, 2)


def has_tags(tree: Tree) -> bool:
    return all(
        len(node.children) == 1 or not any(isinstance(child, str) for child in node.children)
        for node in tree.nodes()
    )


@given(tree=trees().filter(has_tags))
def test_trees_are_their_spans(tree: Tree) -> None:
    spans = spans_of_tree(tree)
    words = tree.leaves()
    assert len(spans.tags) == len(words)
    if len(words) > 1 or spans.constituents:
        assert tree_of_spans(words, spans.tags, spans.constituents) == tree


@pytest.mark.parametrize("text", ["(S (NP (DT the) dog))", "(S we slept)"])
def test_words_without_tags_are_refused(text: str) -> None:
    with pytest.raises(CorpusError, match="has no tag"):
        spans_of_tree(Tree.parse(text))

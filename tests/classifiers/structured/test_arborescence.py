"""The spanning tree against all trees with one root."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from classifiers.structured.arborescence import best_heads
from induction.corpus.validity import heads_fault

TREES = {
    words: [
        heads
        for heads in itertools.product(range(words + 1), repeat=words)
        if not heads_fault(list(heads))
    ]
    for words in range(1, 6)
}


def worth(heads: tuple[int, ...], score: np.ndarray) -> float:
    return float(sum(score[head, word] for word, head in enumerate(heads, 1)))


def test_there_are_as_many_trees_as_cayley_says() -> None:
    assert {words: len(trees) for words, trees in TREES.items()} == {
        words: words ** (words - 1) for words in TREES
    }


@given(seed=st.integers(0, 10**6), words=st.integers(1, 5), whole=st.booleans())
@settings(max_examples=150, deadline=None)
def test_the_best_tree_is_the_best_of_all(seed: int, words: int, whole: bool) -> None:
    draw = np.random.default_rng(seed)
    size = (words + 1, words + 1)
    score = draw.integers(0, 3, size).astype(float) if whole else draw.normal(size=size) * 9
    before = score.copy()
    found = tuple(best_heads(score).tolist())
    assert np.array_equal(score, before)
    assert found in TREES[words]
    assert worth(found, score) == pytest.approx(max(worth(t, score) for t in TREES[words]))


@given(seed=st.integers(0, 10**6), words=st.integers(6, 40))
@settings(max_examples=30, deadline=None)
def test_long_sentences_have_trees_too(seed: int, words: int) -> None:
    draw = np.random.default_rng(seed)
    # few heads are liked by many, which makes circles within circles
    score = draw.normal(size=(words + 1, words + 1)) + 5 * draw.normal(size=(words + 1, 1))
    assert not heads_fault(best_heads(score).tolist())


def test_no_words_have_no_heads() -> None:
    assert len(best_heads(np.zeros((1, 1)))) == 0

"""Labels: what is valid, what mixing gives, and one clear error for everything else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from sampling.examples.labels import (
    MOST_MIXED,
    check_corpus,
    first_broken_heads,
    mix_labels,
    read_labels,
    share_of_source,
    soften,
)


def corpus(**columns: object) -> Corpus:
    size = len(next(iter(columns.values())))  # type: ignore[arg-type]
    return Corpus.from_columns(**{"text": ["some text"] * size, **columns})


def test_the_worked_example_of_treemix_is_exact() -> None:
    labels = read_labels(corpus(label=[0, 1]))
    share = share_of_source(np.array([10 - 3]), np.array([5]))
    assert share[0] == 7 / 12
    mixed = mix_labels(labels, [0], [1], share).to_pylist()[0]
    assert mixed == [float(np.float32(7 / 12)), float(np.float32(5 / 12))]


@given(
    st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=2),
    st.integers(1, 50),
    st.integers(1, 50),
)
def test_mixtures_of_distributions_are_distributions(
    weights: list[list[int]], kept: int, filled: int
) -> None:
    soft = [[w / sum(row) for w in row] for row in weights]
    labels = read_labels(corpus(label=soft))
    share = share_of_source(np.array([kept]), np.array([filled]))
    mixed = np.array(mix_labels(labels, [0], [1], share).to_pylist())
    assert mixed.sum() == pytest.approx(1, abs=1e-5)
    expected = (kept * np.array(soft[0]) + filled * np.array(soft[1])) / (kept + filled)
    assert mixed[0] == pytest.approx(expected, abs=1e-6)


def test_hard_labels_soften_to_corners_and_soft_ones_stay() -> None:
    assert soften(read_labels(corpus(label=[1, 0]))).to_pylist() == [[0, 1], [1, 0]]
    assert soften(read_labels(corpus(label=[[0.25, 0.75]]))).to_pylist() == [[0.25, 0.75]]


def test_equal_labels_have_equal_keys() -> None:
    keys = read_labels(corpus(label=[[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]])).keys()
    assert keys[0] == keys[2] != keys[1]
    assert read_labels(corpus(label=[3, 1])).keys().tolist() == [3, 1]


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ([0, None], "label is missing"),
        ([0, -1], "negative"),
        ([0.0, float("nan")], "NaN"),
        ([0.0, 1.0], "not classes"),
        (["pos", "neg"], "not classes"),
        ([[0.5, 0.5], [0.5, 0.6]], "does not sum to 1"),
        ([[0.5, 0.5], [1.5, -0.5]], "negative part"),
        ([[0.5, 0.5], [1.0]], "not over 2 classes"),
        ([[0.5, 0.5], [float("nan"), 1.0]], "NaN"),
    ],
)
def test_labels_that_are_refused(label: list[object], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        check_corpus(corpus(label=label))


def test_a_label_beyond_the_classes_is_refused() -> None:
    with pytest.raises(CorpusError, match="not below 2"):
        read_labels(corpus(label=[0, 2]), classes=2)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"text": ["a", " "]}, "text is empty"),
        ({"text": ["a", None]}, "text is missing"),
        ({"text": ["a b"], "text_pair": [""]}, "text_pair is empty"),
        ({"tokens": [["a", "b"]], "tags": [["X"]]}, "differ in length"),
        ({"tags": [["X"], ["X"]], "heads": [[0], [0, 1]]}, "differ in length"),
        ({"tokens": [["a"], None]}, "'tokens' is missing"),
        ({"tokens": [["a", "b"]], "tree": ["(S (X a) (X c))"]}, "not the tokens"),
        ({"tokens": [["a", "b"], ["c"]], "tree": ["(S (X a))", "(S (X b) (X c))"]}, "not the tok"),
        ({"heads": [[0, 1], [2, 1]]}, "not exactly one word"),
        ({"heads": [[0, 3]]}, "outside the sentence"),
        ({"heads": [[0, 3, 2]]}, "circle"),
    ],
)
def test_corpora_that_are_refused(columns: dict[str, object], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        check_corpus(corpus(**columns))


def test_the_message_names_the_example() -> None:
    with pytest.raises(CorpusError, match="example 'b'"):
        check_corpus(corpus(id=["a", "b"], label=[[1.0], [0.5]]))


def is_tree(heads: list[int]) -> bool:
    def climbs(word: int) -> bool:
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word == 0

    inside = all(0 <= head <= len(heads) for head in heads)
    return inside and heads.count(0) == 1 and all(climbs(w + 1) for w in range(len(heads)))


@given(st.lists(st.lists(st.integers(-1, 5), min_size=1, max_size=4), min_size=1, max_size=4))
def test_broken_heads_are_found_as_by_the_definition(rows: list[list[int]]) -> None:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    example, fault = first_broken_heads(offsets, np.concatenate(rows).astype(np.int32))
    broken = [i for i, row in enumerate(rows) if not is_tree(row)]
    assert bool(fault) == bool(broken)
    if broken:
        assert example == broken[0]


def test_a_class_number_that_would_take_all_memory_is_refused_where_labels_mix() -> None:
    labels = read_labels(corpus(text=["a", "b"], label=[0, 10**15]))
    with pytest.raises(CorpusError, match="go up to 1000000000000000"):
        soften(labels)
    many = read_labels(corpus(text=["a", "b"], label=[0, MOST_MIXED - 1]))
    assert many.distributions(np.array([1])).argmax() == MOST_MIXED - 1


def test_a_valid_corpus_passes() -> None:
    check_corpus(
        corpus(
            text=["b a"],
            label=[0],
            tokens=[["b", "a"]],
            tags=[["X", "Y"]],
            heads=[[2, 0]],
            deprels=[["det", "root"]],
            tree=["(S (X b) (Y a))"],
        )
    )


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u00a0 \u3000"])
def test_a_text_of_white_space_is_empty(blank: str) -> None:
    texts = Corpus.from_columns(text=["a b", blank])
    with pytest.raises(CorpusError, match="the text is empty"):
        check_corpus(texts)
    check_corpus(texts, empty_texts=True)
    check_corpus(Corpus.from_columns(text=["a b", f"{blank}a"]))

"""Splicing: kernels against slices of lists, words in texts, sites, protected words, repairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.arrays import text_bytes
from grammar.errors import CorpusError, OptionError
from grammar.hashing import new_set
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import Corpus
from sampling.examples.labels import class_numbers
from sampling.examples.protection import protected_words
from sampling.examples.splicing import bracket_places, join_heads, join_pieces
from sampling.examples.text_columns import read_side
from sampling.spans.draws import hash_sides
from sampling.spans.repairs import repair_names, with_final_mark
from sampling.spans.sites import (
    all_spans,
    balanced_spans,
    dependency_spans,
    ratio_bounds,
    tree_spans,
)
from tests.grammar.strategies import tokens, trees

SPACES = st.sampled_from([" ", "  ", "\t", "\n ", "\u00a0"])


def heads_of(size: int, choices: list[int]) -> list[int]:
    """Heads of a random tree: words in a random order hang below an earlier one."""
    order = sorted(range(size), key=lambda t: choices[t])
    heads = [0] * size
    for k, word in enumerate(order[1:], 1):
        heads[word] = order[choices[word] % k] + 1
    return heads


@st.composite
def head_rows(draw: st.DrawFn) -> list[int]:
    size = draw(st.integers(1, 7))
    return heads_of(size, draw(st.lists(st.integers(0, 99), min_size=size, max_size=size)))


@given(st.lists(st.integers(0, 9), min_size=1), st.data())
def test_pieces_are_slices(values: list[int], data: st.DataObject) -> None:
    place = st.integers(0, len(values))
    bounds = [sorted((data.draw(place), data.draw(place))) for _ in range(6)]
    array = np.array(bounds).reshape(2, 3, 2)
    joined, offsets = join_pieces(
        np.array(values, np.int32), array[:, :, 0].copy(), array[:, :, 1].copy()
    )
    for i in range(2):
        expected = [v for a, b in array[i].tolist() for v in values[a:b]]
        assert joined[offsets[i] : offsets[i + 1]].tolist() == expected


def subtree(heads: list[int], top: int) -> set[int]:
    found = {top}
    while more := {t for t, h in enumerate(heads) if h - 1 in found} - found:
        found |= more
    return found


@given(st.lists(head_rows(), min_size=1, max_size=3))
def test_dependency_sites_are_the_subtrees_without_gaps(rows: list[list[int]]) -> None:
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
    heads = np.concatenate(rows).astype(np.int32)
    for projective in (False, True):
        spans = dependency_spans(offsets, heads, projective=projective)
        expected = []
        for i, row in enumerate(rows):
            yields = [subtree(row, top) for top in range(len(row))]
            whole = [max(y) - min(y) + 1 == len(y) for y in yields]
            if projective and not all(whole):
                continue
            expected += [
                (i, min(y), max(y) + 1) for y, good in zip(yields, whole, strict=True) if good
            ]
        found = zip(spans.example.tolist(), spans.start.tolist(), spans.end.tolist(), strict=True)
        assert list(found) == expected


@given(head_rows(), head_rows(), st.data())
def test_heads_are_rebased_as_if_words_were_objects(
    host: list[int], donor: list[int], data: st.DataObject
) -> None:
    rows = [host, donor]
    offsets = np.array([0, len(host), len(host) + len(donor)])
    spans = dependency_spans(offsets, np.array(host + donor, np.int32))
    h = data.draw(st.sampled_from(np.flatnonzero(spans.example == 0).tolist()))
    f = data.draw(st.sampled_from(np.flatnonzero(spans.example == 1).tolist()))
    hole = np.array([[0, spans.start[h], spans.end[h]]])
    fill = np.array([[len(host), spans.start[f], spans.end[f]]])
    joined, _ = join_heads(
        np.array(host + donor, np.int32), offsets[:1], np.array([len(host)]), hole, fill
    )
    # words as objects: (sentence, place); arcs between objects; then numbered again
    a, b = int(spans.start[h]), int(spans.end[h])
    c, d = int(spans.start[f]), int(spans.end[f])
    words = [(0, t) for t in range(a)] + [(1, t) for t in range(c, d)]
    words += [(0, t) for t in range(b, len(host))]
    hung = next(row for t, row in enumerate(host) if a <= t < b and not a < row <= b)
    expected = []
    for side, t in words:
        head = rows[side][t]
        if side == 1 and not c < head <= d:
            side, head = 0, hung
        expected.append(words.index((side, head - 1)) + 1 if head else 0)
    assert joined.tolist() == expected


def replaced(tree: Tree, number: int, by: Tree) -> Tree:
    """Replace the inner node with that number in preorder."""
    counter = itertools.count()

    def visit(node: Tree | str) -> Tree | str:
        if isinstance(node, str):
            return node
        if next(counter) == number:
            for _ in range(inner(node) - 1):
                next(counter)
            return by
        return Tree(node.label, tuple(visit(child) for child in node.children))

    result = visit(tree)
    assert isinstance(result, Tree)
    return result


def inner(node: Tree | str) -> int:
    return 0 if isinstance(node, str) else 1 + sum(inner(child) for child in node.children)


def nodes(tree: Tree) -> list[Tree]:
    below = [child for child in tree.children if isinstance(child, Tree)]
    return [tree, *(node for child in below for node in nodes(child))]


@given(trees(), trees(), st.data())
def test_trees_are_spliced_as_values(host: Tree, donor: Tree, data: st.DataObject) -> None:
    bank = Treebank.from_trees([host, donor])
    spans = tree_spans(bank)
    mine = np.flatnonzero(spans.example == 0)
    theirs = np.flatnonzero(spans.example == 1)
    h = data.draw(st.integers(0, len(mine) - 1))
    f = data.draw(st.integers(0, len(theirs) - 1))
    text, offsets = text_bytes(bank.brackets())
    start, end = bracket_places(text, offsets, len(bank.size))
    hole, fill = spans.node[mine[h]], spans.node[theirs[f]]
    pieces = ((offsets[0], start[hole]), (start[fill], end[fill]), (end[hole], offsets[1]))
    made = b"".join(text[a:b].tobytes() for a, b in pieces).decode()
    assert Tree.parse(made) == replaced(host, h, nodes(donor)[f])


@given(st.lists(trees(), min_size=1, max_size=3))
def test_tree_spans_are_those_of_the_trees(rows: list[Tree]) -> None:
    spans = tree_spans(Treebank.from_trees(rows))
    found = zip(
        spans.example.tolist(),
        spans.start.tolist(),
        spans.end.tolist(),
        spans.children.tolist(),
        strict=True,
    )
    expected = []
    for i, tree in enumerate(rows):
        place = 0

        def visit(node: Tree | str, i: int = i) -> None:
            nonlocal place
            if isinstance(node, str):
                place += 1
                return
            slot = len(expected)
            expected.append((i, place, 0, len(node.children)))
            for child in node.children:
                visit(child)
            expected[slot] = (*expected[slot][:2], place, len(node.children))

        visit(tree)
    assert list(found) == expected


def test_all_spans_and_balanced_trees() -> None:
    spans = all_spans(np.array([3, 1]), 1, np.array([2, 2]))
    places = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    assert places == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 1)]
    with pytest.raises(OptionError, match="set max_words"):
        all_spans(np.full(100, 10_000), 1, np.full(100, 10_000))
    spans = balanced_spans(np.array([5, 1]))
    places = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    assert places == [(0, 5), (0, 2), (2, 5), (3, 5)]


@given(st.integers(1, 60), st.integers(0, 100), st.integers(0, 100))
def test_ratio_bounds_are_those_of_hundredths(length: int, low: int, high: int) -> None:
    for strict in (False, True):
        least, most = ratio_bounds(np.array([length]), low / 100, high / 100, strict=strict)
        for words in range(length + 1):
            ratio = 100 * words
            inside = (
                low * length < ratio < high * length
                if strict
                else low * length <= ratio <= high * length
            )
            assert (least[0] <= words <= most[0]) == inside


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1))
def test_classes_are_equal_where_all_features_are(rows: list[tuple[int, int]]) -> None:
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    numbers = class_numbers(columns, len(rows)).tolist()
    for a, b in itertools.combinations(range(len(rows)), 2):
        assert (numbers[a] == numbers[b]) == (rows[a] == rows[b])


@given(st.lists(st.lists(st.tuples(tokens(), SPACES), min_size=1, max_size=4), min_size=1))
def test_words_are_found_where_they_stand(rows: list[list[tuple[str, str]]]) -> None:
    texts = ["".join(word + space for word, space in row) for row in rows]
    words = [[word for word, _ in row] for row in rows]
    side = read_side(Corpus.from_columns(text=texts, tokens=words))
    found = [side.text[a:b].tobytes().decode() for a, b in zip(side.start, side.end, strict=True)]
    assert found == [word for row in words for word in row]
    joined = read_side(Corpus.from_columns(text=texts, tokens=words), tokenised=True)
    assert joined.text.tobytes().decode() == "".join(" ".join(row) for row in words)


def test_words_of_trees_are_found_in_raw_text() -> None:
    tree = "(S (`` ``) (NP No) (X -LRB-) (Y really) (Z -RRB-) ('' '') (. .))"
    corpus = Corpus.from_columns(text=['"No (really)".'], tree=[tree])
    side = read_side(corpus)
    found = [side.text[a:b].tobytes().decode() for a, b in zip(side.start, side.end, strict=True)]
    assert found == ['"', "No", "(", "really", ")", '"', "."]


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [("a b", ["a", "c"], "'c' is not what follows"), ("a b c", ["a", "b"], "'c' is left over")],
)
def test_words_that_are_not_the_text(text: str, words: list[str], message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read_side(Corpus.from_columns(text=[text], tokens=[words]))


def test_a_missing_tree_is_told() -> None:
    with pytest.raises(CorpusError, match="example '1': the tree is missing"):
        read_side(Corpus.from_columns(text=["a", "b"], tree=["(S a)", ""]))


def test_protected_words() -> None:
    corpus = Corpus.from_columns(
        text=["été [COL] Ann Lee", "x y"], protected=[[{"start": 10, "end": 17}], []]
    )
    side = read_side(corpus)
    mask = protected_words(corpus, side, r"\[COL\]").tolist()
    assert mask == [False, True, True, True, False, False]
    numbered = Corpus.from_columns(text=["a b"], protected=[[1]])
    assert protected_words(numbered, read_side(numbered), None).tolist() == [False, True]
    with pytest.raises(OptionError, match="regular expression"):
        protected_words(corpus, side, "[")
    beyond = Corpus.from_columns(text=["a b"], protected=[[7]])
    with pytest.raises(CorpusError, match="holds 7"):
        protected_words(beyond, read_side(beyond), None)


@pytest.mark.parametrize(
    ("pieces", "cut", "expected"),
    [
        (("It is ", "good", ""), "bad.", "It is good."),
        (("It is ", "good.", " , yes"), "bad", "It is good , yes"),
        (("It is ", "good !", ""), "bad .", "It is good !"),
    ],
)
def test_final_marks(pieces: tuple[str, str, str], cut: str, expected: str) -> None:
    assert with_final_mark(pieces, cut) == expected


def test_an_unknown_repair_is_refused() -> None:
    with pytest.raises(OptionError, match="'artcle'"):
        repair_names("artcle")


def test_hashes_tell_texts_apart_and_sets_grow() -> None:
    texts = ["a b", "ab", "b a", "a  b", "a b"]
    side = read_side(Corpus.from_columns(text=texts))
    whole = hash_sides((side,)).whole[:, 0].tolist()
    assert whole[0] == whole[4]
    assert len(set(whole)) == 4
    known = new_set(np.arange(1, 1000, dtype=np.uint64), 1000)
    assert np.count_nonzero(known) == 999

"""Signs of currencies stand beside their numbers, whatever the trees say; nothing else moves."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar import Tree, Treebank
from induction import Corpus
from induction.trees.signs import with_signs_beside_numbers
from sampling.sentences.method import GrammarSampler

SISTERS = "(S (NP ($ $) (CD 5)) (VP (VBD fell)))"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SISTERS, SISTERS),
        ("(S (A (B ($ $))) (C (CD 5) (D x)))", "(S (C ($ $) (CD 5) (D x)))"),
        ("(S (A (B x) ($ $)) (C (D (CD 5))))", "(S (A (B x)) (C (D ($ $) (CD 5))))"),
        ("(S (A (CD 5)) (C ($ €) (CD 6)) (D (X £)))", "(S (A (CD 5)) (C ($ €) (CD 6) (X £)))"),
        ("(S ($ $) (A (CD 5)) (B ($ $)) (C (CD 6)))", "(S (A ($ $) (CD 5)) (C ($ $) (CD 6)))"),
        ("(S (A $) (B five))", "(S (A $) (B five))"),
        ("(S (A $ x) (B 5 y))", "(S (A $ x) (B 5 y))"),
        ("(S (A (B 5)))", "(S (A (B 5)))"),
    ],
)
def test_signs_go_to_their_numbers(before, after):
    other = "(S (A x) (B ($ $)))"
    made = with_signs_beside_numbers(Treebank.parse(f"{other} {before} {other} (S (CD 5))"))
    assert [str(tree) for tree in made] == [other, after, other, "(S (CD 5))"]


LEAVES = st.sampled_from(["(T $)", "(T 5)", "(T €)", "(T x)", "(N 7)"])
INNER = st.recursive(
    LEAVES, lambda inner: st.lists(inner, min_size=1, max_size=3).map(" ".join).map("(A {})".format)
)
TREES = INNER.map("(S {})".format)


@given(st.lists(TREES, min_size=1, max_size=3))
def test_words_stay_and_each_sign_is_a_sister_of_a_number(texts):
    given_trees = Treebank.parse(" ".join(texts))
    made = with_signs_beside_numbers(given_trees)
    assert made.sentences() == given_trees.sentences()
    assert made == Treebank.parse(" ".join(str(tree) for tree in made))
    for tree in made:
        above = list(_above_tags(tree))
        words = tree.leaves()
        assert len(above) == len(words)
        for at, word in enumerate(words):
            if word in "$€":
                beside = [k for k in (at - 1, at + 1) if 0 <= k < len(words) and words[k] in "57"]
                assert not beside or any(above[k] is above[at] for k in beside)


def _above_tags(node: Tree) -> Iterator[Tree]:
    """Yield what is above the tag of each word."""
    for child in node:
        if isinstance(child[0], str):
            yield node
        else:
            yield from _above_tags(child)


def test_a_grammar_of_parted_trees_draws_no_sign_alone():
    trees = [
        f"(S (NP (NP ($ $)) (NP (CD {n}))) (VP (VBD {verb}) (NP (NN it))))"
        for n, verb in enumerate(["took", "gave", "had", "saw"], start=2)
    ]
    texts = [" ".join(Tree.parse(tree).leaves()) for tree in trees]
    corpus = Corpus.from_columns(text=texts, tree=trees)
    for text in GrammarSampler.induce(corpus, model="pcfg").sample(12).column("text"):
        assert not re.search(r"[$](?! ?\d)", text)

"""Head children of hand-made constituents, as the head rules of Collins (1999) have them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import trees

from grammar.treebank import Treebank
from induction.heads import COLLINS, head_children


def head_of(label: str, children: str) -> int:
    tree = f"({label} {' '.join(f'({child} w)' for child in children.split())})"
    return int(head_children(Treebank.parse(tree))[0])


NOUN_PHRASES = [
    ("DT JJ NN", 2),  # the last noun
    ("DT NN NN PP", 2),
    ("NNP NNP POS", 2),  # a possessive mark at the end
    ("NN JJR", 1),
    ("NP PP", 0),  # no noun: the leftmost noun phrase
    ("NP NP SBAR", 0),
    ("NP , NP ,", 0),
    ("$ CD", 0),  # then $, ADJP, PRN from the right
    ("ADJP CD PRN", 2),
    ("DT CD", 1),  # then a number
    ("CD CD", 1),
    ("DT JJ JJS", 2),  # then adjectives, adverbs and quantities from the right
    ("DT QP RB", 2),
    ("DT VBG", 1),  # the last resort is the last child
    ("PRP", 0),
    ("EX PP", 1),
]


@pytest.mark.parametrize("label", ["NP", "NX"])
@pytest.mark.parametrize(("children", "head"), NOUN_PHRASES)
def test_noun_phrases_have_rules_of_their_own(label, children, head):
    assert head_of(label, children) == head


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", "NP CC NP", 0),
        ("NP", "NN CC NN", 0),
        ("NP", "DT NN CC NN", 1),
        ("NP", "NNS , NNS CC NNS", 2),  # the conjunct just before the conjunction
        ("ADJP", "JJ CC JJ", 0),
        ("ADVP", "RB CC RB", 0),
        ("UCP", "ADJP CC NP", 0),
        ("VP", "VBD CC VBD", 0),
        ("PP", "IN CC IN", 0),
        ("NP", "CC NN", 1),  # nothing stands before this conjunction
        ("CONJP", "RB CC", 1),
    ],
)
def test_in_a_coordination_the_conjunct_before_the_conjunction_is_the_head(label, children, head):
    assert head_of(label, children) == head


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("VP", "MD VP", 0),
        ("VP", "TO VP", 0),
        ("VP", "VBD NP PP", 0),
        ("VP", "ADVP VBN PP", 1),
        ("VP", "VBZ VBD", 1),  # priority goes before side
        ("VP", "ADVP VP", 1),
        ("VP", "ADVP ADJP NP", 1),
        ("VP", "RB PP", 0),
        ("PP", "IN NP", 0),
        ("PP", "ADVP IN NP", 1),
        ("PP", "VBG TO NP", 1),
        ("PP", "IN IN NP", 1),  # searched from the right
        ("PP", "ADVP NP", 1),
        ("SBAR", "IN S", 0),
        ("SBAR", "WHNP S", 0),
        ("SBAR", "RB IN S", 1),
        ("SBAR", "S", 0),
        ("SBAR", "X SBAR", 1),
        ("QP", "CD CD", 0),
        ("QP", "RB IN CD", 1),
        ("QP", "$ CD CD", 0),
        ("QP", "JJR IN CD", 1),
        ("QP", "DT RB", 1),
        ("S", "NP VP .", 1),
        ("S", "NP ADJP", 1),
        ("S", "S CC S", 0),
        ("S", "TO VP", 0),
        ("SINV", "VP VBZ NP", 1),
        ("SQ", "MD NP VP", 0),
        ("SBARQ", "WHNP SQ .", 1),
        ("ADJP", "RB JJ", 1),
        ("ADJP", "JJ NNS", 1),
        ("ADVP", "RB PP", 0),
        ("ADVP", "IN RB", 1),
        ("WHNP", "WDT NN", 0),
        ("WHNP", "NN WP$", 1),
        ("WHPP", "IN WHNP", 0),
        ("WHADVP", "WRB RB", 0),
        ("PRT", "RB RP", 1),
        ("LST", "LS :", 0),
        ("NAC", "DT NNP NN", 2),
        ("FRAG", "NP PP .", 2),
        ("INTJ", "UH NP", 0),
        ("PRN", ", S ,", 0),
        ("RRC", "ADVP PP", 0),
        ("CONJP", "RB RB IN", 1),
    ],
)
def test_the_table_gives_the_head_of_other_constituents(label, children, head):
    assert head_of(label, children) == head


@pytest.mark.parametrize("label", ["X", "TOP", "NPX", "vp"])
def test_an_unknown_label_takes_its_first_child(label):
    assert head_of(label, "DT NN VBD") == 0


@pytest.mark.parametrize("label", ["NP-SBJ", "NP-SBJ-1", "NP=2", "NP^<S>", "NP-TMP^<S-ROOT>"])
def test_labels_are_read_without_function_tags_and_parent_annotation(label):
    assert head_of(label, "DT NN-HL") == 1
    assert head_of("S", f"{label} VP^<S>") == 1


def test_words_get_minus_one_and_preterminals_their_word():
    treebank = Treebank.parse("(S (NP (PRP we)) (VP (VBD slept)))")
    assert head_children(treebank).tolist() == [1, 0, 0, -1, 0, 0, -1]


def test_a_word_that_is_spelt_like_a_label_is_no_head():
    treebank = Treebank.parse("(NP (NN cat) NN CC (X y))")
    assert head_children(treebank)[0] == 0


def test_the_empty_treebank_has_no_heads():
    assert head_children(Treebank.parse("")).tolist() == []


def test_another_table_may_be_given():
    table = {"NN": ("right", ""), "VP": ("right", "NP VB")}
    treebank = Treebank.parse("(VP (VB eat) (NP (DT a) (NN b)) (PP (IN c)))")
    assert head_children(treebank, table)[0] == 1
    assert head_children(treebank, COLLINS)[0] == 0


labels = st.sampled_from([*COLLINS, "NP", "NX", "CC", "NN", "VB", "-LRB-", "X", "$", ","])


@given(given_trees=st.lists(trees(labels=labels, words=labels), max_size=3))
@settings(max_examples=60, deadline=None)
def test_every_head_is_a_child(given_trees):
    treebank = Treebank.from_trees(given_trees)
    nodes = [node for tree in given_trees for node in tree.nodes()]
    heads = head_children(treebank)
    assert (heads[treebank.is_word] == -1).all()
    inner = heads[~treebank.is_word].tolist()
    assert all(0 <= h < len(n.children) for h, n in zip(inner, nodes, strict=True))

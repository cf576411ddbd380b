"""Head children of hand-made constituents, as the head rules of Collins (1999) have them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import NotationError, OptionError, UnreadableInputError
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.trees.dependencies import dependencies
from induction.trees.heads import (
    COLLINS,
    head_children,
    head_words,
    parse_head_rules,
    read_head_rules,
)
from tests.grammar.strategies import trees


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
        ("NP", "NNS , CC NNS", 0),  # punctuation is no conjunct
        ("NP", "NNS , NNS , CC `` NNS ''", 2),
        ("NP", ", CC NN", 2),
        ("NP", "NN , NN", 2),  # a comma alone coordinates nothing
        ("UCP", "ADJP , CC NP .", 0),
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
        ("FRAG", "NP PP .", 1),  # the last resort is no punctuation
        ("FRAG", "NP : ''", 0),
        ("INTJ", "UH NP", 0),
        ("PRN", ", S ,", 1),
        ("PRN", "-LRB- NP -RRB-", 1),
        ("PRN", ": NP PP :", 1),
        ("PRN", "-LRB- , -RRB-", 0),  # unless there is nothing else
        ("FRAG", ": .", 1),
        ("X", "`` X ''", 1),
        ("LST", "-LRB- :", 1),  # a rule may name punctuation
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


@pytest.mark.parametrize(
    ("tree", "head"),
    [
        ("(SBAR (WHNP (-NONE- 0)) (S (VP (VB go))))", 1),  # a trace has no priority
        ("(S (NP-SBJ (-NONE- *)) (NP-PRD (NN cat)))", 1),
        ("(X (-NONE- *) (, ,))", 1),  # even punctuation is a word
        ("(NP (NN cat) (CC and) (-NONE- *) (NN dog))", 0),
        ("(NP (-NONE- *) (CC and) (NN dog))", 2),
        ("(S (NP (-NONE- *)) (X (-NONE- *)))", 0),  # unless there is nothing else
        ("(X (, (-NONE- *)) (Y y))", 1),
        ("(X -NONE- (Y y))", 0),  # a word without a label of its own is a word
        ("(X , (Y y))", 0),
    ],
)
def test_a_trace_is_a_head_only_where_there_is_nothing_else(tree, head):
    assert head_children(Treebank.parse(tree))[0] == head


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


labels = st.sampled_from([*COLLINS, "NP", "NX", "CC", "NN", "VB", "-LRB-", "X", "$", ",", "-NONE-"])


@given(given_trees=st.lists(trees(labels=labels, words=labels), max_size=3))
@settings(max_examples=60, deadline=None)
def test_every_head_is_a_child(given_trees):
    treebank = Treebank.from_trees(given_trees)
    nodes = [node for tree in given_trees for node in tree.nodes()]
    heads = head_children(treebank)
    assert (heads[treebank.is_word] == -1).all()
    inner = heads[~treebank.is_word].tolist()
    assert all(0 <= h < len(n.children) for h, n in zip(inner, nodes, strict=True))


def slow_head_word(tree, position):
    """The leaf that the first heads lead to, by walking down; numbered among all nodes."""
    head = int(head_children(Treebank.from_trees([tree]))[0])
    position += 1 + sum(size_of(child) for child in tree.children[:head])
    child = tree.children[head]
    return position if isinstance(child, str) else slow_head_word(child, position)


def size_of(child):
    return 1 if isinstance(child, str) else 1 + sum(map(size_of, child.children))


phrases = st.sampled_from(["S", "NP", "VP", "PP", "X", "CC", "NN"])


@given(tree=trees(labels=phrases, words=st.just("w")))
@settings(max_examples=60)
def test_the_head_word_is_where_the_head_children_lead(tree):
    assert head_words(Treebank.from_trees([tree]))[0] == slow_head_word(tree, 0)


def test_a_joined_label_has_the_head_of_its_lowest_part_and_is_chosen_by_its_uppermost():
    assert head_of("S+VP", "ADVP VBZ NP") == head_of("VP", "ADVP VBZ NP") == 1
    assert head_of("SBAR", "ADVP S+VP") == head_of("SBAR", "ADVP S") == 1
    assert head_of("VP", "ADVP S+VP") == 0  # what is a sentence above is no verb phrase


def test_rules_are_read_without_regard_to_case():
    table = parse_head_rules(
        "% Negra\nS  right-to-left VVFIN vmfin % verbs\n\nnp LEFT-TO-RIGHT NN\n"
    )
    treebank = Treebank.parse("(s (NE a) (vvfin b) (NE c)) (NP (ART a) (NN b) (NN c))")
    heads = head_children(treebank, table)
    assert [int(heads[i]) for i in treebank.offsets[:-1]] == [1, 1]


def test_the_rules_of_a_label_are_tried_in_order():
    table = parse_head_rules("PP left-to-right APPR\nPP right-to-left NN\n")
    assert head_children(Treebank.parse("(PP (NN a) (APPR b) (NN c))"), table)[0] == 1
    assert head_children(Treebank.parse("(PP (NN a) (X b) (NN c))"), table)[0] == 2


def test_without_a_match_the_first_direction_tells_the_end():
    table = parse_head_rules("PP right-to-left NN")
    assert head_children(Treebank.parse("(PP (A a) (B b))"), table)[0] == 1


@pytest.mark.parametrize("line", ["NP", "NP sideways NN", "NP NN left-to-right"])
def test_a_malformed_line_is_told_with_its_place(tmp_path, line):
    path = tmp_path / "heads.txt"
    path.write_text(f"% rules\nS left-to-right NP\n{line}\n")
    with pytest.raises(NotationError, match=r"heads\.txt:3: the head rule of NP has no direction"):
        read_head_rules(path)


def test_a_file_without_rules_or_no_file_is_told(tmp_path):
    (tmp_path / "none.txt").write_text("% nothing\n")
    with pytest.raises(NotationError, match="no head rules"):
        read_head_rules(tmp_path / "none.txt")
    with pytest.raises(UnreadableInputError):
        read_head_rules(tmp_path / "absent.txt")


def test_strict_names_the_label_without_a_rule():
    treebank = Treebank.parse("(S (NP a) (VP b)) (S (ZZ (NN a) (NN b)) (VP c))")
    with pytest.raises(OptionError, match="tree 2: the label ZZ has no head rule"):
        head_children(treebank, strict=True)
    alone = Treebank.parse("(S (ZZ (NN a)) (VP c))")  # a single child leaves no choice
    assert head_children(alone, strict=True)[0] == 1


def slow_dependencies(tree):
    """Heads and relations by one plain recursion."""
    heads, relations = [], []

    def visit(node):
        """Return the word and its highest label."""
        if isinstance(node, str):
            heads.append(0)
            relations.append("root")
            return len(heads)
        below = [visit(child) for child in node.children]
        head = int(head_children(Treebank.from_trees([node]))[0])
        for child, word in zip(node.children, below, strict=True):
            if word != below[head]:
                heads[word - 1] = below[head]
                own = "_" if isinstance(child, str) else child.label
                relations[word - 1] = f"{node.label}:{own}"
        return below[head]

    visit(tree)
    return heads, relations


@given(given_trees=st.lists(trees(labels=phrases, words=st.sampled_from("vw")), max_size=3))
@settings(max_examples=60)
def test_dependencies_are_those_of_a_plain_recursion(given_trees):
    found = dependencies(Treebank.from_trees(given_trees))
    expected = [slow_dependencies(tree) for tree in given_trees]
    assert found.column("heads") == [heads for heads, _ in expected]
    assert found.column("deprels") == [relations for _, relations in expected]
    assert found.column("text") == [" ".join(tree.leaves()) for tree in given_trees]
    for heads in found.column("heads"):
        assert heads.count(0) == 1


def test_dependencies_are_between_words_without_traces():
    raw = "(S (NP-SBJ (-NONE- *)) (VP (VB go) (SBAR (-NONE- 0) (S (VP (VB see))))))"
    found = dependencies(Treebank.parse(f"{raw} (X (-NONE- *))"))
    assert found.column("tokens") == [["go", "see"]]
    assert found.column("heads") == [[0, 1]]


def test_dependencies_of_one_tree_and_with_strict():
    found = dependencies(Tree.parse("(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN film))) (. .))"))
    assert found.column("heads") == [[2, 0, 4, 2, 2]]
    assert found.column("deprels") == [["S:NP", "root", "NP:DT", "VP:NP", "S:."]]
    with pytest.raises(OptionError, match="ZZ"):
        dependencies(Tree.parse("(ZZ (A a) (B b))"), strict=True)

"""Hits: columns, counts, samples, pictures, and trees of their own."""

from __future__ import annotations

import re

import numpy as np
import pytest

from grammar.errors import OptionError
from grammar.trees.treebank import Treebank
from induction import induce_pcfg

BANK = Treebank.parse(
    "(S (NP (PRP we)) (VP (VBD saw) (NP (DT the) (NN cat))))"
    "(S (NP (DT the) (NN cat)) (VP (VBD ran)))"
    "(FRAG (NP (NN silence)))"
)


def test_columns() -> None:
    hits = BANK.search("S < (NP=n $.. VP=v)")
    assert hits.to_arrow().to_pylist()[1] == {
        "tree": 1, "node": 0, "label": "S", "words": "the cat ran",
        "n": 1, "n.label": "NP", "n.words": "the cat", "v": 6, "v.label": "VP", "v.words": "ran",
    }  # fmt: skip
    assert hits.facts() == {
        "pattern": "S < (NP=n $.. VP=v)", "hits": 2, "nodes": 2, "trees_with_hits": 2, "trees": 3,
    }  # fmt: skip
    assert str(hits[1]) == "(S (NP (DT the) (NN cat)) (VP (VBD ran)))"
    assert [tree.label for tree in hits] == ["S", "S"]


def test_a_name_may_be_absent() -> None:
    hits = BANK.search("VP ?< NP=o")
    assert hits.words("o") == ["the cat", None]
    assert hits.to_arrow().column("o").to_pylist() == [7, None]
    assert hits.count(by="o.label")[None] == 1


def test_alternatives_are_one_list_of_hits() -> None:
    hits = BANK.search("NP < NN=x; NP < PRP=y; NP")
    assert hits.node.tolist() == [1, 1, 7, 7, 1, 1, 1, 1]
    assert hits.nodes == 4
    assert hits.words("y").count("we") == 1


def test_counts() -> None:
    hits = BANK.search("NP")
    counts = hits.count(by=["genre", "words"], of_trees={"genre": ["a", "a", "b"]})
    assert counts["a", "the cat"] == 2
    assert counts["b", "the cat"] == 0
    assert counts.table.column("per_1000_words").to_pylist()[0] == pytest.approx(2000 / 7)
    assert [row["hits"] for row in counts] == [2, 1, 1]
    assert repr(counts).splitlines()[1].split() == ["a", "the", "cat", "2", "2", "285.714"]
    assert "<th>genre</th>" in counts._repr_html_()


@pytest.mark.parametrize(
    ("by", "trees", "hint"),
    [
        ("genre", {}, "label, words, n.label, n.words"),
        ("m.label", {}, "n.label"),
        ("genre", {"genre": ["a"]}, "one value for each tree"),
    ],
)
def test_what_cannot_be_counted(by: str, trees: dict[str, list[str]], hint: str) -> None:
    with pytest.raises(OptionError) as caught:
        BANK.search("NP=n").count(by=by, of_trees=trees)
    assert hint in (caught.value.hint or "")


def test_samples_depend_on_the_seed_alone() -> None:
    hits = BANK.search("*")
    assert hits.sample(5, seed=1).head.tolist() == hits.sample(5, seed=1).head.tolist()
    assert hits.sample(5, seed=1).head.tolist() != hits.sample(5, seed=2).head.tolist()
    assert set(hits.sample(4).head) <= set(hits.sample(5).head)
    assert len(hits.sample(1000)) == len(hits)
    with pytest.raises(OptionError):
        hits.sample(-1)


def test_hits_become_treebanks_and_grammars() -> None:
    hits = BANK.search("NP=n < NN")
    assert [str(tree) for tree in hits.to_treebank()] == [
        "(NP (DT the) (NN cat))", "(NP (DT the) (NN cat))", "(NP (NN silence))",
    ]  # fmt: skip
    assert len(hits.trees()) == 3
    grammar = induce_pcfg(hits)
    rules = {str(rule.rhs[0]): rule.weight for rule in grammar.productions("NP")}
    assert rules["DT"] == pytest.approx(2 / 3)
    with pytest.raises(OptionError, match="no node of the pattern is named m"):
        hits.to_treebank("m")


def test_a_word_is_no_tree() -> None:
    hits = BANK.search("cat")
    assert len(hits.to_treebank()) == 0
    with pytest.raises(OptionError, match="is a word"):
        hits[0]


def test_the_picture_marks_the_hit_and_the_names() -> None:
    svg = BANK.search("VP < NP=o").show().svg()
    marked = re.findall(r'fill="(#\w+)" font-weight="bold"[^>]*>(VP|NP)<', svg)
    assert marked[1:] == [("#c2410c", "VP"), ("#2f6ba8", "NP")]
    assert marked[0][0] not in ("#c2410c", "#2f6ba8")
    assert BANK.search("NP")._repr_svg_()
    assert BANK.search("QP")._repr_svg_() is None
    with pytest.raises(OptionError, match="no hit to draw"):
        BANK.search("QP").show()


def test_labels_of_a_tree_lead_elsewhere_in_a_page() -> None:
    hits = BANK.search("VP < NP")
    tree = int(hits.tree[0])
    nodes = int(np.diff(BANK.offsets)[tree])
    links = ["", *(f"?node={node}&a=<" for node in range(1, nodes))]
    svg = hits.show_tree(tree, links).svg()
    assert 'role="group"' in svg
    assert svg.count("<a href=") == nodes - 1
    assert '<a href="?node=1&amp;a=&lt;">' in svg
    assert 'role="img"' in hits.show_tree(tree).svg()
    assert "#c2410c" in hits.show_tree(tree).svg()
    assert "#c2410c" not in BANK.search("QP").show_tree(0).svg()
    with pytest.raises(OptionError, match="no tree"):
        hits.show_tree(len(BANK))


def test_nothing_is_found_in_nothing() -> None:
    empty = Treebank.from_trees([])
    assert len(empty.search("NP=n")) == 0
    assert empty.search("NP=n").to_arrow().num_rows == 0
    assert np.array_equal(empty.search("NP").tree, [])


def test_a_saved_treebank_is_searched_as_it_is_mapped(tmp_path) -> None:
    BANK.save(tmp_path / "bank.arrow")
    loaded = Treebank.load(tmp_path / "bank.arrow")
    assert loaded.search("NP=n < NN").head.tolist() == BANK.search("NP=n < NN").head.tolist()

"""Treebank columns against trees, brackets against NLTK, faults by line and column."""

from __future__ import annotations

import gzip
import io
import sys

import nltk
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import BracketError, SchemaError, UnreadableInputError
from grammar.messages import heard_by
from grammar.trees.symbols import SymbolTable
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from tests.grammar.strategies import trees

forests = st.lists(trees(max_leaves=5), max_size=4)
THREE = Treebank.parse("(A a) (B (C b) c) (D d)")


# --- columns and trees ------------------------------------------------------------------------


@given(forests)
def test_columns_hold_the_trees_they_were_made_of(forest):
    treebank = Treebank.from_trees(forest)
    assert list(treebank) == forest
    assert len(treebank) == len(forest)


@given(forests)
def test_columns_are_what_the_docstring_says(forest):
    treebank = Treebank.from_trees(forest)
    expected = []
    for tree in forest:
        _preorder(tree, expected)
    names = [treebank.symbols[i] for i in treebank.label]
    assert list(zip(names, treebank.size.tolist(), strict=True)) == expected
    assert [c.dtype for c in (treebank.label, treebank.size, treebank.offsets)] == [
        np.int32, np.int32, np.int64,
    ]  # fmt: skip


@given(forests)
def test_sentences_texts_and_lengths_are_those_of_the_trees(forest):
    treebank = Treebank.from_trees(forest)
    words = [tree.leaves() for tree in forest]
    assert treebank.sentences() == words
    assert treebank.texts().to_pylist() == [" ".join(sentence) for sentence in words]
    assert treebank.lengths.tolist() == [len(sentence) for sentence in words]
    assert treebank.word_count == sum(map(len, words))


@given(forests)
def test_brackets_are_the_text_of_the_trees(forest):
    assert Treebank.from_trees(forest).brackets().to_pylist() == [str(tree) for tree in forest]


@given(forests)
def test_parents_are_the_nodes_above(forest):
    treebank = Treebank.from_trees(forest)
    expected = []
    for tree in forest:
        _parents(tree, -1, expected)
    assert treebank.parent.tolist() == expected


@given(forests, st.randoms(use_true_random=False))
def test_brackets_read_back_whatever_space_stands_between(forest, random):
    spaces = [" ", "\n", "\t", "\r\n", "\v", "\f", " \n\n  "]
    text = "".join(random.choice(spaces) + str(tree) for tree in forest) + random.choice(spaces)
    loose = text.replace(" ", " \r\n\t ").replace("(", " ( ").replace(")", " ) ")
    assert list(Treebank.parse(text)) == forest
    assert Treebank.parse(loose) == Treebank.from_trees(forest)
    assert Treebank.parse("".join(map(str, forest)).encode()) == Treebank.from_trees(forest)


@given(forests, st.data())
def test_take_is_indexing_by_a_list(forest, data):
    treebank = Treebank.from_trees(forest)
    place = st.integers(-len(forest), max(len(forest) - 1, 0))
    chosen = data.draw(st.lists(place, max_size=6 if forest else 0))
    taken = treebank.take(chosen)
    assert list(taken) == [forest[i] for i in chosen]
    assert list(treebank.take(np.array(chosen, np.int32))) == list(taken)


@given(forests, st.data())
def test_take_accepts_a_mask(forest, data):
    mask = data.draw(st.lists(st.booleans(), min_size=len(forest), max_size=len(forest)))
    taken = Treebank.from_trees(forest).take(np.array(mask, np.bool_))
    assert list(taken) == [tree for tree, keep in zip(forest, mask, strict=True) if keep]


@given(forests, st.slices(5))
def test_slices_are_slices_of_the_list(forest, part):
    assert list(Treebank.from_trees(forest)[part]) == forest[part]


@pytest.mark.parametrize("index", [3, -4])
def test_an_index_past_the_end_is_an_index_error(index):
    with pytest.raises(IndexError):
        THREE[index]
    with pytest.raises(IndexError):
        THREE.take([index])


@given(st.lists(forests, max_size=4))
def test_concatenate_joins_in_order(parts):
    joined = Treebank.concatenate([Treebank.from_trees(part) for part in parts])
    assert list(joined) == [tree for part in parts for tree in part]


def test_concatenate_keeps_names_apart_whose_numbers_agree():
    joined = Treebank.concatenate([Treebank.parse("(A x)"), Treebank.parse("(x A)")])
    assert [str(tree) for tree in joined] == ["(A x)", "(x A)"]


@given(forests)
def test_joined_slices_equal_the_whole(forest):
    treebank = Treebank.from_trees(forest)
    assert Treebank.concatenate([treebank[:2], treebank[2:]]) == treebank


@pytest.mark.parametrize(
    "other",
    ["(A a) (B (C b) c)", "(A a) (B (C b) c) (D e)", "(A a) (B (C b c)) (D d)", "(A a) (B b)(C c)"],
)
def test_treebanks_of_other_trees_are_not_equal(other):
    assert Treebank.parse(other) != THREE


def test_equality_sees_names_rather_than_numbers_and_every_character():
    assert Treebank.parse("(B b) (A a)")[::-1] == Treebank.parse("(A a) (B b)")
    assert Treebank.parse("(A a)") != Treebank.parse("(A a\x00)")
    assert THREE != "a treebank"


def test_keep_nodes_moves_children_up_and_drops_empty_trees():
    treebank = Treebank.parse("(S (X (NP a) b) (Y c)) (Z d) (S (NP e))")
    names = np.array([treebank.symbols[i] for i in treebank.label])
    tree = np.repeat(np.arange(3), np.diff(treebank.offsets))
    kept = treebank.keep_nodes((tree != 1) & (names != "X"))
    assert [str(t) for t in kept] == ["(S (NP a) b (Y c))", "(S (NP e))"]


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_keep_nodes_drops_a_tree_wherever_it_stands(gone):
    tree = np.repeat(np.arange(3), np.diff(THREE.offsets))
    kept = THREE.keep_nodes(tree != gone)
    assert list(kept) == [t for i, t in enumerate(THREE) if i != gone]


def test_relabel_changes_names_and_keeps_shapes():
    renamed = THREE.relabel(np.zeros_like(THREE.label), SymbolTable(["x"]))
    assert [str(tree) for tree in renamed] == ["(x x)", "(x (x x) x)", "(x x)"]
    assert THREE[0] == Tree("A", ("a",))


def test_only_trees_make_a_treebank():
    with pytest.raises(BracketError, match="'word' is not a Tree"):
        Treebank.from_trees([Tree("A", ("a",)), "word"])


def test_the_empty_treebank_is_a_treebank():
    empty = Treebank.parse("")
    assert list(empty) == empty.sentences() == empty.brackets().to_pylist() == []
    assert empty.parent.tolist() == empty.lengths.tolist() == []
    assert empty == Treebank.from_trees([]) == THREE[:0] == Treebank.concatenate([])


# --- brackets ---------------------------------------------------------------------------------


def test_the_penn_treebank_sample_reads_as_nltk_reads_it(nltk_treebank_text):
    # around each tree of the sample stands a bracket with an empty label
    theirs = [Tree.from_nltk(t[0]) for t in nltk.Tree.fromstring(f"(ALL {nltk_treebank_text})")]
    ours = Treebank.parse(nltk_treebank_text)
    assert len(ours) == 3914
    assert list(ours) == theirs
    assert ours.brackets().to_pylist() == [str(tree) for tree in theirs]
    assert ours.texts().to_pylist() == [" ".join(tree.leaves()) for tree in theirs]


@pytest.mark.parametrize(
    ("text", "trees_read"),
    [
        ("(S a)(S b)", ["(S a)", "(S b)"]),
        ("((S a))", ["(S a)"]),
        ("( (S a) )\n( (S b) )", ["(S a)", "(S b)"]),
        ("(\n\n(S a) )", ["(S a)"]),
        ("(S\n  (NP a)\n\n  b\n)", ["(S (NP a) b)"]),
        ("(A(B b)c(D d)e)", ["(A (B b) c (D d) e)"]),
        ("( (S a) (S b) )", ["(TOP (S a) (S b))"]),
        ("( (S a) , )", ["(TOP (S a) ,)"]),
        ("(S a) ( (S b) (S c) ) ( (S d) )", ["(S a)", "(TOP (S b) (S c))", "(S d)"]),
        ("# (S a)\n  ; (\n\t*)*\n(S #)\n#", ["(S #)"]),
        ("(S\n# a\n; b)", ["(S # a ; b)"]),
        ("(S a\u00a0b\u2028\u0085)", ["(S a\u00a0b\u2028\u0085)"]),
        ("(TOP (S a))", ["(TOP (S a))"]),
    ],
)
def test_brackets_may_be_laid_out_and_wrapped_in_many_ways(text, trees_read):
    assert Treebank.parse(text).brackets().to_pylist() == trees_read


MALFORMED = [
    ("(S a", "1:1", "never closed"),
    ("(S a) (S (NP a)", "1:7", "never closed"),
    ("(S a)\n(", "2:1", "never closed"),
    ("(S a)\n\n  (S\n  (NP a)\n", "3:3", "never closed"),
    (")", "1:1", "closing bracket without"),
    ("(S a))", "1:6", "closing bracket without"),
    ("(S a)\n\n )", "3:2", "closing bracket without"),
    ("()", "1:1", "empty bracket"),
    ("( )", "1:1", "empty bracket"),
    ("(S a)\n( \n )", "2:1", "empty bracket"),
    ("(S)", "1:1", "empty bracket"),
    ("(S (NP) a)", "1:4", "empty bracket"),
    ("(S a ())", "1:6", "empty bracket"),
    ("(S\n\n (NP\n  ) a)", "3:2", "empty bracket"),
    ("(S ((NP a)))", "1:4", "without a label"),
    ("( ( (S a)))", "1:3", "without a label"),
    ("(S a\n  b\n  ( (NP c)))", "3:3", "without a label"),
    ("word", "1:1", "text outside"),
    ("(S a) word", "1:7", "text outside"),
    ("(S a) # no comment", "1:7", "text outside"),
    ("(S a)\n(S b)\nstray (S c)", "3:1", "text outside"),
    # columns count characters, not bytes
    ("(S é 漢字 𝒳))", "1:11", "closing bracket without"),
    ("(S é)\n(é 漢𝒳 ())", "2:7", "empty bracket"),
    ("# é\r\n(S a)\r\n é", "3:2", "text outside"),
]


@pytest.mark.parametrize(("text", "where", "what"), MALFORMED)
def test_a_fault_is_reported_where_it_is(text, where, what):
    with pytest.raises(BracketError, match=what) as caught:
        Treebank.parse(text, source="trees.mrg")
    assert caught.value.where == f"trees.mrg:{where}"
    assert caught.value.hint


@pytest.mark.parametrize(("text", "where", "what"), MALFORMED)
def test_a_fault_is_found_behind_many_good_trees_as_well(text, where, what):
    line, column = map(int, where.split(":"))
    # more names than the first name table has room for, and a tree in a wide wrapper
    good = "".join(f"(L{i} w{i})\n" for i in range(2000)) + "( (S a) (S b) )\n"
    with pytest.raises(BracketError, match=what) as caught:
        Treebank.parse(good + text)
    assert caught.value.where == f"<string>:{2001 + line}:{column}"


def test_names_beyond_the_first_table_are_kept_apart():
    forest = [Tree(f"L{i}", (f"w{j}", f"w{i}")) for i in range(70) for j in range(70)]
    forest += [Tree(f"l{i}", ("w",)) for i in range(5000)]
    assert Treebank.parse("\n".join(map(str, forest))) == Treebank.from_trees(forest)


@pytest.mark.parametrize("depth", [1, 255, 256, 257, 100_000])
def test_deep_trees_are_written_and_read(depth):
    text = "(A " * depth + "b" + ")" * depth
    treebank = Treebank.parse(text)
    assert treebank.brackets().to_pylist() == [text]
    assert treebank.size.tolist() == [*range(depth + 1, 1, -1), 1]


@given(st.text("() ab\n#", max_size=12))
def test_any_text_is_read_or_refused_with_a_position(text):
    try:
        treebank = Treebank.parse(text)
    except BracketError as error:
        line, column = map(int, error.where.split(":")[1:])
        assert 1 <= column <= len(text.split("\n")[line - 1])
    else:
        assert Treebank.parse("\n".join(treebank.brackets().to_pylist())) == treebank


def test_bytes_must_be_text():
    with pytest.raises(UnreadableInputError, match=r"x:2:4: byte 0xff is not utf-8 text"):
        Treebank.parse(b"(S a)\n(S \xff)", source="x")


# --- files ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["trees.mrg", "trees.mrg.gz"])
def test_written_brackets_read_back(tmp_path, name):
    THREE.write(tmp_path / name)
    assert Treebank.read(tmp_path / name) == THREE


def test_brackets_are_read_from_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"(S \xc3\xa9)")))
    assert Treebank.read("-").sentences() == [("é",)]


def test_other_encodings_are_named(tmp_path):
    path = tmp_path / "latin.mrg"
    path.write_bytes("(S é)".encode("latin-1"))
    assert Treebank.read(path, encoding="latin-1").sentences() == [("é",)]
    with pytest.raises(UnreadableInputError, match=r"latin.mrg:1:4"):
        Treebank.read(path)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    path = tmp_path / "notepad.mrg"
    path.write_bytes(b"\xef\xbb\xbf(S a)")
    assert Treebank.read(path).sentences() == [("a",)]


def test_a_fault_in_a_file_names_the_file(tmp_path):
    path = tmp_path / "bad.mrg.gz"
    path.write_bytes(gzip.compress(b"(S a)\n(S"))
    with pytest.raises(BracketError) as caught:
        Treebank.read(path)
    assert caught.value.where == f"{path}:2:1"


@given(forests)
def test_arrow_files_give_back_the_treebank(tmp_path_factory, forest):
    path = tmp_path_factory.mktemp("arrow") / "trees.arrow"
    treebank = Treebank.from_trees(forest)
    treebank.save(path)
    loaded = Treebank.load(path)
    assert loaded == treebank
    assert loaded.brackets() == treebank.brackets()
    assert list(loaded[::-1]) == forest[::-1]
    assert loaded.parent.tolist() == treebank.parent.tolist()


def test_a_slice_is_saved_alone(tmp_path):
    THREE[1:].save(tmp_path / "trees.arrow")
    assert list(Treebank.load(tmp_path / "trees.arrow")) == list(THREE)[1:]


def test_loaded_columns_are_mapped_rather_than_copied(tmp_path):
    THREE.save(tmp_path / "trees.arrow")
    before = pa.total_allocated_bytes()
    loaded = Treebank.load(tmp_path / "trees.arrow")
    assert not any(c.flags.owndata for c in (loaded.label, loaded.size, loaded.offsets))
    # only the names are made into Python strings
    assert pa.total_allocated_bytes() == before


def test_equal_treebanks_give_equal_files(tmp_path):
    for name in ("one", "two"):
        Treebank.parse("(A a) (B (C b) c) (D d)").save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


@pytest.mark.parametrize("left", [0, 1, 6, 100, -1, -10])
def test_a_truncated_file_is_not_a_treebank(tmp_path, left):
    path = tmp_path / "trees.arrow"
    THREE.save(path)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(SchemaError, match="not a treebank saved by this version"):
        Treebank.load(path)


@pytest.mark.parametrize("content", [b"(S a)", b"", b"ARROW1\x00\x00" + b"x" * 99 + b"ARROW1"])
def test_another_file_is_not_a_treebank(tmp_path, content):
    path = tmp_path / "trees.arrow"
    path.write_bytes(content)
    with pytest.raises(SchemaError, match="not a treebank saved by this version"):
        Treebank.load(path)


@pytest.mark.parametrize("schema", [None, b"treewright.treebank/0"])
def test_an_arrow_file_of_another_schema_is_not_a_treebank(tmp_path, schema):
    path = tmp_path / "trees.arrow"
    table = pa.table({"label": [[1]], "size": [[1]]})
    if schema:
        table = table.replace_schema_metadata({b"schema": schema})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(SchemaError, match="not a treebank saved by this version"):
        Treebank.load(path)


@pytest.mark.parametrize("load", [Treebank.load, Treebank.read])
def test_a_file_that_is_not_there_cannot_be_read(tmp_path, load):
    with pytest.raises(UnreadableInputError, match="No such file"):
        load(tmp_path / "absent")


@pytest.mark.parametrize("load", [Treebank.load, Treebank.read])
def test_a_folder_cannot_be_read(tmp_path, load):
    with pytest.raises(UnreadableInputError, match="cannot read the file"):
        load(tmp_path)


def _preorder(node: Tree | str, out: list[tuple[str, int]]) -> int:
    slot = len(out)
    out.append((node, 1))
    if isinstance(node, Tree):
        out[slot] = (node.label, 1 + sum(_preorder(child, out) for child in node.children))
    return out[slot][1]


def _parents(node: Tree | str, parent: int, out: list[int]) -> None:
    slot = len(out)
    out.append(parent)
    if isinstance(node, Tree):
        for child in node.children:
            _parents(child, slot, out)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("( (S (NP a) (VP b)) (S (NP c) (VP d)) )", "a bracket without a label holds several"),
        ("((S (NP a) (VP b)) (FRAG (NP c)) (. .)) " * 2, "2 brackets without a label hold several"),
        ("( (S (NP a) (VP b)) (. .) )", ""),
        ("( (`` ``) (S (NP a) (VP b)) ('' '') )", ""),
        ("( (S (NP a) (VP b)) ) ( (S (NP c) (VP d)) )", ""),
        ("(TOP (S (NP a) (VP b)) (S (NP c) (VP d)))", ""),
    ],
)
def test_several_trees_in_a_bracket_are_told(text, told):
    said = []
    with heard_by(said.append):
        Treebank.parse(text, source="a.mrg")
    assert len(said) == bool(told)
    assert not told or said[0].startswith(f"a.mrg: {told}")

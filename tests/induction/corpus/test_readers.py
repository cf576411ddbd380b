"""Treebanks by name: the embedded one, files and folders, NLTK's corpora; and every way to fail."""

from __future__ import annotations

import gzip
import io
import json
import sys
import warnings

import nltk
import pytest

from grammar.errors import (
    BracketError,
    CorpusError,
    EmptyTreebankError,
    MissingDataError,
    OptionError,
    SchemaError,
    UnreadableInputError,
)
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.corpus.formats import read_corpus, read_sst
from induction.corpus.readers import read_reviews, read_treebank
from induction.corpus.text.tokens import plain_brackets
from induction.corpus.tree_variables import read_tree_variables

BRACKETS = "(S (NP (PRP We)) (VP (VBD slept)))\n( (S (VP (VB Go)) (. !)) )\n"
SENTENCES = [("We", "slept"), ("Go", "!")]


def in_nltk(name: str) -> None:
    """Skip where NLTK lacks the corpus."""
    for candidate in (f"corpora/{name}", f"corpora/{name}.zip"):
        try:
            nltk.data.find(candidate)
            return
        except LookupError:
            continue
    pytest.skip(f"NLTK has no {name} here (NLTK_DATA)")


# --- the embedded treebank ---------------------------------------------------------------------


def test_the_embedded_treebank_is_the_default_and_the_trees_of_the_reviews():
    reviews = read_reviews()
    treebank = read_treebank()
    assert treebank == read_treebank("embedded")
    assert [str(tree) for tree in treebank] == reviews.column("tree")
    assert [plain_brackets(text) for text in treebank.texts().to_pylist()] == reviews.column("text")
    assert not any("-LRB-" in text for text in reviews.column("text"))
    assert set(reviews.column("label")) == {0, 1}
    assert len(set(reviews.column("id"))) == len(reviews)


# --- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["trees.mrg", "trees.txt", "trees.of.any.name", "trees"])
def test_a_file_of_brackets_is_read_whatever_its_name(tmp_path, name):
    (tmp_path / name).write_text(BRACKETS, encoding="utf-8")
    assert read_treebank(tmp_path / name).sentences() == SENTENCES
    assert read_treebank(str(tmp_path / name)).sentences() == SENTENCES


def test_a_zipped_file_is_unzipped(tmp_path):
    (tmp_path / "trees.mrg.gz").write_bytes(gzip.compress(BRACKETS.encode()))
    assert read_treebank(tmp_path / "trees.mrg.gz").sentences() == SENTENCES


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_line_ends_do_not_matter(tmp_path, newline):
    (tmp_path / "trees.mrg").write_bytes(BRACKETS.replace("\n", newline).encode())
    assert read_treebank(tmp_path / "trees.mrg").sentences() == SENTENCES


def test_the_byte_order_mark_of_other_programs_is_no_tree(tmp_path):
    (tmp_path / "trees.mrg").write_bytes(b"\xef\xbb\xbf" + BRACKETS.encode())
    assert read_treebank(tmp_path / "trees.mrg").sentences() == SENTENCES


def test_a_saved_treebank_is_mapped_back(tmp_path):
    treebank = Treebank.parse(BRACKETS)
    treebank.save(tmp_path / "trees.arrow")
    assert read_treebank(tmp_path / "trees.arrow") == treebank


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BRACKETS.encode())))
    assert read_treebank("-").sentences() == SENTENCES


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "c.mrg").write_text("(S third)")
    (tmp_path / "b" / "x.psd").write_text("(S second)")
    (tmp_path / "a.tree").write_text("(S first)")
    (tmp_path / "d.mrg.gz").write_bytes(gzip.compress(b"(S fourth)"))
    (tmp_path / "README").write_text("these are no trees")
    (tmp_path / "notes.md").write_text("neither are these")
    (tmp_path / "e.mrg").mkdir()
    expected = [("first",), ("second",), ("third",), ("fourth",)]
    assert read_treebank(tmp_path).sentences() == expected


def test_an_encoding_may_be_named(tmp_path):
    (tmp_path / "trees.mrg").write_bytes("(S (NN café))".encode("latin-1"))
    assert read_treebank(tmp_path / "trees.mrg", encoding="latin-1").sentences() == [("café",)]


@pytest.mark.parametrize("encoding", ["nonsense", "rot13", "hex"])
def test_an_encoding_that_is_none_is_refused(tmp_path, encoding):
    (tmp_path / "trees.mrg").write_text("(S a)")
    with pytest.raises(OptionError, match=f"no text encoding '{encoding}'"):
        read_treebank(tmp_path / "trees.mrg", encoding=encoding)


# --- faults ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_a_file_without_trees_is_refused(tmp_path, text):
    (tmp_path / "trees.mrg").write_text(text)
    with pytest.raises(EmptyTreebankError, match=r"trees\.mrg: there are no trees here"):
        read_treebank(tmp_path / "trees.mrg")


def test_a_folder_without_trees_is_refused(tmp_path):
    with pytest.raises(EmptyTreebankError, match="there are no trees"):
        read_treebank(tmp_path)


def test_a_saved_treebank_without_trees_is_refused(tmp_path):
    Treebank.parse("").save(tmp_path / "none.arrow")
    with pytest.raises(EmptyTreebankError, match="there are no trees"):
        read_treebank(tmp_path / "none.arrow")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UnreadableInputError, match=r"nothing\.mrg: cannot read the file"):
        read_treebank(tmp_path / "nothing.mrg")


def test_a_file_that_is_cut_short_is_no_zip_file(tmp_path):
    (tmp_path / "a.mrg.gz").write_bytes(gzip.compress(BRACKETS.encode() * 9)[:-20])
    with pytest.raises(UnreadableInputError, match="not a complete gzip file"):
        read_treebank(tmp_path / "a.mrg.gz")


def test_an_arrow_file_of_something_else_is_no_treebank(tmp_path):
    (tmp_path / "a.arrow").write_bytes(b"something else")
    with pytest.raises(SchemaError, match="not a treebank"):
        read_treebank(tmp_path / "a.arrow")


@pytest.mark.parametrize(
    ("text", "place", "fault"),
    [
        ("(S a)\n(S (NP b)", "2:1", "never closed"),
        ("(S a)\n  (S b))", "2:8", "closing bracket without an opening one"),
        ("(S a)\n(S (NP))", "2:4", "empty bracket"),
        ("(S é ())", "1:6", "empty bracket"),
        ("(S a)\nnoise (S b)", "2:1", "text outside any bracket"),
        ("(S ((NP b) c))", "1:4", "without a label"),
    ],
)
def test_a_malformed_tree_is_located_by_file_line_and_column(tmp_path, text, place, fault):
    path = tmp_path / "bad.mrg"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BracketError, match=fault) as caught:
        read_treebank(path)
    assert caught.value.where == f"{path}:{place}"
    with pytest.raises(BracketError) as caught:
        read_treebank(tmp_path)  # the same in a folder
    assert caught.value.where == f"{path}:{place}"


def test_a_byte_that_is_not_text_is_located(tmp_path):
    path = tmp_path / "latin.mrg"
    path.write_bytes("(S a)\n(S (NN café))".encode("latin-1"))
    with pytest.raises(UnreadableInputError, match="byte 0xe9 is not utf-8 text") as caught:
        read_treebank(path)
    assert caught.value.where == f"{path}:2:11"


# --- NLTK --------------------------------------------------------------------------------------


def test_trees_of_nltk_know_their_files():
    in_nltk("treebank")
    treebank, variables = read_tree_variables("nltk:treebank")
    assert treebank == read_treebank("nltk:treebank")
    assert len(variables["file"]) == len(treebank)
    assert variables["file"].count("wsj_0001.mrg") == 2


def test_nltks_treebank_has_3914_trees_and_is_read_as_nltk_reads_it():
    in_nltk("treebank")
    treebank = read_treebank("nltk:treebank")
    assert (len(treebank), treebank.word_count) == (3_914, 100_676)
    parsed = nltk.corpus.treebank.parsed_sents()
    for number in (0, 1, 1000, 3913):
        assert treebank[number] == Tree.from_nltk(parsed[number])


# The readers of NLTK take most of the time, so each corpus is read once.
@pytest.mark.parametrize(
    ("name", "count", "flat"),
    [
        ("sinica_treebank", 10_000, False),
        ("cess_esp", 6_030, True),
        ("floresta", 9_266, True),
        ("alpino", 7_136, True),
    ],
)
def test_corpora_of_other_languages_are_read_with_what_nltk_makes_flat_said(name, count, flat):
    in_nltk(name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        treebank = read_treebank(f"nltk:{name}")
    said = [str(warning.message) for warning in caught if "flat" in str(warning.message)]
    assert len(treebank) == count
    assert len(said) == flat
    assert all(name in message for message in said)
    # what brackets hold can be written and read again
    some = treebank[::97]
    assert Treebank.parse("\n".join(some.brackets().to_pylist())).sentences() == [
        tuple(word.replace("(", "-LRB-").replace(")", "-RRB-") for word in words)
        for words in some.sentences()
    ]


@pytest.mark.parametrize("name", ["no_such_corpus", "", "reader", "__path__", "re"])
def test_an_unknown_corpus_is_refused_with_how_to_fetch_it(name):
    with pytest.raises(MissingDataError, match=f"NLTK has no corpus '{name}'") as caught:
        read_treebank(f"nltk:{name}")
    assert "treewright data get" in str(caught.value)


@pytest.mark.parametrize("name", ["stopwords", "brown", "conll2000"])
def test_a_corpus_without_trees_is_refused(name):
    in_nltk(name)
    with pytest.raises(MissingDataError, match="has no parsed sentences"):
        read_treebank(f"nltk:{name}")


def test_a_corpus_of_dependency_trees_is_refused():
    in_nltk("dependency_treebank")
    with pytest.raises(MissingDataError, match="dependency trees"):
        read_treebank("nltk:dependency_treebank")


# --- sentiment trees ---------------------------------------------------------------------------


def test_sentiment_trees_have_their_root_for_a_label(tmp_path):
    (tmp_path / "sst.txt").write_text("(3 (2 A) (4 (3 real) (2 gem)))\n(0 (1 Bad) (2 .))\n")
    corpus = read_sst(tmp_path / "sst.txt")
    assert corpus.column("text") == ["A real gem", "Bad ."]
    assert corpus.column("label") == [3, 0]
    assert corpus.column("tree")[1] == "(0 (1 Bad) (2 .))"


def test_a_tree_whose_root_is_no_class_is_numbered(tmp_path):
    (tmp_path / "sst.txt").write_text("(3 good)\n(S bad)\n")
    with pytest.raises(CorpusError, match=r"sst\.txt: the root label 'S' of tree 2"):
        read_sst(tmp_path / "sst.txt")


@pytest.mark.parametrize(("part", "count"), [("train", 8_544), ("dev", 1_101), ("test", 2_210)])
def test_the_stanford_sentiment_treebank_has_its_published_size(data_folder, part, count):
    corpus = read_sst(data_folder / "sst" / f"{part}.txt.gz")
    assert len(corpus) == count
    assert set(corpus.column("label")) == {0, 1, 2, 3, 4}
    assert corpus.column("tree")[0].startswith(f"({corpus.column('label')[0]} ")


@pytest.mark.parametrize(
    "rows",
    [
        [[None, 5], [1, 2]],
        [[None, "left"], ["Ann", "left"]],
        [[None, None, 1.5], [2.5]],
        [[None, {"b": "x"}], [{"b": "yy"}]],
    ],
)
def test_lists_that_begin_with_null_are_read_as_they_are(rows, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": "so", "seen": row}) + "\n" for row in rows))
    assert read_corpus(path).column("seen") == rows

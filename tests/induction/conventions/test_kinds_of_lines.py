"""What would be read as something else without a word: names, comments, tags, graphs, damage."""

from __future__ import annotations

import pytest

from grammar.errors import BracketError, CorpusError
from grammar.messages import heard_by
from grammar.trees.treebank import Treebank
from induction.corpus.treebanks.reading import trees_of_brackets
from tests.induction.conventions.given import read


def test_names_and_classes_before_texts_are_read_as_mallet_has_them(tmp_path):
    given = "".join(f"d{n}.txt {['en', 'de'][n % 2]} a fine day {n}\n" for n in range(6))
    rows, said = read(tmp_path, "a.txt", given)
    assert rows[1] == {"text": "a fine day 1", "label": "de", "name": "d1.txt"}
    assert "as Mallet has" in said[0]


def test_texts_that_begin_with_such_words_are_texts(tmp_path):
    given = "B2B is so\nB2B was so\nB2B is not\nB2B was not\n"  # a name comes again
    assert read(tmp_path, "a.txt", given)[0][0]["text"] == "B2B is so"
    given = "A1 was so\nA2 ran on\nA3 did it\nA4 had no\n"  # each class once
    assert read(tmp_path, "a.txt", given)[0][0]["text"] == "A1 was so"


def test_a_table_below_comments_is_no_text(tmp_path):
    given = "# SentiWordNet\n# POS\tID\tGloss\na\t00001\thaving means\na\t00002\tnot having\n"
    with pytest.raises(CorpusError, match="every line is parted by tabs, below its comments"):
        read(tmp_path, "a.txt", given)
    rows, _ = read(tmp_path, "b.txt", "#so it is\n#so\nwe slept\n")
    assert len(rows) == 3


def test_numbers_in_a_column_target_are_classes(tmp_path):
    given = "text,target\n" + "".join(f"It was {n},{n % 2}\n" for n in range(6))
    rows, said = read(tmp_path, "a.csv", given)
    assert (rows[1], said) == (
        {"text": "It was 1", "label": 1}, ["label is read from the column 'target'"],
    )  # fmt: skip
    rows, said = read(tmp_path, "b.csv", "text,target\njump,I_JUMP\nrun,I_RUN\n")
    assert (rows[0]["target"], said) == ("I_JUMP", [])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("good &amp; fine", "escapes of HTML, such as '&amp;'"),
        ("a cafÃ©", "'cafÃ©' are UTF-8 that was read as cp1252; 'café' is meant"),
        ("R&D is so; déjà vu", None),
        ("“So”", None),
    ],
)
def test_damage_is_told_and_nothing_is_changed(tmp_path, text, told):
    rows, said = read(tmp_path, "a.txt", f"{text}\nwe slept\n")
    assert rows[0]["text"] == text
    assert [told in one for one in said] == [True] * (told is not None)


def test_graphs_of_meaning_are_no_trees():
    with pytest.raises(BracketError, match="graphs of AMR"):
        trees_of_brackets("# ::snt We go\n(g / go-01\n   :ARG0 (w / we))\n", "a.txt")
    assert len(trees_of_brackets("(S (X a) (: /) (X b))", "a.txt")) == 1


def test_chunks_of_nltk_are_trees_with_tags():
    nltk = pytest.importorskip("nltk")
    chunked = nltk.Tree("S", [nltk.Tree("NP", ["the", "dog"]), "barks"])
    tagged = str(nltk.Tree("S", [nltk.Tree("NP", ["the/DT", "dog/NN"]), "barks/VBZ"]))
    said: list[str] = []
    with heard_by(said.append):
        (tree,) = trees_of_brackets(tagged, "a.txt")
    assert [*tree.leaves()] == chunked.leaves()
    assert "read as (DT the)" in said[0]
    for words in ("(S and/or it)", "(S (CD 1/2) (NN cup))", "(S a/b c/D)"):
        assert trees_of_brackets(words, "a.txt") == Treebank.parse(words)


def test_lines_without_a_tree_are_left_out():
    said: list[str] = []
    with heard_by(said.append):
        assert len(trees_of_brackets("(())\n(S (A a))\n( )\n", "a.mrg")) == 1
    assert "stand for no tree" in said[0]


def test_marks_with_text_between_are_no_trees():
    given = "<DOC>\n<DOCID> CTB1 </DOCID>\n<S ID=1>\n( (IP (NN a) (VV b)) )\n</S>\n</DOC>\n"
    assert [str(tree) for tree in trees_of_brackets(given, "a.fid")] == ["(IP (NN a) (VV b))"]

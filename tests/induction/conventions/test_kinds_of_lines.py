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


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("<START:person> Ann Lee <END> left .", "'<START:person> Ann Lee <END>'"),
        ("[PER Ann Lee ] left .", "'[PER Ann Lee ]'"),
        ("to [Rome](city) on time", "'[Rome](city)'"),
        ('to [Rome]{"entity": "city"}', "'[Rome]{"),
    ],
)
def test_marks_of_other_tools_are_told(tmp_path, text, mark):
    _, said = read(tmp_path, "a.txt", f"{text}\n")
    assert f"texts hold marks, such as {mark}" in said[0].replace("\\", "")


def test_links_and_references_are_no_marks(tmp_path):
    assert read(tmp_path, "a.txt", "see [this](http://a.b/c) [1] [A B] or [sic]\n")[1] == []


def test_comments_may_have_as_many_words_as_lines_have_columns(tmp_path):
    given = "# sent_id = 1\nAnn _ _ B-PER\nran _ _ O\n\n# sent_id = 2\n# _ _ O\nBo _ _ B-PER\n"
    rows, _ = read(tmp_path, "a.conll", given)
    assert [row["text"] for row in rows] == ["Ann ran", "# Bo"]
    given = "# text = Ann ran .\n" + "".join(
        f"{n}\t{word}\t{tag}\t-\tx\n"
        for n, (word, tag) in enumerate([("Ann", "B-PER"), ("ran", "O"), (".", "O")], start=1)
    )
    for name in ("a.iob2", "b.conll"):  # Universal NER
        rows, said = read(tmp_path, name, given)
        assert rows[0]["text"] == "Ann ran ."
        assert rows[0]["spans"] == [{"start": 0, "end": 3, "label": "PER"}]
        assert any("what stands behind the tags (annotators) is not kept" in told for told in said)


def test_lines_of_vowpal_wabbit_are_refused(tmp_path):
    with pytest.raises(CorpusError, match="Vowpal Wabbit"):
        read(tmp_path, "a.txt", "1 |text so good\n-1 |text so bad\n")
    rows, _ = read(tmp_path, "b.txt", "so good it is | 1\nso bad it is | 2\nso so it is | 1\n")
    assert rows[0] == {"text": "so good it is", "label": 1}


def test_questions_above_times_are_names_of_columns(tmp_path):
    given = "Timestamp,What did you think of it?,Rating\n" + "".join(
        f"2024/05/0{n} 10:1{n},It was so {n},{n % 2}\n" for n in range(1, 5)
    )
    rows, said = read(tmp_path, "a.csv", given.replace("Rating", "Would you come?"))
    assert (len(rows), rows[0]["text"]) == (4, "It was so 1")
    assert "text is read from the column 'What did you think of it?'" in said


def test_ids_are_not_proposed_as_classes(tmp_path):
    given = "HITId,text,Answer.sentiment\n" + "".join(
        f"A{n // 2},it is so {n},{'good' if n % 2 else 'bad'}\n" for n in range(6)
    )
    said = read(tmp_path, "a.csv", given)[1]
    assert "'Answer.sentiment' has 2 different values: --label Answer.sentiment reads" in said[0]
    said = read(tmp_path, "b.csv", given.replace("Answer.sentiment", "user_id"))[1]
    assert said == []


def test_truths_for_each_class_are_told_and_sets(tmp_path):
    given = "text,toxic,insult\nyou fool,TRUE,TRUE\nso it is,FALSE,FALSE\nrubbish,TRUE,FALSE\n"
    said = read(tmp_path, "a.csv", given)[1]
    assert "the columns toxic, insult hold true and false" in said[0]
    rows, _ = read(tmp_path, "a.csv", given, label="toxic,insult")
    assert [row["label"] for row in rows] == [["toxic", "insult"], [], ["toxic"]]
    given = '{"text": "so", "labels": {"a": true, "b": true}}\n'
    assert read(tmp_path, "a.jsonl", given)[0][0]["label"] == ["a", "b"]
    given = '{"text": "so it is", "labels": {"start": 0, "end": 9}}\n'
    assert "label" not in read(tmp_path, "b.jsonl", given)[0][0]


def test_tags_in_angle_brackets_are_told(tmp_path):
    given = "text,label\n" + "so it is,<a><b>\nso it was,<a>\nso be it,<b>\n" * 2
    said = read(tmp_path, "a.csv", given)[1]
    assert any("'<a><b>' are names in angle brackets" in told for told in said)

"""What stands around all texts, or says of rows that they are others: it is told."""

from __future__ import annotations

import pytest

from classifiers import train
from grammar import CorpusError
from grammar.messages import heard_by
from induction import read_corpus
from tests.induction.conventions.given import read

FEW = ("so good a film", "so bad a book", "a fine book", "a poor film")


@pytest.mark.parametrize(
    ("around", "told"),
    [
        ("['{}']", "all texts are lists as Python prints them"),
        ("b'{}'", "all texts are bytes as Python prints them"),
        ("\u201c{}\u201d", "all texts stand in quotes"),
        ("- {}", "all texts begin with a sign"),
        ("7. {}", "all texts begin with a number"),
        ("[{c}] {}", "all texts begin with one of few words"),
        ("{} #{c}", "all texts end with one of few words"),
        ("{} ({c})", "all texts end with one of few words"),
        ("{};{c}", "all texts end with one of few words"),
    ],
)
def test_what_stands_around_all_texts_is_told(tmp_path, around, told):
    texts = [around.format(text, c=("pos", "neg")[at % 2]) for at, text in enumerate(FEW)]
    rows, said = read(tmp_path, "a.jsonl", "".join(f'{{"text": "{text}"}}\n' for text in texts))
    assert [row["text"] for row in rows] == texts
    assert told in said[-1]
    _, said = read(tmp_path, "a.jsonl", "".join(f'{{"text": "{t}"}}\n' for t in (*texts[1:], "so")))
    assert said == []


def test_every_second_text_may_be_a_class(tmp_path):
    lines = "\n".join(f"{text} it is\n{('pos', 'neg')[at % 2]}" for at, text in enumerate(FEW))
    _, said = read(tmp_path, "a.txt", lines)
    assert "every second text is one of few words, such as 'pos'" in said[-1]
    assert read(tmp_path, "b.txt", "\n".join(FEW))[1] == []


def test_a_text_that_says_there_is_none_is_told(tmp_path):
    _, said = read(tmp_path, "a.csv", "text,label\nso,x\nnan,y\n")
    assert said == ["a.csv: 'nan' is a text here; leave the cell empty where there is none"]


def test_blanks_and_quotes_are_no_names_of_classes(tmp_path):
    rows, _ = read(tmp_path, "a.csv", "text,label\nso,x\nit, \nis,y\n")
    assert [row["label"] for row in rows] == ["x", "", "y"]
    _, said = read(tmp_path, "b.csv", "text,label\nso,'x'\nit,'y'\n")
    assert said == ["b.csv: all names of classes stand in quotes, such as 'x', which stay"]
    assert (
        "'#REF!' is a class here" in read(tmp_path, "c.csv", "text,label\nso,#REF!\nit,y\n")[1][0]
    )


def test_parts_and_contradictions_are_told(tmp_path):
    _, said = read(tmp_path, "a.csv", "text,label,split\nso,x,train\nit,y,test\nit,x,train\n")
    assert said == [
        "a.csv: the column 'split' says 'test' of some rows, and all rows are read",
        "a.csv: 1 texts are there with several classes, such as 'it'",
    ]
    assert read(tmp_path, "b.csv", "text,label,kind\nso,x,train\nit,y,ship\n")[1] == []


def test_words_and_tags_with_a_comma_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("Ann,B-PER\nsang,O\n\nso,O\n")
    with pytest.raises(CorpusError, match="a word and its tag, with a sign between"):
        read_corpus(tmp_path / "a.txt")


def test_prefixes_with_other_signs_are_of_the_scheme(tmp_path):
    rows, said = read(tmp_path, "a.conll", "Ann B_PER\nLee I_PER\nsang O\n")
    assert rows[0]["spans"] == [{"start": 0, "end": 7, "label": "PER"}]
    assert "tags such as B_PER are read as B-PER" in said[0]


def test_rows_of_a_reader_of_csv_have_names():
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus([["review", "sentiment"], ["so good", "pos"], ["so bad", "neg"]])
    assert corpus.column("label") == ["pos", "neg"]
    assert said[0] == "columns are named by the first row: review, sentiment"
    assert (
        len(read_corpus([["so good", "pos"], ["so bad", "neg"], ["so", "pos"], ["it", "neg"]])) == 4
    )


def test_a_frame_is_its_texts():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"review": ["a fine film", "a poor film"] * 4, "stars": [1, 0] * 4})
    model = train(frame[["review"]], frame["stars"])
    assert model.predict(frame).tolist() == [1, 0] * 4
    assert model.predict({"text": ["a poor film"]}).tolist() == [0]

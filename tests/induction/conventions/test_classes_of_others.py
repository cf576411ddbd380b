"""Classes as others write them: shares, marks of absence, columns of 0 and 1, marks in texts."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from classifiers import read_examples
from grammar import CorpusError, OptionError
from grammar.messages import heard_by
from induction import Corpus, read_corpus, write_corpus
from sampling import assess
from tests.induction.conventions.given import read


def test_columns_of_shares_are_told_and_read(tmp_path):
    given = "text,p_neg,p_pos\na,0.25,0.75\nb,1,0\n"
    rows, said = read(tmp_path, "a.csv", given)
    assert "label" not in rows[0]
    assert said[-1] == (
        "a.csv: in each row the columns p_neg, p_pos sum to 1; if they are shares of classes, "
        "read them as such: --label p_neg,p_pos"
    )
    (tmp_path / "a.csv").write_text(given)
    corpus = read_corpus(tmp_path / "a.csv", label="p_neg,p_pos")
    assert corpus.column("label") == [[0.25, 0.75], [1.0, 0.0]]
    assert corpus.classes == ("p_neg", "p_pos")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("a.jsonl", '{"text": "a", "labels": [0, 1, 1]}\n{"text": "b", "labels": [0, 0, 0]}\n'),
        ("a.jsonl", '{"text": "a", "label": [0.0, 1.0, 1.0]}\n{"text": "b", "label": [0, 0, 0]}\n'),
        ("a.csv", 'text,label\na,"[0, 1, 1]"\nb,"[0, 0, 0]"\n'),
        ("a.csv", 'text,label\na,"0,1,1"\nb,"0,0,0"\n'),
        ("a.csv", "text,label\na,0 1 1\nb,[0 0 0]\n"),
    ],
)
def test_lists_of_0_and_1_are_sets_of_classes(tmp_path, name, given):
    rows, said = read(tmp_path, name, given)
    assert [row["label"] for row in rows] == [["1", "2"], []]
    assert said[-1].startswith("0 and 1 for each class in the column of classes are read as sets")


@pytest.mark.parametrize(("no", "yes"), [("0", "1"), ("0.0", "1.0"), ("false", "true")])
def test_names_with_0_and_1_are_sets_of_these(tmp_path, no, yes):
    lines = f"""{{"text": "a", "label": {{"sad": {yes}, "odd": {no}}}}}
{{"text": "b", "label": {{"sad": {yes}, "odd": {yes}}}}}
{{"text": "c", "label": {{"sad": {no}, "odd": {no}}}}}
"""
    rows, _ = read(tmp_path, "a.jsonl", lines)
    assert [row["label"] for row in rows] == [["sad"], ["sad", "odd"], []]


@pytest.mark.parametrize(
    ("several", "one"),
    [("('a', 'b')", "('b',)"), ("{'a', 'b'}", "{'b'}"), ("frozenset({'a', 'b'})", "{'b'}")],
)
@pytest.mark.parametrize("none", ["()", "set()", "[]"])
def test_sets_as_python_prints_them_are_sets(tmp_path, several, one, none):
    given = f'text,label\nso good,"{several}"\nso bad,"{one}"\nso so,{none}\n'
    rows, _ = read(tmp_path, "a.csv", given)
    assert [row["label"] for row in rows] == [["a", "b"], ["b"], []]


def test_classes_with_spaces_between_are_told(tmp_path):
    _, said = read(tmp_path, "a.csv", "text,label\na,x y\nb,x\nc,y\n")
    assert any("the class 'x y' is made of others" in one for one in said)
    _, said = read(tmp_path, "b.csv", "text,label\na,very good\nb,good\nc,bad\n")
    assert not any("made of others" in one for one in said)


def test_lists_of_0_and_1_that_sum_to_1_are_distributions(tmp_path):
    rows, _ = read(tmp_path, "a.csv", 'text,label\na,"0,1,0"\nb,"1,0,0"\n')
    assert [row["label"] for row in rows] == [[0, 1, 0], [1, 0, 0]]


@pytest.mark.parametrize("kind", [int, float, bool])
def test_a_matrix_of_classes_beside_texts_is_sets(kind):
    matrix = np.array([[1, 0], [1, 1], [0, 0]], kind)
    texts = ["a", "b", "c"]
    for labels in (matrix, matrix.tolist(), scipy.sparse.csr_matrix(matrix)):
        with heard_by(lambda message: None):
            made = read_corpus({"text": texts, "label": labels})
        assert made.column("label") == [["0"], ["0", "1"], []]
    frame = pytest.importorskip("pandas").DataFrame(matrix, columns=["sad", "odd"])
    made = read_corpus({"text": texts, "label": frame})
    assert made.column("label") == [["sad"], ["sad", "odd"], []]


@pytest.mark.parametrize("cells", ["0.5,0.6", "0,1", "x,1"])
def test_other_columns_are_no_shares(tmp_path, cells):
    _, said = read(tmp_path, "a.csv", f"text,c,d\na,{cells}\nb,{cells}\n")
    assert not any("sum to 1" in message for message in said)


def test_unknown_classes_of_kaggle_are_told(tmp_path):
    _, said = read(tmp_path, "a.csv", "text,toxic,insult\na b c,0,1\nb,-1,-1\nc,1,0\nd,0,0\n")
    (told,) = (message for message in said if "hold 0 and 1" in message)
    assert "(and -1, as in toxic: leave such rows out)" in told
    assert not any("--label toxic reads" in message for message in said)


@pytest.mark.parametrize("mark", ["?", "-", "--", "N/A"])
def test_marks_of_absence_are_told(tmp_path, mark):
    lines = f'{{"text": "a", "label": "yes"}}\n{{"text": "b", "label": "{mark}"}}\n'
    rows, said = read(tmp_path, "a.jsonl", lines)
    assert rows[1]["label"] == mark
    assert said == [f"a.jsonl: {mark!r} is a class here; leave the cell empty where there is none"]


def test_numbers_with_a_comma_beside_numbers_are_told(tmp_path):
    rows, said = read(tmp_path, "a.csv", 'text,label\na,27\nb,"2,14"\nc,3\n')
    assert rows[1]["label"] == "2,14"
    assert said[-1].startswith("a.csv: labels such as '2,14' have a comma, and are names")
    _, said = read(tmp_path, "b.csv", 'text,label\na,yes\nb,"2,14"\n')
    assert said == []


def test_marks_and_written_line_ends_are_told(tmp_path):
    for text, expected in (
        ("<PER>Ann Lee</PER> sang", "texts hold marks, such as '<PER>Ann Lee</PER>'"),
        ('<e id="1">Ann</e> sang', "texts hold marks"),
        (r"so good.\n\nand so on", r"texts hold line ends that are written as \n"),
    ):
        read(tmp_path, "a.txt", f"{text}\n")
        _, said = read(tmp_path, "a.txt", f"{text}\n")
        assert expected in said[-1]
    for text in ("so <b>good</b>", "a<br />b", r"\nabla and C:\new", "a < b </c>"):
        assert read(tmp_path, "a.txt", f"{text}\n")[1] == []


def test_numbers_beside_names_are_told_as_places():
    names = {"text": ["a good film", "a bad film"] * 2, "label": ["pos", "neg"] * 2}
    numbers = {"text": ["a good book", "a bad book"], "label": [1, 0]}
    said: list[str] = []
    with heard_by(said.append):
        assess(names, numbers)
    assert said == [
        "the classes of the augmented are numbers, taken as places of classes: 0 for neg, 1 for pos"
    ]


@pytest.mark.parametrize(("given", "meant"), [("Positive", "positive"), ("pos ", "pos")])
def test_a_class_that_is_written_otherwise_is_named(given, meant):
    with pytest.raises(CorpusError) as caught:
        read_examples({"text": ["a"], "label": [given]}, classes=["neg", meant])
    assert caught.value.hint == f"write {meant!r} for it, as in training"


def test_a_column_with_several_names_a_row_is_told(tmp_path):
    first = '{"plot": "a hobbit leaves with a ring", "genres": ["war", "love"]}'
    lines = f'{first}\n{{"plot": "two rivals go to a war", "genres": ["war"]}}\n'
    _, said = read(tmp_path, "a.jsonl", lines)
    assert "'genres' has several names a row: --label genres reads them as sets" in said[0]
    named = read_corpus(tmp_path / "a.jsonl", label="genres")
    assert named.column("label") == [["war", "love"], ["war"]]


def test_a_file_of_texts_says_what_it_lacks(tmp_path):
    said: list[str] = []
    with heard_by(said.append):
        write_corpus(Corpus.from_columns(text=["so", "it"], label=["a", "b"]), tmp_path / "a.txt")
        write_corpus(Corpus.from_columns(text=["so"]), tmp_path / "b.txt")
    assert said == [
        "a.txt holds texts alone, without 'label'; a name that ends in .tsv or .jsonl keeps them"
    ]


def test_compressed_output_is_refused_with_a_name_that_works(tmp_path):
    corpus = Corpus.from_columns(text=["so"], label=["a"])
    for format in (None, "csv"):
        with pytest.raises(OptionError, match=r"no output is compressed\n  hint: .* as a\.csv"):
            write_corpus(corpus, tmp_path / "a.csv.gz", format=format)


def test_all_columns_that_may_hold_the_classes_are_told(tmp_path):
    given = "Target,Tweet,Stance\n"
    for number in range(6):
        given += f"{'ab'[number % 2]},this is the tweet {number},{'xyz'[number % 3]}\n"
    _, said = read(tmp_path, "a.csv", given)
    assert "'Target' has 2 different values (others may hold them: 'Stance'): --label" in said[0]

"""Whatever a person has becomes a corpus: files, frames, lists; usual names; rows left out."""

from __future__ import annotations

import json
import types

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from grammar.errors import CorpusError, OptionError
from grammar.messages import heard_by, said_once, tell
from induction.corpus.corpus import Corpus
from induction.corpus.formats import FORMATS, check_output, read_corpus, write_corpus
from induction.corpus.tree_files import sound_trees

TEXTS = ["a good film", "a bad, slow film"]
LABELS = ["pos", "neg"]
CODES = ["01234", "0x1F"]
DATES = ["2024-01-02", "2024-01-03T10:00:00"]


def csv_file(folder):
    rows = zip(TEXTS, LABELS, CODES, DATES, strict=True)
    path = folder / "a.csv"
    lines = [f'"{text}",{label},{code},{date}' for text, label, code, date in rows]
    path.write_text("\n".join(["Review,Sentiment,zip,date", *lines]) + "\n")
    return path


def tsv_file(folder):
    rows = zip(TEXTS, LABELS, CODES, DATES, strict=True)
    path = folder / "a.tsv"
    path.write_text("\n".join(map("\t".join, [("Review", "Sentiment", "zip", "date"), *rows])))
    return path


def dictionaries(folder=None):
    rows = zip(TEXTS, LABELS, CODES, DATES, strict=True)
    return [dict(zip(("Review", "Sentiment", "zip", "date"), row, strict=True)) for row in rows]


def jsonl_file(folder):
    path = folder / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in dictionaries()))
    return path


def parquet_file(folder):
    path = folder / "a.parquet"
    pyarrow.parquet.write_table(pa.Table.from_pylist(dictionaries()), path)
    return path


def columns(folder):
    return pa.Table.from_pylist(dictionaries()).to_pydict()


def arrow(folder):
    return pa.Table.from_pylist(dictionaries())


def pandas_frame(folder):
    return pytest.importorskip("pandas").DataFrame(dictionaries())


def dataset(folder):
    return pytest.importorskip("datasets").Dataset.from_list(dictionaries())


def polars_frame(folder):
    """Return what polars gives: its strings have a type of their own."""
    table = pa.Table.from_pylist(dictionaries())
    wide = table.cast(pa.schema([(name, pa.large_string()) for name in table.column_names]))
    kind = type("DataFrame", (), {"__module__": "polars.dataframe.frame"})
    frame = kind()
    frame.columns, frame.to_arrow = wide.column_names, lambda: wide
    return frame


KINDS = [
    csv_file, tsv_file, jsonl_file, parquet_file, columns, arrow, dictionaries, pandas_frame,
    dataset, polars_frame,
]  # fmt: skip


@pytest.mark.parametrize("made", KINDS)
def test_every_kind_of_input_gives_one_corpus(tmp_path, made):
    said = []
    with heard_by(said.append):
        corpus = read_corpus(made(tmp_path))
    assert corpus.names == ("id", "text", "label", "zip", "date")
    assert [corpus.column(name) for name in corpus.names[1:]] == [TEXTS, LABELS, CODES, DATES]
    assert len(said) == 1
    assert "text is read from the column 'Review', label from 'Sentiment'" in said[0]


@pytest.mark.parametrize("made", [list, tuple, np.array, iter])
def test_texts_alone_are_a_corpus(made):
    assert read_corpus(made(TEXTS)).column("text") == TEXTS


def test_a_series_of_texts_is_a_corpus():
    pandas = pytest.importorskip("pandas")
    assert read_corpus(pandas.Series(TEXTS)).column("text") == TEXTS
    given = pandas.Series([*TEXTS, None, float("nan")])
    assert read_corpus(given).column("text") == [*TEXTS, None, None]


def test_arrays_of_texts_are_a_corpus():
    for given in (pa.array(TEXTS), pa.chunked_array([TEXTS]), np.array(TEXTS, object)):
        assert read_corpus(given).column("text") == TEXTS
    assert read_corpus(np.array("one text")).column("text") == ["one text"]


def test_a_set_of_texts_has_the_order_of_the_alphabet():
    assert read_corpus({"c", "a", "b"}).column("text") == ["a", "b", "c"]


def test_a_corpus_is_itself():
    corpus = Corpus.from_columns(text=TEXTS)
    assert read_corpus(corpus) is corpus


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, "cannot be read from int"), (["a", 5], "this is int, not a text"),
        ({"text": "a good film"}, "a single string"), ({"text": ["a"], "b": [1, 2]}, "differ"),
        ([{"text": "a", "n": 1}, {"text": "b", "n": "x"}], "'n' does not hold values of one type"),
    ],
)  # fmt: skip
def test_what_is_no_corpus_is_one_clear_error(data, message):
    with pytest.raises(CorpusError, match=message) as caught:
        read_corpus(data)
    assert caught.value.hint


def test_a_string_is_no_list_of_texts():
    with pytest.raises(CorpusError, match="'text' is a single string") as caught:
        Corpus.from_columns(text="a good film")
    assert "text=['a good film']" in str(caught.value)
    with pytest.raises(CorpusError, match="'label' is a single string"):
        Corpus.from_columns(text=["a", "b"]).with_column("label", "ab")


def test_two_usual_names_are_an_error_that_names_the_option():
    data = {"review": ["a"], "comment": ["b"], "rating": [1], "stars": [2]}
    with pytest.raises(OptionError, match="'review', 'comment' may all hold the texts") as caught:
        read_corpus(data)
    assert "--text review" in str(caught.value)
    with pytest.raises(OptionError, match="'rating', 'stars' may all hold the classes") as caught:
        read_corpus(data, text="comment")
    assert "--label rating" in str(caught.value)
    corpus = read_corpus(data, text="comment", label="stars")
    assert corpus[0] == {"id": "0", "review": "a", "text": "b", "rating": 1, "label": 2}
    assert "label" not in read_corpus(data, text="comment", label="").names


def test_a_name_of_our_own_comes_before_usual_ones():
    data = {"text": ["a"], "review": ["b"], "label": [0], "category": ["x"]}
    assert read_corpus(data).names == ("id", "text", "review", "label", "category")


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        (["1", "0"], [1, 0]), (["1.0", "2.0"], [1.0, 2.0]), (["01", "02"], ["01", "02"]),
        (["True", "False"], ["True", "False"]), (["1", "x"], ["1", "x"]), (["1", ""], [1, None]),
        (["9" * 30, "1"], ["9" * 30, "1"]), (["1", "2.0"], ["1", "2.0"]),
    ],
)  # fmt: skip
def test_labels_of_a_csv_file_are_what_their_form_says(tmp_path, cells, labels):
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "".join(f"a,{cell}\n" for cell in cells))
    assert read_corpus(path).column("label") == labels


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_other_columns_come_back_byte_for_byte(tmp_path, suffix):
    given = Corpus.from_columns(text=TEXTS, zip=CODES, date=DATES, price=["1.50", "1e3"])
    first, second = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    write_corpus(given, first)
    write_corpus(read_corpus(first), second)
    assert first.read_bytes() == second.read_bytes()


BAD = {
    "csv": "text,label,code\na,x,01\n,x,02\nb\nc,,03\nd,y,04\n",
    "jsonl": '{"text": "a", "label": "x"}\n{"text": "", "label": "x"}\nno\n'
    '{"text": "c", "label": null}\n{"text": "d", "label": "y"}\n',
}
WHERE = {"csv": [4, 3, 5], "jsonl": [3, 2, 4]}


@pytest.mark.parametrize("suffix", BAD)
def test_bad_rows_are_left_out_with_their_reasons(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    path.write_text(BAD[suffix])
    corpus = read_corpus(path, on_error="skip")
    assert corpus.column("text") == ["a", "d"]
    assert [row.where for row in corpus.skipped] == [f"{path}:{n}" for n in WHERE[suffix]]
    reasons = [row.why for row in corpus.skipped]
    assert reasons[1:] == ["the text is missing or empty", "the label is missing"]
    assert corpus.where(1) == f"{path}:{6 if suffix == 'csv' else 5}, example '3'"


def test_rows_keep_their_numbers_when_others_are_left_out():
    """Whoever reads all rows finds the same ones by the same ids."""
    texts = ["a", "", "b", None, "c"]
    assert read_corpus({"text": texts}, on_error="skip").column("id") == ["0", "2", "4"]
    named = {"name": list("vwxyz"), "text": texts}
    kept = read_corpus(named, rename={"name": "id"}, on_error="skip")
    assert kept.column("id") == ["v", "x", "z"]


def test_equal_ids_malformed_trees_and_bad_labels_are_left_out():
    data = {
        "id": ["1", "1", "2", "3", "4"],
        "text": ["a", "b", "c", "d", "e"],
        "label": [[1.0, 0.0], [1.0, 0.0], [0.5, 0.6], [0.0, 1.0], [0.0, 1.0]],
        "tree": ["(S a)", "(S b)", "(S c)", "(S d", "(S e)"],
    }
    corpus = read_corpus(data, on_error="skip")
    assert corpus.column("id") == ["1", "4"]
    assert [row.row["text"] for row in corpus.skipped] == ["b", "c", "d"]
    with pytest.raises(CorpusError, match="no row can be used: the text is missing"):
        read_corpus(["", " "], on_error="skip")
    with pytest.raises(OptionError, match="unknown way with errors 'skipp'"):
        read_corpus(TEXTS, on_error="skipp")


def test_malformed_trees_of_a_file_are_left_out(tmp_path):
    path = tmp_path / "a.mrg"
    path.write_text("(S (NP We)\n  (VP sleep))\n(S (NP They)\n\n(S We)\n)\n(S You)\n")
    corpus = read_corpus(path, on_error="skip")
    assert corpus.column("text") == ["We sleep", "You"]
    assert [row.where for row in corpus.skipped] == [f"{path}:3", f"{path}:5"]
    assert len(sound_trees("", "a")[0]) == 0


def test_messages_are_heard_once_by_whoever_listens(caplog):
    said = []
    with heard_by(said.append), said_once():
        tell("one")
        tell("one")
        tell("two")
    assert said == ["one", "two"]
    tell("three")
    assert [record.message for record in caplog.records] == ["three"]


def test_a_corpus_shows_its_beginning_and_becomes_a_frame():
    corpus = Corpus.from_columns(text=[f"text {k}" for k in range(9)])
    assert len(corpus.head()) == 5
    assert corpus.head(2).column("text") == corpus[:2].column("text") == ["text 0", "text 1"]
    pytest.importorskip("pandas")
    assert corpus.to_pandas()["text"].tolist() == corpus.column("text")


def test_every_format_can_skip(tmp_path):
    assert isinstance(FORMATS, types.MappingProxyType | dict)
    for suffix in ("csv", "jsonl", "parquet", "arrow", "txt"):
        path = tmp_path / f"a.{suffix}"
        write_corpus(Corpus.from_columns(text=TEXTS), path)
        assert read_corpus(path, on_error="skip").column("text") == TEXTS


@pytest.mark.parametrize("first", ["text,label", "review;stars", "It was good, I think."])
def test_a_table_without_tabs_is_no_tsv(tmp_path, first):
    file = tmp_path / "a.tsv"
    file.write_text(f"{first}\nso good,1\n")
    with pytest.raises(CorpusError, match="has no tab between the names of columns"):
        read_corpus(file)
    file.write_text("text\nso good, really\n")  # one column
    assert read_corpus(file).column("text") == ["so good, really"]


def test_semicolons_separate_columns_where_no_comma_does(tmp_path):
    file = tmp_path / "excel.csv"
    rows = 'text;label;price\n"good; really, ""so""\nyes";pos;1,50\nbad;neg;2,00\n'
    file.write_text(rows, encoding="utf-8")
    said = []
    with heard_by(said.append):
        corpus = read_corpus(file)
    assert corpus.column("text") == ['good; really, "so"\nyes', "bad"]
    assert corpus.column("label") == ["pos", "neg"]
    assert corpus.column("price") == ["1,50", "2,00"]
    assert said == [f"columns of {file} are separated by semicolons"]
    file.write_text(rows + "worse;neg;3,00;4\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"excel\.csv:5: .*Expected 3 columns, got 4"):
        read_corpus(file)
    file.write_text("text,a;b\ngood,7\n", encoding="utf-8")
    assert read_corpus(file).column("a;b") == ["7"]


@pytest.mark.parametrize(("name", "hint"), [("a.ods", "as .csv"), ("a.XLSX", "as .csv")])
def test_files_of_other_programs_are_told_how_to_be_written(tmp_path, name, hint):
    (tmp_path / name).write_text("[]")
    with pytest.raises(OptionError) as caught:
        read_corpus(tmp_path / name)
    assert hint in caught.value.hint
    with pytest.raises(OptionError, match="are neither read nor written"):
        check_output(tmp_path / name)


def test_a_column_of_brackets_is_the_column_of_trees():
    said: list[str] = []
    with heard_by(said.append):
        corpus = read_corpus({"sentence": ["we ran"], "constituency": ["(S (NP we) (VP ran))"]})
    assert corpus.column("tree") == ["(S (NP we) (VP ran))"]
    assert corpus.column("text") == ["we ran"]
    assert said == ["text is read from the column 'sentence', tree from 'constituency'"]


def test_the_parses_of_pairs_are_the_trees_of_both():
    row = {
        "sentence1": "we ran", "sentence2": "he ran",
        "sentence1_binary_parse": "( we ran )", "sentence2_binary_parse": "( he ran )",
        "sentence1_parse": "(ROOT (S (NP we) (VP ran)))",
        "sentence2_parse": "(ROOT (S (NP he) (VP ran)))",
    }  # fmt: skip
    with heard_by(lambda message: None):
        corpus = read_corpus([row])
    assert corpus.column("tree") == [row["sentence1_parse"]]
    assert corpus.column("tree_pair") == [row["sentence2_parse"]]


def test_brackets_in_a_text_are_no_trees():
    with heard_by(lambda message: None):
        corpus = read_corpus({"text": ["a b"], "note": ["(so) (it) is"], "formula": ["(a + b)"]})
    assert "tree" not in corpus.names


def test_trees_within_a_nested_column_are_named(tmp_path):
    (tmp_path / "a.json").write_text(
        json.dumps([{"sentences": [{"parse": "(ROOT (S (NP we) (VP ran)))", "index": 0}]}])
    )
    with pytest.raises(CorpusError, match="the trees are within the column 'sentences'"):
        read_corpus(tmp_path / "a.json")

"""Corpora as values and on disk: types, round trips, and faults that leave nothing behind."""

from __future__ import annotations

import csv
import gzip
import io
import json
import pickle
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import (
    CorpusError,
    MissingDataError,
    OptionError,
    OutputError,
    TreewrightError,
    UnreadableInputError,
    to_install,
)
from grammar.messages import heard_by
from grammar.trees.treebank import Treebank
from induction.corpus import formats
from induction.corpus.corpus import COLUMNS, PROVENANCE, Corpus
from induction.corpus.formats import (
    check_output,
    corpus_of_trees,
    from_dataset,
    read_corpus,
    read_sst,
    to_dataset,
    write_batches,
    write_corpus,
)
from induction.corpus.tables.class_names import class_names_of, with_class_names
from sampling.examples.labels import check_corpus, read_labels
from sampling.pipeline.augment import augment

FORMATS = ("jsonl", "csv", "tsv", "parquet", "arrow", "txt")
NESTED = ("jsonl", "csv", "tsv", "parquet", "arrow")
SENTENCES = ("conllu", "mrg", "ptb", "sst")

PROVENANCE_1 = {
    "method": "geca",
    "version": "0.1.0",
    "seed": 7,
    "index": 12_345_678_901,
    "parents": ["a,b", 'c"d'],
    "spans": [{"start": 0, "end": 2}, {"start": 3, "end": 4}],
    "rules": [1, 0, 2_000_000_000],
    "log_probability": -12.345678901234567,
}
PROVENANCE_2 = {**PROVENANCE_1, "parents": [], "spans": [], "rules": [], "log_probability": -0.5}


def rich_corpus() -> Corpus:
    return Corpus.from_columns(
        id=["001", "a b", "é"],
        text=['Il a dit : « ça, c\'est "bon" »', "漢字 \U0001f469\u200d\U0001f680", " NA "],
        text_pair=["", "null", "2020-01-01"],
        target=["1", "1.0", "true"],
        tree=["(S (NP a))", "(S b)", "(S (-LRB- -LRB-))"],
        tokens=[["a,b", 'c"'], [], ["é"]],
        tags=[["N", "N"], [], ["X"]],
        heads=[[2, 0], [], [0]],
        label=[0, 1, 2],
        weight=[0.1, 1e-300, -2.5],
        provenance=[PROVENANCE_1, PROVENANCE_2, PROVENANCE_1],
    )


# --- the value ---------------------------------------------------------------------------------


def test_ids_default_to_the_position():
    corpus = Corpus.from_columns(text=["a", "b"])
    assert corpus.column("id") == ["0", "1"]
    assert corpus.names == ("id", "text")


def test_agreed_columns_have_agreed_types_and_others_their_own():
    corpus = rich_corpus()
    for name in corpus.names:
        if name in COLUMNS:
            assert corpus.table.schema.field(name).type == COLUMNS[name]
    assert corpus.table.schema.field("weight").type == pa.float64()
    assert corpus.table.schema.field("label").type == pa.int64()


def test_arrow_columns_are_cast_to_the_agreed_types():
    corpus = Corpus.from_columns(
        text=pa.array(["a"], pa.large_string()),
        target=pa.array(["b"]).dictionary_encode(),
        heads=pa.array([[1, 0]], pa.list_(pa.int64())),
    )
    assert corpus.table.schema.field("text").type == pa.string()
    assert corpus.table.schema.field("target").type == pa.string()
    assert corpus.column("heads") == [[1, 0]]


def test_rows_are_reached_by_position_and_in_order():
    corpus = rich_corpus()
    assert len(corpus) == 3
    assert [row["id"] for row in corpus] == ["001", "a b", "é"]
    assert corpus[1]["tokens"] == []
    assert corpus[-1] == corpus[2] == list(corpus)[2]
    with pytest.raises(IndexError):
        corpus[3]


def test_two_corpora_are_added_if_their_classes_have_the_same_names():
    def numbered(names: list[str]) -> Corpus:
        table = with_class_names(pa.table({"id": ["0"], "text": ["a"], "label": [1]}), {
            "label": names
        })  # fmt: skip
        return read_corpus(table)

    both = numbered(["bad", "good"]) + numbered(["bad", "good"])
    assert both["label"] == [1, 1]
    assert class_names_of(both.table) == ("bad", "good")
    with pytest.raises(CorpusError, match="other names"):
        numbered(["bad", "good"]) + numbered(["good", "bad"])
    said: list[str] = []
    with heard_by(said.append):
        assert (numbered(["bad", "good"]) + Corpus.from_columns(text=["b"]))["label"] == [1, None]
    assert said[0] == "label: missing for the examples of one of the two corpora"


def test_a_column_is_added_or_replaced_in_a_new_corpus():
    corpus = Corpus.from_columns(text=["a", "b"])
    more = corpus.with_column("target", ["x", "y"])
    assert more.names == ("id", "text", "target")
    assert more.with_column("text", ["c", "d"]).column("text") == ["c", "d"]
    assert more.with_column("text", ["c", "d"]).names == more.names
    assert corpus.names == ("id", "text")
    with pytest.raises(CorpusError, match="3 values of 'target' for 2 examples"):
        corpus.with_column("target", ["x", "y", "z"])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"sentence": ["a"]}, "the corpus has no column 'text'"),
        ({"text": ["a"], "label": [1, 2]}, "columns differ in length"),
        ({"text": [1]}, "column 'text' does not hold string"),
        ({"text": ["a"], "heads": [["x"]]}, "column 'heads' does not hold"),
        ({"text": ["a"], "tokens": ["x"]}, "column 'tokens' does not hold"),
        ({"text": ["a", "b"], "extra": [1, "a"]}, "column 'extra' does not hold"),
        ({"text": ["a"], "heads": [[2**40]]}, "column 'heads' does not hold"),
        ({"text": pa.array([[1]])}, "column 'text' does not hold string"),
        ({"text": ["a"], "heads": pa.array([[2**40]])}, "column 'heads' does not hold"),
        ({"text": ["a"], "provenance": ["x"]}, "column 'provenance' does not hold"),
    ],
)
def test_columns_of_the_wrong_kind_are_refused(columns, message):
    with pytest.raises(CorpusError, match=message) as caught:
        Corpus.from_columns(**columns)
    assert caught.value.hint


def test_an_absent_column_is_named_with_those_there_are():
    with pytest.raises(CorpusError, match="columns id, text: the corpus has no column 'target'"):
        Corpus.from_columns(text=["a"]).column("target")


# --- round trips -------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", NESTED)
def test_a_rich_corpus_comes_back_as_it_was(tmp_path, suffix):
    corpus = rich_corpus()
    path = tmp_path / f"corpus.{suffix}"
    write_corpus(corpus, path)
    back = read_corpus(path)
    if suffix in ("csv", "tsv"):  # where nothing says that a cell is a number, it is text
        corpus = corpus.with_column("weight", list(map(str, corpus.column("weight"))))
    assert back.table.schema.names == corpus.table.schema.names
    assert back.table.schema.types == corpus.table.schema.types
    assert back.table.to_pylist() == corpus.table.to_pylist()


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_zipped_file_is_read_like_the_plain_one(tmp_path, suffix):
    plain = tmp_path / f"corpus.{suffix}"
    write_corpus(rich_corpus(), plain)
    zipped = tmp_path / f"corpus.{suffix}.gz"
    zipped.write_bytes(gzip.compress(plain.read_bytes()))
    assert read_corpus(zipped).table.equals(read_corpus(plain).table)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet", "arrow"])
def test_line_breaks_tabs_and_quotes_in_texts_come_back(tmp_path, suffix):
    texts = ["a\nb", "c\r\nd", "e\rf", "\t", '"', '""', "x,y", "'", "\\n", "\u2028\x85", ""]
    path = tmp_path / f"corpus.{suffix}"
    write_corpus(Corpus.from_columns(text=texts), path)
    assert read_corpus(path).column("text") == texts


@pytest.mark.parametrize("suffix", ["tsv", "txt"])
def test_texts_come_back_where_lines_hold_them(tmp_path, suffix):
    texts = ['"', '""', "x,y", "'", "\\n", "\u2028", "\x85 \x0b\x0c\x1c", " a ", "\u00a0", "é"]
    path = tmp_path / f"corpus.{suffix}"
    write_corpus(Corpus.from_columns(text=texts), path)
    assert read_corpus(path).column("text") == texts


# pyarrow reads the text of all these formats, so any text must come through
any_text = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=6)


@given(texts=st.lists(any_text, min_size=1, max_size=4), suffix=st.sampled_from(["jsonl", "csv"]))
@settings(max_examples=150, deadline=None)
def test_any_text_comes_back(tmp_path_factory, texts, suffix):
    path = tmp_path_factory.mktemp("any") / f"corpus.{suffix}"
    write_corpus(Corpus.from_columns(text=texts, target=texts), path)
    back = read_corpus(path)
    assert back.column("text") == texts
    assert back.column("target") == texts


@given(rows=st.lists(st.lists(any_text, max_size=3), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_tokens_come_back_through_csv(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("any") / "corpus.csv"
    write_corpus(Corpus.from_columns(text=["t"] * len(rows), tokens=rows), path)
    assert read_corpus(path).column("tokens") == rows


def test_csv_is_the_csv_of_the_standard_library(tmp_path):
    write_corpus(rich_corpus(), tmp_path / "corpus.csv")
    with open(tmp_path / "corpus.csv", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["text"] for row in rows] == rich_corpus().column("text")
    assert json.loads(rows[0]["provenance"]) == PROVENANCE_1


def test_absent_values_come_back_where_the_format_has_them(tmp_path):
    corpus = Corpus.from_columns(
        text=["a", "b"], target=[None, "x"], tokens=[None, []], provenance=[None, PROVENANCE_1]
    )
    for suffix in ("jsonl", "parquet", "arrow"):
        write_corpus(corpus, tmp_path / f"corpus.{suffix}")
        assert read_corpus(tmp_path / f"corpus.{suffix}").table.equals(corpus.table)
    write_corpus(corpus, tmp_path / "corpus.csv")
    back = read_corpus(tmp_path / "corpus.csv")
    assert back.column("target") == ["", "x"]  # CSV does not tell nothing from the empty text
    assert back.column("tokens") == [None, []]


def test_a_distribution_for_a_label_comes_back(tmp_path):
    soft = pa.array([[0.1, 0.9], [1.0, 0.0]], pa.list_(pa.float32()))
    corpus = Corpus.from_columns(text=["a", "b"], label=soft)
    for suffix in NESTED:
        write_corpus(corpus, tmp_path / f"corpus.{suffix}")
        back = read_corpus(tmp_path / f"corpus.{suffix}")
        assert back.table.schema.field("label").type == pa.list_(pa.float32())
        assert back.arrow("label").to_pylist() == soft.to_pylist()


@given(st.slices(4))
def test_a_slice_has_the_rows_of_a_list(cut: slice) -> None:
    corpus = Corpus.from_columns(text=["walk", "jump", "run", "stop"])
    assert list(corpus[cut]) == list(corpus)[cut]
    assert corpus[cut].table.schema == corpus.table.schema


@pytest.mark.parametrize("suffix", FORMATS)
def test_an_empty_corpus_is_written_and_read(tmp_path, suffix):
    empty = Corpus(rich_corpus().table.slice(0, 0))
    path = tmp_path / f"empty.{suffix}"
    assert write_batches([empty.table], path) == 0
    assert path.exists()
    assert len(read_corpus(path)) == 0


@pytest.mark.parametrize("suffix", ["jsonl", "txt"])
def test_an_empty_file_is_an_empty_corpus(tmp_path, suffix):
    (tmp_path / f"empty.{suffix}").write_text("")
    assert len(read_corpus(tmp_path / f"empty.{suffix}")) == 0


# --- what is in a file -------------------------------------------------------------------------


def test_a_text_is_never_taken_for_a_number_a_date_or_nothing(tmp_path):
    (tmp_path / "a.csv").write_text("id,text,target\n007,1e5,NA\n010,2020-01-01,null\n")
    corpus = read_corpus(tmp_path / "a.csv")
    assert corpus.column("id") == ["007", "010"]
    assert corpus.column("text") == ["1e5", "2020-01-01"]
    assert corpus.column("target") == ["NA", "null"]


def test_a_text_under_another_name_is_no_number_either(tmp_path):
    (tmp_path / "a.csv").write_text("key,sentence\n007,1\n010,2\n")
    corpus = read_corpus(tmp_path / "a.csv", rename={"key": "id", "sentence": "text"})
    assert corpus.column("id") == ["007", "010"]
    assert corpus.column("text") == ["1", "2"]


def test_dates_in_json_stay_as_they_are_written(tmp_path):
    rows = [
        {"when": "2015-01-01", "id": "2015-01-01 10:00:00", "tokens": ["2020-01-01"], "label": 1},
        {"when": "2016-02-03", "id": "2015-01-01T10:00:00Z", "tokens": [], "label": 0},
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = read_corpus(tmp_path / "a.jsonl", rename={"when": "text"})
    assert corpus.names == ("text", "id", "tokens", "label")
    assert corpus.column("text") == ["2015-01-01", "2016-02-03"]
    assert corpus.column("id") == ["2015-01-01 10:00:00", "2015-01-01T10:00:00Z"]
    assert corpus.column("tokens") == [["2020-01-01"], []]


def test_a_file_without_header_gets_names(tmp_path):
    (tmp_path / "a.tsv").write_text("1\tit's \"good\n0\tbad, bad\n")
    corpus = read_corpus(tmp_path / "a.tsv", names=["label", "text"])
    assert corpus.column("text") == ["it's \"good", "bad, bad"]
    assert corpus.column("label") == [1, 0]


def test_columns_are_renamed_and_others_carried_along(tmp_path):
    (tmp_path / "a.csv").write_text("review,stars\nfine,3\n")
    corpus = read_corpus(tmp_path / "a.csv", rename={"review": "text", "stars": "label"})
    assert corpus[0] == {"id": "0", "text": "fine", "label": 3}


def test_rows_and_lines_longer_than_a_block_are_read(tmp_path):
    long = "word " * 600_000
    corpus = Corpus.from_columns(text=["a", long, "b"])
    for suffix in ("jsonl", "csv", "tsv", "txt"):
        write_corpus(corpus, tmp_path / f"long.{suffix}")
        assert read_corpus(tmp_path / f"long.{suffix}").column("text") == ["a", long, "b"]


def test_a_label_that_turns_from_number_to_name_late_is_a_name_throughout(tmp_path):
    rows = [*((f"{i}", f"text number {i} of many") for i in range(60_000)), ("x", "last")]
    lines = "".join(f"{label}\t{text}\n" for label, text in rows)
    (tmp_path / "a.tsv").write_text("label\ttext\n" + lines)
    labels = read_corpus(tmp_path / "a.tsv").column("label")
    assert labels[0] == "0"
    assert labels[-1] == "x"


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "txt"])
def test_the_byte_order_mark_of_other_programs_is_no_part_of_the_text(tmp_path, suffix):
    content = {
        "csv": "text,label\r\nhello,1\r\n",
        "tsv": "text\tlabel\r\nhello\t1\r\n",
        "jsonl": '{"text": "hello", "label": 1}\r\n',
        "txt": "hello\r\n",
    }[suffix]
    (tmp_path / f"a.{suffix}").write_bytes(b"\xef\xbb\xbf" + content.encode())
    assert read_corpus(tmp_path / f"a.{suffix}").column("text") == ["hello"]


def test_parquet_of_other_programs_is_read(tmp_path):
    table = pa.table(
        {
            "sentence": pa.array(["a", "b", "a"]).dictionary_encode(),
            "label": pa.array([1, 0, 1], pa.int8()),
        }
    )
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    corpus = read_corpus(tmp_path / "a.parquet", rename={"sentence": "text"})
    assert corpus.column("text") == ["a", "b", "a"]
    assert corpus.column("label") == [1, 0, 1]


def test_a_dash_is_json_lines_on_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "a"}\n')))
    assert read_corpus("-").column("text") == ["a"]


def test_part_of_a_provenance_is_enough(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "a", "provenance": {"method": "hand"}}\n')
    provenance = read_corpus(tmp_path / "a.jsonl")[0]["provenance"]
    assert provenance == {**dict.fromkeys(PROVENANCE.names), "method": "hand"}


# --- faults ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"text": "a"}\n{"text":\n', "JSON parse error"),
        ("a.jsonl", b'{"text": "a"}\n{"text": 1}\n', "holds strings and numbers in one"),
        ("a.jsonl", b"[1, 2]\n", "not an array of objects"),
        ("a.jsonl", b"hello\n", "JSON parse error"),
        ("a.jsonl", b'{"text": "a", "text": "b"}\n', "twice"),
        ("a.jsonl", b'{"label": 1}\n', "has no column 'text'"),
        ("a.jsonl", b'{"text": "a", "tokens": "b"}\n', "column 'tokens' does not hold list"),
        ("a.jsonl", b'{"text": "a", "tokens": {"b": 1}}\n', "column 'tokens' does not hold list"),
        ("a.jsonl", b'{"text": "a", "provenance": "b"}\n', "column 'provenance' does not hold"),
        ("a.csv", b"text,label\na,1\nb\n", "Expected 2 columns, got 1"),
        ("a.csv", b'text,label\n"a,1\n', "a quote opens a cell, and is not closed"),
        ("a.csv", b"", "Empty CSV file"),
        ("a.csv", b"text,text\na,b\n", "the columns 1 and 2 have one name, 'text'"),
        ("a.csv", b"score,mark\na,b\n", "has no column 'text'"),
        ("a.csv", b"text,heads\na,[1\n", "column 'heads' does not hold list"),
        ("a.csv", b"text,heads\na,\"[\"\"x\"\"]\"\n", "column 'heads' does not hold list"),
        ("a.tsv", b"text\tlabel\na\t1\t2\n", "Expected 2 columns, got 3"),
        ("a.parquet", b"", "Parquet"),
        ("a.parquet", b"PAR1 this is none PAR1", "Parquet"),
        ("a.arrow", b"this is no arrow file", "Arrow"),
    ],
)  # fmt: skip
def test_a_malformed_file_is_one_clear_error(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CorpusError, match=message) as caught:
        read_corpus(path)
    assert str(path) in str(caught.value)
    assert caught.value.hint
    assert len(str(caught.value).splitlines()) == 2


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_damaged_binary_file_is_one_clear_error(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    write_corpus(rich_corpus(), path)
    sound = path.read_bytes()
    damaged = bytes(byte ^ 0x55 for byte in sound[8:-300])
    for content in (sound[: len(sound) // 2], sound[:8] + damaged + sound[-300:]):
        path.write_bytes(content)
        with pytest.raises(CorpusError, match="does not follow the format"):
            read_corpus(path)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv", "txt"])
def test_a_byte_that_is_not_utf_8_is_located(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(b"text\ncaf\xe9\n")
    with pytest.raises(UnreadableInputError, match="byte 0xe9 is not utf-8 text") as caught:
        read_corpus(path)
    assert caught.value.where == f"{path}:2:4"


@pytest.mark.parametrize("name", ["a.html", "corpus", "a.gz", "a.jsonl.zip", ".csv"])
def test_a_name_that_tells_no_format_is_refused(tmp_path, name):
    (tmp_path / name).touch()
    message = "cannot be inferred from the file name|files .zip are neither read nor written"
    with pytest.raises(OptionError, match=message) as caught:
        read_corpus(tmp_path / name)
    (tmp_path / name).unlink()
    assert all(f".{suffix}" in str(caught.value) for suffix in (*FORMATS, *SENTENCES, "hf"))
    with pytest.raises(OptionError, match=message):
        write_corpus(rich_corpus(), tmp_path / name)
    with pytest.raises(OptionError, match=message):
        check_output(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UnreadableInputError, match=r"none\.csv: cannot read the file"):
        read_corpus(tmp_path / "none.csv")


def test_a_column_that_is_not_there_cannot_be_renamed(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\na,1\n")
    with pytest.raises(OptionError, match="no column 'sentence' to rename") as caught:
        read_corpus(tmp_path / "a.csv", rename={"sentence": "text"})
    assert "text, label" in str(caught.value)


def test_two_columns_cannot_get_one_name(tmp_path):
    (tmp_path / "a.csv").write_text("text,sentence\na,b\n")
    with pytest.raises(CorpusError, match="the columns 1 and 2 have one name, 'text'"):
        read_corpus(tmp_path / "a.csv", rename={"sentence": "text"})


LINES = {
    # the labels of three examples, the line at fault, and what is said of it
    "csv": 'id,text,label\n1,"a\n\nb",{}\n\n2,c,{}\n3,d,{}\n',
    "tsv": "id\ttext\tlabel\n1\ta\t{}\n\n2\tc\t{}\n3\td\t{}\n",
    "jsonl": '{{"id": "1", "text": "a", "label": {}}}\n\n{{"id": "2", "text": "c", "label": {}}}\n'
    '{{"id": "3", "text": "d", "label": {}}}\n',
}
STARTS = {"csv": (2, 6, 7), "tsv": (2, 4, 5), "jsonl": (1, 3, 4)}


@pytest.mark.parametrize("suffix", LINES)
@pytest.mark.parametrize(
    ("labels", "row", "message"),
    [
        (("0.5", "1", "0"), 0, "the label 0.5 is neither a class nor a distribution"),
        (("[0.5, 0.5]", "[0.5, 0.6]", "[1, 0]"), 1, "does not sum to 1"),
        (("[0.5, 0.5]", "[1, 0]", "[-0.5, 1.5]"), 2, "negative part"),
        (("[0.5, 0.5]", "[1]", "[1, 0]"), 1, "not over 2 classes"),
        (("[0.5, 0.5]", "[null, 1]", "[1, 0]"), 1, "(holds NaN|does not sum)"),
    ],
)
def test_a_label_that_is_none_is_named_with_its_line(tmp_path, suffix, labels, row, message):
    cells = labels
    if suffix == "csv":
        cells = tuple(f'"{label}"' for label in labels)
    path = tmp_path / f"a.{suffix}"
    path.write_text(LINES[suffix].format(*cells))
    with pytest.raises(CorpusError, match=message) as caught:
        read_corpus(path)
    assert caught.value.where == f"{path}:{STARTS[suffix][row]}"
    assert caught.value.hint


def test_a_label_that_is_nan_is_named_with_its_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "label": 1}\n{"text": "b", "label": NaN}\n')
    with pytest.raises(CorpusError, match=r"the label is not a number \(NaN\)") as caught:
        read_corpus(path)
    assert caught.value.where == f"{path}:2"
    # in CSV the cell is an empty one
    (tmp_path / "a.csv").write_text("text,label\na,1\nb,nan\nc,\n")
    assert read_corpus(tmp_path / "a.csv").column("label") == [1, None, None]


@pytest.mark.parametrize(
    ("label", "row", "message"),
    [
        (pa.array([1.0, float("nan")]), 1, "NaN"),
        (pa.array([1.0, 0.5]), 1, "the label 0.5 is neither"),
        (pa.array([None, 0.5]), 1, "the label 0.5 is neither"),
        (pa.array([[0.5, 0.5], [0.5, float("nan")]]), 1, "holds NaN"),
        (pa.array([{"a": "x"}, {"a": "y"}]), 0, "is neither"),
        (pa.array([{"a": 1}, {"a": 2}]), 1, "does not sum to 1"),
    ],
)
def test_a_label_of_a_table_is_named_with_its_row(tmp_path, label, row, message):
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pa.table({"text": ["a", "b"], "label": label}), path)
    with pytest.raises(CorpusError, match=message) as caught:
        read_corpus(path)
    assert caught.value.where == f"{path}, row {row + 1}"


def test_missing_labels_and_names_of_classes_are_read(tmp_path):
    for label in ([None, 1], [None, None], ["neg", "pos"], [None, [0.5, 0.5]]):
        path = tmp_path / "a.parquet"
        pyarrow.parquet.write_table(pa.table({"text": ["a", "b"], "label": label}), path)
        assert read_corpus(path).column("label") == label


@pytest.mark.parametrize("suffix", LINES)
def test_an_id_that_is_there_twice_is_named_with_both_lines(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    content = LINES[suffix].format(0, 1, 0)
    path.write_text(content.replace("3,d", "1,d").replace("3\td", "1\td").replace('"3"', '"1"'))
    with pytest.raises(CorpusError, match="the id '1' is there twice, first at") as caught:
        read_corpus(path)
    first, _, second = STARTS[suffix]
    assert caught.value.where == f"{path}:{second}"
    assert f"{path}:{first}" in caught.value.what


def test_an_id_that_is_missing_is_named_with_its_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "1", "text": "a"}\n{"text": "b"}\n')
    with pytest.raises(CorpusError, match="the id is missing") as caught:
        read_corpus(path)
    assert caught.value.where == f"{path}:2"


def test_columns_of_words_that_differ_in_length_are_named_with_their_line(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [
        {"text": "a b", "tokens": ["a", "b"], "tags": ["X", "Y"], "heads": [2, 0]},
        {"text": "a b", "tokens": ["a", "b"], "tags": ["X"], "heads": None},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(CorpusError, match="differ in length: 2 tokens, 1 tags, None") as caught:
        read_corpus(path)
    assert caught.value.where == f"{path}:2"


def test_what_a_method_refuses_is_named_with_its_line_too(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('text,label\n"a\nb",0\n\n" ",1\n')
    corpus = read_corpus(path)
    assert corpus.where(1) == f"{path}:5, example '1'"
    with pytest.raises(CorpusError, match="the text is empty") as caught:
        check_corpus(corpus)
    assert caught.value.where == f"{path}:5, example '1'"
    # training sends corpora to other processes
    assert pickle.loads(pickle.dumps(corpus)).where(1) == corpus.where(1)
    named = corpus.with_column("label", ["x", None])
    with pytest.raises(CorpusError, match="the label is missing") as caught:
        read_labels(named)
    assert caught.value.where == f"{path}:5, example '1'"


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.jsonl", '{"text": "a"}\n\n{"text":\n', None),
        ("a.jsonl", '{"text": "a"}\n\n{"text": 1}\n', 3),
        ("a.jsonl", '{"text": "a", "tokens": ["b"]}\n\n{"text": "a", "tokens": null}\n'
         '{"text": "a", "tokens": ["b", {"c": 1}]}\n', 4),
        ("a.jsonl", '{"text": "a", "heads": [1.5]}\n', 1),
        ("a.csv", "text,label\na,1\n\nb\n", 4),
        ("a.csv", 'text,heads\n"a\nb",[1]\na,[1\n', 4),
        ("a.tsv", "text\tlabel\na\t1\na\t1\t2\n", 3),
        ("a.tsv", "text\theads\na\t[1]\na\t[x]\n", 3),
        ("a.mrg", "(S (NP a))\n(S (NP b)))\n", "2:11"),
    ],
)  # fmt: skip
def test_a_fault_of_the_format_is_located(tmp_path, name, content, line):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(TreewrightError) as caught:
        read_corpus(path)
    assert caught.value.where.startswith(str(path) if line is None else f"{path}:{line}")


def test_a_format_that_there_is_not(tmp_path):
    with pytest.raises(OptionError, match="there is no format 'conlu'") as caught:
        read_corpus(tmp_path / "a.txt", format="conlu")
    assert caught.value.hint == "did you mean 'conllu'?"
    with pytest.raises(OptionError, match="there is no format 'xml'"):
        write_corpus(rich_corpus(), tmp_path / "a", format="xml")


# --- trees and SCAN lines ------------------------------------------------------------------------

TREES = "(3 (2 It) (4 (2 is) (4 (2 a) (4 gem))))\n(0 (1 (2 Not) (3 good)) (2 -RRB-))\n"


@pytest.mark.parametrize("suffix", ["mrg", "ptb"])
def test_trees_are_read_and_written(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    path.write_text("( (S (NP We)\n   (VP slept)) )\n(S (VP Go))")
    corpus = read_corpus(path)
    assert corpus.column("text") == ["We slept", "Go"]
    assert corpus.column("tree") == ["(S (NP We) (VP slept))", "(S (VP Go))"]
    write_corpus(corpus, path)
    assert path.read_text() == "(S (NP We) (VP slept))\n(S (VP Go))\n"
    assert read_corpus(path).table.equals(corpus.table)
    assert corpus_of_trees(Treebank.read(path)).table.equals(corpus.table)


def test_sentiment_trees_are_read_and_written(tmp_path):
    for name, format in (("a.sst", None), ("a.txt", "sst")):
        path = tmp_path / name
        path.write_text(TREES)
        corpus = read_corpus(path, format=format)
        assert corpus.column("label") == [3, 0]
        assert corpus.table.equals(read_sst(path).table)
        write_corpus(corpus, path, format=format)
        assert path.read_text() == TREES


@pytest.mark.parametrize(
    ("columns", "suffix", "message"),
    [
        ({"tree": ["(1 a"]}, "mrg", "does not hold one tree"),
        ({"tree": ["(1 a) (2 b)"]}, "mrg", "does not hold one tree"),
        ({"tree": [None]}, "mrg", "does not hold one tree"),
        ({"tree": ["(1 a)"], "label": [2]}, "sst", "the label 2 is not the class at the root"),
        ({"tree": ["(1 a)"], "label": [[0.5, 0.5]]}, "sst", "is not the class at the root"),
        ({"tree": ["(S a)"]}, "sst", "the label 'S' is not the class at the root"),
    ],
)
def test_trees_that_cannot_be_written(tmp_path, columns, suffix, message):
    with pytest.raises(CorpusError, match=message) as caught:
        write_corpus(Corpus.from_columns(text=["a"], **columns), tmp_path / f"a.{suffix}")
    assert caught.value.where == "example '0'"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("suffix", "column"), [("mrg", "tree"), ("sst", "tree"), ("conllu", "tokens")]
)
def test_a_format_needs_its_column(tmp_path, suffix, column):
    with pytest.raises(CorpusError, match=f"no column '{column}'"):
        write_corpus(Corpus.from_columns(text=["a"]), tmp_path / f"a.{suffix}")
    assert not list(tmp_path.iterdir())


def test_scan_lines_by_the_name_of_their_format(tmp_path):
    path = tmp_path / "tasks.txt"
    path.write_text("IN: walk OUT: I_WALK\n\nIN: run twice OUT: I_RUN I_RUN\n")
    corpus = read_corpus(path, format="scan")
    assert corpus.column("target") == ["I_WALK", "I_RUN I_RUN"]
    write_corpus(corpus, path, format="scan")
    assert path.read_text() == "IN: walk OUT: I_WALK\nIN: run twice OUT: I_RUN I_RUN\n"
    with pytest.raises(CorpusError, match="no column 'target'"):
        write_corpus(Corpus.from_columns(text=["a"]), path, format="scan")


# --- every format: what can be expressed comes back ----------------------------------------------

words = st.text("abé漢.,'\"", min_size=1, max_size=3)


@st.composite
def trees(draw, label):
    kids = draw(st.lists(st.deferred(lambda: trees(label)) | words, min_size=1, max_size=2))
    return f"({draw(label)} {' '.join(kids)})"


def tree_corpus(label):
    return st.lists(trees(label), min_size=1, max_size=3).map(
        lambda rows: corpus_of_trees(Treebank.parse("\n".join(rows)))
    )


lists = st.lists(words, max_size=3)
tables = st.lists(
    st.fixed_dictionaries(
        {
            "text": words,
            "target": words,
            "tokens": lists,
            "heads": st.lists(st.integers(0, 5), min_size=3, max_size=3),
        }
    ).map(lambda row: {**row, "heads": row["heads"][: len(row["tokens"])]}),
    min_size=1,
    max_size=3,
).map(
    lambda rows: Corpus.from_columns(
        **{name: [row[name] for row in rows] for name in rows[0]},
        label=pa.array([[0.25, 0.75]] * len(rows), pa.list_(pa.float32())),
    )
)
EXPRESSIBLE = {
    **dict.fromkeys(NESTED, tables),
    "txt": st.lists(words, min_size=1).map(lambda texts: Corpus.from_columns(text=texts)),
    "mrg": tree_corpus(st.sampled_from(["S", "NP-1", "漢"])),
    "ptb": tree_corpus(st.sampled_from(["S", "NP-1", "漢"])),
    "sst": tree_corpus(st.integers(0, 4)).map(
        lambda corpus: Corpus.from_columns(
            id=corpus.column("id"),
            text=corpus.column("text"),
            label=[int(tree[1 : tree.index(" ")]) for tree in corpus.column("tree")],
            tree=corpus.column("tree"),
        )
    ),
}


@pytest.mark.parametrize("suffix", EXPRESSIBLE)
@given(data=st.data())
@settings(max_examples=25)
def test_what_a_format_can_express_comes_back(tmp_path_factory, suffix, data):
    corpus = data.draw(EXPRESSIBLE[suffix])
    path = tmp_path_factory.mktemp("any") / f"a.{suffix}"
    write_corpus(corpus, path)
    back = read_corpus(path)
    assert back.names == corpus.names
    assert back.table.to_pylist() == corpus.table.to_pylist()
    # and again, as bytes
    written = path.read_bytes()
    write_corpus(back, path)
    assert path.read_bytes() == written


# --- Hugging Face --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def datasets():
    reason = "the library datasets is not installed: pip install 'treewright[hf]'"
    return pytest.importorskip("datasets", reason=reason)


def test_a_dataset_in_memory_comes_back(datasets):
    dataset = to_dataset(rich_corpus())
    assert isinstance(dataset, datasets.Dataset)
    assert dataset[0]["text"] == rich_corpus()[0]["text"]
    assert from_dataset(dataset).table.equals(rich_corpus().table)
    assert from_dataset(dataset.select([2, 0])).column("id") == ["é", "001"]
    assert to_dataset(rich_corpus())._fingerprint == dataset._fingerprint
    assert to_dataset(Corpus.from_columns(text=["a"]))._fingerprint != dataset._fingerprint


def test_a_dataset_of_others_is_renamed_and_its_classes_are_numbers(datasets):
    features = datasets.Features(
        {
            "sentence": datasets.Value("large_string"),
            "label": datasets.ClassLabel(names=["neg", "pos"]),
        }
    )
    dataset = datasets.Dataset.from_dict({"sentence": ["a", "b"], "label": [1, 0]}, features)
    corpus = from_dataset(dataset, rename={"sentence": "text"})
    assert corpus[0] == {"id": "0", "text": "a", "label": 1}
    with pytest.raises(CorpusError, match="has no column 'text'"):
        from_dataset(dataset.rename_column("sentence", "score"))
    assert from_dataset(dataset)[0] == {"id": "0", "text": "a", "label": 1}
    with pytest.raises(CorpusError, match="these are 2 datasets: train, test"):
        from_dataset(datasets.DatasetDict(train=dataset, test=dataset))
    with pytest.raises(CorpusError, match=r"list is no datasets\.Dataset"):
        from_dataset([{"text": "a"}])


def test_a_saved_dataset_is_read_and_written(datasets, tmp_path):
    path = tmp_path / "a.hf"
    write_corpus(rich_corpus(), path)
    assert datasets.load_from_disk(path)["id"][:] == rich_corpus().column("id")
    assert read_corpus(path).table.equals(rich_corpus().table)
    first = {file.name: file.read_bytes() for file in path.iterdir()}
    table = rich_corpus().table
    assert write_batches([table.slice(0, 1), table.slice(1)], path) == 3
    assert {file.name: file.read_bytes() for file in path.iterdir()} == first
    assert [file.name for file in tmp_path.iterdir()] == ["a.hf"]
    write_corpus(rich_corpus(), tmp_path / "named", format="hf")
    assert len(read_corpus(tmp_path / "named")) == 3


def test_a_shard_of_a_dataset_is_an_arrow_stream(datasets, tmp_path):
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["no", "yes"])}
    )
    rows = {"text": ["a b", "c d", "e f"], "label": [0, 1, 1]}
    datasets.Dataset.from_dict(rows, features).save_to_disk(tmp_path / "of", num_shards=2)
    whole = read_corpus(tmp_path / "of")
    assert (whole.column("text"), whole.column("label")) == (rows["text"], rows["label"])
    shards = [read_corpus(path) for path in sorted((tmp_path / "of").glob("*.arrow"))]
    assert [row["text"] for shard in shards for row in shard] == rows["text"]
    assert shards[0].table.schema.metadata is None


def _films(datasets):
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    texts = ["a good film that ends well", "a bad film that goes on", "a good book on all of it"]
    rows = {"text": texts, "label": [1, 0, 1]}
    return datasets.Dataset.from_dict(rows, features)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".hf"])
def test_names_of_classes_go_through_files(datasets, tmp_path, suffix):
    given, again = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    write_corpus(read_corpus(_films(datasets)), given)
    corpus = read_corpus(given)
    assert corpus.column("label") == [1, 0, 1]
    write_corpus(corpus[1:], again)
    found = read_corpus(again).to_dataset().features["label"]
    assert found == datasets.ClassLabel(names=["neg", "pos"])
    made = augment(again, "aeda", n=2, keep_originals=True)
    assert made.class_names == ("neg", "pos")
    write_corpus(made.corpus, tmp_path / f"c{suffix}")
    assert read_corpus(tmp_path / f"c{suffix}").to_dataset().features["label"] == found


def test_the_library_reads_names_of_classes_in_parquet(datasets, tmp_path):
    write_corpus(read_corpus(_films(datasets)), tmp_path / "a.parquet")
    read = datasets.Dataset.from_parquet(str(tmp_path / "a.parquet"), cache_dir=str(tmp_path))
    assert read.features["label"] == datasets.ClassLabel(names=["neg", "pos"])
    read.to_parquet(tmp_path / "b.parquet")
    found = read_corpus(tmp_path / "b.parquet").to_dataset()
    assert found.features["label"].names == ["neg", "pos"]


def test_other_formats_say_that_names_of_classes_are_left_out(datasets, tmp_path):
    said = []
    with heard_by(said.append):
        write_corpus(read_corpus(_films(datasets)), tmp_path / "a.csv")
        write_corpus(Corpus.from_columns(text=["a"], label=[1]), tmp_path / "b.csv")
    (told,) = said
    assert "has numbers of classes, without their names (neg, pos)" in told


def test_names_are_those_of_their_own_column(datasets):
    corpus = read_corpus(_films(datasets))
    other = corpus.with_column("label", [0, 1, 2]).to_dataset()
    assert other.features["label"] == datasets.Value("int64")
    mixed = augment(corpus, "randmix", n=1).to_dataset()
    assert not hasattr(mixed.features["label"], "names")


def test_sets_of_named_classes_have_their_names(datasets, tmp_path):
    several = datasets.Sequence(datasets.ClassLabel(names=["sad", "odd"]))
    features = datasets.Features({"text": datasets.Value("string"), "labels": several})
    rows = {"text": ["a good film", "a bad film", "a book"], "labels": [[1], [0, 1], []]}
    dataset = datasets.Dataset.from_dict(rows, features)
    dataset.to_parquet(tmp_path / "a.parquet")
    for source in (dataset, tmp_path / "a.parquet"):
        assert read_corpus(source).column("label") == [["odd"], ["sad", "odd"], []]


@pytest.mark.parametrize(
    "noted",
    [
        b"{", b"[]", b'{"info": {"features": []}}', b'{"info": {"features": {"label": 3}}}',
        b'{"info": {"features": {"label": {"names": ["a", "a"]}}}}',
        b'{"info": {"features": {"label": {"names": [1, 2]}}}}',
        b'{"info": {"features": {"label": {"names": ["one"]}}}}',
        b'{"info": {"features": {"text": {"names": ["a", "b"]}}}}',
    ],
)  # fmt: skip
def test_names_that_do_not_fit_are_none(tmp_path, noted):
    table = pa.table({"text": ["a", "b"], "label": [0, 1]}).replace_schema_metadata(
        {b"huggingface": noted}
    )
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    corpus = read_corpus(tmp_path / "a.parquet")
    assert class_names_of(corpus.table) == ()
    assert corpus.column("label") == [0, 1]


def test_folders_that_hold_no_one_dataset(datasets, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kept.txt").write_text("kept")
    for name in ("mine", "none.hf"):
        with pytest.raises(UnreadableInputError, match="no folder of a Hugging Face dataset"):
            read_corpus(tmp_path / name)
    with pytest.raises(OutputError, match="something else"):
        write_corpus(rich_corpus(), tmp_path / "mine", format="hf")
    assert (tmp_path / "mine" / "kept.txt").read_text() == "kept"
    with pytest.raises(OutputError, match="cannot write the folder"):
        write_corpus(rich_corpus(), tmp_path / "nowhere" / "a.hf")
    datasets.DatasetDict(train=to_dataset(rich_corpus())).save_to_disk(tmp_path / "both")
    with pytest.raises(CorpusError, match="several datasets: train") as caught:
        read_corpus(tmp_path / "both")
    assert str(tmp_path / "both" / "train") in caught.value.hint
    (tmp_path / "both" / "train" / "data-00000-of-00001.arrow").write_bytes(b"damaged")
    with pytest.raises(CorpusError, match="does not hold a whole dataset"):
        read_corpus(tmp_path / "both" / "train")


def test_without_the_library_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingDataError, match="not installed") as caught:
        to_dataset(rich_corpus())
    assert caught.value.hint == to_install("hf")


# --- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_bytes_do_not_show_how_the_rows_came(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(formats, "_ROWS_A_GROUP", 1000)
    count = 2_500  # more than two groups of rows
    table = Corpus.from_columns(
        text=[f"text {i}" for i in range(count)], heads=pa.array([[i, 0] for i in range(count)])
    ).table
    contents = set()
    for number, (size, workers) in enumerate(
        [(count, 1), (1000, 1), (999, 1), (999, 2), (700, 1), (1, 1), (2000, 2)]
    ):
        path = tmp_path / f"{number}.{suffix}"
        batches = (table.slice(at, size) for at in range(0, count, size))
        assert write_batches(batches, path, workers=workers) == count
        contents.add(path.read_bytes())
    assert len(contents) == 1


@pytest.mark.parametrize("suffix", [*SENTENCES, "scan"])
def test_the_bytes_of_sentences_do_not_show_how_they_came(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(formats, "_ROWS_A_GROUP", 10)
    table = Corpus.from_columns(
        text=["a b"] * 25,
        tokens=[["a", "b"]] * 25,
        tree=["(1 a b)"] * 25,
        target=[f"x{i}" for i in range(25)],
    ).table
    format = suffix if suffix == "scan" else None
    contents = set()
    for size in (25, 10, 7, 1):
        path = tmp_path / f"{size}.{suffix}"
        write_batches((table.slice(at, size) for at in range(0, 25, size)), path, format=format)
        contents.add(path.read_bytes())
    assert len(contents) == 1


@given(cuts=st.lists(st.integers(0, 3), max_size=5))
@settings(max_examples=30, deadline=None)
def test_empty_batches_among_the_others_do_not_show(tmp_path_factory, cuts):
    folder = tmp_path_factory.mktemp("cuts")
    table = rich_corpus().table
    batches = [
        table.slice(a, b - a) for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), 3], strict=True)
    ]
    for suffix in ("arrow", "parquet", "csv"):
        write_batches(batches, folder / f"cut.{suffix}")
        write_batches([table], folder / f"whole.{suffix}")
        cut, whole = folder / f"cut.{suffix}", folder / f"whole.{suffix}"
        assert cut.read_bytes() == whole.read_bytes()


def test_there_must_be_a_batch(tmp_path):
    with pytest.raises(CorpusError, match="no batches"):
        write_batches([], tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_fault_half_way_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, suffix, fault, workers
):
    monkeypatch.setattr(formats, "_ROWS_A_GROUP", 50)  # so that rows are on disk by then
    table = Corpus.from_columns(text=["a"] * 70).table
    path = tmp_path / f"a.{suffix}"
    path.write_text("old")

    def batches():
        yield table
        yield table
        raise fault

    with pytest.raises(fault):
        write_batches(batches(), path, workers=workers)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


@pytest.mark.parametrize("workers", [1, 2])
def test_what_cannot_be_written_ends_the_drawing(tmp_path, monkeypatch, workers):
    monkeypatch.setattr(formats, "_ROWS_A_GROUP", 1)
    taken = []

    def batches():
        for number in range(50):
            taken.append(number)
            yield pa.table({"id": [str(number)], "text": ["a\tb" if number == 3 else "a"]})

    with pytest.raises(CorpusError, match="holds a tab") as caught:
        write_batches(batches(), tmp_path / "a.tsv", workers=workers)
    assert caught.value.where == "id 3"
    assert len(taken) < 10
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_folder_that_is_not_there_is_no_place_to_write(tmp_path, suffix):
    with pytest.raises(OutputError, match="cannot write the file"):
        write_corpus(rich_corpus(), tmp_path / "nowhere" / f"a.{suffix}")
    assert not list(tmp_path.iterdir())


def test_a_path_that_is_a_folder_cannot_be_written(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(OutputError, match="cannot write the file"):
        write_corpus(rich_corpus(), tmp_path / "a.csv")
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "a\rb"])
def test_tsv_refuses_what_it_cannot_express(tmp_path, text):
    corpus = Corpus.from_columns(id=["x", "y"], text=["fine", text])
    with pytest.raises(CorpusError, match="id y: a value holds a tab or a line break"):
        write_corpus(corpus, tmp_path / "a.tsv")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["a\nb", "a\r", None])
def test_plain_text_refuses_what_is_not_one_line(tmp_path, text):
    with pytest.raises(CorpusError, match="not one line"):
        write_corpus(Corpus.from_columns(text=["fine", text]), tmp_path / "a.txt")
    assert not list(tmp_path.iterdir())


# --- real files --------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "count"), [("train", 2_490), ("dev", 277), ("test", 3_000)])
def test_rte_has_its_published_size(data_folder, part, count):
    corpus = read_corpus(
        data_folder / "rte" / f"{part}.tsv.gz",
        rename={"index": "id", "sentence1": "text", "sentence2": "text_pair"},
    )
    assert len(corpus) == count
    assert corpus.column("id") == [str(i) for i in range(count)]
    assert all(corpus.column("text"))
    assert all(corpus.column("text_pair"))
    if part != "test":
        assert set(corpus.column("label")) == {"entailment", "not_entailment"}


@pytest.mark.parametrize(("part", "count"), [("train", 67_349), ("dev", 872), ("test", 1_821)])
def test_sst2_has_its_published_size(data_folder, part, count):
    rename = {"sentence": "text"} | ({"index": "id"} if part == "test" else {})
    corpus = read_corpus(data_folder / "sst2" / f"glue_{part}.tsv.gz", rename=rename)
    assert len(corpus) == count
    if part != "test":
        assert set(corpus.column("label")) == {0, 1}


@pytest.mark.parametrize(("part", "count"), [("train", 8_544), ("dev", 1_101), ("test", 2_210)])
def test_sst_has_its_published_size_and_comes_back(data_folder, tmp_path, part, count):
    corpus = read_corpus(data_folder / "sst" / f"{part}.txt.gz", format="sst")
    assert len(corpus) == count
    assert set(corpus.column("label")) == {0, 1, 2, 3, 4}
    write_corpus(corpus, tmp_path / "a.sst")
    assert read_corpus(tmp_path / "a.sst").table.equals(corpus.table)


def test_scan_has_its_published_size(data_folder):
    corpus = read_corpus(data_folder / "scan" / "tasks.txt.gz", format="scan")
    assert len(corpus) == 20_910


@pytest.mark.parametrize("data", [{"text": ["a b"]}, ["a b"], "a b", None])
def test_a_corpus_of_what_is_no_table_names_what_reads_it(data):
    with pytest.raises(CorpusError, match="made of a table of Arrow") as refused:
        Corpus(data)
    assert "read_corpus(data)" in str(refused.value.hint)
    if data is not None:
        assert read_corpus(data).column("text") == ["a b"]

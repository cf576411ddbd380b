"""Corpora as values and on disk: types, round trips, and faults that leave nothing behind."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError, OptionError, OutputError, UnreadableInputError
from induction import formats
from induction.corpus import COLUMNS, PROVENANCE, Corpus
from induction.formats import check_output, read_corpus, write_batches, write_corpus

FORMATS = ("jsonl", "csv", "tsv", "parquet", "arrow", "txt")
NESTED = ("jsonl", "csv", "tsv", "parquet", "arrow")

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
    for suffix in ("csv", "tsv", "parquet", "arrow"):
        write_corpus(corpus, tmp_path / f"corpus.{suffix}")
        back = read_corpus(tmp_path / f"corpus.{suffix}")
        assert back.table.schema.field("label").type == pa.list_(pa.float32())
        assert back.arrow("label").to_pylist() == soft.to_pylist()


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
        ("a.jsonl", b'{"text": "a"}\n{"text": 1}\n', "changed from string to number"),
        ("a.jsonl", b"[1, 2]\n", "JSON parse error"),
        ("a.jsonl", b"hello\n", "JSON parse error"),
        ("a.jsonl", b'{"text": "a", "text": "b"}\n', "twice"),
        ("a.jsonl", b'{"label": 1}\n', "has no column 'text'"),
        ("a.jsonl", b'{"text": "a", "tokens": "b"}\n', "column 'tokens' does not hold list"),
        ("a.jsonl", b'{"text": "a", "tokens": {"b": 1}}\n', "column 'tokens' does not hold list"),
        ("a.jsonl", b'{"text": "a", "provenance": "b"}\n', "column 'provenance' does not hold"),
        ("a.csv", b"text,label\na,1\nb\n", "Expected 2 columns, got 1"),
        ("a.csv", b'text,label\n"a,1\n', "CSV"),
        ("a.csv", b"", "Empty CSV file"),
        ("a.csv", b"text,text\na,b\n", "two columns have the name 'text'"),
        ("a.csv", b"sentence\na\n", "has no column 'text'"),
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


@pytest.mark.parametrize("name", ["a.xml", "corpus", "a.gz", "a.jsonl.zip", ".csv"])
def test_a_name_that_tells_no_format_is_refused(tmp_path, name):
    with pytest.raises(OptionError, match="does not tell a format") as caught:
        read_corpus(tmp_path / name)
    assert all(f".{suffix}" in str(caught.value) for suffix in FORMATS)
    with pytest.raises(OptionError, match="does not tell a format"):
        write_corpus(rich_corpus(), tmp_path / name)
    with pytest.raises(OptionError, match="does not tell a format"):
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
    with pytest.raises(CorpusError, match="two columns have the name 'text'"):
        read_corpus(tmp_path / "a.csv", rename={"sentence": "text"})


# --- writing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_bytes_do_not_show_how_the_rows_came(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(formats, "_ROWS_A_GROUP", 1000)
    count = 2_500  # more than two groups of rows
    table = Corpus.from_columns(
        text=[f"text {i}" for i in range(count)], heads=pa.array([[i, 0] for i in range(count)])
    ).table
    contents = set()
    for number, size in enumerate([count, 1000, 999, 700, 1, 2000]):
        path = tmp_path / f"{number}.{suffix}"
        batches = (table.slice(at, size) for at in range(0, count, size))
        assert write_batches(batches, path) == count
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
def test_a_fault_half_way_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, suffix, fault
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
        write_batches(batches(), path)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_text() == "old"


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

"""Corpora, grammars and treebanks by URL, and corpora of many files."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet
import pytest

from grammar.errors import CorpusError, OptionError, UnreadableInputError
from grammar.files import write_text
from grammar.opening import open_grammar
from grammar.pcfg.grammar import Grammar
from grammar.storage.opening import place_of
from grammar.trees.treebank import Treebank
from induction.corpus import formats
from induction.corpus.corpus import Corpus
from induction.corpus.formats import FORMATS, read_corpus, write_batches, write_corpus
from induction.corpus.readers import read_reviews, read_treebank
from sampling import WordDrop
from sampling.opening import open_sampler

REVIEWS = Corpus(read_reviews().table.slice(0, 40))
TREES = "(S (A a) (B b))\n(S (B b))\n"


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".parquet", ".arrow"])
def test_a_corpus_by_url_is_the_one_of_a_file(store, tmp_path, ending):
    write_corpus(REVIEWS, f"{store}/a{ending}")
    write_corpus(REVIEWS, tmp_path / f"a{ending}")
    with place_of(f"{store}/a{ending}").at_hand() as copy:
        assert copy.read_bytes() == (tmp_path / f"a{ending}").read_bytes()
    assert read_corpus(f"{store}/a{ending}").table.equals(REVIEWS.table)


def test_grammars_by_url_are_those_of_files(store):
    grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]")
    for name in ("g.json", "g.json.gz", "g.txt"):
        grammar.save(f"{store}/{name}")
        assert open_grammar(f"{store}/{name}").rules == grammar.rules
        assert Grammar.load(f"{store}/{name}").rules == grammar.rules
    sampler = WordDrop.induce(Corpus.from_columns(text=["a b c", "d e"]))
    sampler.grammar.save(f"{store}/g.arrow")
    assert open_sampler(f"{store}/g.arrow").sample(5).table == sampler.sample(5).table


def test_a_damaged_grammar_by_url_is_refused(store):
    for name in ("g.json", "g.arrow", "g"):
        write_text(f"{store}/{name}", "{")
        with pytest.raises(ValueError, match="g") as caught:
            open_grammar(f"{store}/{name}")
        assert caught.value.where.startswith(store)


def test_treebanks_by_url_are_those_of_files(store):
    for name in ("a.mrg", "b.mrg"):
        write_text(f"{store}/trees/{name}", TREES)
    write_text(f"{store}/trees/README.md", "no tree")
    assert len(read_treebank(f"{store}/trees/a.mrg")) == 2
    assert len(read_treebank(f"{store}/trees")) == len(read_treebank(f"{store}/trees/*.mrg")) == 4
    Treebank.parse(TREES).save(f"{store}/t.arrow")
    assert str(read_treebank(f"{store}/t.arrow")[0]) == "(S (A a) (B b))"


def test_a_folder_of_hugging_face_by_url(store):
    pytest.importorskip("datasets")
    write_corpus(REVIEWS, f"{store}/a.hf")
    assert read_corpus(f"{store}/a.hf").column("text") == REVIEWS.column("text")


# --- many files ---------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch) -> None:
    monkeypatch.setattr(formats, "SHARD", 15)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ending", [".jsonl", ".parquet", ".csv"])
@pytest.mark.parametrize("workers", [1, 2])
def test_many_files_are_one_corpus(anywhere, ending, workers):
    name = f"{anywhere}/new-*{ending}"
    # however the rows come, the files are the same
    batches = [REVIEWS.table.slice(0, 7), REVIEWS.table.slice(7)]
    assert write_batches(batches, name, workers=workers) == 40
    files = place_of(anywhere).files()
    assert list(files) == [f"new-0000{number}{ending}" for number in range(3)]
    assert [len(read_corpus(file.name)) for file in files.values()] == [15, 15, 10]
    for source in (name, anywhere):
        assert read_corpus(source).table.equals(REVIEWS.table)


def test_empty_tables_make_one_file(tmp_path):
    assert write_batches([REVIEWS.table.slice(0, 0)], tmp_path / "new-*.jsonl") == 0
    assert [path.name for path in tmp_path.iterdir()] == ["new-00000.jsonl"]


def test_a_row_of_many_files_is_found(tmp_path):
    (tmp_path / "a-0.jsonl").write_text('{"id": "x", "text": "a"}\n{"id": "y", "text": "b"}\n')
    (tmp_path / "a-1.jsonl").write_text('{"id": "z", "text": "c"}\n{"id": "x", "text": "d"}\n')
    with pytest.raises(CorpusError, match="first at .*a-0.jsonl:1") as caught:
        read_corpus(tmp_path / "a-*.jsonl")
    assert caught.value.where == f"{tmp_path}/a-1.jsonl:2"


def test_files_of_different_columns_are_one_corpus_if_types_agree(tmp_path):
    (tmp_path / "a-0.jsonl").write_text('{"text": "a", "label": 1, "page": null}\n')
    (tmp_path / "a-1.jsonl").write_text('{"text": "b", "label": 2, "page": "two"}\n')
    assert read_corpus(tmp_path / "a-*.jsonl").column("page") == [None, "two"]
    (tmp_path / "a-2.jsonl").write_text('{"text": "b", "label": "bad", "page": "two"}\n')
    with pytest.raises(CorpusError, match="do not have the same columns"):
        read_corpus(tmp_path / "a-*.jsonl")


def test_a_folder_of_several_formats_is_refused(tmp_path):
    write_corpus(REVIEWS, tmp_path / "a.jsonl")
    write_corpus(REVIEWS, tmp_path / "a.csv")
    with pytest.raises(OptionError, match=r"several formats: \.csv, \.jsonl") as caught:
        read_corpus(tmp_path)
    assert caught.value.hint == f"name those of one, such as {tmp_path}/*.csv"


def test_a_star_that_no_file_has(anywhere):
    with pytest.raises(UnreadableInputError, match="there are no such files"):
        read_corpus(f"{anywhere}/new-*.jsonl")


def test_groups_of_rows_are_read_one_after_the_other(tmp_path, monkeypatch):
    table = REVIEWS.table.select(["id", "text"])
    pa.parquet.write_table(table, tmp_path / "a.parquet", row_group_size=9)
    read, whole = [], pa.parquet.ParquetFile.read_row_group
    monkeypatch.setattr(
        pa.parquet.ParquetFile,
        "read_row_group",
        lambda self, number: (read.append(number), whole(self, number))[1],
    )
    assert read_corpus(tmp_path / "a.parquet").table.equals(table)
    assert read == [0, 1, 2, 3, 4]


def test_every_format_can_be_many_files(anywhere):
    written = {name for name, one in FORMATS.items() if one.needs is None and one.is_written}
    for name in written:
        path = f"{anywhere}/{name}-*.{name}"
        write_batches([REVIEWS.table.select(["id", "text"])], path, format=name)
        assert read_corpus(path, format=name).column("text") == REVIEWS.column("text")

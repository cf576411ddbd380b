"""Files that hold no text: told by how they begin, whatever they are called."""

from __future__ import annotations

import gzip

import pytest

from grammar.errors import OptionError, UnreadableInputError
from grammar.storage.signatures import SIGNATURES, signature_of, signature_of_suffix
from induction import read_corpus

_BEGINNINGS = [
    (b"PK\x03\x04\x14\0\x06\0", "a ZIP archive", "save its texts as .csv"),
    (gzip.compress(b"text,label\n"), "compressed by gzip", "end its name in .gz"),
    (b"\x80\x04\x95\x10\0\0", "a pickle", ".parquet"),
    (b"\x93NUMPY\x01\0v\0{}", "an array of NumPy", ".csv"),
    (b"\x89HDF\r\n\x1a\n\0\0", "HDF5", ".parquet"),
    (b"SQLite format 3\0\x10\0", "a database of SQLite", ".csv"),
    (b"\x89PNG\r\n\x1a\n\0\0", r"a picture \(PNG\)", "texts"),
    (b"\x7fELF\x02\x01\x01\0", r"a program \(ELF\)", "file of texts"),
    (b"PAR1\x15\x04\x15\x10" + bytes(30), "a table in Parquet under another name", ".parquet"),
    (b"<stata_dta><header>", "data of Stata", ".csv"),
    (b"\n<!DOCTYPE html>\n<html>", "a web page", "fetch the file itself"),
]


@pytest.mark.parametrize("name", ["data.csv", "data.txt", "data.jsonl", "data.unknown", "data"])
@pytest.mark.parametrize(("begins", "what", "hint"), _BEGINNINGS)
def test_what_a_file_is_is_said_whatever_its_name(tmp_path, name, begins, what, hint):
    file = tmp_path / name
    file.write_bytes(begins)
    with pytest.raises(UnreadableInputError, match=f"this is {what}") as found:
        read_corpus(file)
    assert hint in found.value.hint


def test_what_is_read_is_not_refused_where_it_is_named(tmp_path):
    read_corpus(["a film"]).table.to_pandas().to_parquet(tmp_path / "rows.csv")
    with pytest.raises(UnreadableInputError, match="end its name in .parquet"):
        read_corpus(tmp_path / "rows.csv")
    assert read_corpus(tmp_path / "rows.csv", format="parquet").column("text") == ["a film"]


def test_words_at_the_front_of_a_text_are_no_marks(tmp_path):
    for first in ("PAR1 is a receptor", "GIF89a is a format", "Rar! he said", "MZ", "RIFF"):
        (tmp_path / "a.txt").write_text(f"{first}\nso it is\n")
        assert read_corpus(tmp_path / "a.txt").column("text")[0] == first


@pytest.mark.parametrize("suffix", sorted(end for one in SIGNATURES for end in one.suffixes))
def test_every_ending_has_a_hint(suffix, tmp_path):
    found = signature_of_suffix(suffix)
    (tmp_path / f"data{suffix}").write_bytes(b"some words\n")
    with pytest.raises(OptionError) as error:
        read_corpus(tmp_path / f"data{suffix}")
    assert found.hint in error.value.hint


def test_each_mark_is_of_the_kind_that_has_it():
    for one in SIGNATURES:
        for mark in one.begins:
            data = bytes(one.at) + mark
            assert signature_of(data) is one
            assert (signature_of(data, text=False) is None) == one.is_read

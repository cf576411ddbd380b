"""Names that no file can have, and names in files, which lead nowhere but into their folder."""

from __future__ import annotations

import os

import pytest

from grammar.errors import OptionError, SchemaError
from grammar.files import (
    atomic_output,
    check_free,
    made_folder,
    nothing_overwritten,
    read_text,
    same_file,
    write_text,
)
from grammar.storage.inside import check_links, file_inside
from grammar.storage.location import LONGEST_NAME
from grammar.storage.opening import place_of
from induction.corpus.formats import read_corpus, write_corpus
from induction.corpus.readers import read_treebank

IMPOSSIBLE = {
    "NUL": "a\0b.jsonl",
    "half a character": "a\ud800.jsonl",
    "too long": "a" * (LONGEST_NAME + 1) + ".jsonl",
    "too long in bytes": "é" * LONGEST_NAME + "/b.jsonl",
}


def _write(path: str) -> None:
    with atomic_output(path):
        pass


USES = {
    "read": read_text,
    "write": lambda path: write_text(path, "a"),
    "output": _write,
    "folder": made_folder,
    "place": place_of,
    "corpus": read_corpus,
    "new corpus": lambda path: write_corpus(read_corpus(["a b"]), path),
    "treebank": read_treebank,
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
@pytest.mark.parametrize("use", USES)
def test_a_name_that_no_file_can_have_is_one_error(tmp_path, use, name):
    if use == "folder" and name.startswith("too long"):
        pytest.skip("a folder is made by the system, which says it")
    with pytest.raises(OptionError, match="no file can have this name") as caught:
        USES[use](f"{tmp_path}/{IMPOSSIBLE[name]}")
    assert str(caught.value).isascii()
    assert len(str(caught.value)) < 600
    assert os.listdir(tmp_path) == []


def test_a_text_that_is_no_name_leads_to_no_file(tmp_path):
    path = tmp_path / "a"
    path.write_text("a")
    for text in IMPOSSIBLE.values():
        assert not same_file(path, text)
        with nothing_overwritten(force=True, given=[text]):
            check_free(path)


def test_bytes_that_are_no_text_are_a_name_where_the_system_has_them(tmp_path):
    if os.fsencode("\udcff") != b"\xff":
        pytest.skip("names are text here")
    path = tmp_path / "a\udcff.txt"
    write_text(path, "a")
    assert read_text(path) == "a"


# --- names in files ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", [
    "../a", "a/../../b", "/etc/passwd", "C:a", "C:\\a", "\\\\host\\a", "..\\a", "s3://bucket/a",
    "file:///etc/passwd", "a\0b", "a\ud800", "", None, 3, True, [], {}, ["a"], "..", "x" * 300,
])  # fmt: skip
def test_a_name_outside_of_its_folder_is_refused(tmp_path, name):
    with pytest.raises(SchemaError, match="set.json, files") as caught:
        file_inside(tmp_path, name, "set.json, files")
    assert "put the file into the folder" in caught.value.hint


@pytest.mark.parametrize("name", ["a", "a/b", "a..b", "..a", "ab:c", "a.arrow"])
def test_a_name_in_its_folder_is_its_path(tmp_path, name):
    assert file_inside(tmp_path, name, "") == f"{tmp_path}/{name}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_links_stay_in_the_folder_and_nothing_waits_for_a_pipe(tmp_path):
    folder, other = tmp_path / "set", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (other / "b").write_text("b")
    (folder / "own").write_text("a")
    (folder / "within").symlink_to("own")
    (folder / "out").symlink_to(other / "b")
    (folder / "folder").symlink_to(other)
    (folder / "nowhere").symlink_to("absent")
    os.mkfifo(folder / "pipe")
    (folder / "device").symlink_to("/dev/zero")
    for name in ("own", "within", "nowhere", "absent"):
        assert file_inside(folder, name, "") == f"{folder}/{name}"
    for name in ("out", "folder/b", "pipe", "device", "folder"):
        with pytest.raises(SchemaError):
            file_inside(folder, name, "")
    # the folder itself may be behind a link: a person named it
    (tmp_path / "link").symlink_to(folder)
    check_links(tmp_path / "link", tmp_path / "link" / "own", "")


def test_files_of_a_folder_are_not_links_out_of_it(tmp_path):
    (tmp_path / "secret.jsonl").write_text('{"text": "a secret"}\n')
    (tmp_path / "secret.mrg").write_text("(S (A a))\n")
    (tmp_path / "set").mkdir()
    for name in ("secret.jsonl", "secret.mrg"):
        (tmp_path / "set" / name).symlink_to(tmp_path / name)
    for read in (read_corpus, read_treebank):
        with pytest.raises(SchemaError, match="a symbolic link leads from"):
            read(tmp_path / "set")
    # a name that the person gives may be a link
    assert read_corpus(tmp_path / "set" / "secret.jsonl").column("text") == ["a secret"]

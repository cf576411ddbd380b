"""Files: one clear error, nothing half-written, the same bytes for the same content."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import OutputError, UnreadableInputError
from grammar.files import atomic_output, decode, read_bytes, read_text, write_text

# --- writing ----------------------------------------------------------------------------------


def test_a_new_file_appears_complete(tmp_path):
    path = tmp_path / "a.txt"
    with atomic_output(path) as temporary:
        temporary.write_text("new")
        assert not path.exists()
    assert (os.listdir(tmp_path), path.read_text()) == (["a.txt"], "new")


def test_an_old_file_is_replaced_at_the_end(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with atomic_output(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert (os.listdir(tmp_path), path.read_text()) == (["a.txt"], "new")


@pytest.mark.parametrize("fault", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("old", [None, "old"])
def test_a_failure_leaves_everything_as_it_was(tmp_path, fault, old):
    path = tmp_path / "a.txt"
    if old:
        path.write_text(old)

    def write_half() -> None:
        with atomic_output(path) as temporary:
            temporary.write_text("half")
            raise fault

    with pytest.raises(fault):
        write_half()
    assert os.listdir(tmp_path) == (["a.txt"] if old else [])
    assert not old or path.read_text() == old


def test_a_full_disk_is_an_output_error_and_leaves_nothing(tmp_path):
    with pytest.raises(OutputError, match="No space left") as caught, atomic_output(tmp_path / "a"):
        raise OSError(28, "No space left on device")
    assert os.listdir(tmp_path) == []
    assert caught.value.where == str(tmp_path / "a")


def test_an_output_error_inside_is_passed_on(tmp_path):
    fault = OutputError("mine")
    with pytest.raises(OutputError) as caught, atomic_output(tmp_path / "a"):
        raise fault
    assert caught.value is fault
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "b.tar.x.y", "plain", ".hidden.gz"])
def test_the_temporary_file_lies_beside_and_keeps_the_suffixes(tmp_path, name):
    with atomic_output(tmp_path / name) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffixes[-2:] == (tmp_path / name).suffixes[-2:]


def test_a_new_file_has_the_usual_permissions(tmp_path):
    (tmp_path / "usual").touch()
    write_text(tmp_path / "a.txt", "x")
    assert mode(tmp_path / "a.txt") == mode(tmp_path / "usual")


@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o755])
def test_a_replaced_file_keeps_its_permissions(tmp_path, permissions):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(permissions)
    write_text(path, "new")
    assert (path.read_text(), mode(path)) == ("new", permissions)


def test_a_link_goes_on_leading_to_the_file(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    real, link = tmp_path / "elsewhere" / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert (real.read_text(), os.listdir(real.parent)) == ("new", ["real.txt"])


def test_a_link_to_nothing_yet_gets_its_file(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "later")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "later").read_text() == "new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()), daemon=True)
    reader.start()
    write_text(pipe, "new")
    reader.join(10)
    assert got == ["new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


def test_a_failure_writes_nothing_to_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError), atomic_output(tmp_path / "pipe"):  # noqa: PT011
        raise ValueError
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("path", ["absent/a.txt", "file/a.txt", "folder"])
def test_what_cannot_be_written_is_an_output_error(tmp_path, path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="cannot write the file") as caught:
        write_text(tmp_path / path, "x")
    assert caught.value.where == str(tmp_path / path)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_an_output_error(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="Permission denied"):
            write_text(tmp_path / "a.txt", "x")
    finally:
        tmp_path.chmod(0o700)


def test_relative_paths_are_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_text("a.txt", "x")
    assert read_text("a.txt") == "x"


def test_half_a_surrogate_pair_cannot_be_written(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(OutputError, match=r"'\\udc80' cannot be written as UTF-8"):
        write_text(tmp_path / "a.txt", "a\udc80")
    assert (tmp_path / "a.txt").read_text() == "old"


# --- reading ----------------------------------------------------------------------------------


@given(st.text(st.characters(codec="utf-8")), st.sampled_from(["a.txt", "a.txt.gz"]))
def test_text_is_read_back_character_for_character(tmp_path_factory, text, name):
    path = tmp_path_factory.mktemp("text") / name
    write_text(path, text)
    assert read_text(path) == text.removeprefix("\ufeff")
    assert read_bytes(path) == text.encode()


def test_zipped_files_of_equal_text_have_equal_bytes(tmp_path):
    write_text(tmp_path / "one.gz", "text")
    os.utime(tmp_path / "one.gz", (0, 0))
    write_text(tmp_path / "two.gz", "text")
    data = (tmp_path / "one.gz").read_bytes()
    assert data == (tmp_path / "two.gz").read_bytes()
    assert data[4:8] == b"\0\0\0\0"  # the time


def test_every_truncation_of_a_zipped_file_is_noticed(tmp_path):
    path = tmp_path / "a.gz"
    data = gzip.compress(b"some text that is long enough to be zipped " * 3)
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(UnreadableInputError, match="not a complete gzip file"):
            read_bytes(path)


@pytest.mark.parametrize("damage", [0, 3, 15, -8, -1])
def test_a_damaged_zipped_file_is_noticed(tmp_path, damage):
    data = bytearray(gzip.compress(b"some text"))
    data[damage] ^= 0xFF
    (tmp_path / "a.gz").write_bytes(data)
    with pytest.raises(UnreadableInputError, match="not a complete gzip file"):
        read_bytes(tmp_path / "a.gz")


def test_zipped_files_may_have_several_members(tmp_path):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"one ") + gzip.compress(b"two"))
    assert read_text(tmp_path / "a.gz") == "one two"


@pytest.mark.parametrize(
    ("data", "where", "byte"),
    [
        (b"\xff", "1:1", "ff"),
        (b"caf\xe9", "1:4", "e9"),
        (b"a\nb\n\xc3", "3:1", "c3"),
        ("é𝒳\né".encode() + b"\x80", "2:2", "80"),
        (b"\r\n \xf0\x9f", "2:2", "f0"),
        (b"\xed\xa0\x80", "1:1", "ed"),
    ],
)
def test_a_byte_that_is_no_text_is_located_by_line_and_character(tmp_path, data, where, byte):
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    with pytest.raises(UnreadableInputError, match=f"byte 0x{byte} is not utf-8 text") as caught:
        read_text(path)
    assert caught.value.where == f"{path}:{where}"


def test_other_encodings_are_read_and_located():
    assert decode("é\n".encode("utf-16-le"), "x", "utf-16-le") == "é\n"
    with pytest.raises(UnreadableInputError, match="x:2:2: byte 0x00 is not utf-16-le text"):
        decode("é\né".encode("utf-16-le") + b"\x00", "x", "utf-16-le")
    with pytest.raises(UnreadableInputError, match="x:1:2: byte 0xe9 is not ascii text"):
        decode(b"a\xe9", "x", "ascii")


def test_a_byte_order_mark_is_dropped_and_only_the_first():
    assert decode(b"\xef\xbb\xbfa\xef\xbb\xbf", "x") == "a\ufeff"


@pytest.mark.parametrize("read", [read_bytes, read_text])
def test_what_cannot_be_read_is_an_error(tmp_path, read):
    with pytest.raises(UnreadableInputError, match="No such file") as caught:
        read(tmp_path / "absent.gz")
    assert caught.value.where == str(tmp_path / "absent.gz")
    with pytest.raises(UnreadableInputError, match="Is a directory"):
        read(tmp_path)


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("é\n".encode())))
    assert read_text("-") == "é\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\xff")))
    with pytest.raises(UnreadableInputError) as caught:
        read_text("-")
    assert caught.value.where == "-:1:2"


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("read", [read_bytes, read_text])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, read):
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(UnreadableInputError, match="a pipe or a device") as caught:
        read(pipe)
    assert caught.value.where == str(pipe)
    assert "cat PIPE | treewright VERB -" in caught.value.hint
    assert read(os.devnull) in ("", b"")


def test_a_missing_file_is_named_by_one_with_a_name_like_it(tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_text("text,label\na,b\n")
    for name in ("review.csv", "Reviews.csv", "reviews.cvs"):
        with pytest.raises(UnreadableInputError) as refused:
            read_bytes(tmp_path / name)
        assert str(refused.value.hint) == f"check the path: there is '{tmp_path}/reviews.csv'"
    for name in ("other.txt", "nowhere/review.csv"):
        with pytest.raises(UnreadableInputError) as refused:
            read_bytes(tmp_path / name)
        assert str(refused.value.hint) == "check the path"

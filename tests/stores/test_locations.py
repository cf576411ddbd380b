"""Places: here or in a store, a file appears when it is complete, and nothing else changes."""

from __future__ import annotations

import builtins
from pathlib import Path

import fsspec
import pytest

from grammar.errors import OutputError, UnreadableInputError, to_install
from grammar.files import (
    atomic_output,
    check_free,
    made_folder,
    moved_output,
    nothing_overwritten,
    outputs_together,
    read_bytes,
    same_file,
    write_text,
)
from grammar.storage.location import TakenError, numbered
from grammar.storage.opening import place_of


def keys(url: str) -> list[str]:
    """All objects of a store, those that nobody was meant to see included."""
    store, key = fsspec.core.url_to_fs(url)
    store.invalidate_cache()
    return sorted(path.removeprefix(f"{key}/") for path in store.find(key))


# --- what holds of every place --------------------------------------------------------------------


def test_a_file_is_read_as_it_was_written(anywhere):
    name = f"{anywhere}/a.txt"
    assert not place_of(name).exists()
    write_text(name, "words")
    place = place_of(name)
    assert (place.exists(), place.is_folder(), place.has_room()) == (True, False, True)
    assert read_bytes(name) == b"words"
    place.remove()
    place.remove()
    assert not place_of(name).exists()


def test_a_file_appears_when_it_is_complete(anywhere):
    name = f"{anywhere}/a.txt"
    with atomic_output(name) as draft:
        draft.write_text("new")
        assert not place_of(name).exists()
    assert read_bytes(name) == b"new"
    with pytest.raises(KeyboardInterrupt):
        _interrupted(name)
    assert read_bytes(name) == b"new"
    assert list(place_of(anywhere).files()) == ["a.txt"]


def _interrupted(name):
    with atomic_output(name) as draft:
        draft.write_text("half")
        raise KeyboardInterrupt


def test_a_name_is_not_taken_from_another_file(anywhere):
    name = f"{anywhere}/a.txt"
    with pytest.raises(TakenError):
        _overtaken(name)
    with nothing_overwritten():
        with pytest.raises(OutputError, match="the output exists"):
            check_free(name)
        with pytest.raises(OutputError, match="the output exists"):
            write_text(name, "mine")
    with nothing_overwritten(force=True):
        write_text(name, "mine")
    assert read_bytes(name) == b"mine"


def _overtaken(name):
    with place_of(name).drafted(over=False) as draft:
        write_text(name, "of another run")  # which was faster
        draft.write_text("mine")


def test_what_is_read_is_not_written_over(anywhere):
    name = f"{anywhere}/a.txt"
    write_text(name, "words")
    with nothing_overwritten(force=True):
        read_bytes(name)
        with pytest.raises(OutputError, match="also an input"):
            write_text(name, "others")
    assert same_file(name, f"{anywhere}//a.txt" if "://" not in anywhere else name)
    assert not same_file(name, f"{anywhere}/b.txt")


def test_a_folder_is_its_files_by_name(anywhere, tmp_path):
    for name in ("b/c.txt", "a.txt", "new-1.txt", "new-0.txt"):
        if "://" not in anywhere:
            (tmp_path / name).parent.mkdir(exist_ok=True)
        write_text(f"{anywhere}/{name}", name)
    assert list(place_of(anywhere).files()) == ["a.txt", "b/c.txt", "new-0.txt", "new-1.txt"]
    found = place_of(f"{anywhere}/new-*.txt")
    assert found.exists()
    assert {n: read_bytes(p.name) for n, p in found.files().items()} == {
        "new-0.txt": b"new-0.txt",
        "new-1.txt": b"new-1.txt",
    }
    assert not place_of(f"{anywhere}/old-*.txt").exists()
    assert place_of(f"{anywhere}/b").is_filled()


def test_many_files_replace_those_of_before(anywhere):
    name = f"{anywhere}/new-*.txt"
    for count in (3, 2):
        with nothing_overwritten(force=True), outputs_together(name) as names:
            for number in range(count):
                names.append(numbered(name, number))
                write_text(names[-1], f"{number} of {count}")
    assert [read_bytes(one.name) for one in place_of(name).files().values()] == [
        b"0 of 2",
        b"1 of 2",
    ]
    with (
        nothing_overwritten(),
        pytest.raises(OutputError, match="the output exists"),
        outputs_together(name),
    ):
        pytest.fail("they are there")


def test_many_files_go_when_one_fails(anywhere):
    name = f"{anywhere}/new-*.txt"
    with pytest.raises(ZeroDivisionError):
        _failing(name)
    assert not place_of(name).exists()


def _failing(name):
    with outputs_together(name) as names:
        names.append(numbered(name, 0))
        write_text(names[0], "one")
        raise ZeroDivisionError


def test_a_folder_is_received_as_a_whole(anywhere, tmp_path_factory):
    target = f"{anywhere}/corpus"
    for names in (("x.txt", "b/y.txt", "manifest.json"), ("z.txt", "manifest.json")):
        made = tmp_path_factory.mktemp("made")
        for name in names:
            (made / name).parent.mkdir(exist_ok=True)
            (made / name).write_text(name)
        moved_output(made, target)
        assert sorted(place_of(target).files()) == sorted(names)
        assert not made.exists()


# --- what a store is -----------------------------------------------------------------------------


def test_an_object_that_cannot_be_sent_leaves_nothing(store, monkeypatch):
    opened = fsspec.core.url_to_fs(store)[0]
    for step in ("put_file", "cp_file"):
        with monkeypatch.context() as broken:
            broken.setattr(opened, step, lambda *_, **__: (_ for _ in ()).throw(OSError("cut off")))
            with pytest.raises(OutputError, match="the store cannot be reached: cut off"):
                write_text(f"{store}/a.txt", "words")
        assert [key for key in keys(store) if "a.txt" in key] == []


def test_what_a_killed_process_left_is_no_file(store):
    target, key = fsspec.core.url_to_fs(f"{store}/.part-0123-a.txt")
    target.pipe_file(key, b"half")
    assert place_of(store).files() == {}
    assert not place_of(f"{store}/*.txt").exists()


def test_of_a_folder_the_manifest_is_last(store, tmp_path, monkeypatch):
    made = tmp_path / "made"
    made.mkdir()
    for name in ("manifest.json", "z.txt", "a.txt"):
        (made / name).write_text(name)
    opened = fsspec.core.url_to_fs(store)[0]
    copied, copy = [], opened.cp_file
    monkeypatch.setattr(opened, "cp_file", lambda a, b: (copied.append(b), copy(a, b)))
    moved_output(made, f"{store}/corpus")
    assert [Path(key).name for key in copied] == ["a.txt", "z.txt", "manifest.json"]


def test_state_that_is_added_to_lies_here(memory):
    with pytest.raises(OutputError, match="which no object store can do"):
        made_folder(f"{memory}/results")


# --- faults --------------------------------------------------------------------------------------


def test_a_missing_object_is_unreadable(store):
    with pytest.raises(UnreadableInputError, match="no such object") as caught:
        read_bytes(f"{store}/none.txt")
    assert caught.value.where == f"{store}/none.txt"


def test_a_missing_bucket_is_said(s3):
    name = "s3://no-such-bucket/a.txt"
    assert not place_of(name).has_room()
    with pytest.raises(OutputError, match="there is no such bucket") as caught:
        write_text(name, "words")
    assert caught.value.hint == "check the address"


def test_missing_credentials_are_said_with_what_helps(s3, monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    fsspec.filesystem("s3").clear_instance_cache()
    with pytest.raises(UnreadableInputError, match="lets nobody in") as caught:
        read_bytes(f"{s3}/a.txt")
    assert "AWS_ACCESS_KEY_ID" in caught.value.hint
    fsspec.filesystem("s3").clear_instance_cache()


@pytest.mark.parametrize(
    ("error", "said", "hint"),
    [
        (PermissionError("forbidden"), "lets nobody in so: forbidden", "as its library asks"),
        (TimeoutError(), "cannot be reached: TimeoutError", "try again"),
        (RuntimeError("of the library\nin two lines"), "reached: of the library$", "try again"),
    ],
)
def test_whatever_a_library_raises_is_an_error_of_ours(memory, monkeypatch, error, said, hint):
    def fails(*_: object, **__: object) -> None:
        raise error

    write_text(f"{memory}/a.txt", "words")
    monkeypatch.setattr(type(fsspec.filesystem("memory")), "get_file", fails)
    with pytest.raises(UnreadableInputError) as caught:
        read_bytes(f"{memory}/a.txt")
    assert caught.match(said.removesuffix("$"))
    assert "two lines" not in str(caught.value)
    assert hint in caught.value.hint


def test_a_kind_of_place_that_nobody_knows():
    with pytest.raises(UnreadableInputError, match="no storage scheme nowhere://") as caught:
        read_bytes("nowhere://a.txt")
    assert "s3://" in caught.value.hint


def test_a_library_that_is_not_installed_is_named(monkeypatch):
    whole = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name.startswith("gcsfs"):
            raise ImportError(name)
        return whole(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UnreadableInputError, match="gcsfs") as caught:
        read_bytes("gs://bucket/a.txt")
    assert caught.value.hint == "install it with pip"


def test_without_fsspec_the_extra_is_named(monkeypatch):
    whole = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name.startswith("fsspec"):
            raise ImportError(name)
        return whole(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(OutputError, match="the library fsspec") as caught:
        write_text("s3://bucket/a.txt", "words")
    assert caught.value.hint == to_install("stores")

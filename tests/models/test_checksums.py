"""Saved models are folders with a seal: it covers all that is read, and trusts nothing."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from grammar.errors import OptionError, SchemaError, TreewrightError, UnreadableInputError
from grammar.saving.folders import check_files, read_facts, save_folder
from grammar.storage.inside import regular_file
from tests.checksums import sealed_again

SCHEMA = "treewright.example/1"


def save(folder: Path) -> None:
    def write(part: Path) -> dict[str, Any]:
        (part / "numbers").write_text("1 2 3")
        (part / "words").write_text("a b")
        return {"size": 3}

    save_folder(folder, SCHEMA, write, lambda held: f"{held['size']} numbers")


def opened(folder: Path) -> dict[str, Path]:
    return check_files(folder, read_facts(folder, SCHEMA, "an example", "make"), "make it again")


def test_what_was_saved_is_read_and_what_lies_beside_is_not(tmp_path: Path) -> None:
    save(tmp_path / "f")
    (tmp_path / "f" / "more").write_text("x")
    (tmp_path / "f" / "README.md").unlink()
    files = opened(tmp_path / "f")
    assert {name: path.read_text() for name, path in files.items()} == {
        "numbers": "1 2 3", "words": "a b",
    }  # fmt: skip
    assert read_facts(tmp_path / "f", SCHEMA, "an example", "make")["size"] == 3


def test_what_is_not_as_it_was_is_refused_by_name(tmp_path: Path) -> None:
    save(tmp_path / "f")
    (tmp_path / "elsewhere").write_text("a b")
    words = tmp_path / "f" / "words"
    words.write_text("a c")
    with pytest.raises(SchemaError, match="'words' is not as it was saved"):
        opened(tmp_path / "f")
    words.unlink()
    with pytest.raises(SchemaError, match="'words' is missing"):
        opened(tmp_path / "f")
    words.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SchemaError, match=r"words: the file leads out of its folder"):
        opened(tmp_path / "f")
    words.unlink()
    os.mkfifo(words)
    with pytest.raises(SchemaError, match=r"words: it is not a regular file"):
        opened(tmp_path / "f")


@pytest.mark.parametrize("name", ["../elsewhere", "/etc/hostname", "..", "\0", "numbers/x", ""])
def test_a_seal_made_anew_leads_nowhere(name: str, tmp_path: Path) -> None:
    save(tmp_path / "f")
    (tmp_path / "elsewhere").write_text("a b")
    digest = read_facts(tmp_path / "f", SCHEMA, "an example", "make")["files"]["words"]
    sealed_again(tmp_path / "f", files={name: digest})
    with pytest.raises(SchemaError):
        opened(tmp_path / "f")


@pytest.mark.parametrize("files", [None, [], {"words": 3}, "words"])
def test_facts_without_digests_are_refused(files: Any, tmp_path: Path) -> None:
    save(tmp_path / "f")
    facts = tmp_path / "f" / "treewright.json"
    sealed_again(tmp_path / "f", files=files)
    with pytest.raises(SchemaError, match="damaged, or of another version"):
        opened(tmp_path / "f")
    facts.write_text("{}")
    with pytest.raises(SchemaError, match="not an example saved by this version"):
        opened(tmp_path / "f")
    facts.unlink()
    with pytest.raises(UnreadableInputError, match="there is no example"):
        opened(tmp_path / "f")
    os.mkfifo(facts)
    with pytest.raises(SchemaError):
        opened(tmp_path / "f")


def test_a_file_may_be_reached_by_links_inside(tmp_path: Path) -> None:
    save(tmp_path / "f")
    (tmp_path / "f" / "again").symlink_to("words")
    (tmp_path / "g").symlink_to("f")
    assert regular_file(tmp_path / "g", "again") == (tmp_path / "f" / "words").resolve()


# --- models --------------------------------------------------------------------------------------


def open_saved(name: str, folder: Path) -> Any:
    if name == "linda":
        from sampling.neural.linda.folder import open_interpolator

        return open_interpolator(str(folder), device="cpu")
    from classifiers.saving import open_classifier
    from classifiers.structured.saving import open_structured

    return {"classifier": open_classifier, "tagger": open_structured}[name](folder, device="cpu")


@pytest.mark.parametrize("name", ["classifier", "tagger", "linda"])
def test_the_seal_covers_every_file_that_is_read(
    name: str, saved: dict[str, Path], tmp_path: Path, watched: list[str]
) -> None:
    folder = tmp_path / name
    shutil.copytree(saved[name], folder)
    assert open_saved(name, folder)
    covered = set(json.loads((folder / "treewright.json").read_text())["files"])
    assert covered >= {"config.json", "tokenizer_config.json", "tokenizer.json"}
    assert {path.name for path in folder.iterdir()} - covered <= {"treewright.json", "README.md"}
    for one in sorted(covered):
        before = (folder / one).read_bytes()
        (folder / one).write_bytes(before + b" ")
        with pytest.raises(SchemaError, match=f"{one!r} is not as it was saved"):
            open_saved(name, folder)
        (folder / one).write_bytes(before)
    (folder / "special_tokens_map.json").write_text('{"unk_token": "good"}')
    (folder / "added_tokens.json").write_text('{"good": 0}')
    (folder / "vocab.txt").write_text("x")
    again = open_saved(name, folder)
    tokenizer = again.tokenizer if name == "linda" else again.encoder.tokenizer
    assert tokenizer.unk_token == "[UNK]"
    assert tokenizer.convert_tokens_to_ids("good") == 5
    assert watched == []


@pytest.mark.parametrize("name", ["classifier", "tagger", "linda"])
@pytest.mark.parametrize(
    ("file", "changed", "what"),
    [
        ("config.json", {"auto_map": {"AutoConfig": "x.A"}}, "custom code: 'auto_map'"),
        ("tokenizer_config.json", {"auto_map": ["x.A", "x.A"]}, "custom code: 'auto_map'"),
        ("config.json", {"model_type": "dpt"}, "model_type"),
    ],
)
def test_code_behind_a_seal_that_fits_is_refused(
    name: str, file: str, changed: dict[str, Any], what: str, saved: dict[str, Path],
    tmp_path: Path, watched: list[str],
) -> None:  # fmt: skip
    folder = tmp_path / name
    shutil.copytree(saved[name], folder)
    (folder / file).write_text(json.dumps(json.loads((folder / file).read_text()) | changed))
    sealed_again(folder)
    with pytest.raises((SchemaError, OptionError), match=what):
        open_saved(name, folder)
    assert watched == []


@pytest.mark.parametrize("name", ["classifier", "tagger", "linda"])
def test_files_that_the_seal_leaves_out_are_not_read(
    name: str, saved: dict[str, Path], tmp_path: Path
) -> None:
    for left_out in ("config.json", "model.safetensors", "tokenizer.json", "head.safetensors"):
        folder = tmp_path / left_out
        shutil.copytree(saved[name], folder)
        files = json.loads((folder / "treewright.json").read_text())["files"]
        if left_out not in files:
            continue
        sealed_again(folder, files={one: files[one] for one in files if one != left_out})
        with pytest.raises(TreewrightError):
            open_saved(name, folder)


def test_a_sealed_folder_is_checked_by_whatever_opens_it(
    saved: dict[str, Path], tmp_path: Path
) -> None:
    from sampling.neural.opening import open_model

    folder = tmp_path / "linda"
    shutil.copytree(saved["linda"], folder)
    assert open_model(str(folder), "seq2seq")
    (folder / "tokenizer_config.json").write_text("{}")
    with pytest.raises(SchemaError, match="not as it was saved"):
        open_model(str(folder), "seq2seq")

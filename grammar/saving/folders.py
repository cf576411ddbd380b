"""Models that are folders: complete or not there, with digests of all their files and a seal.

``treewright.json`` holds the facts, a digest of every file beside it, and a seal of all that. What
has no digest there is not read. The seal guards against discs and transfers, not against people,
who can seal what they like.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grammar.errors import SchemaError, UnreadableInputError
from grammar.files import PathLike, half_in_json, moved_output, writing
from grammar.storage.inside import regular_file
from grammar.storage.location import check_name

__all__ = [
    "FACTS",
    "check_files",
    "read_facts",
    "read_object",
    "read_sealed",
    "save_folder",
    "schema_of",
]

FACTS = "treewright.json"
"""The file of a folder that says what is in it."""

_CARD = "README.md"
_MOST_BYTES = 64 << 20


def save_folder(
    folder: PathLike,
    schema: str,
    write: Callable[[Path], Mapping[str, Any]],
    card: Callable[[Mapping[str, Any]], str] | None = None,
    *,
    renewed: bool = False,
) -> None:
    """Save a model as a folder that appears when it is complete, in the place of an older one.

    Parameters
    ----------
    folder : str or path
        Where.
    schema : str
        What kind of folder it is, and of which version.
    write : callable
        Writes files into a folder, and returns what is to be said of them.
    card : callable, optional
        Returns the text of ``README.md``, given all that is said; nothing reads it but people.
    renewed : bool
        Whether it is a state that is written again, which may replace an older one.

    Raises
    ------
    OutputError
        If the folder cannot be written.
    """
    target = Path(folder)
    with writing(folder):
        check_name(folder)
        part = Path(tempfile.mkdtemp(prefix=".part-", dir=target.parent))
        try:
            held: dict[str, Any] = {"schema": schema, **write(part)}
            held["files"] = {path.name: _digest(path) for path in sorted(part.iterdir())}
            held["seal"] = _seal(held)
            (part / FACTS).write_text(json.dumps(held, indent=1, default=str) + "\n", "utf-8")
            if card is not None:
                (part / _CARD).write_text(card(held), "utf-8")
            os.chmod(part, 0o755)
            for path in part.iterdir():
                os.chmod(path, 0o644)
            if renewed:
                shutil.rmtree(target, ignore_errors=True)
            moved_output(part, target)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def read_facts(
    folder: PathLike,
    schema: str,
    what: str,
    verb: str,
    kinds: Mapping[str, tuple[str, str]] | None = None,
) -> dict[str, Any]:
    """Return what a folder says of its model.

    Parameters
    ----------
    folder, schema
        As they were saved.
    what, verb : str
        What it is to be, and what writes such folders, for messages.
    kinds : mapping of str to (str, str), optional
        What folders of other schemas hold, and what takes them, for messages.

    Raises
    ------
    UnreadableInputError
        If there is no such folder.
    SchemaError
        If it holds something else, is of another version, or is damaged.
    """
    again = f"train it again: {verb}"
    if not os.path.lexists(Path(folder) / FACTS):
        raise UnreadableInputError(
            f"there is no {what.partition(' ')[2]}: it has no {FACTS}",
            where=str(folder),
            hint=f"name a folder that {verb} wrote",
        )
    found = schema_of(folder)
    if found != schema:
        names = (one.partition("/")[0] for one in (schema, found or ""))
        mine, other = map((kinds or {}).get, names)
        if mine and other and mine != other:
            raise SchemaError(
                f"it holds {other[0]}, not {mine[0]}",
                where=str(folder),
                hint=f"use it with {other[1]}, or name another folder",
            )
        raise SchemaError(
            f"not {what} saved by this version of treewright", where=str(folder), hint=again
        )
    return read_sealed(folder, again)


def read_sealed(folder: PathLike, hint: str) -> dict[str, Any]:
    """Return the facts of a folder, whatever its schema, if its seal fits (else SchemaError)."""
    held = read_object(regular_file(folder, FACTS))
    files = held.get("files")
    named = isinstance(files, dict) and all(isinstance(one, str) for one in files.values())
    if not named or held.get("seal") != _seal(held):
        raise SchemaError(
            "the file is damaged, or of another version",
            where=str(Path(folder) / FACTS),
            hint=hint,
        )
    return held


def schema_of(folder: PathLike) -> str | None:
    """Return what kind of folder one says it is; None if it says nothing that can be read."""
    try:
        found = read_object(regular_file(folder, FACTS)).get("schema")
    except SchemaError:
        return None
    return found if isinstance(found, str) else None


def check_files(folder: PathLike, held: Mapping[str, Any], hint: str) -> dict[str, Path]:
    """Return the files of a folder that may be read, by name: those that have a digest.

    Parameters
    ----------
    folder : str or path
        Where.
    held : mapping
        Its facts (:func:`read_facts`).
    hint : str
        How to correct it.

    Raises
    ------
    SchemaError
        If one of them is missing, changed, a link out of the folder, or no regular file.
    """
    files = {}
    for name, digest in held["files"].items():
        if not os.path.lexists(Path(folder) / name):
            raise SchemaError(f"its file {name!r} is missing", where=str(folder), hint=hint)
        files[name] = regular_file(folder, name)
        if _digest(files[name]) != digest:
            raise SchemaError(
                f"its file {name!r} is not as it was saved", where=str(folder), hint=hint
            )
    return files


def read_object(path: Path) -> dict[str, Any]:
    """Return the object that a JSON file holds.

    Raises
    ------
    SchemaError
        If it holds none, or more than 64 MiB.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("it is larger than 64 MiB")
        text = path.read_text("utf-8")
        held = json.loads(text)
        if not isinstance(held, dict):
            raise ValueError("it holds no object")
        if (half := half_in_json(text)) is not None:
            raise ValueError(f"{half!r} is half of a surrogate pair")
    except (OSError, ValueError, RecursionError) as error:
        raise SchemaError(
            f"not a JSON object: {error}", where=str(path), hint="fetch or make the folder again"
        ) from None
    return held


def _seal(held: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in held.items() if name != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, default=str).encode()).hexdigest()


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

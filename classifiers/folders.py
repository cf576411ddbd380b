"""Trained models as folders: complete or not there, with hashes and a seal; no pickle.

``treewright.json`` says what a model is and has hashes of its arrays; an encoder lies in it as one
of Hugging Face, a head as ``head.safetensors``, and ``README.md`` is a card.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import (
    MissingDataError,
    SchemaError,
    TreewrightError,
    UnreadableInputError,
    located,
)
from grammar.files import PathLike, moved_output, writing
from grammar.places.place import check_name

__all__ = [
    "arrays_of",
    "damage_told",
    "read_facts",
    "read_head",
    "save_folder",
    "schema_of",
    "write_encoder",
    "write_head",
]

_FACTS, _CARD, _HEAD = "treewright.json", "README.md", "head.safetensors"
_HASHED = ("tfidf.arrow", "words.arrow", "perceptron.arrow", _HEAD, "model.safetensors")

_KINDS = {
    "treewright.classifier": ("a classifier", "treewright classify predict"),
    "treewright.structured": ("a tagger or parser on an encoder", "treewright structured predict"),
    "treewright.tagger": ("a tagger without an encoder", "treewright structured predict"),
}
"""What folders hold, by their schema, and what takes them."""


def save_folder(
    folder: PathLike,
    schema: str,
    write: Callable[[Path], dict[str, Any]],
    card: Callable[[Mapping[str, Any]], str],
) -> None:
    """Save a model as a folder that appears when it is complete, in the place of an older one.

    Parameters
    ----------
    folder : str or path
        Where.
    schema : str
        What kind of folder it is, and of which version.
    write : callable
        Writes the arrays into a folder, and returns what is to be said of them.
    card : callable
        Returns the card, given all that is said.

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
            held["weights"] = _hashes(part)
            held["seal"] = _seal(held)
            (part / _FACTS).write_text(json.dumps(held, indent=1, default=str) + "\n", "utf-8")
            (part / _CARD).write_text(card(held), "utf-8")
            os.chmod(part, 0o755)
            for path in part.iterdir():
                os.chmod(path, 0o644)
            moved_output(part, target)
        finally:
            shutil.rmtree(part, ignore_errors=True)


def read_facts(folder: PathLike, schema: str, what: str, verb: str) -> dict[str, Any]:
    """Return what a folder says of its model.

    Parameters
    ----------
    folder, schema
        As they were saved.
    what, verb : str
        What it is to be, and what writes such folders, for messages.

    Raises
    ------
    UnreadableInputError
        If there is no such folder.
    SchemaError
        If it holds something else, or is damaged.
    """
    path, again = Path(folder) / _FACTS, f"train it again: {verb}"
    try:
        held = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UnreadableInputError(
            f"there is no {what.partition(' ')[2]}: {error.strerror}",
            where=str(folder),
            hint=f"name a folder that {verb} wrote",
        ) from None
    except (ValueError, RecursionError):
        held = None
    if not isinstance(held, dict) or held.get("schema") != schema:
        mine, other = (
            _KINDS.get(one.partition("/")[0]) for one in (schema, schema_of(folder) or "")
        )
        if mine and other and mine != other:
            raise SchemaError(
                f"it holds {other[0]}, not {mine[0]}",
                where=str(folder),
                hint=f"use it with {other[1]}, or name another folder",
            )
        raise SchemaError(
            f"not {what} saved by this version of treewright", where=str(folder), hint=again
        )
    if held.get("seal") != _seal(held):
        raise SchemaError("the file is damaged", where=str(path), hint=again)
    return held


def schema_of(folder: PathLike) -> str | None:
    """Return what kind of folder one says it is; None if it says nothing that can be read."""
    try:
        held = json.loads((Path(folder) / _FACTS).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    found = held.get("schema") if isinstance(held, dict) else None
    return found if isinstance(found, str) else None


@contextmanager
def damage_told(folder: Path, held: Mapping[str, Any], what: str, hint: str) -> Iterator[None]:
    """Open a model in this context: damage becomes one clear error.

    Raises
    ------
    SchemaError
        If the arrays are not those that were saved, or do not make a model.
    MissingDataError
        If a library is missing.
    """
    with located(str(folder)):
        if _hashes(folder) != held["weights"]:
            raise SchemaError("its weights are not those that were saved", hint=hint)
        try:
            yield
        except TreewrightError:
            raise
        except ImportError as error:
            raise MissingDataError(
                f"opening it needs {error.name}", hint="pip install 'treewright[neural]'"
            ) from None
        except (AttributeError, LookupError, TypeError, ValueError, RuntimeError) as error:
            raise SchemaError(f"{what} is damaged: {error}", hint=hint) from None


def _seal(held: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in held.items() if name != "seal"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, default=str).encode()).hexdigest()


def _hashes(folder: Path) -> dict[str, str]:
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in _HASHED
        if (folder / name).exists()
    }


def arrays_of(module: Any) -> dict[str, NDArray[Any]]:
    """Return the weights of a module by name."""
    return {name: value.detach().cpu().numpy() for name, value in module.state_dict().items()}


def write_encoder(encoder: Any, model: Any, folder: Path, classes: Sequence[str] = ()) -> None:
    """Write an encoder with the weights of a model, and the names of classes, if there are any."""
    if classes:
        model.config.id2label = dict(enumerate(classes))
        model.config.label2id = {name: number for number, name in enumerate(classes)}
    model.save_pretrained(folder)
    encoder.tokenizer.save_pretrained(folder)


def write_head(arrays: Mapping[str, NDArray[Any]], folder: Path) -> None:
    """Write the arrays of a head."""
    from safetensors.numpy import save_file

    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()},
              folder / _HEAD)  # fmt: skip


def read_head(folder: Path, hint: str) -> dict[str, NDArray[Any]]:
    """Read the arrays of a head (raises SchemaError if they are damaged)."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(folder / _HEAD))
    except (OSError, SafetensorError) as error:
        raise SchemaError(f"its head is damaged: {error}", hint=hint) from None

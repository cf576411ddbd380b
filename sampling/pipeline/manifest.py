"""The manifest of an augmentation: all that decides its bytes, and what came of it.

Versions, the expression with its options, settings, hashes of the files that were read and written,
and the report. ``treewright replay`` makes an output again from its manifest and its source.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.errors import SchemaError, TreewrightError, UnreadableInputError
from grammar.files import PathLike, read_text, reading, write_text
from grammar.saving.value_checks import ANY, Only, Whole, value_fault
from grammar.storage.location import Place, beside, is_many
from grammar.storage.opening import place_of
from sampling.english.wordnet import wordnet_version
from sampling.expression import FILE, OPERAND, Expression, read_expression
from sampling.method import find_method
from sampling.pipeline.pipeline import Pipeline

__all__ = [
    "SCHEMA",
    "file_hash",
    "files_read",
    "is_made",
    "manifest_beside",
    "manifest_of",
    "manifest_path",
    "plan_of",
    "read_manifest",
    "write_manifest",
]

SCHEMA = "treewright.augmentation/1"
_PIECE = 2**20


def manifest_path(output: PathLike) -> str:
    """Return where the manifest of an output lies.

    >>> manifest_path("new.jsonl")
    'new.jsonl.manifest.json'
    """
    return beside(output, ".manifest.json")


def manifest_beside(output: PathLike) -> dict[str, Any] | None:
    """Return the manifest of an output, or None if none lies beside it."""
    if str(output) == "-":
        return None
    with reading(output):
        return read_manifest(output) if place_of(manifest_path(output)).exists() else None


def plan_of(pipeline: Pipeline, files: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return all that decides the result, as JSON can hold it.

    Parameters
    ----------
    pipeline : Pipeline
        The augmentation.
    files : mapping, optional
        What was read: the entries ``input`` and ``test``.
    """
    methods = {k: v for source in pipeline.sources for k, v in source.versions().items()}
    reads = files_read(pipeline.expression)
    return {
        "schema": SCHEMA,
        "versions": {
            "treewright": _treewright_version(),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pyarrow": pa.__version__,
            "methods": dict(sorted(methods.items())),
            **({"parser": pipeline.trees.used[0]} if pipeline.trees.used else {}),
            **({"wordnet": wordnet_version()} if _asks_wordnet(pipeline.expression) else {}),
        },
        **(files or {}),
        **({"reads": reads} if reads else {}),
        **({"classes": list(pipeline.class_names)} if pipeline.class_names else {}),
        "expression": str(pipeline.expression),
        "settings": pipeline.settings.to_dict(),
    }


def files_read(expression: Expression | str) -> dict[str, str | None]:
    """Return the files that methods of an expression read, such as names, with their SHA-256.

    Raises
    ------
    OptionError
        If the expression cannot be read.
    UnreadableInputError
        If a file cannot be read.
    """
    read = read_expression(expression) if isinstance(expression, str) else expression
    found: dict[str, str | None] = {}
    for step in (step for part in read.parts for step in part.steps):
        if isinstance(step.options.get(FILE), str):
            found[step.options[FILE]] = file_hash(step.options[FILE])
        if OPERAND in step.options:
            found |= files_read(str(step.options[OPERAND]))
    return found


def _asks_wordnet(expression: Expression) -> bool:
    steps = (step for part in expression.parts for step in part.steps)
    return any(find_method(step.method).sampler.asks_wordnet(step.options) for step in steps)


def manifest_of(
    pipeline: Pipeline,
    files: Mapping[str, Any] | None = None,
    output: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the manifest of a finished run: its plan, its report, and what was written."""
    made = {"output": dict(output)} if output is not None else {}
    return {**plan_of(pipeline, files), **made, "report": pipeline.report().to_dict()}


def is_made(output: PathLike, plan: Mapping[str, Any]) -> bool:
    """Say whether an output is there as this plan made it, with its manifest.

    Raises
    ------
    SchemaError
        If what lies beside it is no manifest.
    """
    if not place_of(output).exists() or (manifest := manifest_beside(output)) is None:
        return False
    same = all(manifest.get(k) == v for k, v in json.loads(json.dumps(dict(plan))).items())
    return same and manifest.get("output", {}).get("sha256") == file_hash(output)


def write_manifest(manifest: Mapping[str, Any], output: PathLike) -> None:
    """Write the manifest of an output beside it (raises OutputError)."""
    text = json.dumps(manifest, ensure_ascii=False, indent=2)
    if any("\ud800" <= character <= "\udfff" for character in text):
        text = json.dumps(manifest, indent=2)  # a path that is not UTF-8 is kept by its numbers
    write_text(manifest_path(output), text + "\n")


def read_manifest(path: PathLike) -> dict[str, Any]:
    """Read a manifest, by its own name or by that of its output.

    Raises
    ------
    UnreadableInputError
        If there is none.
    SchemaError
        If it is not a manifest of this version.
    """
    own = os.fsdecode(path)
    if not own.endswith(".manifest.json"):
        own = manifest_path(path)
        with reading(path):
            found = place_of(own).exists()
        if not found:
            raise UnreadableInputError(
                "there is no manifest next to it",
                where=str(path),
                hint=f"{Path(own).name} is written by treewright augment; keep both together",
            )
    try:
        manifest = json.loads(read_text(own))
    except (ValueError, RecursionError) as error:
        if isinstance(error, TreewrightError):
            raise
        manifest = None
    fault = value_fault(manifest, _MANIFEST)
    if fault is None and "input" in manifest and "columns" not in {**manifest, **manifest["input"]}:
        fault = "columns is missing"
    if fault:
        raise SchemaError(
            f"not a manifest of the schema {SCHEMA}: {fault}",
            where=own,
            hint="augment again with this version of treewright",
        )
    return dict(manifest)


_COLUMNS = {ANY: (str, None)}
_READ = {
    "path": str, "sha256": (str, None), "examples?": Whole(), "format?": str, "skipped?": Whole(),
    "on_error?": Only(("stop", "skip")), "columns?": _COLUMNS,
}  # fmt: skip
_MANIFEST = {
    "schema": Only((SCHEMA,)),
    "versions": {
        "treewright": str, "methods": {ANY: str}, "python?": str, "numpy?": str, "pyarrow?": str,
        "parser?": (str, None), "wordnet?": (str, None),
    },
    "input?": _READ, "test?": _READ, "columns?": _COLUMNS, "reads?": {ANY: (str, None)},
    "classes?": [str], "expression": str, "settings": {"seed": Whole()},
    "output?": {"path?": str, "sha256": (str, None), "examples?": Whole()},
}  # fmt: skip
"""What a manifest holds; settings are checked by their own declarations where they are used."""


def file_hash(path: PathLike) -> str | None:
    """Return the SHA-256 of a file, or of all files of a folder with their names; None for ``-``.

    Files of a name with a star count as those of a folder.

    Raises
    ------
    UnreadableInputError
        If it cannot be read.
    """
    if str(path) == "-":
        return None
    digest = hashlib.sha256()
    with reading(path):
        place = place_of(path)
        if not (place.is_folder() or is_many(path)):
            _add(place, digest)
            return digest.hexdigest()
        for name, file in place.files().items():
            digest.update(name.encode() + b"\0")
            _add(file, digest)
    return digest.hexdigest()


def _add(place: Place, digest: hashlib._Hash) -> None:
    with place.at_hand() as here, open(here, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)


def _treewright_version() -> str:
    try:
        return version("treewright")
    except PackageNotFoundError:
        return "not installed"

"""Trained taggers and parsers on the disk: the encoder, a head beside it, and a card; no pickle."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from classifiers.encoders.opening import open_encoder
from classifiers.folders import (
    arrays_of,
    damage_told,
    facts_of_model,
    read_head,
    write_encoder,
    write_head,
)
from classifiers.structured.config import StructuredConfig, read_structured_config
from classifiers.structured.model import StructuredModel
from classifiers.structured.tasks import find_task
from grammar.files import PathLike
from grammar.saving.folders import save_folder

__all__ = ["open_structured", "save_structured"]

SCHEMA = "treewright.structured/2"
_VERB = "treewright structured train"


def save_structured(
    model: StructuredModel, folder: PathLike, facts: Mapping[str, Any] | None = None
) -> None:
    """Save a tagger or a parser as a folder with a card.

    Parameters
    ----------
    model : StructuredModel
        What was trained.
    folder : str or path
        It appears when it is complete, in the place of an older one.
    facts : mapping, optional
        What the card says of the data and of scores.

    Raises
    ------
    OutputError
        If the folder cannot be written.

    Examples
    --------
    >>> from classifiers import train_structured
    >>> model = train_structured("tags", corpus)  # doctest: +SKIP
    >>> save_structured(model, "tagger", {"data": "GUM"})  # doctest: +SKIP
    """

    def write(part: Path) -> dict[str, Any]:
        write_encoder(model.encoder, model.encoder.model, part)
        write_head(arrays_of(model.network), part)
        names = {kind: list(held) for kind, held in model.network.names.items()}
        return {
            "task": model.task.name, "names": names, "config": asdict(model.config),
            "facts": dict(facts or {}),
        }  # fmt: skip

    save_folder(folder, SCHEMA, write, _card)


def open_structured(folder: PathLike, *, device: str = "auto") -> StructuredModel:
    """Open a tagger or a parser that :func:`save_structured` wrote; nothing of it is executed.

    Raises
    ------
    UnreadableInputError
        If there is no such folder.
    SchemaError
        If it holds something else, or is damaged.
    MissingDataError
        If a library is missing.

    Examples
    --------
    >>> model = open_structured("tagger")  # doctest: +SKIP
    """
    held, place = facts_of_model(folder, SCHEMA, "a tagger or parser", _VERB), Path(folder)
    with damage_told(place, held, "the model", f"train it again: {_VERB}") as files:
        task = find_task(held["task"])
        config: StructuredConfig = read_structured_config(**held["config"])
        names = {kind: _read_names(held["names"][kind]) for kind in sorted(held["names"])}
        encoder = open_encoder(os.fspath(folder), device=device, files=files)
        network = task.network(names, encoder.depth + 1, encoder.width, config)
        weights = read_head(files, f"train it again: {_VERB}")
        network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})
        return StructuredModel(task, config, encoder, network.eval())


def _read_names(held: Any) -> tuple[Any, ...]:
    """Return names, or chains of them, as they were before they were JSON."""
    names = tuple(tuple(one) if isinstance(one, list) else one for one in held)
    parts = [part for one in names for part in (one if isinstance(one, tuple) else (one,))]
    if () in names or not names or len({*names}) != len(names):
        raise ValueError("a name is missing, or is there twice")
    if not all(isinstance(part, str) and part for part in parts):
        raise TypeError("a name is no text")
    return names


def _card(held: Mapping[str, Any]) -> str:
    lines = [f"# A model of treewright: {held['task']}", ""]
    lines += [f"- {kind}: {len(names):,}" for kind, names in held["names"].items()]
    told = {**held["config"], **held["facts"]}
    lines += [f"- {name}: {value}" for name, value in told.items()]
    learnt = {
        "frozen": "The encoder was not changed; `head.safetensors` is what learnt.",
        "whole": "The encoder has learnt together with the head, `head.safetensors`.",
    }[held["config"]["train"]]
    lines += ["", f"{learnt} Open it with", "`classifiers.open_structured`.", ""]
    return "\n".join(lines)

"""Trained interpolation models on the disk: a folder of Hugging Face, with the length converter.

Weights are safetensors; nothing that is read is executed; a seal covers all files. A checkpoint is
such a folder with the state of the optimizer, from which training goes on as if it had never
stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from grammar.errors import OptionError, SchemaError, located
from grammar.files import PathLike
from grammar.saving.folders import FACTS, check_files, read_facts, save_folder
from sampling.neural.linda.interpolator import SIGMA, Interpolator
from sampling.neural.linda.training import Training
from sampling.neural.opening import open_model

__all__ = [
    "checkpoint_of",
    "go_on",
    "open_interpolator",
    "save_checkpoint",
    "save_interpolator",
]

SCHEMA = "treewright.linda/2"
_STATE = "optimizer.safetensors"
_HINT = "train it again: treewright linda train"


def open_interpolator(name: str, *, device: str = "auto") -> Interpolator:
    """Open an interpolation model by its folder, or an encoder-decoder that is still untrained.

    An encoder-decoder without a length converter gets one as training would begin with it.

    Raises
    ------
    OptionError, MissingDataError, SchemaError
        As :func:`~sampling.neural.opening.open_model`; also if the facts beside are damaged.

    Examples
    --------
    >>> model = open_interpolator("linda")  # doctest: +SKIP
    """
    # files are checked against their digests where they are opened
    told = os.path.lexists(Path(name) / FACTS)
    sigma = float(facts_of(name)["sigma"]) if told else SIGMA
    model, tokenizer = open_model(name, "seq2seq", device=device)
    made = Interpolator(model, tokenizer, sigma)
    made.to(model.device)
    return made.eval()


def facts_of(folder: PathLike) -> dict[str, Any]:
    """Return what the folder of an interpolation model says of it (SchemaError if it is none)."""
    held = read_facts(folder, SCHEMA, "an interpolation model", "treewright linda train")
    sigma = held.get("sigma")
    if not isinstance(sigma, float) or not 0 < sigma < 1e6:
        raise SchemaError(f"sigma is {sigma!r}", where=str(Path(folder) / FACTS), hint=_HINT)
    return held


def save_interpolator(
    model: Interpolator, folder: PathLike, facts: Mapping[str, Any] | None = None
) -> None:
    """Save an interpolation model; the folder appears when it is complete (OutputError)."""
    _write(model, Path(folder), facts or {}, {})


def checkpoint_of(folder: PathLike) -> Path:
    """Return where training keeps what it needs to go on: beside the folder of the model."""
    path = Path(folder)
    return path.with_name(f"{path.name}.partial")


def save_checkpoint(training: Training, folder: PathLike, plan: Mapping[str, Any]) -> None:
    """Save how far training has come, in the place of the checkpoint before (OutputError)."""
    state = training.optimizer.state_dict()["state"]
    tensors = {
        f"{number}.{name}": value.contiguous()
        for number, held in state.items()
        for name, value in held.items()
    }
    facts = {"plan": dict(plan), "done": training.done, "seconds": training.seconds}
    _write(training.model, checkpoint_of(folder), facts, tensors)


def go_on(training: Training, folder: PathLike, plan: Mapping[str, Any]) -> int:
    """Bring training to where its checkpoint is, and return how many steps are done.

    Raises
    ------
    OptionError
        If the checkpoint is of another plan: other texts, another config or seed.
    SchemaError
        If it is damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    place = checkpoint_of(folder)
    held = facts_of(place)
    files = check_files(place, held, "use --force to start over")
    with located(str(place)):
        if held.get("plan") != json.loads(json.dumps(dict(plan))):
            raise OptionError(
                "the unfinished training is of other texts or another config",
                hint="give the same, or use --force to start over",
            )
        try:
            weights = load_file(files["model.safetensors"])
            training.model.model.load_state_dict(weights, strict=False)
            # tied weights are saved once
            training.model.model.tie_weights()
            moments = load_file(files[_STATE])
            with torch.no_grad():
                training.model.log_sigma.copy_(moments.pop("log_sigma"))
            state: dict[int, dict[str, Any]] = {}
            for key, value in moments.items():
                number, name = key.split(".")
                state.setdefault(int(number), {})[name] = value
            groups = training.optimizer.state_dict()["param_groups"]
            training.optimizer.load_state_dict({"state": state, "param_groups": groups})
            training.done, training.seconds = int(held["done"]), float(held["seconds"])
        except (
            OSError,
            LookupError,
            ValueError,
            RuntimeError,
            TypeError,
            SafetensorError,
        ) as error:
            raise SchemaError(
                f"the checkpoint is damaged: {error}".splitlines()[0],
                hint="use --force to start over",
            ) from None
    return training.done


def config_facts(training: Training) -> dict[str, Any]:
    """Return what the folder of a trained model says of its training."""
    return {
        "config": asdict(training.config),
        "seed": training.seed,
        "texts": len(training.texts),
        "processor seconds": round(training.seconds, 1),
        "sigma": round(training.model.sigma, 4),
    }


def _write(
    model: Interpolator, target: Path, facts: Mapping[str, Any], state: Mapping[str, Any]
) -> None:
    from safetensors.torch import save_file
    from transformers import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call,unused-ignore]

    def write(part: Path) -> dict[str, Any]:
        model.model.save_pretrained(part)
        model.tokenizer.save_pretrained(part)
        if state:
            save_file({**state, "log_sigma": model.log_sigma.detach()}, part / _STATE)
        return {**facts, "sigma": float(model.sigma)}

    save_folder(target, SCHEMA, write, renewed=bool(state))

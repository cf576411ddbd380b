"""The state of a training on the disk: tensors and facts, with a hash of both; no pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor

from grammar.errors import OptionError, SchemaError
from grammar.files import atomic_output
from grammar.saving.value_checks import Only, Whole, value_fault

__all__ = ["Checkpoint", "load_checkpoint", "save_checkpoint"]

SCHEMA = "treewright.training/1"
_PARTS = ("model", "moments", "best", "random")
_CPU = "random/cpu"
_FACTS = {
    "schema": Only((SCHEMA,)), "update": Whole(), "key": str, "losses": [float], "score": [float],
    "chosen": Whole(),
}  # fmt: skip
_HINT = "delete the file to start over, or name another"


@dataclass(frozen=True, eq=False, kw_only=True)
class Checkpoint:
    """All that is needed to go on with a training with the same result.

    Attributes
    ----------
    update : int
        How many steps were made.
    key : str
        A hash of all that decides the result.
    model, moments, best : mapping of str to Tensor
        The weights, what the optimiser remembers of each, and the weights of the best update.
    random : mapping of str to Tensor
        The states of the generators of random numbers.
    losses : list of float
        Of every update.
    score : tuple of float
        Of the best update.
    chosen : int
        The number of the best update, or 0.
    """

    update: int
    key: str
    model: Mapping[str, Tensor]
    moments: Mapping[str, Tensor]
    best: Mapping[str, Tensor]
    random: Mapping[str, Tensor]
    losses: list[float]
    score: tuple[float, ...]
    chosen: int

    @classmethod
    def now(cls, **parts: Any) -> Self:
        """Return a state with the random numbers as they are."""
        random = {"cpu": torch.get_rng_state()}
        if torch.cuda.is_available():
            random["cuda"] = torch.cuda.get_rng_state()
        return cls(random=random, **parts)

    def set_random_numbers(self) -> None:
        """Let random numbers go on from where they were."""
        torch.set_rng_state(self.random["cpu"].cpu())
        if "cuda" in self.random and torch.cuda.is_available():
            torch.cuda.set_rng_state(self.random["cuda"].cpu())


def save_checkpoint(path: Path, state: Checkpoint) -> None:
    """Save a state in the place of an older one.

    Raises
    ------
    OutputError
        If the path cannot be written.
    """
    from safetensors.torch import save_file

    tensors = {
        f"{part}/{name}": tensor.detach().cpu().contiguous().clone()
        for part in _PARTS
        for name, tensor in getattr(state, part).items()
    }
    facts = {
        "schema": SCHEMA, "update": state.update, "key": state.key, "losses": state.losses,
        "score": list(state.score), "chosen": state.chosen,
    }  # fmt: skip
    seal = _seal(facts, tensors)
    with atomic_output(path, renewed=True) as part:
        save_file(tensors, part, metadata={"facts": json.dumps(facts), "seal": seal})


def load_checkpoint(path: Path | None, key: str) -> Checkpoint | None:
    """Return the state that a file has; None if there is none.

    Raises
    ------
    SchemaError
        If the file is damaged, or holds something else.
    OptionError
        If it is of a training with other settings or data.
    """
    if path is None or not path.exists():
        return None
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as held:
            metadata = held.metadata() or {}
            tensors = {name: held.get_tensor(name) for name in held.keys()}  # noqa: SIM118
        facts = json.loads(metadata["facts"])
        if value_fault(facts, _FACTS) or metadata["seal"] != _seal(facts, tensors):
            raise ValueError
        if {name.partition("/")[0] for name in tensors} - set(_PARTS) or _CPU not in tensors:
            raise ValueError
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RecursionError):
        raise SchemaError(
            "not a state of a training, or damaged", where=str(path), hint=_HINT
        ) from None
    if facts["key"] != key:
        raise OptionError(
            "the state is of a training with other options, data or encoder",
            where=str(path),
            hint=_HINT,
        )
    parts: dict[str, dict[str, Tensor]] = {part: {} for part in _PARTS}
    for name, tensor in tensors.items():
        part, _, rest = name.partition("/")
        parts[part][rest] = tensor
    return Checkpoint(
        update=facts["update"], key=key, losses=facts["losses"], score=tuple(facts["score"]),
        chosen=facts["chosen"], **parts,
    )  # fmt: skip


def _seal(facts: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()

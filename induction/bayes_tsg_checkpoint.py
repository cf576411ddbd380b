"""A Bayesian chain on disk: its whole state as an Arrow IPC file of one row."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.array_file import load_arrays, save_arrays
from grammar.arrays import BoolArray, FloatArray, IntArray
from grammar.errors import MismatchError, SchemaError
from grammar.files import PathLike
from grammar.treebank import Treebank

__all__ = ["ChainState", "load_state", "save_state"]

_SCHEMA = "treewright.bayes-tsg/1"
_COLUMNS: dict[str, type] = {
    "site": np.bool_,
    "tables": np.int32,
    "concentration": np.float64,
    "discount": np.float64,
    "tau": np.float64,
    "stop": np.float64,
}
_OPTIONS = {"prior": str, "seed": int, "annealing": int}


@dataclass(eq=False)
class ChainState:
    """All that the next iteration depends on.

    Attributes
    ----------
    prior, seed, annealing
        The options that the chain was begun with.
    iteration : int
        Iterations made.
    site : bool array, shape (nodes,)
        Roots of fragments.
    tables : int32 array, shape (nodes,)
        Tables of each fragment, at the first node where it stands; 0 elsewhere.
    concentration, discount, tau, stop : float64 array, shape (labels,)
        Hyper-parameters.
    """

    prior: str
    seed: int
    annealing: int
    iteration: int
    site: BoolArray
    tables: IntArray
    concentration: FloatArray
    discount: FloatArray
    tau: FloatArray
    stop: FloatArray

    @property
    def options(self) -> dict[str, str | int]:
        """The options by name."""
        return {name: getattr(self, name) for name in _OPTIONS}


def save_state(state: ChainState, treebank: Treebank, path: PathLike) -> None:
    """Save a state, atomically, with a fingerprint of the trees it belongs to."""
    columns: dict[str, np.ndarray[Any, Any]] = {
        name: np.asarray(getattr(state, name), kind) for name, kind in _COLUMNS.items()
    }
    facts = {**state.options, "iteration": state.iteration, "trees": _fingerprint(treebank)}
    save_arrays(path, _SCHEMA, facts, columns)


def load_state(path: PathLike, treebank: Treebank) -> ChainState:
    """Load a state that belongs to these trees (raises like ``BayesTSG.load``)."""
    hint = "delete it, or name another checkpoint"
    facts, columns = load_arrays(path, _SCHEMA, what="a chain", hint=hint)
    try:
        fingerprint, iteration = facts.pop("trees"), facts.pop("iteration")
        arrays = {name: columns[name].astype(kind) for name, kind in _COLUMNS.items()}
        state = ChainState(**facts, iteration=iteration, **arrays)
    except (LookupError, TypeError, ValueError, AttributeError):
        raise SchemaError(
            "the chain is damaged: a part is missing or of the wrong kind",
            where=str(path),
            hint=hint,
        ) from None
    if fingerprint != _fingerprint(treebank):
        raise MismatchError(
            "the chain was begun with other trees",
            where=str(path),
            hint="give the same treebank and the same preparation, or another checkpoint",
        )
    return state


def _fingerprint(treebank: Treebank) -> str:
    """Hash shapes and names, whatever the numbers of the names are."""
    names = list(treebank.symbols)
    used, compact = np.unique(treebank.label, return_inverse=True)
    used_names = [names[i] for i in used.tolist()]
    order = np.argsort(np.array(used_names, object), kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(sorted(used_names)).encode())
    for column in (rank[compact], treebank.size, treebank.offsets):
        digest.update(np.ascontiguousarray(column, np.int64).tobytes())
    return digest.hexdigest()

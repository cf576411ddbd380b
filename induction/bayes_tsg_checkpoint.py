"""A Bayesian chain on disk: its whole state as an Arrow IPC file of one row."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, FloatArray, IntArray
from grammar.errors import MismatchError, SchemaError, UnreadableInputError
from grammar.files import PathLike, atomic_output
from grammar.treebank import Treebank

__all__ = ["ChainState", "load_state", "save_state"]

_SCHEMA = b"treewright.bayes-tsg/1"
_BY_NODE = {"site": np.bool_, "tables": np.int32}
_BY_LABEL = ("concentration", "discount", "tau", "stop")
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
    columns = {
        name: pa.array([getattr(state, name)], pa.large_list(pa.from_numpy_dtype(kind)))
        for name, kind in (*_BY_NODE.items(), *((name, np.float64) for name in _BY_LABEL))
    }
    facts = {**state.options, "iteration": state.iteration, "trees": _fingerprint(treebank)}
    table = pa.table(columns).replace_schema_metadata(
        {b"schema": _SCHEMA, b"chain": json.dumps(facts).encode()}
    )
    with (
        atomic_output(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)


def load_state(path: PathLike, treebank: Treebank) -> ChainState:
    """Load a state that belongs to these trees (raises like ``BayesTSG.load``)."""
    try:
        with pa.OSFile(os.fspath(path)) as source:
            table = pa.ipc.open_file(source).read_all()
    except pa.ArrowInvalid:
        raise _not_a_chain(path) from None
    except OSError as error:
        raise UnreadableInputError(
            f"cannot read the file: {error.strerror or error}", where=str(path)
        ) from None
    metadata = table.schema.metadata or {}
    if metadata.get(b"schema") != _SCHEMA:
        raise _not_a_chain(path)
    try:
        facts = json.loads(metadata[b"chain"])
        fingerprint, iteration = facts.pop("trees"), facts.pop("iteration")
        columns: dict[str, Any] = {
            name: np.array(table.column(name)[0].values.to_numpy(zero_copy_only=False))
            for name in (*_BY_NODE, *_BY_LABEL)
        }
        if fingerprint != _fingerprint(treebank):
            raise MismatchError(
                "the chain was begun with other trees",
                where=str(path),
                hint="give the same treebank and the same preparation, or another checkpoint",
            )
        state = ChainState(**facts, iteration=iteration, **columns)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, MismatchError):
            raise
        raise _not_a_chain(path) from None
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


def _not_a_chain(path: PathLike) -> SchemaError:
    return SchemaError(
        "not a chain saved by this version of treewright",
        where=str(path),
        hint="delete it, or name another checkpoint",
    )

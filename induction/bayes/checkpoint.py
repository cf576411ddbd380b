"""A Bayesian chain on disk: its whole state as an Arrow IPC file of one row."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, FloatArray, IntArray
from grammar.errors import MismatchError, SchemaError
from grammar.files import PathLike
from grammar.options import Checked, option
from grammar.saving.array_checks import check_counts, check_length, check_numbers
from grammar.saving.array_file import load_arrays, save_arrays
from grammar.trees.treebank import Treebank

__all__ = ["ChainOptions", "ChainState", "load_state", "save_state"]

_SCHEMA = "treewright.bayes-tsg/1"
_COLUMNS: dict[str, type] = {
    "site": np.bool_,
    "tables": np.int32,
    "concentration": np.float64,
    "discount": np.float64,
    "tau": np.float64,
    "stop": np.float64,
}


@dataclass(frozen=True, kw_only=True)
class ChainOptions(Checked):
    """What a chain is begun with."""

    prior: str = option(
        "pitman-yor",
        "The prior process of the fragments of each root.",
        source="Cohn, Blunsom & Goldwater 2010; Post & Gildea 2009",
        choices=("pitman-yor", "dirichlet"),
    )
    seed: int = option(
        0, "Seed; every random choice is a function of it and of the iteration.", least=0
    )
    annealing: int = option(
        0,
        "Number of first iterations with a temperature that falls from 3 to 1; 0 turns "
        "annealing off.",
        least=0,
    )


@dataclass(eq=False)
class ChainState:
    """All that the next iteration depends on.

    Attributes
    ----------
    options : ChainOptions
        What the chain was begun with.
    iteration : int
        Iterations made.
    site : bool array, shape (nodes,)
        Roots of fragments.
    tables : int32 array, shape (nodes,)
        Tables of each fragment, at the first node where it stands; 0 elsewhere.
    concentration, discount, tau, stop : float64 array, shape (labels,)
        Hyper-parameters.
    """

    options: ChainOptions
    iteration: int
    site: BoolArray
    tables: IntArray
    concentration: FloatArray
    discount: FloatArray
    tau: FloatArray
    stop: FloatArray


def save_state(state: ChainState, treebank: Treebank, path: PathLike) -> None:
    """Save a state, atomically, with a fingerprint of the trees it belongs to."""
    columns: dict[str, np.ndarray[Any, Any]] = {
        name: np.asarray(getattr(state, name), kind) for name, kind in _COLUMNS.items()
    }
    facts = {**asdict(state.options), "iteration": state.iteration, "trees": _fingerprint(treebank)}
    save_arrays(path, _SCHEMA, facts, columns, renewed=True)


def load_state(path: PathLike, treebank: Treebank) -> ChainState:
    """Load a state that belongs to these trees (raises like ``BayesTSG.load``)."""
    hint = "delete it, or name another checkpoint"
    facts, columns = load_arrays(path, _SCHEMA, what="a chain", hint=hint)
    try:
        fingerprint, iteration = facts.pop("trees"), facts.pop("iteration")
        arrays = {name: columns[name].astype(kind) for name, kind in _COLUMNS.items()}
        state = ChainState(ChainOptions(**facts), iteration, **arrays)
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
    try:
        _check(state, treebank)
    except (TypeError, ValueError) as error:
        raise SchemaError(f"the chain is damaged: {error}", where=str(path), hint=hint) from None
    return state


def _check(state: ChainState, treebank: Treebank) -> None:
    """Refuse what the next iteration could not go on from, with ValueError or TypeError."""
    nodes, labels = len(treebank.label), len(np.unique(treebank.label[~treebank.is_word]))
    if type(state.iteration) is not int or not 0 <= state.iteration < 2**62:
        raise ValueError("the iteration has no number")
    check_length("site", state.site, nodes)
    if (state.site & treebank.is_word).any() or not state.site[treebank.offsets[:-1]].all():
        raise ValueError("site: a word is the root of a fragment, or the root of a tree is none")
    check_length("tables", state.tables, nodes)
    check_numbers("tables", state.tables, 0, nodes + 1)
    if (state.tables[~state.site] > 0).any():
        raise ValueError("tables: they stand where no fragment begins")
    for name in ("concentration", "discount", "tau", "stop"):
        check_length(name, getattr(state, name), labels)
        check_counts(name, getattr(state, name))
    if not (state.concentration > 0).all() or not (state.tau > 0).all():
        raise ValueError("concentration or tau: not above 0")
    if (state.discount >= 1).any() or (state.stop <= 0).any() or (state.stop >= 1).any():
        raise ValueError("discount or stop: not a probability")
    if (state.discount > 0).any() and not (state.discount > 0).all():
        raise ValueError("discount: those of some labels are 0")


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

"""A probe: the odds that a text reads well, by what a language model makes of its pieces.

It is a classifier of the hidden states of a layer in the middle (Alain & Bengio 2017), whose
matrices it changes for this (:mod:`sampling.neural.causal.adapter`). Of every piece it sees the
state, and whether the piece stands before, in, or behind what was changed; it
sums up the whole text, the change, the first pieces of the change, the first behind it, and the
last of the text. It was learnt from verdicts of blind readers (``python -m benchmarks.probing
first``; the card is ``smollm2.md``) and fits one model, which it knows by the vectors among its
weights: files that quantise matrices leave vectors as they are. Two ship.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from scipy.special import erf

from grammar.arrays import FloatArray, LongArray
from grammar.errors import SchemaError
from grammar.files import PathLike
from grammar.saving.array_checks import check_length
from grammar.saving.array_file import load_arrays, save_arrays
from sampling.neural.causal.adapter import Adapter
from sampling.neural.causal.features import OF_SHAPE, Change, Hidden, shape_of

__all__ = [
    "BEFORE",
    "BEHIND",
    "CHANGED",
    "FILES",
    "PLACES",
    "POOLS",
    "UNCHANGED",
    "Probe",
    "Probes",
    "places_of",
    "shipped",
]

BEFORE, CHANGED, BEHIND, UNCHANGED = range(4)
PLACES = 4
"""Where a piece stands; the last is that of all pieces where nothing is new."""
POOLS = 5
"""Means over pieces: of all, changed, the last, the first behind the change, the first changed."""
FIRST = 3
"""So many are the first pieces."""
_SMALL = 1e-5
"""Added to a variance, as layers of a network do."""
_COLUMNS = ("state", "place", "hidden", "bias", "out", "shape")
_OF_ADAPTER = ("shapes", "steps", "sizes")
_SCHEMA = "treewright.probe/3"
FILES = ("smollm2-first.arrow", "smollm2-second.arrow")
"""The probes that ship, beside this file."""


@dataclass(frozen=True, eq=False)
class Probe:
    """The weights of a probe.

    Attributes
    ----------
    model : str
        The hash of the vectors of the model that it fits.
    layer : int
        The layer whose states it looks at; 0 are the embeddings.
    state : float32[units * width]
        From the normed state of a piece to its units.
    place : float32[places * units]
        What the place of the piece adds.
    hidden : float32[hidden * pools * units]
        From the normed pools to a hidden layer with GELU.
    bias : float32[hidden]
        Of that layer.
    out : float32[hidden]
        From it to the odds.
    shape : float32[3]
        What evenness and length of the text add, and an intercept.
    adapter : Adapter
        What it changes in the layers before.
    """

    model: str
    layer: int
    state: FloatArray
    place: FloatArray
    hidden: FloatArray
    bias: FloatArray
    out: FloatArray
    shape: FloatArray
    adapter: Adapter

    @functools.cached_property
    def digest(self) -> str:
        """A hash of all that it is, by which a saved grammar knows it again."""
        held = hashlib.sha256(f"{self.model} {self.layer}".encode())
        for column in self._columns().values():
            held.update(np.ascontiguousarray(column).tobytes())
        return held.hexdigest()

    def odds(self, change: Change, text: Hidden) -> float:
        """Return the logarithm of the odds that a new text reads well.

        Parameters
        ----------
        change : Change
            What of it is new.
        text : Hidden
            What the probe's layer makes of it, with its adapter.
        """
        places = places_of(change, text)
        place = self.place.reshape(PLACES, -1)
        pieces = _normed(text.states) @ self.state.reshape(place.shape[1], -1).T
        pieces += place[places]
        pools = _normed(_pools(pieces, places).reshape(1, -1))[0]
        hidden = self.hidden.reshape(len(self.bias), -1) @ pools + self.bias
        evenness, length = shape_of(len(places), int((places == CHANGED).sum()))
        return float(_gelu(hidden) @ self.out + self.shape @ np.array([evenness, length, 1.0]))

    def save(self, path: PathLike) -> None:
        """Write it into a file (OutputError if that cannot be)."""
        save_arrays(path, _SCHEMA, {"model": self.model, "layer": self.layer}, self._columns())

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a file that :meth:`save` wrote (SchemaError if it is none, or damaged)."""
        hint = "install the package again"
        facts, columns = load_arrays(path, _SCHEMA, what="a probe", hint=hint)
        try:
            adapter = Adapter(*(columns.pop(name) for name in _OF_ADAPTER))
            adapter.check()
            made = cls(str(facts["model"]), int(facts["layer"]), **columns, adapter=adapter)
            units, hidden = len(made.place) // PLACES, len(made.bias)
            check_length("place", made.place, PLACES * units)
            if not units or len(made.state) % units:
                raise ValueError(f"state: {len(made.state)} values are of no {units} units")
            check_length("hidden", made.hidden, hidden * POOLS * units)
            check_length("out", made.out, hidden)
            check_length("shape", made.shape, len(OF_SHAPE) + 1)
        except (LookupError, TypeError, ValueError) as error:
            raise SchemaError(
                f"the probe is damaged: {error}", where=str(path), hint=hint
            ) from None
        return made

    def _columns(self) -> dict[str, Any]:
        own = {name: np.asarray(getattr(self, name), np.float32) for name in _COLUMNS}
        return own | {name: getattr(self.adapter, name) for name in _OF_ADAPTER}


@dataclass(frozen=True, eq=False)
class Probes:
    """Two probes of a model that were trained apart: what the first likes best, the second reads.

    A search finds what a probe gets wrong; the two get other things wrong.
    """

    first: Probe
    second: Probe

    @property
    def digest(self) -> str:
        """A hash of both."""
        return hashlib.sha256((self.first.digest + self.second.digest).encode()).hexdigest()

    def fit(self, vectors: str) -> bool:
        """Say whether they are of the model that has these vectors."""
        return self.first.model == self.second.model == vectors


@functools.cache
def shipped() -> Probes:
    """Return the probes that ship, of SmolLM2-135M-Instruct."""
    folder = Path(__file__).parent
    first, second = (Probe.load(folder / name) for name in FILES)
    return Probes(first, second)


def places_of(change: Change, text: Hidden) -> LongArray:
    """Return where each piece stands.

    >>> from sampling.neural.causal.features import changed
    >>> text = Hidden(np.zeros((3, 1)), np.array([0, 1, 5]), np.array([1, 5, 9]))
    >>> places_of(changed("a new text", "a text"), text).tolist()
    [0, 1, 2]
    """
    new = (text.end > change.begin) & (text.begin < change.end)
    at = np.flatnonzero(new)
    if not len(at):
        return np.full(len(new), UNCHANGED)
    number = np.arange(len(new))
    return np.where(number < at[0], BEFORE, np.where(number > at[-1], BEHIND, CHANGED))


def _pools(pieces: FloatArray, places: LongArray) -> FloatArray:
    """Return the means of :data:`POOLS`; zeros of no pieces."""
    inside, behind = (pieces[places == place] for place in (CHANGED, BEHIND))
    parts = (pieces, inside, pieces[-1:], behind[:FIRST], inside[:FIRST])
    return np.array([part.sum(axis=0) / max(1, len(part)) for part in parts])


def _normed(rows: FloatArray) -> FloatArray:
    """Return rows with a mean of zero and a variance of one."""
    spread = np.sqrt(rows.var(axis=1, keepdims=True) + _SMALL)
    normed: FloatArray = (rows - rows.mean(axis=1, keepdims=True)) / spread
    return normed


def _gelu(values: FloatArray) -> FloatArray:
    """Return values times the normal probability of less (Hendrycks & Gimpel 2016)."""
    made: FloatArray = values * (1 + erf(values / np.sqrt(2))) / 2
    return made

"""Counter-based random numbers: every draw is a function of (seed, method, index).

A stream is a SplitMix64 generator (Steele, Lea & Flood 2014, *Fast splittable pseudorandom number
generators*) started at a state that hashes the key, so example *i* costs no draws of the examples
before it, and its bytes cannot depend on batch sizes, worker counts or hash seeds.

In a kernel::

    state = open_stream(key, index)      # key = stream_key(seed, "pcfg")
    state, u = next_uniform(state)       # u in [0, 1), 53 bits
"""

from __future__ import annotations

import hashlib

import numpy as np

from grammar.arrays import FloatArray, kernel
from grammar.errors import OptionError

__all__ = ["below", "next_uniform", "open_stream", "stream_key", "uniforms", "uniforms_of"]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_TO_UNIT = 2.0**-53


def stream_key(seed: int, method: str) -> np.uint64:
    """Hash a seed and a method name to the 64-bit key of a family of streams.

    >>> bool(stream_key(0, "pcfg") == stream_key(0, "pcfg"))
    True
    >>> bool(stream_key(0, "pcfg") == stream_key(1, "pcfg"))
    False

    Raises
    ------
    OptionError
        If the seed is not a whole number from 0 to 2**63 - 1.
    """
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    # provenance keeps seeds as 64-bit numbers
    if not whole or not 0 <= seed < 2**63:
        raise OptionError(
            f"seed {seed!r} is not a whole number from 0 to 2**63 - 1", hint="for example seed=0"
        )
    digest = hashlib.blake2b(f"{method}\x00{int(seed)}".encode(), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


@kernel(inline="always")
def _mix(z: np.uint64) -> np.uint64:
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel(inline="always")
def open_stream(key: np.uint64, index: int) -> np.uint64:
    """Return the start state of stream ``index`` (>= 0) of a family."""
    return _mix(key + _mix((np.uint64(index) + np.uint64(1)) * _GAMMA))


@kernel(inline="always")
def next_uniform(state: np.uint64) -> tuple[np.uint64, float]:
    """Advance a stream; return the new state and a float in [0, 1) with 53 random bits."""
    state = state + _GAMMA
    return state, (_mix(state) >> _S11) * _TO_UNIT


@kernel(inline="always")
def below(uniform: float, n: int) -> int:
    """Map a uniform float to a whole number in [0, n); exact up to n / 2**53."""
    return min(int(uniform * n), n - 1)


@kernel()
def uniforms_of(key: np.uint64, index: int, count: int) -> FloatArray:
    """Return the first so many numbers of one stream.

    >>> uniforms_of(stream_key(0, "pcfg"), 3, 2).round(2).tolist()
    [0.83, 0.58]
    """
    values = np.empty(count)
    state = open_stream(key, index)
    for i in range(count):
        state, values[i] = next_uniform(state)
    return values


@kernel()
def uniforms(key: np.uint64, first: int, count: int) -> FloatArray:
    """Return the first number of each of so many streams, from stream ``first`` on.

    >>> uniforms(stream_key(0, "pcfg"), 3, 2).round(2).tolist()
    [0.83, 0.37]
    """
    drawn = np.empty(count)
    for i in range(count):
        _, drawn[i] = next_uniform(open_stream(key, first + i))
    return drawn

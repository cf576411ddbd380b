"""Random numbers are SplitMix64 by the book, uniform, independent, and the same for ever."""

from __future__ import annotations

import hashlib

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from grammar.errors import OptionError
from grammar.rng import below, next_uniform, open_stream, stream_key

MASK = 2**64 - 1
GAMMA = 0x9E3779B97F4A7C15
KEYS = [stream_key(seed, method) for seed in (0, 1, 2**63 - 1) for method in ("pcfg", "")]


@numba.njit
def numbers(key, first, streams, draws):
    """Return uniform numbers, one row a stream."""
    out = np.empty((streams, draws))
    for i in range(streams):
        state = open_stream(key, first + i)
        for j in range(draws):
            state, out[i, j] = next_uniform(state)
    return out


@numba.njit
def draw_below(uniform, n):
    return below(uniform, n)


# --- the definition, in Python's whole numbers -------------------------------------------------


def mix(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def numbers_by_hand(key: int, index: int, draws: int) -> list[float]:
    state = mix((key + mix((index + 1) * GAMMA & MASK)) & MASK)
    return [(mix((state + i * GAMMA) & MASK) >> 11) / 2**53 for i in range(1, draws + 1)]


def test_the_mixing_function_is_that_of_splitmix64():
    # the first outputs of the reference implementation (Vigna, splitmix64.c) for the seed 1234567
    assert [mix((1234567 + i * GAMMA) & MASK) for i in (1, 2, 3)] == [
        6457827717110365317, 3203168211198807973, 9817491932198370423,
    ]  # fmt: skip


@given(st.integers(0, MASK), st.integers(0, 2**62))
def test_streams_follow_the_definition(key, index):
    ours = numbers(np.uint64(key), index, 2, 3).tolist()
    assert ours == [numbers_by_hand(key, index, 3), numbers_by_hand(key, index + 1, 3)]


@given(st.integers(0, 2**63 - 1), st.text(st.characters(codec="utf-8"), max_size=5))
def test_keys_follow_the_definition(seed, method):
    digest = hashlib.blake2b(method.encode() + b"\0" + str(seed).encode(), digest_size=8).digest()
    assert int(stream_key(seed, method)) == int.from_bytes(digest, "little")


GOLDEN_KEYS = ["0xb1a0baf01981b373", "0xa00bbf4d7f2f96b7", "0xffae175715cc9acd"]
GOLDEN_FIRST = ["0x1.26a5904aaf0c5p-1", "0x1.8f89a83d563f9p-1", "0x1.58e191a0a2114p-3"]
GOLDEN_FAR = "0x1.4c5b6accdd220p-1"


def test_reference_values_never_change():
    # if this fails, every corpus ever made with a seed comes out differently
    assert [hex(stream_key(*key)) for key in ((0, "pcfg"), (1, "pcfg"), (0, "geca"))] == GOLDEN_KEYS
    key = stream_key(0, "pcfg")
    assert [x.hex() for x in numbers(key, 0, 1, 3)[0].tolist()] == GOLDEN_FIRST
    assert numbers(key, 10**12, 1, 1)[0, 0].hex() == GOLDEN_FAR


# --- the distribution -------------------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("draw", [0, 1, 7])
def test_one_draw_of_many_streams_is_uniform(key, draw):
    column = numbers(key, 0, 100_000, 8)[:, draw]
    assert chisquare(np.histogram(column, 256, (0, 1))[0])[1] > 1e-4
    assert kstest(column, "uniform")[1] > 1e-4


@pytest.mark.parametrize("key", KEYS)
def test_many_draws_of_one_stream_are_uniform(key):
    row = numbers(key, 5, 1, 100_000)[0]
    assert chisquare(np.histogram(row, 256, (0, 1))[0])[1] > 1e-4


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("lag", [1, 2, 16, 4096])
def test_streams_of_neighbouring_indices_are_independent(key, lag):
    column = numbers(key, 0, 100_000 + lag, 1)[:, 0]
    a, b = column[:-lag], column[lag:]
    # the deviation of a correlation of n pairs is 1 / sqrt(n)
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(100_000)
    cells = np.histogram2d(a, b, 16, [(0, 1), (0, 1)])[0]
    assert chisquare(cells.ravel())[1] > 1e-4


@pytest.mark.parametrize("key", KEYS)
def test_neighbouring_draws_of_a_stream_are_independent(key):
    table = numbers(key, 0, 50_000, 2)
    assert chisquare(np.histogram2d(*table.T, 16, [(0, 1), (0, 1)])[0].ravel())[1] > 1e-4


def test_streams_of_neighbouring_seeds_are_independent():
    columns = [numbers(stream_key(seed, "x"), 0, 50_000, 1)[:, 0] for seed in (0, 1)]
    assert chisquare(np.histogram2d(*columns, 16, [(0, 1), (0, 1)])[0].ravel())[1] > 1e-4


def test_the_low_bits_are_as_good_as_the_high_ones():
    low = numbers(KEYS[0], 0, 100_000, 1)[:, 0] * 2**53 % 256
    assert chisquare(np.bincount(low.astype(int), minlength=256))[1] > 1e-4


def test_no_two_streams_begin_alike():
    assert len(np.unique(numbers(KEYS[0], 0, 200_000, 1))) == 200_000


# --- below ------------------------------------------------------------------------------------

ALMOST_ONE = 1 - 2.0**-53


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000, 2**31, 2**52, 2**53, 2**62])
def test_below_stays_in_range_at_the_edges(n):
    assert draw_below(0.0, n) == 0
    last = draw_below(ALMOST_ONE, n)
    assert 0 <= last < n
    assert n - 1 - last <= n / 2**52


@given(st.floats(0, ALMOST_ONE), st.integers(1, 2**62))
def test_below_is_always_in_range(uniform, n):
    assert 0 <= draw_below(uniform, n) < n


@pytest.mark.parametrize("n", [2, 3, 7, 100])
def test_below_is_uniform(n):
    draws = [draw_below(u, n) for u in numbers(KEYS[1], 0, 1, 20_000)[0]]
    assert chisquare(np.bincount(draws, minlength=n))[1] > 1e-4


# --- seeds ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 1.0, "1", None, True, np.int64(-5), np.float64(1), 2**63])
def test_a_seed_must_be_a_whole_number_of_zero_or_more(seed):
    with pytest.raises(OptionError, match="is not a whole number from 0"):
        stream_key(seed, "pcfg")


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1, np.int32(7), np.uint64(2**63 - 1)])
def test_any_whole_number_is_a_seed_whatever_its_type(seed):
    assert stream_key(seed, "pcfg") == stream_key(int(seed), "pcfg")


def test_keys_differ_by_seed_and_method():
    keys = {int(stream_key(s, m)) for s in range(100) for m in ("", "a", "b", "a\x00", "a\x001")}
    assert len(keys) == 500

"""Sets of hashes against Python's, and hashes of rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from grammar.arrays import pack_strings
from grammar.hashing import added, hash_rows, members, new_set, slot_of

numbers = st.lists(st.integers(0, 2**61 - 1) | st.integers(0, 20), max_size=60)


@given(numbers, numbers, st.integers(0, 100))
def test_a_set_holds_what_was_put_in_and_nothing_else(inside, asked, extra):
    known = new_set(np.array(inside, np.uint64), len(inside) + extra)
    assert sorted(members(known).tolist()) == sorted(set(inside))
    for value in asked:
        assert (known[slot_of(known, np.uint64(value))] != 0) == (value in inside)


@given(st.lists(st.text(max_size=5), max_size=20))
def test_equal_rows_have_equal_hashes_and_others_differ(texts):
    hashes = hash_rows(*pack_strings(texts)).tolist()
    assert len(hashes) == len(texts)
    pairs = dict(zip(texts, hashes, strict=True))
    assert [pairs[text] for text in texts] == hashes
    assert len(set(hashes)) == len(set(texts))


def test_the_hash_is_fnv_1a():
    assert hash_rows(*pack_strings(["", "a"])).tolist() == [0xCBF29CE484222325, 0xAF63DC4C8601EC8C]


@given(st.lists(st.integers(0, 2**64 - 2), max_size=30), st.lists(st.integers(0, 9), max_size=30))
def test_what_is_added_is_new_once(before: list[int], values: list[int]) -> None:
    known = set(before[::2])
    found = added(
        new_set(np.array(before[::2], np.uint64), 60), np.array(before + values, np.uint64)
    )
    slow = [value not in known and not known.add(value) for value in before + values]  # type: ignore[func-returns-value]
    assert found.tolist() == slow

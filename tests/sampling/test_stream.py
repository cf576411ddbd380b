"""The stream that all methods share, on a method small enough to be written out beside it."""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import sampling.stream
from grammar.arrays import BoolArray, LongArray
from grammar.engines.threads import ahead, behind, in_threads
from grammar.errors import OptionError
from grammar.messages import heard_by, tell
from sampling.stream import Sampler, Shortfall, ShortfallWarning


class Throws(Sampler):
    """Throws of a die; some faces are no examples, and some are known before."""

    method = "throws"

    def __init__(
        self,
        faces: int,
        *,
        refused: frozenset[int] = frozenset(),
        known: frozenset[int] = frozenset(),
        distinct: bool = True,
        patience: int = 50,
    ) -> None:
        self.grammar = faces
        self.distinct = distinct
        self.patience = patience
        self._refused = refused
        self._known = known

    def count(self) -> int:
        return int(self.grammar) - len(self._refused | self._known)

    def attempt(self, seed: int, numbers: LongArray, *beside: Any) -> Any:
        mixed = (numbers + 7919 * (seed + 1)).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return (mixed >> np.uint64(33)) % np.uint64(self.grammar)

    def refused(self, drawn: Any) -> Mapping[str, BoolArray]:
        odd = np.isin(drawn, sorted(self._refused))
        return {"refused": odd} if self._refused else {}

    def hash(self, drawn: Any, rows: LongArray) -> NDArray[np.uint64]:
        return np.asarray(drawn[rows], np.uint64)

    def known(self) -> frozenset[int]:
        return self._known

    def write(self, drawn: Any, seed: int, index: LongArray) -> pa.Table:
        return pa.table({"id": pa.array(index), "text": [str(face) for face in drawn.tolist()]})


def plain(sampler: Throws, seed: int, n: int) -> tuple[list[str], dict[str, int], int]:
    """The twin of :class:`sampling.stream.Attempts`: one attempt after the other."""
    seen, given, passed, vain, attempt = set(sampler.known()), [], dict[str, int](), 0, 0
    while len(given) < n and vain < sampler.patience:
        face = int(sampler.attempt(seed, np.array([attempt]))[0])
        attempt += 1
        if face in sampler._refused:
            passed["refused"] = passed.get("refused", 0) + 1
        elif sampler.distinct and face in seen:
            passed["not new"] = passed.get("not new", 0) + 1
        else:
            seen.add(face)
            given.append(str(face))
            vain = 0
            continue
        vain += 1
    return given, passed, attempt


faces = st.frozensets(st.integers(0, 30), max_size=10)
samplers = st.builds(
    lambda size, refused, known, distinct, patience: Throws(
        size, refused=refused, known=known, distinct=distinct, patience=patience
    ),
    st.integers(1, 60),
    faces,
    faces,
    st.booleans(),
    st.integers(1, 80),
)


def texts(tables: Iterator[pa.Table] | list[pa.Table]) -> list[str]:
    return [text for table in tables for text in table.column("text").to_pylist()]


@given(samplers, st.integers(0, 9), st.integers(0, 70), st.sampled_from([1, 3, 64]))
@settings(max_examples=150)
def test_a_stream_is_one_attempt_after_the_other_in_chunks_of_any_size(
    sampler: Throws, seed: int, n: int, chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        patch.setattr(sampling.stream, "CHUNK", chunk)
        made = texts(list(sampler.batches(n, seed=seed)))
    expected, passed, attempts = plain(sampler, seed, n)
    assert made == expected
    assert [w.category for w in caught] == [ShortfallWarning] * (len(made) < n)
    if len(made) < n:
        shortfall = caught[0].message.shortfall  # type: ignore[union-attr]
        assert (shortfall.made, shortfall.attempts) == (len(made), attempts)
        assert {name: count for name, count in shortfall.passed_over.items() if count} == passed


@given(samplers, st.integers(0, 9), st.data())
@settings(max_examples=150)
def test_any_batches_workers_and_interleaved_streams_give_the_same(
    sampler: Throws, seed: int, data: st.DataObject
) -> None:
    count = st.integers(0, 25)
    a, b = data.draw(count), data.draw(count)
    size, workers = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ShortfallWarning)
        whole = sampler.sample(a + b, seed=seed)
        assert [*sampler.sample(a, seed=seed), *sampler.sample(b, seed=seed, start=a)] == [*whole]
        ways = [
            sampler.batches(a + b, seed=seed, batch_size=size, workers=workers),
            sampler.batches(b, seed=seed, start=a, batch_size=size),
            sampler.batches(a, seed=seed + 1, batch_size=size, workers=workers),
        ]
        parts: list[list[str]] = [[] for _ in ways]
        open_ways = list(range(len(ways)))
        while open_ways:
            way = data.draw(st.sampled_from(open_ways))
            table = next(ways[way], None)
            if table is None:
                open_ways.remove(way)
            else:
                parts[way] += texts([table])
        expected = whole.column("text")
        assert parts == [expected, expected[a:], sampler.sample(a, seed=seed + 1).column("text")]


def test_too_few_are_a_shortfall_with_its_reasons() -> None:
    sampler = Throws(6, refused=frozenset({0}), known=frozenset({1, 2}))
    with pytest.warns(ShortfallWarning, match="^9 examples were asked for, but only 3 distinct"):
        assert sorted(sampler.sample(9).column("text")) == ["3", "4", "5"]
    with pytest.warns(ShortfallWarning, match="^9 examples from number 2 were .* made none") as got:
        assert len(sampler.sample(9, start=2)) == 1
    shortfall = got[0].message.shortfall  # type: ignore[union-attr]
    assert shortfall.made == 3
    assert set(shortfall.passed_over) == {"refused", "not new"}
    assert sum(shortfall.passed_over.values()) + 3 == shortfall.attempts
    assert str(shortfall).endswith(
        f"50 attempts in a row made none ({shortfall.passed_over['refused']} refused; "
        f"{shortfall.passed_over['not new']} not new)"
    )
    assert str(Shortfall(3, "there are no more")) == "there are no more"


def test_no_examples_are_an_empty_table_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(Throws(6).sample(0)) == 0
        assert [table.num_rows for table in Throws(6).batches(0, start=2, workers=2)] == [0]
        assert [table.num_rows for table in Throws(9).batches(5, start=2, batch_size=3)] == [3, 2]


@pytest.mark.parametrize(
    ("name", "value"),
    [("n", -1), ("n", 2.0), ("seed", "1"), ("seed", True), ("start", -1), ("workers", 0),
     ("batch_size", 0)],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused_at_once(name: str, value: Any) -> None:
    with pytest.raises(OptionError, match=f"{name}={value!r} is not a whole number"):
        Throws(6).batches(**{"n": 3, name: value})


def test_threads_give_their_results_in_order_and_hold_few() -> None:
    asked: list[int] = []

    def tasks() -> Iterator[Any]:
        for number in range(20):
            asked.append(number)
            yield lambda number=number: number

    results = in_threads(tasks(), 2)
    assert next(results) == 0
    assert len(asked) <= 5
    assert list(results) == list(range(1, 20))


def test_what_is_taken_ahead_comes_in_order_and_is_little() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            tell(f"number {number}")
            yield number

    heard: list[str] = []
    with heard_by(heard.append):
        found = ahead(items(), 2)
        assert next(found) == 0
        assert list(itertools.islice(found, 3)) == [1, 2, 3]
        found.close()  # type: ignore[attr-defined]
    assert len(taken) <= 7
    assert heard == [f"number {number}" for number in taken]


def test_a_fault_of_what_is_taken_ahead_is_raised_in_its_turn() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("no more")

    found = ahead(items(), 3)
    assert next(found) == 1
    with pytest.raises(ValueError, match="no more"):
        next(found)


def test_what_is_done_behind_is_done_in_order_by_one_thread_while_little_is_taken() -> None:
    taken: list[int] = []
    done: list[tuple[int, int]] = []

    def work(number: int) -> int:
        done.append((number, threading.get_ident()))
        return -number

    def items() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    found = behind(items(), work, 3)
    assert list(itertools.islice(found, 5)) == [0, -1, -2, -3, -4]
    assert len(taken) <= 8
    found.close()  # type: ignore[attr-defined]
    assert [number for number, _ in done] == taken
    (thread,) = {thread for _, thread in done}
    assert thread != threading.get_ident()


def test_a_fault_of_what_is_done_behind_ends_the_taking() -> None:
    taken = iter(range(100))
    with pytest.raises(ZeroDivisionError):
        list(behind(taken, lambda number: 1 // (3 - number), 2))
    assert next(taken) < 8


def test_why_there_is_no_more_is_said_by_whoever_asked() -> None:
    with pytest.warns(ShortfallWarning) as told:
        tables = list(Throws(6).batches(50, workers=2, batch_size=1))
    assert sum(table.num_rows for table in tables) == 6
    assert len(told) == 1

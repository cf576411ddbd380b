"""Seals of saved files, and what is refused behind one that fits."""

from __future__ import annotations

import contextlib
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.errors import SchemaError
from grammar.opening import open_grammar
from grammar.pcfg.grammar import Grammar
from grammar.saving.array_checks import (
    check_counts,
    check_length,
    check_numbers,
    check_offsets,
    check_running_sums,
    check_shares,
)
from grammar.saving.array_file import load_arrays, save_arrays
from grammar.saving.checksum import UNSEALED, check_seal, sealed
from tests.checksums import without_seal


def test_mostly_zeros_are_the_same_numbers(tmp_path: Path) -> None:
    numbers = np.zeros(300_000)
    numbers[[7, 70_000, 299_999]] = 0.5, -0.0, np.inf
    path = tmp_path / "a.arrow"
    save_arrays(path, "s/1", {}, {"few": numbers, "many": numbers + 1.0, "short": numbers[:9]})
    _, columns = load_arrays(path, "s/1", what="a file", hint="no")
    for name, wanted in (("few", numbers), ("many", numbers + 1.0), ("short", numbers[:9])):
        assert columns[name].tobytes() == wanted.tobytes()
        columns[name][0] = 2.0  # it can be written to


def test_every_byte_of_a_sealed_file_counts(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    save_arrays(path, "s/1", {"words": 3}, {"a": np.arange(5)})
    assert load_arrays(path, "s/1", what="a file", hint="no")[0] == {"words": 3}
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        changed = bytearray(data)
        changed[place] ^= 4
        path.write_bytes(changed)
        try:
            facts, columns = load_arrays(path, "s/1", what="a file", hint="no")
        except SchemaError:
            continue
        # what changed was the name of the seal: nothing else can be otherwise
        assert b"treewright sha256" not in changed or changed.count(b"treewright sha256") == 1
        assert facts == {"words": 3}
        assert columns["a"].tolist() == [0, 1, 2, 3, 4]


def test_a_changed_grammar_is_refused_until_its_seal_is_taken_out(tmp_path: Path) -> None:
    for name in ("g.json", "g.json.gz"):
        Grammar.parse("S -> 'a' [1/2] | 'b' [1/2]").save(tmp_path / name)
        assert open_grammar(tmp_path / name).start == "S"
    path = tmp_path / "g.json"
    assert json.loads(path.read_text())["seal"].startswith("treewright sha256 ")
    path.write_text(path.read_text().replace("word:a", "word:c"))
    with pytest.raises(SchemaError, match=r"g\.json: .*its seal does not fit"):
        open_grammar(path)
    path.write_text(without_seal(path).replace('"name": "a"', '"name": "c"'))
    assert open_grammar(path).productions("S")


def test_content_that_looks_like_a_seal_is_no_harm() -> None:
    text = f'{{"seal": "{UNSEALED}", "text": "{UNSEALED[:-1]}7 and {UNSEALED}"}}'.encode()
    check_seal(sealed(text), "g.json")
    check_seal(b"no seal at all", "g.json")
    with pytest.raises(SchemaError):
        check_seal(sealed(text)[:-3] + b'!"}', "g.json")


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (check_numbers, (np.array([0, 4]), 0, 4)),
        (check_numbers, (np.array([-2]), -1, 4)),
        (check_numbers, (np.array([0.5]), 0, 4)),
        (check_numbers, ([1], 0, 4)),
        (check_length, (np.zeros(3), 4)),
        (check_offsets, (np.array([0, 2]), 2, 2)),
        (check_offsets, (np.array([1, 2]), 1, 2)),
        (check_offsets, (np.array([0, 2, 1, 3]), 3, 3)),
        (check_offsets, (np.array([0, 2**62, -(2**63), -(2**62), 2]), 4, 2)),
        (check_offsets, (np.array([0.0, 2.0]), 1, 2)),
        (check_offsets, (np.array([0, 2], np.uint64), 1, 2)),
        (check_counts, (np.array([0.5, np.nan]),)),
        (check_running_sums, (np.array([np.inf, 1.0]), np.array([0, 2]))),
        (check_counts, (np.array([np.inf]),)),
        (check_counts, (np.array([-1]),)),
        (check_shares, (np.array([0.5, 0.4]), (0, 2))),
        (check_shares, (np.array([1.5, -0.5]), (0, 2))),
        (check_running_sums, (np.array([0.7, 0.6, 1.0]), np.array([0, 3]))),
        (check_running_sums, (np.array([0.7, 0.9]), np.array([0, 2]))),
        (check_running_sums, (np.array(["1"]), np.array([0, 1]))),
    ],
)
def test_what_arrays_must_be(check, given) -> None:
    with pytest.raises(ValueError, match="^name: "):
        check("name", *given)


def test_numbers_that_no_kernel_takes_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    save_arrays(path, "s/1", {}, {"a": np.zeros(3, np.float16)})
    with pytest.raises(SchemaError, match="not a file saved by this version"):
        load_arrays(path, "s/1", what="a file", hint="no")


def test_arrays_that_are_fine() -> None:
    check_offsets("name", np.array([0]), 0, 0)
    check_counts("name", np.zeros(0))
    check_offsets("name", np.array([0, 0, 2]), 2, 2)
    check_shares("name", np.array([0.5, 0.5, 1.0]), np.array([0, 2, 2, 3]))
    check_running_sums("name", np.array([0.5, 1.0, 1.0]), np.array([0, 2, 2, 3]))
    check_numbers("name", np.array([], np.int32), 0, 0)


@given(
    st.lists(
        st.lists(st.sampled_from([-0.5, 0.0, 0.25, 0.5, 1.0, np.nan, np.inf]), max_size=3),
        max_size=4,
    )
)
def test_running_sums_are_those_that_rise_to_one(groups: list[list[float]]) -> None:
    """The slow way: group by group."""
    fine = all(
        group[0] >= 0 and group[-1] == 1 and all(a <= b for a, b in itertools.pairwise(group))
        for group in groups
        if group
    )
    ends = np.array([end for group in groups for end in group], np.float64)
    offsets = np.cumsum([0, *map(len, groups)])
    with contextlib.nullcontext() if fine else pytest.raises(ValueError, match="running sums"):
        check_running_sums("name", ends, offsets)


def test_groups_may_have_to_be_of_two() -> None:
    check_offsets("name", np.array([0, 2, 4]), 2, 4, least=2)
    for offsets in ([0, 1, 4], [0, 4, 4], [0, 2**63 - 1, 4]):
        with pytest.raises(ValueError, match="do not rise"):
            check_offsets("name", np.array(offsets), 2, 4, least=2)

"""Engines: results in order, whatever dies meanwhile; errors as they were raised."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from grammar.engines.engine import ENGINES, Engine, open_engine
from grammar.engines.units import Kept, Unit
from grammar.errors import (
    EngineError,
    MissingDataError,
    OptionError,
    SchemaError,
    UnreadableInputError,
)

DEEDS = "tests.grammar.engines.tasks"


@pytest.fixture(scope="module", params=list(ENGINES))
def engine(request) -> Iterator[Engine]:
    if request.param == "ray":
        pytest.importorskip("ray")
    with open_engine(request.param, workers=2) as opened:
        yield opened


@pytest.fixture
def apart(engine: Engine) -> Engine:
    if not engine.apart:
        pytest.skip("a thread cannot be killed")
    return engine


def units(deed: str, count: int, **part) -> Iterator[Unit]:
    return (Unit(f"{DEEDS}:{deed}", part=part, first=number, count=1) for number in range(count))


def test_results_come_in_order(engine: Engine) -> None:
    assert list(engine.map(units("square", 40))) == [n**2 for n in range(40)]
    assert list(engine.map([])) == []


def test_a_map_may_take_its_units_from_another(engine: Engine) -> None:
    first = engine.map(units("square", 20))
    then = engine.map(Unit(f"{DEEDS}:square", first=number, count=1) for number in first)
    assert list(then) == [n**4 for n in range(20)]


def test_a_map_that_is_left_does_not_disturb_the_next(engine: Engine) -> None:
    left = engine.map(units("square", 20))
    next(left)
    del left
    assert list(engine.map(units("square", 20))) == [n**2 for n in range(20)]


def test_long_work_is_not_held_at_once(engine: Engine) -> None:
    asked: list[int] = []

    def told() -> Iterator[Unit]:
        for unit in units("square", 1000):
            asked.append(unit.first)
            yield unit

    next(engine.map(told()))
    assert len(asked) < 20


def test_workers_that_are_killed_lose_and_change_nothing(apart: Engine, tmp_path: Path) -> None:
    found = list(apart.map(units("die_once", 10, folder=str(tmp_path))))
    assert found == [n**2 for n in range(10)]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_unit_that_workers_die_of_is_named(apart: Engine, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"die of 7 to 7: .* died 3 times"):
        list(apart.map([Unit(f"{DEEDS}:die", part={"folder": str(tmp_path)}, first=7, count=1)]))
    assert (tmp_path / "deaths").read_text().count("one") == 3
    assert list(apart.map(units("square", 3))) == [0, 1, 4]


def test_errors_of_ours_come_as_they_were_raised(engine: Engine) -> None:
    with pytest.raises(OptionError) as caught:
        list(engine.map(units("refuse", 3)))
    assert str(caught.value) == "number 0: no\n  hint: yes"


def test_other_errors_name_the_unit(apart: Engine) -> None:
    with pytest.raises(EngineError, match=r"fail of 0 to 0: .*ZeroDivisionError"):
        list(apart.map(units("fail", 1)))


def test_files_are_known_by_their_digests(engine: Engine) -> None:
    kept = engine.keep(lambda path: Path(path).write_text("one") and None, ".txt")
    unit = Unit(f"{DEEDS}:read", (kept,))
    assert list(engine.map([unit])) == ["one"]
    Path(kept.path).write_text("two")
    with pytest.raises(SchemaError, match="was changed while"):
        kept.checked()
    Path(kept.path).unlink()
    with pytest.raises(UnreadableInputError, match="all workers must see"):
        Kept.of(kept.path)


def test_only_threads_are_of_this_process(engine: Engine) -> None:
    found = set(engine.map(units("own_process", 4)))
    assert (os.getpid() in found) is not engine.apart


def test_its_folder_is_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "own.txt").touch()
    with open_engine("threads", 1, tmp_path) as opened:
        assert opened.folder.parent == tmp_path
        Path(opened.new_file()).touch()
    assert [path.name for path in tmp_path.iterdir()] == ["own.txt"]


def test_what_cannot_be_opened_is_refused(monkeypatch) -> None:
    with pytest.raises(OptionError, match="processes"), open_engine("process"):
        pass
    with pytest.raises(OptionError, match="workers"), open_engine("threads", 0):
        pass
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingDataError, match=r"treewright\[ray\]"), open_engine("ray"):
        pass


def test_a_cluster_that_does_not_start_is_said(monkeypatch) -> None:
    def init(**_: object) -> None:
        raise Exception("the node timed out\nand more")  # as Ray says it

    stub = SimpleNamespace(is_initialized=lambda: False, init=init)
    monkeypatch.setitem(sys.modules, "ray", stub)
    with (
        pytest.raises(EngineError, match="Ray did not start: the node timed out\n"),
        open_engine("ray"),
    ):
        pass

"""Workers that die while they import: in a file of its own, while no engine of others is open.

An open session of Ray would be used, and its workers have the environment that it began with.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar.engines.engine import ATTEMPTS, STARTS, open_engine
from grammar.engines.units import Unit
from grammar.errors import EngineError

UNIT = Unit("tests.grammar.engines.slow_tasks:done", first=7, count=1)


@pytest.mark.parametrize(
    ("name", "module", "times"),
    [("processes", "processes", 2), ("ray", "ray_tasks", ATTEMPTS + 2)],
)
def test_deaths_before_a_unit_is_begun_are_not_held_against_it(
    name: str, module: str, times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a worker of Ray takes two seconds to begin, so here few may die
    assert STARTS > 2
    monkeypatch.setattr(f"grammar.engines.{module}.STARTS", 2)
    if name == "ray":
        assert not pytest.importorskip("ray").is_initialized()

    def mapped(deaths: int) -> list[int]:
        left = tmp_path / f"left-{deaths}"  # a worker of the engine before may still write its own
        left.write_text(str(deaths))
        monkeypatch.setenv("TESTS_LATE", str(left))
        with open_engine(name, 1) as opened:
            return list(opened.map([UNIT]))

    assert mapped(1) == [7]
    assert (tmp_path / "left-1").read_text() == "0"
    with pytest.raises(EngineError, match=f"done of 7 to 7: .* died {times} times"):
        mapped(50)

"""The limit of the search, which counts rules that are tried, and what is told on the way."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from grammar.errors import OptionError
from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous import choice
from induction.synchronous.induce import induce_synchronous
from scan.languages.tasks import named_task


@pytest.fixture(scope="module")
def pairs() -> list[tuple[str, str]]:
    train = named_task("swap")[1].train
    return list(zip(train.column("text"), train.column("target"), strict=True))


def test_a_search_at_its_limit_ends_with_rules_that_derive_the_pairs(pairs) -> None:
    whole = induce_synchronous(pairs, types=1)
    assert whole.tried > 100
    assert not whole.limited
    said: list[str] = []
    found = induce_synchronous(pairs, types=1, limit=whole.tried // 4, on_progress=said.append)
    assert found.limited
    assert len(found.rules) > len(whole.rules)
    assert found.tried < whole.tried
    assert any(line.startswith("the limit is reached") for line in said)
    assert f"ended at its limit, {found.tried:,} rules tried" in str(found)
    parser = SynchronousParser(found.rules)
    assert all(parser.is_derivable(s.split(), t.split()) for s, t in pairs[::10])


def test_a_limit_that_is_not_reached_changes_nothing(pairs) -> None:
    whole = induce_synchronous(pairs, types=1)
    found = induce_synchronous(pairs, types=1, limit=whole.tried + 1)
    assert (found.rules, found.limited) == (whole.rules, False)
    assert "limit" not in str(found)


def test_progress_says_which_step_is_next(pairs) -> None:
    said: list[str] = []
    induce_synchronous(pairs, types=1, on_progress=said.append)
    steps = ["search: part 1 of 1, 300 pairs", "closure under classes of words",
             "order of application, and types"]  # fmt: skip
    assert [line for line in said if line in steps] == steps


def test_a_limit_is_one_or_more() -> None:
    with pytest.raises(OptionError, match="limit"):
        induce_synchronous([("a", "A")], limit=0)


def test_numbers_of_types_that_make_too_many_rules_are_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(choice._Trial, "_exact", lambda self, fit: np.array([0.5, 0.0]))
    monkeypatch.setattr(choice._Trial, "_typed_rules", lambda self, number: 3_000 * number)
    nothing: Any = ()
    trial = choice._Trial(nothing, nothing, cast("Any", ["a fold"]), nothing, cast("Any", None))
    tried: list[int] = []
    number, _, scores = trial.best(cast("Any", None), cast("Any", tried.append))
    assert tried == [one for one in choice._TYPES if 3_000 * one <= 10_000]
    assert (number, list(scores)) == (0, tried)
    assert 0 < len(tried) < len(choice._TYPES)

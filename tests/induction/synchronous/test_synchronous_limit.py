"""The limit of the search, which counts rules that are tried, and what is told on the way."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest

from grammar.errors import OptionError
from grammar.synchronous.parsing import SynchronousParser
from induction.synchronous import choice
from induction.synchronous.induce import induce_synchronous
from induction.synchronous.types import (
    Families,
    Fold,
    TypeModel,
    held_out_shares,
    typed_grammar,
    typed_size,
)
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


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> choice._Trial:
    """Fits are the scores of pairs here, and each type makes 3,000 rules."""
    monkeypatch.setattr(choice._Trial, "_exact", lambda self, fit, folds: np.array(fit))
    monkeypatch.setattr(choice._Trial, "_size", lambda self, number, fit, pairs: 3_000 * number)
    nothing: Any = ()
    return choice._Trial(nothing, nothing, nothing, cast("Any", None))


def test_types_that_make_too_many_rules_are_not_tried(trial: choice._Trial, monkeypatch) -> None:
    fits = cast("Any", {number: [0.5, 0.0] for number in (0, *choice._TYPES)})
    pairs = np.ones(2)
    monkeypatch.setattr(choice, "_MOST_TYPED", 10_000)
    assert list(trial.small(fits, pairs)) == [0, 1, 2, 3]
    monkeypatch.setattr(choice, "_MOST_TYPED", -1)
    assert list(trial.small(fits, pairs)) == [1]


def test_layers_stay_unless_fitted_types_are_clearly_better(trial: choice._Trial) -> None:
    layers, same, better = [0.5] * 40, [0.0, 1.0] * 20, [1.0] * 40

    def best(**fits: list[float]) -> tuple[int, float | None, dict[int, float]]:
        every = {int(name[1:]): fit for name, fit in fits.items()}
        return trial.best(cast("Any", every), cast("Any", ["a fold"]))

    assert best(n0=layers, n1=same, n2=[0.9, *same[1:]]) == (0, 0.5, {1: 0.5, 2: 0.5225})
    assert best(n0=layers, n1=same, n2=better) == (2, 1.0, {1: 0.5, 2: 1.0})
    assert best(n0=better, n1=same) == (0, 1.0, {})
    assert best(n1=layers, n2=same) == (1, 0.5, {1: 0.5, 2: 0.5})  # without layers, the fewest


def test_the_size_of_typed_rules_is_known_before_they_are_made(pairs) -> None:
    found = induce_synchronous(pairs, types=1)
    rules = [rule.retyped("NT", ["NT"] * rule.arity) for rule in found.rules.rules]
    families = Families.of(range(len(rules)), [rule.arity for rule in rules])
    for number in (1, 2, 3):
        shape = families.slots, number
        theta = np.full(shape, 1 / number)
        phi = np.full((number, len(rules)), 1 / len(rules))
        model = TypeModel(theta, phi, 0.0)
        assert typed_size(rules, families, model) == len(typed_grammar(rules, families, model))


def test_rules_with_too_many_layers_get_fitted_types(pairs, monkeypatch) -> None:
    """Random shares of the pairs are held out then: each forest once."""
    folds: list[Fold] = []

    def kept(*args: Any, **options: Any) -> list[Fold]:
        folds.extend(held_out_shares(*args, **options))
        return folds

    monkeypatch.setattr(choice, "held_out_shares", kept)
    assert induce_synchronous(pairs).types not in choice._TYPES[:2]
    assert not folds
    monkeypatch.setattr(choice, "_MOST_TYPED", 50)
    found = induce_synchronous(pairs)
    judged = [number for fold in folds for number in fold.judged]
    assert sorted(judged) == list(range(len(folds[0].fitted)))
    assert all(not fold.fitted[list(fold.judged)].any() for fold in folds)
    assert found.types in found.type_scores  # layers make 88 rules, one type makes 22
    assert found.held_out == max(found.type_scores.values())

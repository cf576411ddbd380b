"""Options as values: declared once, read from text, checked wherever they come from."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from grammar.errors import OptionError
from grammar.options import (
    TINY,
    Checked,
    again,
    named,
    option,
    options_of,
    read_options,
    takes,
    whole_number,
)


@dataclass(frozen=True, kw_only=True)
class Growth(Checked):
    """Options of every kind."""

    rounds: int = option(4, "How often.", least=0, most=9, source="section 2")
    rate: float = option(0.5, "How much.", least=TINY)
    memory: int | None = option(None, "How far back.", least=0)
    strict: bool = option(False, "Whether.", code=True)
    steps: tuple[str, ...] = option(("a",), "Which, in order.", choices=("a", "b", "c"))
    kind: str = option("slow", "What kind.", choices=("slow", "fast"))
    name: str = option("", "What it is called.")


@dataclass(frozen=True, kw_only=True)
class Fast(Growth):
    """The same, with another default."""

    kind: str = again(Growth, "kind", "fast", help="Whatever.")


OPTIONS = {o.name: o for o in options_of(Growth)}


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("rounds", "3", 3), ("rounds", "three", "three"), ("rounds", "none", "none"),
        ("rate", "1e-3", 1e-3), ("rate", "2", 2.0), ("memory", "none", None), ("memory", "2", 2),
        ("strict", "true", True), ("strict", "False", False), ("strict", "1", "1"),
        ("kind", "fast", "fast"), ("name", "7", "7"), ("name", "'7'", "7"), ("name", "'", "'"),
        ("kind", '"fast"', "fast"), ("name", "none", "none"),
        ("steps", "b,a", "b,a"),
    ],
)  # fmt: skip
def test_a_text_is_read_by_the_kind_of_the_option(name: str, text: str, value: Any) -> None:
    read = OPTIONS[name].read(text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("rounds", np.int64(3), 3), ("rate", np.float32(0.5), 0.5), ("rate", 2, 2),
        ("rate", Fraction(1, 4), 0.25), ("rate", TINY, TINY), ("rounds", 9, 9),
        ("steps", ["b", "a"], ("b", "a")), ("steps", "b,a", ("b", "a")), ("steps", (), ()),
        ("steps", "", ()), ("memory", None, None),
    ],
)  # fmt: skip
def test_what_can_be_used_is_kept_as_python_has_it(name: str, given: Any, kept: Any) -> None:
    for made in (Growth(**{name: given}), read_options(Growth, {name: given}, "growth")):
        found = getattr(made, name)
        assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("rounds", -1, "rounds=-1 is out of range"), ("rounds", 10, "from 0 to 9"),
        ("rounds", 2.0, "not of the kind int"), ("rounds", True, "not of the kind int"),
        ("rounds", 10**400, "out of range"), ("rounds", None, "not of the kind int"),
        ("rate", 0, "above 0"), ("rate", math.inf, "out of range"),
        ("rate", math.nan, "out of range"), ("rate", np.float64("nan"), "out of range"),
        ("rate", "0.5", "not of the kind float"), ("memory", -1, "from 0"),
        ("strict", 1, "not of the kind bool"), ("kind", "quick", "one of slow, fast"),
        ("kind", True, "is not known"), ("kind", ["slow"], "is not known"),
        ("steps", ["d"], "some of a, b, c"), ("steps", 3, "not a list"),
        ("steps", "a b", "steps='a b' is not known"), ("name", 7, "not of the kind str"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_clear_error(name: str, given: Any, message: str) -> None:
    for make in (lambda: Growth(**{name: given}), lambda: read_options(Growth, {name: given}, "g")):
        with pytest.raises(OptionError) as caught:
            make()
        assert message in str(caught.value)
        assert name in caught.value.what
        assert caught.value.hint


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(OptionError, match=r"growth has no option 'round'\n.* mean 'rounds'"):
        read_options(Growth, {"round": 1}, "growth")
    with pytest.raises(OptionError, match="it has kind, memory"):
        read_options(Growth, {"xyz": 1}, "growth")


def test_code_mode_has_its_own_defaults() -> None:
    @dataclass(frozen=True)
    class Modal(Growth):
        faithful: str = option("paper", "The defaults.", choices=("paper", "code"))

    assert read_options(Modal, {}, "modal").strict is False
    assert read_options(Modal, {"faithful": "code"}, "modal").strict is True
    assert read_options(Modal, {"faithful": "code", "strict": False}, "modal").strict is False


def test_an_option_declared_again_differs_only_in_what_is_said() -> None:
    before, after = OPTIONS["kind"], {o.name: o for o in options_of(Fast)}["kind"]
    assert (after.default, after.code, after.help) == ("fast", "fast", "Whatever.")
    assert (after.choices, after.kind) == (before.choices, before.kind)
    assert Fast().kind == "fast"


def test_a_function_shows_the_options_that_it_takes() -> None:
    @takes(Growth)
    def grow(seed: int, *, workers: int = 1, **options: Any) -> Growth:
        """Grow."""
        return read_options(Growth, options, "grow")

    parameters = inspect.signature(grow).parameters
    assert list(parameters) == ["seed", "workers", *OPTIONS]
    assert all(parameters[name].default == o.default for name, o in OPTIONS.items())
    doc = inspect.getdoc(grow)
    assert doc is not None
    assert doc.startswith("Grow.")
    assert all(f"{name} : {o.kind}" in doc and o.help in doc for name, o in OPTIONS.items())
    assert grow(1, rounds=2) == Growth(rounds=2)
    assert grow.Options is Growth  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", [0, 1.0, True, "1", None, np.float64(1)])
def test_a_whole_number_is_one(value: Any) -> None:
    with pytest.raises(OptionError, match="n=.* is not a whole number >= 1"):
        whole_number("n", value, 1)
    whole_number("n", np.int32(1), 1)


def test_what_a_table_lacks_is_named_by_its_kind() -> None:
    with pytest.raises(OptionError, match=r"unknown model 'pcgf'\n  hint: did you mean 'pcfg'\?"):
        named("pcgf", {"pcfg": 1, "dop": 2}, "model")
    with pytest.raises(OptionError, match="there are pcfg, dop"):
        named("xyz", {"pcfg": 1, "dop": 2}, "model")

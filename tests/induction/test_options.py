"""The options of every model: declared once, documented, checked, and taken by its function."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from grammar.errors import OptionError
from grammar.options import Option, options_of, read_options
from grammar.trees.treebank import Treebank
from induction.counts.pcfg import induce_pcfg
from induction.models import MODELS, Model, find_model
from induction.trees.preparation import Preparation, prepare
from scan.models.config import GECA_CODE, TRAINED, TrainingConfig

EVERY: dict[str, Model] = {**MODELS, **TRAINED}
TREES = "(S (NP (PRP we)) (VP (VBD saw) (NP (PRP it)))) (S (NP (PRP it)) (VP (VBD swam)))"
DATA: dict[str, Any] = {
    "treebank": Treebank.parse(TREES),
    "pairs": [
        (f"{who.lower()} {past}", f"{act} ( agent = {who} )")
        for who in ("Ann", "Bob")
        for past, act in (("slept", "sleep"), ("ran", "run"))
    ],
    "sentences": ["we saw it"],
}
QUICK: dict[str, dict[str, Any]] = {
    "bayes-tsg": {"iterations": 1}, "latent": {"rounds": 0, "models": 1},
    "synchronous": {"types": 1},
}  # fmt: skip


def each() -> list[Any]:
    return [
        pytest.param(name, o, id=f"{name}-{o.name}")
        for name, model in EVERY.items()
        for o in model.options
    ]


@pytest.mark.parametrize(("name", "o"), each())
def test_an_option_is_documented_and_its_default_can_be_used(name: str, o: Option) -> None:
    assert o.help.endswith(".")
    assert o.help[0].isupper()
    assert o.kept(o.default) == o.default
    assert o.kept(o.code) == o.code


@pytest.mark.parametrize(("name", "o"), each())
def test_what_is_beyond_the_bounds_is_refused(name: str, o: Option) -> None:
    wrong: list[Any] = ["no such value"] if o.choices is not None else []
    wrong += [o.least - 1] if o.least is not None else []
    wrong += [o.most + 1] if o.most is not None else []
    if {"int", "float"} & set(o.kinds):
        wrong += [float("nan"), "many"]
    if "bool" in o.kinds:
        wrong += [2, "yes"]
    if not wrong:
        assert "PathLike" in o.kind or (o.kinds == ["float"] and name == "synchronous")
    for value in wrong:
        with pytest.raises(OptionError, match=f"{o.name}="):
            read_options(EVERY[name].declared, {o.name: value}, name)


@pytest.mark.parametrize("name", [name for name, model in MODELS.items()])
def test_the_function_of_a_model_takes_its_options(name: str) -> None:
    function = MODELS[name].function
    options = options_of(MODELS[name].declared)
    parameters = inspect.signature(function).parameters
    doc = inspect.getdoc(function)
    assert doc is not None
    for o in options:
        assert parameters[o.name].default == o.default
        assert parameters[o.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"{o.name} : {o.kind}" in doc
    first = options[0].name
    with pytest.raises(OptionError, match=f"did you mean '{first}'"):
        function(*_arguments(MODELS[name]), **{first[:-1] + "x": 1})


def _arguments(model: Model) -> tuple[Any, ...]:
    if model.name == "em":
        return induce_pcfg(DATA["treebank"]), [["we", "saw", "it"]]
    return (DATA[model.reads],)


@pytest.mark.parametrize("name", [name for name, model in MODELS.items() if model.family])
def test_a_model_is_induced_by_its_name(name: str, tmp_path: Any) -> None:
    model = find_model(name)
    found = model.induce(DATA[model.reads], **QUICK.get(name, {}))
    grammar = getattr(found, "saved", found)
    for suffix in model.suffixes:
        grammar.save(tmp_path / f"g{suffix}")
        assert (tmp_path / f"g{suffix}").stat().st_size > 0


def test_what_has_another_default_by_name_is_shown_so() -> None:
    for model in MODELS.values():
        own = {o.name: o.default for o in options_of(model.declared)}
        assert model.given.keys() <= own.keys()
        assert {o.name: o.default for o in model.options} == {**own, **model.given}


def test_preparation_is_declared_once() -> None:
    for name in ("steps", "horizontal_markov", "vertical_markov", "direction", "rare_words"):
        [said] = {
            o.help
            for model in MODELS.values()
            if model.reads == "treebank" and model.name != "lpcfg"
            for o in model.options
            if o.name == name
        }
        assert said == {o.name: o.help for o in options_of(Preparation)}[name]


def test_steps_may_be_written_as_a_person_does() -> None:
    treebank = DATA["treebank"]
    assert prepare(treebank, steps="traces,root") == prepare(treebank, steps=["traces", "root"])


def test_a_config_in_code_mode_is_that_of_the_program_of_geca() -> None:
    assert TrainingConfig(**GECA_CODE).feed
    different = {o.name for o in options_of(TrainingConfig) if o.code != o.default}
    assert GECA_CODE.keys() == different | {"augmented_share", "again_below"}
    assert (GECA_CODE["augmented_share"], GECA_CODE["again_below"]) == (0.3, 0.0)
    with pytest.raises(OptionError, match="a config has no option 'hiden'"):
        TrainingConfig.of("lstm", hiden=3)


def test_an_unknown_model_names_the_nearest() -> None:
    with pytest.raises(OptionError, match="did you mean 'latent'"):
        find_model("latnt")

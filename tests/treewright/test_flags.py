"""Flags, help and catalogue are made from declared options: nothing is written by hand."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grammar.errors import OptionError
from grammar.pcfg.grammar import Grammar
from induction.models import MODELS
from sampling.method import METHODS
from scan.models.config import TRAINED
from treewright.cli import app
from treewright.flags import flag, shown_default
from treewright.verbs.induce import induce

TREES = "(S (NP (PRP we)) (VP (VBD saw) (NP (PRP it)) (ADVP (RB now)))) (S (NP we) (VP swam))"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command line in a folder of its own, wide enough that no line is broken."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    (tmp_path / "t.mrg").write_text(TREES)

    def ran(*arguments: str) -> str:
        done = CliRunner().invoke(app, list(arguments), catch_exceptions=True)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.output

    return ran


def test_the_verb_has_few_parameters_of_its_own() -> None:
    assert len(inspect.signature(induce).parameters) <= 15


def test_the_help_of_induce_has_every_option_of_every_model(run: Any) -> None:
    shown = run("induce", "--help")
    for name, model in MODELS.items():
        for o in model.options if model.family else ():
            assert f"{flag(o.name)}" in shown, name
            assert o.help in shown, name
    only = run("induce", "--help", "--model=sub2")
    assert all(f"{flag(o.name)}" in only for o in METHODS["sub2"].options)
    assert "--vertical-markov" not in only


@pytest.mark.parametrize(
    ("flags", "settings"),
    [
        (["--horizontal-markov", "1"], ["horizontal_markov=1"]),
        (["--horizontal-markov=none", "--direction=left"], ["direction=left"]),
        (["--steps", "traces,root", "--smoothing=0.5"], ["smoothing=0.5", "steps=traces,root"]),
        (["--set", "rare_words=1"], ["rare_words=3", "rare_words=1"]),
    ],
)
def test_a_flag_is_short_for_set(
    run: Any, tmp_path: Path, flags: list[str], settings: list[str]
) -> None:
    run("induce", *flags, "t.mrg", "-o", "flags.json", "-q")
    run("induce", "t.mrg", "-o", "set.json", "-q", *[f"--set={text}" for text in settings])
    assert Grammar.load(tmp_path / "flags.json") == Grammar.load(tmp_path / "set.json")


def test_an_option_that_is_there_twice_is_told(run: Any) -> None:
    said = run("induce", "t.mrg", "-o", "a.json", "--model", "latent", "--model", "pcfg", "--json")
    assert "--model is there more than once: the last one counts" in said
    assert '"pcfg"' in said
    lists = ("--set", "rare_words=0", "--set", "horizontal_markov=1", "--force", "--force")
    assert "more than once" not in run("induce", "t.mrg", "-o", "a.json", *lists, "--json")
    assert run("methods", "sub2", "--json", "--json") == run("methods", "sub2", "--json")


def test_a_truth_has_two_flags(run: Any, tmp_path: Path) -> None:
    lines = [
        f"IN: {who.lower()} {past} OUT: {act} ( agent = {who} )\n"
        for who in ("Ann", "Bob")
        for past, act in (("slept", "sleep"), ("ran", "run"))
    ]
    (tmp_path / "p.txt").write_text("".join(lines))
    common = ("induce", "p.txt", "-q", "--model", "terms", "-o")
    for number, flags in enumerate(((), ("--frames",), ("--no-frames",), ("-O", "frames=false"))):
        run(*common, f"{number}.json", *flags)
    texts = [(tmp_path / f"{number}.json").read_text() for number in range(4)]
    assert texts[0] == texts[1]
    assert texts[2] == texts[3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--horizontal-markof 2", "mean --horizontal-markov?"),
        ("--rounds 2", "the model pcfg does not take --rounds"),
        ("--model latent --no-rounds", "the model latent does not take --no-rounds"),
        ("--smoothing", "smoothing='' is not of the kind float"),
        ("--smoothing much", "smoothing='much' is not of the kind float"),
        ("--vertical-markov 0", "vertical_markov=0 is out of range"),
        ("--set smoothing", "'smoothing' is not NAME=VALUE"),
        ("--set smoothin=1", "mean 'smoothing'?"),
        ("--model ngrams", "unknown model 'ngrams'"),
        ("--model worddorp", "unknown model"),
    ],
)
def test_what_a_model_does_not_take_is_one_clear_error(
    run: Any, tmp_path: Path, arguments: str, message: str
) -> None:
    with pytest.raises(OptionError) as caught:
        run("induce", "t.mrg", "-o", "g.json", *arguments.split())
    assert message in str(caught.value)
    assert not (tmp_path / "g.json").exists()


# --- what there is -----------------------------------------------------------------------------

TABLES = {"models": {**MODELS, **TRAINED}, "methods": dict(METHODS)}
NAMES = [(verb, name) for verb, table in TABLES.items() for name in table]


@pytest.mark.parametrize("verb", TABLES)
def test_all_names_are_listed(run: Any, verb: str) -> None:
    shown = run(verb)
    assert [line.split()[0] for line in shown.splitlines()] == list(TABLES[verb])
    facts = json.loads(run(verb, "--json"))
    assert [one["name"] for one in facts] == list(TABLES[verb])
    with pytest.raises(OptionError, match=f"unknown {verb.removesuffix('s')} 'nothing'"):
        run(verb, "nothing")


@pytest.mark.parametrize(("verb", "name"), NAMES)
def test_every_option_is_shown_with_default_meaning_and_source(
    run: Any, verb: str, name: str
) -> None:
    one = TABLES[verb][name]
    shown = run(verb, name)
    facts = json.loads(run(verb, name, "--json"))
    assert [option["name"] for option in facts["options"]] == [o.name for o in one.options]
    for o in one.options:
        [line] = [row for row in shown.splitlines() if row.startswith(f"│ {flag(o.name)}")
                  and row[2 + len(flag(o.name))] in " /"]  # fmt: skip
        assert o.help in line
        assert o.source in line
        assert f"[default: {shown_default(o.default)}]" in line
        if o.code != o.default:
            assert f"in code mode {shown_default(o.code)}" in line

"""The verb intersect: exact constraints from the command line, and their faults."""

import json
import sys
from pathlib import Path

import pytest

from grammar import Grammar
from treewright.cli import main

GRAMMAR = "S -> 'a' S [1/2] | 'b' S [1/4] | 'c' [1/4]\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "g.txt"
    path.write_text(GRAMMAR, "utf-8")
    return path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["treewright", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_constraints_are_met_together_and_their_probability_is_told(
    source, tmp_path, monkeypatch, capsys
):
    output = tmp_path / "h.json"
    code = run(
        monkeypatch, "intersect", source, "-o", output, "--prefix", "a", "--avoid", "b", "--json"
    )
    assert code == 0
    # a (a* c): 1/2 times the sum over k of (1/2)^k times 1/4
    facts = json.loads(capsys.readouterr().out)
    assert facts["probability of the constraint"] == pytest.approx(0.25)
    assert set(Grammar.load(output).rules.words) == {"a", "c"}


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ((), "there is no constraint"),
        (("--pattern", "(a"), "hint"),
        (("--contains", "z"), "no sentence of the grammar"),
    ],
)
def test_a_fault_is_one_message_and_no_file(
    source, tmp_path, monkeypatch, capsys, constraint, message
):
    output = tmp_path / "h.json"
    assert run(monkeypatch, "intersect", source, "-o", output, *constraint) == 1
    said = capsys.readouterr().err
    assert said.startswith("treewright: ")
    assert message in said
    assert not output.exists()


def test_lengths_are_a_constraint_like_others(source, tmp_path, monkeypatch, capsys):
    output = tmp_path / "h.json"
    arguments = ("--length", "2:3", "--avoid", "b", "--json")
    assert run(monkeypatch, "intersect", source, "-o", output, *arguments) == 0
    # a c and a a c
    facts = json.loads(capsys.readouterr().out)
    assert facts["probability of the constraint"] == pytest.approx(1 / 8 + 1 / 16)


def test_grammars_of_fragments_are_intersected_as_their_pcfg(tmp_path, monkeypatch, capsys):
    trees, fragments = tmp_path / "trees.mrg", tmp_path / "fragments.json"
    trees.write_text("(S (N we) (V swim)) (S (N they) (V swim))", "utf-8")
    induced = run(monkeypatch, "induce", trees, "-o", fragments, "--model", "double-dop")
    output = tmp_path / "h.json"
    assert (
        induced == run(monkeypatch, "intersect", fragments, "-o", output, "--contains", "we") == 0
    )
    assert set(Grammar.load(output).rules.words) == {"we", "swim"}
    latent = tmp_path / "x.arrow"
    options = ("--model", "latent", "--rounds", "0", "--models", "1")
    assert run(monkeypatch, "induce", trees, "-o", latent, *options) == 0
    capsys.readouterr()
    other = tmp_path / "i.json"
    assert run(monkeypatch, "intersect", latent, "-o", other, "--contains", "we") == 1
    assert "must be a PCFG" in capsys.readouterr().err

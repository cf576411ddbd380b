"""The verb compare."""

from __future__ import annotations

import json

import pytest

from grammar import SynchronousGrammar
from tests.treewright import test_command_line

run = test_command_line.run


@pytest.fixture
def files(tmp_path) -> None:
    (tmp_path / "a.mrg").write_text("(S (NP we) (VP ran))\n" * 20)
    (tmp_path / "b.txt").write_text("(S (VP run))\n" * 20)
    (tmp_path / "g.cfg").write_text("S -> NP VP [1]\nNP -> 'we' [1]\nVP -> 'ran' [1]\n")


def test_treebanks_and_grammars(run, files, tmp_path) -> None:
    done = run("compare", "a.mrg", "b.txt", "--html", "page.html", "--plot", "rules.svg")
    assert done.code == 0
    assert "* S -> NP VP" in done.out
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "rules.svg").read_text().startswith("<svg")
    facts = json.loads(run("compare", "a.mrg", "g.cfg", "-n", "50", "--json").out)
    assert facts["trees"] == [20, 50]
    assert facts["differences"]["rules"]["passing"] == 0


def test_units(run) -> None:
    facts = json.loads(run("compare", "embedded", "embedded", "--unit", "domain", "--json").out)
    assert facts["units"][0] == facts["units"][1] < 20
    done = run("compare", "embedded", "embedded", "--unit", "genre")
    assert done.code == 1
    assert "there are: id, label, domain" in done.err.replace("label, id", "id, label")


def test_faults_are_told(run, files) -> None:
    assert "both are standard input" in run("compare", "-", "-").err
    assert "cannot draw" in run("compare", "a.mrg", "b.txt", "--plot", "x.pdf").err
    assert run("compare", "a.mrg", "nowhere.mrg").code == 1


def test_grammars_of_pairs_are_refused(tmp_path, run) -> None:
    SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.5]\nwalk ### WALK [0.5]").save(
        tmp_path / "pairs.json"
    )
    done = run("compare", str(tmp_path / "pairs.json"), "embedded")
    assert done.code == 1
    assert "a grammar of the family 'synchronous' gives no sentences by itself" in done.err

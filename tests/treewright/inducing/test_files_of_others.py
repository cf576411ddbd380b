"""Grammars and treebanks of others at the command line: read, or refused with a hint that works."""

from __future__ import annotations

import json
import re

from tests.treewright import test_command_line

run = test_command_line.run

FEATURES = "% start S\nS -> NP[NUM=?n] VP[NUM=?n]\nNP[NUM=sg] -> 'she'\nVP[NUM=sg] -> 'runs'\n"
APART = "(S (VP (VB 1=have) (VBN 3=seen)) (PRP 0=We) (PRP 2=it))\n"


def test_the_hint_of_a_feature_grammar_works(run, tmp_path):
    (tmp_path / "g.fcfg").write_text(FEATURES)
    refused = run("sample", "g.fcfg", "-n", "1")
    assert refused.code == 1
    assert "a feature grammar of NLTK" in refused.err
    flag = re.search(r"(--\w+), or", refused.err)[1]
    assert run("sample", "g.fcfg", "-n", "1", flag).out == "she runs\n"


def test_a_grammar_in_another_encoding(run, tmp_path):
    (tmp_path / "g.cfg").write_bytes("% start S\nS -> 'Käse'\n".encode("latin-1"))
    refused = run("inspect", "g.cfg")
    assert "--encoding" in refused.err
    assert "Käse" in run("inspect", "g.cfg", "--encoding", "latin-1").out
    assert run("sample", "g.cfg", "-n", "1", "--encoding", "latin-1").out == "Käse\n"


def test_symbols_without_rules_are_named_first(run, tmp_path):
    (tmp_path / "g.cfg").write_text("S -> NP VP\nNP -> the dog\nVP -> runs\n")
    refused = run("sample", "g.cfg", "-n", "2")
    assert refused.code == 1
    assert "g.cfg:2: the, dog, runs have no rules" in refused.err
    assert "spectral" not in refused.err


def test_discontinuous_trees_are_scored_on_request(run, tmp_path):
    (tmp_path / "t.dbr").write_text(APART)
    assert "--discontinuous split" in run("evalb", "t.dbr", "t.dbr").err
    done = run("evalb", "t.dbr", "t.dbr", "--discontinuous", "split", "--json")
    assert json.loads(done.out)["all"]["f1"] == 100


def test_the_hint_of_discontinuous_trees_works(run, tmp_path):
    (tmp_path / "t.dbr").write_text(APART)
    refused = run("induce", "t.dbr", "-o", "g.txt")
    assert refused.code == 1
    assert "--discontinuous split" in refused.err
    for way, rule in (("split", "{VP*} -> VB"), ("raise", "VP -> VB")):
        made = run("induce", "t.dbr", "-o", f"{way}.txt", "--discontinuous", way)
        assert made.code == 0
        assert rule in (tmp_path / f"{way}.txt").read_text()


def test_apostrophes_tagged_as_quotes_are_told_the_parameter(run, tmp_path):
    (tmp_path / "gold.mrg").write_text("(S (NP (NNP Al) (POS ')) (VP (VBD ran)))\n")
    (tmp_path / "guess.mrg").write_text("(S (NP (NNP Al)) ('' ') (VP (VBD ran)))\n")
    (tmp_path / "q.prm").write_text("DELETE_LABEL ''\nQUOTE_LABEL ''\nQUOTE_LABEL POS\n")
    assert "QUOTE_LABEL" in run("evalb", "gold.mrg", "guess.mrg").err
    assert "QUOTE_LABEL" not in run("evalb", "gold.mrg", "guess.mrg", "--prm", "q.prm").err

"""The verb convert: forms by suffix or by name, there and back, and one message for each fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from grammar import Grammar
from tests.treewright import test_command_line

run = test_command_line.run


@pytest.fixture(autouse=True)
def source(tmp_path: Path) -> Path:
    (tmp_path / "g.txt").write_text("S -> 'so' S [1/2] | 'good' [1/2]\n", "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "options", "line"),
    [
        ("g.gbnf", [], 's ::= "good" | "so" " " s'),
        ("g.lark", [], "?start: s"),
        ("g.lark", ["--to", "llguidance"], "start: s"),
        ("g.g4", ["--spacing", "tokens"], "WS : [ \\t\\r\\n]+ -> skip ;"),
        ("g.ebnf", ["--spacing", "characters"], 's ::= "good" | "so" s'),
        ("g.pcfg", ["--to", "nltk"], "S -> 'good' [0.5]"),
        ("g.txt2", ["--to", "xgrammar"], "root ::= s"),
    ],
)
def test_the_suffix_or_an_option_says_the_form(run, tmp_path, name, options, line):
    done = run("convert", "g.txt", "-o", name, *options)
    assert done.code == 0, done.err
    assert line in (tmp_path / name).read_text().splitlines()


def test_what_another_tool_reads_becomes_a_grammar(run, tmp_path):
    (tmp_path / "a.gbnf").write_text('root ::= "a" root | [b-c]\n')
    done = run("convert", "a.gbnf", "-o", "a.json")
    assert done.code == 0, done.err
    assert {p.text for p in Grammar.load(tmp_path / "a.json")} == {
        "root -> 'a' root", "root -> {root|<bc>}", "{root|<bc>} -> 'b'", "{root|<bc>} -> 'c'",
    }  # fmt: skip
    (tmp_path / "b.txt").write_text("<a> ::= x\n<b> ::= y\n")
    done = run("convert", "b.txt", "--from", "bnf", "--start", "b", "-o", "b.gbnf")
    assert (tmp_path / "b.gbnf").read_text() == 'root ::= b\nb ::= "y"\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["g.txt", "-o", "g.x", "--to", "yacc"], "no notation 'yacc' is written"),
        (["g.txt", "-o", "g.xyz"], "is not saved under such a name"),
        (["g.txt", "-o", "g.json", "--start", "S"], "--start is for notations of other tools"),
        (["g.txt", "-o", "g.gbnf", "--spacing", "none"], "unknown spacing 'none'"),
        (["bad.gbnf", "-o", "g.json"], "bad.gbnf:1:10: this is not GBNF"),
    ],
)
def test_faults(run, tmp_path, arguments, message):
    (tmp_path / "bad.gbnf").write_text("root ::= %\n")
    done = run("convert", *arguments)
    assert done.code != 0
    assert message in done.err

"""The verb surprisal: its table, its picture, and one message for each fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.treewright import test_command_line

run = test_command_line.run

GRAMMAR = "S -> 'so' S [1/2] | 'good' [1/4] | '<rare:ed>' [1/4]\n"


@pytest.fixture(autouse=True)
def source(tmp_path: Path) -> Path:
    (tmp_path / "g.txt").write_text(GRAMMAR, "utf-8")
    return tmp_path


def test_a_row_a_word(run, tmp_path):
    done = run("surprisal", "g.txt", "-", "-o", "out.tsv", stdin=b"So good\n\nso blorked so\n")
    assert done.code == 0, done.err
    assert (tmp_path / "out.tsv").read_text().splitlines() == [
        "sentence\tposition\tword\tsurprisal\tentropy\trest_entropy\treduction\tend",
        "1\t1\tSo\t1.000000\t1.500000\t3.000000\t0.000000\t0.000000",
        "1\t2\tgood\t2.000000\t0.000000\t0.000000\t3.000000\t1.000000",
        "3\t1\tso\t1.000000\t1.500000\t3.000000\t0.000000\t0.000000",
        "3\t2\tblorked\t2.000000\t0.000000\t0.000000\t3.000000\t1.000000",
        "3\t3\tso\tinf\t0.000000\t0.000000\t0.000000\t0.000000",
    ]
    assert "line 3: no sentence goes on with 'so'" in done.err


def test_a_word_without_a_class_is_told(run, tmp_path):
    (tmp_path / "g.txt").write_text("S -> 'so' S [1/2] | 'good' [1/2]\n")
    done = run("surprisal", "g.txt", "-", "-o", "out.tsv", stdin=b"so odd\n")
    assert done.code == 0
    assert "line 1: no sentence goes on with 'odd'" in done.err


def test_the_curves_are_drawn(run, tmp_path):
    done = run("surprisal", "g.txt", "-", "-o", "o.tsv", "--plot", "c.svg", stdin=b"so so good\n")
    assert done.code == 0, done.err
    picture = (tmp_path / "c.svg").read_text()
    assert picture.count(">so<") == 2
    assert "surprisal of the word" in picture


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "out.txt"], "out.txt: the table is separated by tabs\n  hint: name it .tsv"),
        (["-o", "out.tsv", "--plot", "c.pdf"], "c.pdf"),
    ],
)
def test_faults(run, arguments, message):
    done = run("surprisal", "g.txt", "-", *arguments, stdin=b"so good\n")
    assert done.code != 0
    assert message in done.err


def test_a_grammar_without_a_pcfg_is_refused(run, tmp_path):
    (tmp_path / "g.txt").write_text("S -> < a | b > [1]\n")
    done = run("surprisal", "g.txt", "-", "-o", "out.tsv", stdin=b"a\n")
    assert done.code != 0
    assert "Traceback" not in done.err

"""Test inputs at the command line: sample --cover, --spacing and --flat; inspect --corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sampling import cover
from tests.grammar.formats.published import PUBLISHED
from tests.treewright import test_command_line

run = test_command_line.run


@pytest.fixture(autouse=True)
def source(tmp_path: Path) -> Path:
    (tmp_path / "g.txt").write_text(PUBLISHED["urls"].to_text(), "utf-8")
    return tmp_path


def test_a_cover_is_shown_and_written_and_covers(run, tmp_path):
    shown = run("sample", "g.txt", "--cover", "pairs", "--spacing", "characters", "--seed", 2)
    made = cover(PUBLISHED["urls"], "pairs", seed=2, spacing="characters")
    assert shown.out.splitlines() == made.column("text")
    told = run("sample", "g.txt", "--cover", "rules", "--spacing", "characters", "-o", "o.txt")
    assert "covers" in told.out
    facts = run("inspect", "g.txt", "--corpus", "o.txt", "--spacing", "characters", "--json").facts
    assert facts["rules covered"] == 1.0
    assert facts["rules not covered"] == facts["without a derivation"] == []
    small = run("sample", "g.txt", "--cover", "rules", "--max-size", 1, "--trees", "--json")
    rows = [json.loads(line) for line in small.out.splitlines()]
    assert len(rows) > facts["sentences"]
    assert rows[0]["tree"].startswith("(Url")


def test_lengths_that_are_equally_probable(run):
    lines = run("sample", "g.txt", "--length", "9:60", "--flat", "-n", 200).out.splitlines()
    assert len({len(line.split()) for line in lines}) > 40
    rare = run("sample", "g.txt", "--length", "9:60", "--distribution", "inverse-probability")
    assert rare.code == 0
    assert len(rare.out.splitlines()) == 10


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cover", "words"], "'words' cannot be covered"),
        (["--cover", "rules", "-n", 5], "-n is for drawn sentences, not --cover"),
        (["--cover", "rules", "--length", "1:9"], "--length is for drawn sentences"),
        (["--max-size", 9], "--max-size is for --cover"),
        (["--flat"], "flat needs a length band"),
        (["--spacing", "none"], "unknown spacing 'none'"),
        (["--cover", "rules", "--spacing", "none"], "unknown spacing 'none'"),
    ],
)
def test_options_that_do_not_go_together(run, options, message):
    done = run("sample", "g.txt", *options)
    assert done.code != 0
    assert message in done.err


def test_the_corpus_of_a_page_of_coverage(run, tmp_path):
    (tmp_path / "c.txt").write_text("http://a.b\nhttps://a-c.b\nftp://a\n")
    shown = run("inspect", "g.txt", "--corpus", "c.txt", "--spacing", "characters").out
    assert "sentences             2" in shown
    assert "1: no parse of" in shown
    assert "rules covered" in shown
    assert run("inspect", "g.txt", "--corpus", "none.txt").code != 0

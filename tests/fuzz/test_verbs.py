"""Verbs given damaged files end in a result or in one error of this project, never in another's."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.fuzz.damage import damaged
from tests.treewright import test_outputs
from treewright.cli import main

files = test_outputs.files
here = test_outputs.here

INPUTS = 25
COMMANDS = {
    "induce trees.mrg": "induce {} -o o.json",
    "induce corpus.jsonl": "induce {} -o o.arrow --model sub2",
    "induce scan.txt": "induce {} -o o.json --model synchronous",
    "augment corpus.jsonl": "augment {} -m random-word -n 3 -o o.jsonl",
    "augment a.toml": "augment --config {} -o o.jsonl",
    "inspect g.json": "inspect {}",
    "intersect g.json": "intersect {} --length 1:3 -o o.json",
    "sample g.json": "sample {} -n 3",
    "parse words.txt": "parse g.json {}",
    "parse-corpus corpus.jsonl": "parse-corpus t.json {} -o o.jsonl",
    "translate pairs.txt": "translate {} jumps.txt",
    "evalb trees.mrg": "evalb {} trees.mrg",
    "quality made.jsonl": "quality corpus.jsonl {}",
    "explain made.jsonl": "explain {} eda-0-0 --source corpus.jsonl",
    "replay whole.jsonl.manifest.json": "replay {} --input corpus.jsonl",
    "scan augment scan.txt": "scan augment {} -o o.jsonl",
    "scan cogs cogs.jsonl": "scan cogs {} -o o.jsonl",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_verb_ends_in_a_result_or_in_one_error(name, here: Path, monkeypatch, capsys):
    monkeypatch.chdir(here)
    (here / "a.toml").write_text(
        '[augment]\ninput = "corpus.jsonl"\nmethod = "random-word"\nn = 3\noptions = {}\n'
    )
    ran("augment corpus.jsonl -m random-word -n 3 -o whole.jsonl", monkeypatch)
    ran("induce trees.mrg -o t.json --rare-words 1", monkeypatch)
    given = name.rpartition(" ")[2]
    data = (here / given).read_bytes()
    force = " --force" if " -o " in COMMANDS[name] else ""
    assert ran(COMMANDS[name].format(given) + " -q" + force, monkeypatch) == 0 or "cogs" in name
    codes = set()
    for number in range(INPUTS):
        place = here / f"damaged-{given}"
        place.write_bytes(damaged(data, given, number))
        capsys.readouterr()
        code = ran(COMMANDS[name].format(place.name) + " -q" + force, monkeypatch)
        said = capsys.readouterr().err
        assert code in (0, 1), (number, said)
        assert "unexpected" not in said, (number, said)
        assert "Traceback" not in said, (number, said)
        assert code == 0 or said.count("treewright: ") == 1, (number, said)
        codes.add(code)
    assert 1 in codes or given in ("words.txt", "corpus.jsonl", "made.jsonl")


def ran(command: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "argv", ["treewright", *command.split()])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(SystemExit) as leaving:
        main()
    return leaving.value.code or 0

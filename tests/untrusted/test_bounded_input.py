"""Pipes and files that expand to much, as a person meets them: an error, and a way that works."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

ROWS = "".join(json.dumps({"text": f"a good film {k}", "label": "x"}) + "\n" for k in range(9))


def run(*arguments: str, **given: str) -> subprocess.CompletedProcess[str]:
    """Run the command line; what has no end is ended after two minutes."""
    command = [sys.executable, "-m", "treewright", *arguments]
    how = {"capture_output": True, "text": True, "timeout": 120, "check": False}
    return subprocess.run(command, **how, **given)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes")
@pytest.mark.parametrize(
    "verb",
    [
        ["augment", "{pipe}", "-o", "{out}", "-m", "aeda", "-n", "2"],
        ["quality", "{file}", "{pipe}"],
        ["parse-corpus", "{pipe}", "-o", "{out}"],
        ["augment", "{file}", "-o", "{out}", "-m", "aeda", "-n", "2", "--config", "{pipe}"],
        ["inspect", "{grammar}"],
        ["sample", "{grammar}", "-n", "1"],
        ["induce", "{pipe}", "-o", "{made}"],
    ],
    ids=lambda verb: verb[0],
)
def test_a_pipe_is_refused_by_name(verb: list[str], tmp_path: Path) -> None:
    files = {
        "pipe": "f.jsonl",
        "file": "c.jsonl",
        "out": "o.jsonl",
        "grammar": "g.json",
        "made": "m.json",
    }
    names = {name: tmp_path / file for name, file in files.items()}
    for name in ("pipe", "grammar"):
        os.mkfifo(names[name])
        threading.Thread(target=names[name].write_text, args=(ROWS,), daemon=True).start()
    names["file"].write_text(ROWS)
    done = run(*(part.format(**names) for part in verb))
    assert done.returncode == 1, done.stderr
    assert "a pipe or a device" in done.stderr
    assert f"{tmp_path}/" in done.stderr
    assert not names["out"].exists()


def test_what_the_hint_of_a_pipe_says_works(tmp_path: Path) -> None:
    out = tmp_path / "o.jsonl"
    done = run("augment", "-", "-o", str(out), "-m", "aeda", "-n", "2", input=ROWS)
    assert done.returncode == 0, done.stderr
    assert len(out.read_text().splitlines()) == 2


def test_a_file_that_expands_to_much_is_refused_and_can_be_allowed(tmp_path: Path) -> None:
    path, out = tmp_path / "a.jsonl.gz", tmp_path / "o.jsonl"
    path.write_bytes(gzip.compress(ROWS.encode() + b"\n" * (2 << 20)))
    asked = ["augment", str(path), "-o", str(out), "-m", "aeda", "-n", "2"]
    refused = run("--max-expanded", "1M", *asked)
    assert refused.returncode == 1
    assert "expand to more than 1,048,576" in refused.stderr
    assert "treewright --max-expanded 64G VERB" in refused.stderr
    allowed = run("--max-expanded", "64G", *asked)
    assert allowed.returncode == 0, allowed.stderr
    assert len(out.read_text().splitlines()) == 2
    wrong = run("--max-expanded", "much", "methods")
    assert "'much' is no size" in wrong.stderr
    assert wrong.returncode == 1

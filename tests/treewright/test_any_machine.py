"""Terminals, closed streams, locales and names of files as they come: processes of their own."""

from __future__ import annotations

import ast
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from induction.corpus.formats import read_corpus, write_corpus
from sampling.pipeline.manifest import read_manifest
from tests.sampling.pipeline.test_pipeline import TREES, corpus_of
from tests.treewright import test_command_line

run = test_command_line.run

ROOT = Path(__file__).parents[2]
GRAMMAR = "S -> 'café' S [0.5] | 'good' [0.5]\n"
BARE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    (tmp_path / "g.txt").write_text(GRAMMAR, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def process(*arguments: object, code: str = "", **options) -> subprocess.CompletedProcess:
    begin = ["-c", code] if code else ["-m", "treewright"]
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, *begin, *map(os.fsencode, map(str, arguments))],
        env=environment, capture_output=True, timeout=120, **options,
    )  # fmt: skip


def on_a_terminal(*arguments: object) -> str:
    """Return what a verb sends to a terminal, both of its streams."""
    ours, its = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "treewright", *map(str, arguments)],
        stdin=subprocess.DEVNULL, stdout=its, stderr=its, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(its)
    sent = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # all have left
            break
        if not piece:
            break
        sent += piece
    running.wait()
    os.close(ours)
    return sent.decode("utf-8")


EVIL = "a\x1b]0;gone\x07b\x9b2Jc\x08d\u202ee\u2066f"
SHOWN = r"a\x1b]0;gone\x07b\x9b2Jc\x08d\u202ee\u2066f"


def test_a_terminal_gets_no_control_characters_of_others(here):
    (here / "evil.txt").write_text(f"S -> '{EVIL}' [1]\n", encoding="utf-8")
    for verb in ("sample", "inspect"):
        sent = on_a_terminal(verb, "evil.txt")
        assert SHOWN in sent or verb == "inspect", sent  # which has escapes of its own
        assert "\x1b]0;" not in sent
        assert not {"\x07", "\x9b", "\x08", "\u202e", "\u2066"} & set(sent)
    # errors show what was found, too
    sent = on_a_terminal("intersect", "evil.txt", "--contains", "a\x1b[2J", "-o", "x.json")
    assert r"a\x1b[2J" in sent
    assert "\x1b[2J" not in sent
    # files and pipes get texts as they are
    assert process("sample", "evil.txt", "-n", 1).stdout.decode() == f"{EVIL}\n"
    # what the help draws with colours is ours
    assert "\x1b[" in on_a_terminal("--help")


def test_all_that_is_printed_goes_one_way():
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in (ROOT / "treewright").rglob("*.py")
        if path.name not in ("terminal.py", "__main__.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "sys.stdout.write")
    ]
    assert found == []


def test_a_locale_without_utf_8_reads_and_writes_it(here):
    done = process("sample", "g.txt", "-n", 20, env=BARE)
    assert "café" in done.stdout.decode("utf-8")
    done = process("intersect", "g.txt", "--contains", "café", "-o", "é.json", env=BARE)
    assert done.returncode == 0, done.stderr
    done = process("sample", "é.json", "-n", 3, "-o", "ü.jsonl", env=BARE)
    assert done.returncode == 0, done.stderr
    assert all("café" in text for text in read_corpus(here / "ü.jsonl").column("text"))
    done = process("intersect", "g.txt", "--contains", "thé", "-o", "x.json", env=BARE)
    assert "no word 'thé'" in done.stderr.decode("utf-8")


def test_an_encoding_that_was_chosen_is_kept(here):
    done = process("sample", "g.txt", "-n", 20, env={"PYTHONIOENCODING": "latin-1"})
    assert "café" in done.stdout.decode("latin-1")


@pytest.mark.parametrize("suffix", ["jsonl", "arrow", "parquet"])
def test_names_that_are_no_text(run, here, suffix):
    corpus, made = (os.fsdecode(b"%s\xff." % name + suffix.encode()) for name in (b"c", b"m"))
    write_corpus(corpus_of(TREES, "label", "tree"), corpus)
    grammar = os.fsdecode(b"g\xff.arrow")
    for words in (
        ("induce", corpus, "--model", "sub2", "-o", grammar),
        ("inspect", grammar),
        ("augment", corpus, "-m", "sub2", "-n", 5, "-o", made),
        ("replay", made),
    ):
        done = run(*words)
        assert done.code == 0, done.err
    assert read_manifest(made)["output"]["path"] == made


# --- streams -----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("inspect", "-"), ("parse", "g.txt"), ("augment", "-")])
def test_closed_standard_input_is_a_fault_that_is_told(here, words):
    more = ("-m", "eda", "-n", 1, "-o", "o.jsonl") if words[0] == "augment" else ()
    done = process(*words, *more, preexec_fn=lambda: os.close(0))
    assert done.returncode == 1
    assert b"treewright: -: standard input is closed\n  hint: " in done.stderr


def test_closed_outputs_are_no_fault(here):
    done = process("inspect", "g.txt", preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, b"")
    done = process("inspect", "none.txt", preexec_fn=lambda: os.close(2))
    assert (done.returncode, done.stdout) == (1, b"")


# --- interrupts --------------------------------------------------------------------------------

INTERRUPTED = """\
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupt())
from treewright.__main__ import main
main()
"""


@pytest.mark.parametrize(
    "module", ["treewright.cli", "typer", "grammar.opening", "numba", "numpy", "numpy.linalg"]
)
def test_an_interrupt_while_something_is_loaded(here, module):
    done = process("sample", "g.txt", code=INTERRUPTED.format(module=module))
    assert done.returncode == 130, done.stderr
    assert b"treewright: interrupted" in done.stderr
    assert b"Traceback" not in done.stderr


def test_the_script_begins_where_interrupts_are_caught():
    assert 'treewright = "treewright.__main__:main"' in (ROOT / "pyproject.toml").read_text()
    assert signal.SIGINT == 2  # 128 and this is what shells expect

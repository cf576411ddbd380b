"""The verb workbench: it answers on the loopback interface, and ends when it is told to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, build_opener, urlopen

import pytest

from tests.treewright import test_command_line

run = test_command_line.run
ROOT = Path(__file__).parents[3]


@pytest.fixture
def served(web: None, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    (tmp_path / "trees.mrg").write_text("(S (NP we) (VP ran))\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "treewright", "workbench", "trees.mrg", "--port", "0", "--quiet"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # where tests run behind a shell, an interrupt may be ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stdout is not None
    yield process, process.stdout.readline().strip()
    process.kill()
    process.wait()


def test_a_workbench_is_served_until_an_interrupt(served) -> None:
    process, address = served
    assert address.startswith("http://127.0.0.1:")
    opener = build_opener(HTTPCookieProcessor())
    assert b"trees.mrg" in opener.open(address, timeout=60).read()
    with pytest.raises(HTTPError, match="403"):
        urlopen(address.partition("?")[0], timeout=60)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    assert process.returncode == 130


def test_what_cannot_be_served_is_told(web: None, run, tmp_path: Path) -> None:
    done = run("workbench", "--host", "192.0.2.1", "--port", "80")
    assert done.code == 1
    assert "nothing can listen there" in done.err
    done = run("workbench", str(tmp_path / "missing.mrg"), "--port", "0")
    assert done.code == 1
    assert "missing.mrg" in done.err


def test_the_extra_is_named_where_it_is_missing(run, monkeypatch) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "uvicorn" else found(name)
    )
    done = run("workbench")
    assert done.code == 1
    assert "pip install 'treewright[web]" in done.err

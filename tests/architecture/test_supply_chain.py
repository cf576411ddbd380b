"""The page on what Treewright stands on says what is so."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from itertools import accumulate
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("grammar", "induction", "sampling", "scan", "classifiers", "treewright")
NETWORK = {
    "aiohttp", "ftplib", "http", "httpx", "huggingface_hub", "requests", "smtplib", "socket",
    "socketserver", "starlette", "urllib.request", "urllib3", "uvicorn", "xmlrpc",
}  # fmt: skip
CODE = {"cloudpickle", "code", "dill", "joblib", "marshal", "pickle", "shelve", "yaml"}


def declared() -> dict[str, tuple[str, str]]:
    """Return the range of every dependency and the extras that it belongs to."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    found: dict[str, tuple[str, list[str]]] = {}
    for extra, requirements in groups.items():
        for one in requirements:
            match = re.fullmatch(r"([\w-]+)(.*)", one)
            assert match is not None
            name, bounds = match.groups()
            known = found.setdefault(name, (bounds, []))
            assert known[0] == bounds, f"{name} has two ranges"
            known[1].append(extra)
    return {name: (bounds, ", ".join(extras)) for name, (bounds, extras) in found.items()}


def test_the_table_has_every_dependency_with_its_range_and_a_licence():
    page = (ROOT / "docs" / "reference" / "supply-chain.md").read_text("utf-8")
    rows = re.findall(r"^\| ([\w-]+) \| `(.+?)` \| (.*?) ?\| (.+?) \| .+ \|$", page, re.MULTILINE)
    assert {name: (bounds, extras) for name, bounds, extras, _ in rows} == declared()
    assert all(licence for *_, licence in rows)


def prefixes(name: str) -> list[str]:
    """Return the dotted names that a dotted name begins with, the shortest first."""
    return list(accumulate(name.split("."), "{}.{}".format))


def imports() -> dict[str, set[str]]:
    """Return what each module imports, with the packages that hold it, and what it calls."""
    found = {}
    for path in (p for package in PACKAGES for p in (ROOT / package).rglob("*.py")):
        names = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names |= {part for alias in node.names for part in prefixes(alias.name)}
            elif isinstance(node, ast.ImportFrom) and node.module:
                full = (f"{node.module}.{alias.name}" for alias in node.names)
                names |= {part for name in full for part in prefixes(name)}
            elif isinstance(node, ast.Call):
                names.add(f"{ast.unparse(node.func)}()")
        found[path.relative_to(ROOT).as_posix()] = names
    return found


def test_only_what_the_page_names_knows_the_network():
    used = imports()
    assert {path for path, names in used.items() if names & NETWORK} == {
        "induction/parsers/adapters/corenlp.py",
        "sampling/neural/hub.py",
        "sampling/neural/prompted/endpoint.py",
        "treewright/workbench/access.py",
        "treewright/workbench/answers.py",
        "treewright/workbench/application.py",
        "treewright/workbench/endpoints.py",
        "treewright/workbench/server.py",
        "treewright/workbench/uploads.py",
    }
    assert {path for path, names in used.items() if "nltk.download()" in names} == {
        "treewright/verbs/data.py"
    }


def test_nothing_that_is_read_is_executed():
    used = imports()
    assert {path for path, names in used.items() if names & (CODE | {"eval()", "exec()"})} == {
        "grammar/kernels/decorator.py"  # machine code, of a place that is checked
    }


OFFLINE = """\
import socket, sys

def refused(*args, **more):
    raise AssertionError("a socket was opened")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refused
from treewright.cli import main

for words in (
    "induce embedded -o g.json",
    "sample g.json -n 20 --trees -o s.jsonl",
    "parse-corpus g.json s.jsonl -o p.jsonl",
    "augment p.jsonl -m sub2 -n 5 -o a.jsonl",
    "quality p.jsonl a.jsonl",
    "explain a.jsonl sub2-0-0 --plot a.svg",
):
    sys.argv = ["treewright", *words.split()]
    try:
        main()
    except SystemExit as leaving:
        assert not leaving.code, words
print("done")
"""


def test_the_main_job_opens_no_socket(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=300,
    )  # fmt: skip
    assert done.stdout.endswith("done\n"), done.stderr

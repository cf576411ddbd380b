"""README: its Python and its commands run as they are written, and its links lead somewhere."""

import itertools
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from treewright.cli import main

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "docs" / "results"
"""What runs printed; no page of these is read from end to end."""
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if RECORDS not in p.parents),
]
RUN = [page for page in PAGES if page.parent.name != "tutorials"]
"""Tutorials are sessions, and ``test_tutorials.py`` runs them as such."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CONSUMERS = ("llguidance", "xgrammar", "genlm")
"""Packages that read what is written for them, and of which blocks of pages are left out."""
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


def blocks(page: Path, language: str) -> list[str]:
    return [body for kind, body in BLOCK.findall(page.read_text("utf-8")) if kind == language]


def commands(page: Path) -> list[str]:
    lines = "\n".join(blocks(page, "console")).replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def save_files(page: Path, folder: Path) -> None:
    """Save the files that a page asks its reader to save."""
    for kind, name in (
        ("csv", "reviews.csv"), ("conll", "entities.conll"), ("conllu", "few.conllu"),
    ):  # fmt: skip
        for body in blocks(page, kind):
            (folder / name).write_text(body, encoding="utf-8")


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Lines of comments at the end of a block are what it prints."""
    monkeypatch.chdir(tmp_path)
    save_files(page, tmp_path)
    missing = []
    for body in blocks(page, "python"):
        absent = [
            name
            for name in CONSUMERS
            if re.search(rf"^(import|from) {name}\b", body, re.M) and not find_spec(name)
        ]
        if absent:
            missing += absent
            continue
        capsys.readouterr()
        exec(compile(body, page.name, "exec"), {})
        printed = capsys.readouterr().out.splitlines()
        lines = body.splitlines()
        shown = [*itertools.takewhile(lambda line: line.startswith("# "), reversed(lines))][::-1]
        expected = [line.removeprefix("# ") for line in shown if line != "# ..."]
        assert printed[: len(expected)] == expected
    if missing:
        pytest.skip(f"the other blocks run; not installed: {', '.join(missing)}")


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In this process, for starting one takes longer than most commands."""
    monkeypatch.chdir(tmp_path)
    save_files(page, tmp_path)
    for command in commands(page):
        assert command.split()[0] == "treewright", command
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as leaving:
            main()
        assert not leaving.value.code, f"{command}\n{capsys.readouterr().err}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_to_files(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_every_page_is_two_clicks_from_the_readme() -> None:
    index = ROOT / "docs" / "index.md"
    assert "docs/index.md" in LINK.findall((ROOT / "README.md").read_text("utf-8"))
    linked = {(index.parent / link).resolve() for link in LINK.findall(index.read_text("utf-8"))}
    listed = set((ROOT / "docs" / "decisions").glob("[0-9]*.md"))  # by their index, in the site
    assert set((ROOT / "docs").rglob("*.md")) - listed - {index} <= linked


def test_the_readme_has_python_commands_and_the_make_targets() -> None:
    readme = ROOT / "README.md"
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert len(blocks(readme, "python")) >= 3
    assert len(commands(readme)) >= 5
    for line in "\n".join(blocks(readme, "bash")).splitlines():
        assert re.search(rf"^{line.removeprefix('make ')}:", makefile, re.MULTILINE), line


def test_the_citation_and_the_changelog_know_this_version() -> None:
    version = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text()

"""The site: its generated pages have every public name, verb, method and decision; it builds."""

import importlib.util
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from docs import generate

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.mark.parametrize("package", generate.PACKAGES)
def test_a_page_of_the_api_has_every_public_name_and_what_it_is(package: str) -> None:
    page = generate.api_page(package)
    names = import_module(package).__all__
    assert sorted(re.findall(rf"^::: {package}\.(\w+)$", page, re.MULTILINE)) == sorted(names)
    rows = dict(re.findall(r"^\| \[`(\w+)`\]\(\S+\) \| (.*?) \|$", page, re.MULTILINE))
    assert rows.keys() == set(names)
    assert [name for name, what in rows.items() if not what] == []


def test_bars_in_tables_are_shown_as_they_are_typed() -> None:
    row = r"| `A \| B` | a \| b |"
    assert generate.ROW.sub(generate.plain_bars, row) == r"| `A | B` | a \| b |"


def typed(command: object, name: str = "") -> list[str]:
    inside = getattr(command, "commands", None)
    if inside is None:
        return [name]
    return [verb for word, one in inside.items() for verb in typed(one, f"{name} {word}".strip())]


def test_the_page_of_commands_has_every_verb_with_every_option() -> None:
    import typer

    from treewright.cli import app

    text = generate.commands_text()
    assert re.findall(r"^## `(.+)`$", text, re.MULTILINE) == typed(typer.main.get_command(app))
    parts = re.split(r"^## `(.+)`$", text, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    for name, (command, _) in generate.verbs().items():
        for param in command.params:
            for option in param.opts if param.opts[0].startswith("-") else ():
                assert option in sections[name], f"{name} {option}"
    assert "--vertical-markov" in sections["induce"]


def test_the_page_of_methods_has_every_method_with_every_option() -> None:
    from sampling.method import METHODS

    text = generate.methods_text()
    assert re.findall(r"^## `(.+)`$", text, re.MULTILINE) == list(METHODS)
    for part, method in zip(text.split("\n## ")[1:], METHODS.values(), strict=True):
        assert all(f"| `{o.name}` |" in part for o in method.options)


def test_the_page_of_decisions_has_every_decision() -> None:
    linked = set(re.findall(r"\((\d+-[\w-]+\.md)\)", generate.decisions_text()))
    assert linked == {file.name for file in (DOCS / "decisions").glob("[0-9]*.md")}


def test_every_page_is_in_the_navigation_once() -> None:
    shown = [page for section in generate.navigation() for page in flat(section)]
    assert len(shown) == len(set(shown))
    made = {f"reference/api/{package}.md" for package in generate.PACKAGES}
    assert {*shown} - made == {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")}


def flat(section: dict) -> list[str]:
    (pages,) = section.values()
    return [pages] if isinstance(pages, str) else pages


def test_markers_name_texts_that_there_are() -> None:
    found = [m for page in DOCS.rglob("*.md") for m in generate.MARKER.findall(page.read_text())]
    assert sorted(found) == sorted(generate.GENERATED)


def test_the_site_builds_without_warnings_and_asks_no_other_host(tmp_path: Path) -> None:
    for module in ("material", "mkdocstrings"):
        if importlib.util.find_spec(module) is None:
            pytest.skip("mkdocs is not installed; make docs installs it")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout + done.stderr == ""
    loads = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"?https?://")
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 50
    assert [page.name for page in pages if loads.search(page.read_text("utf-8"))] == []
    assert (tmp_path / "site" / "search" / "search_index.js").exists()

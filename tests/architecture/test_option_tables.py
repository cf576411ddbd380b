"""Pages name options that there are, with their defaults, and every one that has a code mode."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generate import METHOD_PAGES as PAGES
from grammar.options import Option
from sampling.method import METHODS

DOCS = Path(__file__).parents[2] / "docs"


def declared(page: str) -> dict[str, list[Option]]:
    """Return the options of the methods of a page by their names."""
    options: dict[str, list[Option]] = {}
    for method in PAGES[page]:
        for o in METHODS[method].options:
            options.setdefault(o.name, []).append(o)
    return options


def rows(text: str) -> list[str]:
    """Return the first cells of the tables of options."""
    cells: list[str] = []
    inside = False
    for line in text.splitlines():
        inside = line.startswith("|") and (inside or line.startswith(("| option ", "| what ")))
        if inside:
            cells.append(line.split("|")[1].strip())
    return [cell for cell in cells if cell.startswith("`")]


@pytest.mark.parametrize("page", PAGES)
def test_the_tables_of_a_page_name_options_and_their_defaults(page: str) -> None:
    options = declared(page)
    for cell in rows(next(DOCS.rglob(f"{page}.md")).read_text(encoding="utf-8")):
        for name, default in re.findall(r"`(\w+)`(?: \(`?([^`)]*)`?\))?", cell.partition(":")[0]):
            assert name in options, f"{page}: there is no option {name}"
            if default:
                shown = {str(o.default).lower() for o in options[name]}
                assert default in shown, f"{page}: the default of {name} is {shown}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_every_option_that_differs_in_code_mode(page: str) -> None:
    text = next(DOCS.rglob(f"{page}.md")).read_text(encoding="utf-8")
    for name, options in declared(page).items():
        if any(o.code != o.default for o in options):
            assert f"`{name}`" in text or f"`{name}=" in text, f"{page}: {name}"

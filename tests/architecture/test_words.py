"""User pages and help texts use the terms of the glossary, in lines that fit a screen."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest

from grammar.options import Option
from sampling.method import METHODS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RECORDS = {DOCS / "results", DOCS / "research", DOCS / "decisions"}
"""Folders of evidence; their pages keep the words that runs and readers used."""
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted(
        p for p in DOCS.rglob("*.md") if not RECORDS & set(p.parents) and p.name != "glossary.md"
    ),
]
WRITTEN = [
    *sorted(ROOT.glob("*.md")),
    *sorted(p for p in DOCS.rglob("*.md") if DOCS / "results" not in p.parents),
]
"""All pages but those that runs print."""
AVOIDED = re.compile(
    r"\b(recipes?|regimes?|donors?|seams?|joints|rivals?|front door|strangers?|the house|the rooms|"
    r"upper half|anew|named anew|so many|it is said|whoever|of its own accord|health of)\b",
    re.IGNORECASE,
)
BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LONGEST_LINE = 100
MEDIAN_WORDS = 16


def prose(page: Path) -> str:
    """Return a page without its code blocks, tables, headings and quoted examples."""
    lines = BLOCK.sub("", page.read_text("utf-8")).splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("|", "#", ">")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_uses_the_terms_of_the_glossary(page: Path) -> None:
    found = [match[0] for match in AVOIDED.finditer(BLOCK.sub("", page.read_text("utf-8")))]
    assert not found, f"{page}: see docs/glossary.md for {sorted(set(found))}"


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_lines_of_a_page_fit(page: Path) -> None:
    lines = BLOCK.sub("", page.read_text("utf-8")).splitlines()
    found = [n for n, line in enumerate(lines, 1) if len(line) > LONGEST_LINE]
    assert not found, f"{page}: lines {found} have more than {LONGEST_LINE} characters"


def test_half_of_the_sentences_are_short() -> None:
    text = "\n\n".join(map(prose, PAGES))
    sentences = [s.split() for s in re.split(r"(?<=[.!?:])\s+|\n\s*\n|\n(?=[-*] )", text)]
    assert median(len(words) for words in sentences if len(words) > 2) <= MEDIAN_WORDS


def test_help_texts_use_the_terms_of_the_glossary() -> None:
    def texts(option: Option) -> str:
        return option.help

    found = {
        f"{name}.{option.name}": AVOIDED.findall(texts(option))
        for name, method in METHODS.items()
        for option in method.options
    }
    assert not {name: words for name, words in found.items() if words}

"""A corpus of texts: its rows."""

from __future__ import annotations

from typing import Any

from treewright.workbench.answers import Page, address
from treewright.workbench.opened import OpenCorpus, Opened
from treewright.workbench.parameters import Parameters

__all__ = ["corpus_page"]

_ROWS, _CHARACTERS = 25, 600


def corpus_page(opened: Opened, asked: Parameters, identifier: str) -> Page:
    """Show the rows of a corpus, page by page."""
    item: OpenCorpus = opened.get(identifier, "corpus")
    pages = max(1, -(-len(item.corpus) // _ROWS))
    page = asked.number("page", 1, least=1, most=pages)
    rows = item.corpus[(page - 1) * _ROWS : page * _ROWS]
    path = f"/corpus/{identifier}"
    return Page(
        "corpus.html",
        {
            "item": item,
            "names": item.corpus.names,
            "rows": [[_cell(row.get(name)) for name in item.corpus.names] for row in rows],
            "page": page,
            "pages": pages,
            "page_address": lambda number: address(path, page=number if number > 1 else None),
        },
    )


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = " ".join(value)
    text = str(value)
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]} …"

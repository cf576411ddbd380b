"""A corpus: its rows, and of augmented ones the way to what made each."""

from __future__ import annotations

from typing import Any

from treewright.workbench.answers import Page, address
from treewright.workbench.opened import OpenCorpus, Opened
from treewright.workbench.parameters import Parameters

__all__ = ["corpus_page"]

_ROWS, _CHARACTERS = 25, 600
_ELSEWHERE = ("tree", "tree_pair")
"""Columns that are seen better on the page of the treebank."""


def corpus_page(opened: Opened, asked: Parameters, identifier: str) -> Page:
    """Show the rows of a corpus, page by page."""
    item: OpenCorpus = opened.get(identifier, "corpus")
    pages = max(1, -(-len(item.corpus) // _ROWS))
    page = asked.number("page", 1, least=1, most=pages)
    rows = item.corpus[(page - 1) * _ROWS : page * _ROWS]
    path = f"/corpus/{identifier}"
    names = [name for name in item.corpus.names if name not in _ELSEWHERE]
    return Page(
        "corpus.html",
        {
            "identifier": identifier,
            "item": item,
            "names": names,
            "example_address": lambda row: address(f"{path}/example", id=row),
            "is_made": {"id", "provenance"} <= set(item.corpus.names),
            "has_trees": item.treebank is not None,
            "treebank": item.treebank,
            "rows": [[_cell(row.get(name)) for name in names] for row in rows],
            "page": page,
            "pages": pages,
            "page_address": lambda number: address(path, page=number if number > 1 else None),
        },
    )


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, dict) and "method" in value:  # provenance: the rest is on its own page
        return f"{value['method']}: {', '.join(value.get('parents') or [])}".removesuffix(": ")
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = " ".join(value)
    text = str(value)
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]} …"

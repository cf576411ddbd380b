"""A treebank: what it holds, and a search in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.errors import PatternError
from grammar.search.automaton import PatternAutomaton
from grammar.search.frequencies import Frequencies
from grammar.search.hits import Hits
from grammar.trees.treebank import Treebank
from treewright.workbench.answers import Download, Page, address, answered, picture
from treewright.workbench.opened import Opened, OpenTreebank, Trees
from treewright.workbench.pages.tables import (
    MOST_ROWS,
    SHOWN_ROWS,
    checked_file,
    refuse_many,
    table_download,
)
from treewright.workbench.parameters import Parameters
from treewright.workbench.refining import quoted, refinements

__all__ = ["download", "treebank_page"]

TREES_A_PAGE, _LABELS = 8, 40
_TRACE = "-NONE-"
_EXAMPLES = (
    ("PP < (IN < of) < NP=object", "prepositional phrases with of; the object has a name"),
    ("S < (NP=subject $.. VP)", "clauses: a noun phrase before a verb phrase"),
    ("NP << (/^N/ $, JJ)", "noun phrases with a noun just behind an adjective"),
    ("VP !<< NP", "verb phrases without any noun phrase"),
    ("/^V/ < /ing$/", "verbs whose words end in -ing"),
)


@dataclass(frozen=True)
class _Asked:
    """The form: a pattern, which form of the trees, and what to count by."""

    pattern: str
    plain: bool
    count: str
    by: str

    @classmethod
    def of(cls, asked: Parameters, trees: OpenTreebank) -> _Asked:
        return cls(
            asked.text("pattern"),
            asked.flag("plain"),
            asked.text("count", most=100),
            asked.choice("by", list(trees.written.variables)),
        )

    def address(self, path: str, **more: Any) -> str:
        given = {"pattern": self.pattern, "plain": "1" if self.plain else None}
        return address(path, **{**given, "count": self.count, "by": self.by, **more})


def treebank_page(opened: Opened, asked: Parameters, identifier: str) -> Page:
    """Show a treebank, or what a pattern finds in it."""
    item: OpenTreebank = opened.get(identifier, "treebank")
    form = _Asked.of(asked, item)
    trees = item.trees(plain=form.plain)
    path = f"/treebank/{identifier}"
    values = {
        "identifier": identifier,
        "item": item,
        "form": form,
        "path": path,
        "treebank": trees.treebank,
        "traces": _traces(trees.treebank),
        "variables": list(trees.variables),
        "countable": ["label", "words"],
        "examples": _EXAMPLES,
        "shown_rows": asked.number("rows", SHOWN_ROWS, least=1, most=MOST_ROWS),
        "most_rows": MOST_ROWS,
    }
    if not form.pattern:
        return Page("treebank.html", {**values, "labels": _labels(trees.treebank)})

    def answer() -> Mapping[str, Any]:
        hits = trees.hits(form.pattern)
        named = [f"{name}.{kind}" for name in hits.named for kind in ("label", "words")]
        return {
            "hits": hits,
            "countable": ["label", "words", *named],
            "counts": _counts(hits, trees, form),
            "missing": {} if len(hits) else hits.missing(),
            "draw_address": _draw_address(item, identifier, form),
            **_trees_of_page(hits, form, path, asked),
        }

    return answered("treebank.html", values, answer)


def _labels(treebank: Treebank) -> list[tuple[str, int, str]]:
    """Return the most frequent labels, how often each is there, and a pattern for it."""
    inner = treebank.label[treebank.size > 1]
    counts = np.bincount(inner, minlength=len(treebank.symbols))
    order = np.argsort(-counts, kind="stable")[:_LABELS]
    found = [(treebank.symbols[i], int(counts[i])) for i in order.tolist() if counts[i]]
    return [(name, count, quoted(name)) for name, count in found]


def _traces(treebank: Treebank) -> int:
    """Return how many words are traces."""
    return int((treebank.label == treebank.symbols.id(_TRACE)).sum())


def _draw_address(item: OpenTreebank, identifier: str, form: _Asked) -> str | None:
    """Return where sentences with the construction are drawn; None if the rules cannot be asked.

    They are of the trees without traces and functions, and know no relations of sisters.
    """
    try:
        PatternAutomaton([form.pattern], [])
    except PatternError:
        return None
    if item.plain.hits(form.pattern).missing():
        return None
    grammar = f"rules-of-{identifier}"
    return address("/sample", grammar=grammar, construction=form.pattern, longest=20)


def _counts(hits: Hits, trees: Trees, form: _Asked) -> Frequencies | None:
    wanted = [name for name in (form.by, form.count) if name]
    if not wanted or not len(hits):
        return None
    refuse_many(hits, hits.pattern)
    of_trees = {form.by: trees.variables[form.by]} if form.by else None
    return hits.count(wanted, of_trees=of_trees)


def _trees_of_page(hits: Hits, form: _Asked, path: str, asked: Parameters) -> Mapping[str, Any]:
    pages = max(1, -(-len(hits.found_in) // TREES_A_PAGE))
    page = asked.number("page", 1, least=1, most=pages)
    first = (page - 1) * TREES_A_PAGE
    shown = hits.found_in[first : first + TREES_A_PAGE].tolist()
    return {
        "page": page,
        "pages": pages,
        "trees": [_tree(hits, tree, form, path) for tree in shown],
        "page_address": lambda number, **more: form.address(
            path, page=number if number > 1 else None, **more
        ),
        "file_address": lambda kind: form.address(
            f"{path}/hits.{kind}", page=page if kind == "svg" else None, count=None, by=None
        ),
        "trees_address": form.address(f"{path}/trees.mrg", count=None, by=None),
        "counts_address": lambda kind: form.address(f"{path}/counts.{kind}"),
    }


def _tree(hits: Hits, tree: int, form: _Asked, path: str) -> Mapping[str, Any]:
    bank = hits.treebank
    first, last = np.searchsorted(hits.head, bank.offsets[tree : tree + 2])
    heads = np.unique(hits.head[first:last]).tolist()
    named = {int(node) for nodes in hits.named.values() for node in nodes[first:last] if node >= 0}
    patterns = refinements(bank, tree, heads, form.pattern)
    plain = "1" if form.plain else None
    return {
        "number": tree,
        "pieces": list(_pieces(bank, tree, {"hit": heads, "named": sorted(named)})),
        "picture": picture(
            hits.show_tree(
                tree, [address(path, pattern=p, plain=plain) if p else "" for p in patterns]
            )
        ),
    }


def _pieces(
    bank: Treebank, tree: int, marked: Mapping[str, Sequence[int]]
) -> Iterator[tuple[str, str]]:
    """Yield the words of a tree but for traces, those together that are marked alike.

    With them is the mark: a key of the mapping, the last if there are several, or nothing.
    """
    start, stop = bank.offsets[tree : tree + 2].tolist()
    places = [""] * (stop - start)
    for place, nodes in marked.items():
        for node in nodes:
            size = int(bank.size[node])
            places[node - start : node - start + size] = [place] * size
    trace = bank.symbols.id(_TRACE)
    words = [
        (places[node - start], bank.symbols[int(bank.label[node])])
        for node in range(start, stop)
        if bank.size[node] == 1 and (node == start or bank.label[bank.parent[node]] != trace)
    ]
    for place, group in itertools.groupby(words, key=lambda pair: pair[0]):
        yield " ".join(word for _, word in group), place


def download(opened: Opened, asked: Parameters, identifier: str, name: str) -> Download:
    """Return hits or counts as a file.

    ``hits.svg`` has the trees of a page, ``hits.mrg`` what stands at the hits, and ``trees.mrg``
    the whole trees with hits; hits and counts are ``.tsv`` or ``.parquet``.
    """
    item: OpenTreebank = opened.get(identifier, "treebank")
    checked_file(name, "hits.mrg", "trees.mrg")
    form = _Asked.of(asked, item)
    trees = item.trees(plain=form.plain)
    hits = trees.hits(form.pattern)
    if name.endswith(".svg"):
        return Download(f"{identifier}-{name}", _svg(hits, asked), "image/svg+xml")
    if name.endswith(".mrg"):
        refuse_many(hits, hits.pattern)
        bank = hits.trees() if name.startswith("trees") else hits.to_treebank()
        text = "".join(f"{tree}\n" for tree in bank)
        return Download(f"{identifier}-{name}", text.encode(), "text/plain; charset=utf-8")
    counts = _counts(hits, trees, form) if name.startswith("counts") else None
    return table_download(identifier, name, hits, counts, hits.pattern)


def _svg(hits: Hits, asked: Parameters) -> bytes:
    """Return the trees of a page in one picture."""
    page = asked.number("page", 1, least=1, most=10**9)
    trees = hits.found_in[(page - 1) * TREES_A_PAGE : page * TREES_A_PAGE]
    return hits.take(np.isin(hits.tree, trees)).show(TREES_A_PAGE).svg().encode()

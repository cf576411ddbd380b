"""A dependency treebank: what it holds, and a search in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.dependencies.hits import DependencyHits
from grammar.search.frequencies import Frequencies
from treewright.workbench.answers import Download, Page, address, answered, picture
from treewright.workbench.opened import OpenDependencies, Opened
from treewright.workbench.pages.tables import (
    MOST_ROWS,
    SHOWN_ROWS,
    checked_file,
    refuse_many,
    table_download,
)
from treewright.workbench.parameters import Parameters

__all__ = ["dependencies_page", "download_dependencies"]

_SENTENCES, _LABELS = 8, 40
_EXAMPLES = (
    ("pattern { V [upos=VERB]; V -[obj]-> N }", "verbs with an object"),
    ("pattern { V -[obj]-> N } without { V -[nsubj]-> S }", "objects of verbs without a subject"),
    ("pattern { A [upos=ADJ]; N [upos=NOUN]; N < A }", "nouns just before an adjective"),
    ('pattern { X [form=re".*ing"]; X -[aux]-> Y }', "words in -ing that have an auxiliary"),
    ("pattern { e: X -[^punct]-> Y; X.lemma = Y.lemma }", "words that depend on the same word"),
)


@dataclass(frozen=True)
class _Asked:
    """The form: a request, and what to count by."""

    request: str
    count: str
    by: str

    @classmethod
    def of(cls, asked: Parameters, item: OpenDependencies) -> _Asked:
        return cls(
            asked.text("pattern"), asked.text("count", most=100), asked.choice("by", item.variables)
        )

    def address(self, path: str, **more: Any) -> str:
        given = {"pattern": self.request, "count": self.count, "by": self.by}
        return address(path, **{**given, **more})


def dependencies_page(opened: Opened, asked: Parameters, identifier: str) -> Page:
    """Show a dependency treebank, or what a request finds in it."""
    item: OpenDependencies = opened.get(identifier, "dependencies")
    form = _Asked.of(asked, item)
    path = f"/dependencies/{identifier}"
    values = {
        "identifier": identifier,
        "item": item,
        "form": form,
        "path": path,
        "treebank": item.treebank,
        "examples": _EXAMPLES,
        "shown_rows": asked.number("rows", SHOWN_ROWS, least=1, most=MOST_ROWS),
        "most_rows": MOST_ROWS,
    }
    if not form.request:
        return Page("dependencies.html", {**values, "labels": _labels(item)})

    def answer() -> Mapping[str, Any]:
        hits = item.hits(form.request)
        return {
            "hits": hits,
            "countable": hits.variables,
            "counts": _counts(hits, form),
            **_sentences_of_page(hits, form, path, asked),
        }

    return answered("dependencies.html", values, answer)


def download_dependencies(
    opened: Opened, asked: Parameters, identifier: str, name: str
) -> Download:
    """Return hits or counts as a file: ``hits.svg``, or either as ``.tsv`` or ``.parquet``."""
    item: OpenDependencies = opened.get(identifier, "dependencies")
    checked_file(name)
    form = _Asked.of(asked, item)
    hits = item.hits(form.request)
    if name.endswith(".svg"):
        shown = hits.take(np.isin(hits.sentence, _shown(hits, asked)[1]))
        drawn = shown.show(_SENTENCES).svg().encode()
        return Download(f"{identifier}-{name}", drawn, "image/svg+xml")
    counts = _counts(hits, form) if name.startswith("counts") else None
    return table_download(identifier, name, hits, counts, hits.request)


def _labels(item: OpenDependencies) -> list[tuple[str, int, str]]:
    """Return the most frequent relations, how often each is there, and a request for it."""
    column = item.treebank.columns["deprel"]
    counts = np.bincount(column[column >= 0], minlength=len(item.treebank.symbols))
    order = np.argsort(-counts, kind="stable")[:_LABELS]
    found = [(item.treebank.symbols[i], int(counts[i])) for i in order.tolist() if counts[i]]
    return [(name, n, f"pattern {{ * -[{_quoted(name)}]-> X }}") for name, n in found]


def _quoted(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _counts(hits: DependencyHits, form: _Asked) -> Frequencies | None:
    wanted = [name for name in (form.by, form.count) if name]
    if not wanted or not len(hits):
        return None
    refuse_many(hits, hits.request)
    return hits.count(wanted)


def _shown(hits: DependencyHits, asked: Parameters) -> tuple[int, list[int]]:
    """Return the number of the page, and the sentences on it."""
    page = asked.number("page", 1, least=1, most=_pages(hits))
    return page, hits.found_in[(page - 1) * _SENTENCES : page * _SENTENCES].tolist()


def _pages(hits: DependencyHits) -> int:
    return max(1, -(-len(hits.found_in) // _SENTENCES))


def _sentences_of_page(
    hits: DependencyHits, form: _Asked, path: str, asked: Parameters
) -> Mapping[str, Any]:
    page, shown = _shown(hits, asked)
    return {
        "page": page,
        "pages": _pages(hits),
        "sentences": [
            {
                "number": number,
                "pieces": list(_pieces(hits, number)),
                "picture": picture(hits.show_sentence(number)),
            }
            for number in shown
        ],
        "page_address": lambda number, **more: form.address(
            path, page=number if number > 1 else None, **more
        ),
        "file_address": lambda kind: form.address(
            f"{path}/hits.{kind}", page=page if kind == "svg" else None, count=None, by=None
        ),
        "counts_address": lambda kind: form.address(f"{path}/counts.{kind}"),
    }


def _pieces(hits: DependencyHits, sentence: int) -> Iterator[tuple[str, bool]]:
    """Yield the words of a sentence, and whether each is a node of a hit."""
    rows = hits.sentence == sentence
    start = int(hits.treebank.offsets[sentence])
    marked = {int(word) - start for words in hits.named.values() for word in words[rows]}
    for place, word in enumerate(hits.treebank.words(sentence)):
        yield word, place in marked

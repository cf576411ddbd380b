"""One example of an augmented corpus: what made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from grammar.trees.draw import tree_picture
from sampling.examples.drawn_passages import passages_svg
from sampling.explanations.explain import explain
from treewright.workbench.answers import Page, answered, picture
from treewright.workbench.opened import OpenCorpus, Opened
from treewright.workbench.parameters import Parameters

__all__ = ["example_page"]


def example_page(opened: Opened, asked: Parameters, identifier: str) -> Page:
    """Show an example beside its parents, with marks at what was exchanged or edited."""
    item: OpenCorpus = opened.get(identifier, "corpus")
    corpora = dict(opened.of_kind("corpus"))
    row = asked.text("id", most=1000)
    source = asked.choice("source", corpora)
    values = {
        "item": item,
        "path": f"/corpus/{identifier}",
        "row": row,
        "corpora": corpora,
        "source": source,
    }

    def answer() -> Mapping[str, Any]:
        found = explain(item.corpus, row, source=corpora[source].corpus if source else None)
        drawn = None
        if found.passages:
            drawn = Markup(passages_svg(found.passages, row))
        elif found.tree is not None:
            drawn = picture(tree_picture(found.tree))
        lines = found.lines()
        lines.pop("tree", None)
        return {"picture": drawn, "facts": lines, "note": found.note}

    return answered("example.html", values, answer)

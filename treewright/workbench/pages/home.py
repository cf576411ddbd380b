"""The first page: what is open."""

from __future__ import annotations

from treewright.workbench.answers import Page
from treewright.workbench.opened import Opened
from treewright.workbench.parameters import Parameters
from treewright.workbench.uploads import MOST_BYTES

__all__ = ["home"]


def home(opened: Opened, asked: Parameters) -> Page:
    """List treebanks, dependency treebanks, grammars and corpora."""
    return Page(
        "home.html",
        {
            "treebanks": list(opened.of_kind("treebank")),
            "dependencies": list(opened.of_kind("dependencies")),
            "grammars": list(opened.of_kind("grammar")),
            "synchronous": list(opened.of_kind("synchronous")),
            "corpora": list(opened.of_kind("corpus")),
            "most_megabytes": MOST_BYTES >> 20,
        },
    )

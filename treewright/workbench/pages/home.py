"""The first page: what is open, and what work goes on."""

from __future__ import annotations

from typing import Any

from treewright.workbench.answers import Page
from treewright.workbench.jobs import Jobs
from treewright.workbench.opened import Opened
from treewright.workbench.uploads import MOST_BYTES

__all__ = ["home"]


def home(opened: Opened, jobs: Jobs[Any]) -> Page:
    """List treebanks, dependency treebanks, grammars and corpora, and work that goes on."""
    return Page(
        "home.html",
        {
            "treebanks": list(opened.of_kind("treebank")),
            "dependencies": list(opened.of_kind("dependencies")),
            "grammars": list(opened.of_kind("grammar")),
            "synchronous": list(opened.of_kind("synchronous")),
            "corpora": list(opened.of_kind("corpus")),
            "going_on": list(jobs.going_on()),
            "most_megabytes": MOST_BYTES >> 20,
        },
    )

"""Progress: how far work is, and that it was stopped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl

from treewright.workbench.answers import Page
from treewright.workbench.jobs import Job
from treewright.workbench.parameters import Parameters

__all__ = ["progress_page", "stopped_page"]

_ACCEPTED = 202
_SELDOM = 10
"""Seconds: a page that is loaded again at least so often is not too old."""
_OPENING = "/opening/"


def progress_page(place: str, job: Job[Any], going_on: Iterable[tuple[str, Job[Any]]]) -> Page:
    """Show how far the work on a page is; the page is asked for again by itself.

    The longer the work takes, the less often, as each time disturbs who reads or hears the page.
    """
    path, _, query = place.partition("?")
    return Page(
        "progress.html",
        {
            "place": place,
            "is_file": path.startswith(_OPENING),
            "path": path,
            "asked": parse_qsl(query),
            "stage": job.stage,
            "seconds": round(job.seconds),
            "again_in": max(1, min(_SELDOM, round(job.seconds / 4))),
            "others": [(other, each) for other, each in going_on if other != place],
        },
        _ACCEPTED,
    )


def stopped_page(asked: Parameters) -> Page:
    """Say that work was stopped, with a link that begins it again."""
    place = asked.text("page")
    # two slashes would begin the name of another host; a file is sent again, not looked at
    leads_here = place.startswith("/") and not place.startswith(("//", "/\\", _OPENING))
    return Page("stopped.html", {"place": place if leads_here else ""})

"""The application: which address leads to which page, and what is said of errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from grammar.errors import MissingDataError, TreewrightError
from treewright.workbench.access import Access
from treewright.workbench.answers import STYLE, Download, Page
from treewright.workbench.endpoints import Endpoints
from treewright.workbench.jobs import Jobs, StoppedError
from treewright.workbench.opened import Opened
from treewright.workbench.pages.comparison import comparison_page
from treewright.workbench.pages.corpus import corpus_page
from treewright.workbench.pages.dependencies import dependencies_page, download_dependencies
from treewright.workbench.pages.example import example_page
from treewright.workbench.pages.grammar import grammar_page
from treewright.workbench.pages.parsing import parsing_page
from treewright.workbench.pages.progress import stopped_page
from treewright.workbench.pages.quality import quality_page
from treewright.workbench.pages.sampling import sampling_page
from treewright.workbench.pages.translation import translation_page
from treewright.workbench.pages.treebank import download, treebank_page
from treewright.workbench.parameters import Parameters

__all__ = ["application"]

_PAGES: dict[str, Callable[..., Page]] = {
    "/treebank/{identifier}": treebank_page,
    "/dependencies/{identifier}": dependencies_page,
    "/grammar/{identifier}": grammar_page,
    "/corpus/{identifier}": corpus_page,
    "/corpus/{identifier}/example": example_page,
    "/synchronous/{identifier}": translation_page,
    "/parse": parsing_page,
    "/sample": sampling_page,
    "/compare": comparison_page,
    "/quality": quality_page,
}
_FILES: dict[str, Callable[..., Download]] = {
    "/treebank/{identifier}/{name}": download,
    "/dependencies/{identifier}/{name}": download_dependencies,
}


def application(
    opened: Opened, token: str, host: str = "127.0.0.1", *, jobs: Jobs[Response] | None = None
) -> Access:
    """Return the workbench as an ASGI application.

    Parameters
    ----------
    opened : Opened
        What is open at first; uploads are added to it.
    token : str
        Who has it may ask.
    host : str
        The address that is listened to.
    jobs : Jobs, optional
        Does the work.
    """
    to = Endpoints(opened, jobs or Jobs())
    routes = [
        *(Route(path, to.page(make)) for path, make in _PAGES.items()),
        *(Route(path, to.file(make)) for path, make in _FILES.items()),
        Route("/", to.home),
        Route("/open", to.open, methods=["POST"]),
        Route("/opening/{number}", to.opening),
        Route("/stop", to.stop, methods=["POST"]),
        Route("/stopped", to.stopped),
        Route("/style.css", lambda request: FileResponse(STYLE)),
    ]
    handlers: dict[Any, Any] = {
        TreewrightError: _told,
        StoppedError: _told_of_stop,
        HTTPException: _told_of_request,
        MemoryError: _told_of_size,
        RecursionError: _told_of_size,
        Exception: _told_of_fault,
    }
    return Access(Starlette(routes=routes, exception_handlers=handlers), token, host)


def _told(request: Request, error: Any) -> Response:
    status = 404 if isinstance(error, MissingDataError) else 400
    return Page("error.html", {"error": error}, status).response()


def _told_of_stop(request: Request, error: Any) -> Response:
    return stopped_page(Parameters({})).response()


def _told_of_request(request: Request, error: Any) -> Response:
    told = TreewrightError(str(error.detail), where=request.url.path, hint="begin at the files")
    return Page("error.html", {"error": told}, error.status_code).response()


def _told_of_size(request: Request, error: Any) -> Response:
    told = TreewrightError("this takes too much memory", hint="ask for less, or for shorter ones")
    return Page("error.html", {"error": told}, 400).response()


def _told_of_fault(request: Request, error: Any) -> Response:
    what = f"unexpected {type(error).__name__}: {error}"
    told = TreewrightError(what, hint="this is a fault of treewright; the terminal shows where")
    return Page("error.html", {"error": told}, 500).response()

"""The application: which address leads to which page, and what is said of errors."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import Route

from grammar.errors import MissingDataError, TreewrightError
from treewright.workbench.access import Access
from treewright.workbench.answers import STYLE, Download, Page
from treewright.workbench.opened import Opened
from treewright.workbench.pages.comparison import comparison_page
from treewright.workbench.pages.corpus import corpus_page
from treewright.workbench.pages.dependencies import dependencies_page, download_dependencies
from treewright.workbench.pages.example import example_page
from treewright.workbench.pages.grammar import grammar_page
from treewright.workbench.pages.home import home
from treewright.workbench.pages.parsing import parsing_page
from treewright.workbench.pages.quality import quality_page
from treewright.workbench.pages.sampling import sampling_page
from treewright.workbench.pages.translation import translation_page
from treewright.workbench.pages.treebank import download, treebank_page
from treewright.workbench.parameters import Parameters
from treewright.workbench.uploads import Uploads

__all__ = ["application"]

_PAGES: dict[str, Callable[..., Page | Download]] = {
    "/": home,
    "/treebank/{identifier}": treebank_page,
    "/treebank/{identifier}/{name}": download,
    "/dependencies/{identifier}": dependencies_page,
    "/dependencies/{identifier}/{name}": download_dependencies,
    "/grammar/{identifier}": grammar_page,
    "/corpus/{identifier}": corpus_page,
    "/corpus/{identifier}/example": example_page,
    "/synchronous/{identifier}": translation_page,
    "/parse": parsing_page,
    "/sample": sampling_page,
    "/compare": comparison_page,
    "/quality": quality_page,
}


def application(opened: Opened, token: str, host: str = "127.0.0.1") -> Access:
    """Return the workbench as an ASGI application.

    Parameters
    ----------
    opened : Opened
        What is open at first; uploads are added to it.
    token : str
        Who has it may ask.
    host : str
        The address that is listened to.
    """
    # one at a time: what is opened keeps what it computed, and a machine has few processors
    work = threading.Lock()
    uploads = Uploads()

    def page(make: Callable[..., Page | Download]) -> Callable[[Request], Response]:
        def answer(request: Request) -> Response:
            asked = Parameters(request.query_params)
            with work:
                return make(opened, asked, **request.path_params).response()

        return answer

    def open_file(path: str, name: str) -> Response:
        with work:
            try:
                identifier = opened.add(path, name)
            except TreewrightError as error:
                raise _called(error, path, name) from None
            kind = opened.kind(identifier)
        return RedirectResponse(f"/{kind}/{identifier}", 303)

    async def receive_file(request: Request) -> Response:
        return await run_in_threadpool(open_file, *await uploads.keep(request))

    routes = [Route(path, page(make)) for path, make in _PAGES.items()]
    routes.append(Route("/open", receive_file, methods=["POST"]))
    routes.append(Route("/style.css", lambda request: FileResponse(STYLE)))
    handlers: dict[Any, Any] = {
        TreewrightError: _told,
        HTTPException: _told_of_request,
        MemoryError: _told_of_size,
        RecursionError: _told_of_size,
        Exception: _told_of_fault,
    }
    return Access(Starlette(routes=routes, exception_handlers=handlers), token, host)


def _called(error: TreewrightError, path: str, name: str) -> TreewrightError:
    """Return an error that calls a file as the person does, and not by where it is kept."""
    what, where, hint = (
        None if text is None else text.replace(path, name)
        for text in (error.what, error.where, error.hint)
    )
    return type(error)(str(what), where=where, hint=hint)


def _told(request: Request, error: Any) -> Response:
    status = 404 if isinstance(error, MissingDataError) else 400
    return Page("error.html", {"error": error}, status).response()


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

"""What answers requests: pages and files, uploads, and the pages of work that goes on."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from grammar.errors import MissingDataError, TreewrightError
from treewright.workbench.answers import Download, Page, address
from treewright.workbench.jobs import Job, Jobs
from treewright.workbench.opened import Opened
from treewright.workbench.pages.home import home
from treewright.workbench.pages.progress import progress_page, stopped_page
from treewright.workbench.parameters import Parameters
from treewright.workbench.uploads import Uploads

__all__ = ["Endpoints"]


class Endpoints:
    """The functions behind addresses.

    Parameters
    ----------
    opened : Opened
        What is open; uploads are added to it.
    jobs : Jobs
        Does the work, one piece after the other.
    """

    def __init__(self, opened: Opened, jobs: Jobs[Response]) -> None:
        self._opened, self._jobs = opened, jobs
        self._uploads = Uploads()

    def page(self, make: Callable[..., Page]) -> Callable[[Request], Response]:
        """Return what answers with a page, or says how far the work on it is."""
        return lambda request: self._made(request, make, is_awaited=False)

    def file(self, make: Callable[..., Download]) -> Callable[[Request], Response]:
        """Return what answers with a file; the browser shows by itself that it waits."""
        return lambda request: self._made(request, make, is_awaited=True)

    def home(self, request: Request) -> Response:
        """Answer with the list of files, which never waits for other work."""
        return home(self._opened, self._jobs).response()

    async def open(self, request: Request) -> Response:
        """Open the file that a form sends, and lead to its page."""
        path, name, number = await self._uploads.keep(request)
        place = f"/opening/{number}"

        def made() -> Response:
            return RedirectResponse(self._added(path, name), 303)

        found = await run_in_threadpool(self._jobs.answer, place, made)
        return RedirectResponse(place, 303) if isinstance(found, Job) else found

    def opening(self, request: Request) -> Response:
        """Say how far the opening of a file is, and lead to its page when it is open."""
        place = _place(request)
        found = self._jobs.again(place)
        if found is None:
            raise MissingDataError("no file is being opened here", hint="begin at the files")
        return self._shown(place, found)

    def stop(self, request: Request) -> Response:
        """End the work on a page."""
        place = Parameters(request.query_params).text("page")
        self._jobs.stop(place)
        return RedirectResponse(address("/stopped", page=place), 303)

    def stopped(self, request: Request) -> Response:
        """Say that work was stopped."""
        return stopped_page(Parameters(request.query_params)).response()

    def _made(
        self, request: Request, make: Callable[..., Page | Download], *, is_awaited: bool
    ) -> Response:
        asked, place = Parameters(request.query_params), _place(request)

        def made() -> Response:
            return make(self._opened, asked, **request.path_params).response()

        found = self._jobs.answer(place, made, of=len(self._opened), is_awaited=is_awaited)
        return self._shown(place, found)

    def _shown(self, place: str, found: Response | Job[Response]) -> Response:
        if isinstance(found, Response):
            return found
        return progress_page(place, found, self._jobs.going_on()).response()

    def _added(self, path: str, name: str) -> str:
        """Open a file, and return the address of its page."""
        try:
            identifier = self._opened.add(path, name)
        except TreewrightError as error:
            raise _called(error, path, name) from None
        return f"/{self._opened.kind(identifier)}/{identifier}"


def _place(request: Request) -> str:
    """Return the address of a request in this workbench."""
    path, query = quote(request.url.path), request.url.query
    return f"{path}?{query}" if query else path


def _called(error: TreewrightError, path: str, name: str) -> TreewrightError:
    """Return an error that calls a file as the person does, and not by where it is kept."""
    what, where, hint = (
        None if text is None else text.replace(path, name)
        for text in (error.what, error.where, error.hint)
    )
    return type(error)(str(what), where=where, hint=hint)

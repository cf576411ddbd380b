"""Who may ask: a token, the name of the host, and what a browser may do with an answer."""

from __future__ import annotations

import ipaddress
import secrets
from typing import Any

from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

__all__ = ["HEADERS", "Access", "is_host_allowed"]

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE = ("0.0.0.0", "::")

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # not no-referrer, with which forms would be sent without the origin that is checked here
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""What every answer has: no script runs, and nothing is loaded from another host."""


class Access:
    """An ASGI application in front of another: who has not the token gets no answer from it.

    Parameters
    ----------
    app : ASGI application
        What answers.
    token : str
        The secret of this run. It is given in an address once, and then in a cookie.
    host : str
        The address that is listened to.
    """

    def __init__(self, app: Any, token: str, host: str) -> None:
        self._app, self._token, self._host = app, token, host

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer, with the headers that every answer has."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        answer = self._refusal(scope) or self._app
        await answer(scope, receive, send_with_headers)

    def _refusal(self, scope: Any) -> Response | None:
        """Return the answer to who may not ask, or who gives the token in the address."""
        headers, request = Headers(scope=scope), Request(scope)
        host = headers.get("host", "")
        if not is_host_allowed(host, self._host):
            return _refused("This is not an address of the workbench.")
        origin = headers.get("origin")
        if origin is not None and origin != f"{request.url.scheme}://{host}":
            return _refused("Another page asked for this.")
        cookie = f"treewright_{request.url.port or 80}"
        given = request.query_params.get("token")
        if given is not None and self._is_token(given):
            clean = URL(scope=scope).remove_query_params("token")
            place = f"{clean.path}?{clean.query}" if clean.query else clean.path
            # two slashes would begin the name of another host
            answer = RedirectResponse(f"/{place.lstrip('/')}", 303)
            answer.set_cookie(cookie, self._token, httponly=True, samesite="strict")
            return answer
        if self._is_token(request.cookies.get(cookie, "")):
            return None
        return _refused("Open the address that treewright workbench printed: it has the token.")

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self._token.encode())


def _refused(why: str) -> Response:
    return PlainTextResponse(f"{why}\n", 403)


def is_host_allowed(header: str, host: str) -> bool:
    """Say whether a browser may call the workbench by this name.

    A page of another host may have a name of its own that leads here. So only loopback names and
    the one that is listened to are answered; who listens everywhere is called by numbers.

    >>> is_host_allowed("127.0.0.1:8000", "127.0.0.1"), is_host_allowed("[::1]:8000", "127.0.0.1")
    (True, True)
    >>> is_host_allowed("evil.example:8000", "127.0.0.1"), is_host_allowed("", "127.0.0.1")
    (False, False)
    >>> is_host_allowed("192.0.2.7", "127.0.0.1"), is_host_allowed("192.0.2.7", "0.0.0.0")
    (False, True)
    """
    name, colon, port = header.rpartition(":")
    if not colon or not port.isdecimal():
        name = header
    name = name.lower().removeprefix("[").removesuffix("]")
    if name in _LOOPBACK or (name and name == host.lower()):
        return True
    if host not in _EVERYWHERE:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

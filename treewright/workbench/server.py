"""Serving the workbench."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Sequence

import uvicorn
from starlette.responses import Response

from grammar.errors import OptionError
from treewright.terminal import say, show
from treewright.workbench.application import application
from treewright.workbench.jobs import Jobs
from treewright.workbench.opened import Opened

__all__ = ["serve"]


def serve(
    sources: Sequence[str], *, host: str, port: int, encoding: str = "utf-8", quiet: bool = False
) -> None:
    """Open files and answer browsers until an interrupt.

    Parameters
    ----------
    sources : sequence of str
        Files, and whatever else readers know by a name.
    host, port
        Where to listen; port 0 is any that is free.
    encoding : str
        Of files of text.
    quiet : bool
        Whether to print the address alone.

    Raises
    ------
    OptionError
        If nothing can listen there.
    TreewrightError
        As readers of the files do.
    """
    listening = _listen(host, port)
    opened = Opened()
    for source in sources:
        opened.add(source, encoding=encoding)
        say(f"opened {source}", quiet=quiet)
    token = secrets.token_urlsafe(24)
    shown = f"[{host}]" if ":" in host else host
    show(f"http://{shown}:{listening.getsockname()[1]}/?token={token}")
    say("open this address in a browser; Ctrl-C ends the workbench", quiet=quiet)
    jobs = Jobs[Response]()
    config = uvicorn.Config(
        application(opened, token, host, jobs=jobs),
        lifespan="off", ws="none", http="h11", loop="asyncio",
        log_level="error", access_log=False, server_header=False,
        # names and addresses in headers of others are not those of the browser
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )  # fmt: skip
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        jobs.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        number = error.errno or 0
        # negative ones are of names of hosts
        why = os.strerror(number) if number > 0 else error.strerror
        raise OptionError(
            f"nothing can listen there: {why}",
            where=f"{host}:{port}",
            hint="leave --host out, and give another --port, or 0 for any that is free",
        ) from None

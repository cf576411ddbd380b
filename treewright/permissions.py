"""What a run of the command line allows: the options for it, and all that a person wrote.

A verb takes the options that files given to it may need. What they say holds where requests are
made (:mod:`grammar.storage.permissions`), so verbs need not look at them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from treewright.terminal import say

if TYPE_CHECKING:
    from grammar.storage.permissions import Permissions

__all__ = ["ADDRESS", "VARIABLE", "AllowNetwork", "Asked", "Key", "MaxRequests", "allowed_by"]

ADDRESS, VARIABLE = "URL", "VARIABLE"
"""The metavars of an address and of an environment variable, which are no files."""

AllowNetwork = Annotated[
    bool,
    typer.Option(
        "--allow-network", help="Read addresses, and fetch models, that the given files name."
    ),
]
Asked = Annotated[
    str | None,
    typer.Option(
        "--endpoint", metavar=ADDRESS, help="Ask this endpoint where the given files name one."
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key", metavar=VARIABLE, help="Send that endpoint the value of this variable as its key."
    ),
]
MaxRequests = Annotated[
    int | None,
    typer.Option(
        "--max-requests",
        min=0,
        help="So many requests may be sent to endpoints, 1,000 if nothing is said; for more you "
        "are asked.",
    ),
]


def allowed_by(params: Mapping[str, Any]) -> Permissions:
    """Return what the arguments of a verb allow: what they say, and all addresses in them."""
    from grammar.storage.permissions import MAX_REQUESTS, Permissions

    most = params.get("max_requests")
    # an endpoint that is allowed is none that was typed for a method, and gets no key by itself
    each = [value for name, value in params.items() if name not in ("endpoint", "key")]
    written = (one for v in each for one in (v if isinstance(v, list | tuple) else [v]))
    return Permissions(
        network=bool(params.get("allow_network")),
        endpoint=params.get("endpoint"),
        key=params.get("key"),
        max_requests=MAX_REQUESTS if most is None else most,
        confirm=_confirmed if _is_watched() else None,
        named={one for one in written if isinstance(one, str) and one},
        counted=[],
    )


def _is_watched() -> bool:
    streams = sys.stdin, sys.stderr
    return all(one is not None and not one.closed and one.isatty() for one in streams)


def _confirmed(what: str) -> bool:
    """Ask the person at the terminal."""
    say(f"{what}. Go on? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")

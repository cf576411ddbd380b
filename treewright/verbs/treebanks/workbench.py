"""The verb workbench: treebanks and grammars in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from treewright.console import Quiet

__all__ = ["workbench"]

_NEEDED = ("starlette", "jinja2", "uvicorn", "python_multipart")


def workbench(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES]...",
            help="Treebanks, tables of texts, and saved grammars, told apart by what they are; "
            "nltk:NAME, a treebank of NLTK's data; by default embedded, the small treebank that "
            "ships. More can be opened from the first page.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen; 0 is any port that is free.")
    ] = 8765,
    host: Annotated[
        str,
        typer.Option(
            help="The address to listen to. Any but the default lets other machines ask, who need "
            "the token; what they send and get is not encrypted."
        ),
    ] = "127.0.0.1",
    encoding: Annotated[str, typer.Option(help="Encoding of files of text.")] = "utf-8",
    quiet: Quiet = False,
) -> None:
    """Look at treebanks and grammars in a browser: search, parse, sample, compare.

    It prints an address of this machine, with a token that keeps others out.

    Example: treewright workbench embedded wsj.json
    """
    from importlib.util import find_spec

    from grammar.errors import MissingDataError, to_install

    if any(find_spec(name) is None for name in _NEEDED):
        raise MissingDataError(
            "the workbench needs a web server, which is not installed",
            hint=to_install("web"),
        )
    from treewright.workbench.server import serve

    serve(files or ["embedded"], host=host, port=port, encoding=encoding, quiet=quiet)

"""Where the verbs of classify may write."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["check_other"]


def check_other(output: str, inputs: Iterable[str], *, force: bool) -> None:
    """Refuse to write over an input, or over anything unless that is asked for (OptionError)."""
    from grammar.errors import OptionError, OutputError

    place = Path(output)
    if not place.parent.is_dir():
        raise OutputError("there is no folder to write it to", where=output, hint="make it first")
    for name in inputs:
        if place.resolve() == Path(name).resolve():
            raise OptionError("the output is the input", where=output, hint="use another name")
    if place.is_file() and not force:
        raise OptionError("the output exists", where=output, hint="use --force to replace it")

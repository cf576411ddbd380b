"""What is printed: UTF-8 wherever it is kept, and no control characters on a terminal."""

from __future__ import annotations

import io
import os
import re
import sys
from typing import TextIO

__all__ = ["prepare_streams", "say", "show"]

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""The last ones change the order in which others are shown: *exe.txt* may be *txt.exe*."""
_NO_LOCALE = ("ascii", "ansi_x3.4-1968", "646")


def show(text: object, stream: TextIO | None = None) -> None:
    """Print a result, to standard output or another stream.

    A terminal obeys control characters: texts of others could change its title, hide what was
    written, or worse. So there they are shown by their numbers; files and pipes get them as they
    are.
    """
    stream = sys.stdout if stream is None else stream
    print(visible(str(text)) if stream.isatty() else text, file=stream)


def say(text: str, *, quiet: bool = False) -> None:
    """Say something to the person, beside the result."""
    if not quiet:
        show(text, sys.stderr)
        sys.stderr.flush()


def visible(text: str) -> str:
    r"""Return a text with its control characters, except tabs and ends of lines, as numbers.

    >>> visible("caf\u00e9\x1b[2J\n"), visible("a\u202etxt.exe")
    ('café\\x1b[2J\n', 'a\\u202etxt.exe')
    """
    return _CONTROL.sub(_number, text)


def _number(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def prepare_streams() -> None:
    """Let standard output and error take any text: as UTF-8, unless the person chose otherwise.

    A terminal of another encoding keeps it: a character that it cannot show gets its number.
    """
    if sys.stdout is None or sys.stderr is None:  # they are closed
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        chosen = "PYTHONIOENCODING" in os.environ
        shown = stream.isatty() and stream.encoding.lower() not in _NO_LOCALE
        stream.reconfigure(encoding=None if chosen or shown else "utf-8", errors="backslashreplace")

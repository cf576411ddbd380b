"""A file that a browser sends: bounded, kept in a folder of its own, and read like any other."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from starlette.datastructures import UploadFile
from starlette.requests import Request

from grammar.errors import OptionError

__all__ = ["MOST_BYTES", "Uploads"]

MOST_BYTES = 32 << 20
_OF_THE_FORM = 10_000
"""What the form needs around the file."""
_CHUNK = 1 << 20


class Uploads:
    """The folder of files that browsers sent; it is deleted at the end."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="treewright-workbench-")
        self._count = 0

    async def keep(self, request: Request) -> tuple[str, str, int]:
        """Write the file of a request; return its path, the name a person gave it, and its number.

        Raises
        ------
        OptionError
            If there is no file, it has no name, or it is too large.
        """
        size = request.headers.get("content-length", "")
        if not size.isdecimal() or int(size) > MOST_BYTES + _OF_THE_FORM:
            raise OptionError(
                f"the file has more than {MOST_BYTES >> 20} MB",
                hint="give large files when the workbench starts: treewright workbench FILE",
            )
        async with request.form(max_files=1, max_fields=4) as form:
            return await self._written(form.get("file"))

    async def _written(self, file: Any) -> tuple[str, str, int]:
        name = safe_name(file.filename or "") if isinstance(file, UploadFile) else ""
        if not name:
            raise OptionError("there is no file", hint="choose one, and then send it")
        self._count += 1
        folder = Path(self._folder.name) / str(self._count)
        folder.mkdir()
        with open(folder / name, "xb") as written:
            while chunk := await file.read(_CHUNK):
                written.write(chunk)
        return str(folder / name), name, int(folder.name)


def safe_name(given: str) -> str:
    r"""Return the name of a file without what would lead to another folder.

    >>> safe_name("trees.mrg"), safe_name("../../etc/pass*wd"), safe_name("C:\\a\\.b c.json")
    ('trees.mrg', 'pass-wd', 'b-c.json')
    >>> safe_name("..")
    ''
    """
    last = re.split(r"[/\\]", given)[-1]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", last).lstrip("-.")
    return plain[-80:].lstrip("-.")

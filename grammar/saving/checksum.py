"""Seals: saved files hold a digest of their content, so that it is seen if they were changed.

A file is written with a seal of zeros, which then gives way to the digest of what was written. It
guards against discs and transfers, not against people, who can seal what they like: what kernels
read is checked besides (:mod:`grammar.saving.array_checks`).
"""

from __future__ import annotations

import hashlib
import mmap
import re
from pathlib import Path

from grammar.errors import SchemaError

__all__ = ["UNSEALED", "check_file", "check_seal", "sealed"]

UNSEALED = "treewright sha256 " + "0" * 64
"""What stands in a file for its seal until there is one; anywhere, any number of times."""
_MARK = b"treewright sha256 "
_SEAL = re.compile(_MARK + rb"[0-9a-f]{64}")


def sealed(data: bytes) -> bytes:
    """Return the content of a file with its seal in the place of :data:`UNSEALED`.

    >>> data = sealed(f'{{"seal": "{UNSEALED}", "words": 3}}'.encode())
    >>> check_seal(data, "g.json")
    >>> check_seal(data.replace(b"3", b"4"), "g.json")
    Traceback (most recent call last):
    ...
    grammar.errors.SchemaError: g.json: the file is not as it was saved: its seal does not fit
      hint: fetch or make it again; where it was changed on purpose, take its seal out
    """
    return data.replace(UNSEALED.encode(), _seal_of(hashlib.sha256(data)))


def check_seal(data: bytes | mmap.mmap, source: str) -> None:
    """Refuse a file whose seal does not fit what it holds; one without a seal is as it is.

    Raises
    ------
    SchemaError
        If it was changed after it was saved.
    """
    begin = data.find(_MARK)  # faster than a search for the pattern, for most is no seal
    first = _SEAL.search(data, begin) if begin >= 0 else None
    if first is None:
        return
    seal, at = bytes(first.group()), 0
    digest = hashlib.sha256()
    view = memoryview(data)
    with view:
        while (found := data.find(seal, at)) >= 0:
            digest.update(view[at:found])
            digest.update(UNSEALED.encode())
            at = found + len(seal)
        digest.update(view[at:])
    if _seal_of(digest) != seal:
        raise SchemaError(
            "the file is not as it was saved: its seal does not fit",
            where=source,
            hint="fetch or make it again; where it was changed on purpose, take its seal out",
        )


def check_file(path: Path, source: str) -> None:
    """Check the seal of a file that is not empty (raises like :func:`check_seal`)."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        check_seal(data, source)


def _seal_of(digest: hashlib._Hash) -> bytes:
    return f"treewright sha256 {digest.hexdigest()}".encode()

"""The place that a name leads to."""

from __future__ import annotations

import os
import re

from grammar.storage.local import Local
from grammar.storage.location import PathLike, Place, is_url
from grammar.storage.permissions import check_network
from grammar.storage.store import Stored

__all__ = ["place_of"]

_HERE = re.compile(r"(?:file|local)://", re.IGNORECASE)


def place_of(path: PathLike) -> Place:
    """Return the place of a name: of a URL in an object store, else of this machine.

    Raises
    ------
    NotAllowedError
        If it is a URL that a file names, and this run does not.
    OptionError
        If no file can have such a name.

    Examples
    --------
    >>> place_of("a.jsonl").identity == place_of("file://" + os.path.abspath("a.jsonl")).identity
    True
    """
    if not is_url(path):
        return Local(path)
    url = os.fspath(path)
    check_network(url)
    here = _HERE.match(url)
    return Stored(url) if here is None else Local(url[here.end() :])

"""Where data lies: NLTK corpora on NLTK's own search path, other corpora under TREEWRIGHT_DATA."""

from __future__ import annotations

import os
from pathlib import Path

from grammar.errors import MissingDataError

__all__ = ["data_file", "embedded_file"]


def data_file(relative: str) -> Path:
    """Return the path of a corpus file below the folder named by ``TREEWRIGHT_DATA``.

    Raises
    ------
    MissingDataError
        If the variable is not set, or the file is not there.
    """
    folder = os.environ.get("TREEWRIGHT_DATA")
    if not folder:
        raise MissingDataError(
            f"cannot look for {relative}: the variable TREEWRIGHT_DATA is not set",
            hint="set TREEWRIGHT_DATA to the folder that holds the corpora",
        )
    path = Path(folder) / relative
    if not path.exists():
        raise MissingDataError(
            "no such corpus file",
            where=str(path),
            hint="put the corpus there, or point TREEWRIGHT_DATA at the folder that holds it",
        )
    return path


def embedded_file(name: str) -> Path:
    """Return the path of a file that ships inside the package."""
    return Path(__file__).parent.parent / "embedded" / name

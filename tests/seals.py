"""Seals taken out of saved files, for tests that change what is in these."""

import re
from pathlib import Path

__all__ = ["without_seal"]


def without_seal(path: Path) -> str:
    """Return the text of a saved grammar as it may be changed on purpose."""
    return re.sub(r'"seal": "[^"]*", ', "", path.read_text("utf-8"))

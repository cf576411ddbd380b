"""What a format is, for those that try it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Format", "Make", "Use"]

Make = Callable[[Path], Any]
Use = Callable[[Path], Any]


@dataclass(frozen=True)
class Format:
    """A format: the name of its file, what writes a small one, and what reads and uses it."""

    name: str
    make: Make
    use: Use

"""What a format is, for those that try it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from tests.fuzz.damage import damaged
from tests.fuzz.structure import restructured

__all__ = ["Damage", "Format", "Make", "Use"]

Make = Callable[[Path], Any]
Use = Callable[[Path], Any]
Damage = Callable[[bytes, str, int], bytes]


@dataclass(frozen=True)
class Format:
    """A format: the name of its file, what writes a small one, and what reads and uses it.

    ``damage`` makes of the bytes of a file, its name and a number those of a damaged one.
    """

    file: str
    make: Make
    use: Use
    damage: Damage = damaged

    @property
    def name(self) -> str:
        """What it is called in the table."""
        return self.file if self.damage is damaged else f"{self.file}, fields"

    @property
    def fields(self) -> Self:
        """The same format, one field of which is changed."""
        return replace(self, damage=restructured)

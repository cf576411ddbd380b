"""What a format is, for those that try it.

To add one, yield another :class:`Format` in the module of its kind: :mod:`tests.fuzz.formats`
(corpora, texts, grammars), :mod:`tests.fuzz.kept` (states, settings, models) or
:mod:`tests.fuzz.folders` (one file of a folder, by ``member``). ``make`` writes a small file, and
``use`` does all with it that a person does. The file is damaged as it stands and, as
``NAME, fields``, in its fields: :mod:`tests.fuzz.structure` takes it apart by the end of its name,
so a new kind of content needs a function there. The table, ``make fuzz`` and the tests then have
both.
"""

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

    ``damage`` makes of the bytes of a file, its name and a number those of a damaged one. Of what
    is ``slow``, as it samples or opens a model, tests try fewer.
    """

    file: str
    make: Make
    use: Use
    damage: Damage = damaged
    slow: bool = False

    @property
    def name(self) -> str:
        """What it is called in the table."""
        return self.file if self.damage is damaged else f"{self.file}, fields"

    @property
    def fields(self) -> Self:
        """The same format, one field of which is changed."""
        return replace(self, damage=restructured)

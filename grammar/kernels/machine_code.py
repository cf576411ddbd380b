"""Files of machine code that lie next to the package: one for each level of processors.

A file is :data:`MAGIC`, the length of a JSON header in eight bytes, the header, and what numba
keeps of each compiled kernel. It is executed, so it is held to what holds for the modules beside
it: nobody else may be able to write it. It is used by the numba, llvmlite, Python and sources that
it was made with, and not by others.
"""

from __future__ import annotations

import functools
import hashlib
import json
import mmap
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding
import numba

from grammar.kernels.ownership import writable_by_others
from grammar.kernels.processors import Level, fitting_levels
from grammar.kernels.sources import digest_of
from grammar.messages import tell

__all__ = ["MAGIC", "MachineCode", "code_in", "key_of", "made_with", "path_of", "usable_code"]

MAGIC = b"treewright machine code 1\n"
PARTS = {"made_with", "sources", "modules", "code"}
"""What a header holds."""


def key_of(function: Callable[..., Any], signature: Any) -> str:
    """Return the name of the code of a function for arguments of some types."""
    line = function.__code__.co_firstlineno
    types = ", ".join(kind.name for kind in signature)
    return f"{function.__module__}.{function.__qualname__}:{line}({types})"


def path_of(level: Level) -> Path:
    """Return where the file of a level lies."""
    return Path(__file__).parent / f"{level.name}.{sys.implementation.cache_tag}.kernels"


def made_with(level: Level) -> dict[str, str]:
    """Return what the code of a level must have been made with to run here."""
    return {
        "level": level.name,
        "machine": llvmlite.binding.get_process_triple(),
        "python": str(sys.implementation.cache_tag),
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }


@dataclass(eq=False)
class MachineCode:
    """The machine code of one file.

    Attributes
    ----------
    path : Path
        The file.
    data : memoryview
        All that it holds, mapped.
    begin : int
        Where the header ends.
    header : mapping
        ``made_with``; the digest of each source (``sources``); by module, the sources that its
        kernels are made of (``modules``); and by kernel, its module, begin, length and digest
        (``code``).
    """

    path: Path
    data: memoryview
    begin: int
    header: Mapping[str, Any]
    _current: dict[str, bool] = field(default_factory=dict)
    _has_told: bool = False

    @classmethod
    def opened(cls, path: Path) -> MachineCode:
        """Open a file (raises ValueError if it is damaged, OSError if it cannot be read)."""
        with path.open("rb") as file:
            # a run needs a tenth of it; files are replaced, and never written into
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        begin = len(MAGIC) + 8
        if data[: len(MAGIC)] != MAGIC:
            raise ValueError("it is no file of machine code")
        end = begin + int.from_bytes(data[len(MAGIC) : begin], "little")
        header = json.loads(bytes(data[begin:end]))
        if not isinstance(header, dict) or set(header) != PARTS:
            raise ValueError("its header is damaged")
        return cls(path, data, end, header)

    def find(self, key: str, module: str) -> bytes | None:
        """Return what numba keeps of a kernel; None if it is not here, or of other sources."""
        entry = self.header["code"].get(key)
        if entry is None or not self.is_current(module):
            return None
        _, begin, length, digest = entry
        code = bytes(self.data[self.begin + begin : self.begin + begin + length])
        if hashlib.sha256(code).hexdigest() != digest:
            tell(f"{self.path} is damaged at {key}, which is compiled: treewright compile mends it")
            return None
        return code

    def is_current(self, module: str) -> bool:
        """Say whether the sources of a module's kernels are those that were compiled."""
        known = self._current.get(module)
        if known is None:
            sources = self.header["modules"].get(module, [])
            other = [each for each in sources if digest_of(each) != self.header["sources"][each]]
            known = self._current[module] = bool(sources) and not other
            if other:
                self._tell_of(other[0])
        return known

    def is_whole(self) -> bool:
        """Say whether all its code is of the sources that are here."""
        return all(map(self.is_current, self.header["modules"]))

    def _tell_of(self, source: str) -> None:
        if not self._has_told:  # one cause, and one cure, for all that is of other sources
            self._has_told = True
            tell(
                f"the machine code in {self.path} is not of the {source} that is here: such kernels"
                " are compiled; treewright compile compiles them once for all"
            )


@functools.cache
def usable_code() -> MachineCode | None:
    """Return the machine code for the highest level that fits here, and tell why one is not used.

    Returns
    -------
    MachineCode or None
        None where no file fits.
    """
    for level in fitting_levels():
        path = path_of(level)
        if path.exists():
            found = code_in(path, level)
            if isinstance(found, MachineCode):
                return found
            tell(
                f"the machine code in {path} is not used, and kernels are compiled: {found};"
                " treewright compile makes it again"
            )
            return None
    return None


def code_in(path: Path, level: Level) -> MachineCode | str:
    """Return the machine code of a level in a file, or the reason why it must not be used."""
    reason = writable_by_others(path)
    if reason is not None:
        return reason
    try:
        found = MachineCode.opened(path)
    except (ValueError, OSError) as error:
        return str(error)
    made, here = found.header["made_with"], made_with(level)
    for name, value in here.items():
        if made.get(name) != value:
            return f"it is of {name} {made.get(name)}, and here is {value}"
    return found

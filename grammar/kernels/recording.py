"""Machine code that this process compiles or uses, collected into a file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from grammar.kernels.machine_code import MAGIC, MachineCode, made_with
from grammar.kernels.processors import Level
from grammar.kernels.sources import digest_of

__all__ = ["Recorder", "merge", "record", "recorder"]

_RECORDERS: list[Recorder] = []


def recorder() -> Recorder | None:
    """Return what collects machine code in this process, if anything does."""
    return _RECORDERS[0] if _RECORDERS else None


def record() -> Recorder:
    """Collect from now on, in place of keeping code in numba's cache."""
    _RECORDERS[:] = [Recorder()]
    return _RECORDERS[0]


class Recorder:
    """Collects the machine code of kernels.

    Attributes
    ----------
    code : dict of str to (str, bytes)
        The module and what numba keeps, by the name of the kernel and the types of its arguments.
    modules : dict of str to list of str
        By module, the sources of its kernels.
    sources : dict of str to str
        The digest of each source, as it was when code of it came first.
    """

    def __init__(self) -> None:
        self.code: dict[str, tuple[str, bytes]] = {}
        self.modules: dict[str, list[str]] = {}
        self.sources: dict[str, str] = {}

    def add(self, key: str, module: str, sources: list[str], code: bytes) -> None:
        """Add the code of a kernel of a module that has these sources."""
        if sources:  # else it is not of these packages
            self.modules[module] = sources
            self.sources |= {each: digest_of(each) for each in sources}
            self.code[key] = module, code

    def write(self, path: Path, level: Level) -> None:
        """Write the file of a level."""
        entries, blobs, begin = {}, [], 0
        for key in sorted(self.code):
            module, blob = self.code[key]
            entries[key] = [module, begin, len(blob), hashlib.sha256(blob).hexdigest()]
            blobs.append(blob)
            begin += len(blob)
        header = json.dumps(
            {
                "made_with": made_with(level),
                "sources": self.sources,
                "modules": self.modules,
                "code": entries,
            },
            sort_keys=True,
        ).encode()
        path.write_bytes(b"".join([MAGIC, len(header).to_bytes(8, "little"), header, *blobs]))


def merge(parts: Iterable[Path], level: Level, path: Path) -> int:
    """Write the code of several files that is of these sources into one.

    Returns
    -------
    int
        How many kernels the file has.
    """
    whole = Recorder()
    for part in parts:
        found = MachineCode.opened(part)
        for key, (module, begin, length, _) in found.header["code"].items():
            if found.is_current(module):
                code = found.data[found.begin + begin : found.begin + begin + length]
                whole.add(key, module, found.header["modules"][module], bytes(code))
    whole.write(path, level)
    return len(whole.code)

"""Models in GGUF, written out once: a sealed folder of safetensors in the cache of the person.

To read quantised weights takes a library most of a minute; the folder is mapped in a second. It is
known by a digest of the file that it was made of, and by the libraries that read it. A folder that
others may write to is not used, nor one that is damaged: then the file is read again.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import os
from collections.abc import Callable
from pathlib import Path

from grammar.errors import OutputError, SchemaError
from grammar.kernels.ownership import writable_by_others
from grammar.messages import tell
from grammar.saving.folders import FACTS, read_facts, save_folder
from grammar.storage.local import cache_folder

__all__ = ["DequantisedCopy"]

_SCHEMA = "treewright.dequantised/1"
_LIBRARIES = ("gguf", "transformers")
"""What reads the weights: another version may read them otherwise."""


class DequantisedCopy:
    """The folder in the cache that holds a model in GGUF as safetensors.

    Parameters
    ----------
    source : path
        The file in GGUF.
    """

    def __init__(self, source: Path) -> None:
        with open(source, "rb") as file:
            held = hashlib.file_digest(file, "sha256")
        for library in _LIBRARIES:
            held.update(f" {library} {importlib.metadata.version(library)}".encode())
        self.folder = cache_folder() / "models" / held.hexdigest()[:32]

    def usable(self) -> bool:
        """Say whether it is there, and whole as far as its facts tell, and nobody else's."""
        if not os.path.lexists(self.folder / FACTS):
            return False
        if why := writable_by_others(self.folder / FACTS):
            tell(f"the model kept in {self.folder} is not used: {why}")
            return False
        try:
            read_facts(self.folder, _SCHEMA, "a model", "opening it again")
        except SchemaError:
            return False
        return True

    def keep(self, write: Callable[[Path], object]) -> None:
        """Let a model be written into it; where that cannot be, tell it.

        Parameters
        ----------
        write : callable
            Writes the files into a folder.
        """

        def written(folder: Path) -> dict[str, str]:
            write(folder)
            return {}

        try:
            with contextlib.suppress(FileExistsError):
                self.folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            save_folder(self.folder, _SCHEMA, written, renewed=True)
        except (OSError, OutputError) as error:
            why = error.what if isinstance(error, OutputError) else error.strerror
            tell(f"the opened model cannot be kept, so each run opens it anew: {why}")

"""Units of work: what a worker is told, in names and numbers alone.

A unit names files by their digests, what is to be done with them, and which part of it. So it is
the same work in a thread, in another process or on another machine, now or once more after its
worker was killed. What is made in bulk goes to a file, and its name and digest come back.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar.errors import EngineError, SchemaError, TreewrightError, UnreadableInputError
from grammar.files import PathLike
from grammar.storage.permissions import Permissions, current, in_force

__all__ = ["Answer", "Kept", "Unit", "answer_of", "opened", "result_of"]

Answer = tuple[bool, Any]
"""Whether a unit was done, and then its result, else the error."""


@dataclass(frozen=True)
class Kept:
    """A file that was written for workers: where it is, and the SHA-256 of what it holds."""

    path: str
    sha256: str

    @classmethod
    def of(cls, path: PathLike) -> Kept:
        """Return the name of a file (raises UnreadableInputError)."""
        try:
            with open(path, "rb") as file:
                return cls(str(path), hashlib.file_digest(file, "sha256").hexdigest())
        except OSError as error:
            raise UnreadableInputError(
                f"cannot read the file: {error.strerror}",
                where=str(path),
                hint="all workers must see the folder of the output",
            ) from None

    def checked(self) -> Path:
        """Return the path, having seen that the file is as it was written.

        Raises
        ------
        UnreadableInputError
            If it cannot be read.
        SchemaError
            If it was changed.
        """
        if Kept.of(self.path) != self:
            raise SchemaError(
                "the file was changed while it was worked with", where=self.path, hint="start over"
            )
        return Path(self.path)


@dataclass(frozen=True, eq=False)
class Unit:
    """A part of some work; calling it does it.

    Attributes
    ----------
    task : str
        ``module:function``; the function takes the unit.
    given : tuple of Kept
        Saved grammars and corpora.
    part : mapping
        Of what, and how: plain values.
    first, count : int
        From which number on, and how many.
    rows : tuple of arrays
        What a stream has already found out about them.
    out : str
        The file that bulk goes to.
    allowed : Permissions
        What the run allows; by default that of where the unit is made.

    Examples
    --------
    >>> str(Unit("builtins:str", first=5, count=10))
    'str of 5 to 14'
    """

    task: str
    given: tuple[Kept, ...] = ()
    part: Mapping[str, Any] = field(default_factory=dict)
    first: int = 0
    count: int = 0
    rows: tuple[NDArray[Any], ...] = ()
    out: str = ""
    allowed: Permissions = field(default_factory=current)

    def __str__(self) -> str:
        of = "".join(f"{Path(kept.path).name}, " for kept in self.given)
        name = self.task.partition(":")[2]
        return f"{name} of {of}{self.first:,} to {self.first + self.count - 1:,}"

    def get_ready(self) -> None:
        """Import what does it, which takes longer than many units; faults are told later."""
        with suppress(Exception):
            importlib.import_module(self.task.partition(":")[0])

    def __call__(self) -> Any:
        """Do it, and return what came of it."""
        module, _, name = self.task.partition(":")
        with in_force(self.allowed):
            return getattr(importlib.import_module(module), name)(self)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The numbers of the part."""
        return np.arange(self.first, self.first + self.count, dtype=np.int64)


@functools.lru_cache(maxsize=16)
def opened(kept: Kept, how: Callable[[Path], Any]) -> Any:
    """Open a file once in each worker.

    Parameters
    ----------
    kept : Kept
        The file.
    how : callable
        A function of a module, which takes the path.

    Raises
    ------
    SchemaError, UnreadableInputError
        As :meth:`Kept.checked`, or as ``how``.
    """
    return how(kept.checked())


def answer_of(unit: Unit) -> Answer:
    """Do a unit where errors cannot be raised to who asked for it."""
    try:
        return True, unit()
    except TreewrightError as error:
        return False, error
    except Exception as error:  # whoever asked hears what happened, and where
        what = f"{type(error).__name__}: {error}"
        return False, EngineError(f"a worker failed: {what}", where=str(unit))


def result_of(answer: Answer) -> Any:
    """Return the result of an answer, or raise its error."""
    done, value = answer
    if not done:
        raise value
    return value

"""Engines: one ordered map over units of work, wherever they are done.

Results come in the order of the units, so nothing depends on the engine or on how many workers it
has. A unit whose worker was killed is done once more.
"""

from __future__ import annotations

import importlib
import itertools
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from grammar.engines.units import Kept, Unit
from grammar.files import PathLike, made_folder
from grammar.options import named, whole_number

__all__ = ["AHEAD", "ATTEMPTS", "ENGINES", "STARTS", "Engine", "in_order", "open_engine"]

ATTEMPTS = 3
"""A unit that so many workers died of is given up."""

STARTS = 10
"""A unit that so many workers had not even begun when they died is given up, too."""

AHEAD = 3
"""So many units a worker are under way at a time, that none waits, and no long work is held."""

ENGINES: Mapping[str, str] = MappingProxyType(
    {
        "threads": "grammar.engines.threads:Threads",
        "processes": "grammar.engines.processes:Processes",
        "ray": "grammar.engines.ray_tasks:RayTasks",
    }
)
"""The engines by name, each with its class, which is imported when it is asked for."""


class Engine(ABC):
    """Workers that do units.

    Attributes
    ----------
    workers : int
        How many.
    folder : Path
        Where files for workers, and of workers, lie; all workers see it.
    apart : bool
        Whether workers share no memory with this process, so that they take units alone.
    """

    apart: bool = True

    def __init__(self, workers: int, folder: Path) -> None:
        self.workers = workers
        self.folder = folder
        self._numbers = itertools.count()

    @abstractmethod
    def map(self, units: Iterable[Unit]) -> Iterator[Any]:
        """Do units, and yield their results in order.

        Raises
        ------
        EngineError
            If a unit made its workers die, or raised what is no error of ours; its name is given.
        TreewrightError
            What a unit raised.
        """

    def close(self) -> None:  # noqa: B027
        """Let all workers go."""

    def new_file(self, suffix: str = ".arrow") -> str:
        """Return the name of a file that a unit may write."""
        return str(self.folder / f"{next(self._numbers):06}{suffix}")

    def keep(self, save: Callable[[str], object], suffix: str = ".arrow") -> Kept:
        """Write a file for workers, by a function that takes its path, such as ``grammar.save``."""
        path = self.new_file(suffix)
        save(path)
        return Kept.of(path)


@contextmanager
def open_engine(
    name: str = "processes", workers: int = 1, folder: PathLike | None = None
) -> Iterator[Engine]:
    """Give an engine, which is closed behind the ``with`` statement.

    Parameters
    ----------
    name : {"threads", "processes", "ray"}
        Threads of this process; processes of this machine; tasks of Ray, on the cluster that
        ``RAY_ADDRESS`` names, else on this machine.
    workers : int
        How many.
    folder : path, optional
        In it a folder is made for files between workers, and removed in the end; of a cluster, all
        machines must see it. By default, where temporary files are.

    Raises
    ------
    OptionError
        If there is no such engine, or the number of workers is below one.
    MissingDataError
        If the library of the engine is not installed.
    OutputError
        If the folder cannot be made.

    Examples
    --------
    >>> with open_engine("threads", workers=2) as engine:
    ...     list(engine.map(Unit("builtins:str", first=5 * k, count=5) for k in range(2)))
    ['str of 0 to 4', 'str of 5 to 9']
    """
    whole_number("workers", workers, 1)
    module, _, kind = named(name, ENGINES, "engine").partition(":")
    found = getattr(importlib.import_module(module), kind)
    within = None if folder is None else made_folder(folder).absolute()
    own = Path(tempfile.mkdtemp(prefix="units-", dir=within))
    try:
        engine: Engine = found(workers, own)
        try:
            yield engine
        finally:
            engine.close()
    finally:
        shutil.rmtree(own, ignore_errors=True)


def in_order(
    tasks: Iterable[Any], begin: Callable[[Any], Any], end: Callable[[Any], Any], room: int
) -> Iterator[Any]:
    """Begin tasks ahead, as many as there is room for, and end each in its turn.

    >>> list(in_order("abc", str.upper, lambda begun: begun * 2, 2))
    ['AA', 'BB', 'CC']
    """
    rest = iter(tasks)
    waiting = deque(begin(task) for task in itertools.islice(rest, room))
    while waiting:
        yield end(waiting.popleft())
        waiting.extend(begin(task) for task in itertools.islice(rest, 1))

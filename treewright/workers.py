"""Who does the work of a verb: the options --workers and --engine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from grammar.engines.engine import Engine

__all__ = ["EngineName", "engine_for", "workers_beside"]

EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine",
        help="What workers are: threads (the default), processes, ray; it changes nothing.",
    ),
]


def engine_for(asked: str | None) -> str:
    """Return the engine that was asked for, else threads (raises OptionError).

    >>> engine_for(None), engine_for("ray")
    ('threads', 'ray')
    """
    from grammar.engines.engine import ENGINES
    from grammar.options import named

    if asked is None:
        return "threads"
    named(asked, ENGINES, "engine")
    return asked


@contextmanager
def workers_beside(output: str, name: str, workers: int) -> Iterator[Engine]:
    """Give an engine whose files lie in OUT.partial, which is locked meanwhile.

    Raises
    ------
    OutputError
        If another run is writing to the output.
    MissingDataError
        If the library of the engine is not installed.
    """
    from grammar.engines.engine import open_engine
    from sampling.pipeline.locking import owned_folder, unfinished_folder

    folder = unfinished_folder(output)
    with owned_folder(folder, output):
        for left_over in folder.glob("units-*"):  # of a run that was killed
            shutil.rmtree(left_over, ignore_errors=True)
        with open_engine(name, workers, folder) as engine:
            yield engine

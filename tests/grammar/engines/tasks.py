"""What workers are told to do in tests: they import it by its name."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from grammar.engines.units import Unit, opened
from grammar.errors import OptionError


def square(unit: Unit) -> int:
    return unit.first**2


def die_once(unit: Unit) -> int:
    """Be killed in the middle of the work, the first time that it is done."""
    mark = Path(unit.part["folder"]) / str(unit.first)
    if unit.first % 3 == 0 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return unit.first**2


def die(unit: Unit) -> int:
    with open(Path(unit.part["folder"]) / "deaths", "a") as deaths:
        deaths.write("one\n")
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def refuse(unit: Unit) -> int:
    raise OptionError("no", where=f"number {unit.first}", hint="yes")


def fail(unit: Unit) -> int:
    return unit.first // 0


def read(unit: Unit) -> str:
    return opened(unit.given[0], Path.read_text)


def own_process(unit: Unit) -> int:
    return os.getpid()

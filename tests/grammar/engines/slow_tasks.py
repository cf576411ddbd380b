"""A module that kills the first processes that import it, as many as a file says."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from grammar.engines.units import Unit

LEFT = Path(os.environ.get("TESTS_LATE", os.devnull))

if (left := int(LEFT.read_text() or 0)) > 0:
    rest = LEFT.with_name(f"{LEFT.name}-{os.getpid()}")
    rest.write_text(str(left - 1))
    os.replace(rest, LEFT)  # another that begins at this moment never finds an empty file
    os.kill(os.getpid(), signal.SIGKILL)


def done(unit: Unit) -> int:
    return unit.first

"""Tasks of Ray Core: units on all machines of a cluster, or of this one.

Ray itself does a task again whose worker died, and counts deaths of workers that had not even begun
with it; so each beginning leaves a mark in the folder of the output, and those are counted. Files
are named and not sent, so all machines must see that folder, and have the same version of this
toolkit.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from grammar.engines.engine import AHEAD, ATTEMPTS, STARTS, Engine, in_order
from grammar.engines.units import Answer, Unit, answer_of, result_of
from grammar.errors import EngineError, MissingDataError, to_install
from grammar.storage.permissions import check_network

__all__ = ["RayTasks"]

_LOOPBACK = "127.0.0.2"
"""Ray takes 127.0.0.1 for an address that others must be told; with this one it asks nobody."""


class RayTasks(Engine):
    """Units done by Ray; a program that has called ``ray.init`` itself keeps its cluster."""

    def __init__(self, workers: int, folder: Path) -> None:
        super().__init__(workers, folder)
        self._ray = _imported()
        self._starts = not self._ray.is_initialized()
        if self._starts:
            check_network("ray", named_by="--engine")  # not where only settings ask for a cluster
            self._start()
        once_more = self._ray.remote(num_cpus=1, max_retries=ATTEMPTS + STARTS)
        self._task = once_more(counted_answer)

    def map(self, units: Iterable[Unit]) -> Iterator[Any]:
        """Do units as tasks of Ray."""
        return in_order(units, self._begun, self._ended, AHEAD * self.workers)

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if self._starts:
            self._ray.shutdown()

    def _start(self) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
        known = "RAY_ADDRESS" in os.environ
        here = {
            "num_cpus": self.workers,
            "include_dashboard": False,
            "_node_ip_address": _LOOPBACK,
        }
        quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
        before = signal.getsignal(signal.SIGTERM)
        try:
            self._ray.init(**quiet, **({} if known else here))
        except Exception as error:  # of many kinds, and plain ones among them
            what = (str(error) or type(error).__name__).splitlines()[0]
            raise EngineError(
                f"Ray did not start: {what}",
                hint="see that RAY_ADDRESS names a cluster, if it is set; or use engine=processes",
            ) from None
        finally:  # Ray would end this process by its own handler
            if threading.current_thread() is threading.main_thread() and before is not None:
                signal.signal(signal.SIGTERM, before)

    def _begun(self, unit: Unit) -> tuple[Unit, Any]:
        return unit, self._task.remote(unit, self.new_file(".begun"))

    def _ended(self, begun: tuple[Unit, Any]) -> Any:
        unit, reference = begun
        try:
            return result_of(self._ray.get(reference))
        except self._ray.exceptions.RayError:
            raise EngineError.of_deaths(str(unit), ATTEMPTS + STARTS) from None


def counted_answer(unit: Unit, mark: str) -> Answer:
    """Do a unit, unless as many workers began with it as may die of it."""
    unit.get_ready()
    begun = len(list(Path(mark).parent.glob(f"{Path(mark).name}.*")))
    if begun == ATTEMPTS:
        return False, EngineError.of_deaths(str(unit), ATTEMPTS)
    Path(f"{mark}.{begun}").touch()
    answer = answer_of(unit)
    for number in range(begun + 1):
        Path(f"{mark}.{number}").unlink(missing_ok=True)
    return answer


def _imported() -> Any:
    try:
        import ray
    except ImportError:
        raise MissingDataError(
            "the engine ray needs Ray, which is not installed",
            hint=f"{to_install('ray')}, or use the engine processes",
        ) from None
    return ray

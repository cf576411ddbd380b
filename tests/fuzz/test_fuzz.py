"""No damaged file crashes or hangs a process, takes much memory, or ends in a stranger's error."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.fuzz.trial
from tests.fuzz.damage import damaged
from tests.fuzz.formats import FORMATS
from tests.fuzz.trial import Worker, outcome_of

INPUTS = 200


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_refused_or_read(worker: Worker, name: str) -> None:
    tally = worker.tried(name, range(INPUTS))
    assert tally.faults == {}
    assert tally.outcomes["refused"] > 0
    assert sum(tally.outcomes.values()) == INPUTS


def test_damage_is_a_function_of_its_number() -> None:
    data = b'{"text": "a film", "label": 12}\n' * 9
    changed = [damaged(data, "a.jsonl", number) for number in range(50)]
    assert changed == [damaged(data, "a.jsonl", number) for number in range(50)]
    assert len(set(changed)) > 40


def test_what_goes_wrong_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stranger(path: Path) -> None:
        raise LookupError("odd")

    assert outcome_of(stranger, tmp_path)[0] == "untyped"
    monkeypatch.setattr(tests.fuzz.trial, "LIMIT_BYTES", 1 << 20)
    # as much as the process ever had comes above that peak, whatever tests ran before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert outcome_of(lambda path: bytearray(peak), tmp_path)[0] == "memory"


def test_a_worker_that_dies_or_hangs_is_counted_and_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    worker = Worker()
    worker.tried("notation.txt", range(1))
    first = worker.process
    assert first is not None
    assert first.pid is not None
    os.kill(first.pid, signal.SIGSTOP)
    monkeypatch.setattr(tests.fuzz.trial, "LIMIT_SECONDS", 0.2)
    assert worker.answer("notation.txt", 0, 0.2)[0] == "hang"
    assert worker.process is None
    monkeypatch.undo()
    assert not worker.tried("notation.txt", range(3)).faults
    assert worker.process is not None
    os.kill(worker.process.pid or 0, signal.SIGKILL)
    worker.process.join()
    assert worker.answer("notation.txt", 1, 5.0)[0] == "crash"
    worker.close()

"""No damaged file crashes or hangs a process, takes much memory, or ends in a stranger's error."""

from __future__ import annotations

import json
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.fuzz.trial
from grammar.pcfg.grammar import Grammar
from grammar.saving.checksum import check_seal
from tests.fuzz.__main__ import line_of
from tests.fuzz.damage import damaged
from tests.fuzz.formats import FORMATS
from tests.fuzz.structure import restructured
from tests.fuzz.trial import FINE, Worker, outcome_of

INPUTS, FIELDS, FEWER = 200, 60, 12
"""Of each format: damaged bytes, changed fields, and those of formats that are slow to use."""


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    made = Worker()
    yield made
    made.close()


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_are_refused_or_read(worker: Worker, name: str) -> None:
    form = FORMATS[name]
    fields = FEWER if form.slow else FIELDS
    inputs = fields if form.damage is restructured else INPUTS
    tally = worker.tried(name, range(inputs))
    assert tally.faults == {}
    # most of few changed fields may be ones that a file can have, or that are made again
    assert tally.outcomes["refused"] > 0 or inputs < INPUTS
    assert sum(tally.outcomes.values()) == inputs


@pytest.mark.parametrize(
    ("name", "number"),
    [("mention-replacement.arrow", 2338), ("words.arrow", 3834), ("linda.json", 4010),
     ("parses.db", 870), ("fluent-learnt.arrow", 2454), ("fluent-learnt.arrow", 4962)],
)  # fmt: skip
def test_what_was_a_fault_is_none(worker: Worker, name: str, number: int) -> None:
    """Spans of more labels than pools, a null column, JSON nested deep, an error of no UTF-8.

    Names of classes that are no numbers, numbers of half the size. What a number damages moves when
    a field of the file gets another name, so the file may be one that can be read, too.
    """
    tally = worker.tried(name, range(number, number + 1))
    assert tally.faults == {}
    assert sum(tally.outcomes[fine] for fine in FINE) == 1


def test_damage_is_a_function_of_its_number() -> None:
    data = b'{"text": "a film", "label": 12}\n' * 9
    changed = [damaged(data, "a.jsonl", number) for number in range(50)]
    assert changed == [damaged(data, "a.jsonl", number) for number in range(50)]
    assert len(set(changed)) > 40


def test_changed_fields_are_a_function_of_their_number() -> None:
    data = json.dumps({"options": {"low": 0.1}, "names": ["a", "b"], "seed": 1}).encode()
    changed = [restructured(data, "a.json", number) for number in range(50)]
    assert changed == [restructured(data, "a.json", number) for number in range(50)]
    assert len(set(changed)) > 40


def test_a_file_whose_field_is_changed_has_a_seal_that_fits(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    Grammar.parse("S -> 'yes' [1/2] | 'no' S [1/2]").save(path)
    whole = path.read_bytes()
    for number in range(20):
        changed = restructured(whole, "g.json", number)
        assert changed != whole
        check_seal(changed, "g.json")


def test_a_format_that_is_done_is_not_tried_again(tmp_path: Path) -> None:
    line = {"inputs": 5, "refused": 3, "accepted": 2, "faults": 0}
    (tmp_path / "notation.txt.json").write_text(json.dumps(line))
    assert line_of("notation.txt", 7, tmp_path) == line


def test_what_goes_wrong_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stranger(path: Path) -> None:
        raise LookupError("odd")

    assert outcome_of(stranger, tmp_path)[0] == "untyped"
    monkeypatch.setattr(tests.fuzz.trial, "LIMIT_BYTES", 1 << 20)
    # as much as the process ever had comes above that peak, whatever tests ran before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert outcome_of(lambda path: bytearray(peak), tmp_path)[0] == "memory"


def test_a_worker_that_dies_or_hangs_is_counted_and_replaced(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
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

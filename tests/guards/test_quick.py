"""What make quick tries of a change."""

from __future__ import annotations

from tests.quick import all_tests, chosen


def test_tests_that_import_what_is_near_a_change_are_tried():
    found = chosen(["grammar/kernels/sources.py"], all_tests())
    assert "tests/grammar/kernels/test_machine_code.py" in found
    assert "grammar/kernels/sources.py" in found
    assert "tests/scan/test_scan_splits.py" not in found


def test_a_changed_test_is_tried_alone():
    assert chosen(["tests/guards/test_quick.py"], all_tests()) == ["tests/guards/test_quick.py"]


def test_nothing_changed_is_nothing_tried():
    assert chosen([], all_tests()) == []

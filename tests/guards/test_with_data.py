"""Which tests are tried again where corpora are."""

from __future__ import annotations

from pathlib import Path

from tests.with_data import files_with_data

REPORT = """<testsuites><testsuite>
<testcase classname="tests.scan.cogs.test_cogs" name="a"><skipped message="%s" /></testcase>
<testcase classname="tests.fuzz.test_fuzz" name="b"><skipped message="no fork" /></testcase>
<testcase classname="tests.guards.test_quick" name="c" />
<testcase classname="" name="tests.grammar.search.test_nltk"><skipped message="%s" /></testcase>
</testsuite></testsuites>
"""


def test_tests_that_lacked_corpora_are_tried_again(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT % (("TREEWRIGHT_DATA is not set",) * 2))
    found = files_with_data(report)
    assert "tests/scan/cogs/test_cogs.py" in found
    assert "tests/grammar/search/test_nltk.py" in found  # skipped as a whole
    assert "tests/fuzz/test_fuzz.py" not in found
    assert "tests/guards/test_golden.py" in found
    assert "tests/guards/test_quick.py" not in found

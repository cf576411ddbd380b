"""Reading is bounded by what is read: faults are placed in one pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induction.corpus.formats import read_corpus
from induction.corpus.tables import reading


@pytest.mark.parametrize(
    ("name", "lines", "counted"),
    [
        ("a.csv", ["text,label", "", "good,1", *["bad"] * 50], "_lines_of_records"),
        ("a.tsv", ["text\tlabel", "", "good\t1", *["bad"] * 50], "_lines_of_records"),
        ("a.jsonl", ['{"text": "good"}', "", *['{"text": ""}'] * 50], "_lines_of_objects"),
    ],
)
def test_the_lines_are_counted_once_however_many_rows_are_bad(
    name: str, lines: list[str], counted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text("\n".join(lines))
    calls = []
    count = getattr(reading, counted)

    def counting(*given: Any, **named: Any) -> Any:
        calls.append(given)
        return count(*given, **named)

    monkeypatch.setattr(reading, counted, counting)
    corpus = read_corpus(path, on_error="skip")
    assert len(calls) == 1
    first = 3 if name.endswith(".jsonl") else 4
    assert [row.where for row in corpus.skipped] == [f"{path}:{first + k}" for k in range(50)]

"""Reading is bounded by what is read: faults are placed in one pass."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from induction.corpus.corpus import Corpus
from induction.corpus.formats import read_corpus
from induction.corpus.tables import reading
from sampling.pipeline.augment import augment


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


def test_work_on_columns_is_linear_in_their_number() -> None:
    """A table that grew by a column was a copy of all the others: 2,000 took minutes."""

    def seconds(columns: int) -> float:
        others = {f"k{number}": [1, 2] for number in range(columns)}
        corpus = Corpus.from_columns(text=["a film", "so bad"], **others)
        began = time.process_time()
        augment(corpus, "aeda", n=1)
        return time.process_time() - began

    seconds(1)
    assert seconds(1_600) < 10 * max(seconds(400), 0.05)

"""Classes by name: numbers that have none are refused, and files whose names cannot be values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from grammar.errors import CorpusError, SchemaError
from induction.corpus.corpus import Corpus
from sampling import WordDrop, open_sampler
from sampling.examples.class_names import named


def test_a_class_without_a_name_is_refused() -> None:
    with pytest.raises(CorpusError, match="an example is of class 2, and 2 classes have names"):
        named(pa.array([0, 2]), ("neg", "pos"))
    assert named(pa.array([], pa.int64()), ("neg", "pos")).to_pylist() == []


@pytest.mark.parametrize(
    "notes",
    [
        {"classes": ["1", ")"]},
        {"classes": 7},
        {"class_kind": "a list"},
        {"classes": [3, 4], "class_kind": "string"},
    ],
)
def test_a_file_whose_classes_are_no_values_of_their_type_is_refused(
    tmp_path: Path, notes: dict[str, Any]
) -> None:
    sampler = WordDrop.induce(Corpus.from_columns(text=["a b c", "d e f"], label=[1, 4]))
    path = tmp_path / "edits.arrow"
    sampler.grammar.save(path)
    assert set(open_sampler(path).sample(2).column("label")) <= {1, 4}
    sampler.grammar.noted(**notes).save(path)
    with pytest.raises(SchemaError, match="edits.arrow.*notes"):
        open_sampler(path)

"""Saved treebanks whose numbers are no trees: refused when they are opened, before any kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from grammar.errors import SchemaError
from grammar.trees.treebank import Treebank

TREEBANK = Treebank.parse("(S (NP we) (VP (VBD slept)))\n(S (VP go))")
TREES = Treebank.parse("(S (NP we))")


def save(path: Path, **changed: object) -> None:
    """Save the treebank with other columns."""
    columns = {"label": TREEBANK.label, "size": TREEBANK.size, "offsets": TREEBANK.offsets}
    columns = {name: np.array(changed.get(name, held)) for name, held in columns.items()}
    names = changed.get("names", list(TREEBANK.symbols))
    offsets = pa.array(columns["offsets"])
    label = pa.DictionaryArray.from_arrays(
        pa.array(columns["label"].astype(np.int32)), pa.array(names), safe=False
    )
    lists = {
        "label": pa.LargeListArray.from_arrays(offsets, label),
        "size": pa.LargeListArray.from_arrays(
            pa.array(changed.get("other", columns["offsets"])),
            pa.array(columns["size"].astype(changed.get("kind", np.int32))),
        ),
    }
    table = pa.table(lists).replace_schema_metadata({"schema": "treewright.treebank/1"})
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


SIZE = TREEBANK.size.tolist()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"size": [*SIZE[:-1], 2]}, "do not fit into each other"),
        ({"size": [SIZE[0] + 1, *SIZE[1:]]}, "do not fit into each other"),
        ({"size": [*SIZE[:1], 9, *SIZE[2:]]}, "do not fit into each other"),
        ({"size": [0, *SIZE[1:]]}, "a number is not from 1"),
        ({"size": [-5, *SIZE[1:]]}, "a number is not from 1"),
        ({"label": [99, *TREEBANK.label[1:]]}, "damaged"),
        ({"label": [-1, *TREEBANK.label[1:]]}, "damaged"),
        ({"names": ["S"] * len(list(TREEBANK.symbols))}, "two have one"),
        ({"names": [None, *list(TREEBANK.symbols)[1:]]}, "damaged|no name"),
        ({"offsets": [0, 8, 9]}, "offsets"),
        ({"other": [0, 3, 9]}, "different trees"),
        ({"kind": np.float64}, "damaged"),
    ],
)
def test_what_is_no_tree_is_refused(tmp_path: Path, changed: dict, said: str) -> None:
    save(tmp_path / "whole.arrow")
    assert Treebank.load(tmp_path / "whole.arrow").sentences() == TREEBANK.sentences()
    save(tmp_path / "t.arrow", **changed)
    with pytest.raises(SchemaError, match=said) as caught:
        Treebank.load(tmp_path / "t.arrow")
    assert caught.value.where == str(tmp_path / "t.arrow")


def test_saved_treebanks_come_back(tmp_path: Path) -> None:
    for treebank in (TREEBANK, TREES, TREEBANK[:0], Treebank.parse("( (S (A a) (B b c)) )")):
        treebank.save(tmp_path / "t.arrow")
        loaded = Treebank.load(tmp_path / "t.arrow")
        assert list(map(str, loaded)) == list(map(str, treebank))

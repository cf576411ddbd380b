"""Lines of JSON, CSV, TSV and text are what Python would write row by row."""

from __future__ import annotations

import datetime
import json
import math
import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar.errors import CorpusError
from induction.corpus.tables.writing import (
    csv_header,
    csv_lines,
    json_lines,
    text_lines,
    tsv_header,
    tsv_lines,
)

# --- the slow twins ------------------------------------------------------------------------------


def plain_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Return rows whose floats of 32 bits are the shortest numbers that tell them apart."""
    row = pa.struct(list(table.schema))
    return [shortened(value, row) for value in table.to_pylist()]


def shortened(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {field.name: shortened(value[field.name], field.type) for field in kind}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return [shortened(one, kind.value_type) for one in value]
    return float(str(np.float32(value))) if kind == pa.float32() else value


def plain_json(table: pa.Table) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in plain_rows(table))


def plain_cell(value: Any) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def plain_csv(table: pa.Table) -> str:
    def quoted(cell: str) -> str:
        return '"' + cell.replace('"', '""') + '"' if re.search('[,"\r\n]', cell) else cell

    rows = ([plain_cell(value) for value in row.values()] for row in plain_rows(table))
    return "".join(",".join(map(quoted, row)) + "\n" for row in rows)


def plain_tsv(table: pa.Table) -> str:
    rows = ([plain_cell(value) for value in row.values()] for row in plain_rows(table))
    return "".join("\t".join(row) + "\n" for row in rows)


# --- what tables may hold ------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.text(
    '",\\\n\r\t\x00\x1f\x7f\u2028é😀[]{}', max_size=4
)
EDGES = [0.0, -0.0, 1e22, 1e-7, 1e-4, 9.9999e-5, 1e9, 999999999.9999999, -3.0]
FLOATS = (
    st.floats()
    | st.floats(-2e9, 2e9)
    | st.integers(-(2**40), 2**40).map(float)
    | st.sampled_from([*EDGES, math.nan, math.inf, -math.inf])
)
SIMPLE = [
    (pa.string(), TEXTS), (pa.large_string(), TEXTS), (pa.bool_(), st.booleans()),
    (pa.int8(), st.integers(-128, 127)), (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    (pa.uint64(), st.integers(0, 2**64 - 1)), (pa.float64(), FLOATS),
    (pa.float32(), st.floats(width=32)), (pa.null(), st.none()),
]  # fmt: skip
Kind = tuple[pa.DataType, st.SearchStrategy[Any]]


def lists_of(kind: Kind) -> Kind:
    return pa.list_(kind[0]), st.lists(st.none() | kind[1], max_size=3)


def large_lists_of(kind: Kind) -> Kind:
    return pa.large_list(kind[0]), st.lists(st.none() | kind[1], max_size=3)


def structs_of(kinds: list[Kind]) -> Kind:
    names = [f'f"{k}é' for k in range(len(kinds))]
    fields = {name: st.none() | values for name, (_, values) in zip(names, kinds, strict=True)}
    types = [pa.field(name, kind) for name, (kind, _) in zip(names, kinds, strict=True)]
    return pa.struct(types), st.fixed_dictionaries(fields)


KINDS = st.recursive(
    st.sampled_from(SIMPLE),
    lambda inner: (
        inner.map(lists_of)
        | inner.map(large_lists_of)
        | st.lists(inner, max_size=3).map(structs_of)
    ),
    max_leaves=5,
)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Draw a table of some columns, in chunks, of which each may be a slice of a larger one."""
    kinds = draw(st.lists(KINDS, min_size=1, max_size=3))
    batches = []
    for _ in range(draw(st.integers(1, 2))):
        size = draw(st.integers(0, 5))
        columns = [
            pa.array(draw(st.lists(st.none() | values, min_size=size, max_size=size)), kind)
            for kind, values in kinds
        ]
        batch = pa.record_batch(columns, names=[f"column {k}" for k in range(len(kinds))])
        first = draw(st.integers(0, size))
        batches.append(batch.slice(first, draw(st.integers(0, size - first))))
    return pa.Table.from_batches(batches)


@given(tables())
@settings(max_examples=400, deadline=None)
def test_lines_are_those_of_each_row(table):
    assert json_lines(table).decode() == plain_json(table)
    assert csv_lines(table).decode() == plain_csv(table)
    cells = [plain_cell(value) for row in table.to_pylist() for value in row.values()]
    if any(sign in cell for cell in cells for sign in "\t\n\r"):
        with pytest.raises(CorpusError, match="holds a tab or a line break"):
            tsv_lines(table)
    else:
        assert tsv_lines(table).decode() == plain_tsv(table)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.float16(), [0.5, None]),
        (pa.map_(pa.string(), pa.int32()), [[("a", 1)], None, []]),
        (pa.list_(pa.int32(), 2), [[1, 2], None]),
        (pa.dictionary(pa.int32(), pa.string()), ["a", None, 'b"']),
    ],
)
def test_values_of_other_kinds_are_written_by_python(kind, values):
    table = pa.table({"a": pa.array(values, kind), "b": [1] * len(values)})
    assert json_lines(table).decode() == plain_json(table)
    assert csv_lines(table).decode() == plain_csv(table)


@given(st.lists(st.none() | FLOATS, min_size=20, max_size=200), st.sampled_from([32, 64]))
@settings(max_examples=200, deadline=None)
def test_numbers_are_written_as_python_writes_them(numbers, bits):
    kind = pa.float32() if bits == 32 else pa.float64()
    # numbers that the kind cannot hold become infinite
    table = pa.table({"a": pa.array(numbers, pa.float64()).cast(kind)})
    assert json_lines(table).decode() == plain_json(table)
    assert csv_lines(table).decode() == plain_csv(table)


def test_a_day_is_its_text_and_bytes_are_none():
    table = pa.table({"id": ["a"], "day": [datetime.date(2024, 1, 2)]})
    assert json_lines(table) == b'{"id": "a", "day": "2024-01-02"}\n'
    assert csv_lines(table) == b"a,2024-01-02\n"
    for lines in (json_lines, csv_lines):
        with pytest.raises(TypeError, match="no text of binary"):
            lines(pa.table({"id": [b"a"]}))


def test_headers_are_quoted_as_cells_are():
    assert csv_header(["id", "a,b"]) == b'id,"a,b"\n'
    assert tsv_header(["id", 'a"b']) == b'id\ta"b\n'
    with pytest.raises(CorpusError, match="which TSV cannot express"):
        tsv_header(["id", "a\tb"])


def test_what_no_line_can_hold_is_named_by_the_first_row_that_has_it():
    table = pa.table({"id": ["x", "y", "z"], "a": ["1", "2", "3\t"], "text": ["a", "b\n", "c"]})
    with pytest.raises(CorpusError) as caught:
        tsv_lines(table)
    assert caught.value.where == "id y"
    with pytest.raises(CorpusError) as caught:
        text_lines(table)
    assert caught.value.where == r"'b\n'"
    with pytest.raises(CorpusError) as caught:
        text_lines(pa.table({"text": ["a", None]}))
    assert caught.value.where == "None"
    assert text_lines(pa.table({"text": ["a b", ""]})) == b"a b\n\n"

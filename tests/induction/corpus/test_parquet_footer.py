"""The footer says of each column chunk what pyarrow says of it, and never ends the process."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from induction.corpus.tables.parquet_footer import chunks_of

TABLE = pa.table({
    "text": ["a film", "a film", None, "the plot"],
    "n": pa.array([1, 2, 3, None], pa.int32()),
    "many": [["a", "b"], [], ["c"], None],
    "of": [{"x": 1.5, "y": b"z"}, None, {"x": 2.5, "y": b""}, {"x": 0.0, "y": None}],
})  # fmt: skip


@pytest.mark.parametrize("dictionary", [True, False])
@pytest.mark.parametrize("rows", [1, 3, 4])
def test_it_says_what_pyarrow_says(rows: int, dictionary: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(TABLE, path, row_group_size=rows, use_dictionary=dictionary)
    with pa.OSFile(str(path)) as source:
        found = chunks_of(source)
    metadata = pq.read_metadata(path)
    assert len(found) == metadata.num_row_groups
    for number, chunks in enumerate(found):
        group = metadata.row_group(number)
        for k, chunk in enumerate(chunks):
            known = group.column(k)
            assert chunk.is_text == (known.physical_type == "BYTE_ARRAY")
            assert chunk.has_dictionary == any("DICT" in one for one in known.encodings)
            assert (chunk.values, chunk.expanded) == (
                known.num_values, known.total_uncompressed_size,
            )  # fmt: skip


def test_a_damaged_footer_is_refused_or_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(TABLE, path, row_group_size=2)
    data = path.read_bytes()
    footer = int.from_bytes(data[-8:-4], "little")
    draw = random.Random(0)
    refused = 0
    for _ in range(2000):
        changed = bytearray(data)
        for _ in range(draw.choice((1, 1, 4))):
            changed[len(data) - 8 - draw.randrange(footer) - 1] = draw.randrange(256)
        try:
            chunks_of(pa.PythonFile(pa.BufferReader(bytes(changed)), "r"))
        except pa.ArrowInvalid:
            refused += 1
    assert 0 < refused < 2000


def test_a_footer_that_nests_without_end_is_refused() -> None:
    footer = b"\x1c" * 100_000
    data = b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    with pytest.raises(pa.ArrowInvalid, match="nested too deep"):
        chunks_of(pa.BufferReader(data))


PROGRAM = """
import sys
from grammar.errors import CorpusError
from induction.corpus.formats import read_corpus
try:
    read_corpus(sys.argv[1])
    raise SystemExit("it was read")
except CorpusError as error:
    assert "histogram size mismatch" in str(error), error
"""


def test_a_chunk_that_pyarrow_dies_of_is_refused(tmp_path: Path) -> None:
    """One histogram of sizes of a chunk has another length than the schema asks for."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": pa.array(["a", None])}), path)
    data = path.read_bytes()
    footer = data[len(data) - 8 - int.from_bytes(data[-8:-4], "little") : -8]
    # the last list of numbers of the chunk: how many values are absent, and how many are there
    at = footer.rindex(b"\x26\x02\x02")
    changed = data.replace(footer, footer[:at] + b"\x16\x02" + footer[at + 3 :])
    length = int.from_bytes(data[-8:-4], "little") - 1
    path.write_bytes(changed[:-8] + length.to_bytes(4, "little") + b"PAR1")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

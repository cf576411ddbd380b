"""Bytes of Arrow strings, however they lie in memory."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.arrays import text_bytes

KINDS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(st.lists(st.text(max_size=3), max_size=5), st.integers(0, 2))
def test_bytes_are_those_of_the_texts(kind: pa.DataType, texts: list[str], cut: int) -> None:
    data, offsets = text_bytes(pa.array(texts).cast(kind)[cut:])
    kept = texts[cut:]
    assert data.tobytes() == "".join(kept).encode()
    assert offsets.tolist() == np.cumsum([0, *(len(text.encode()) for text in kept)]).tolist()
    assert data.flags.writeable or not len(data)
    assert offsets.dtype == np.int64


def test_a_buffer_may_be_longer_than_its_numbers() -> None:
    bounds = pa.py_buffer(np.array([0, 1, 3], np.int32).tobytes() + b"odd")
    texts = pa.StringArray.from_buffers(2, bounds, pa.py_buffer(b"abc and more"))
    data, offsets = text_bytes(texts)
    assert (data.tobytes(), offsets.tolist()) == (b"abc", [0, 1, 3])

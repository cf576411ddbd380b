"""What makes a text blank, against what ``str`` says of it."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from induction.corpus.validity import blank_texts

signs = st.sampled_from(
    ["a", "!", "~", "\x7f", "\x00", " ", "\t", "\x1c", "\u00a0", "\u3000", "é", "☂"]
)


@given(st.lists(st.text(signs, max_size=3), max_size=6), st.booleans())
def test_blank_texts_are_those_of_white_space_alone(texts: list[str], large: bool) -> None:
    given_texts = pa.array(["x", *texts], pa.large_string() if large else pa.string())[1:]
    expected = [row for row, text in enumerate(texts) if not text.strip()]
    assert blank_texts(given_texts).tolist() == expected

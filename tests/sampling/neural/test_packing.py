"""Rows of texts that begin alike, against texts as they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sampling.neural.causal.packing import packed

TEXTS = st.lists(st.lists(st.integers(2, 4), max_size=6), max_size=12)


@given(TEXTS, st.integers(1, 12))
def test_each_text_sees_itself_alone(texts: list[list[int]], width: int) -> None:
    rows = packed(texts, 1, width)
    assert len(rows.places) == len(texts)
    for text, (row, places) in zip(texts, rows.places, strict=True):
        path = [0, *places.tolist()]
        assert rows.ids[row][path].tolist() == [1, *text]
        assert rows.depth[row][path].tolist() == list(range(len(path)))
        for number, place in enumerate(path):
            seen = rows.sees[row, place].nonzero()[0].tolist()
            assert seen == sorted(path[: number + 1])


@given(TEXTS, st.integers(1, 12))
def test_a_row_holds_each_beginning_once_and_is_as_wide_as_said(
    texts: list[list[int]], width: int
) -> None:
    rows = packed(texts, 1, width)
    count = len(rows.ids)
    mine = [
        [text for text, (there, _) in zip(texts, rows.places, strict=True) if there == row]
        for row in range(count)
    ]
    for row, held in enumerate(mine):
        beginnings = {tuple(text[:k]) for text in held for k in range(len(text) + 1)}
        assert held
        assert len(beginnings) <= width or len({tuple(text) for text in held if text}) == 1
        places = {place for there, at in rows.places if there == row for place in at.tolist()}
        assert len(places) + 1 == len(beginnings)
        # what pads sees itself and is seen by nothing
        for pad in range(len(beginnings), rows.ids.shape[1]):
            assert rows.sees[row, pad].nonzero()[0].tolist() == [pad]
            assert rows.sees[row, :, pad].sum() == 1
    longest = max((len(text) + 1 for text in texts), default=1)
    assert rows.ids.shape[1] <= max(width, longest)


def test_rows_are_filled() -> None:
    """Forty texts of one beginning need no more than what is new of each."""
    common = list(range(2, 22))
    texts = [[*common, 30 + k, 31 + k] for k in range(40)]
    rows = packed(texts, 1, 96)
    assert len(rows.ids) == 2  # (1 + 20 + 2 * 37) and the rest
    assert rows.ids.shape == (2, 95)

"""Texts that hold or are held by another are found by their words."""

from hypothesis import given
from hypothesis import strategies as st

from grammar.synchronous.occurrence import FIRST_WORD, WordIndex

TEXTS = st.text(st.sampled_from([chr(1), chr(2), *map(chr, range(FIRST_WORD, FIRST_WORD + 4))]))


def words(text: str) -> set[str]:
    return {c for c in text if ord(c) >= FIRST_WORD}


@given(st.lists(TEXTS, max_size=8), TEXTS)
def test_as_by_comparison_with_every_text(texts: list[str], text: str) -> None:
    index = WordIndex(texts)
    assert index.within(text) == [n for n, one in enumerate(texts) if words(one) <= words(text)]
    assert index.holding(text) == [n for n, one in enumerate(texts) if words(one) >= words(text)]

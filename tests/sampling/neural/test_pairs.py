"""Pairs that teach what belongs: which sentences they may be made of, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import pairs, reading, verdicts
from induction import read_reviews
from induction.corpus.text.tokens import detokenise

TEXTS = st.lists(st.sampled_from(["A", "a", "b!", "c", "d's"]), max_size=9).map(" ".join)


@given(TEXTS, TEXTS)
def test_running_words_are_shared_where_six_in_a_row_are(one: str, other: str) -> None:
    plain = [text.lower().replace("!", "").replace("'", " ").split() for text in (one, other)]
    first, second = (
        {tuple(words[k : k + 6]) for k in range(max(1, len(words) - 5))} for words in plain
    )
    assert bool(pairs.running(one) & pairs.running(other)) == bool(first & second)


def test_sentences_that_share_a_phrase_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> Iterator[pairs.Sentence]:
        for word in ("dog", "cat", "cow", "ox", "dog"):
            yield f"then the old {word} ran to my house", "x"
        yield "too short", "x"

    monkeypatch.setitem(pairs.SOURCES, "gum", pairs.Source(read, 2))  # type: ignore[arg-type]
    without = pairs.running("The old cat ran to my, well, house.") | pairs.running(
        "Then the old cow ran to town."
    )
    found = [text.split()[3] for text, _ in pairs.chosen("gum", without)]
    assert len(found) == 2
    assert {*found} <= {"dog", "cat", "ox"}
    without |= pairs.running("the old cat ran to my")
    assert {text.split()[3] for text, _ in pairs.chosen("gum", without)} == {"dog", "ox"}


def test_no_six_words_of_what_is_read_or_judged_are_learnt(data_folder: Path) -> None:
    parts = {0, *(part for kind in reading.PARTS.values() for part in kind.values())}
    held = [
        text
        for name in reading.CORPORA
        for part in parts
        for text in reading.sentences(name, part).column("text")
    ]
    held += [row.change.text for row in verdicts.rows()]
    known = {six for text in held for six in _sixes(text)}
    without = pairs.not_to_learn()
    for source in ("gum", "plots", "questions"):
        found = pairs.chosen(source, without)
        assert len(found) > 300
        assert not any(known & {*_sixes(text)} for text, _ in found)
    # the sources have such sentences, so they were left out
    assert any(known & {*_sixes(text)} for text, _ in pairs.SOURCES["questions"].read())


def _sixes(text: str) -> list[tuple[str, ...]]:
    words = re.findall("[a-z0-9]+", text.lower())
    return list(zip(*(words[k:] for k in range(6)), strict=False))


def test_each_new_text_stands_beside_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reviews = read_reviews()[:60]
    rows = list(zip(reviews.column("text"), map(str, reviews.column("label")), strict=True))
    monkeypatch.setattr(pairs, "METHODS", {"treemix": 20, "fluent(sub2)": 20})
    monkeypatch.setattr(pairs, "FEWEST", 10)
    monkeypatch.setattr(pairs, "not_to_learn", set)
    for name in pairs.SOURCES:
        source = pairs.Source(lambda: iter(rows), 60)
        monkeypatch.setitem(pairs.SOURCES, name, source)  # type: ignore[arg-type]
        pairs.write(name, tmp_path)
    changes, own = pairs.read(tmp_path)
    assert len(changes) > 2 * 30 * len(pairs.SOURCES)
    assert own == [0, 1] * (len(own) // 2)
    known = {" ".join(detokenise(text.split()).split()) for text in reviews.column("text")}
    for new, old in zip(changes[::2], changes[1::2], strict=True):
        assert old.text in known
        assert new.text != old.text
        assert new.text[: new.begin] == old.text[: old.begin]
        assert new.text[new.end :] == old.text[old.end :]

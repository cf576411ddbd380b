"""Corpora with labelled spans whose words can be told from all others: they begin with Q."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import strategies as st

from induction.corpus.corpus import Corpus

LABELS = ("PER", "LOC", "größe")
_PLAIN = ("a", "an", "The", "dog", "sees", "été", "東京", "it's", "go", "owl", "(big", "end.")
_NAMES = ("Qa", "Qé", "Q.B.", "Q東", "Qx-y", "Qd's")
Name = tuple[str, str]


@st.composite
def rows(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a text of plain words and names, with the spans of these."""
    text, tokens, spans = "", [], []
    pieces = st.lists(st.sampled_from(("plain", "name")), min_size=1, max_size=6)
    for kind in draw(pieces):
        text += draw(st.sampled_from((" ", " ", "  ", "\u00a0", "\n"))) if text else ""
        if kind == "plain":
            tokens.append(draw(st.sampled_from(_PLAIN)))
            text += tokens[-1]
            continue
        words = draw(st.lists(st.sampled_from(_NAMES), min_size=1, max_size=3))
        start, name = len(text), draw(st.sampled_from((" ", "  "))).join(words)
        tokens += words
        text += name
        spans.append({"start": start, "end": len(text), "label": draw(st.sampled_from(LABELS))})
    return {"text": text, "tokens": tokens, "spans": spans}


@st.composite
def corpora(draw: st.DrawFn, *, tokens: bool | None = None) -> Corpus:
    """Draw two to six texts with names, the first of which has one and a plain word."""
    drawn = draw(st.lists(rows(), min_size=2, max_size=6))
    first = {
        "text": "see Qa now then", "tokens": ["see", "Qa", "now", "then"],
        "spans": [{"start": 4, "end": 6, "label": "PER"}],
    }  # fmt: skip
    second = {
        "text": "Qé went out (big", "tokens": ["Qé", "went", "out", "(big"],
        "spans": [{"start": 0, "end": 2, "label": "PER"}],
    }  # fmt: skip
    given = [first, second, *drawn]
    kept = draw(st.booleans()) if tokens is None else tokens
    names = ("text", "tokens", "spans") if kept else ("text", "spans")
    labels = [i % 2 for i in range(len(given))]
    return Corpus.from_columns(
        **{name: [row[name] for row in given] for name in names}, label=labels
    )


def names_of(row: dict[str, Any]) -> Counter[Name]:
    """Return the spans of an example: what they say, and their labels."""
    return Counter((row["text"][s["start"] : s["end"]], s["label"]) for s in row["spans"])


def torn_words(row: dict[str, Any]) -> list[str]:
    """Return the words of names that stand outside the spans of an example."""
    rest, at = "", 0
    for span in row["spans"]:
        rest, at = rest + row["text"][at : span["start"]] + " ", span["end"]
    return [word for word in (rest + row["text"][at:]).split() if word.startswith("Q")]

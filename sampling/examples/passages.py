"""Texts with marked words: how an example and its parents are shown side by side."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from grammar.errors import CorpusError
from induction.corpus.corpus import Corpus
from sampling.examples.text_columns import read_side

__all__ = ["IN", "MOVED", "OUT", "Passage", "Sentence", "Span", "read_sentence"]

OUT, IN, MOVED = "out", "in", "moved"
"""What a mark says of its words: they were taken out, put in, or stand elsewhere now."""

_SIGNS = {OUT: "⟦−", IN: "⟦+", MOVED: "⟦~"}
_COLUMNS = ("tokens", "tree", "tree_pair")


@dataclass(frozen=True)
class Span:
    """Words ``start`` to ``end - 1`` of a sentence, and what became of them."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class Passage:
    """A text under a title; marks are spans of characters."""

    title: str
    text: str
    marks: tuple[Span, ...] = ()

    def pieces(self) -> list[tuple[str, str | None]]:
        """Cut the text at its marks: pieces, each with the kind of its mark or None."""
        pieces: list[tuple[str, str | None]] = []
        at = 0
        for mark in sorted(self.marks, key=lambda mark: mark.start):
            pieces += [
                (self.text[at : mark.start], None),
                (self.text[mark.start : mark.end], mark.kind),
            ]
            at = mark.end
        pieces.append((self.text[at:], None))
        return [(text, kind) for text, kind in pieces if text]

    def to_dict(self) -> dict[str, Any]:
        """Return the passage as JSON can hold it."""
        return {"title": self.title, "text": self.text, "marks": [asdict(m) for m in self.marks]}

    def marked(self) -> str:
        """Return the text with its marks as signs.

        >>> Passage("new", "a very fine film", (Span(2, 11, IN),)).marked()
        'a ⟦+very fine⟧ film'
        """
        return "".join(
            text if kind is None else f"{_SIGNS[kind]}{text}⟧" for text, kind in self.pieces()
        )


@dataclass(frozen=True)
class Sentence:
    """A text and the places of its words, in characters."""

    text: str
    places: tuple[tuple[int, int], ...]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words as they are written in the text."""
        return tuple(self.text[a:b] for a, b in self.places)

    def said(self, start: int, end: int) -> str:
        """Return the text from one word up to another."""
        return self.text[self.places[start][0] : self.places[end - 1][1]] if end > start else ""

    def passage(self, title: str, spans: Iterable[Span]) -> Passage:
        """Return the text with spans of words marked; those of one kind that touch become one."""
        merged: list[Span] = []
        for span in sorted(spans, key=lambda span: span.start):
            if merged and merged[-1].kind == span.kind and merged[-1].end >= span.start:
                last = merged.pop()
                span = Span(last.start, max(last.end, span.end), span.kind)
            if span.end > span.start:
                merged.append(span)
        marks = (
            Span(self.places[span.start][0], self.places[span.end - 1][1], span.kind)
            for span in merged
        )
        return Passage(title, self.text, tuple(marks))


def read_sentence(row: Mapping[str, Any], name: str = "text", *, plain: bool = False) -> Sentence:
    """Find the words of an example: its tokens, or those of its tree, or between white space.

    Parameters
    ----------
    row : mapping
        One example of a corpus.
    name : str
        ``text``, ``text_pair`` or ``target``.
    plain : bool
        Words are what stands between white space, whatever columns there are.
    """
    text = row[name]
    if plain or name == "target":
        return _between_spaces(text)
    given = {k: [row[k]] for k in _COLUMNS if row.get(k) is not None}
    own = {"text": [text], **given} if name == "text" else {"text": [""], name: [text], **given}
    corpus = Corpus.from_columns(**own)
    try:
        side = read_side(corpus, name)
    except CorpusError:  # the tokens do not stand in the text: multiword tokens of CoNLL-U
        side = read_side(corpus, name, tokenised=True)
    return _of_side(side.text.tobytes(), side.start.tolist(), side.end.tolist())


def _of_side(data: bytes, starts: Sequence[int], ends: Sequence[int]) -> Sentence:
    """Return a sentence whose places were counted in bytes."""
    bounds = sorted({0, *starts, *ends, len(data)})
    at, characters = 0, {0: 0}
    for before, after in itertools.pairwise(bounds):
        at += len(data[before:after].decode())
        characters[after] = at
    places = ((characters[a], characters[b]) for a, b in zip(starts, ends, strict=True))
    return Sentence(data.decode(), tuple(places))


def _between_spaces(text: str) -> Sentence:
    places, at = [], 0
    for word in text.split():
        at = text.index(word, at)
        places.append((at, at + len(word)))
        at += len(word)
    return Sentence(text, tuple(places))

"""Sentences with their dependencies as arcs above the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grammar.dependencies.treebank import DependencyTreebank
from grammar.pictures.svg import (
    INK,
    MARGIN,
    QUIET,
    Box,
    Label,
    Line,
    Picture,
    Shape,
    moved,
    text_width,
)
from grammar.trees.draw import ACCENT, BRANCH, HAIRLINE
from grammar.trees.gallery import COLOURS

__all__ = ["Marks", "sentence_picture", "sentences_picture"]

_OF_NODES = (ACCENT, *(colour for colour in COLOURS if colour not in (ACCENT, INK)))
_WORD, _TAG, _RELATION = 15.0, 11.0, 11.0
_GAP, _LEVEL, _FOOT, _PORT, _HEAD = 16.0, 22.0, 12.0, 7.0, 22.0
_ARROW = 3.5


@dataclass(frozen=True)
class Marks:
    """What is marked in a sentence.

    Attributes
    ----------
    words : mapping of int to int
        Words that are nodes of a request, and the number of the node, which is a colour.
    edges : frozenset of int
        Words to which an edge of the request leads.
    """

    words: Mapping[int, int] = field(default_factory=dict)
    edges: frozenset[int] = frozenset()


@dataclass(frozen=True)
class _Arc:
    head: int
    word: int
    label: str
    level: int = 0

    @property
    def left(self) -> int:
        return min(self.head, self.word)

    @property
    def right(self) -> int:
        return max(self.head, self.word)


def sentences_picture(
    treebank: DependencyTreebank, sentences: Sequence[int], marks: Sequence[Marks]
) -> Picture:
    """Draw sentences one below the other, each with its number or ``sent_id``."""
    names = treebank.variables.get("sent_id")
    shapes: list[Shape] = []
    width, y = 0.0, 0.0
    for sentence, marked in zip(sentences, marks, strict=True):
        drawn = sentence_picture(treebank, sentence, marked)
        title = f"sentence {sentence}" if names is None else str(names[sentence])
        shapes.append(Label(MARGIN, y + _HEAD, title, _TAG, QUIET, anchor="start"))
        shapes += [moved(shape, 0, y + _HEAD) for shape in drawn.shapes]
        width = max(width, drawn.width, text_width(title, _TAG) + 2 * MARGIN)
        y += _HEAD + drawn.height
        if sentence != sentences[-1]:
            shapes.append(Line(MARGIN, y, width - MARGIN, y, HAIRLINE, 1))
    return Picture(width, y, tuple(shapes), f"{len(sentences)} sentences")


def sentence_picture(treebank: DependencyTreebank, sentence: int, marks: Marks) -> Picture:
    """Draw one sentence; of a root there is its label above a line from above."""
    begin, end = treebank.offsets[sentence : sentence + 2].tolist()
    words = treebank.words(sentence)
    tags = _texts(treebank, "upos", begin, end)
    labels = _texts(treebank, "deprel", begin, end)
    heads = treebank.heads[begin:end].tolist()
    arcs = _levelled(
        [_Arc(h - begin, w, labels[w]) for w, h in enumerate(heads) if 0 <= h - begin != w]
    )
    ports = _ports(arcs, len(words))
    places = _places(words, tags, arcs, ports, marks)
    roots = [w for w, head in enumerate(heads) if head < 0 and labels[w]]
    highest = max((arc.level for arc in arcs), default=0) + bool(roots)
    base = MARGIN + _RELATION + highest * _LEVEL + _FOOT
    shapes: list[Shape] = []
    for word in roots:
        shapes += _root(places[word], labels[word], base, highest, word in marks.edges)
    # those of the request lie above the others
    for arc in sorted(arcs, key=lambda arc: arc.word in marks.edges):
        shapes += _arc(arc, places, ports, base, arc.word in marks.edges)
    for word, (text, tag) in enumerate(zip(words, tags, strict=True)):
        shapes += _word(places[word], base, text, tag, marks.words.get(word))
    width = places[-1] + max(_width(words[-1]), text_width(tags[-1], _TAG)) / 2 + MARGIN
    return Picture(width + 6, base + 2 * _WORD + _TAG + MARGIN, tuple(shapes), " ".join(words))


def _texts(treebank: DependencyTreebank, column: str, begin: int, end: int) -> list[str]:
    numbers = treebank.columns[column][begin:end].tolist()
    return ["" if number < 0 else treebank.symbols[number] for number in numbers]


def _levelled(arcs: Sequence[_Arc]) -> list[_Arc]:
    """Return arcs, the short ones first, each above those that lie below it or cross it."""
    found: list[_Arc] = []
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left)):
        below = [a.level for a in found if a.left < arc.right and arc.left < a.right]
        found.append(_Arc(arc.head, arc.word, arc.label, max(below, default=0) + 1))
    return found


def _ports(arcs: Sequence[_Arc], words: int) -> dict[tuple[int, int], float]:
    """Return for each word and dependent how far from its middle the arc leaves.

    The arc to the word's own head ends in the middle. The longest ones leave next to it, so that
    arcs of one word do not cross.
    """
    found: dict[tuple[int, int], float] = {}
    for word in range(words):
        ours = [arc for arc in arcs if arc.head == word]
        for side in (-1, 1):
            there = [arc for arc in ours if (arc.word - word) * side > 0]
            for place, arc in enumerate(sorted(there, key=lambda arc: -arc.level), start=1):
                found[word, arc.word] = side * place * _PORT
    return found


def _width(word: str) -> float:
    return text_width(word, _WORD, bold=True)


def _places(
    words: Sequence[str],
    tags: Sequence[str],
    arcs: Sequence[_Arc],
    ports: Mapping[tuple[int, int], float],
    marks: Marks,
) -> list[float]:
    """Return the middle of each word: they do not touch, and labels fit below their arcs."""
    halves = [
        max(_width(word), text_width(tag, _TAG)) / 2 for word, tag in zip(words, tags, strict=True)
    ]
    for (word, _), port in ports.items():
        halves[word] = max(halves[word], abs(port))
    needed: dict[int, list[tuple[int, float]]] = {}
    for arc in arcs:
        port = abs(ports[arc.head, arc.word])
        room = text_width(arc.label, _RELATION, bold=arc.word in marks.edges) + 26 + port
        needed.setdefault(arc.right, []).append((arc.left, room))
    places = [MARGIN + halves[0]]
    for word in range(1, len(words)):
        least = places[-1] + halves[word - 1] + _GAP + halves[word]
        places.append(max([least, *(places[left] + room for left, room in needed.get(word, ()))]))
    return places


def _arc(
    arc: _Arc,
    places: Sequence[float],
    ports: Mapping[tuple[int, int], float],
    base: float,
    marked: bool,
) -> list[Shape]:
    colour, width = (ACCENT, 2.0) if marked else (BRANCH, 1.2)
    start, end = places[arc.head] + ports[arc.head, arc.word], places[arc.word]
    foot = base - _FOOT / 2
    top = base - _FOOT / 2 - arc.level * _LEVEL + 4
    slant = 5.0 if end > start else -5.0
    return [
        Line(start, foot, start + slant, top, colour, width),
        Line(start + slant, top, end - slant, top, colour, width),
        Line(end - slant, top, end, foot, colour, width),
        *_arrow(end, foot, colour, width),
        *_label((start + end) / 2, top, arc.label, marked),
    ]


def _arrow(x: float, y: float, colour: str, width: float) -> list[Shape]:
    return [
        Line(x - _ARROW, y - 2 * _ARROW, x, y, colour, width),
        Line(x + _ARROW, y - 2 * _ARROW, x, y, colour, width),
    ]


def _label(x: float, line: float, text: str, marked: bool) -> list[Shape]:
    """Return the label of an arc: it stands in a gap of the line."""
    if not text:
        return []
    width = text_width(text, _RELATION, bold=marked) + 4
    height = _RELATION + 3
    return [
        Box(x - width / 2, line - height / 2, width, height, "#ffffff", "#ffffff"),
        Label(x, line + 0.35 * _RELATION, text, _RELATION, ACCENT if marked else QUIET, marked),
    ]


def _root(x: float, label: str, base: float, highest: int, marked: bool) -> list[Shape]:
    colour, width = (ACCENT, 2.0) if marked else (BRANCH, 1.2)
    foot = base - _FOOT / 2
    top = foot - highest * _LEVEL + 4
    return [
        Line(x, top, x, foot, colour, width),
        *_arrow(x, foot, colour, width),
        *_label(x, top, label, marked),
    ]


def _word(x: float, base: float, text: str, tag: str, node: int | None) -> list[Shape]:
    colour = INK if node is None else _OF_NODES[node % len(_OF_NODES)]
    shapes: list[Shape] = []
    if node is not None:
        width = _width(text) + 8
        shapes.append(Box(x - width / 2, base, width, _WORD + 8, "#ffffff", colour))
    shapes.append(Label(x, base + _WORD + 2, text, _WORD, colour, node is not None))
    if tag:
        shapes.append(Label(x, base + 2 * _WORD + _TAG - 2, tag, _TAG, QUIET))
    return shapes

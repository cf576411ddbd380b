"""Surprisal and entropy word by word: as rows, and as curves over the words of sentences."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from grammar.chart.filling import checked_sentence
from grammar.errors import OptionError
from grammar.files import PathLike
from grammar.pcfg.grammar import as_grammar
from grammar.pictures.svg import (
    INK,
    MARGIN,
    QUIET,
    WORD,
    Box,
    Label,
    Line,
    Picture,
    Shape,
    checked_suffix,
    elide,
    text_width,
)
from grammar.prefix.state import Prefix
from grammar.weighted import Weighted

__all__ = ["WordSurprisal", "draw_surprisal", "surprisal_of_words"]

SURPRISAL, ENTROPY, EDGE = "#2f6ba8", "#c2571a", "#e3e8ee"
HEIGHT, SIZE, NUMBER_SIZE = 120.0, 13.0, 9.5
NARROWEST, WIDEST = 46.0, 104.0
DOT = 5.0
MOST_SENTENCES = 20


class WordSurprisal(NamedTuple):
    """What a word of a sentence tells. All numbers but ``end`` are bits.

    Attributes
    ----------
    word : str
        The word.
    surprisal : float
        Of the word, given those before it; infinite where no sentence goes on with it.
    entropy : float
        Of the next word, after this one.
    rest_entropy : float
        Of the derivation of the whole sentence, after this word.
    reduction : float
        How much of ``rest_entropy`` the word took away; 0.0 where it is more than before.
    end : float
        The probability that the sentence ends after the word.
    """

    word: str
    surprisal: float
    entropy: float
    rest_entropy: float
    reduction: float
    end: float


def surprisal_of_words(
    prefix: Prefix | Weighted | str, words: str | Sequence[str]
) -> Iterator[WordSurprisal]:
    """Yield what each word of a sentence tells after a prefix.

    Parameters
    ----------
    prefix : Prefix, grammar, str or path
        What comes before; or a grammar, its rules as text, or its file: nothing does.
    words : sequence of str
        The words, or a text whose words stand between spaces.

    Raises
    ------
    OptionError
        If it is no prefix and no grammar, or no sequence of words.
    SchemaError
        If the derivations of the grammar are not those of a PCFG.

    Examples
    --------
    >>> from grammar import Grammar
    >>> grammar = Grammar.parse("S -> 'so' S [1/2] | 'good' [1/4] | 'bad' [1/4]")
    >>> for row in surprisal_of_words(grammar.prefix(), ["so", "bad"]):
    ...     print(*row)
    so 1.0 1.5 3.0 0.0 0.0
    bad 2.0 0.0 0.0 3.0 1.0
    >>> [row.surprisal for row in surprisal_of_words(grammar, "so bad")]
    [1.0, 2.0]
    """
    given = prefix if isinstance(prefix, Prefix) else as_grammar(prefix)
    begun = given.prefix() if isinstance(given, Weighted) else given
    if not isinstance(begun, Prefix):
        raise OptionError(
            f"{type(prefix).__name__} is no prefix, and no grammar that has one",
            hint="give a grammar, its rules as text, or grammar.prefix(words)",
        )
    return _rows(begun, checked_sentence(words, may_be_empty=True))


def _rows(prefix: Prefix, words: Sequence[str]) -> Iterator[WordSurprisal]:
    for word in words:
        before, prefix = prefix.rest_entropy, prefix.extend([word])
        after = prefix.rest_entropy
        reduction = max(0.0, before - after) if math.isfinite(before) else math.nan
        yield WordSurprisal(word, prefix.surprisal, prefix.entropy, after, reduction, prefix.end)


def draw_surprisal(sentences: Sequence[Sequence[WordSurprisal]], path: PathLike) -> None:
    """Save the curves of up to twenty sentences, one below the other: ``.svg`` or ``.png``.

    Raises
    ------
    OptionError
        If there are no words, or the suffix is another.
    OutputError
        If the path cannot be written.

    Examples
    --------
    >>> draw_surprisal([], "curves.svg")
    Traceback (most recent call last):
    ...
    grammar.errors.OptionError: there are no words to draw
      hint: give at least one sentence with words
    """
    checked_suffix(path)
    shown = [rows for rows in sentences if rows][:MOST_SENTENCES]
    if not shown:
        raise OptionError(
            "there are no words to draw", hint="give at least one sentence with words"
        )
    legend = ((SURPRISAL, "surprisal of the word"), (ENTROPY, "entropy of the next word, in bits"))
    shapes: list[Shape] = []
    x = MARGIN
    for colour, text in legend:
        shapes += [_dot(x + DOT, MARGIN + 8, colour)]
        shapes += [Label(x + 14, MARGIN + 12, text, SIZE, INK, anchor="start")]
        x += 30 + text_width(text, SIZE)
    y, right = MARGIN + 34, x
    for rows in shown:
        panel, width = _panel(rows, y)
        shapes += panel
        right = max(right, width)
        y += HEIGHT + 46
    title = "Surprisal and entropy, word by word"
    Picture(right + MARGIN, y + MARGIN, tuple(shapes), title).save(path)


def _panel(rows: Sequence[WordSurprisal], top: float) -> tuple[list[Shape], float]:
    """Return the shapes of a sentence, and how far they reach to the right."""
    wanted = max(text_width(row.word, SIZE) for row in rows) + 10
    width = min(max(wanted, NARROWEST), WIDEST)
    finite = [x for row in rows for x in (row.surprisal, row.entropy) if math.isfinite(x)]
    highest = max(1.0, *finite, 1.0)
    left, base = MARGIN + 34, top + HEIGHT
    right = left + len(rows) * width
    shapes: list[Shape] = [
        Line(left, base, right, base, QUIET, 1.0),
        Line(left, top, right, top, EDGE, 1.0),
        Label(left - 6, base + 3, "0", NUMBER_SIZE, QUIET, anchor="end"),
        Label(left - 6, top + 3, f"{highest:.1f}", NUMBER_SIZE, QUIET, anchor="end"),
    ]
    for colour, values in (
        (ENTROPY, [row.entropy for row in rows]),
        (SURPRISAL, [row.surprisal for row in rows]),
    ):
        points = [
            (left + (i + 0.5) * width, base - HEIGHT * min(value, highest) / highest)
            for i, value in enumerate(values)
        ]
        for (x, y), (to_x, to_y) in itertools.pairwise(points):
            shapes.append(Line(x, y, to_x, to_y, colour, 1.5))
        shapes += [_dot(x, y, colour) for x, y in points]
    for i, row in enumerate(rows):
        x = left + (i + 0.5) * width
        text = f"{row.surprisal:.1f}" if math.isfinite(row.surprisal) else "∞"
        shapes.append(Label(x, base + 18, elide(row.word, width - 4, SIZE), SIZE, WORD))
        shapes.append(Label(x, base + 31, text, NUMBER_SIZE, SURPRISAL))
    return shapes, right


def _dot(x: float, y: float, colour: str) -> Box:
    return Box(x - DOT / 2, y - DOT / 2, DOT, DOT, colour, colour)

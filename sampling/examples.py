"""The examples of a corpus as words and interned sequences, and the patterns cut from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.errors import CorpusError, OptionError
from induction.corpus import Corpus
from sampling.labels import read_labels
from sampling.sides import protected_words
from sampling.substitution import HOLE, hole
from sampling.template_kernels import SEPARATOR
from sampling.templates import NGrams, Sequences

__all__ = ["Examples", "context_pattern", "filler_pattern", "read_examples"]


@dataclass(frozen=True)
class Examples:
    """The distinct examples of a corpus: their ids, their words, and the spacing of each side.

    ``label_values`` are their labels, if they have any, and ``labels`` a number for each.
    """

    ids: list[str]
    sides: list[tuple[str, ...]]
    words: list[list[list[str]]]
    sequences: Sequences
    separator: str | None
    labels: NDArray[np.int64] | None = None
    label_values: list[Any] | None = None


def read_examples(corpus: Corpus, separator: str, protect: str | None = None) -> Examples:
    """Split the examples of a corpus into words and intern them; equal ones count once.

    Words that ``protect`` or a column ``protected`` names are fixed
    (:func:`~sampling.sides.protected_words`).

    Raises
    ------
    CorpusError
        If there are no examples, a text, target or label is missing or not valid, or a word is a
        reserved mark.
    OptionError
        If the separator is not one word, or ``protect`` no regular expression.
    """
    if separator.split() != [separator] or HOLE.fullmatch(separator):
        raise OptionError(
            f"separator={separator!r} is not one word", hint="use a word that the corpus lacks"
        )
    pairs = "target" in corpus.names
    names = ("text", "target") if pairs else ("text",)
    values = [corpus.column(name) for name in names]
    if not len(corpus):
        raise CorpusError("the corpus is empty", hint="give at least one example")
    ids = corpus.column("id") if "id" in corpus.names else [str(i) for i in range(len(corpus))]
    for name, column in zip(names, values, strict=True):
        _refuse_missing(name, column, ids)
    distinct: dict[str, int] = {}
    # no word is empty, so words are numbered from SEPARATOR + 1
    numbers: dict[str, int] = {"": SEPARATOR}
    kept_sides, kept_words, kept = [], [], []
    tokens: list[int] = []
    offsets, source_end = [0], []
    for i, sides in enumerate(zip(*values, strict=True)):
        words = [side.split() for side in sides]
        joined = f" {separator} ".join(" ".join(side) for side in words)
        if distinct.setdefault(joined, i) != i:
            continue
        for side in words:
            _refuse_marks(side, separator if pairs else None, ids[i])
        tokens.extend(numbers.setdefault(word, len(numbers)) for word in words[0])
        source_end.append(len(tokens))
        if pairs:
            tokens.append(SEPARATOR)
            tokens.extend(numbers.setdefault(word, len(numbers)) for word in words[1])
        offsets.append(len(tokens))
        kept_sides.append(sides)
        kept_words.append(words)
        kept.append(i)
    fixed = _fixed(Corpus(corpus.table.take(pa.array(kept))), names, protect)
    sequences = Sequences(
        np.array(tokens, np.int32), np.array(offsets), np.array(source_end), fixed
    )
    labels, label_values = None, None
    if "label" in corpus.names:
        labels = read_labels(corpus).keys()[kept]
        given = corpus.column("label")
        label_values = [given[i] for i in kept]
    return Examples(
        [ids[i] for i in kept],
        kept_sides,
        kept_words,
        sequences,
        separator if pairs else None,
        labels,
        label_values,
    )


class _Places(NamedTuple):
    """Where words stand in the bytes of a column (``sampling.sides.WordPlaces``)."""

    name: str
    text_offsets: NDArray[np.int64]
    offsets: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]


def _fixed(corpus: Corpus, names: tuple[str, ...], protect: str | None) -> NDArray[np.bool_] | None:
    """Return which tokens are protected, in the order of the sequences; None if nothing can be."""
    if protect is None and "protected" not in corpus.names:
        return None
    sides = [_places(corpus, name) for name in names]
    masks = [protected_words(corpus, side, protect) for side in sides]
    parts: list[Any] = []
    for i in range(len(corpus)):
        for k, (side, mask) in enumerate(zip(sides, masks, strict=True)):
            parts += [[False]] * (k > 0)  # the separator
            parts.append(mask[side.offsets[i] : side.offsets[i + 1]])
    return np.concatenate(parts).astype(np.bool_)


def _places(corpus: Corpus, name: str) -> _Places:
    bounds, offsets, starts, ends = [0], [0], list[int](), list[int]()
    for text in corpus.column(name):
        for match in re.finditer(r"\S+", text):
            starts.append(bounds[-1] + len(text[: match.start()].encode()))
            ends.append(bounds[-1] + len(text[: match.end()].encode()))
        bounds.append(bounds[-1] + len(text.encode()))
        offsets.append(len(starts))
    return _Places(name, *(np.array(row, np.int64) for row in (bounds, offsets, starts, ends)))


def _refuse_missing(name: str, column: list[object], ids: list[str]) -> None:
    for i, value in enumerate(column):
        if not isinstance(value, str):
            raise CorpusError(
                f"the column {name!r} holds {value!r}, not text",
                where=f"example {i} (id {ids[i]!r})",
                hint="fill it in, or drop these examples",
            )


def _refuse_marks(words: list[str], separator: str | None, name: str) -> None:
    for word in words:
        if word == separator:
            raise CorpusError(
                f"the word {word!r} is the mark between text and target",
                where=f"example {name!r}",
                hint="name another mark with separator=",
            )
        if word[0] == "⟨" and HOLE.fullmatch(word):
            raise CorpusError(
                f"the word {word!r} is the mark of a hole",
                where=f"example {name!r}",
                hint="replace it in the corpus, for example by other brackets",
            )


def _grams_of(grams: NGrams, key: int) -> list[int]:
    base = len(grams.start) + 1
    found = []
    while key:
        key, digit = divmod(key, base)
        found.append(digit - 1)
    return found


def filler_pattern(examples: Examples, grams: NGrams, i: int, key: int) -> str:
    """Return the words of a fragment of example i, each n-gram after its hole."""
    begin = int(examples.sequences.offsets[i])
    words = _words_of(examples, i)
    tokens: list[str] = []
    for k, g in enumerate(_grams_of(grams, key)):
        at = begin + int(
            np.flatnonzero(grams.table[grams.size[g] - 1, begin : begin + len(words)] == g)[0]
        )
        tokens += [hole(k), *words[at - begin : at - begin + int(grams.size[g])]]
    return " ".join(tokens)


def _words_of(examples: Examples, i: int) -> list[str]:
    words = examples.words[i]
    return words[0] if examples.separator is None else [*words[0], examples.separator, *words[1]]


def context_pattern(examples: Examples, grams: NGrams, i: int, key: int) -> str:
    """Return the text of example i with the n-grams of a fragment cut out, spacing untouched."""
    cuts = [(k, int(grams.size[g]), g) for k, g in enumerate(_grams_of(grams, key))]
    position = int(examples.sequences.offsets[i])
    sides = []
    for text, words in zip(examples.sides[i], examples.words[i], strict=True):
        spaces = re.split(r"\S+", text)
        pieces, j = [spaces[0]], 0
        while j < len(words):
            piece, step = words[j], 1
            for k, size, g in cuts:
                if grams.table[size - 1, position + j] == g:
                    piece, step = hole(k), size
                    break
            j += step
            pieces += [piece, spaces[j]]
        sides.append("".join(pieces))
        position += len(words) + 1
    return f" {examples.separator} ".join(sides)

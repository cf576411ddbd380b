"""Repairs of the seams where a span was put in: articles, capitals, final marks.

They change characters outside the span, so they are off unless asked for by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import IntArray
from grammar.errors import OptionError
from grammar.trees.symbols import SymbolTable
from grammar.trees.treebank import Treebank
from sampling.english.articles import article
from sampling.examples.sides import Side
from sampling.spans.sites import Sites

__all__ = ["REPAIRS", "Repairer", "repair_names", "repaired"]

REPAIRS = ("article", "capital", "final")
_ARTICLE = re.compile(r"(?<!\w)(an?)(\s+)$", re.IGNORECASE)
_ENDS_IN_ARTICLE = re.compile(r"(?<!\w)(an?)$", re.IGNORECASE)
_FINAL = re.compile(r"\s*[.!?]+$")

Pieces = tuple[str, str, str]


def repair_names(value: str) -> tuple[str, ...]:
    """Return the repairs that a list such as ``"article, capital"`` names.

    Raises
    ------
    OptionError
        If one is not known.
    """
    names = tuple(name.strip() for name in value.split(",") if name.strip())
    for name in names:
        if name not in REPAIRS:
            raise OptionError(
                f"repair={value!r} names {name!r}, which is not a repair",
                hint=f"use some of {', '.join(REPAIRS)}",
            )
    return names


def repaired(pieces: Pieces, cut: str, names: Sequence[str]) -> Pieces:
    """Repair the seams between what is before a hole, its filler, and what is behind.

    Parameters
    ----------
    pieces : (str, str, str)
        Text before the hole, the filler, and the text behind the hole.
    cut : str
        What was in the hole.
    names : sequence of str
        ``article``: a or an by the sound of the next word. ``capital``: a filler at the beginning
        of a sentence has a capital if what was cut had; one that comes from a beginning loses it
        elsewhere. ``final``: the sentence keeps its full stop, question or exclamation mark, and
        the filler brings none into the middle.

    Examples
    --------
    >>> repaired(("He ate an ", "pear", " ."), "apple", ["article"])
    ('He ate a ', 'pear', ' .')
    >>> repaired(("", "some cats", " sleep."), "Dogs", ["capital"])
    ('', 'Some cats', ' sleep.')
    >>> repaired(("I saw ", "A dog.", " there."), "it", ["capital", "final"])
    ('I saw ', 'a dog', ' there.')
    """
    before, fill, behind = pieces
    if "final" in names:
        mark = _FINAL.search(cut)
        if behind.strip():
            fill = _FINAL.sub("", fill) or fill
        elif mark and not _FINAL.search(fill):
            fill += mark[0]
    if "capital" in names:
        fill = _with_capital(fill, not before.strip(), cut[:1].isupper())
    if "article" in names:
        before = _ARTICLE.sub(lambda m: article(m[1], fill) + m[2], before)
        fill = _ENDS_IN_ARTICLE.sub(lambda m: article(m[1], behind), fill)
    return before, fill, behind


def _with_capital(fill: str, initial: bool, was_capital: bool) -> str:
    if initial:
        return fill[:1].upper() + fill[1:] if was_capital else fill
    word = fill.split(maxsplit=1)[0] if fill.split() else ""
    # the pronoun I, and words with capitals inside, keep them
    if word.lower() in _OPENERS:
        return fill[:1].lower() + fill[1:]
    return fill


# closed-class words that have a capital only where they open a sentence
_OPENERS = frozenset(
    """
    a an the this that these those it he she we they you there here my your his her its our their
    in on at by for from with without of to as if when while after before because since although
    and but or so yet not no some any all every each both most many few what who which how why
    where is are was were be do does did has have had will would can could may might must
    """.split()  # noqa: SIM905
)


class Repairer:
    """Repairs the columns of new examples.

    Parameters
    ----------
    repair : str
        Names of repairs, with commas between them.
    sides : tuple of Side
        The texts of the grammar.
    """

    def __init__(self, repair: str, sides: tuple[Side, ...]) -> None:
        self._names = repair_names(repair)
        self._sides = sides

    def columns(
        self, columns: dict[str, Any], sites: Sites, host: IntArray, filler: IntArray
    ) -> dict[str, Any]:
        """Return the columns with repaired texts; tokens and words of trees change with them."""
        columns = dict(columns)
        for k, side in enumerate(self._sides):
            texts = [
                "".join(repaired(pieces, cut, self._names))
                for pieces, cut in self._pieces(k, sites, host, filler)
            ]
            columns[side.name] = pa.array(texts, pa.string())
        if "tokens" in columns:
            columns["tokens"] = _forms_in_texts(columns["text"], columns["tokens"])
        for name, text in (("tree", "text"), ("tree_pair", "text_pair")):
            if name in columns:
                columns[name] = _repaired_trees(columns[name], columns[text])
        return columns

    def _pieces(self, k: int, sites: Sites, host: IntArray, filler: IntArray) -> Any:
        side = self._sides[k]
        for h, f in zip(host.tolist(), filler.tolist(), strict=True):
            i, d = int(sites.example[h]), int(sites.example[f])
            first, last = (side.offsets[i] + b[h, k] for b in (sites.start, sites.end))
            put, stop = (side.offsets[d] + b[f, k] for b in (sites.start, sites.end))
            a, b = side.start[first], side.end[last - 1]
            pieces = (
                self._decode(side, side.text_offsets[i], a),
                self._decode(side, side.start[put], side.end[stop - 1]),
                self._decode(side, b, side.text_offsets[i + 1]),
            )
            yield pieces, self._decode(side, a, b)

    @staticmethod
    def _decode(side: Side, first: Any, last: Any) -> str:
        return side.text[first:last].tobytes().decode("utf-8")


def _forms_in_texts(texts: pa.Array, tokens: pa.Array) -> pa.Array:
    rows = [
        _renamed(text, words)
        for text, words in zip(texts.to_pylist(), tokens.to_pylist(), strict=True)
    ]
    return pa.array(rows, tokens.type)


def _repaired_trees(trees: pa.Array, texts: pa.Array) -> pa.Array:
    bank = Treebank.parse("\n".join(trees.to_pylist()))
    symbols = bank.symbols
    words: list[str] = []
    for text, leaves in zip(texts.to_pylist(), bank.sentences(), strict=True):
        words += _renamed(text, leaves)
    names = SymbolTable(symbols)
    label = bank.label.copy()
    label[bank.is_word] = np.array([names.add(word) for word in words], np.int32)
    return bank.relabel(label, names).brackets().cast(pa.string())


def _renamed(text: str, words: Sequence[str]) -> list[str]:
    """Return the words as a repaired text writes them: an article or a capital may differ."""
    renamed, at = [], 0
    for word in words:
        rest = text[at:].lstrip()
        at = len(text) - len(rest)
        forms = (word, word[:1].upper() + word[1:], word[:1].lower() + word[1:])
        articles = ("a", "an", "A", "An") if word.lower() in ("a", "an") else ()
        form = next((f for f in (*forms, *articles) if _stands(rest, f)), word)
        renamed.append(form)
        at += len(form)
    return renamed


def _stands(text: str, form: str) -> bool:
    if form.lower() in ("a", "an"):
        return re.match(re.escape(form) + r"(?!\w)", text) is not None
    return text.startswith(form)

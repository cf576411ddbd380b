"""Words that no method may change: by a pattern, by their numbers, by character spans."""

from __future__ import annotations

import re

import numpy as np

from grammar.arrays import BoolArray
from grammar.errors import CorpusError, OptionError
from grammar.expressions.positions import Automaton, UnreadableError
from grammar.expressions.searching import MOST_STEPS, Search
from induction.corpus.corpus import Corpus
from sampling.examples.text_columns import Side
from sampling.examples.word_places import size_of

__all__ = ["protected_words"]


def protected_words(corpus: Corpus, side: Side, pattern: str | None) -> BoolArray:
    """Return which words of a side no substitution may touch.

    Parameters
    ----------
    corpus : Corpus
        A column ``protected`` (of the words of ``text``) holds token numbers, or entities as
        structs of ``start`` and ``end`` in characters.
    pattern : str, optional
        A regular expression; a word that shares a character with a match is protected.

    Raises
    ------
    OptionError
        If the pattern is not a regular expression, or may take more than
        :data:`~grammar.expressions.searching.MOST_STEPS` steps in a text.
    CorpusError
        If the column holds something else, or places that are not there.
    """
    mask = np.zeros(len(side.start), np.bool_)
    if pattern is not None:
        try:
            compiled = re.compile(pattern)
            search = Search(Automaton(pattern))
        except UnreadableError as error:
            raise OptionError(
                f"protect={pattern!r} holds {error}, and there is no telling how long it takes",
                hint="write it without, as words with | between",
            ) from None
        except re.error as error:
            raise OptionError(
                f"protect={pattern!r} is not a regular expression: {error}",
                hint=r"escape special signs, as in r'\[COL\]'",
            ) from None
        for i, text in enumerate(corpus.column(side.name)):
            if not search.can_take(text):
                raise OptionError(
                    f"protect={pattern!r} may take more than {MOST_STEPS:,} steps in this text",
                    where=corpus.where(i),
                    hint="let repetitions not go back into what they took, as in (?>\\w+) or \\w++",
                )
            for match in compiled.finditer(text):
                _mark(mask, side, i, text, match.start(), match.end())
    if side.name == "text" and "protected" in corpus.names:
        _mark_column(mask, corpus, side)
    return mask


def _mark(mask: BoolArray, side: Side, i: int, text: str, first: int, last: int) -> None:
    row = slice(int(side.offsets[i]), int(side.offsets[i + 1]))
    begin = int(side.text_offsets[i]) + size_of(text[:first])
    stop = begin + size_of(text[first:last])
    mask[row] |= (side.start[row] < stop) & (side.end[row] > begin)


def _mark_column(mask: BoolArray, corpus: Corpus, side: Side) -> None:
    texts = corpus.column("text")
    for i, places in enumerate(corpus.column("protected")):
        for place in places or ():
            if isinstance(place, dict) and {"start", "end"} <= set(place):
                _mark(mask, side, i, texts[i], place["start"], place["end"])
            elif isinstance(place, int) and 0 <= place < side.offsets[i + 1] - side.offsets[i]:
                mask[side.offsets[i] + place] = True
            else:
                raise CorpusError(
                    f"the column 'protected' holds {place!r}",
                    where=corpus.where(i),
                    hint="give word numbers from 0, or {'start': ..., 'end': ...} in characters",
                )

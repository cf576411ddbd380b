"""What was given wears out, so that a choice does not come back to what a model likes best.

The odds of an attempt are divided by one more than the times that its host was given, and by one
more than the times that what it puts there was. (Of pairs only hosts wear out so.) They are also
divided by the cube of how worn its phrases are (:mod:`sampling.joins.phrases`), in the geometric
mean.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray
from induction.corpus.corpus import Corpus
from sampling.examples.text_columns import read_side
from sampling.joins.phrases import Phrase, Phrases, phrases_of

__all__ = ["SIDES", "Traits", "Wear", "fillers_of", "traits_of"]

SIDES = ("text", "text_pair")
_POWER = 3.0


class Traits(NamedTuple):
    """What of each example wears out: its host, what was put in, and its phrases."""

    hosts: list[str]
    fillers: list[str]
    phrases: list[list[Phrase]]


class Wear:
    """What was given so far.

    Parameters
    ----------
    source : mapping of str to sequence of str
        The texts that new ones are made from, by column.

    Examples
    --------
    >>> wear = Wear({"text": ["a dog ran", "a cat ran"]})
    >>> phrases = [phrases_of(["a", "cow", "ran"]), phrases_of(["no"])]
    >>> traits = Traits(["1", "2"], ["cat", "dog"], phrases)
    >>> wear.give(traits, 0)
    >>> wear.of(traits).round(2).tolist()  # its host, its filler, and phrases that are new
    [3.47, 0.0]
    """

    def __init__(self, source: Mapping[str, Sequence[str]]) -> None:
        self._hosts: Counter[str] = Counter()
        self._fillers: Counter[str] = Counter()
        self._phrases = Phrases(_phrases_of(source.values()))

    def of(self, traits: Traits) -> FloatArray:
        """Return by how much the logarithm of the odds of each example is less."""
        worn = np.log1p([self._hosts[name] for name in traits.hosts])
        worn += np.log1p([self._fillers[name] for name in traits.fillers])
        of_phrases = [
            sum(map(self._phrases.worn, phrases)) / max(1, len(phrases))
            for phrases in traits.phrases
        ]
        return worn + _POWER * np.array(of_phrases)

    def give(self, traits: Traits, row: int) -> None:
        """Hear that an example was given."""
        self._hosts[traits.hosts[row]] += bool(traits.hosts[row])
        self._fillers[traits.fillers[row]] += bool(traits.fillers[row])
        self._phrases.give(traits.phrases[row])


def traits_of(table: pa.Table) -> Traits:
    """Return what of each example wears out."""
    sides = [table.column(name).to_pylist() for name in SIDES if name in table.column_names]
    return Traits(_hosts_of(table), fillers_of(table), _phrases_of(sides))


def _phrases_of(sides: Iterable[Sequence[str]]) -> list[list[Phrase]]:
    """Return the phrases of examples, in small letters; of all sides together."""
    return [
        [phrase for text in row for phrase in phrases_of(text.lower().split())]
        for row in zip(*sides, strict=True)
    ]


def _hosts_of(table: pa.Table) -> list[str]:
    """Return the first parent of each example; nothing where there is none."""
    made: Any = table.column("provenance").combine_chunks()
    return [parents[0] if parents else "" for parents in made.field("parents").to_pylist()]


def fillers_of(table: pa.Table) -> list[str]:
    """Return the words that were put into each example, in small letters; of many spans, all.

    Nothing of pairs, as provenance does not say which text a span is of. A text that is split into
    words again may have fewer than were put together (*can* and *not* side by side); then what is
    behind them counts a little otherwise, which a count of what was given can bear.
    """
    if SIDES[1] in table.column_names:
        return [""] * len(table)
    made: Any = table.column("provenance").combine_chunks()
    side = read_side(Corpus(table))
    forms = [form.lower() for form in side.forms.to_pylist()]
    codes = side.codes.tolist()
    found = []
    bounds = itertools.pairwise(side.offsets.tolist())
    for (first, last), spans in zip(bounds, made.field("spans").to_pylist(), strict=True):
        words = codes[first:last]
        inside = sorted({at for span in spans for at in range(span["start"], span["end"])})
        found.append(" ".join(forms[words[at]] for at in inside if at < len(words)))
    return found

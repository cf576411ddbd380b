"""What was given wears out, so that a choice does not come back to what a model likes best.

The odds of an attempt are divided by one more than the times that its host was given, and by one
more than the times that what it puts there was. (Of pairs only hosts wear out so.) They are also
divided by the cube of how many times as often its phrases were given as the source has them, in the
geometric mean: so no turn of phrase becomes much more frequent than people make it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray
from induction.corpus.corpus import Corpus
from sampling.examples.sides import read_side

__all__ = ["SIDES", "Traits", "Wear", "fillers_of", "phrases_of", "traits_of"]

SIDES = ("text", "text_pair")
_WORDS = 3
"""A phrase is so many words running; ends of texts count as words."""
_POWER = 3.0
_END = ""
Phrase = tuple[str, ...]


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
    >>> traits = Traits(["1", "2"], ["cat", "dog"], [phrases_of("a cow ran"), phrases_of("no")])
    >>> wear.give(traits, 0)
    >>> wear.of(traits).round(2).tolist()  # its host, its filler, and phrases that are new
    [3.47, 0.0]
    """

    def __init__(self, source: Mapping[str, Sequence[str]]) -> None:
        self._made = 0
        self._hosts: Counter[str] = Counter()
        self._fillers: Counter[str] = Counter()
        self._phrases: Counter[Phrase] = Counter()
        self._usual: Counter[Phrase] = Counter()
        self._source = max(1, max(map(len, source.values()), default=0))
        for texts in source.values():
            for text in texts:
                self._usual.update(phrases_of(text))

    def of(self, traits: Traits) -> FloatArray:
        """Return by how much the logarithm of the odds of each example is less."""
        worn = np.log1p([self._hosts[name] for name in traits.hosts])
        worn += np.log1p([self._fillers[name] for name in traits.fillers])
        return worn + _POWER * np.array([self._of_phrases(each) for each in traits.phrases])

    def _of_phrases(self, phrases: Sequence[Phrase]) -> float:
        """Return the mean logarithm of how many times as often phrases were given as is usual."""
        total = 0.0
        for phrase in phrases:
            times = self._phrases[phrase]
            if times:
                usual = self._made * self._usual[phrase] / self._source
                total += max(0.0, float(np.log((1 + times) / (1 + usual))))
        return total / max(1, len(phrases))

    def give(self, traits: Traits, row: int) -> None:
        """Hear that an example was given."""
        self._made += 1
        self._hosts[traits.hosts[row]] += bool(traits.hosts[row])
        self._fillers[traits.fillers[row]] += bool(traits.fillers[row])
        self._phrases.update(traits.phrases[row])


def traits_of(table: pa.Table) -> Traits:
    """Return what of each example wears out."""
    sides = [table.column(name).to_pylist() for name in SIDES if name in table.column_names]
    phrases = [
        [phrase for text in row for phrase in phrases_of(text)] for row in zip(*sides, strict=True)
    ]
    return Traits(_hosts_of(table), fillers_of(table), phrases)


def phrases_of(text: str) -> list[Phrase]:
    """Return the phrases of a text, in small letters.

    >>> phrases_of("It is")
    [('', 'it', 'is'), ('it', 'is', '')]
    """
    words = [_END, *text.lower().split(), _END]
    return list(zip(*(words[k:] for k in range(_WORDS)), strict=False))


def _hosts_of(table: pa.Table) -> list[str]:
    """Return the first parent of each example; nothing where there is none."""
    made: Any = table.column("provenance").combine_chunks()
    return [parents[0] if parents else "" for parents in made.field("parents").to_pylist()]


def fillers_of(table: pa.Table) -> list[str]:
    """Return the words that were put into each example, in small letters; of many spans, all.

    Nothing of pairs, as provenance does not say which text a span is of. A text that is split into
    words anew may have fewer than were put together (*can* and *not* side by side); then what is
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

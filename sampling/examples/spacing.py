"""New sentences written as the texts of a corpus are: what stands between tokens.

Texts that are tokenised stay so. Others are written by NLTK's detokeniser, but where the corpus
itself writes two neighbours otherwise, as it does.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from grammar.saving.facts import FLAG, TEXT, Fields, each, row
from grammar.trees.surfaces import surface_of
from induction.corpus.text.tokens import detokenise
from sampling.examples.text_columns import Side, are_tokenised
from sampling.examples.word_places import place_words

__all__ = ["Spacing", "learn_spacing"]

_QUOTES = ("``", "''")
_LEAST = 3
"""So often a corpus must have written two neighbours in one way, and nine times as often as not."""
Pair = tuple[str, str]


@dataclass(frozen=True)
class Spacing:
    """How a corpus writes tokens as text.

    Attributes
    ----------
    tokenised : bool
        Every token is parted from the next by a space.
    joined : mapping of (str, str) to bool
        Neighbours that the corpus writes otherwise than the detokeniser: whether they touch.
    quotes : mapping of str to str
        How it writes the quotes of the Penn Treebank.
    """

    tokenised: bool = True
    joined: Mapping[Pair, bool] = field(default_factory=dict)
    quotes: Mapping[str, str] = field(default_factory=dict)

    fields: ClassVar = Fields(
        {},
        {
            "tokenised": FLAG, "joined": each(row(TEXT, TEXT, FLAG)),
            "quotes": Fields({}, others=TEXT),
        },
    )  # fmt: skip
    """What :meth:`to_notes` returns."""

    def write(self, words: Sequence[str]) -> str:
        """Return the text of a sentence.

        >>> Spacing().write(["Go", "-LRB-", "now", "-RRB-", "."])
        'Go ( now ) .'
        >>> Spacing(tokenised=False, joined={("now", ")"): False}).write(
        ...     ["Go", "-LRB-", "now", "-RRB-", "."])
        'Go (now ).'
        """
        surfaces = [surface_of(word) for word in words]
        if self.tokenised:
            return " ".join(surfaces)
        forms = [self.quotes.get(word, form) for word, form in zip(words, surfaces, strict=True)]
        gaps = ("" if touches else " " for touches in self._touching(words, surfaces))
        return "".join(itertools.chain(*zip(forms, gaps, strict=False), forms[-1:]))

    def _touching(self, words: Sequence[str], surfaces: Sequence[str]) -> Iterator[bool]:
        """Yield whether each word touches the next."""
        for pair, touches in zip(
            itertools.pairwise(surfaces), touching(words, detokenise(words)), strict=True
        ):
            yield self.joined.get(pair, touches)

    def to_notes(self) -> dict[str, Any]:
        """Return what JSON can hold of it."""
        joined = [[*pair, touches] for pair, touches in self.joined.items()]
        return {"tokenised": self.tokenised, "joined": joined, "quotes": dict(self.quotes)}

    @classmethod
    def from_notes(cls, notes: Mapping[str, Any]) -> Spacing:
        """Read what :meth:`to_notes` returned; :attr:`fields` says what that is."""
        joined = {(a, b): touches for a, b, touches in notes.get("joined", [])}
        return cls(notes.get("tokenised", True), joined, dict(notes.get("quotes", {})))


def touching(words: Sequence[str], text: str) -> list[bool]:
    """Return of the words of a text, but the last, whether each touches the next.

    Words that are not found in the text, as they are written otherwise, touch none.

    >>> touching(["It", "'s", "-LRB-", "so", "-RRB-", "good"], "It's (so) good")
    [True, False, True, True, False]
    """
    try:
        places = place_words(text, words)
    except LookupError:
        return [False] * (len(words) - 1)
    return [a[1] == b[0] for a, b in itertools.pairwise(places)]


def learn_spacing(side: Side) -> Spacing:
    """Learn how texts are written whose tokens are known.

    Examples
    --------
    >>> from induction.corpus.corpus import Corpus
    >>> from sampling.examples.text_columns import read_side
    >>> words = ["``", "Go", "''", ",", "she", "said", "–", "now", "."]
    >>> corpus = Corpus.from_columns(text=["“Go”, she said – now."] * 3, tokens=[words] * 3)
    >>> spacing = learn_spacing(read_side(corpus))
    >>> spacing.write(["He", "said", "``", "come", "''", "."])
    'He said “come”.'
    """
    texts = [
        side.text[a:b].tobytes().decode() for a, b in itertools.pairwise(side.text_offsets.tolist())
    ]
    if are_tokenised(pa.array(texts, pa.string())):
        return Spacing()
    forms = np.array(side.forms.to_pylist(), object)[side.codes]
    seen: Counter[tuple[Pair, bool]] = Counter()
    made: Counter[tuple[Pair, bool]] = Counter()
    quotes: Counter[tuple[str, str]] = Counter()
    for i in range(len(texts)):
        row = slice(int(side.offsets[i]), int(side.offsets[i + 1]))
        words = forms[row].tolist()
        pairs = list(itertools.pairwise(surface_of(word) for word in words))
        touch = (side.start[row][1:] == side.end[row][:-1]).tolist()
        seen.update(zip(pairs, touch, strict=True))
        made.update(zip(pairs, touching(words, detokenise(words)), strict=True))
        for word, a, b in zip(words, side.start[row].tolist(), side.end[row].tolist(), strict=True):
            if word in _QUOTES:
                quotes[word, side.text[a:b].tobytes().decode()] += 1
    joined = {}
    for pair in dict.fromkeys(pair for pair, _ in seen):
        apart, together = seen[pair, False], seen[pair, True]
        sure = max(apart, together) >= _LEAST and min(apart, together) * 9 <= max(apart, together)
        if sure and (together > apart) != (made[pair, True] > made[pair, False]):
            joined[pair] = together > apart
    found = {word: sign for (word, sign), _ in reversed(quotes.most_common())}
    plain = dict.fromkeys(_QUOTES, '"')
    return Spacing(False, joined, plain | found)

"""Names in questions of ATIS, learnt from training pairs and hidden behind marks.

``flights from san francisco on american`` and the flat form ``... from$0/1 san_francisco:ci
airline$0/1 aa:al`` become ``flights from ci0 on al0`` and ``... from$0/1 ci0 airline$0/1 al0``.
Which words stand for which name is not given: a name is linked to the phrase that says most about
it (*noon* for ``1200:ti``), the strongest links first, so that no word has two names (competitive
linking, Melamed 2000).

References
----------
Melamed (2000), *Models of translational equivalence among words*, Computational Linguistics 26:2.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["HiddenPair", "Names", "learn_names"]

_NAME = re.compile(r"[^$/:]+:[a-z]+")
_MARK = re.compile(r"([a-z]+)\d+")
_LONGEST = 4
"""Words of a phrase at most."""
_LEAST = 0.8
"""Share of the questions with a phrase that must have its name."""
_FEW = 3
"""Questions with a phrase and a name that is not written with its words, at least."""
_ROUNDS = 3
_BINDERS = ("lambda:",)

Phrase = tuple[str, ...]
Links = dict[Phrase, str]


class HiddenPair(NamedTuple):
    """A question and a flat form with marks, and the name of each mark."""

    text: str
    target: str
    names: dict[str, str]


@dataclass(frozen=True, slots=True)
class Names:
    """Phrases that stand for names.

    Attributes
    ----------
    links : dict of tuple of str to str
        By phrase, its name as it stands in a flat form.
    """

    links: Links

    def hide(self, text: str, target: str = "") -> HiddenPair:
        """Put marks for the names of a question, and for the same names in its flat form.

        >>> names = Names({("new", "york"): "new_york:ci", ("noon",): "1200:ti"})
        >>> names.hide("to new york at noon", "lambda:e to$0/1 new_york:ci")[:2]
        ('to ci0 at ti0', 'lambda:e to$0/1 ci0')
        """
        marks: dict[str, str] = {}
        numbers: Counter[str] = Counter()
        words: list[str] = []
        for phrase in _divided(text.split(), self.links):
            name = self.links.get(phrase)
            if name is None:
                words += phrase
                continue
            if name not in marks:
                kind = name.rpartition(":")[2]
                marks[name] = f"{kind}{numbers[kind]}"
                numbers[kind] += 1
            words.append(marks[name])
        hidden = " ".join(marks.get(word, word) for word in target.split())
        return HiddenPair(" ".join(words), hidden, {mark: name for name, mark in marks.items()})


def learn_names(pairs: Iterable[tuple[str, str]]) -> Names:
    """Link names to phrases.

    Parameters
    ----------
    pairs : iterable of (question, flat form)
        Training pairs.

    Examples
    --------
    >>> pairs = [("to new york at noon", "lambda:e to$0/1 new_york:ci departure_time$0/1 1200:ti"),
    ...     ("leaving at noon", "lambda:e departure_time$0/1 1200:ti"),
    ...     ("noon to boston", "lambda:e to$0/1 boston:ci departure_time$0/1 1200:ti"),
    ...     ("leaving at 5pm", "lambda:e departure_time$0/1 1700:ti")]
    >>> learn_names(pairs).links
    {('boston',): 'boston:ci', ('new', 'york'): 'new_york:ci', ('noon',): '1200:ti'}
    """
    rows = [(text.split(), _names(target)) for text, target in dict.fromkeys(pairs)]
    links: Links = {}
    for _ in range(_ROUNDS):
        divided = [_divided(words, links) for words, _ in rows]
        found = _linked(divided, [names for _, names in rows], links)
        if not found.keys() - links.keys():
            break
        links |= found
    return Names(dict(sorted(links.items())))


def _names(target: str) -> set[str]:
    return {w for w in target.split() if _NAME.fullmatch(w) and not w.startswith(_BINDERS)}


def _divided(words: Sequence[str], links: Mapping[Phrase, str]) -> list[Phrase]:
    """Divide a question into phrases that have names, the longest first, and single words."""
    made, at = [], 0
    while at < len(words):
        lengths = range(min(_LONGEST, len(words) - at), 1, -1)
        length = next((n for n in lengths if tuple(words[at : at + n]) in links), 1)
        made.append(tuple(words[at : at + length]))
        at += length
    return made


def _linked(divided: Sequence[Sequence[Phrase]], names: Sequence[set[str]], known: Links) -> Links:
    """Link phrases of whole parts to names, at most one name to a word in each question."""
    spans = [list(_spans(parts)) for parts in divided]
    asked: Counter[Phrase] = Counter()
    told: Counter[str] = Counter()
    both: Counter[tuple[Phrase, str]] = Counter()
    for found, own in zip(spans, names, strict=True):
        phrases = {phrase for phrase, _, _ in found}
        asked.update(phrases)
        told.update(own)
        both.update((phrase, name) for phrase in phrases for name in own)
    strength = {
        (phrase, name): (_is_same(phrase, name), n * n / (asked[phrase] * told[name]), len(phrase))
        for (phrase, name), n in both.items()
        if _is_same(phrase, name) or (n >= _FEW and n >= _LEAST * asked[phrase])
    }
    chosen: defaultdict[Phrase, Counter[str]] = defaultdict(Counter)
    for found, own in zip(spans, names, strict=True):
        links = sorted(
            ((strength[p, name], begin, end, p, name) for p, begin, end in found for name in own
             if (p, name) in strength),
            reverse=True,
        )  # fmt: skip
        taken: set[int] = set()
        linked: set[str] = set()
        for _, begin, end, phrase, name in links:
            if name not in linked and taken.isdisjoint(range(begin, end)):
                taken.update(range(begin, end))
                linked.add(name)
                chosen[phrase][name] += 1
    best = {phrase: counts.most_common(1)[0] for phrase, counts in chosen.items()}
    return {
        phrase: name
        for phrase, (name, n) in best.items()
        if phrase not in known and n >= _LEAST * asked[phrase]
    }


def _spans(parts: Sequence[Phrase]) -> Iterable[tuple[Phrase, int, int]]:
    """Yield the phrases of one part or more, with the parts where they begin and end."""
    for begin in range(len(parts)):
        phrase: Phrase = ()
        for end in range(begin, len(parts)):
            phrase += parts[end]
            if len(phrase) > _LONGEST:
                break
            yield phrase, begin, end + 1


def _is_same(phrase: Phrase, name: str) -> bool:
    """Say whether a name is written with the words of a phrase."""
    return "_".join(phrase) == name.rpartition(":")[0]

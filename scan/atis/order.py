"""Conditions of a flat form in the order in which its question speaks of them.

Conjuncts are a set, so their order says nothing and may be chosen. In the order of the question, a
rule need not exchange what it holds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from scan.atis.forms import set_order
from scan.atis.names import HiddenPair

__all__ = ["in_order"]

_FEW = 2
_LEAST = 0.5
"""Share of the questions with a word that must have a word of the form for it to be its place."""


def in_order(pairs: Sequence[HiddenPair]) -> list[tuple[str, str]]:
    """Return questions and flat forms, with the parts of sets in the order of the questions.

    A part stands where the first of its marks stands in the question; one without marks where the
    first word stands that is most associated with a word of it; others come first.

    Examples
    --------
    >>> pairs = [
    ...     ("flights to ci0 from ci1", "lambda:e flight$0 from$0/1 ci1 to$0/1 ci0"),
    ...     ("flights to ci0", "lambda:e flight$0 to$0/1 ci0"),
    ...     ("from ci0", "lambda:e from$0/1 ci0"),
    ... ]
    >>> in_order([HiddenPair(*pair, {}) for pair in pairs])[0][1]
    'lambda:e flight$0 to$0/1 ci0 from$0/1 ci1'
    """
    places = _associated(pairs)
    return [(pair.text, _ordered(pair, places)) for pair in pairs]


def _ordered(pair: HiddenPair, places: dict[str, dict[str, float]]) -> str:
    at = {word: i for i, word in reversed(list(enumerate(pair.text.split())))}

    def key(part: Sequence[str]) -> float:
        marks = [at[word] for word in part if word in at]
        found = ((s, -at[w]) for word in part for w, s in places.get(word, {}).items() if w in at)
        return min(marks) if marks else -max(found, default=(0.0, 1))[1]

    return set_order(pair.target, key)


def _associated(pairs: Sequence[HiddenPair]) -> dict[str, dict[str, float]]:
    """Return by word of a form, the strength of each word of questions: p(v | w) p(w | v)."""
    sources, targets = Counter[str](), Counter[str]()
    both: Counter[tuple[str, str]] = Counter()
    for text, target in {(pair.text, pair.target) for pair in pairs}:
        words = set(text.split())
        made = set(target.split()) - words
        sources.update(words)
        targets.update(made)
        both.update((w, v) for w in words for v in made)
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for (w, v), n in both.items():
        if n >= _FEW and n >= _LEAST * sources[w]:
            found[v][w] = n * n / (sources[w] * targets[v])
    return dict(found)

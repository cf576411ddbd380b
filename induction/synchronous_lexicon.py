"""Which source word is necessary for which target word?

By mutual necessity, a source word and a target word belong together if each occurs in a pair
exactly when the other does. Noisy data break that, so there are two fallbacks: the same with a
threshold on both conditional shares, and the intersection of IBM model 1 in both directions
(Brown et al. 1993).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Literal

from grammar.errors import OptionError
from induction.synchronous_pairs import TrainingPairs

__all__ = ["Lexicon", "LexiconMethod", "induce_lexicon"]

LexiconMethod = Literal["auto", "necessity", "association", "ibm1"]
Lexicon = dict[str, frozenset[str]]
"""By coded target word, the coded source words of which one must be there."""

_METHODS = ("auto", "necessity", "association", "ibm1")
_ROUNDS = 10


def induce_lexicon(
    pairs: TrainingPairs, *, method: LexiconMethod = "auto", threshold: float = 0.9
) -> Lexicon:
    """Find the target words that need a certain source word.

    Parameters
    ----------
    pairs : TrainingPairs
        Distinct pairs.
    method : {"auto", "necessity", "association", "ibm1"}
        ``"auto"`` is necessity, or ``"association"`` where that finds nothing.
    threshold : float
        Least share p(w | v) and p(v | w) of the two fallbacks, above 0.5.

    Raises
    ------
    OptionError
        If the method is unknown or the threshold is not above 0.5 and at most 1.
    """
    if method not in _METHODS:
        raise OptionError(
            f"unknown lexicon method {method!r}", hint=f"choose one of {', '.join(_METHODS)}"
        )
    if not 0.5 < threshold <= 1.0:
        raise OptionError(
            f"the threshold {threshold!r} is not above 0.5 and at most 1", hint="for example 0.9"
        )
    if method == "ibm1":
        return _aligned(pairs, threshold)
    found = _associated(pairs, 1.0 if method in ("auto", "necessity") else threshold)
    return _associated(pairs, threshold) if method == "auto" and not found else found


def _associated(pairs: TrainingPairs, threshold: float) -> Lexicon:
    sources: Counter[str] = Counter()
    targets: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for source, target in pairs.pairs:
        words, made = set(source), set(target)
        sources.update(words)
        targets.update(made)
        both.update((w, v) for w in words for v in made)
    found: dict[str, set[str]] = defaultdict(set)
    for (w, v), n in both.items():
        if n >= threshold * sources[w] and n >= threshold * targets[v]:
            found[v].add(w)
    return {v: frozenset(words) for v, words in sorted(found.items())}


def _aligned(pairs: TrainingPairs, threshold: float) -> Lexicon:
    forward = _model_one([(s, t) for s, t in pairs.pairs])
    backward = _model_one([(t, s) for s, t in pairs.pairs])
    found: dict[str, set[str]] = defaultdict(set)
    for (w, v), share in forward.items():
        if share >= threshold and backward.get((v, w), 0.0) >= threshold:
            found[v].add(w)
    return {v: frozenset(words) for v, words in sorted(found.items())}


def _model_one(pairs: list[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return p(v | w), the translation table of IBM model 1, by (w, v)."""
    table: dict[tuple[str, str], float] = defaultdict(lambda: 1.0)
    for _ in range(_ROUNDS):
        counts: dict[tuple[str, str], float] = defaultdict(float)
        totals: dict[str, float] = defaultdict(float)
        for source, target in pairs:
            for v in target:
                total = sum(table[w, v] for w in source)
                for w in source:
                    share = table[w, v] / total
                    counts[w, v] += share
                    totals[w] += share
        table = defaultdict(float, {(w, v): n / totals[w] for (w, v), n in counts.items()})
    return dict(table)

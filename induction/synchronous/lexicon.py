"""Which source word is necessary for which target word?

By mutual necessity, a source word and a target word belong together if each occurs in a pair
exactly when the other does. Noisy data break that, so there are two fallbacks: the same with a
threshold on both conditional shares, and the same of links instead of occurrences, where a pair
links two words if each is the other's best by IBM model 1 (Brown et al. 1993, *The mathematics of
statistical machine translation*; the intersection of both directions, Och & Ney 2003).
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from grammar.errors import OptionError
from induction.synchronous.pairs import TrainingPairs

__all__ = [
    "LEXICONS",
    "Lexicon",
    "brackets",
    "induce_lexicon",
    "is_balanced",
    "linked_words",
    "translations",
]

LEXICONS = ("auto", "necessity", "association", "ibm1")
"""How to find which source word a target word needs."""
Lexicon = dict[str, frozenset[str]]
"""By coded target word, the coded source words of which one must be there."""

_ROUNDS = 10
_TIE = 1e-9
_SEVERAL = 2
"""Pairs that say together what one says by chance, at least."""
_FEWEST = 10
"""Texts that two words must be brackets of."""


def induce_lexicon(
    pairs: TrainingPairs, *, method: str = "auto", threshold: float = 0.9
) -> Lexicon:
    """Find the target words that need a certain source word.

    Parameters
    ----------
    pairs : TrainingPairs
        Distinct pairs.
    method : {"auto", "necessity", "association", "ibm1"}
        ``"auto"`` is necessity, or ``"association"`` for words of which that finds nothing.
    threshold : float
        Least share p(w | v) and p(v | w) of the two fallbacks, above 0.5: of the pairs with one
        of the words, those that have (``"association"``) or link (``"ibm1"``) both. With
        ``"association"``, words that stand where those with this share do not are needed, too.

    Raises
    ------
    OptionError
        If the method is unknown or the threshold is not above 0.5 and at most 1.
    """
    if method not in LEXICONS:
        raise OptionError(
            f"unknown lexicon method {method!r}", hint=f"choose one of {', '.join(LEXICONS)}"
        )
    if not 0.5 < threshold <= 1.0:
        raise OptionError(
            f"the threshold {threshold!r} is not above 0.5 and at most 1", hint="for example 0.9"
        )
    if method == "ibm1":
        return _aligned(pairs, threshold)
    exact = {} if method == "association" else _associated(pairs, 1.0)
    if method == "necessity":
        return exact
    return _with_exceptions(pairs, _associated(pairs, threshold)) | exact


def translations(lexicon: Lexicon) -> set[tuple[str, str]]:
    """Return the source and target words that belong to each other and to no other word.

    >>> sorted(translations({"A": frozenset("a"), "B": frozenset("bc"), "C": frozenset("c")}))
    [('a', 'A')]
    """
    targets = Counter(word for words in lexicon.values() for word in words)
    return {(w, v) for v, words in lexicon.items() for w in words if len(words) == targets[w] == 1}


def brackets(texts: Sequence[str]) -> frozenset[tuple[str, str]]:
    """Return the words that open and close: none is without the other in any text.

    Every text has as many of one as of the other, and no beginning of it has more of those that
    close. What derives a part of such texts has both or neither, too, and so parts that cut
    through a term are none.

    Examples
    --------
    >>> texts = ["f(a)", "f(g(a))", "g(b)g(a)"]
    >>> sorted(brackets(texts * 4))
    [('(', ')')]
    """
    alike: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for word in sorted(set().union(*texts)):
        alike[tuple(text.count(word) for text in texts)].append(word)
    return frozenset(
        pair
        for counts, words in alike.items()
        if sum(map(bool, counts)) >= _FEWEST
        for pair in itertools.permutations(words, 2)
        if all(is_balanced(text, [pair]) for text in texts)
    )


def is_balanced(text: str, pairs: Iterable[tuple[str, str]]) -> bool:
    """Say whether every word that opens is closed, and none is closed that is not open.

    >>> is_balanced("f(g(a))", [("(", ")")]), is_balanced("a)f(", [("(", ")")])
    (True, False)
    """
    for opening, closing in pairs:
        depth = 0
        for word in text:
            depth += (word == opening) - (word == closing)
            if depth < 0:
                return False
        if depth:
            return False
    return True


def _associated(pairs: TrainingPairs, threshold: float) -> Lexicon:
    both = Counter(
        (w, v) for source, target in pairs.pairs for w in set(source) for v in set(target)
    )
    return _necessary(pairs, both, threshold)


def _with_exceptions(pairs: TrainingPairs, lexicon: Lexicon) -> Lexicon:
    """Add source words that target words stand with where they have none of those that they need.

    ``)`` may be in nearly all pairs, as *the* is, and in those with *minus* and without *the*. Of
    words that always have it, those are added that several such pairs have, the commonest first.
    """
    sources = Counter(w for source, _ in pairs.pairs for w in set(source))
    found = dict(lexicon)
    for v in lexicon:
        having = [frozenset(source) for source, target in pairs.pairs if v in target]
        with_v = Counter(itertools.chain.from_iterable(having))
        while len(having) < len(pairs):  # else all words always have it
            excepted = Counter(
                w for words in having if found[v].isdisjoint(words)
                for w in words if with_v[w] == sources[w]
            )  # fmt: skip
            most = max(excepted.values(), default=0)
            if most < _SEVERAL:
                break
            found[v] |= {w for w, n in excepted.items() if n == most}
    return found


def linked_words(pairs: Sequence[tuple[str, str]]) -> Iterator[set[tuple[str, str]]]:
    """Yield for each pair the source and target words that explain each other best in it.

    >>> list(linked_words([("a", "A"), ("ab", "BA"), ("b", "B")]))[1] == {("a", "A"), ("b", "B")}
    True
    """
    forward = _model_one(pairs)
    backward = _model_one([(target, source) for source, target in pairs])
    for source, target in pairs:
        found = _best(backward, target, source)
        yield {(w, v) for w, v in _best(forward, source, target) if (v, w) in found}


def _aligned(pairs: TrainingPairs, threshold: float) -> Lexicon:
    both = Counter(itertools.chain.from_iterable(linked_words(pairs.pairs)))
    return _necessary(pairs, both, threshold)


def _best(table: dict[tuple[str, str], float], source: str, target: str) -> set[tuple[str, str]]:
    """Return, for each word of the target, the words of the source that explain it best."""
    found: set[tuple[str, str]] = set()
    for v in set(target):
        best = max(table[w, v] for w in source)
        found.update((w, v) for w in source if table[w, v] >= best * (1 - _TIE))
    return found


def _necessary(pairs: TrainingPairs, both: Counter[tuple[str, str]], threshold: float) -> Lexicon:
    """Keep the pairs of words that are counted often enough for how often each of them occurs.

    Pairs without the source word must have the target word more rarely: a word that nearly every
    pair has goes with everything, so it says nothing.
    """
    sources = Counter(w for source, _ in pairs.pairs for w in set(source))
    targets = Counter(v for _, target in pairs.pairs for v in set(target))
    found: dict[str, set[str]] = defaultdict(set)
    for (w, v), n in both.items():
        often = n >= threshold * sources[w] and n >= threshold * targets[v]
        others, without = len(pairs) - sources[w], targets[v] - n
        if often and without * sources[w] < threshold * n * others:
            found[v].add(w)
    return {v: frozenset(words) for v, words in sorted(found.items())}


def _model_one(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
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

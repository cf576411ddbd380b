"""Which source word stands for which target word, where targets are terms.

Words are linked competitively (Melamed 2000, *Models of translational equivalence among words*,
Computational Linguistics 26:2): the strongest pair first, and a target word is free for another
source word only in pairs where no earlier one explains it. So ``eat``, ``ate`` and ``eaten`` can
share a lemma, while a word that is merely often about does not take what belongs to another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from grammar.errors import OptionError
from induction.terms.terms import MARKS, Term

__all__ = ["TermPair", "WordLexicon", "induce_word_lexicon"]


@dataclass(frozen=True, slots=True)
class TermPair:
    """A source sentence and the term that it means."""

    source: tuple[str, ...]
    term: Term


@dataclass(frozen=True, slots=True)
class WordLexicon:
    """Links from source words to target words.

    Attributes
    ----------
    target : dict of str to str
        By source word, the target word that it stands for. Words without one are not in it.
    sources : dict of str to tuple of str
        By target word, the source words that stand for it.
    """

    target: dict[str, str]
    sources: dict[str, tuple[str, ...]]

    def __len__(self) -> int:
        return len(self.target)


def induce_word_lexicon(pairs: Sequence[TermPair], *, threshold: float = 1.0) -> WordLexicon:
    """Link source words to target words.

    Parameters
    ----------
    pairs : sequence of TermPair
        Distinct pairs.
    threshold : float
        Least share p(v | w) of the pairs with source word w that have target word v, and least
        share of the pairs with v that have one of its source words; above 0.5. The default asks
        for necessity, which is right where targets have no faults.

    Raises
    ------
    OptionError
        If the threshold is not above 0.5 and at most 1.

    Examples
    --------
    >>> texts = [("ann ate", "eat ( agent = Ann )"), ("ann slept", "sleep ( agent = Ann )"),
    ...     ("bob ate", "eat ( agent = Bob )"), ("bob eats", "eat ( agent = Bob )")]
    >>> pairs = [TermPair(tuple(s.split()), Term.parse(t)) for s, t in texts]
    >>> induce_word_lexicon(pairs).sources["eat"]
    ('ate', 'eats')

    Notes
    -----
    The strength of (w, v) is p(v | w) p(w | v). A target word of which too few occurrences have a
    source word is left to the rules: it belongs to constructions and not to words.
    """
    if not 0.5 < threshold <= 1.0:
        raise OptionError(
            f"the threshold {threshold!r} is not above 0.5 and at most 1", hint="for example 0.9"
        )
    where = _Occurrences(pairs)
    candidates = where.candidates(threshold)
    chosen: dict[str, str] = {}
    while True:
        chosen, explained = _linked(where, candidates)
        share = {v: len(at) / len(where.targets[v]) for v, at in explained.items()}
        worst = min(share.values(), default=1.0)
        if worst >= threshold:
            break
        # only the worst ones go: without them, others may find words that they lack
        candidates = [(w, v) for w, v in candidates if share.get(v, 1.0) > worst]
    sources: defaultdict[str, list[str]] = defaultdict(list)
    for w, v in sorted(chosen.items()):
        sources[v].append(w)
    return WordLexicon(chosen, {v: tuple(words) for v, words in sorted(sources.items())})


def _linked(
    where: _Occurrences, candidates: Sequence[tuple[str, str]]
) -> tuple[dict[str, str], dict[str, set[int]]]:
    """Return the links, and the pairs in which they explain each target word."""
    chosen: dict[str, str] = {}
    explained: defaultdict[str, set[int]] = defaultdict(set)
    for w, v in candidates:
        if w in chosen:
            continue
        both = where.sources[w] & where.targets[v]
        # what other words have explained already is no reason to link this one; but two forms of
        # a word may well stand in one sentence
        if 2 * len(both - explained[v]) > len(where.sources[w]):
            chosen[w] = v
            explained[v] |= both
    return chosen, {v: at for v, at in explained.items() if at}


class _Occurrences:
    """In which pairs each source and each target word occurs."""

    def __init__(self, pairs: Sequence[TermPair]) -> None:
        self.sources: defaultdict[str, set[int]] = defaultdict(set)
        self.targets: defaultdict[str, set[int]] = defaultdict(set)
        self.together: Counter[tuple[str, str]] = Counter()
        for number, pair in enumerate(pairs):
            words, made = set(pair.source), set(pair.term.words) - set(MARKS)
            for w in words:
                self.sources[w].add(number)
            for v in made:
                self.targets[v].add(number)
            self.together.update((w, v) for w in words for v in made)

    def candidates(self, threshold: float) -> list[tuple[str, str]]:
        """Return (w, v) with p(v | w) of at least the threshold, the strongest first."""
        found = [
            (-n * n / (len(self.sources[w]) * len(self.targets[v])), w, v)
            for (w, v), n in self.together.items()
            if n >= threshold * len(self.sources[w])
        ]
        return [(w, v) for _, w, v in sorted(found)]

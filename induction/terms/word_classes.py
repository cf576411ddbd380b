"""Classes of words by the contexts in which they stand, and the contexts that each word may take.

A context is a place in a template. Contexts come in *strata* (the type of phrase that they make):
how often a word is a whole sentence says nothing about how it is used within one. The uses of a
class are a multinomial in each stratum, with a Dirichlet prior; two groups of words are one class
if their uses are more probable with one multinomial than with two (a Bayes factor, of which the
BIC is an approximation; Heller & Ghahramani 2005, *Bayesian hierarchical clustering*, ICML).

A word may take every context of each class that its own uses do not refute. A word that was seen
once can belong to several classes. One thing is withheld from it: contexts that have the same
source and different targets, unless it was seen in one of them, for a source has one meaning.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from scipy.special import gammaln

from grammar.arrays import FloatArray
from grammar.errors import OptionError

__all__ = ["Context", "WordClasses", "induce_word_classes"]

_SWEEPS = 20

Word = TypeVar("Word", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Context:
    """A place for a word.

    Attributes
    ----------
    stratum : str
        The type of phrase.
    source, target : str
        Its two sides. Contexts with the same source and different targets exclude each other.
    slot : int
        Which place it is.
    """

    stratum: str
    source: str
    target: str
    slot: int


@dataclass(frozen=True)
class WordClasses(Generic[Word]):
    """Classes and what they lead to.

    Attributes
    ----------
    classes : tuple of tuple of Word
        Every word is in one, the largest class first.
    admitted : dict of Context to tuple of Word
        Words that may stand in a context, those that were seen there included.
    seen : dict of Context to tuple of Word
        Words that were seen there.
    added : int
        How many (word, context) are admitted and were not seen.
    """

    classes: tuple[tuple[Word, ...], ...]
    admitted: dict[Context, tuple[Word, ...]]
    seen: dict[Context, tuple[Word, ...]]
    added: int


def induce_word_classes(
    uses: Mapping[Word, Counter[Context]],
    *,
    evidence: int = 2,
    refuted: float = 0.05,
    concentration: float = 1.0,
) -> WordClasses[Word]:
    """Find classes of words.

    Parameters
    ----------
    uses : dict of Word to Counter of Context
        How often each word was seen in each context.
    evidence : int
        Words of a class that must have been seen in a context before others may take it.
    refuted : float
        A class is refuted for a word if it makes the word's uses less probable than this share
        of what the best class makes of them.
    concentration : float
        Sum of the parameters of the Dirichlet prior of a stratum.

    Raises
    ------
    OptionError
        If an option is out of range.
    """
    if evidence < 1 or not 0.0 < refuted <= 1.0 or concentration <= 0.0:
        raise OptionError(
            f"one of {evidence=}, {refuted=}, {concentration=} is out of range",
            hint="evidence is 1 or more, refuted above 0 and at most 1, concentration above 0",
        )
    words = sorted(uses, key=lambda w: (-uses[w].total(), str(w)))
    table = _Table(words, uses, concentration)
    label = table.clustered()
    admitted: defaultdict[Context, list[Word]] = defaultdict(list)
    seen: defaultdict[Context, list[Word]] = defaultdict(list)
    groups: defaultdict[int, list[Word]] = defaultdict(list)
    for i, word in enumerate(words):
        groups[int(label[i])].append(word)
        own = {context for context in table.contexts if uses[word][context]}
        likely = table.unrefuted(i, label, evidence, math.log(refuted)) - own
        for context in own:
            seen[context].append(word)
        for context in own | _compatible(likely, own):
            admitted[context].append(word)
    classes = sorted((tuple(group) for group in groups.values()), key=lambda g: (-len(g), str(g)))
    return WordClasses(
        tuple(classes),
        {context: tuple(admitted[context]) for context in table.contexts},
        {context: tuple(seen[context]) for context in table.contexts},
        sum(map(len, admitted.values())) - sum(map(len, seen.values())),
    )


def _compatible(likely: set[Context], seen: set[Context]) -> set[Context]:
    """Return the contexts of which no other that is likely or seen has the same source."""
    sources = Counter((c.stratum, c.source, c.slot) for c in likely | seen)
    return {c for c in likely if sources[c.stratum, c.source, c.slot] == 1}


class _Table:
    """Counts of words by contexts, shape (words, contexts)."""

    def __init__(
        self, words: Sequence[Word], uses: Mapping[Word, Counter[Context]], concentration: float
    ) -> None:
        found = {context for counts in uses.values() for context in counts}
        self.contexts = sorted(found, key=lambda c: (c.stratum, c.source, c.target, c.slot))
        self.counts = np.array([[uses[w][c] for c in self.contexts] for w in words], np.float64)
        strata = sorted({c.stratum for c in self.contexts})
        self.stratum = np.array([strata.index(c.stratum) for c in self.contexts])
        self.concentration = concentration
        sizes = np.bincount(self.stratum)
        self.prior = (concentration / sizes)[self.stratum]

    def evidence(self, counts: FloatArray) -> FloatArray:
        """Return the log-probability of rows of counts, each as the uses of one class."""
        single = gammaln(counts + self.prior) - gammaln(self.prior)
        totals = np.stack(
            [counts[:, self.stratum == s].sum(axis=1) for s in range(self.stratum.max() + 1)], 1
        )
        whole = gammaln(self.concentration) - gammaln(totals + self.concentration)
        result: FloatArray = single.sum(axis=1) + whole.sum(axis=1)
        return result

    def clustered(self) -> FloatArray:
        """Put each word into the class that it makes most probable, again until none moves."""
        label = np.full(len(self.counts), -1)
        alone = self.evidence(self.counts)
        sums = np.zeros_like(self.counts)
        for _ in range(_SWEEPS):
            before = label.copy()
            for i, row in enumerate(self.counts):
                if label[i] >= 0:
                    sums[label[i]] -= row
                label[i] = -1
                open_classes = np.unique(label[label >= 0])
                joined = sums[open_classes] + row
                gain = self.evidence(joined) - self.evidence(sums[open_classes]) - alone[i]
                if len(gain) and gain.max() > 0:
                    label[i] = open_classes[int(gain.argmax())]
                else:
                    label[i] = int(np.setdiff1d(np.arange(len(label)), label)[0])
                sums[label[i]] += row
            if (label == before).all():
                break
        self.sums = sums
        return label

    def unrefuted(self, i: int, label: FloatArray, evidence: int, margin: float) -> set[Context]:
        """Return the contexts of the classes that the uses of a word do not refute."""
        row = self.counts[i]
        classes = np.unique(label)
        rest = self.sums[classes] - row * (classes == label[i])[:, None]
        value = self.evidence(rest + row) - self.evidence(rest)
        found: set[Context] = set()
        for c in classes[value >= value.max() + margin].tolist():
            seen = self.counts[label == c] > 0
            shown = seen.sum(axis=0) >= evidence
            # the word itself is no evidence that its class takes what it takes
            others = seen.sum(axis=0) - (row > 0) * (label[i] == c)
            if (others[row > 0] >= evidence).all():
                found |= {self.contexts[k] for k in np.flatnonzero(shown)}
        return found

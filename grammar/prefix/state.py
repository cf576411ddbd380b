"""The beginning of a sentence as a value: its mass, what comes next, and how much is open.

Probabilities are those of sentences: the mass of a prefix is the probability that a sentence of the
grammar begins with its words, and the next word is distributed as in those sentences (Jelinek &
Lafferty 1991; Stolcke 1995). Everything is exact, for any context-free grammar that charts can
hold: with unary cycles, empty rules, and derivations that may not end (which no sentence has).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from grammar.arrays import FloatArray
from grammar.chart.filling import checked_sentence
from grammar.prefix.chart import Chart
from grammar.prefix.rules import PrefixGrammar, compile_prefixes

if TYPE_CHECKING:
    from grammar.pcfg.grammar import Grammar

__all__ = ["NextWords", "Prefix", "begin_prefix"]


class NextWords(Mapping[str, float]):
    """The distribution of the word after a prefix, and of the end of the sentence there.

    A mapping of the words that may come next to their probabilities, the most probable first.

    Attributes
    ----------
    words : tuple of str
        All words of the grammar.
    probability : float64 array, shape (words,)
        Of each of them.
    end : float
        That the sentence ends here. With it, the probabilities sum to one.

    Examples
    --------
    >>> from grammar import Grammar
    >>> grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.25] | 'old' [0.25]")
    >>> after = grammar.prefix("very").next_words()
    >>> dict(after), after.end, after.entropy
    ({'very': 0.5, 'good': 0.25, 'old': 0.25}, 0.0, 1.5)
    """

    def __init__(self, words: tuple[str, ...], probability: FloatArray, end: float) -> None:
        self.words, self.probability, self.end = words, probability, end

    def __getitem__(self, word: str) -> float:
        return self._of_words[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._of_words)

    def __len__(self) -> int:
        return int(np.count_nonzero(self.probability))

    def __repr__(self) -> str:
        first = ", ".join(f"{word!r}: {chance:.6g}" for word, chance in self.top(5))
        more = ", ..." if len(self) > 5 else ""
        return f"NextWords({{{first}{more}}}, end={self.end:.6g})"

    @cached_property
    def _of_words(self) -> dict[str, float]:
        return dict(self.top(len(self)))

    def top(self, k: int) -> list[tuple[str, float]]:
        """Return the k most probable words with their probabilities; fewer if there are fewer."""
        ranked = np.argsort(-self.probability, kind="stable")[: min(k, len(self))]
        return [(self.words[i], float(self.probability[i])) for i in ranked.tolist()]

    @cached_property
    def entropy(self) -> float:
        """The entropy of the next word, or the end, in bits."""
        chances = np.append(self.probability, self.end)
        chances = chances[chances > 0]
        return max(0.0, float(-(chances * np.log2(chances)).sum()))


class _Known(NamedTuple):
    """What is known of a prefix that some sentence has."""

    chart: Chart
    spans: int
    end: float
    rest_r: float


class Prefix:
    """The words that a sentence begins with; make it with :meth:`grammar.Grammar.prefix`.

    The value never changes; :meth:`extend` returns another, which shares what was computed.

    Attributes
    ----------
    words : tuple of str
        The words.
    log_mass : float
        The natural logarithm of the probability that a sentence begins so; -inf if none does.
    surprisals : tuple of float
        The surprisal of each word given those before it, in bits (Hale 2001; Levy 2008).
    end : float
        The probability that the sentence ends here, given the prefix.

    Examples
    --------
    >>> from grammar import Grammar
    >>> grammar = Grammar.parse('''
    ...     S -> NP VP [1]
    ...     NP -> 'dogs' [1/2] | 'big' NP [1/4] | NP 'near' NP [1/4]
    ...     VP -> 'bark' [1/2] | 'see' NP [1/2]
    ... ''')
    >>> prefix = grammar.prefix("big dogs")
    >>> round(prefix.mass, 6), [round(bits, 3) for bits in prefix.surprisals]
    (0.222222, [1.585, 0.585])
    >>> {word: round(chance, 3) for word, chance in prefix.next_words().items()}
    {'near': 0.437, 'bark': 0.281, 'see': 0.281}
    >>> sorted(prefix.extend("see").allowed()), prefix.extend("see").end
    (['big', 'dogs'], 0.0)
    >>> round(prefix.extend("bark").end, 3), prefix.extend("dogs").mass
    (1.0, 0.0)

    Notes
    -----
    A word takes time in proportion to the spans of the chart before it times the rules that they
    begin. Masses are kept given the prefix; an analysis whose share of a prefix is below 1e-300
    is lost.
    """

    def __init__(
        self, grammar: PrefixGrammar, words: tuple[str, ...], log_mass: float,
        surprisals: tuple[float, ...], known: _Known | None,
    ) -> None:  # fmt: skip
        self.words, self.log_mass, self.surprisals = words, log_mass, surprisals
        self.end = known.end if known is not None else 0.0
        self._grammar, self._known = grammar, known

    def __repr__(self) -> str:
        return f"Prefix({' '.join(self.words)!r}, mass={self.mass:.6g})"

    def extend(self, words: str | Sequence[str]) -> Prefix:
        """Return the prefix with more words: a sequence of words, or a text with spaces between.

        After a word that cannot come next, as one that the grammar lacks, the mass is 0 and no
        word comes next.

        Raises
        ------
        OptionError
            If it is not a sequence of words, or has none.
        """
        found = self
        for word in checked_sentence(words):
            found = found._with(word)
        return found

    def _with(self, word: str) -> Prefix:
        number = self._grammar.numbers.get(word)
        known = self._known
        grown = None
        if known is not None and number is not None:
            grown = known.chart.grow(len(self.words), known.spans, number)
        words = (*self.words, word)
        if grown is None:
            return Prefix(self._grammar, words, -math.inf, (*self.surprisals, math.inf), None)
        log_chance = math.log(grown.chance)
        return Prefix(
            self._grammar,
            words,
            self.log_mass + log_chance,
            (*self.surprisals, max(0.0, -log_chance / math.log(2))),
            _Known(grown.chart, grown.spans, min(grown.end, 1.0), grown.rest_r),
        )

    @property
    def mass(self) -> float:
        """The probability that a sentence begins so (0.0 where it is too small for a number)."""
        return math.exp(self.log_mass)

    @property
    def surprisal(self) -> float:
        """The surprisal of the last word, in bits; 0.0 if there is none."""
        return self.surprisals[-1] if self.surprisals else 0.0

    def next_words(self) -> NextWords:
        """Return the distribution of the next word."""
        return self._next

    @cached_property
    def _next(self) -> NextWords:
        words = self._grammar.grammar.rules.words
        if self._known is None:
            return NextWords(words, np.zeros(len(words)), 0.0)
        return NextWords(words, self._known.chart.chances(len(self.words)), self.end)

    def allowed(self) -> frozenset[str]:
        """Return the words that may come next."""
        words = self._grammar.grammar.rules.words
        return frozenset(words[i] for i in np.flatnonzero(self._next.probability).tolist())

    @property
    def entropy(self) -> float:
        """The entropy of the next word (or the end), in bits."""
        return self._next.entropy

    @property
    def rest_entropy(self) -> float:
        """The entropy of the derivation of the whole sentence given the prefix, in bits.

        What a word takes away of it is its entropy reduction (Hale 2006). It is infinite if the
        derivations of the grammar have no finite entropy, and 0.0 if no sentence begins so.
        """
        if self._known is None:
            return 0.0
        if self._grammar.endless:
            return math.inf
        return max(0.0, (self.log_mass - self._known.rest_r) / math.log(2))


def begin_prefix(grammar: Grammar) -> Prefix:
    """Return the prefix without words (see :meth:`grammar.Grammar.prefix`)."""
    compiled = compile_prefixes(grammar)
    (v, r), (end, end_r) = compiled.begin, compiled.empty
    rest_r = r + v * float(compiled.rules.rest[grammar.start_id]) + end_r
    known = _Known(Chart.begin(compiled), 0, end, rest_r)
    return Prefix(compiled, (), math.log(compiled.total), (), known)

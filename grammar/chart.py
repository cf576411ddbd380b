"""Exact parsing with a grammar: best trees, probabilities, posteriors, counts and samples.

Everything here is exact and in log space, for any context-free grammar without empty rules:
rules of any length, words among symbols, unary rules and their cycles. The work is done by
kernels over charts (:mod:`grammar.chart_kernels`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.chart_derivations import best_derivation, sampled_derivations
from grammar.chart_grammar import ChartGrammar
from grammar.chart_kernels import (
    Chart,
    cell_of,
    empty_chart,
    fill_chart,
    outside_values,
    uses_of_edges,
)
from grammar.chart_rules import Corner
from grammar.counter_rng import stream_key
from grammar.errors import OptionError
from grammar.grammar import Grammar
from grammar.kbest import best_rule_sequences
from grammar.max_rule import alike_edges, max_rule_sequence
from grammar.parses import ExpectedCounts, NoParse, Parse, SpanPosteriors, tree_of_rules

__all__ = ["NoParse", "Parse", "Parser"]

_INSIDE_BYTES = 12
"""Of a unit in a row: its value, and its place in the list of those present."""
_OUTSIDE_BYTES = 16
"""The outside value, and the total that it is summed from."""
_DECODING_BYTES = 16
"""The best product, and the edge and split that reach it."""
_WHOLE = 1e12


class Parser:
    """Exact inference with one grammar.

    A sentence is a sequence of words. A sentence that cannot be parsed is a value, not an error:
    methods return :class:`NoParse` for a word that the grammar lacks, for a sentence without a
    derivation, and for one whose chart would not fit into the memory allowed.

    Parameters
    ----------
    grammar : Grammar
        Without empty right-hand sides.
    memory_limit : int
        Bytes that the chart of one sentence may take.

    Raises
    ------
    ChartGrammarError
        If a rule has an empty right-hand side, a unary cycle keeps all its weight, or no
        derivation ends.
    OptionError
        If an argument is out of range, or (by any method) a sentence is empty or not a sequence
        of words.

    Examples
    --------
    >>> import math
    >>> parser = Parser(Grammar.parse('''
    ...     S -> NP VP [1]
    ...     VP -> 'saw' NP [0.5] | VP PP [0.5]
    ...     NP -> 'we' [0.5] | 'stars' [0.25] | NP PP [0.25]
    ...     PP -> 'with' NP [1]
    ... '''))
    >>> sentence = "we saw stars with stars".split()
    >>> print(parser.viterbi(sentence).tree)
    (S (NP we) (VP (VP saw (NP stars)) (PP with (NP stars))))
    >>> [round(math.exp(parse.log_probability), 9) for parse in parser.kbest(sentence, 5)]
    [0.0078125, 0.00390625]
    >>> round(math.exp(parser.inside(sentence)), 9)
    0.01171875
    >>> round(float(parser.posteriors(sentence).table("VP")[1, 3]), 6)
    0.666667
    >>> print(parser.viterbi(["we", "saw", "comets"]))
    no parse of 'we saw comets': the grammar lacks the word 'comets' (word 3 of 3)

    Notes
    -----
    A chart of n words takes n (n + 1) / 2 rows of one number a symbol, and time O(n^3) times the
    rules that can apply. The value can be shared by threads.
    """

    def __init__(self, grammar: Grammar, *, memory_limit: int = 2 << 30) -> None:
        _check_positive(memory_limit, "memory_limit", "in bytes, for example 2 << 30")
        self.grammar = grammar
        self.memory_limit = memory_limit
        self._compiled = ChartGrammar.compile(grammar)
        self._look: tuple[Callable[[str], str], LongArray] | None = None

    def viterbi(self, sentence: Sequence[str]) -> Parse | NoParse:
        """Return the most probable tree."""
        chart = self._best_chart(sentence)
        if isinstance(chart, NoParse):
            return chart
        return self._parse(best_derivation(self._compiled, chart).rules)

    def kbest(self, sentence: Sequence[str], k: int) -> list[Parse] | NoParse:
        """Return the k most probable trees, the best first; fewer if there are fewer."""
        _check_positive(k, "k", "for example k=10")
        chart = self._best_chart(sentence)
        if isinstance(chart, NoParse):
            return chart
        found = best_rule_sequences(chart, self._compiled.rules, self.grammar.start_id, k)
        # the search adds up values in another order, which may change the last digit
        return sorted(map(self._parse, found), key=lambda parse: -parse.log_probability)

    def inside(self, sentence: Sequence[str]) -> float | NoParse:
        """Return the natural logarithm of the probability of a sentence.

        It is -inf if there is no derivation. NoParse means that the sentence was refused.
        """
        chart = self._sum_chart(sentence)
        if isinstance(chart, NoParse):
            return chart if chart.refused else -np.inf
        return self._log_total(chart)

    def count(self, sentence: Sequence[str]) -> float | NoParse:
        """Return how many derivations a sentence has, to 12 digits.

        It is inf if some derivation uses a symbol that unary rules lead back to. NoParse means
        that the sentence was refused.

        >>> Parser(Grammar.parse("S -> S S [0.5] | 'a' [0.5]")).count(["a"] * 5)
        14.0
        """
        tables = self._inside_outside(sentence, _INSIDE_BYTES)
        if isinstance(tables, NoParse):
            return tables if tables.refused else 0.0
        chart, outside = tables
        if np.isfinite(outside[:, self._compiled.cyclic]).any():
            return np.inf
        chart = empty_chart(chart.words, self._compiled.units)
        fill_chart(chart, *self._compiled.counting, False)
        total = float(np.exp(self._log_total(chart)))
        return float(np.rint(total)) if total < _WHOLE else total

    def sample(self, sentence: Sequence[str], n: int, *, seed: int = 0) -> list[Parse] | NoParse:
        """Draw n trees with exactly their probability given the sentence.

        Tree i depends on the sentence, the seed and i alone.
        """
        _check_positive(n, "n", "for example n=10")
        key = stream_key(seed, "trees of a sentence")
        chart = self._sum_chart(sentence)
        if isinstance(chart, NoParse):
            return chart
        draws = sampled_derivations(self._compiled, chart, key, n)
        return [self._parse(rules) for rules in np.split(draws.rules, draws.rule_offsets[1:-1])]

    def posteriors(self, sentence: Sequence[str]) -> SpanPosteriors | NoParse:
        """Return the probability of every label over every span, given the sentence."""
        tables = self._inside_outside(sentence)
        if isinstance(tables, NoParse):
            return tables
        chart, outside = tables
        row = np.repeat(np.arange(len(chart.value)), np.diff(chart.bounds))
        unit = chart.present[: chart.bounds[-1]]
        known = (unit < self._compiled.symbols) & np.isfinite(outside[row, unit])
        row, unit = row[known], unit[known]
        # inside times outside is the expected number of nodes; all but the first of them come
        # from chains that lead from the unit back to itself
        nodes = chart.value[row, unit] + outside[row, unit] - self._log_total(chart)
        start, end = _spans(len(chart.words))
        return SpanPosteriors(
            tuple(sentence),
            self.grammar.rules.nonterminals,
            start[row],
            end[row],
            unit,
            np.minimum(np.exp(nodes - self._returns[unit]), 1.0),
        )

    def expected_counts(self, sentences: Iterable[Sequence[str]]) -> ExpectedCounts:
        """Return the expected uses of each rule, summed over sentences (an E-step of EM)."""
        rules = self._compiled.rules
        uses, log_likelihood, parsed = np.zeros(len(rules.rule)), 0.0, 0
        failures = []
        for sentence in sentences:
            tables = self._inside_outside(sentence)
            if isinstance(tables, NoParse):
                failures.append(tables)
                continue
            log_total = self._log_total(tables[0])
            uses_of_edges(tables[0], rules, tables[1], log_total, uses)
            log_likelihood += log_total
            parsed += 1
        count = np.zeros(len(self.grammar))
        numbered = rules.rule >= 0
        count[rules.rule[numbered]] = uses[numbered]  # a rule is one edge
        return ExpectedCounts(count, log_likelihood, parsed, tuple(failures))

    def max_rule(
        self, sentence: Sequence[str], *, look: Callable[[str], str] = str
    ) -> Parse | NoParse:
        """Return the tree whose rules are most probable where they stand (max-rule product).

        Parameters
        ----------
        sentence : sequence of str
            The words.
        look : callable
            The name that a symbol is seen by, such as ``NP`` for ``NP^<S>``: rules that look
            alike share their posteriors. The labels of the tree are still the grammar's symbols.

        Notes
        -----
        See :mod:`grammar.max_rule`. The log-probability is that of the one derivation returned.
        """
        tables = self._inside_outside(sentence, _DECODING_BYTES)
        if isinstance(tables, NoParse):
            return tables
        rules, start = self._compiled.rules, self.grammar.start_id
        return self._parse(max_rule_sequence(*tables, rules, start, self._alike(look))[0])

    def parse_all(
        self, sentences: Iterable[Sequence[str]], *, workers: int = 1
    ) -> list[Parse | NoParse]:
        """Return the most probable tree of each sentence, in order.

        Parameters
        ----------
        sentences : iterable of sequences of str
            All are checked before any is parsed.
        workers : int
            Threads; each takes the memory of one chart at a time.
        """
        _check_positive(workers, "workers", "1 uses one core")
        given = [_checked(sentence, f"sentence {i}") for i, sentence in enumerate(sentences, 1)]
        if workers == 1:
            return [self.viterbi(sentence) for sentence in given]
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(self.viterbi, given))

    def _best_chart(self, sentence: Sequence[str]) -> Chart | NoParse:
        return self._chart(sentence, self._compiled.best_chains, True, 0)

    def _sum_chart(self, sentence: Sequence[str], extra_bytes: int = 0) -> Chart | NoParse:
        return self._chart(sentence, self._compiled.all_chains, False, extra_bytes)

    def _chart(
        self, sentence: Sequence[str], chains: Corner, maximise: bool, extra_bytes: int
    ) -> Chart | NoParse:
        """Return the filled chart of a sentence that has a derivation."""
        given = _checked(sentence)
        size = len(given) * (len(given) + 1) // 2 * self._compiled.units
        needed = size * (_INSIDE_BYTES + extra_bytes)
        if needed > self.memory_limit:
            reason = (
                f"the chart of {len(given):,} words needs {needed / 2**20:,.0f} MiB, more than "
                f"the limit of {self.memory_limit / 2**20:,.0f} MiB (raise memory_limit, or split "
                "the sentence)"
            )
            return NoParse(given, reason, refused=True)
        words = self._word_numbers(given)
        if isinstance(words, NoParse):
            return words
        chart = empty_chart(words, self._compiled.units)
        fill_chart(chart, self._compiled.rules, chains, maximise)
        if self._log_total(chart) == -np.inf:
            return NoParse(given, f"no derivation from {self.grammar.start} yields it")
        return chart

    def _word_numbers(self, given: tuple[str, ...]) -> LongArray | NoParse:
        starts = self._compiled.rules.lexical.starts
        words = np.empty(len(given), np.int64)
        for i, word in enumerate(given):
            number = self._compiled.word_ids.get(word, -1)
            if number < 0 or starts[number] == starts[number + 1]:
                reason = f"the grammar lacks the word {word!r} (word {i + 1} of {len(given)})"
                return NoParse(given, reason)
            words[i] = number
        return words

    def _inside_outside(
        self, sentence: Sequence[str], extra_bytes: int = 0
    ) -> tuple[Chart, FloatArray] | NoParse:
        chart = self._sum_chart(sentence, _OUTSIDE_BYTES + extra_bytes)
        if isinstance(chart, NoParse):
            return chart
        outside = np.full_like(chart.value, -np.inf)
        compiled = self._compiled
        outside_values(chart, compiled.rules, compiled.all_chains, self.grammar.start_id, outside)
        return chart, outside

    def _log_total(self, chart: Chart) -> float:
        return float(chart.value[cell_of(0, len(chart.words)), self.grammar.start_id])

    def _parse(self, rules: Iterable[int]) -> Parse:
        numbers = tuple(int(rule) for rule in rules)
        weight = self.grammar.compiled.log_weight
        return Parse(
            tree_of_rules(self.grammar.rules, numbers),
            math.fsum(weight[rule] for rule in numbers),
            numbers,
        )

    def _alike(self, look: Callable[[str], str]) -> LongArray:
        last = self._look
        if last is None or last[0] is not look:
            last = self._look = (look, alike_edges(self._compiled, look))
        return last[1]

    @cached_property
    def _returns(self) -> FloatArray:
        """Logarithm of the weight of all unary chains from each unit back to itself."""
        chains = self._compiled.all_chains
        last = np.repeat(np.arange(self._compiled.units), np.diff(chains.starts))
        circles = last == chains.parent
        returns = np.zeros(self._compiled.units)
        returns[last[circles]] = chains.weight[circles]
        return returns


def _spans(n: int) -> tuple[IntArray, IntArray]:
    """Return start and end of each row of a chart."""
    pairs = [(start, end) for end in range(1, n + 1) for start in range(end - 1, -1, -1)]
    start, end = np.array(pairs, np.int32).T
    return start, end


def _checked(sentence: Sequence[str], where: str | None = None) -> tuple[str, ...]:
    hint = 'for example "the dog barked".split()'
    if isinstance(sentence, str):
        raise OptionError("a sentence is a sequence of words, not a string", where=where, hint=hint)
    words = tuple(sentence)
    if not words:
        raise OptionError("the sentence has no words", where=where, hint=hint)
    strange = [word for word in words if not isinstance(word, str)]
    if strange:
        raise OptionError(f"the word {strange[0]!r} is not a string", where=where, hint=hint)
    return words


def _check_positive(value: int, name: str, hint: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise OptionError(f"{name} {value!r} is not a whole number above zero", hint=hint)

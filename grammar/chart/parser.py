"""Exact parsing with a grammar: best trees, probabilities, posteriors, counts and samples.

Everything here is exact and in log space, for any context-free grammar: rules of any length,
words among symbols, unary rules and their cycles, and empty rules, whose nodes stand in trees as
those of the Penn Treebank do: ``(NP (-NONE- *))``. The work is done by
kernels over charts (:mod:`grammar.chart.kernels`). Only pruning is not exact; it is off unless
asked for, and what it may have touched says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.chart.constraints import Constraints, row_spans
from grammar.chart.derivations import (
    best_derivation,
    derivation_below,
    fewest_pieces,
    sampled_derivations,
)
from grammar.chart.filling import (
    INSIDE_BYTES,
    NO_LIMIT,
    ChartFiller,
    Filled,
    checked_batch,
    checked_sentence,
    refuse_one_sentence,
)
from grammar.chart.kbest import best_rule_sequences
from grammar.chart.kernels import Chart, outside_values, uses_of_edges
from grammar.chart.max_rule import alike_edges, alike_with_tags, max_rule_sequence
from grammar.chart.parses import ExpectedCounts, NoParse, Parse, SpanPosteriors, tree_of_rules
from grammar.chart.pruning import CoarseToFine
from grammar.chart.unary_chains import returns_among
from grammar.engines.threads import OF_SENTENCES, in_threads
from grammar.errors import OptionError
from grammar.foreign_names.attributes import Hints, attribute_hint, no_attribute
from grammar.options import names_keywords, whole_number
from grammar.pcfg.grammar import Grammar, as_pcfg
from grammar.rng import stream_key
from grammar.trees.tree import Tree

__all__ = ["CoarseToFine", "Constraints", "NoParse", "Parse", "Parser"]

_OUTSIDE_BYTES = 16
"""The outside value, and the total that it is summed from."""
_DECODING_BYTES = 16
"""The best product, and the edge and split that reach it."""
_WHOLE = 1e12
_CHUNK = 16
"""So many sentences are summed up at a time, so that workers do not change the order of sums."""


_OF_NLTK: Hints = {
    "next(parser.parse(words), None) gives the most probable tree": ("parse_one", "best"),
    "[list(parser.parse(words)) for words in sentences] gives trees of each": (
        *("parse_sents", "pipe", "parse_each"),
    ),
    "parser.kbest(words, 10) gives the ten most probable": (
        *("parse_all", "nbest_parse", "nbest", "parses", "n_best", "topk"),
    ),
    "parser.viterbi(words) gives the most probable tree": ("argmax", "max"),
    "parser.posteriors(words) gives the probabilities of spans": ("marginals", "marginal"),
    "parser.sample(words, 100) draws trees of one sentence": ("rsample", "multi_sample"),
    "parser.inside(words) is the logarithm of the probability": (
        *("prob", "logprob", "log_probability", "score", "probability", "partition", "log_prob"),
    ),
}
"""What parsers of NLTK have, and what gives it here."""


class Parser:
    """Exact inference with one grammar.

    A sentence is a sequence of words, or a text whose words stand between spaces. A sentence that
    cannot be parsed is a value, not an error: methods return :class:`NoParse` for a word that the
    grammar lacks, for a sentence without a derivation, and for one whose chart would not fit into
    the memory allowed.

    Parameters
    ----------
    grammar : Grammar
        The grammar; one of NLTK is converted.
    memory_limit, step_limit : int
        Bytes that the chart of one sentence may take, and binary edges that may be met while it is
        filled; a sentence that needs more has no parse, and says so.
    coarse : CoarseToFine, optional
        Build only what a coarser grammar finds probable.
    beam : float
        Drop symbols over a span whose value, times how often the symbol is expected, is below
        this share of the best one there; 0 drops none.

    Raises
    ------
    ChartGrammarError
        If a unary cycle keeps all its weight, no derivation ends in words, or more than ten
        children of a rule may be empty.
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

    With ``coarse`` or a ``beam`` results need not be exact: they have ``exact=False``, and
    :meth:`inside` is a lower bound. A sentence that pruning leaves without a derivation is parsed
    again without it. Every method takes ``constraints``, within which it is exact.
    """

    @names_keywords()
    def __init__(
        self,
        grammar: Grammar,
        *,
        memory_limit: int = 2 << 30,
        step_limit: int = NO_LIMIT,
        coarse: CoarseToFine | None = None,
        beam: float = 0.0,
    ) -> None:
        grammar = as_pcfg(grammar)
        whole_number("memory_limit", memory_limit, 1)
        whole_number("step_limit", step_limit, 1)
        if not 0.0 <= beam < 1.0:
            raise OptionError(f"the beam {beam} is not between 0 and 1", hint="for example 1e-6")
        self.grammar = grammar
        self.memory_limit, self.step_limit = memory_limit, step_limit
        self._filler = ChartFiller(grammar, memory_limit, step_limit, coarse, beam)
        self._compiled = self._filler.compiled
        self._look: tuple[Callable[[str], str], LongArray] | None = None

    def __repr__(self) -> str:
        return f"Parser({self.grammar!r})"

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, attribute_hint(name, _OF_NLTK))

    def viterbi(
        self, sentence: Sequence[str], *, constraints: Constraints | None = None
    ) -> Parse | NoParse:
        """Return the most probable tree."""
        sentence = checked_sentence(sentence)
        filled = self._filler.best(sentence, constraints)
        if isinstance(filled, NoParse):
            return filled
        compiled = self._filler.compiled_for_best()
        best = best_derivation(compiled, filled.chart, filled.rules)
        return self._parse(compiled.restored(best.rules.tolist()), sentence, filled.exact)

    def parse(self, sentence: Sequence[str]) -> Iterator[Tree]:
        """Yield the most probable tree of a sentence, if there is one, as parsers of NLTK do.

        >>> parser = Parser(Grammar.parse("S -> 'so' S [0.5] | 'good' [0.5]"))
        >>> [str(tree) for tree in parser.parse("so good")], list(parser.parse("so"))
        (['(S so (S good))'], [])
        """
        found = self.viterbi(sentence)
        if not isinstance(found, NoParse):
            yield found.tree

    def pieces(
        self,
        sentence: Sequence[str],
        *,
        may: Callable[[str], bool] = bool,
        constraints: Constraints | None = None,
    ) -> list[Parse] | NoParse:
        """Return the fewest constituents that cover a sentence, as the best trees of each.

        ``may`` says of the name of a symbol whether it may be one of them.

        >>> parser = Parser(Grammar.parse('''
        ...     S -> NP VP [1]
        ...     VP -> 'ran' [1]
        ...     NP -> 'we' [1]
        ... '''))
        >>> [str(piece.tree) for piece in parser.pieces("ran we ran".split())]
        ['(VP ran)', '(S (NP we) (VP ran))']
        """
        sentence = checked_sentence(sentence)
        filled = self._filler.unrooted(sentence, constraints)
        if isinstance(filled, NoParse):
            return filled
        allowed = np.zeros(self._compiled.units, np.bool_)
        allowed[: self._compiled.symbols] = [may(n) for n in self.grammar.rules.nonterminals]
        rules = filled.rules
        found = []
        for begin, end, unit in fewest_pieces(filled.chart, allowed):
            steps = derivation_below(filled.chart, rules, begin, end, unit)
            numbers = [int(rules.rule[step.edge]) for step in steps if rules.rule[step.edge] >= 0]
            whole = self._filler.compiled_for_best().restored(numbers)
            found.append(self._parse(whole, tuple(sentence)[begin:end], False))
        return found or NoParse(tuple(sentence), "no symbol that may be a piece is above some word")

    def kbest(
        self, sentence: Sequence[str], k: int, *, constraints: Constraints | None = None
    ) -> list[Parse] | NoParse:
        """Return the k most probable trees, the best first; fewer if there are fewer."""
        sentence = checked_sentence(sentence)
        whole_number("k", k, 1)
        filled = self._filler.best(sentence, constraints, k)
        if isinstance(filled, NoParse):
            return filled
        found = best_rule_sequences(filled.chart, filled.rules, self.grammar.start_id, k)
        restored = self._filler.compiled_for_best(k).restored
        parses = [self._parse(restored(rules), sentence, filled.exact) for rules in found]
        # the search adds up values in another order, which may change the last digit
        return sorted(parses, key=lambda parse: -parse.log_probability)

    def inside(
        self, sentence: Sequence[str], *, constraints: Constraints | None = None
    ) -> float | NoParse:
        """Return the natural logarithm of the probability of a sentence.

        It is -inf if there is no derivation. NoParse means that the sentence was refused.
        """
        sentence = checked_sentence(sentence)
        filled = self._filler.sums(sentence, constraints)
        if isinstance(filled, NoParse):
            return filled if filled.refused else -np.inf
        return self._filler.log_total(filled.chart)

    def count(
        self, sentence: Sequence[str], *, constraints: Constraints | None = None
    ) -> float | NoParse:
        """Return how many derivations a sentence has, to 12 digits.

        It is inf if some derivation uses a symbol that unary rules lead back to. NoParse means
        that the sentence was refused. Nothing is pruned.

        >>> Parser(Grammar.parse("S -> S S [0.5] | 'a' [0.5]")).count(["a"] * 5)
        14.0
        """
        sentence = checked_sentence(sentence)
        tables = self._inside_outside(sentence, constraints, INSIDE_BYTES, prune=False)
        if isinstance(tables, NoParse):
            return tables if tables.refused else 0.0
        filled, outside = tables
        if np.isfinite(outside[:, self._compiled.cyclic]).any():
            return np.inf
        endless = np.isinf(self._compiled.times)
        if endless.any() and self._uses(filled, outside)[: len(endless)][endless].any():
            return np.inf
        total = float(np.exp(self._filler.log_total(self._filler.counts(sentence, constraints))))
        return float(np.rint(total)) if total < _WHOLE else total

    def sample(
        self,
        sentence: Sequence[str],
        n: int,
        *,
        seed: int = 0,
        constraints: Constraints | None = None,
    ) -> list[Parse] | NoParse:
        """Draw n trees with exactly their probability given the sentence.

        Tree i depends on the sentence, the constraints, the seed and i alone.
        """
        sentence = checked_sentence(sentence)
        whole_number("n", n, 1)
        key = stream_key(seed, "trees of a sentence")
        filled = self._filler.sums(sentence, constraints)
        if isinstance(filled, NoParse):
            return filled
        draws = sampled_derivations(self._compiled, filled.chart, filled.rules, key, n)
        parts = np.split(draws.rules, draws.rule_offsets[1:-1])
        within = stream_key(seed, "derivations without words in trees of a sentence")
        return [
            self._parse(self._compiled.restored(rules.tolist(), fill), sentence, filled.exact)
            for rules, fill in zip(parts, self._fills(within), strict=False)
        ]

    def posteriors(
        self, sentence: Sequence[str], *, constraints: Constraints | None = None
    ) -> SpanPosteriors | NoParse:
        """Return the probability of every label over every span, given the sentence."""
        sentence = checked_sentence(sentence)
        tables = self._inside_outside(sentence, constraints)
        if isinstance(tables, NoParse):
            return tables
        (chart, _, exact), outside = tables
        row = np.repeat(np.arange(len(chart.value)), np.diff(chart.bounds))
        unit = chart.present[: chart.bounds[-1]]
        known = (unit < self._compiled.symbols) & np.isfinite(outside[row, unit])
        row, unit = row[known], unit[known]
        # inside times outside is the expected number of nodes; all but the first of them come
        # from chains that lead from the unit back to itself
        nodes = chart.value[row, unit] + outside[row, unit] - self._filler.log_total(chart)
        start, end = row_spans(len(chart.words))
        return SpanPosteriors(
            tuple(sentence),
            self.grammar.rules.nonterminals,
            start[row],
            end[row],
            unit,
            np.minimum(np.exp(nodes - self._returns_in(chart)[row, unit]), 1.0),
            exact,
        )

    def expected_counts(
        self,
        sentences: Iterable[Sequence[str]],
        *,
        constraints: Iterable[Constraints | None] | None = None,
        workers: int = 1,
    ) -> ExpectedCounts:
        """Return the expected uses of each rule, summed over sentences (an E-step of EM).

        Parameters
        ----------
        sentences : iterable of sequences of str
            All are checked before any is parsed. One without words is allowed if the grammar
            derives it.
        constraints : iterable of Constraints or None, optional
            One for each sentence.
        workers : int
            Threads; their number does not change the result.
        """
        whole_number("workers", workers, 1)
        may_be_empty = bool(self._compiled.empty.chance[self.grammar.start_id] > 0)
        given = checked_batch(self.grammar, sentences, constraints, may_be_empty=may_be_empty)
        chunks = [given[i : i + _CHUNK] for i in range(0, len(given), _CHUNK)]
        tasks = (partial(self._counts_of_chunk, chunk) for chunk in chunks)
        parts = list(in_threads(tasks, workers))
        failed = sum(len(part.failures) for part in parts)
        refuse_one_sentence(sentences, [failed < len(given)], self._parses)
        return ExpectedCounts(
            np.sum([part.count for part in parts], axis=0)
            if parts
            else np.zeros(len(self.grammar)),
            math.fsum(part.log_likelihood for part in parts),
            sum(part.parsed for part in parts),
            tuple(failure for part in parts for failure in part.failures),
            all(part.exact for part in parts),
        )

    def max_rule(
        self,
        sentence: Sequence[str],
        *,
        look: Callable[[str], str] = str,
        constraints: Constraints | None = None,
    ) -> Parse | NoParse:
        """Return the tree whose rules are most probable where they stand (max-rule product).

        Parameters
        ----------
        sentence : sequence of str
            The words.
        look : callable
            The name that a symbol is seen by, such as ``NP`` for ``NP^<S>``: rules that look
            alike share their posteriors. The labels of the tree are still the grammar's symbols.
        constraints : Constraints, optional
            What the tree must agree with.

        Notes
        -----
        See :mod:`grammar.chart.max_rule`. The log-probability is that of the one derivation
        returned.
        """
        sentence = checked_sentence(sentence)
        tables = self._inside_outside(sentence, constraints, _DECODING_BYTES)
        if isinstance(tables, NoParse):
            return tables
        (chart, rules, exact), outside = tables
        alike = alike_with_tags(self._alike(look), self._compiled, rules, look)
        found, _ = max_rule_sequence(chart, outside, rules, self.grammar.start_id, alike)
        return self._parse(self._compiled.restored(found), sentence, exact)

    def parse_all(
        self,
        sentences: Iterable[Sequence[str]],
        *,
        constraints: Iterable[Constraints | None] | None = None,
        workers: int = 1,
    ) -> list[Parse | NoParse]:
        """Return the most probable tree of each sentence, in order.

        Parameters
        ----------
        sentences : iterable of sequences of str
            All are checked before any is parsed. The method of this name in NLTK takes the words
            of one: here that is ``kbest``.
        constraints : iterable of Constraints or None, optional
            One for each sentence.
        workers : int
            Threads; each takes the memory of one chart at a time.

        Raises
        ------
        OptionError
            If a sentence is empty, or those given are single words and none of them has a parse.
        """
        whole_number("workers", workers, 1)
        given = checked_batch(self.grammar, sentences, constraints)
        tasks = (partial(self.viterbi, one, constraints=within) for one, within in given)
        found = list(in_threads(tasks, workers, waiting=OF_SENTENCES))
        refuse_one_sentence(sentences, list(map(bool, found)), self._parses)
        return found

    def _parses(self, sentence: Sequence[str]) -> bool:
        return bool(self.viterbi(sentence))

    def _inside_outside(
        self,
        sentence: Sequence[str],
        constraints: Constraints | None = None,
        extra_bytes: int = 0,
        *,
        prune: bool = True,
    ) -> tuple[Filled, FloatArray] | NoParse:
        extra = _OUTSIDE_BYTES + extra_bytes
        filled = self._filler.sums(sentence, constraints, extra, prune=prune)
        if isinstance(filled, NoParse):
            return filled
        outside = np.full_like(filled.chart.value, -np.inf)
        chains = self._compiled.all_chains
        outside_values(filled.chart, filled.rules, chains, self.grammar.start_id, outside)
        return filled, outside

    def _counts_of_chunk(
        self, given: list[tuple[tuple[str, ...], Constraints | None]]
    ) -> ExpectedCounts:
        count, log_likelihood, parsed, exact = np.zeros(len(self.grammar)), 0.0, 0, True
        failures = []
        for sentence, constraints in given:
            if not sentence:
                empty, start = self._compiled.empty, self.grammar.start_id
                count += empty.uses[start]
                log_likelihood += math.log(empty.chance[start])
                parsed += 1
                continue
            tables = self._inside_outside(sentence, constraints)
            if isinstance(tables, NoParse):
                failures.append(tables)
                continue
            filled, outside = tables
            uses = self._uses(filled, outside)
            count += self._compiled.uses_of_rules(filled.rules.rule, uses)
            log_likelihood += self._filler.log_total(filled.chart)
            parsed += 1
            exact = exact and filled.exact
        return ExpectedCounts(count, log_likelihood, parsed, tuple(failures), exact)

    def _uses(self, filled: Filled, outside: FloatArray) -> FloatArray:
        """Return the expected uses of each edge in a derivation of the sentence."""
        uses = np.zeros(len(filled.rules.rule))
        log_total = self._filler.log_total(filled.chart)
        uses_of_edges(filled.chart, filled.rules, outside, log_total, uses)
        return uses

    def _fills(self, key: np.uint64) -> Iterator[Callable[[int], tuple[int, ...]]]:
        """Yield, for each tree, what draws its derivations without words."""
        for tree in itertools.count():
            # each tree may leave out very many symbols
            yield partial(self._drawn_without_words, key, itertools.count(tree << 32))

    def _drawn_without_words(
        self, key: np.uint64, place: Iterator[int], symbol: int
    ) -> tuple[int, ...]:
        return self._compiled.empty.draw(symbol, key, next(place))

    def _parse(self, rules: Iterable[int], sentence: Sequence[str], exact: bool) -> Parse:
        numbers = tuple(int(rule) for rule in rules)
        weight = self.grammar.compiled.log_weight
        return Parse(
            tree_of_rules(self.grammar.rules, numbers, sentence),
            math.fsum(weight[rule] for rule in numbers if rule < len(weight)),
            numbers,
            exact,
        )

    def _alike(self, look: Callable[[str], str]) -> LongArray:
        last = self._look
        if last is None or last[0] is not look:
            last = self._look = (look, alike_edges(self._compiled, look))
        return last[1]

    def _returns_in(self, chart: Chart) -> FloatArray:
        """Return the logarithm of all unary chains of units back to themselves, by row and unit."""
        returns = np.broadcast_to(self._returns, chart.value.shape)
        if not chart.cut.any() or not self._compiled.cyclic.any():
            return returns
        returns = returns.copy()
        for row in np.flatnonzero(chart.cut).tolist():
            units = chart.present[chart.bounds[row] : chart.bounds[row + 1]]
            units = units[self._compiled.cyclic[units]]
            returns[row, units] = returns_among(self._compiled.rules.unary, units)
        return returns

    @cached_property
    def _returns(self) -> FloatArray:
        """Logarithm of the weight of all unary chains from each unit back to itself."""
        chains = self._compiled.all_chains
        last = np.repeat(np.arange(self._compiled.units), np.diff(chains.starts))
        circles = last == chains.parent
        returns = np.zeros(self._compiled.units)
        returns[last[circles]] = chains.weight[circles]
        return returns

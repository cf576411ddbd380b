"""Parsing with synchronous grammars: the best targets of a source, and all derivations of a pair.

A source is parsed by the PCFG of the source side (:class:`grammar.chart.Parser`), whose
derivations are those of the grammar; each says its target.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from grammar.chart import Parser
from grammar.errors import OptionError
from grammar.parses import NoParse, Parse
from grammar.synchronous import SynchronousGrammar
from grammar.synchronous_forest import CodedRule, CodedRules, Coder, Edge, PairForest, pair_forest

__all__ = ["PairDerivation", "SynchronousParser", "Translation"]


@dataclass(frozen=True, slots=True)
class Translation:
    """A target of a source with its best derivation.

    Attributes
    ----------
    target : tuple of str
        The words.
    log_probability : float
        Natural logarithm of the probability of the best derivation with this target.
    rules : tuple of int
        That derivation: rule numbers in preorder.
    """

    target: tuple[str, ...]
    log_probability: float
    rules: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class PairDerivation:
    """A derivation of a pair: rule numbers in preorder, and its log-probability."""

    rules: tuple[int, ...]
    log_probability: float


class SynchronousParser:
    """Exact parsing with one grammar.

    Sources and targets are sequences of words.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Any.

    Examples
    --------
    >>> import math
    >>> parser = SynchronousParser(SynchronousGrammar.parse('''
    ...     NT_1 twice ### NT_1 NT_1 [0.25]
    ...     NT_1 and NT_2 ### NT_1 NT_2 [0.25]
    ...     walk ### WALK [0.25]
    ...     run ### RUN [0.25]
    ... '''))
    >>> for found in parser.translations("walk and run twice".split(), k=5):
    ...     print(*found.target, round(math.exp(found.log_probability), 9))
    WALK RUN RUN 0.00390625
    WALK RUN WALK RUN 0.00390625
    >>> math.exp(parser.pair_log_probability("run twice".split(), "RUN RUN".split()))
    0.0625
    >>> print(parser.translations(["jump"]))
    no parse of 'jump': the grammar lacks the word 'jump' (word 1 of 1)

    Notes
    -----
    Targets are ranked by their best derivation: finding the target with the largest sum over
    derivations is NP-hard (Casacuberta & de la Higuera 2000). The sum of one pair is exact.
    """

    def __init__(self, grammar: SynchronousGrammar) -> None:
        self.grammar = grammar
        self._parser = Parser(grammar.source_side.pcfg)
        self._rule_of = grammar.source_side.fragment_of_rule.tolist()
        self._coder = Coder()
        self._log_weight = [math.log(w) if w > 0 else -math.inf for w in grammar.weight.tolist()]
        self._coded = CodedRules(
            CodedRule.of(
                number,
                self._coder.side(rule.source),
                self._coder.side(rule.target),
                rule.lhs,
                [slot.symbol for slot in rule.slots],
            )
            for number, rule in enumerate(grammar.rules)
            if self._log_weight[number] > -math.inf
        )

    def translations(self, source: Sequence[str], k: int = 1) -> list[Translation] | NoParse:
        """Return the k best distinct targets of a source, the best first; fewer if there are fewer.

        Which of equally probable targets comes first is not defined, but always the same.

        Returns
        -------
        list of Translation, or NoParse
            The latter, with the reason, where the source has no derivation.

        Raises
        ------
        OptionError
            If k is not 1 or more, or the source is empty or not a sequence of words.
        """
        _check_k(k)
        if k == 1:
            best = self._parser.viterbi(source)
            return best if isinstance(best, NoParse) else [self._translation(best)]
        wanted = 2 * k
        while True:
            parses = self._parser.kbest(source, wanted)
            if isinstance(parses, NoParse):
                return parses
            found: dict[tuple[str, ...], Translation] = {}
            for parse in parses:
                translation = self._translation(parse)
                found.setdefault(translation.target, translation)
            if len(found) >= k or len(parses) < wanted:
                return list(found.values())[:k]
            wanted *= 4

    def _translation(self, parse: Parse) -> Translation:
        rules = tuple(r for i in parse.rules if (r := self._rule_of[i]) >= 0)
        return Translation(self.grammar.yields(rules)[1], parse.log_probability, rules)

    def is_derivable(self, source: Sequence[str], target: Sequence[str]) -> bool:
        """Say whether the grammar derives a pair."""
        return self._forest(source, target).root >= 0

    def pair_log_probability(self, source: Sequence[str], target: Sequence[str]) -> float:
        """Return the natural logarithm of the sum over all derivations of a pair; -inf if none."""
        forest = self._forest(source, target)
        if forest.root < 0:
            return -math.inf
        inside = [-math.inf] * len(forest.nodes)
        for edge in forest.edges:
            value = self._log_weight[edge.rule] + sum(inside[c] for c in edge.children)
            inside[edge.node] = _log_add(inside[edge.node], value)
        return inside[forest.root]

    def pair_derivations(
        self, source: Sequence[str], target: Sequence[str], k: int = 1
    ) -> list[PairDerivation]:
        """Return the k best derivations of a pair, the best first; fewer if there are fewer.

        Raises
        ------
        OptionError
            If k is not 1 or more.
        """
        _check_k(k)
        forest = self._forest(source, target)
        best: list[list[PairDerivation]] = [[] for _ in forest.nodes]
        waiting: list[list[Edge]] = [[] for _ in forest.nodes]
        for edge in forest.edges:
            waiting[edge.node].append(edge)
        for node in _in_order(forest):
            candidates = (d for edge in waiting[node] for d in self._combined(edge, best, k))
            best[node] = heapq.nsmallest(k, candidates, key=_by_value)
        return best[forest.root] if forest.root >= 0 else []

    def _combined(
        self, edge: Edge, best: list[list[PairDerivation]], k: int
    ) -> list[PairDerivation]:
        """Return the k best derivations that begin with one edge."""
        found = [PairDerivation((edge.rule,), self._log_weight[edge.rule])]
        for child in edge.children:
            found = heapq.nsmallest(
                k,
                (
                    PairDerivation(
                        done.rules + below.rules, done.log_probability + below.log_probability
                    )
                    for done in found
                    for below in best[child]
                ),
                key=_by_value,
            )
        return found

    def _forest(self, source: Sequence[str], target: Sequence[str]) -> PairForest:
        if not source or not target:
            raise OptionError(
                "a side of the pair is empty", hint="give both sides as sequences of words"
            )
        return pair_forest(
            self._coded,
            self._coder.words(source),
            self._coder.words(target),
            start=self.grammar.start,
        )


def _in_order(forest: PairForest) -> list[int]:
    """Return the nodes so that all edges of one come before it is used."""
    last = {edge.node: i for i, edge in enumerate(forest.edges)}
    return sorted(last, key=last.__getitem__)


def _by_value(found: PairDerivation) -> tuple[float, tuple[int, ...]]:
    # rounded, because equal products may differ in the last digit
    return (-round(found.log_probability, 9), found.rules)


def _check_k(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise OptionError(f"k is {k!r}", hint="give a whole number of 1 or more")


def _log_add(a: float, b: float) -> float:
    if a == -math.inf:
        return b
    if b == -math.inf:
        return a
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))

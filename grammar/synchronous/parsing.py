"""Parsing with synchronous grammars: the best targets of a source, and all derivations of a pair.

A source is parsed by the PCFG of the source side (:class:`grammar.chart.parser.Parser`), whose
derivations are those of the grammar; each says its target.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grammar.chart.parser import Parser
from grammar.chart.parses import NoParse, Parse
from grammar.errors import OptionError
from grammar.options import whole_number
from grammar.synchronous.forest import CodedRule, CodedRules, Coder, Edge, PairForest, pair_forest
from grammar.synchronous.grammar import SynchronousGrammar

__all__ = ["PairDerivation", "SynchronousParser", "Translation"]

_BEAM = 1e-4
"""Share of the best value over a span below which a symbol is dropped, where all is too much."""
_MOST_DERIVATIONS = 1024
"""For each target wanted: derivations that are looked at for targets that differ."""


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
    exact : bool
        False if it was found with a beam, so that there may be better ones.
    """

    target: tuple[str, ...]
    log_probability: float
    rules: tuple[int, ...] = field(repr=False)
    exact: bool = True


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
    memory_limit, step_limit : int
        What the chart of a source may take, see :class:`grammar.chart.parser.Parser`. A source
        that needs more steps is parsed with a beam, and its translations say so; one for which
        even that is too much has none.

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

    def __init__(
        self,
        grammar: SynchronousGrammar,
        *,
        memory_limit: int = 1 << 30,
        step_limit: int = 100_000_000,
    ) -> None:
        self.grammar = grammar
        self._limits = (memory_limit, step_limit)
        self._parser = self._with_beam(0.0)
        self._rule_of = grammar.source_side.fragment_of_rule.tolist()
        self._coder = Coder()
        self._log_weight = [math.log(w) if w > 0 else -math.inf for w in grammar.weight.tolist()]

    @cached_property
    def _coded(self) -> CodedRules:
        """The rules that have a weight, for forests of pairs."""
        return CodedRules(
            CodedRule.of(
                number,
                self._coder.side(rule.source),
                self._coder.side(rule.target),
                rule.lhs,
                [slot.symbol for slot in rule.slots],
            )
            for number, rule in enumerate(self.grammar.rules)
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
        whole_number("k", k, 1)
        found = self._found(self._parser, source, k)
        if isinstance(found, NoParse) and found.refused:
            rough = self._found(self._rough, source, k)
            return found if isinstance(rough, NoParse) else rough
        return found

    @cached_property
    def _rough(self) -> Parser:
        return self._with_beam(_BEAM)

    def _with_beam(self, beam: float) -> Parser:
        memory, steps = self._limits
        pcfg = self.grammar.source_side.pcfg
        return Parser(pcfg, memory_limit=memory, step_limit=steps, beam=beam)

    def _found(self, parser: Parser, source: Sequence[str], k: int) -> list[Translation] | NoParse:
        if k == 1:
            best = parser.viterbi(source)
            return best if isinstance(best, NoParse) else [self._translation(best)]
        wanted = 2 * k
        while True:
            parses = parser.kbest(source, wanted)
            if isinstance(parses, NoParse):
                return parses
            found: dict[tuple[str, ...], Translation] = {}
            for parse in parses:
                translation = self._translation(parse)
                found.setdefault(translation.target, translation)
            if len(found) >= k or len(parses) < wanted or wanted >= k * _MOST_DERIVATIONS:
                return list(found.values())[:k]
            wanted *= 4

    def _translation(self, parse: Parse) -> Translation:
        rules = tuple(r for i in parse.rules if (r := self._rule_of[i]) >= 0)
        target = self.grammar.yields(rules)[1]
        return Translation(target, parse.log_probability, rules, parse.exact)

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
        whole_number("k", k, 1)
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


def _log_add(a: float, b: float) -> float:
    if a == -math.inf:
        return b
    if b == -math.inf:
        return a
    return max(a, b) + math.log1p(math.exp(-abs(a - b)))

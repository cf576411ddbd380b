"""A grammar as charts need it: units, edges with at most two children, closures of unary rules.

A *unit* is what a span can be: a nonterminal, a word that stands next to other symbols in some
rule, or the last two or more children of a longer rule (a *suffix*). A rule with more than two
children takes its first child and the suffix after it; a suffix takes its own first child and the
next suffix, with weight one. Words inside rules become units of their own, with weight one. So
every rule is one *edge* that carries its weight and number, all other edges cost nothing, and a
derivation is read off the edges that have a rule number: nothing needs to be undone.

An edge has two unit children (binary), one (unary), or is a word (lexical).

A rule some of whose children may be empty has an edge for each choice of those that are: such an
edge stands for a :class:`Variant` of the rule, numbered after rules and given tags, and carries
the probability of what it leaves out. For sums that is the probability of all derivations without
words; where the best derivations are sought and a symbol has several without words, the edge
exists once for each of the best of these. :meth:`ChartGrammar.restored` puts back what was left
out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.chart.rules import (
    FIRST,
    PARENT,
    RULE,
    SECOND,
    ChartRules,
    Corner,
    corner_of,
    row_starts,
)
from grammar.chart.unary_chains import (
    best_unary_graph,
    cyclic_units,
    unary_chains,
    unary_graph,
)
from grammar.errors import ChartGrammarError
from grammar.pcfg.analysis import (
    CRITICAL,
    have_no_rules,
    mend_without_rules,
    productive,
    reachable,
    spectral_radius,
    without_rules,
)
from grammar.pcfg.empty_rules import EmptyDerivations, best_products, empty_chances
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, format_symbol

__all__ = ["ChartGrammar", "Variant"]

_MOST_OPTIONAL = 10
"""Children of one rule that may be empty: the rule has 2^n variants."""


class Variant(NamedTuple):
    """A rule some of whose children are empty.

    Attributes
    ----------
    rule : int
        Its number in the grammar.
    left_out : tuple
        For each child that is a symbol: None if it is there; else its number, and the rules of its
        derivation without words, or None if that is any of them.
    log_weight : float
        Natural logarithm of the probability of what is left out.
    """

    rule: int
    left_out: tuple[tuple[int, tuple[int, ...] | None] | None, ...]
    log_weight: float


@dataclass(frozen=True, eq=False)
class ChartGrammar:
    """A grammar compiled for charts; make it with :meth:`compile`.

    Rules of weight zero and rules that no derivation from the start can use are left out, so that
    unary cycles always have an exit and their closure exists.

    Attributes
    ----------
    grammar : Grammar
        What was compiled.
    parts : tuple of (int, int)
        What the units after the nonterminals are: ``(-1 - word, -1)`` is a word, other pairs are
        suffixes, as their first unit and the unit of the rest.
    rules : ChartRules
        The edges.
    cyclic : bool array, shape (units,)
        Which units can derive themselves by unary rules alone.
    best_chains, all_chains : Corner
        Chains of unary rules by their last unit: what they start from, and the weight of the best
        one and of all together. The chain of no rules is one of them.
    empty : EmptyDerivations
        What symbols derive without words.
    variants : tuple of Variant
        The rules with children left out; number ``first_variant`` and those after it in the edges.

    Examples
    --------
    >>> chart_grammar = ChartGrammar.compile(Grammar.parse("S -> S 'and' S [0.5] | 'rain' [0.5]"))
    >>> chart_grammar.units, [chart_grammar.name(unit) for unit in range(chart_grammar.units)]
    (3, ['S', "'and'", "'and' S"])
    """

    grammar: Grammar
    parts: tuple[tuple[int, int], ...]
    rules: ChartRules
    cyclic: BoolArray
    best_chains: Corner
    all_chains: Corner
    empty: EmptyDerivations
    variants: tuple[Variant, ...]

    @classmethod
    def compile(cls, grammar: Grammar, *, best: int | None = None) -> ChartGrammar:
        """Compile a grammar.

        Parameters
        ----------
        grammar : Grammar
            The grammar.
        best : int, optional
            How many of the best derivations can be found. By default the chart is for sums; if no
            symbol has two derivations without words, that is one and the same.

        Raises
        ------
        ChartGrammarError
            If a unary cycle keeps all its weight, no derivation ends in words, or too many
            children of a rule may be empty.
        """
        words = len(grammar.rules.words)
        empty = EmptyDerivations(grammar, empty_chances(grammar))
        variants = _Variants(grammar, empty, best)
        binary, unary, lexical, parts = _edges(grammar, variants)
        units = len(grammar.rules.nonterminals) + len(parts)
        every = np.concatenate((binary, unary, lexical))
        rule = every[:, RULE]
        weight = variants.log_weights(rule)
        unaries, lexicals = len(binary), len(binary) + len(unary)
        graph = unary_graph(unary, weight[unaries:lexicals], units)
        cyclic = cyclic_units(graph)
        _check_cycles(grammar, graph, cyclic)
        by_head = [np.argsort(table[:, PARENT], kind="stable") for table in (binary, unary)]
        rules = ChartRules(
            left=corner_of(binary, 0, weight, FIRST, SECOND, units),
            right=corner_of(binary, 0, weight, SECOND, FIRST, units),
            unary=corner_of(unary, unaries, weight, FIRST, SECOND, units),
            lexical=corner_of(lexical, lexicals, weight, FIRST, SECOND, words),
            binary_starts=row_starts(binary[by_head[0], PARENT], units),
            binary_edges=by_head[0].astype(np.int64),
            unary_starts=row_starts(unary[by_head[1], PARENT], units),
            unary_edges=by_head[1].astype(np.int64) + unaries,
            first=every[:, FIRST].astype(np.int32),
            second=every[:, SECOND].astype(np.int32),
            rule=rule.astype(np.int32),
            weight=weight,
        )
        best_chains, all_chains = unary_chains(graph)
        if variants.made:  # two edges may lead from one unit to another
            best_chains, _ = unary_chains(best_unary_graph(graph, unary, weight[unaries:lexicals]))
        made = tuple(variants.made)
        return cls(grammar, parts, rules, cyclic, best_chains, all_chains, empty, made)

    @property
    def symbols(self) -> int:
        """Number of nonterminals, which are the first units."""
        return len(self.grammar.rules.nonterminals)

    @property
    def units(self) -> int:
        """Number of units."""
        return self.symbols + len(self.parts)

    def name(self, unit: int) -> str:
        """Return what a unit is, as it would be written in a rule."""
        if unit < self.symbols:
            return format_symbol(Nonterminal(self.grammar.rules.nonterminals[unit]))
        first, rest = self.parts[unit - self.symbols]
        if rest < 0:
            return format_symbol(self.grammar.rules.words[-1 - first])
        return f"{self.name(first)} {self.name(rest)}"

    @property
    def first_variant(self) -> int:
        """The number of the first variant, after those of rules and of given tags."""
        return len(self.grammar) + self.symbols

    def restored(
        self, sequence: Iterable[int], fill: Callable[[int], tuple[int, ...]] | None = None
    ) -> list[int]:
        """Return a derivation of the edges as one of the grammar: with rules without words.

        Parameters
        ----------
        sequence : iterable of int
            The numbers of edges that have one, in preorder.
        fill : callable, optional
            Gives a derivation without words of a symbol, where any may be left out; by default
            the best.
        """
        if not self.variants:
            return list(sequence)
        if fill is None:
            best = self.empty.best(1)
            fill = lambda symbol: best[symbol][0][1]  # noqa: E731
        bounds, children = self.grammar.rules.offsets, self.grammar.rules.rhs
        given = iter(sequence)
        found: list[int] = []
        waiting: list[tuple[int, ...] | None] = [None]
        while waiting:
            known = waiting.pop()
            if known is not None:
                found += known
                continue
            number = next(given)
            if number < self.first_variant:
                found.append(number)
                tag = number >= len(self.grammar)
                right = () if tag else children[bounds[number] : bounds[number + 1]]
                waiting += [None] * int(np.count_nonzero(np.asarray(right) >= 0))
                continue
            variant = self.variants[number - self.first_variant]
            found.append(variant.rule)
            for one in reversed(variant.left_out):
                if one is None:
                    waiting.append(None)
                else:
                    waiting.append(fill(one[0]) if one[1] is None else one[1])
        return found

    def uses_of_rules(self, numbers: IntArray, uses: FloatArray) -> FloatArray:
        """Return how often each rule of the grammar is used, where each edge is used so often.

        Parameters
        ----------
        numbers : int array, shape (edges,)
            Their rules.
        uses : float64 array, shape (edges,)
            Their uses.
        """
        count = np.zeros(len(self.grammar))
        plain = (numbers >= 0) & (numbers < len(count))
        count[numbers[plain]] += uses[plain]  # a rule is one edge
        for edge in np.flatnonzero((numbers >= self.first_variant) & (uses > 0)).tolist():
            variant = self.variants[numbers[edge] - self.first_variant]
            count[variant.rule] += uses[edge]
            for one in variant.left_out:
                if one is not None:
                    count += uses[edge] * self.empty.uses[one[0]]
        return count

    @cached_property
    def word_ids(self) -> dict[str, int]:
        """The number of each word."""
        return {word: i for i, word in enumerate(self.grammar.rules.words)}

    @cached_property
    def counting(self) -> tuple[ChartRules, Corner]:
        """The edges and chains with which sums count derivations: every edge is worth one.

        Unary edges of cyclic units are left out, as they have no finite count.
        """
        rules, times = self.rules, np.log(np.where(np.isinf(self.times), 1.0, self.times))
        edges = rules.unary.edge
        table = np.stack((rules.unary.parent, rules.first[edges]), axis=1).astype(np.int64)
        finite = ~self.cyclic[table].any(axis=1)
        table = table[finite]
        counted = rules._replace(
            left=_weighing(rules.left, times),
            right=_weighing(rules.right, times),
            unary=Corner(
                row_starts(table[:, FIRST], self.units),
                rules.unary.far[finite],
                rules.unary.parent[finite],
                times[rules.unary.edge[finite]],
                rules.unary.edge[finite],
            ),
            lexical=_weighing(rules.lexical, times),
            weight=times,
        )
        graph = unary_graph(table, counted.unary.weight, self.units)
        return counted, unary_chains(graph)[1]

    @cached_property
    def times(self) -> FloatArray:
        """float64 array, shape (edges,): in how many ways what an edge leaves out is empty."""
        found = np.ones(len(self.rules.rule))
        for edge in np.flatnonzero(self.rules.rule >= self.first_variant).tolist():
            variant = self.variants[self.rules.rule[edge] - self.first_variant]
            left_out = [self.empty.times[one[0]] for one in variant.left_out if one is not None]
            found[edge] = math.prod(left_out)
        return found


class _Variants:
    """Numbers the variants of rules as they are met."""

    def __init__(self, grammar: Grammar, empty: EmptyDerivations, best: int | None) -> None:
        self.made: list[Variant] = []
        self._grammar, self._empty = grammar, empty
        self._first = len(grammar) + len(grammar.rules.nonterminals)
        self._most = 1 if best is None else best
        self._any = best is None and not empty.unique
        self._best = empty.best(self._most) if empty.rules_of and not self._any else {}

    def of(self, rule: int, right: list[int]) -> Iterator[tuple[int, list[int]]]:
        """Yield the numbers under which a rule is used, each with the children that are there."""
        optional = [i for i, child in enumerate(right) if child in self._empty.rules_of]
        if len(optional) > _MOST_OPTIONAL:
            raise ChartGrammarError(
                f"{len(optional)} children of one rule may be empty",
                where=str(self._grammar.production(rule)),
                hint="split it: grammar.operations.binarise(grammar)",
            )
        if right:
            yield rule, right
        for size in range(1, len(optional) + 1):
            for chosen in itertools.combinations(optional, size):
                kept = [child for i, child in enumerate(right) if i not in chosen]
                if kept:
                    yield from ((number, kept) for number in self._numbers(rule, right, chosen))

    def _numbers(self, rule: int, right: list[int], chosen: tuple[int, ...]) -> Iterator[int]:
        symbols = [right[i] for i in chosen]
        ways: list[tuple[float, tuple[Any, ...]]]
        if self._any:
            chance = self._empty.chance[symbols]
            ways = [(float(np.log(chance).sum()), tuple((symbol, None) for symbol in symbols))]
        else:
            lists = [
                [(score, ((symbol, rules),)) for score, rules in self._best[symbol]]
                for symbol in symbols
            ]
            ways = best_products(lists, self._most)
        for log_weight, fillings in ways:
            given = dict(zip(chosen, fillings, strict=True))
            left_out = tuple(given.get(i) for i, child in enumerate(right) if child >= 0)
            self.made.append(Variant(rule, left_out, log_weight))
            yield self._first + len(self.made) - 1

    def log_weights(self, numbers: LongArray) -> FloatArray:
        """Return the logarithms of the weights of edges; those without a number cost nothing."""
        weight = np.concatenate(
            (
                self._grammar.compiled.log_weight,
                np.zeros(self._first - len(self._grammar)),
                [
                    self._grammar.compiled.log_weight[variant.rule] + variant.log_weight
                    for variant in self.made
                ],
            )
        )
        return np.where(numbers >= 0, weight[numbers], 0.0)


def _edges(
    grammar: Grammar, variants: _Variants
) -> tuple[LongArray, LongArray, LongArray, tuple[tuple[int, int], ...]]:
    """Return binary, unary and lexical edges, and what the units after the nonterminals are.

    An edge is a row: parent, first child (or word), second child, rule.
    """
    bounds, children = grammar.rules.offsets.tolist(), grammar.rules.rhs.tolist()
    symbols = len(grammar.rules.nonterminals)
    parts: dict[tuple[int, int], int] = {}
    binary, unary, lexical = [], [], []

    def unit(first: int, rest: int) -> int:
        return parts.setdefault((first, rest), symbols + len(parts))

    for whole in np.flatnonzero(_useful(grammar)).tolist():
        lhs = int(grammar.rules.lhs[whole])
        for rule, right in variants.of(whole, children[bounds[whole] : bounds[whole + 1]]):
            if len(right) == 1 and right[0] < 0:
                lexical.append((lhs, -1 - right[0], -1, rule))
            elif len(right) == 1:
                unary.append((lhs, right[0], -1, rule))
            else:
                inner = [child if child >= 0 else unit(child, -1) for child in right]
                rest = inner[-1]
                for child in inner[-2:0:-1]:
                    rest = unit(child, rest)
                binary.append((lhs, inner[0], rest, rule))
    for (first, rest), made in parts.items():
        if rest < 0:
            lexical.append((made, -1 - first, -1, -1))
        else:
            binary.append((made, first, rest, -1))
    return _table(binary), _table(unary), _table(lexical), tuple(parts)


def _useful(grammar: Grammar) -> BoolArray:
    """Return which rules some derivation from the start uses; there must be some."""
    rules = grammar.rules
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    inner = rules.rhs >= 0
    barren = np.zeros(len(rules), np.bool_)
    barren[rule[inner][~productive(grammar)[rules.rhs[inner]]]] = True
    useful: BoolArray = (grammar.weight > 0) & ~barren & reachable(grammar)[rules.lhs]
    if not useful[rules.lhs == grammar.start_id].any():
        if lacking := without_rules(grammar):
            raise ChartGrammarError(
                f"{have_no_rules(lacking)}, so no derivation from {grammar.start} ends in words",
                hint=mend_without_rules(lacking),
            )
        raise ChartGrammarError(
            f"no derivation from {grammar.start} ever ends in words",
            hint="every symbol needs a rule that leads to words, such as N -> 'dog'",
        )
    return useful


def _check_cycles(grammar: Grammar, graph: sp.csr_array, cyclic: BoolArray) -> None:
    radius = spectral_radius(graph) if cyclic.any() else 0.0
    if radius >= 1.0 - CRITICAL:
        names = grammar.rules.nonterminals
        circle = [names[i] for i in np.flatnonzero(cyclic).tolist()]
        raise ChartGrammarError(
            f"unary rules lead in a circle with weight {radius:.9f}, so chains have no finite sum",
            where=f"symbols {', '.join(circle[:8])}",
            hint="give these symbols other rules, with weight above zero",
        )


def _weighing(corner: Corner, log_weight: FloatArray) -> Corner:
    """Return the edges with other weights, given by edge."""
    return corner._replace(weight=log_weight[corner.edge])


def _table(rows: list[tuple[int, int, int, int]]) -> LongArray:
    return np.array(rows, np.int64).reshape(-1, 4)

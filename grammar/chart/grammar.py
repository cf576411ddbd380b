"""A grammar as charts need it: units, edges with at most two children, closures of unary rules.

A *unit* is what a span can be: a nonterminal, a word that stands beside other symbols in some
rule, or the last two or more children of a longer rule (a *suffix*). A rule with more than two
children takes its first child and the suffix after it; a suffix takes its own first child and the
next suffix, with weight one. Words inside rules become units of their own, with weight one. So
every rule is one *edge* that carries its weight and number, all other edges cost nothing, and a
derivation is read off the edges that have a rule number: nothing needs to be undone.

An edge has two unit children (binary), one (unary), or is a word (lexical).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from grammar.arrays import BoolArray, LongArray
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
from grammar.chart.unary_chains import cyclic_units, unary_chains, unary_graph
from grammar.errors import ChartGrammarError
from grammar.pcfg.analysis import CRITICAL, productive, reachable, spectral_radius
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, format_symbol

__all__ = ["ChartGrammar"]


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

    @classmethod
    def compile(cls, grammar: Grammar) -> ChartGrammar:
        """Compile a grammar.

        Raises
        ------
        ChartGrammarError
            If a rule has an empty right-hand side, a unary cycle keeps all its weight, or no
            derivation ends.
        """
        words = len(grammar.rules.words)
        binary, unary, lexical, parts = _edges(grammar)
        units = len(grammar.rules.nonterminals) + len(parts)
        every = np.concatenate((binary, unary, lexical))
        rule = every[:, RULE]
        weight = np.where(rule >= 0, grammar.compiled.log_weight[rule], 0.0)
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
        return cls(grammar, parts, rules, cyclic, *unary_chains(graph))

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

    @cached_property
    def word_ids(self) -> dict[str, int]:
        """The number of each word."""
        return {word: i for i, word in enumerate(self.grammar.rules.words)}

    @cached_property
    def counting(self) -> tuple[ChartRules, Corner]:
        """The edges and chains with which sums count derivations: every edge is worth one.

        Unary edges of cyclic units are left out, as they have no finite count.
        """
        rules = self.rules
        edges = rules.unary.edge
        table = np.stack((rules.unary.parent, rules.first[edges]), axis=1).astype(np.int64)
        finite = ~self.cyclic[table].any(axis=1)
        table = table[finite]
        counted = rules._replace(
            left=_free(rules.left),
            right=_free(rules.right),
            unary=Corner(
                row_starts(table[:, FIRST], self.units),
                rules.unary.far[finite],
                rules.unary.parent[finite],
                np.zeros(len(table)),
                rules.unary.edge[finite],
            ),
            lexical=_free(rules.lexical),
            weight=np.zeros_like(rules.weight),
        )
        return counted, unary_chains(unary_graph(table, np.zeros(len(table)), self.units))[1]


def _edges(
    grammar: Grammar,
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

    for rule in np.flatnonzero(_useful(grammar)).tolist():
        lhs = int(grammar.rules.lhs[rule])
        right = children[bounds[rule] : bounds[rule + 1]]
        if len(right) == 1 and right[0] < 0:
            lexical.append((lhs, -1 - right[0], -1, rule))
        elif len(right) == 1:
            unary.append((lhs, right[0], -1, rule))
        else:
            right = [child if child >= 0 else unit(child, -1) for child in right]
            rest = right[-1]
            for child in right[-2:0:-1]:
                rest = unit(child, rest)
            binary.append((lhs, right[0], rest, rule))
    for (first, rest), made in parts.items():
        if rest < 0:
            lexical.append((made, -1 - first, -1, -1))
        else:
            binary.append((made, first, rest, -1))
    return _table(binary), _table(unary), _table(lexical), tuple(parts)


def _useful(grammar: Grammar) -> BoolArray:
    """Return which rules some derivation from the start uses; there must be some, none empty."""
    rules = grammar.rules
    empty = np.flatnonzero((np.diff(rules.offsets) == 0) & (grammar.weight > 0))
    if len(empty):
        raise ChartGrammarError(
            "a rule with an empty right-hand side cannot be parsed with",
            where=str(grammar.production(int(empty[0]))),
            hint="remove empty rules first: write out the rules with and without such symbols",
        )
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    inner = rules.rhs >= 0
    barren = np.zeros(len(rules), np.bool_)
    barren[rule[inner][~productive(grammar)[rules.rhs[inner]]]] = True
    useful: BoolArray = (grammar.weight > 0) & ~barren & reachable(grammar)[rules.lhs]
    if not useful[rules.lhs == grammar.start_id].any():
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


def _free(corner: Corner) -> Corner:
    """Return the edges with weights of one."""
    return corner._replace(weight=np.zeros_like(corner.weight))


def _table(rows: list[tuple[int, int, int, int]]) -> LongArray:
    return np.array(rows, np.int64).reshape(-1, 4)

"""Synchronous grammars: rules that write a source and a target together, as one immutable value.

A derivation rewrites the start symbol by a rule, and every slot of the rule by one derivation that
writes to both sides; a slot that the target repeats is copied there. The probability of a
derivation is the product of the weights of its rules. With one type of nonterminal these are the
quasi-synchronous context-free grammars of Shaw et al. (2021) and Qiu et al. (2022), after
Smith & Eisner (2006); types make them finer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.codecs import GraphCodec
from grammar.description import Description
from grammar.errors import (
    ChartGrammarError,
    OptionError,
    SchemaError,
    StartSymbolError,
    SynchronousRuleError,
    TreewrightError,
    located,
)
from grammar.families.flattening import Flattened, flattened
from grammar.graph.rules import is_whole
from grammar.graph.table import GraphTable
from grammar.pictures.base_labels import known_symbol
from grammar.pictures.neighbourhood import draw_neighbourhood
from grammar.rules.rules import Nonterminal
from grammar.synchronous.analysis import SynchronousReport, ambiguous_types, analyse_synchronous
from grammar.synchronous.notation import format_rules, parse_rules
from grammar.synchronous.rule import NT, Slot, SynchronousRule, chain_cycle
from grammar.trees.fragment import Fragment
from grammar.weighted import Weighted
from grammar.weights import check_sums, check_weights, normalised

__all__ = ["SynchronousGrammar", "WeightedRule"]

Placed = dict[int, Slot | str]


class WeightedRule(NamedTuple):
    """A rule with its probability given its left-hand side, and how often it was seen."""

    rule: SynchronousRule
    weight: float
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


@dataclass(frozen=True, eq=False, repr=False)
class SynchronousGrammar(Weighted):
    """A probabilistic synchronous grammar.

    The rules are distinct and in one canonical order, so their numbers are stable. Build it with
    :meth:`from_rules` or :meth:`parse`, which sort and merge.

    Parameters
    ----------
    rules : tuple of SynchronousRule
        In canonical order: the start symbol first, then by left-hand side, source and target.
    weight : float64 array, shape (rules,)
        Probability of each given its left-hand side.
    count : int64 array, shape (rules,)
        How often each was seen; 0 if it was not counted.
    start : str
        The type that derivations start from.

    Raises
    ------
    WeightError
        If a weight is negative, not a number or infinite, or those of a left-hand side do not
        sum to one (to 1e-6).
    StartSymbolError
        If the start symbol has no rules.
    SynchronousRuleError
        If a slot has a type without rules.
    ChartGrammarError
        If rules whose source is one slot make a cycle: sources would have derivations without
        number.

    Examples
    --------
    >>> grammar = SynchronousGrammar.parse('''
    ...     NT_1 twice ### NT_1 NT_1 [0.2]
    ...     NT_1 and NT_2 ### NT_1 NT_2 [0.2]
    ...     walk ### WALK [0.6]
    ... ''')
    >>> grammar
    SynchronousGrammar(start NT: 3 rules of 1 types)
    >>> grammar.yields((1, 0, 2, 2))
    (('walk', 'and', 'walk', 'twice'), ('WALK', 'WALK', 'WALK', 'WALK'))
    """

    rules: tuple[SynchronousRule, ...]
    weight: FloatArray
    count: LongArray
    start: str

    family = "synchronous"
    codec = GraphCodec(notation=(".txt", ".txt.gz"))
    normalises = True

    def __post_init__(self) -> None:
        types = self.types
        if self.start not in types:
            raise StartSymbolError(
                f"the start symbol {self.start!r} has no rules",
                hint=f"choose one of {', '.join(types[:8])}" if types else "give some rules",
            )
        for rule in self.rules:
            for slot in rule.slots:
                if slot.symbol not in types:
                    raise SynchronousRuleError(
                        f"the type {slot.symbol!r} has no rules",
                        where=str(rule),
                        hint=f"types that have some: {', '.join(types[:8])}",
                    )
        check_weights(self.weight, self.rules.__getitem__)
        check_sums(self.weight, self.lhs, types, what="types")
        self._check_chains()

    @classmethod
    def from_rules(
        cls,
        rules: Iterable[tuple[SynchronousRule, float, int]],
        *,
        start: str = NT,
        normalise: bool = False,
    ) -> SynchronousGrammar:
        """Build a grammar; equal rules are merged, their weights and counts added.

        Parameters
        ----------
        rules : iterable of (SynchronousRule, float, int)
            Rules with weight and count, in any order.
        start : str
            The type that derivations start from.
        normalise : bool
            Divide the weights of each left-hand side by their sum.
        """
        given = [WeightedRule(*item) for item in rules]
        # here, because merging and normalising can turn bad weights into good ones
        check_weights(np.array([g.weight for g in given]), lambda i: given[i].rule)
        weights: dict[SynchronousRule, float] = defaultdict(float)
        counts: dict[SynchronousRule, int] = defaultdict(int)
        for rule, weight, count in given:
            weights[rule] += weight
            counts[rule] += count
        ordered = tuple(sorted(weights, key=lambda rule: _order(rule, start)))
        merged = np.array([weights[rule] for rule in ordered], np.float64)
        return cls(
            ordered,
            normalised(merged, _lhs(ordered)) if normalise else merged,
            np.array([counts[rule] for rule in ordered], np.int64),
            start,
        )

    @classmethod
    def parse(
        cls, text: str, *, normalise: bool = False, source: str = "<string>"
    ) -> SynchronousGrammar:
        """Read the notation of :mod:`grammar.synchronous.notation`.

        Raises
        ------
        NotationError
            If a line does not follow the notation; line, column and excerpt are given.
        SynchronousRuleError, WeightError, StartSymbolError
            If the rules make no grammar.
        """
        rules, start = parse_rules(text, source=source)
        with located(source):
            return cls.from_rules(
                ((rule, weight, 0) for rule, weight in rules),
                start=start or NT,
                normalise=normalise,
            )

    @classmethod
    def from_table(
        cls, table: GraphTable, *, source: str, normalise: bool = False
    ) -> SynchronousGrammar:
        """Read a grammar off the columns of a graph; else as :meth:`from_rules`."""
        graph = table.to_graph()
        rules = [
            _weighted_rule(graph, symbol, rule, data, source)
            for symbol, rule, data in graph.edges(data=True)
            if graph.nodes[symbol].get("kind") == "symbol"
        ]
        start = str(graph.graph.get("start", ""))
        with located(source):
            return cls.from_rules(rules, start=start, normalise=normalise)

    def to_text(self) -> str:
        """Return the rules in the notation, with weights and without counts."""
        rules = ((rule, weight) for rule, weight, _ in self)
        return format_rules(rules, self.start)

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[WeightedRule]:
        columns = (self.rules, self.weight.tolist(), self.count.tolist())
        return map(WeightedRule._make, zip(*columns, strict=True))

    def __repr__(self) -> str:
        return (
            f"SynchronousGrammar(start {self.start}: {len(self)} rules of {len(self.types)} types)"
        )

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types of nonterminals, the start symbol first."""
        return tuple(dict.fromkeys(rule.lhs for rule in self.rules))

    @cached_property
    def lhs(self) -> LongArray:
        """int64 array, shape (rules,): the type that each rewrites, as its place in `types`."""
        return _lhs(self.rules)

    def rule_text(self, number: int) -> str:
        """Return a rule in the notation, without its weight (IndexError if there is none)."""
        return str(self.rules[self.numbered(number)])

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the graph again.

        A rule node has its text as ``text``. An edge from it to a child has ``position``, the
        place on the source side (-1 for a word of the target only), and ``targets``, the places
        on the target side. Words of the source and of the target are different nodes, told apart
        by ``side``.
        """
        graph = nx.MultiDiGraph(family=self.family, start=self.start)
        for name in sorted(self.types):
            graph.add_node(f"symbol:{name}", kind="symbol", name=name)
        words = {
            (side, word)
            for rule in self.rules
            for side in ("source", "target")
            for word in getattr(rule, side)
            if isinstance(word, str)
        }
        for side, word in sorted(words):
            graph.add_node(f"word:{side}:{word}", kind="word", name=word, side=side)
        for i, (rule, weight, count) in enumerate(self):
            graph.add_node(f"rule:{i}", kind="rule", text=str(rule))
            graph.add_edge(f"symbol:{rule.lhs}", f"rule:{i}", 0, weight=weight, count=count)
        for i, rule in enumerate(self.rules):
            _add_children(graph, f"rule:{i}", rule)
        return graph

    @cached_property
    def source_side(self) -> Flattened:
        """The PCFG of sources: one rule for each rule, or two where several share a source."""
        return self._side("source")

    @cached_property
    def target_side(self) -> Flattened:
        """The PCFG whose right-hand sides are the targets, a copied slot as often as it stands.

        Its copies are rewritten apart, so its strings are not the targets. What it gives are the
        mean matrix of the target side, and expected lengths.
        """
        return self._side("target")

    def check(self) -> SynchronousReport:
        """Examine both sides; see :class:`SynchronousReport`."""
        return analyse_synchronous(self)

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the check of both sides, at the entropy of types, and at the rules of one."""
        symbol = known_symbol(symbol or self.start, self.types)
        report = self.check()
        types = ambiguous_types(self, bounded=report.source_bounded)
        rules = sorted((rule for rule in self if rule.rule.lhs == symbol), key=lambda r: -r.weight)
        return Description(
            self.family,
            lambda path: draw_neighbourhood(self.graph, symbol, path, top=top),
            facts={"start": self.start, "finite on average": _finite(report)},
            report=report,
            details={
                "entropy of types": [
                    {"type": t.symbol, **dict(list(t._asdict().items())[1:])} for t in types
                ],
                f"rules of {symbol}": [
                    f"{str(rule).removeprefix(f'{symbol} -> ')} [{weight:.6g}]"
                    for rule, weight, _ in rules[:top]
                ],
            },
        )

    def used(self, rules: Sequence[int], *, source: str = "the rules") -> tuple[str, list[str]]:
        """Return the rules of a derivation with their weights (OptionError if one is lacking)."""
        self.check_numbers(rules, source)
        return "rules", [f"{self.rules[n]} [{self.weight[n]:.6g}]" for n in rules]

    def yields(self, derivation: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return source and target of a derivation, given as rule numbers in preorder.

        Raises
        ------
        OptionError
            If the numbers are not one derivation, or it gives more than a million words.
        """
        made: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
        for number in reversed(derivation):
            rule = self.rules[number]
            slots = rule.slots
            below = made[len(made) - len(slots) :][::-1] if slots else []
            if [part[0] for part in below] != [slot.symbol for slot in slots]:
                raise OptionError(
                    "these rules are not one derivation",
                    where=str(rule),
                    hint="give rule numbers in preorder, as parsing and sampling do",
                )
            del made[len(made) - len(below) :]
            made.append((rule.lhs, _put(rule.source, below, 1), _put(rule.target, below, 2)))
        if len(made) != 1:
            raise OptionError(
                f"these rules make {len(made)} derivations, not one",
                hint="give rule numbers in preorder, as parsing and sampling do",
            )
        return made[0][1:]

    def _side(self, side: str) -> Flattened:
        fragments = [
            Fragment(
                rule.lhs,
                tuple(
                    Nonterminal(s.symbol) if isinstance(s, Slot) else s for s in getattr(rule, side)
                ),
            )
            for rule in self.rules
        ]
        return flattened(fragments, self.weight, self.count, self.start)

    def _check_chains(self) -> None:
        cycle = chain_cycle(self.rules)
        if cycle:
            raise ChartGrammarError(
                f"rules with one slot as source lead from {cycle[0]} back to it",
                where=" -> ".join([*cycle, cycle[0]]),
                hint="leave one of them out: they add nothing to a source",
            )


_MOST_WORDS = 1_000_000


def _put(
    symbols: tuple[Slot | str, ...],
    below: list[tuple[str, tuple[str, ...], tuple[str, ...]]],
    side: int,
) -> tuple[str, ...]:
    words: list[str] = []
    for symbol in symbols:
        if isinstance(symbol, Slot):
            words.extend(below[symbol.number - 1][side])
        else:
            words.append(symbol)
        if len(words) > _MOST_WORDS:  # what is copied again and again doubles each time
            raise OptionError(
                f"the derivation gives more than {_MOST_WORDS:,} words",
                hint="give a shorter source",
            )
    return tuple(words)


def _order(rule: SynchronousRule, start: str) -> tuple[object, ...]:
    """Sort the start symbol first, and rules with more slots before those with fewer."""
    sides = tuple(
        tuple((isinstance(s, str), str(s)) for s in side) for side in (rule.source, rule.target)
    )
    return (rule.lhs != start, rule.lhs, -rule.arity, sides)


def _lhs(rules: Sequence[SynchronousRule]) -> LongArray:
    """Number the left-hand sides of rules in the order in which they are met."""
    number: dict[str, int] = {}
    return np.array([number.setdefault(rule.lhs, len(number)) for rule in rules], np.int64)


def _finite(report: SynchronousReport) -> str:
    source, target = report.source_bounded, report.target_bounded
    if source and target:
        return "both sides, so pairs can be sampled freely"
    side = "the source only" if source else "the target only" if target else "no side"
    return f"{side}, so sample asks for --depth, --source-length or --target-length"


def _add_children(graph: nx.MultiDiGraph, node: str, rule: SynchronousRule) -> None:
    """Add an edge for each slot, each source word, and each target word."""
    key = 0
    for position, symbol in enumerate(rule.source):
        if isinstance(symbol, Slot):
            places = [i for i, other in enumerate(rule.target) if other == symbol]
            child = f"symbol:{symbol.symbol}"
        else:
            places, child = [], f"word:source:{symbol}"
        graph.add_edge(node, child, key, position=position, targets=places)
        key += 1
    for place, symbol in enumerate(rule.target):
        if isinstance(symbol, str):
            graph.add_edge(node, f"word:target:{symbol}", key, position=-1, targets=[place])
            key += 1


def _weighted_rule(
    graph: nx.MultiDiGraph, symbol: str, rule: str, data: dict[str, Any], source: str
) -> tuple[SynchronousRule, float, int]:
    weight, count = data.get("weight"), data.get("count", 0)
    name = graph.nodes[symbol].get("name")
    sound = (
        graph.nodes[rule].get("kind") == "rule"
        and graph.in_degree(rule) == 1
        and (isinstance(weight, float | np.floating) or is_whole(weight))
        and is_whole(count)
        and isinstance(name, str)
    )
    sides = _sides(graph, rule) if sound else None
    if sides is None:
        raise SchemaError(
            f"the rule {rule} of {symbol} does not follow the layout",
            where=source,
            hint="a rule has one parent, a numeric weight, and children at positions 0, 1, 2 ...",
        )
    try:
        made = SynchronousRule(*sides, str(name))
    except TreewrightError as error:
        raise SchemaError(error.what, where=f"{source}, {rule}", hint=error.hint) from None
    return made, float(weight), int(count)  # type: ignore[arg-type]


def _sides(
    graph: nx.MultiDiGraph, rule: str
) -> tuple[tuple[Slot | str, ...], tuple[Slot | str, ...]] | None:
    """Return source and target, or None where the edges do not make them."""
    source: Placed = {}
    target: Placed = {}
    for number, (_, node, edge) in enumerate(graph.out_edges(rule, data=True), start=1):
        child, position, places = graph.nodes[node], edge.get("position"), edge.get("targets")
        name = child.get("name")
        slot = child.get("kind") == "symbol"
        if not (isinstance(name, str) and is_whole(position) and isinstance(places, list)):
            return None
        symbol: Slot | str = Slot(number, name) if slot else name
        if slot or child.get("side") == "source":
            if position in source:
                return None
            source[position] = symbol
        for place in places:
            if not is_whole(place) or place in target:
                return None
            target[place] = symbol
    sides = (_row(source), _row(target))
    return None if None in sides else sides  # type: ignore[return-value]


def _row(placed: Placed) -> tuple[Slot | str, ...] | None:
    if sorted(placed) != list(range(len(placed))):
        return None
    return tuple(placed[i] for i in range(len(placed)))

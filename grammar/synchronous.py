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
from pathlib import Path
from typing import NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import (
    ChartGrammarError,
    OptionError,
    StartSymbolError,
    SynchronousRuleError,
    WeightError,
    located,
)
from grammar.files import PathLike, read_text, write_text
from grammar.fragment import Fragment
from grammar.rules import Nonterminal
from grammar.synchronous_analysis import SynchronousReport, analyse_synchronous
from grammar.synchronous_notation import format_grammar, parse_rules
from grammar.synchronous_rule import NT, Slot, SynchronousRule, chain_cycle
from grammar.tsg_flattening import Flattened, flattened

__all__ = ["Slot", "SynchronousGrammar", "SynchronousRule", "WeightedRule"]

_TOLERANCE = 1e-6


class WeightedRule(NamedTuple):
    """A rule with its probability given its left-hand side, and how often it was seen."""

    rule: SynchronousRule
    weight: float
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


@dataclass(frozen=True, eq=False)
class SynchronousGrammar:
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

    def __post_init__(self) -> None:
        types = list(dict.fromkeys(rule.lhs for rule in self.rules))
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
        _check_weights(self.weight, self.rules)
        self._check_sums()
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
        _check_weights(np.array([g.weight for g in given]), [g.rule for g in given])
        weights: dict[SynchronousRule, float] = defaultdict(float)
        counts: dict[SynchronousRule, int] = defaultdict(int)
        for rule, weight, count in given:
            weights[rule] += weight
            counts[rule] += count
        ordered = tuple(sorted(weights, key=lambda rule: _order(rule, start)))
        merged = np.array([weights[rule] for rule in ordered], np.float64)
        return cls(
            ordered,
            _normalised(ordered, merged) if normalise else merged,
            np.array([counts[rule] for rule in ordered], np.int64),
            start,
        )

    @classmethod
    def parse(
        cls, text: str, *, normalise: bool = False, source: str = "<string>"
    ) -> SynchronousGrammar:
        """Read the notation of :mod:`grammar.synchronous_notation`.

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
    def from_graph(cls, graph: nx.MultiDiGraph) -> SynchronousGrammar:
        """Read a grammar off a graph in the layout of :attr:`graph`.

        Raises
        ------
        SchemaError
            If a node or edge does not follow the layout.
        """
        from grammar.synchronous_graph import synchronous_from_graph

        return synchronous_from_graph(graph)

    @classmethod
    def load(cls, path: PathLike) -> SynchronousGrammar:
        """Load node-link JSON (``.json``, ``.json.gz``), or the notation from any other name.

        Raises
        ------
        UnreadableInputError
            If the file cannot be read.
        NotationError, SchemaError, SynchronousRuleError, WeightError, StartSymbolError
            If its content is not a synchronous grammar.
        """
        from grammar.storage import graph_from_json, looks_like_json
        from grammar.synchronous_graph import synchronous_from_graph

        text = read_text(path)
        if looks_like_json(text, path):
            graph = graph_from_json(text, source=str(path))
            return synchronous_from_graph(graph, source=str(path))
        return cls.parse(text, source=str(path))

    def save(self, path: PathLike) -> None:
        """Save losslessly as node-link JSON if the suffix is ``.json`` (or ``.json.gz``).

        Any other name gets the notation, which has no counts.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        from grammar.storage import write_graph

        if ".json" in Path(path).suffixes:
            write_graph(self.graph, path)
        else:
            write_text(path, self.to_text())

    def to_text(self) -> str:
        """Return the rules in the notation, with weights and without counts."""
        return format_grammar(self)

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[WeightedRule]:
        columns = (self.rules, self.weight.tolist(), self.count.tolist())
        return map(WeightedRule._make, zip(*columns, strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SynchronousGrammar):
            return NotImplemented
        return (
            self.start == other.start
            and self.rules == other.rules
            and np.array_equal(self.weight, other.weight)
            and np.array_equal(self.count, other.count)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"SynchronousGrammar(start {self.start}: {len(self)} rules of {len(self.types)} types)"
        )

    def _repr_svg_(self) -> str:
        from grammar.neighbourhood import neighbourhood_svg

        return neighbourhood_svg(self.graph, self.start)

    @property
    def types(self) -> tuple[str, ...]:
        """The types of nonterminals, the start symbol first."""
        return tuple(dict.fromkeys(rule.lhs for rule in self.rules))

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen AND/OR graph; copy it to change it, then use ``from_graph``.

        A rule node has its text as ``text``. An edge from it to a child has ``position``, the
        place on the source side (-1 for a word of the target only), and ``targets``, the places
        on the target side. Words of the source and of the target are different nodes, told apart
        by ``side``.
        """
        from grammar.synchronous_graph import synchronous_to_graph

        return nx.freeze(synchronous_to_graph(self))

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

    def yields(self, derivation: Sequence[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return source and target of a derivation, given as rule numbers in preorder.

        Raises
        ------
        OptionError
            If the numbers are not one derivation.
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

    def _check_sums(self) -> None:
        sums: dict[str, float] = defaultdict(float)
        for rule, weight in zip(self.rules, self.weight.tolist(), strict=True):
            sums[rule.lhs] += weight
        off = [name for name, total in sums.items() if abs(total - 1.0) > _TOLERANCE]
        if off:
            more = f" (and those of {len(off) - 1} other types)" if len(off) > 1 else ""
            raise WeightError(
                f"the weights of {off[0]} sum to {sums[off[0]]:.9g}, not 1{more}",
                hint="divide them by their sum: normalise=True",
            )

    def _check_chains(self) -> None:
        cycle = chain_cycle(self.rules)
        if cycle:
            raise ChartGrammarError(
                f"rules with one slot as source lead from {cycle[0]} back to it",
                where=" -> ".join([*cycle, cycle[0]]),
                hint="leave one of them out: they add nothing to a source",
            )


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
    return tuple(words)


def _order(rule: SynchronousRule, start: str) -> tuple[object, ...]:
    """Sort the start symbol first, and rules with more slots before those with fewer."""
    sides = tuple(
        tuple((isinstance(s, str), str(s)) for s in side) for side in (rule.source, rule.target)
    )
    return (rule.lhs != start, rule.lhs, -rule.arity, sides)


def _normalised(rules: Sequence[SynchronousRule], weight: FloatArray) -> FloatArray:
    """Divide weights by the sum over their left-hand side; equal shares where that is zero."""
    _, lhs = np.unique([rule.lhs for rule in rules], return_inverse=True)
    sums, sizes = np.bincount(lhs, weight), np.bincount(lhs)
    share = np.where(sums[lhs] == 0, 1.0, weight)
    result: FloatArray = share / np.where(sums == 0, sizes, sums)[lhs]
    return result


def _check_weights(weight: FloatArray, rules: Sequence[SynchronousRule]) -> None:
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        raise WeightError(
            f"the weight {weight[bad[0]]} is not a probability",
            where=str(rules[bad[0]]),
            hint="weights are numbers from 0 to 1",
        )

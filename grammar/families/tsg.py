"""Tree-substitution grammars: weighted fragments, an immutable value that is a graph and a PCFG.

A derivation puts a fragment in at every substitution site, left to right; its probability is the
product of the weights of its fragments. A tree may have many derivations, and its probability is
the sum over them.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.description import Description
from grammar.errors import BracketError, OptionError, SchemaError, StartSymbolError, located
from grammar.families.flattening import Flattened, flattened
from grammar.families.tsg_trees import log_probability_of_tree
from grammar.graph.rules import GraphRules
from grammar.graph.table import GraphTable
from grammar.pcfg.analysis import Report
from grammar.pcfg.grammar import Grammar
from grammar.pictures.base_labels import known_symbols
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree, escape
from grammar.weighted import Weighted
from grammar.weights import Weigher, check_sums, check_weights, normalised

__all__ = ["TreeSubstitutionGrammar", "WeightedFragment"]

_SINGLE = 8
"""Depths and sizes up to this are counted each by itself."""


class WeightedFragment(NamedTuple):
    """A fragment with its probability given its root, and how often it was seen."""

    fragment: Fragment
    weight: float
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


@dataclass(frozen=True, eq=False, repr=False)
class TreeSubstitutionGrammar(Weighted):
    """A probabilistic tree-substitution grammar.

    The fragments are distinct and in one canonical order, so their numbers are stable. Build it
    with :meth:`from_fragments`, which sorts and merges.

    Parameters
    ----------
    fragments : tuple of Fragment
        In canonical order.
    weight : float64 array, shape (fragments,)
        Probability of each given its root.
    count : int64 array, shape (fragments,)
        How often each was seen; 0 if it was not counted.
    start : str
        The root of whole trees.

    Raises
    ------
    WeightError
        If a weight is negative, not a number or infinite, or those of a root do not sum to one
        (to 1e-6).
    StartSymbolError
        If no fragment has the start symbol as its root.

    Examples
    --------
    >>> grammar = TreeSubstitutionGrammar.from_fragments(
    ...     [
    ...         (Fragment.parse("(S (NP ) (VP ))"), 0.5, 1),
    ...         (Fragment.parse("(S (NP we) (VP ))"), 0.5, 1),
    ...         (Fragment.parse("(NP we)"), 1.0, 2),
    ...         (Fragment.parse("(VP swim)"), 1.0, 2),
    ...     ],
    ...     start="S",
    ... )
    >>> [str(item.fragment) for item in grammar.fragments_of("S")]
    ['(S (NP ) (VP ))', '(S (NP we) (VP ))']
    >>> grammar.tree_log_probability(Tree.parse("(S (NP we) (VP swim))"))
    0.0
    """

    fragments: tuple[Fragment, ...]
    weight: FloatArray
    count: LongArray
    start: str

    family = "tsg"

    def __post_init__(self) -> None:
        if self.start not in self.roots:
            some = ", ".join(self.roots[:8])
            raise StartSymbolError(
                f"the start symbol {self.start!r} has no fragments",
                hint=f"choose one of {some}" if some else "give some fragments",
            )
        check_weights(self.weight, self.fragments.__getitem__)
        check_sums(self.weight, self.root, self.roots, what="roots")

    @classmethod
    def from_fragments(
        cls,
        fragments: Iterable[tuple[Fragment, float, int]],
        *,
        start: str,
        normalise: bool = False,
    ) -> TreeSubstitutionGrammar:
        """Build a grammar; equal fragments are merged, their weights and counts added.

        Parameters
        ----------
        fragments : iterable of (Fragment, float, int)
            Fragments with weight and count, in any order.
        start : str
            The root of whole trees.
        normalise : bool
            Divide the weights of each root by their sum.
        """
        given = [WeightedFragment(*item) for item in fragments]
        # here, because merging and normalising can turn bad weights into good ones
        check_weights(np.array([g.weight for g in given]), lambda i: given[i].fragment)
        # once each: the hash of a fragment is that of all its nodes
        number: dict[Fragment, int] = {}
        numbers = np.array([number.setdefault(g.fragment, len(number)) for g in given], np.int64)
        merged, counts = np.zeros(len(number)), np.zeros(len(number), np.int64)
        np.add.at(merged, numbers, np.array([g.weight for g in given], np.float64))
        np.add.at(counts, numbers, np.array([g.count for g in given], np.int64))
        keys = [_structure(fragment) for fragment in number]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        distinct = tuple(number)
        ordered = tuple(distinct[i] for i in order)
        weight = merged[order]
        if normalise:
            weight = normalised(weight, _root(ordered))
        return cls(ordered, weight, counts[order], start)

    @classmethod
    def from_table(cls, table: GraphTable, *, source: str) -> TreeSubstitutionGrammar:
        """Read a grammar off the columns of a graph.

        Raises
        ------
        SchemaError
            If a node or edge does not follow the layout, or the brackets of a fragment are missing,
            malformed, or have another root or frontier.
        """
        rules = GraphRules(table, source)
        brackets = table.node_column("fragment")
        fragments = []
        for number, node in enumerate(rules.rule.tolist()):
            flat = rules.production(number)
            fragment = _fragment(brackets[node], flat, f"{source}, {table.ids[node]}")
            fragments.append((fragment, flat.weight, flat.count))
        with located(source):
            return cls.from_fragments(fragments, start=table.graph.get("start", ""))

    def __len__(self) -> int:
        return len(self.fragments)

    def __iter__(self) -> Iterator[WeightedFragment]:
        columns = (self.fragments, self.weight.tolist(), self.count.tolist())
        return map(WeightedFragment._make, zip(*columns, strict=True))

    def __repr__(self) -> str:
        return (
            f"TreeSubstitutionGrammar(start {self.start}: {len(self)} fragments of "
            f"{len(self.roots)} roots)"
        )

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The roots, in the order of their fragments."""
        return tuple(dict.fromkeys(fragment.label for fragment in self.fragments))

    @cached_property
    def root(self) -> LongArray:
        """int64 array, shape (fragments,): the root of each, as its place in :attr:`roots`."""
        return _root(self.fragments)

    def rule_text(self, number: int) -> str:
        """Return a fragment in brackets (IndexError if there is none)."""
        return str(self.fragments[self.numbered(number)])

    def fragments_of(self, root: str) -> list[WeightedFragment]:
        """Return the fragments with one root, the most probable first.

        Raises
        ------
        OptionError
            If no fragment has that root.
        """
        chosen = [item for item in self if item.fragment.label == root]
        if not chosen:
            some = ", ".join(self.roots[:8])
            raise OptionError(f"no fragment has the root {root!r}", hint=f"try {some}")
        return sorted(chosen, key=lambda item: -item.weight)

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the graph again.

        The layout is that of :attr:`grammar.Grammar.graph`. A rule node has the brackets of its
        fragment as ``fragment``, and its children are the frontier.
        """
        frontiers = [fragment.frontier for fragment in self.fragments]
        children = {child for frontier in frontiers for child in frontier}
        symbols = {c.name for c in children if isinstance(c, Nonterminal)} | set(self.roots)
        words = {c for c in children if isinstance(c, str)}
        graph = nx.MultiDiGraph(family=self.family, start=str(self.start))
        for kind, names in (("symbol", symbols), ("word", words)):
            graph.add_nodes_from(
                (f"{kind}:{name}", {"kind": kind, "name": name}) for name in sorted(names)
            )
        for i, (fragment, frontier) in enumerate(zip(self.fragments, frontiers, strict=True)):
            text = Production(fragment.root, frontier).text
            graph.add_node(f"rule:{i}", kind="rule", text=text, fragment=str(fragment))
        graph.add_edges_from(
            (f"symbol:{fragment.label}", f"rule:{i}", 0, {"weight": weight, "count": count})
            for i, (fragment, weight, count) in enumerate(self)
        )
        graph.add_edges_from(
            (
                f"rule:{i}",
                f"{'word' if isinstance(child, str) else 'symbol'}:{child}",
                position,
                {"position": position},
            )
            for i, frontier in enumerate(frontiers)
            for position, child in enumerate(frontier)
        )
        return graph

    def check(self) -> Report:
        """Examine the PCFG that has the same derivations; see :meth:`grammar.Grammar.check`."""
        return self.pcfg.check()

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at depths and sizes, at the check of the PCFG, and at the fragments of one root."""
        from grammar.trees.gallery import draw_fragments

        symbol = symbol or self.start
        roots = known_symbols(symbol, sorted(self.roots))
        chosen = [found for root in roots for found in self.fragments_of(root)]
        chosen = sorted(chosen, key=lambda found: -found[1])[:top]
        titles = [f"{weight:.4f}   seen {count:,}" for _, weight, count in chosen]
        report = self.check()
        return Description(
            self.family,
            lambda path: draw_fragments([f for f, _, _ in chosen], path, titles),
            facts={
                "fragments": len(self),
                "roots": len(self.roots),
                "fragments by depth": _histogram([f.depth for f in self.fragments]),
                "fragments by nodes": _histogram([f.nodes for f in self.fragments]),
                "below": "its PCFG, which rewrites the root of each fragment to its frontier",
            },
            report=report,
            details={
                **self.pcfg.ambiguity(report, roots),
                f"fragments of {symbol}": [
                    {"weight": weight, "count": count, "fragment": str(fragment)}
                    for fragment, weight, count in chosen
                ],
            },
        )

    @cached_property
    def _flattened(self) -> Flattened:
        return flattened(self.fragments, self.weight, self.count, self.start)

    @property
    def pcfg(self) -> Grammar:
        """The PCFG that rewrites the root of each fragment to its frontier.

        Its derivations map one to one to those of this grammar, with equal probability, so
        checking, sampling and parsing go through it. Of several fragments with equal root and
        frontier, all but the first get a symbol of their own between the two.
        """
        return self._flattened.pcfg

    @property
    def fragment_of_rule(self) -> LongArray:
        """int64 array, shape (rules of :attr:`pcfg`,): the fragment of each rule.

        It is -1 for rules that only lead to the symbol of a fragment.
        """
        return self._flattened.fragment_of_rule

    def used(self, rules: Sequence[int], *, source: str = "the rules") -> tuple[str, list[str]]:
        """Return the fragments of a derivation of :attr:`pcfg` with their weights.

        Raises
        ------
        OptionError
            If the grammar has no such rule.
        """
        self.pcfg.check_numbers(rules, source)
        return "fragments", [
            f"{self.fragments[n]} [{self.weight[n]:.6g}]" for n in self.fragments_used(rules)
        ]

    def fragments_used(self, rules: Sequence[int]) -> list[int]:
        """Return the numbers of the fragments of a derivation of :attr:`pcfg`, in preorder."""
        numbers: list[int] = self.fragment_of_rule[list(rules)].tolist()
        return [number for number in numbers if number >= 0]

    def tree_of(self, rules: Iterable[int]) -> Tree:
        """Return the tree of a derivation of :attr:`pcfg`, given as rule numbers in preorder.

        Raises
        ------
        OptionError
            If the numbers are not a whole derivation.
        """
        made: list[Tree] = []
        for rule in reversed(list(rules)):
            number = self.fragment_of_rule[rule]
            if number >= 0:
                fragment = self.fragments[number]
                sites = len(fragment.sites)
                below = made[len(made) - sites :][::-1] if sites else []
                del made[len(made) - len(below) :]
                made.append(fragment.substitute(below))
        if len(made) != 1:
            raise OptionError(
                f"the rules make {len(made)} trees, not one",
                hint="give the rules of one derivation of pcfg, in preorder",
            )
        return made[0]

    def elementary(self, rule: int) -> Sequence[Any]:
        """Return what a rule of :attr:`pcfg` adds to trees: its fragment.

        A rule that only leads to the symbol of a fragment adds nothing: that symbol is returned.
        """
        number = self.fragment_of_rule[rule]
        return self.pcfg.rules.sides(rule)[1] if number < 0 else (self.fragments[number],)

    def reweighted(self, weigh: Weigher) -> TreeSubstitutionGrammar:
        """Return the same fragments with other weights (see :func:`grammar.reweighted`)."""
        weight = weigh(self.weight, self.count, self.root)
        return TreeSubstitutionGrammar(self.fragments, weight, self.count, self.start)

    def tree_log_probability(self, tree: Tree) -> float:
        """Return the natural logarithm of the sum over all derivations of a tree.

        It is -inf if there is none.
        """
        if tree.label != self.start:
            return -math.inf
        return log_probability_of_tree(tree, self._by_top)

    @cached_property
    def _by_top(self) -> dict[tuple[object, ...], list[tuple[Fragment, float]]]:
        """Fragments with their log-weights, by their topmost production."""
        index: dict[tuple[object, ...], list[tuple[Fragment, float]]] = defaultdict(list)
        for fragment, weight, _ in self:
            if weight > 0:
                top = fragment.top()
                index[(top.lhs, *top.rhs)].append((fragment, math.log(weight)))
        return dict(index)


def _structure(fragment: Fragment) -> list[tuple[str, int]]:
    """Return names in preorder with the number of children: sites have 0 and words -1."""
    order: list[tuple[str, int]] = []
    stack: list[object] = [fragment]
    while stack:
        node = stack.pop()
        if isinstance(node, Fragment):
            order.append((node.label, len(node.children)))
            stack.extend(reversed(node.children))
        else:
            order.append((str(node), -1 if isinstance(node, str) else 0))
    return order


def _root(fragments: Sequence[Fragment]) -> LongArray:
    """Number the roots of fragments in the order in which they are met."""
    number: dict[str, int] = {}
    labels = (fragment.label for fragment in fragments)
    return np.array([number.setdefault(label, len(number)) for label in labels], np.int64)


def _fragment(brackets: object, flat: Production, where: str) -> Fragment:
    """Read the brackets of a fragment, whose root and frontier the graph says too."""
    if not isinstance(brackets, str):
        raise SchemaError(
            "the rule has no attribute 'fragment'",
            where=where,
            hint="a rule of a tree-substitution grammar holds its fragment as brackets",
        )
    try:
        fragment = Fragment.parse(brackets)
    except BracketError as error:
        raise SchemaError(error.what, where=f"{where}, {error.where}", hint=error.hint) from None
    frontier = fragment.frontier
    if frontier == flat.rhs and fragment.label == flat.lhs.name:
        return fragment
    # the graph has words as they are, brackets with "(" and ")" written as names
    if _written(fragment.root, *frontier) != _written(flat.lhs, *flat.rhs):
        raise SchemaError(
            f"the fragment {brackets} does not have the root and children of its rule",
            where=where,
            hint=f"its root is {flat.lhs} and its frontier {' '.join(map(str, flat.rhs))}",
        )
    return fragment if frontier == flat.rhs else fragment.with_frontier(flat.rhs)


def _written(*symbols: Nonterminal | str) -> list[tuple[bool, str]]:
    return [(isinstance(symbol, str), escape(str(symbol))) for symbol in symbols]


def _histogram(values: Sequence[int]) -> dict[str, int]:
    """Count values: each by itself up to 8, and above that from one power of two to the next."""
    counts = Counter(
        value if value <= _SINGLE else 1 << (value - 1).bit_length() for value in values
    )
    return {
        str(last) if last <= _SINGLE else f"{last // 2 + 1}-{last}": count
        for last, count in sorted(counts.items())
    }

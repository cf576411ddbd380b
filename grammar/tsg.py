"""Tree-substitution grammars: weighted fragments, an immutable value that is a graph and a PCFG.

A derivation puts a fragment in at every substitution site, left to right; its probability is the
product of the weights of its fragments. A tree may have many derivations, and its probability is
the sum over them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import OptionError, StartSymbolError, WeightError
from grammar.files import PathLike
from grammar.fragment import Fragment
from grammar.grammar import Grammar
from grammar.tree import Tree
from grammar.tsg_flattening import Flattened, flattened
from grammar.tsg_trees import log_probability_of_tree

__all__ = ["TreeSubstitutionGrammar", "WeightedFragment"]

_TOLERANCE = 1e-6


class WeightedFragment(NamedTuple):
    """A fragment with its probability given its root, and how often it was seen."""

    fragment: Fragment
    weight: float
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs here


@dataclass(frozen=True, eq=False)
class TreeSubstitutionGrammar:
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
        roots = list(dict.fromkeys(fragment.label for fragment in self.fragments))
        if self.start not in roots:
            raise StartSymbolError(
                f"the start symbol {self.start!r} has no fragments",
                hint=f"choose one of {', '.join(roots[:8])}" if roots else "give some fragments",
            )
        _check_weights(self.weight, self.fragments)
        sums: dict[str, float] = defaultdict(float)
        for fragment, weight in zip(self.fragments, self.weight.tolist(), strict=True):
            sums[fragment.label] += weight
        off = [name for name, total in sums.items() if abs(total - 1.0) > _TOLERANCE]
        if off:
            more = f" (and those of {len(off) - 1} other roots)" if len(off) > 1 else ""
            raise WeightError(
                f"the weights of {off[0]} sum to {sums[off[0]]:.9g}, not 1{more}",
                hint="divide them by their sum: normalise=True",
            )

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
        _check_weights(np.array([g.weight for g in given]), [g.fragment for g in given])
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
        return cls(
            ordered, _normalised(ordered, weight) if normalise else weight, counts[order], start
        )

    @classmethod
    def from_graph(cls, graph: nx.MultiDiGraph) -> TreeSubstitutionGrammar:
        """Read a grammar off a graph in the layout of :attr:`graph`.

        Raises
        ------
        SchemaError
            If a node or edge does not follow the layout, or a fragment does not fit its children.
        """
        from grammar.tsg_graph import tsg_from_graph

        return tsg_from_graph(graph)

    @classmethod
    def load(cls, path: PathLike) -> TreeSubstitutionGrammar:
        """Load node-link JSON (``.json``, ``.json.gz``).

        Raises
        ------
        UnreadableInputError
            If the file cannot be read.
        SchemaError, WeightError, StartSymbolError
            If its content is not a tree-substitution grammar of this version.
        """
        from grammar.storage import read_table
        from grammar.tsg_graph import tsg_from_graph

        return tsg_from_graph(read_table(path), source=str(path))

    def save(self, path: PathLike) -> None:
        """Save losslessly as node-link JSON, gzipped if the name ends in ``.gz``.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        from grammar.storage import write_graph

        write_graph(self.graph, path)

    def __len__(self) -> int:
        return len(self.fragments)

    def __iter__(self) -> Iterator[WeightedFragment]:
        columns = (self.fragments, self.weight.tolist(), self.count.tolist())
        return map(WeightedFragment._make, zip(*columns, strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSubstitutionGrammar):
            return NotImplemented
        return (
            self.start == other.start
            and self.fragments == other.fragments
            and np.array_equal(self.weight, other.weight)
            and np.array_equal(self.count, other.count)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        roots = len({fragment.label for fragment in self.fragments})
        return (
            f"TreeSubstitutionGrammar(start {self.start}: {len(self)} fragments of {roots} roots)"
        )

    def _repr_svg_(self) -> str:
        from grammar.neighbourhood import neighbourhood_svg

        return neighbourhood_svg(self.graph, self.start)

    def fragments_of(self, root: str) -> list[WeightedFragment]:
        """Return the fragments with one root, the most probable first.

        Raises
        ------
        OptionError
            If no fragment has that root.
        """
        chosen = [item for item in self if item.fragment.label == root]
        if not chosen:
            roots = dict.fromkeys(fragment.label for fragment in self.fragments)
            raise OptionError(
                f"no fragment has the root {root!r}", hint=f"try {', '.join(list(roots)[:8])}"
            )
        return sorted(chosen, key=lambda item: -item.weight)

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen AND/OR graph; copy it to change it, then use ``from_graph``.

        The layout is that of :attr:`grammar.grammar.Grammar.graph`. A rule node has the brackets
        of its fragment as ``fragment``, and its children are the frontier.
        """
        from grammar.tsg_graph import tsg_to_graph

        return nx.freeze(tsg_to_graph(self))

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


def _normalised(fragments: Sequence[Fragment], weight: FloatArray) -> FloatArray:
    """Divide weights by the sum over their root; equal shares where that is zero."""
    _, root = np.unique([fragment.label for fragment in fragments], return_inverse=True)
    sums, sizes = np.bincount(root, weight), np.bincount(root)
    share = np.where(sums[root] == 0, 1.0, weight)
    result: FloatArray = share / np.where(sums == 0, sizes, sums)[root]
    return result


def _check_weights(weight: FloatArray, fragments: Sequence[Fragment]) -> None:
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        raise WeightError(
            f"the weight {weight[bad[0]]} is not a probability",
            where=str(fragments[bad[0]]),
            hint="weights are numbers from 0 to 1",
        )

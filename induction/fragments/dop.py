"""Data-oriented parsing: grammars whose rules are fragments of the trees that were seen.

:func:`induce_double_dop` keeps the fragments that recur, as a tree-substitution grammar.
:func:`dop_reduction` keeps all fragments, exponentially many, as an equivalent PCFG whose size is
linear in the treebank.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.engines.engine import Engine
from grammar.errors import OptionError
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.options import again, option, read_options, takes
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import RuleTable
from grammar.trees.folding import below, fold
from grammar.trees.tree import Tree
from grammar.trees.treebank import Treebank
from induction.fragments.fragments import (
    NodeTable,
    Pieces,
    counted,
    recurring_pieces,
    single_productions,
    united,
)
from induction.trees.normalise import add_root
from induction.trees.preparation import Preparation

__all__ = [
    "DOPOptions",
    "DoubleDOPOptions",
    "dop_reduction",
    "induce_double_dop",
    "without_addresses",
]

_ADDRESS = re.compile(r"\^<@[0-9]+>$")
"""An annotation like those of binarisation, so that what removes these removes addresses, too."""
_WIDEST = 10


@dataclass(frozen=True, kw_only=True)
class DOPOptions(Preparation):
    """The options of :func:`dop_reduction`."""

    weights: str = option(
        "dop1",
        "Weights of fragments: their counts (dop1, relative-frequency); the equal "
        "weights estimate, which gives every node the same share (ewe); or weights that"
        " halve with every node (bonnema).",
        source="Goodman 1996, 2003; Bonnema et al. 1999",
        choices=("dop1", "ewe", "bonnema"),
    )


@dataclass(frozen=True, kw_only=True)
class DoubleDOPOptions(DOPOptions):
    """The options of :func:`induce_double_dop`."""

    weights: str = again(
        DOPOptions,
        "weights",
        "relative-frequency",
        source="Sangati & Zuidema 2011; Goodman 2003; Bonnema et al. 1999",
        choices=("relative-frequency", "ewe", "bonnema"),
    )


@takes(DoubleDOPOptions)
def induce_double_dop(
    treebank: Treebank, *, workers: int = 1, engine: Engine | None = None, **options: Any
) -> TreeSubstitutionGrammar:
    """Induce a Double-DOP grammar: all recurring fragments, and all productions.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    workers : int
        Threads that compare trees; the result is the same.
    engine : Engine, optional
        Whose workers compare trees instead (:func:`grammar.engines.engine.open_engine`).
    **options
        See :class:`DoubleDOPOptions`, and the notes on the weights.

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> grammar = induce_double_dop(Treebank.parse('''
    ...     (S (NP we) (VP (V saw) (NP stars)))
    ...     (S (NP they) (VP (V saw) (NP stars)))
    ... '''), steps=())
    >>> for fragment, weight, count in grammar.fragments_of("S"):
    ...     print(count, fragment, weight)
    2 (S (NP ) (VP )) 0.5
    2 (S (NP ) (VP (V saw) (NP stars))) 0.5

    Notes
    -----
    Sangati & Zuidema (2011). With c(f) the number of nodes at which a fragment matches, the
    weights are, before they are divided by their sum over fragments of one root:

    - relative frequency: c(f);
    - equal weights estimate (Goodman 2003): the sum, over the nodes at which f matches, of 1 / m,
      where m fragments of the grammar match at that node. So every node of the treebank has the
      same share in the weights of its label;
    - Bonnema et al. (1999): c(f) 2^-n, for n nodes of f that are neither the root nor words.
    """
    how = read_options(DoubleDOPOptions, options, "induce_double_dop")
    trees = _one_root(how.apply(treebank))
    nodes = NodeTable.of(trees)
    cover = single_productions(nodes.rules, np.arange(len(nodes.rules)))
    apart = engine is not None and engine.apart
    elsewhere = (engine.keep(trees.save), engine) if engine is not None and apart else None
    pieces = united([cover, recurring_pieces(nodes, workers=workers, elsewhere=elsewhere)])
    counts = counted(nodes, pieces)
    mass = _fragment_mass(nodes, pieces, counts.count, how.weights)
    return TreeSubstitutionGrammar.from_fragments(
        ((f, w, c) for (f, c), w in zip(counts.fragments(), mass.tolist(), strict=True)),
        start=trees.symbols[trees.label[0]],
        normalise=True,
    )


def _fragment_mass(nodes: NodeTable, pieces: Pieces, count: LongArray, weights: str) -> FloatArray:
    """Return weights of fragments that are not yet divided by their sums."""
    if weights == "ewe":
        _, matching = nodes.matches(pieces, np.ones(len(nodes)))
        # no node is without a match, because all productions are fragments
        return nodes.matches(pieces, 1.0 / matching)[0]
    mass = count.astype(np.float64)
    # a piece is a node that is not a word
    return mass if weights == "relative-frequency" else np.ldexp(mass, 1 - np.diff(pieces[1]))


@takes(DOPOptions)
def dop_reduction(treebank: Treebank, **options: Any) -> Grammar:
    """Return a PCFG equivalent to the grammar of all fragments of a treebank (Goodman's reduction).

    The node with the number 17 becomes the symbol ``NP^<@17>`` beside the label ``NP``: as
    the former a derivation is inside a fragment, as ``NP`` it is at a root. Trees map back by
    :func:`without_addresses`; a tree has the same probability as the sum over its derivations from
    fragments.

    Parameters
    ----------
    treebank : Treebank
        Trees as they were read.
    **options
        See :class:`DOPOptions`, and the notes on the weights.

    Raises
    ------
    EmptyTreebankError
        If there are no trees.
    OptionError
        If an option is out of range, a node has more than 10 constituents below it (each doubles
        its rules), or a label looks like an address.

    Examples
    --------
    >>> grammar = dop_reduction(Treebank.parse("(S (S a) b)"), steps=())
    >>> for production in grammar.productions("S"):
    ...     print(production)
    S -> S 'b' [0.3333333333333333]
    S -> {S^<@1>} 'b' [0.3333333333333333]
    S -> 'a' [0.3333333333333333]

    Notes
    -----
    Goodman (1996, 2003). A node j with children k is the root of a(j) = prod (1 + a(k))
    fragments; a(j) = 1 above words. Inside a fragment, child k goes on with probability
    a(k) / (1 + a(k)), so that all fragments of j are equally probable, and stops otherwise. A
    root with label A is at the node j with probability

    - DOP1: a(j) / sum of a over all nodes labelled A, so p(f) is the relative frequency of f;
    - equal weights estimate: 1 / N(A), for N(A) nodes labelled A;
    - Bonnema et al. (1999): 1 / N(A) too, and children go on with probability 1/2.
    """
    how = read_options(DOPOptions, options, "dop_reduction")
    trees = _one_root(how.apply(treebank))
    nodes = NodeTable.of(trees)
    _check_reducible(nodes)
    go_on, stop, at_node = _probabilities(nodes, how.weights)
    rules = nodes.rules
    label = rules.lhs[nodes.production]
    below = np.bincount(np.repeat(np.arange(len(rules)), np.diff(rules.offsets)), rules.rhs >= 0)
    made = 2 << below[nodes.production].astype(np.int64)
    words = np.diff(rules.offsets)[nodes.production]
    lhs, offsets, rhs, weight = _addressed_rules(
        label, nodes.production, nodes.size, rules.offsets, rules.rhs, go_on, stop, at_node,
        len(rules.nonterminals), int(made.sum()), int(made @ words),
    )  # fmt: skip
    names = [rules.nonterminals[i] for i in label.tolist()]
    addressed = (f"{name}^<@{node}>" for node, name in enumerate(names))
    table, position = RuleTable.canonical(
        (*rules.nonterminals, *addressed), rules.words, lhs, offsets, rhs
    )
    total = np.zeros(len(table))
    np.add.at(total, position, weight)
    return Grammar(table, total, trees.symbols[trees.label[0]])


def without_addresses(tree: Tree) -> Tree:
    """Return the tree without the addresses that :func:`dop_reduction` puts behind labels.

    >>> print(without_addresses(Tree.parse("(S (NP^<@17> we) (VP^<@18> (V saw) (NP stars)))")))
    (S (NP we) (VP (V saw) (NP stars)))
    """

    def without(node: Tree | str, children: list[Any]) -> Any:
        if isinstance(node, str):
            return node
        return Tree(_ADDRESS.sub("", node.label), tuple(children))

    made: Tree = fold(tree, below, without)
    return made


def _one_root(trees: Treebank) -> Treebank:
    """Put the same root above all trees, unless they have the same already."""
    roots = np.unique(trees.label[trees.offsets[:-1]])
    return trees if len(roots) == 1 else add_root(trees)


def _check_reducible(nodes: NodeTable) -> None:
    for name in nodes.rules.nonterminals:
        if _ADDRESS.search(name):
            raise OptionError(
                f"the label {name!r} looks like an address",
                hint="rename labels that end in '^<@', digits and '>'",
            )
    rules = nodes.rules
    for rule in np.flatnonzero(np.diff(rules.offsets) > _WIDEST).tolist():
        lhs, rhs = rules.sides(rule)
        wide = sum(not isinstance(child, str) for child in rhs)
        if wide > _WIDEST:
            raise OptionError(
                f"a node has {wide} constituents below it: it would make {2 << wide:,} rules",
                where=f"label {lhs}",
                hint="binarise the trees, for example with horizontal_markov=2",
            )


def _probabilities(nodes: NodeTable, weights: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how probably each node goes on inside a fragment, stops, and stands for its label."""
    label = nodes.rules.lhs[nodes.production]
    equal = 1.0 / np.bincount(label)[label]
    if weights == "bonnema":
        half = np.full(len(nodes), 0.5)
        return half, half, equal
    log_fragments = _log_fragments(nodes.size)
    # both as they are, because 1 - go_on would lose what is small
    log_all = np.logaddexp(0.0, log_fragments)
    go_on, stop = np.exp(log_fragments - log_all), np.exp(-log_all)
    if weights == "ewe":
        return go_on, stop, equal
    most = np.full(len(nodes.rules.nonterminals), -np.inf)
    np.maximum.at(most, label, log_fragments)
    share = np.exp(log_fragments - most[label])
    return go_on, stop, share / np.bincount(label, share)[label]


@kernel()
def _log_fragments(size: IntArray) -> FloatArray:
    """Return the logarithm of the number of fragments rooted at each node."""
    logarithm = np.zeros(len(size))
    for node in range(len(size) - 1, -1, -1):
        child = node + 1
        while child < node + size[node]:
            # log(1 + a) = log a + log(1 + 1 / a)
            logarithm[node] += logarithm[child] + np.log1p(np.exp(-logarithm[child]))
            child += size[child]
    return logarithm


@kernel()
def _addressed_rules(
    label: IntArray,
    production: IntArray,
    size: IntArray,
    rule_offsets: LongArray,
    rule_rhs: IntArray,
    go_on: FloatArray,
    stop: FloatArray,
    at_node: FloatArray,
    labels: int,
    rules: int,
    children: int,
) -> tuple[IntArray, LongArray, IntArray, FloatArray]:
    """Write, for each node, its rules as a root and inside a fragment, for every choice below.

    Node ``j`` is the symbol ``labels + j``. The choices below are the bits of a number.
    """
    lhs, weight = np.empty(rules, np.int32), np.empty(rules)
    offsets, rhs = np.zeros(rules + 1, np.int64), np.empty(children, np.int32)
    rule = end = 0
    for node in range(len(size)):
        first, last = rule_offsets[production[node]], rule_offsets[production[node] + 1]
        below = 0
        for i in range(first, last):
            below += rule_rhs[i] >= 0
        for choice in range(1 << below):
            start = end
            probability = 1.0
            child, bit = node + 1, 0
            for i in range(first, last):
                rhs[end] = rule_rhs[i]
                if rule_rhs[i] >= 0:
                    if (choice >> bit) & 1:
                        rhs[end] = labels + child
                        probability *= go_on[child]
                    else:
                        probability *= stop[child]
                    child += size[child]
                    bit += 1
                end += 1
            lhs[rule] = labels + node
            weight[rule] = probability
            offsets[rule + 1] = end
            rhs[end : end + last - first] = rhs[start:end]
            end += last - first
            lhs[rule + 1] = label[node]
            weight[rule + 1] = probability * at_node[node]
            offsets[rule + 2] = end
            rule += 2
    return lhs, offsets, rhs, weight

"""Rule counts: a mergeable value, so that a corpus may be counted in parts.

``count(a) + count(b) == count(a and b together)``, whatever the parts, order or process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from grammar.arrays import (
    IntArray,
    LongArray,
    empty_paths,
    extend_path,
    kernel,
    reserve_paths,
)
from grammar.rules.rules import RuleTable
from grammar.trees.given import as_treebank
from grammar.trees.treebank import Treebank

__all__ = ["RuleCounts", "count_rules", "right_hand_sides"]


@dataclass(frozen=True, eq=False, repr=False)
class RuleCounts:
    """How often each production and each root label was seen.

    Attributes
    ----------
    rules : RuleTable
        The distinct productions, in canonical order.
    count : int64 array, shape (rules,)
        Occurrences of each.
    roots : mapping of str to int
        Occurrences of each label at the root of a tree.

    Examples
    --------
    >>> from grammar.trees.treebank import Treebank
    >>> first = count_rules(Treebank.parse("(NP (DT the) (NN cat))"))
    >>> second = count_rules(Treebank.parse("(NP (DT the) (NN dog))"))
    >>> (first + second).count.tolist()
    [2, 1, 1, 2]
    """

    rules: RuleTable
    count: LongArray
    roots: Mapping[str, int]

    def __repr__(self) -> str:
        return f"RuleCounts({len(self.rules):,} rules, seen {int(self.count.sum()):,} times)"

    def __add__(self, other: RuleCounts) -> RuleCounts:
        a, b = self.rules, other.rules
        shifted = np.where(b.rhs >= 0, b.rhs + len(a.nonterminals), b.rhs - len(a.words))
        # the same name may now stand twice; sorting by name and merging equal rules needs one id
        symbols, symbol_ids = _merged(a.nonterminals + b.nonterminals)
        words, word_ids = _merged(a.words + b.words)
        rhs = np.concatenate((a.rhs, shifted))
        is_word = rhs < 0
        rhs[is_word] = -1 - word_ids[-1 - rhs[is_word]]
        rhs[~is_word] = symbol_ids[rhs[~is_word]]
        rules, position = RuleTable.canonical(
            symbols,
            words,
            symbol_ids[np.concatenate((a.lhs, b.lhs + len(a.nonterminals)))],
            np.concatenate((a.offsets, b.offsets[1:] + a.offsets[-1])),
            rhs.astype(np.int32),
        )
        count = np.zeros(len(rules), np.int64)
        np.add.at(count, position, np.concatenate((self.count, other.count)))
        roots = Counter(self.roots) + Counter(other.roots)
        return RuleCounts(rules, count, dict(sorted(roots.items())))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RuleCounts):
            return NotImplemented
        return (
            self.rules == other.rules
            and np.array_equal(self.count, other.count)
            and dict(self.roots) == dict(other.roots)
        )

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.rules)


def count_rules(treebank: Treebank) -> RuleCounts:
    """Count the productions and root labels of all trees.

    >>> len(count_rules(["(S (NP we) (VP ran))", "(S (NP we) (VP sat))"]))
    4
    """
    treebank = as_treebank(treebank)
    keys, firsts, count = _count(treebank.label, treebank.size, treebank.offsets)
    lhs = treebank.label[firsts].astype(np.int32)
    offsets, rhs = right_hand_sides(treebank.label, treebank.size, firsts)
    names = tuple(treebank.symbols)
    rules, position = RuleTable.canonical(names, names, lhs, offsets, rhs)
    ordered = np.zeros(len(rules), np.int64)
    ordered[position] = count[keys]
    roots = Counter(treebank.symbols[i] for i in treebank.label[treebank.offsets[:-1]].tolist())
    return RuleCounts(rules, ordered, dict(sorted(roots.items())))


def _merged(names: tuple[str, ...]) -> tuple[tuple[str, ...], IntArray]:
    """Return the distinct names, and for each given name its place among them."""
    ids = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return tuple(ids), np.array([ids[name] for name in names], np.int32)


@kernel()
def _count(
    label: IntArray, size: IntArray, offsets: LongArray
) -> tuple[LongArray, LongArray, LongArray]:
    """Return the paths that are rules, a node that shows each, and the count of every path."""
    table = empty_paths()
    count = np.zeros(1024, np.int64)
    shown = np.zeros(1024, np.int64)
    for tree in range(len(offsets) - 1):
        start, end = offsets[tree], offsets[tree + 1]
        table = reserve_paths(table, 2 * (end - start))
        if len(count) < len(table[2]):
            count = np.concatenate((count, np.zeros(len(table[2]), np.int64)))
            shown = np.concatenate((shown, np.zeros(len(table[2]), np.int64)))
        _count_tree(label, size, start, end, table[0], table[1], table[2], count, shown)
    rules = np.flatnonzero(count[: table[2][0]])
    return rules, shown[rules], count


@kernel()
def _count_tree(
    label: IntArray,
    size: IntArray,
    start: int,
    end: int,
    keys: LongArray,
    values: IntArray,
    made: LongArray,
    count: LongArray,
    shown: LongArray,
) -> None:
    for node in range(start, end):
        if size[node] == 1:
            continue
        rule = extend_path(keys, values, made, 0, label[node])
        child = node + 1
        while child < node + size[node]:
            # a word and a constituent of the same name are different children
            symbol = 2 * label[child] + (size[child] == 1)
            rule = extend_path(keys, values, made, rule, symbol)
            child += size[child]
        count[rule] += 1
        shown[rule] = node


@kernel()
def right_hand_sides(
    label: IntArray, size: IntArray, nodes: LongArray
) -> tuple[LongArray, IntArray]:
    """Return the children of nodes as offsets and a row: labels, words as -1 - label."""
    offsets = np.zeros(len(nodes) + 1, np.int64)
    rhs = np.empty(len(label), np.int32)
    end = 0
    for rule in range(len(nodes)):
        child = nodes[rule] + 1
        while child < nodes[rule] + size[nodes[rule]]:
            rhs[end] = label[child] if size[child] > 1 else -1 - label[child]
            end += 1
            child += size[child]
        offsets[rule + 1] = end
    return offsets, rhs[:end]

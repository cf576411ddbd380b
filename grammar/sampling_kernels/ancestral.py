"""Derivations as columns, and exact ancestral sampling of them.

A derivation is the sequence of its rules in preorder. Sampling expands the leftmost symbol by a
rule drawn from its alias table until only words are left; every derivation has its own stream of
random numbers (see :mod:`grammar.rng`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.errors import NotTightError
from grammar.pcfg.analysis import (
    CRITICAL,
    expected_counts,
    mean_matrix,
    productive,
    reachable,
    refuse_without_rules,
    spectral_radius,
)
from grammar.pcfg.grammar import Grammar
from grammar.rng import next_uniform, open_stream
from grammar.rules.compiled import CompiledGrammar, draw_alias
from grammar.trees.symbols import SymbolTable
from grammar.trees.tree import NO_WORDS
from grammar.trees.treebank import Treebank

__all__ = ["AncestralSampler", "Buffers", "Derivations", "collect", "derivation_trees"]

# of words or rules at a time: the expected length may be anything, and memory is not
_MOST_ROOM = 1 << 24
_MOST_NODES = 1 << 26
"""A sentence is as long as it is; one that would not fit into memory is refused before."""


class Buffers(NamedTuple):
    """What a drawing kernel writes to: its stack, and the columns of :class:`Derivations`."""

    stack: LongArray
    words: IntArray
    word_offsets: LongArray
    rules: IntArray
    rule_offsets: LongArray
    log_probability: FloatArray


@dataclass(frozen=True, eq=False)
class Derivations:
    """Many derivations of one grammar.

    Attributes
    ----------
    words : int32 array; word_offsets : int64 array, shape (derivations + 1,)
        Word ids of the yields, in the numbering of ``grammar.rules.words``.
    rules : int32 array; rule_offsets : int64 array, shape (derivations + 1,)
        Rule numbers in preorder.
    log_probability : float64 array, shape (derivations,)
        Natural logarithm of the product of the rule weights.
    """

    words: IntArray
    word_offsets: LongArray
    rules: IntArray
    rule_offsets: LongArray
    log_probability: FloatArray

    def __len__(self) -> int:
        return len(self.log_probability)

    @classmethod
    def joined(cls, parts: Sequence[Derivations]) -> Derivations:
        """Return one value of all derivations, in order."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([p.words for p in parts]),
            _joined_offsets([p.word_offsets for p in parts]),
            np.concatenate([p.rules for p in parts]),
            _joined_offsets([p.rule_offsets for p in parts]),
            np.concatenate([p.log_probability for p in parts]),
        )


class AncestralSampler:
    """Draws derivations with exactly the probability that the grammar gives them.

    Raises
    ------
    NotTightError
        If derivations may never end, or their expected length is infinite.

    Examples
    --------
    >>> sampler = AncestralSampler(Grammar.parse("S -> 'a' S [0.5] | 'b' [0.5]"))
    >>> draws = sampler.draw(np.uint64(7), 0, 3)
    >>> len(draws), bool((draws.log_probability < 0).all())
    (3, True)
    """

    def __init__(self, grammar: Grammar) -> None:
        self._compiled = grammar.compiled
        self._expected = _expected_nodes(grammar)

    def draw(self, key: np.uint64, first: int, count: int) -> Derivations:
        """Draw the derivations numbered ``first`` to ``first + count - 1`` of a stream family."""
        return collect(
            lambda at, buffers: _draw(key, at, self._compiled, buffers),
            first,
            count,
            int(count * self._expected * 1.2) + 1024,
        )


def collect(draw: Callable[[int, Buffers], int], first: int, count: int, room: int) -> Derivations:
    """Run a drawing kernel, which stops at a derivation that does not fit, until all are drawn.

    ``draw(first, buffers)`` fills the buffers and returns how many derivations it completed.
    """
    parts, done, depth = [], 0, 4096
    room = min(room, _MOST_ROOM)
    while done < count:
        left = count - done
        words, rules = np.empty(room, np.int32), np.empty(room, np.int32)
        word_offsets, rule_offsets = np.zeros(left + 1, np.int64), np.zeros(left + 1, np.int64)
        log_probability = np.empty(left)
        stack = np.empty(depth, np.int64)
        made = draw(
            first + done,
            Buffers(stack, words, word_offsets, rules, rule_offsets, log_probability),
        )
        parts.append(
            Derivations(
                words[: word_offsets[made]].copy(),
                word_offsets[: made + 1].copy(),
                rules[: rule_offsets[made]].copy(),
                rule_offsets[: made + 1].copy(),
                log_probability[:made].copy(),
            )
        )
        done += made
        if made == 0:
            room, depth = 2 * room, 2 * depth
    return Derivations.joined(parts or [_EMPTY])


def derivation_trees(grammar: Grammar, derivations: Derivations) -> Treebank:
    """Return the trees of derivations; a node without words is ``(NP (-NONE- *))``."""
    rules = grammar.rules
    names = [*rules.nonterminals, *rules.words]
    lengths = np.diff(rules.offsets)
    lhs, rhs, offsets = rules.lhs, rules.rhs, rules.offsets
    derived, derived_offsets = derivations.rules, derivations.rule_offsets
    is_empty = lengths[derived] == 0
    if is_empty.any():
        # an empty rule has one child, NO_WORDS.label, whose rule comes after all others
        [trace] = NO_WORDS.leaves()
        symbols = SymbolTable([*names, NO_WORDS.label, trace])
        extra, word = symbols.id(NO_WORDS.label), np.int32(-1 - len(rules.words))
        rhs = np.append(np.insert(rhs, offsets[:-1][lengths == 0], np.int32(extra)), word)
        offsets = np.concatenate(([0], np.cumsum(np.append(np.maximum(lengths, 1), 1))))
        lhs = np.append(lhs, np.int32(extra))
        derived_offsets = (
            derived_offsets + np.concatenate(([0], np.cumsum(is_empty)))[derived_offsets]
        )
        derived = np.insert(derived, np.flatnonzero(is_empty) + 1, np.int32(len(rules)))
    else:
        symbols = SymbolTable(names)
    ids = [symbols.id(name) for name in (*rules.words, *NO_WORDS.leaves()) if name in symbols]
    label, size, offsets = _trees(
        derived, derived_offsets, lhs, offsets.astype(np.int64), rhs, np.array(ids, np.int32)
    )
    return Treebank(label, size, offsets, symbols)


_EMPTY = Derivations(
    np.zeros(0, np.int32),
    np.zeros(1, np.int64),
    np.zeros(0, np.int32),
    np.zeros(1, np.int64),
    np.zeros(0),
)


def _joined_offsets(parts: Sequence[LongArray]) -> LongArray:
    lengths = np.concatenate([np.diff(part) for part in parts])
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def _expected_nodes(grammar: Grammar) -> float:
    """Return the expected number of rules and words of a derivation, having seen that it ends."""
    reached = reachable(grammar)
    radius = spectral_radius(mean_matrix(grammar)[reached][:, reached])
    # a symbol that never ends need not be recursive: it may simply have no rules
    endless = radius >= 1.0 - CRITICAL or not productive(grammar)[reached].all()
    report = grammar.check() if endless else None
    if report is not None:
        refuse_without_rules(grammar, report.termination)
    if report is not None and not report.tight:
        raise NotTightError(
            f"derivations of this grammar end only with probability {report.termination:.6f}",
            where=f"start symbol {grammar.start}, spectral radius {radius:.6f}",
            hint="ask for a length band (--length 1:40, in Python length=(1, 40)); in Python, "
            "grammar.renormalise() conditions on ending",
        )
    if report is not None:
        raise NotTightError(
            "the expected length of a sentence of this grammar is infinite",
            where=f"start symbol {grammar.start}, spectral radius {radius:.6f}",
            hint="ask for a length band: --length 1:40, in Python length=(1, 40)",
        )
    uses = expected_counts(grammar)
    children = np.diff(grammar.rules.offsets)
    per_use = np.bincount(grammar.rules.lhs, grammar.weight * children, minlength=len(uses))
    with np.errstate(over="ignore", invalid="ignore"):
        expected = float(uses.sum() + uses @ per_use)
    if not expected <= _MOST_NODES:  # also where no number tells it
        raise NotTightError(
            f"the expected length of a sentence of this grammar is over {_MOST_NODES:,} rules and "
            "words",
            where=f"start symbol {grammar.start}",
            hint="ask for a length band: --length 1:40, in Python length=(1, 40)",
        )
    return expected


@kernel()
def _draw(key: np.uint64, first: int, g: CompiledGrammar, out: Buffers) -> int:
    stack, words, word_offsets, rules, rule_offsets, log_probability = out
    starts, offsets, rhs, log_weight = g.starts, g.offsets, g.rhs, g.log_weight
    cut, alias = g.alias_cut, g.alias_rule
    w = r = 0
    for done in range(len(log_probability)):
        state = open_stream(key, first + done)
        score = 0.0
        stack[0] = g.start
        depth = 1
        while depth > 0:
            depth -= 1
            symbol = stack[depth]
            if symbol < 0:
                if w == len(words):
                    return done
                words[w] = -1 - symbol
                w += 1
                continue
            state, u = next_uniform(state)
            rule = draw_alias(cut, alias, starts[symbol], starts[symbol + 1], u)
            score += log_weight[rule]
            children = offsets[rule + 1] - offsets[rule]
            if r == len(rules) or depth + children > len(stack):
                return done
            rules[r] = rule
            r += 1
            for i in range(offsets[rule + 1] - 1, offsets[rule] - 1, -1):
                stack[depth] = rhs[i]
                depth += 1
        word_offsets[done + 1] = w
        rule_offsets[done + 1] = r
        log_probability[done] = score
    return len(log_probability)


@kernel()
def _trees(
    derived: IntArray,
    derived_offsets: LongArray,
    lhs: IntArray,
    offsets: LongArray,
    rhs: IntArray,
    word_ids: IntArray,
) -> tuple[IntArray, IntArray, LongArray]:
    """Turn preorder rules into preorder columns of labels and subtree sizes."""
    nodes = len(derived)
    deepest = 1
    for rule in derived:
        children = offsets[rule + 1] - offsets[rule]
        deepest += children
        for i in range(offsets[rule], offsets[rule + 1]):
            nodes += rhs[i] < 0
    label, size = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    bounds = np.zeros(len(derived_offsets), np.int64)
    # what is still to be read, rightmost first: a child (>= 0 symbol, < 0 word) or a closing mark
    stack, is_close = np.empty(2 * deepest, np.int64), np.empty(2 * deepest, np.bool_)
    node = 0
    for tree in range(len(derived_offsets) - 1):
        at = derived_offsets[tree]
        depth = 1
        stack[0] = 0
        is_close[0] = False
        while depth > 0:
            depth -= 1
            if is_close[depth]:
                size[stack[depth]] = node - stack[depth]
            elif stack[depth] < 0:
                label[node] = word_ids[-1 - stack[depth]]
                size[node] = 1
                node += 1
            else:
                rule = derived[at]
                at += 1
                label[node] = lhs[rule]
                stack[depth] = node
                is_close[depth] = True
                depth += 1
                node += 1
                for i in range(offsets[rule + 1] - 1, offsets[rule] - 1, -1):
                    stack[depth] = rhs[i]
                    is_close[depth] = False
                    depth += 1
        bounds[tree + 1] = node
    return label, size, bounds

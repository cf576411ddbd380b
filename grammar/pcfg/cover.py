"""Few derivations that together use every rule, or every pair of a rule and one below it.

A derivation is expanded from the left, within a size. Each open symbol gets the rule that leads to
most new targets (those that no derivation covers yet): the rule itself may be new, and each child
counts that can lead to a new target in the room there is. Room is reserved for what was counted.
Where nothing new is in reach, a symbol gets its shortest derivation. Only the first target of a
derivation may need more than the size, so each derivation covers at least one more, and there are
never more derivations than targets.

Distances are exact. With m(A) the size of the shortest derivation of a symbol and m(r) of one
that begins with rule r, the least size below A with a new target in a child is

    new(A) = min over rules r of A and children B of r:  m(r) - m(B) + min(direct(B), new(B))

where direct(B) is the least m(r) of the rules that are new in this child.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grammar.errors import NotTightError
from grammar.options import whole_number
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.rule_pairs import Targets, What
from grammar.pcfg.shortest import shortest_derivations
from grammar.rng import stream_key, uniforms_of

__all__ = ["covering_derivations"]

_LARGE = 1e9
"""Larger than any size: one more target is worth any room."""


def covering_derivations(
    grammar: Grammar, what: What = "rules", *, seed: int = 0, max_size: int = 100
) -> Iterator[tuple[int, ...]]:
    """Yield derivations that together cover all targets.

    Parameters
    ----------
    grammar : Grammar
        The grammar. It need not be tight. Rules of weight zero are not used.
    what : {"rules", "pairs"}
        Cover every rule, or every rule in every child of a rule where it may stand.
    seed : int
        Decides between rules that lead to equally short derivations.
    max_size : int
        Rules and words of a derivation, at most; more only where one target needs more.

    Yields
    ------
    tuple of int
        Rules in preorder. Each derivation covers a target that those before do not.

    Raises
    ------
    NotTightError
        If no derivation ends.
    OptionError
        If ``what`` is unknown, or the seed or size is out of range.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'a' S [0.5] | 'b' [0.25] | 'c' [0.25]")
    >>> [len(rules) for rules in covering_derivations(grammar)]
    [2, 1]
    >>> [len(rules) for rules in covering_derivations(grammar, "pairs", max_size=4)]
    [2, 1, 1, 2, 3]
    """
    whole_number("max_size", max_size, 1)
    search = _Search(grammar, Targets.of(grammar, what), stream_key(seed, f"cover {what}"))
    return iter(lambda: search.derivation(max_size), ())


class _Search:
    """What is not covered yet, and how near it is.

    ``direct`` has for each group the least size of a derivation that begins with a rule that is new
    there, which is that at ``place`` among the ranked rules.
    """

    def __init__(self, grammar: Grammar, targets: Targets, key: np.uint64) -> None:
        rules, shortest = grammar.rules, shortest_derivations(grammar)
        if not np.isfinite(shortest.size[grammar.start_id]):
            raise NotTightError(
                f"no derivation from {grammar.start} ends", hint="add rules that lead to words"
            )
        self._rules, self._targets, self._shortest = rules, targets, shortest
        self._new = targets.wanted.copy()
        chance = uniforms_of(key, 0, len(rules))
        self._ranked = np.lexsort((chance, shortest.of_rule, rules.lhs))
        above = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
        inner = np.flatnonzero(targets.symbol >= 0)
        symbol = np.zeros(len(targets.base), np.int64)
        symbol[targets.group[inner]] = targets.symbol[inner]
        self._place, self._end = rules.starts[symbol], rules.starts[symbol + 1]
        self._direct = np.full(len(targets.base), np.inf)
        self._stale = True
        for group in range(len(targets.base)):
            self._advance(group)
        ends = np.isfinite(shortest.of_rule)
        self._inner = inner[:-1][ends[above[inner[:-1]]]]
        self._above, self._below = above[self._inner], targets.symbol[self._inner]
        self._refresh()

    def derivation(self, max_size: int) -> tuple[int, ...]:
        """Return the next derivation; empty if all is covered."""
        size, root = self._shortest.size, len(self._targets.symbol) - 1
        symbol, group = self._targets.symbol[root], self._targets.group[root]
        if self._stale:
            self._refresh()
        nearest = min(self._direct[group], self._distance[symbol])
        if nearest == np.inf:
            return ()
        # what may be added to what the open symbols need and have reserved
        free = max(float(max_size), nearest) - size[symbol]
        waiting: list[tuple[int, float | None]] = [(root, None)]
        found: list[int] = []
        promised = 0
        while waiting:
            slot, kept = waiting.pop()
            symbol = self._targets.symbol[slot]
            if kept is not None:
                free, promised = free + kept, promised - 1
            rule, reserved = self._chosen(slot, size[symbol] + free, promised)
            free -= self._shortest.of_rule[rule] - size[symbol] + sum(reserved.values())
            promised += len(reserved)
            found.append(rule)
            self._cover(slot, rule)
            begin, end = self._rules.offsets[rule : rule + 2].tolist()
            waiting += [
                (child, reserved.get(child))
                for child in range(end - 1, begin - 1, -1)
                if self._targets.symbol[child] >= 0
            ]
        return tuple(found)

    def _chosen(self, slot: int, room: float, promised: int) -> tuple[int, dict[int, float]]:
        """Return the rule for a slot, and what is reserved for its children that lead on.

        So many targets as ``promised`` are those of other children.
        """
        symbol, group = int(self._targets.symbol[slot]), int(self._targets.group[slot])
        if self._stale and self._left:
            self._refresh()
        if min(self._direct[group], self._distance[symbol]) > room:
            return int(self._shortest.rule[symbol]), {}
        row = self._ranked[self._rules.starts[symbol] : self._rules.starts[symbol + 1]]
        new = self._new[self._targets.base[group] + row]
        most = np.maximum(self._left - promised - new, 0)
        # a rule alone, with a target in the nearest child, and with one in each child
        size = np.stack((self._shortest.of_rule[row], self._through[row], self._through_all[row]))
        gain = new + np.minimum(np.stack((0 * most, 0 * most + 1, self._leading[row])), most)
        best = int(np.argmax(np.where(size <= room, gain * _LARGE - size, -np.inf)))
        way, rule = best // len(row), int(row[best % len(row)])
        first, last = np.searchsorted(self._above, (rule, rule + 1))
        growth = dict(zip(self._inner[first:last].tolist(), self._growth[first:last], strict=True))
        if not gain.flat[best]:
            return int(self._shortest.rule[symbol]), {}
        leading = sorted((g, child) for child, g in growth.items() if g < np.inf)
        return rule, {child: float(g) for g, child in leading[: (0, 1, len(leading))[way]]}

    def _cover(self, slot: int, rule: int) -> None:
        group = int(self._targets.group[slot])
        target = self._targets.base[group] + rule
        if not self._new[target]:
            return
        self._new[target] = False
        self._left -= 1
        before = self._direct[group]
        self._advance(group)
        self._stale = self._stale or self._direct[group] != before

    def _advance(self, group: int) -> None:
        """Go to the first new rule of a group."""
        place, base = int(self._place[group]), self._targets.base[group]
        while place < self._end[group] and not self._new[base + self._ranked[place]]:
            place += 1
        self._place[group] = place
        done = place == self._end[group]
        self._direct[group] = np.inf if done else self._shortest.of_rule[self._ranked[place]]

    def _refresh(self) -> None:
        """Find the distances from what is new now, by going up from it until nothing changes."""
        above, below, of_rule = self._above, self._below, self._shortest.of_rule
        direct = self._direct[self._targets.group[self._inner]]
        distance = np.full(len(self._shortest.size), np.inf)
        while True:
            growth = np.minimum(direct, distance[below]) - self._shortest.size[below]
            through = np.full(len(of_rule), np.inf)
            np.minimum.at(through, above, of_rule[above] + growth)
            now = np.full(len(distance), np.inf)
            np.minimum.at(now, self._rules.lhs, through)
            if (now == distance).all():
                break
            distance = now
        leads = growth < np.inf
        self._left = int(self._new.sum())
        self._growth, self._through, self._distance, self._stale = growth, through, distance, False
        self._leading = np.bincount(above[leads], minlength=len(of_rule))
        self._through_all = of_rule + np.bincount(above[leads], growth[leads], len(of_rule))

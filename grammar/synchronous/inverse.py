"""Inverse parsing: the best sources of a target.

A rule may copy a slot in its target, as ``NT_1 twice ### NT_1 NT_1`` does. Read from the target,
the copies must be the same text, so a match binds every slot to one text. What stands below a slot
depends on its type and this text only, not on where the text stands, so each is solved once.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import networkx as nx

from grammar.chart.parses import NoParse
from grammar.errors import OptionError
from grammar.options import whole_number
from grammar.synchronous.forest import Coder
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser, Translation
from grammar.synchronous.rule import Slot

__all__ = ["InverseParser"]

Words = tuple[str, ...]


class _Source(NamedTuple):
    """A source of a text, with its best derivation; ordered by cost."""

    cost: float
    words: Words
    rules: tuple[int, ...]


class _Rule(NamedTuple):
    """A rule: its target as texts and slot numbers, what it costs, and the types of its slots."""

    number: int
    target: tuple[str | int, ...]
    cost: float
    types: tuple[str, ...]
    source: tuple[Slot | str, ...]

    @property
    def is_chain(self) -> bool:
        """Whether the target is one slot and nothing else."""
        return len(self.target) == 1 and isinstance(self.target[0], int)

    def over(self, below: Sequence[_Source]) -> _Source:
        """Return what the rule makes of the sources of its slots."""
        words: list[str] = []
        for symbol in self.source:
            words += below[symbol.number - 1].words if isinstance(symbol, Slot) else (symbol,)
        rules = itertools.chain((self.number,), *(one.rules for one in below))
        return _Source(self.cost + sum(one.cost for one in below), tuple(words), tuple(rules))


class InverseParser:
    """Exact search for the sources that a grammar writes together with a target.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Any.
    step_limit : int
        Matches of rules that are tried for one target, at most.

    Examples
    --------
    >>> parser = InverseParser(SynchronousGrammar.parse('''
    ...     NT_1 twice ### NT_1 NT_1 [0.2]
    ...     NT_1 and NT_2 ### NT_1 NT_2 [0.2]
    ...     walk ### WALK [0.6]
    ... '''))
    >>> for found in parser.translations("WALK WALK".split(), k=2):
    ...     print(*found.target, round(math.exp(found.log_probability), 9))
    walk twice 0.12
    walk and walk 0.072
    >>> print(parser.translations(["RUN"]))
    no parse of 'RUN': the grammar does not write this target
    """

    def __init__(self, grammar: SynchronousGrammar, *, step_limit: int = 100_000_000) -> None:
        self.grammar = grammar
        self._limit = step_limit
        self._coder = Coder()
        self._rules: defaultdict[str, list[_Rule]] = defaultdict(list)
        self._chains: defaultdict[str, list[tuple[str, _Rule]]] = defaultdict(list)
        below: nx.DiGraph[str] = nx.DiGraph()
        below.add_nodes_from(grammar.types)
        for number, (rule, weight) in enumerate(
            zip(grammar.rules, grammar.weight.tolist(), strict=True)
        ):
            if weight <= 0.0:
                continue
            types = tuple(slot.symbol for slot in rule.slots)
            parts = tuple(self._parts(rule.target))
            made = _Rule(number, parts, -math.log(weight), types, rule.source)
            if made.is_chain:
                self._chains[types[0]].append((rule.lhs, made))
                below.add_edge(rule.lhs, types[0])
            else:
                self._rules[rule.lhs].append(made)
        self._within = {name: {name, *nx.descendants(below, name)} for name in grammar.types}

    def translations(self, target: Sequence[str], k: int = 1) -> list[Translation] | NoParse:
        """Return the k best distinct sources of a target, the best first; fewer if there are fewer.

        Returns
        -------
        list of Translation, or NoParse
            The words of a source are in ``target`` of the former: it is what is written.

        Raises
        ------
        OptionError
            If k is not 1 or more, or the target is empty.
        """
        whole_number("k", k, 1)
        if isinstance(target, str) or not target:
            raise OptionError("the target is no sequence of words", hint="give one word or more")
        solving = _Solving(self._rules, self._chains, self._within, k, self._limit)
        try:
            found = solving.best(self.grammar.start, self._coder.words(target))
        except (_TooManyStepsError, RecursionError):
            return NoParse(tuple(target), f"it takes more than {self._limit:,} steps", refused=True)
        if not found:
            return NoParse(tuple(target), "the grammar does not write this target")
        return [Translation(one.words, -one.cost, one.rules) for one in found]

    def is_derivable(self, target: Sequence[str], source: Sequence[str]) -> bool:
        """Say whether the grammar derives a pair, given from its target."""
        return SynchronousParser(self.grammar).is_derivable(source, target)

    def _parts(self, target: Iterable[Slot | str]) -> Iterator[str | int]:
        """Yield texts of words and numbers of slots."""
        for is_slot, symbols in itertools.groupby(target, lambda s: isinstance(s, Slot)):
            if is_slot:
                yield from (s.number for s in symbols if isinstance(s, Slot))
            else:
                yield self._coder.words(s for s in symbols if isinstance(s, str))


class _TooManyStepsError(Exception):
    """The limit is reached."""


class _Solving:
    """The best sources of the texts within one target, by type."""

    def __init__(
        self,
        rules: dict[str, list[_Rule]],
        chains: dict[str, list[tuple[str, _Rule]]],
        within: dict[str, set[str]],
        k: int,
        limit: int,
    ) -> None:
        self.rules, self.chains, self.within = rules, chains, within
        self.k, self.left = k, limit
        self._best: dict[tuple[str, str], list[_Source]] = {}
        self._whole: dict[tuple[str, str], list[_Source]] = {}

    def best(self, name: str, text: str) -> list[_Source]:
        """Return the best sources of a text as a type, the best first.

        Rules whose target is one slot may form cycles, so types are settled in the order of costs
        (Knuth 1977, *A generalization of Dijkstra's algorithm*).
        """
        if (name, text) in self._best:
            return self._best[name, text]
        within = self.within[name]
        queue = [(source, each) for each in within for source in self._of_rules(each, text)]
        heapq.heapify(queue)
        found: dict[str, dict[Words, _Source]] = {each: {} for each in within}
        while queue and len(found[name]) < self.k:
            source, each = heapq.heappop(queue)
            if source.words in found[each] or len(found[each]) == self.k:
                continue
            found[each][source.words] = source
            for above, rule in self.chains.get(each, ()):
                if above in within:
                    heapq.heappush(queue, (rule.over([source]), above))
        self._best[name, text] = made = list(found[name].values())
        return made

    def _of_rules(self, name: str, text: str) -> list[_Source]:
        """Return the best sources whose first rule is no chain."""
        if (name, text) not in self._whole:
            made: dict[Words, _Source] = {}
            for rule in self.rules.get(name, ()):
                for bound in self._matches(rule.target, text, {}):
                    for source in self._over(rule, bound):
                        if source < made.get(source.words, _WORST):
                            made[source.words] = source
            self._whole[name, text] = heapq.nsmallest(self.k, made.values())
        return self._whole[name, text]

    def _over(self, rule: _Rule, bound: dict[int, str]) -> list[_Source]:
        """Return the best sources of a rule whose slots have these texts."""
        below: list[list[_Source]] = [[]]
        for slot, name in enumerate(rule.types, start=1):
            choices = self.best(name, bound[slot])
            if not choices:
                return []
            joined = ([*before, one] for before in below for one in choices)
            below = heapq.nsmallest(self.k, joined, key=lambda ones: sum(o.cost for o in ones))
        return [rule.over(ones) for ones in below]

    def _matches(
        self, parts: Sequence[str | int], text: str, bound: dict[int, str]
    ) -> Iterator[dict[int, str]]:
        """Yield the texts of slots with which the parts are the text."""
        self.left -= 1
        if self.left < 0:
            raise _TooManyStepsError
        if not parts:
            if not text:
                yield bound
            return
        first, rest = parts[0], parts[1:]
        if isinstance(first, str) or first in bound:
            written = first if isinstance(first, str) else bound[first]
            if text.startswith(written):
                yield from self._matches(rest, text[len(written) :], bound)
            return
        for length in _lengths(first, parts, len(text), bound):
            yield from self._matches(rest, text[length:], {**bound, first: text[:length]})


_WORST = _Source(math.inf, (), ())


def _lengths(
    slot: int, parts: Sequence[str | int], length: int, bound: dict[int, str]
) -> Iterable[int]:
    """Return the lengths that a slot can have: one where it is the only one without a text."""
    copies = parts.count(slot)
    fixed = sum(
        len(p) if isinstance(p, str) else len(bound[p]) for p in parts
        if isinstance(p, str) or p in bound
    )  # fmt: skip
    others = sum(not isinstance(p, str) and p not in bound and p != slot for p in parts)
    most, left = divmod(length - fixed - others, copies)
    if others:
        return range(1, most + 1)
    return (most,) if most > 0 and not left else ()

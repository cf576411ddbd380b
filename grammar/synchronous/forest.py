"""All derivations of one pair of source and target, packed into a forest.

Sides are coded as texts with one character a word, so that matching and joining are operations on
strings. A node stands for a type over a span of the source with a certain target; only targets
that occur within the goal are kept, since every child's target is a part of it.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import networkx as nx

from grammar.synchronous.occurrence import FIRST_WORD, WordIndex
from grammar.synchronous.rule import NT, Slot, SynchronousRule

__all__ = ["CodedRule", "CodedRules", "Coder", "Edge", "PairForest", "pair_forest", "source_forest"]

_SLOT = re.compile("[\x01-\xff]")


class Coder:
    """Words as characters, slots as control characters; the same word has the same character."""

    def __init__(self) -> None:
        self._code: dict[str, str] = {}
        self._word: list[str] = []

    def words(self, words: Iterable[str]) -> str:
        """Code a sequence of words, giving new ones new characters."""
        return "".join(map(self._character, words))

    def side(self, symbols: Iterable[Slot | str]) -> str:
        """Code one side of a rule."""
        return "".join(
            chr(s.number) if isinstance(s, Slot) else self._character(s) for s in symbols
        )

    def rule(self, source: str, target: str) -> SynchronousRule:
        """Return the rule that two coded sides stand for; all slots get the type NT."""
        return SynchronousRule(self.symbols(source), self.symbols(target))

    def symbols(self, text: str) -> tuple[Slot | str, ...]:
        """Return what a coded side stands for."""
        return tuple(
            Slot(ord(c), NT) if ord(c) < FIRST_WORD else self._word[ord(c) - FIRST_WORD]
            for c in text
        )

    def _character(self, word: str) -> str:
        code = self._code.get(word)
        if code is None:
            code = self._code[word] = chr(FIRST_WORD + len(self._word))
            self._word.append(word)
        return code


@dataclass(frozen=True, slots=True)
class CodedRule:
    """A rule taken apart: ``runs`` are the words before, between and after the source's slots.

    ``target`` has texts and slot numbers (from 0); ``number`` is the rule's own.
    """

    number: int
    lhs: str
    runs: tuple[str, ...]
    types: tuple[str, ...]
    target: tuple[str | int, ...]

    @classmethod
    def of(
        cls, number: int, source: str, target: str, lhs: str = NT, types: Sequence[str] = ()
    ) -> CodedRule:
        """Take two coded sides apart; all slots have the type NT unless ``types`` are given."""
        runs = tuple(_SLOT.split(source))
        order = {slot: k for k, slot in enumerate(_SLOT.findall(source))}
        pieces = (p for p in re.split("([\x01-\xff])", target) if p)
        parts = tuple(order[p] if ord(p[0]) < FIRST_WORD else p for p in pieces)
        return cls(number, lhs, runs, tuple(types) or (NT,) * (len(runs) - 1), parts)

    def join(self, targets: Sequence[str]) -> str:
        """Return the target, given those of the slots."""
        return "".join(targets[p] if isinstance(p, int) else p for p in self.target)

    def may_write(self, text: str) -> bool:
        """Say whether a text has all words that the rule writes, those between slots together."""
        return all(isinstance(part, int) or part in text for part in self.target)

    @property
    def is_chain(self) -> bool:
        """Whether the source is one slot and nothing else."""
        return self.runs == ("", "")


class CodedRules:
    """Rules by their number of slots, ready to match spans of a coded source."""

    def __init__(self, rules: Iterable[CodedRule]) -> None:
        self.whole: dict[str, list[CodedRule]] = {}
        self.chains: list[CodedRule] = []
        self.open: list[CodedRule] = []
        for rule in rules:
            if len(rule.runs) == 1:
                self.whole.setdefault(rule.runs[0], []).append(rule)
            else:
                (self.chains if rule.is_chain else self.open).append(rule)
        self._words_of_open = WordIndex(["".join(rule.runs) for rule in self.open])
        below = nx.DiGraph((rule.types[0], rule.lhs) for rule in self.chains)
        order = {name: i for i, name in enumerate(nx.topological_sort(below))}
        self.chains.sort(key=lambda rule: order[rule.types[0]])

    def within(self, source: str) -> list[CodedRule]:
        """Return the rules with slots whose words all occur in a source."""
        near = (self.open[number] for number in self._words_of_open.within(source))
        return [rule for rule in near if all(run in source for run in rule.runs)]


class Edge(NamedTuple):
    """One way to make a node: a rule over child nodes, which have smaller numbers."""

    node: int
    rule: int
    children: tuple[int, ...]


@dataclass
class PairForest:
    """Nodes numbered bottom-up, the edges that make them, and the node of the whole pair.

    Attributes
    ----------
    nodes : list of (start, end, type, target)
        Source span, type and coded target.
    edges : list of Edge
        In an order in which children come first.
    root : int
        The node of the pair, or -1 if the pair has no derivation.
    """

    nodes: list[tuple[int, int, str, str]] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    root: int = -1

    def pruned(self) -> PairForest:
        """Return the part below the root; an empty forest if there is none."""
        if self.root < 0:
            return PairForest()
        used = {self.root}
        kept = []
        for edge in reversed(self.edges):
            # a node is complete before any edge uses it, so its users were met already
            if edge.node in used:
                used.update(edge.children)
                kept.append(edge)
        number = {node: i for i, node in enumerate(sorted(used))}
        edges = [
            Edge(number[e.node], e.rule, tuple(number[c] for c in e.children))
            for e in reversed(kept)
        ]
        return PairForest([self.nodes[i] for i in sorted(used)], edges, number[self.root])


def pair_forest(
    rules: CodedRules,
    source: str,
    target: str,
    *,
    start: str = NT,
    leaves: bool = False,
) -> PairForest:
    """Build the forest of a coded pair.

    Parameters
    ----------
    rules : CodedRules
        Acyclic in their chains.
    source, target : str
        Coded with the same :class:`Coder`.
    start : str
        The type of the whole.
    leaves : bool
        Take the slots that stand in the pair itself as nodes, to derive rules from rules.
    """
    builder = _Builder(rules, source, target)
    for width in range(1, len(source) + 1):
        for begin in range(len(source) - width + 1):
            builder.fill(begin, begin + width, leaves)
    forest = builder.forest
    forest.root = builder.cells.get((0, len(source)), {}).get((start, target), -1)
    return forest


def source_forest(
    rules: CodedRules, source: str, *, most_nodes: int, start: str = NT
) -> tuple[PairForest, list[int]] | None:
    """Build the forest of a coded source with all its targets, and tell the nodes of the whole.

    None if it takes more nodes than given.

    Examples
    --------
    >>> code = Coder()
    >>> rules = CodedRules(
    ...     CodedRule.of(i, code.words(s), code.words(t)) for i, (s, t) in enumerate(["aA", "bB"])
    ... )
    >>> forest, roots = source_forest(rules, code.words("a"), most_nodes=10)
    >>> [code.symbols(forest.nodes[root][3]) for root in roots]
    [('A',)]
    """
    builder = _Builder(rules, source, None)
    for width in range(1, len(source) + 1):
        for begin in range(len(source) - width + 1):
            builder.fill(begin, begin + width, leaves=False)
            if len(builder.forest.nodes) > most_nodes:
                return None
    whole = builder.cells.get((0, len(source)), {})
    return builder.forest, [node for (symbol, _), node in whole.items() if symbol == start]


class _Builder:
    """Fills a chart; with a goal, only what occurs within that is kept."""

    def __init__(self, rules: CodedRules, source: str, target: str | None) -> None:
        self.rules, self.source, self.goal = rules, source, target
        near = rules.within(source)
        if target is not None:
            near = [rule for rule in near if rule.may_write(target)]
        self.fitting = _fitting(near, source)
        self.forest = PairForest()
        self.cells: dict[tuple[int, int], dict[tuple[str, str], int]] = {}
        self.of_type: dict[tuple[int, int], dict[str, list[int]]] = {}
        """The nodes of each span by their type."""
        self.beginning: dict[tuple[int, str], list[tuple[int, list[int]]]] = {}
        """By where spans begin and their type: where they end, and their nodes."""

    def fill(self, begin: int, end: int, leaves: bool) -> None:
        """Make the nodes of a span, those of all narrower ones being there."""
        text = self.source[begin:end]
        leaf = leaves and len(text) == 1 and ord(text) < FIRST_WORD and self._wanted(text)
        whole, fitting = self.rules.whole.get(text, ()), self.fitting.get((begin, end), ())
        if not (leaf or whole or fitting):  # as most spans
            return
        cell: dict[tuple[str, str], int] = {}
        if leaf:
            self._node(cell, begin, end, NT, text)
        for rule in whole:
            self._edge(cell, begin, end, rule, ())
        for rule in fitting:
            for children in self._matches(rule, begin, end):
                self._edge(cell, begin, end, rule, children)
        if self.rules.chains:
            self._chains(cell, begin, end)
        if cell:
            self.cells[begin, end] = cell
            by_type = self.of_type[begin, end] = {}
            for (lhs, _), node in cell.items():
                by_type.setdefault(lhs, []).append(node)
            for lhs, nodes in by_type.items():
                self.beginning.setdefault((begin, lhs), []).append((end, nodes))

    def _matches(self, rule: CodedRule, begin: int, end: int) -> Iterator[tuple[int, ...]]:
        """Yield the child nodes of every way in which a rule matches a span."""
        first, last = begin + len(rule.runs[0]), end - len(rule.runs[-1])
        for nodes in self._splits(rule, 1, first, last):
            yield from itertools.product(*nodes)

    def _splits(
        self, rule: CodedRule, slot: int, begin: int, end: int
    ) -> Iterator[tuple[list[int], ...]]:
        """Yield the nodes that may be each of the slots from this one on, between two places."""
        runs, symbol = rule.runs, rule.types[slot - 1]
        if slot == len(runs) - 1:
            nodes = self.of_type.get((begin, end), {}).get(symbol)
            if nodes:
                yield (nodes,)
            return
        run = runs[slot]
        for at, nodes in self.beginning.get((begin, symbol), ()):
            if at + len(run) < end and self.source.startswith(run, at):
                for rest in self._splits(rule, slot + 1, at + len(run), end):
                    yield (nodes, *rest)

    def _edge(
        self,
        cell: dict[tuple[str, str], int],
        begin: int,
        end: int,
        rule: CodedRule,
        children: tuple[int, ...],
    ) -> int:
        made = rule.join([self.forest.nodes[child][3] for child in children])
        if not self._wanted(made):
            return -1
        node = self._node(cell, begin, end, rule.lhs, made)
        self.forest.edges.append(Edge(node, rule.number, children))
        return node

    def _wanted(self, target: str) -> bool:
        return self.goal is None or target in self.goal

    def _node(
        self, cell: dict[tuple[str, str], int], begin: int, end: int, lhs: str, target: str
    ) -> int:
        node = cell.get((lhs, target))
        if node is None:
            node = cell[lhs, target] = len(self.forest.nodes)
            self.forest.nodes.append((begin, end, lhs, target))
        return node

    def _chains(self, cell: dict[tuple[str, str], int], begin: int, end: int) -> None:
        """Apply rules whose source is one slot; nodes of a type are complete before it is used."""
        for rule in self.rules.chains:
            for (lhs, _), node in list(cell.items()):
                if lhs == rule.types[0]:
                    self._edge(cell, begin, end, rule, (node,))


def _fitting(rules: Iterable[CodedRule], source: str) -> dict[tuple[int, int], list[CodedRule]]:
    """Return the rules whose first and last words are those of a span, for each span."""
    found: dict[tuple[int, int], list[CodedRule]] = {}
    places = range(len(source) + 1)
    for rule in rules:
        first, last = rule.runs[0], rule.runs[-1]
        least = sum(map(len, rule.runs)) + len(rule.runs) - 1
        ends = [end for end in places if source.endswith(last, 0, end)]
        for begin in places[: len(source) + 1 - least]:
            if source.startswith(first, begin):
                for end in ends:
                    if end - begin >= least:
                        found.setdefault((begin, end), []).append(rule)
    return found

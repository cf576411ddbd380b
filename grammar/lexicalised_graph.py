"""Lexicalised PCFGs to AND/OR graphs and back (design: symbol, word and rule nodes)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from grammar.errors import SchemaError, located
from grammar.graph import check_family
from grammar.graph_rules import GraphRules
from grammar.graph_table import ABSENT, GraphTable
from grammar.lexicalised import LexicalisedGrammar, LexicalisedRules
from grammar.rules import Production

__all__ = ["lexicalised_from_graph", "lexicalised_to_graph"]

_TOLERANCE = 1e-6


def lexicalised_to_graph(grammar: LexicalisedGrammar) -> nx.MultiDiGraph:
    """Build the graph; see :attr:`grammar.lexicalised.LexicalisedGrammar.graph`."""
    graph = nx.MultiDiGraph(
        family=grammar.family, start=grammar.start, options=dict(grammar.options)
    )
    names = grammar.symbol_names
    for name, (category, word, tag) in zip(names, grammar.symbols.tolist(), strict=True):
        head = {}
        if word >= 0:
            head = {"word": grammar.words[word], "tag": grammar.categories[tag]}
        category = grammar.categories[category]
        graph.add_node(f"symbol:{name}", kind="symbol", name=name, category=category, **head)
    graph.add_nodes_from((f"word:{w}", {"kind": "word", "name": w}) for w in grammar.words)
    weights, counts = grammar.weight.tolist(), grammar.count.tolist()
    rows = list(zip(*(column.tolist() for column in grammar.rules), strict=True))
    for i, row in enumerate(rows):
        graph.add_node(f"rule:{i}", kind="rule", text=grammar.text(i), head=row[3])
    for i, (lhs, first, second, _) in enumerate(rows):
        rule = f"rule:{i}"
        graph.add_edge(f"symbol:{names[lhs]}", rule, 0, weight=weights[i], count=counts[i])
        if first < 0:
            word = grammar.words[grammar.symbols[lhs, 1]]
            graph.add_edge(rule, f"word:{word}", 0, position=0)
        for position, child in enumerate(c for c in (first, second) if c >= 0):
            graph.add_edge(rule, f"symbol:{names[child]}", position, position=position)
    return graph


def lexicalised_from_graph(
    graph: nx.MultiDiGraph | GraphTable, *, source: str = "the graph"
) -> LexicalisedGrammar:
    """Read a lexicalised PCFG off a graph.

    Raises
    ------
    SchemaError
        If the graph is of another family, a node or edge does not follow the layout, heads do not
        agree, or a weight is not the relative frequency of its count.
    """
    check_family(graph, LexicalisedGrammar.family, source)
    options = graph.graph.get("options")
    if not isinstance(options, Mapping):
        raise SchemaError("the part 'options' is missing or of the wrong kind", where=source)
    reader = _Reader(GraphTable.of(graph), source)
    for rule in range(len(reader.rules)):
        reader.add(rule)
    return reader.grammar(dict(options))


class _Reader:
    """Collects symbols and rules by name."""

    def __init__(self, table: GraphTable, source: str) -> None:
        self.rules = GraphRules(table, source)
        self._start, self._source = table.graph["start"], source
        self._ids, self._heads = table.ids, table.node_column("head")
        self._of_node = list(zip(*map(table.node_column, ("category", "word", "tag")), strict=True))
        self._names: dict[str, int] = {}
        self._symbols: dict[tuple[int, int, int], int] = {}
        self._parts: list[tuple[int, int, int]] = []
        self._rules: dict[tuple[int, ...], Production] = {}

    def add(self, number: int) -> None:
        """Add a rule."""
        rules, flat = self.rules, self.rules.production(number)
        node = int(rules.rule[number])
        rule, head = self._ids[node], self._heads[node]
        nodes = rules.children[rules.offsets[number] : rules.offsets[number + 1]].tolist()
        lhs = self._symbol(int(rules.lhs[number]))
        children = [self._symbol(child) for child in nodes if not rules.is_word[child]]
        if not self._agree(flat, lhs, children, head):
            raise SchemaError(
                f"the rule {rule} of {flat.lhs} does not follow the layout",
                where=self._source,
                hint="a rule has the word of its head as its only child, or one or two symbols, "
                "and the one at the position 'head' has the same head as its parent",
            )
        row = (lhs, *children, *[-1] * (2 - len(children)), head)
        if row in self._rules:
            raise SchemaError(f"the rule {rule} of {flat.lhs} is there twice", where=self._source)
        self._rules[row] = flat

    def grammar(self, options: dict[str, Any]) -> LexicalisedGrammar:
        """Return the grammar of all rules."""
        rows = np.array(list(self._rules), np.int64).reshape(-1, 4)
        symbols = np.array(self._parts, np.int64).reshape(-1, 3)
        count = np.array([rule.count for rule in self._rules.values()], np.int64)
        weight = np.array([rule.weight for rule in self._rules.values()])
        with located(self._source):
            grammar = LexicalisedGrammar.from_columns(
                list(self._names),
                symbols,
                LexicalisedRules(*rows.T),
                count,
                start=self._start,
                options=options,
            )
        off = ~(np.abs(weight - count / np.bincount(rows[:, 0], count)[rows[:, 0]]) <= _TOLERANCE)
        if off.any():
            rule = list(self._rules.values())[int(np.argmax(off))]
            raise SchemaError(
                f"the weight {rule.weight} is not the relative frequency of its count",
                where=f"{self._source}, {str(rule).rpartition(' [')[0]}",
                hint="weights of a lexicalised grammar follow from its counts",
            )
        return grammar

    def _symbol(self, node: int) -> int:
        category, word, tag = self._of_node[node]
        is_start = word is ABSENT and tag is ABSENT and category == self._start
        if not isinstance(category, str) or not (
            is_start or (isinstance(word, str) and isinstance(tag, str))
        ):
            raise SchemaError(
                f"the symbol {self.rules.name(node)} lacks its category, head word or head tag",
                where=self._source,
            )
        parts = (category,) if is_start else (category, word, tag)
        numbers = [self._names.setdefault(part, len(self._names)) for part in parts]
        key = (numbers[0], -1, -1) if is_start else (numbers[0], numbers[1], numbers[2])
        if key not in self._symbols:
            self._symbols[key] = len(self._parts)
            self._parts.append(key)
        return self._symbols[key]

    def _agree(self, flat: Production, lhs: int, children: list[int], head: object) -> bool:
        """Say whether heads agree: of parent and head child, or of a tag and its word."""
        category, word, tag = self._parts[lhs]
        if isinstance(head, bool) or not isinstance(head, int) or flat.count < 1:
            return False
        if not children:
            return (
                head == 0
                and len(flat.rhs) == 1
                and word >= 0
                and category == tag
                and self._names.get(str(flat.rhs[0])) == word
            )
        if len(children) != len(flat.rhs) or len(children) > 2 or not 0 <= head < len(children):
            return False
        if any(self._parts[child][1] < 0 for child in children):
            return False
        return word < 0 or self._parts[children[head]][1:] == (word, tag)

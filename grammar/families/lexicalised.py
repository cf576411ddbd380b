"""Lexicalised PCFGs: the symbols carry the head word of what they cover, and its tag.

A production rewrites a symbol such as ``VP[saw/VBD]`` as one or two symbols, one of which, the
head child, has the same head; or a tag as its word. The weights are relative frequencies. Parsing
smooths them, see :mod:`induction.lexicalised.lpcfg`.
"""

from __future__ import annotations

import difflib
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.description import Description
from grammar.errors import OptionError, SchemaError, StartSymbolError, WeightError, located
from grammar.graph.rules import GraphRules
from grammar.graph.table import ABSENT, GraphTable
from grammar.pcfg.analysis import Report
from grammar.pcfg.derivable import ReweightedGrammar
from grammar.pcfg.grammar import Grammar
from grammar.pictures.base_labels import known_symbols
from grammar.pictures.neighbourhood import draw_neighbourhood
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.fragment import Fragment
from grammar.trees.tree import Tree
from grammar.weighted import Weighted
from grammar.weights import TOLERANCE, Weigher

__all__ = ["HeadStatistics", "LexicalisedGrammar", "LexicalisedRules"]

Option = str | int | float | None


class LexicalisedRules(NamedTuple):
    """Productions over symbols, as columns.

    Attributes
    ----------
    lhs : int32 array, shape (rules,)
        The symbol that is rewritten.
    first, second : int32 arrays
        Its children; -1 where there is none. A rule without children rewrites a tag as its word.
    head : int32 array
        Which child has the head: 0 or 1.
    """

    lhs: IntArray
    first: IntArray
    second: IntArray
    head: IntArray


class HeadStatistics(NamedTuple):
    """The heads of a category.

    Attributes
    ----------
    heads : tuple of (str, str, int)
        Word, tag and count, the most frequent first.
    total : int
        How often the category was seen.
    entropy : float
        Of its head words with their tags, in bits.
    """

    heads: tuple[tuple[str, str, int], ...]
    total: int
    entropy: float


@dataclass(frozen=True, eq=False, repr=False)
class LexicalisedGrammar(Weighted):
    """A lexicalised PCFG: counts of productions whose symbols have heads.

    Names, symbols and rules are in one canonical order, so equal grammars have equal columns. Build
    one with :meth:`from_columns`, which sorts.

    Parameters
    ----------
    categories, words : tuple of str
        Labels (tags among them) and words, sorted.
    symbols : int32 array, shape (symbols, 3)
        Category, head word and head tag of each symbol; the start symbol has -1 for the last two.
    rules : LexicalisedRules
        The productions. Those of the start symbol lead to the roots of trees.
    count : int64 array, shape (rules,)
        How often each was seen.
    start : str
        The category of the start symbol.
    options : mapping of str to str, int, float or None
        How the grammar was induced, and how it is to be smoothed.

    Raises
    ------
    StartSymbolError
        If the start symbol has no productions.
    WeightError
        If a count is not above zero.

    Examples
    --------
    >>> grammar = LexicalisedGrammar.from_columns(
    ...     ["TOP", "V", "go"],
    ...     np.array([[0, -1, -1], [1, 2, 1]]),
    ...     LexicalisedRules(*np.array([[0, 1, -1, 0], [1, -1, -1, 0]]).T),
    ...     np.array([3, 3]),
    ...     start="TOP",
    ... )
    >>> print(grammar.pcfg.to_text().strip())
    TOP -> {V[go/V]} [1.0]
    {V[go/V]} -> 'go' [1.0]
    """

    categories: tuple[str, ...]
    words: tuple[str, ...]
    symbols: IntArray
    rules: LexicalisedRules
    count: LongArray
    start: str
    options: Mapping[str, Option] = field(default_factory=dict)

    family = "lpcfg"

    def __post_init__(self) -> None:
        starting = self.symbols[self.rules.lhs, 1] < 0
        if not starting.any():
            raise StartSymbolError(
                f"the start symbol {self.start!r} has no rules", hint="count a treebank with trees"
            )
        if (self.count < 1).any():
            raise WeightError(
                f"the count {self.count.min()} of a rule is not above zero",
                where=self.rule_text(int(np.argmin(self.count))),
                hint="a lexicalised grammar holds what was seen",
            )

    @classmethod
    def from_columns(
        cls,
        names: Sequence[str],
        symbols: LongArray,
        rules: LexicalisedRules,
        count: LongArray,
        *,
        start: str,
        options: Mapping[str, Option] | None = None,
    ) -> LexicalisedGrammar:
        """Build a grammar from columns in any order; ``symbols`` hold numbers in ``names``."""
        tagged = symbols[symbols[:, 2] >= 0]
        categories = tuple(sorted({names[i] for i in np.union1d(symbols[:, 0], tagged[:, 2])}))
        words = tuple(sorted({names[i] for i in np.unique(tagged[:, 1])}))
        category, word = _renumbering(names, categories), _renumbering(names, words)
        renamed = np.stack(
            (category[symbols[:, 0]], word[symbols[:, 1]], category[symbols[:, 2]]), axis=1
        )
        order = np.lexsort(renamed.T[::-1])
        place = np.full(len(order) + 1, -1)
        place[order] = np.arange(len(order))
        rows = np.stack((place[rules.lhs], place[rules.first], place[rules.second], rules.head))
        ranked = np.lexsort(rows[::-1])
        return cls(
            categories,
            words,
            renamed[order].astype(np.int32),
            LexicalisedRules(*rows[:, ranked].astype(np.int32)),
            np.asarray(count)[ranked].astype(np.int64),
            start,
            dict(options or {}),
        )

    @classmethod
    def from_table(cls, table: GraphTable, *, source: str) -> LexicalisedGrammar:
        """Read a grammar off the columns of a graph.

        Raises
        ------
        SchemaError
            If a node or edge does not follow the layout, heads do not agree, or a weight is not the
            relative frequency of its count.
        """
        options = table.graph.get("options")
        if not isinstance(options, Mapping):
            raise SchemaError("the part 'options' is missing or of the wrong kind", where=source)
        reader = _Reader(table, source)
        for rule in range(len(reader.rules)):
            reader.add(rule)
        return reader.grammar(dict(options))

    def __len__(self) -> int:
        return len(self.count)

    def __repr__(self) -> str:
        return (
            f"LexicalisedGrammar(start {self.start}: {len(self)} rules over {len(self.symbols)} "
            f"symbols, {len(self.categories)} categories, {len(self.words)} words)"
        )

    @cached_property
    def weight(self) -> FloatArray:
        """float64 array, shape (rules,): relative frequency of each rule given its left side."""
        total = np.bincount(self.rules.lhs, self.count)
        weight: FloatArray = self.count / total[self.rules.lhs]
        return weight

    @cached_property
    def symbol_names(self) -> tuple[str, ...]:
        """Names such as ``VP[saw/VBD]``; that of the start symbol is its category.

        In a category ``[``, in a tag ``/``, and in both ``%`` are written as in web addresses, so
        that no two symbols have one name.
        """
        names = self.categories
        category = [name.replace("%", "%25").replace("[", "%5B") for name in names]
        tag = [name.replace("%", "%25").replace("/", "%2F") for name in names]
        return tuple(
            self.start if w < 0 else f"{category[c]}[{self.words[w]}/{tag[t]}]"
            for c, w, t in self.symbols.tolist()
        )

    def rule_text(self, number: int) -> str:
        """Return a rule in the notation, without its weight (IndexError if there is none)."""
        return Production(*self._sides(self.numbered(number))).text

    def build_graph(self) -> nx.MultiDiGraph:
        """Build the graph again.

        The layout is that of :attr:`grammar.Grammar.graph`. A symbol node has the attributes
        ``category``, ``word`` and ``tag``, and a rule node ``head``, the position of its head
        child.
        """
        graph = nx.MultiDiGraph(
            family=self.family, start=str(self.start), options=dict(self.options)
        )
        names = self.symbol_names
        for name, (category, word, tag) in zip(names, self.symbols.tolist(), strict=True):
            head = {}
            if word >= 0:
                head = {"word": self.words[word], "tag": self.categories[tag]}
            category = self.categories[category]
            graph.add_node(f"symbol:{name}", kind="symbol", name=name, category=category, **head)
        graph.add_nodes_from((f"word:{w}", {"kind": "word", "name": w}) for w in self.words)
        weights, counts = self.weight.tolist(), self.count.tolist()
        rows = list(zip(*(column.tolist() for column in self.rules), strict=True))
        for i, row in enumerate(rows):
            graph.add_node(f"rule:{i}", kind="rule", text=self.rule_text(i), head=row[3])
        for i, (lhs, first, second, _) in enumerate(rows):
            rule = f"rule:{i}"
            graph.add_edge(f"symbol:{names[lhs]}", rule, 0, weight=weights[i], count=counts[i])
            if first < 0:
                word = self.words[self.symbols[lhs, 1]]
                graph.add_edge(rule, f"word:{word}", 0, position=0)
            for position, child in enumerate(c for c in (first, second) if c >= 0):
                graph.add_edge(rule, f"symbol:{names[child]}", position, position=position)
        return graph

    @cached_property
    def pcfg(self) -> Grammar:
        """The same rules and weights as a PCFG, for checking, sampling and exact charts."""
        return Grammar.from_productions(map(self._production, range(len(self))), start=self.start)

    def used(self, rules: Sequence[int], *, source: str = "the rules") -> tuple[str, list[str]]:
        """Return the rules of a derivation with their weights (OptionError if one is lacking)."""
        return self.pcfg.used(rules, source=source)

    def tree_of(self, rules: Iterable[int]) -> Tree:
        """Return the tree of a derivation of :attr:`pcfg`, given as rule numbers in preorder.

        Its labels are categories, without heads; the start symbol is above its root.

        Raises
        ------
        OptionError
            If the numbers are not a whole derivation.
        """
        table, category = self.pcfg.rules, self._category
        made: list[Tree] = []
        for rule in reversed(list(rules)):
            lhs, rhs = table.sides(rule)
            inner = sum(isinstance(child, Nonterminal) for child in rhs)
            if inner > len(made):
                break
            children = tuple(c if isinstance(c, str) else made.pop() for c in rhs)
            if lhs.name == self.start:
                made.extend(child for child in children if isinstance(child, Tree))
            else:
                made.append(Tree(category[lhs.name], children))
        else:
            if len(made) == 1:
                return made[0]
        raise OptionError(
            "the rules are not one derivation", hint="give the rules of pcfg, in preorder"
        )

    def elementary(self, rule: int) -> Sequence[Any]:
        """Return what a rule of :attr:`pcfg` adds to trees: a node with its category.

        The start symbol is no node of trees; what is below it is returned.
        """
        lhs, rhs = self.pcfg.rules.sides(rule)
        return rhs if lhs.name == self.start else (Fragment(self._category[lhs.name], rhs),)

    def reweighted(self, weigh: Weigher) -> ReweightedGrammar:
        """Return the same derivations with other weights, as the own follow from the counts."""
        return ReweightedGrammar(self, self.pcfg.reweighted(weigh))

    @cached_property
    def _category(self) -> dict[str, str]:
        """The category of each symbol, by name."""
        pairs = zip(self.symbol_names, self.symbols[:, 0].tolist(), strict=True)
        return {name: self.categories[category] for name, category in pairs}

    def head_statistics(self, label: str) -> HeadStatistics:
        """Return the heads of a category, with or without its ancestors (``NP``, ``NP^<S>``).

        Raises
        ------
        OptionError
            If the grammar has no such category.
        """
        chosen = [label in (name, name.split("^<")[0]) for name in self.categories]
        total = np.bincount(self.rules.lhs, self.count, minlength=len(self.symbols))
        heads: Counter[tuple[str, str]] = Counter()
        for (category, word, tag), count in zip(self.symbols.tolist(), total.tolist(), strict=True):
            if word >= 0 and chosen[category]:
                heads[self.words[word], self.categories[tag]] += int(count)
        if not heads:
            near = difflib.get_close_matches(label, self.categories, 3) or self.categories[:8]
            raise OptionError(
                f"the grammar has no category {label!r}", hint=f"try {', '.join(near)}"
            )
        share = np.array(list(heads.values())) / heads.total()
        ranked = sorted(heads.items(), key=lambda item: (-item[1], item[0]))
        return HeadStatistics(
            tuple((word, tag, count) for (word, tag), count in ranked),
            heads.total(),
            float(-(share * np.log2(share)).sum()) + 0.0,
        )

    def check(self) -> Report:
        """Examine the PCFG of the same rules; see :meth:`grammar.Grammar.check`."""
        return self.pcfg.check()

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the check, and at the rules and heads of one symbol or category."""
        symbol = symbol or self.start
        names = known_symbols(symbol, [*self.categories, *self.symbol_names])
        chosen = sorted(itertools.chain(*map(self._rules_below, names)), key=self._seldom)
        # a category has no rules of its own in the graph: its most frequent symbol stands for it
        seen = np.bincount(self.rules.lhs[chosen], self.count[chosen])
        drawn = self.symbol_names[int(seen.argmax())] if chosen else symbol
        rules = [
            {
                "count": int(self.count[rule]),
                "weight": float(self.weight[rule]),
                "rule": self.rule_text(rule),
            }
            for rule in chosen[:top]
        ]
        heads = {}
        if symbol != self.start and symbol in self.categories:
            heads = _heads_seen(self.head_statistics(symbol), symbol, top)
        return Description(
            self.family,
            lambda path: draw_neighbourhood(self.graph, drawn, path, top=top),
            facts={"categories": len(self.categories), "symbols": len(self.symbols)},
            report=self.check(),
            details={**heads, f"rules of {symbol}": rules},
        )

    def _seldom(self, rule: int) -> int:
        return -int(self.count[rule])

    def _rules_below(self, symbol: str) -> list[int]:
        """Return the rules of a symbol or of all of a category, the most frequent first."""
        # the start symbol has the name of a category
        if symbol in self.symbol_names and symbol not in self.categories:
            below = self.rules.lhs == self.symbol_names.index(symbol)
        else:
            below = self.symbols[self.rules.lhs, 0] == self.categories.index(symbol)
        rules = np.flatnonzero(below)
        ranked: list[int] = rules[np.argsort(-self.count[rules], kind="stable")].tolist()
        return ranked

    def _production(self, rule: int) -> Production:
        return Production(*self._sides(rule), float(self.weight[rule]), int(self.count[rule]))

    def _sides(self, rule: int) -> tuple[Nonterminal, tuple[Nonterminal | str, ...]]:
        lhs, first, second, _ = (int(column[rule]) for column in self.rules)
        names = self.symbol_names
        rhs: tuple[Nonterminal | str, ...]
        if first < 0:
            rhs = (self.words[self.symbols[lhs, 1]],)
        else:
            rhs = tuple(Nonterminal(names[child]) for child in (first, second) if child >= 0)
        return Nonterminal(names[lhs]), rhs


def _renumbering(names: Sequence[str], wanted: Sequence[str]) -> LongArray:
    """Return the place of each name among the wanted ones, -1 for others and at the end."""
    place = {name: i for i, name in enumerate(wanted)}
    return np.array([*(place.get(name, -1) for name in names), -1], np.int64)


def _heads_seen(heads: HeadStatistics, symbol: str, top: int) -> dict[str, Any]:
    return {
        f"seen as {symbol}": heads.total,
        f"different heads of {symbol}": len(heads.heads),
        f"entropy of the heads of {symbol} in bits": heads.entropy,
        f"heads of {symbol}": [
            {"word": word, "tag": tag, "count": count, "share": count / heads.total}
            for word, tag, count in heads.heads[:top]
        ],
    }


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
        off = ~(np.abs(weight - count / np.bincount(rows[:, 0], count)[rows[:, 0]]) <= TOLERANCE)
        if off.any():
            rule = list(self._rules.values())[int(np.argmax(off))]
            raise SchemaError(
                f"the weight {rule.weight} is not the relative frequency of its count",
                where=f"{self._source}, {rule.text}",
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

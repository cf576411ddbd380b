"""Lexicalised PCFGs: the symbols carry the head word of what they cover, and its tag.

A production rewrites a symbol such as ``VP[saw/VBD]`` as one or two symbols, one of which, the
head child, has the same head; or a tag as its word. The weights are relative frequencies. Parsing
smooths them, see :mod:`induction.lpcfg`.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.errors import OptionError, StartSymbolError, WeightError
from grammar.files import PathLike
from grammar.grammar import Grammar
from grammar.rules import Nonterminal, Production
from grammar.tree import Tree

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


@dataclass(frozen=True, eq=False)
class LexicalisedGrammar:
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
                where=self.text(int(np.argmin(self.count))),
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
    def from_graph(cls, graph: nx.MultiDiGraph) -> LexicalisedGrammar:
        """Read a grammar off a graph in the layout of :attr:`graph`.

        Raises
        ------
        SchemaError
            If a node or edge does not follow the layout.
        """
        from grammar.lexicalised_graph import lexicalised_from_graph

        return lexicalised_from_graph(graph)

    @classmethod
    def load(cls, path: PathLike) -> LexicalisedGrammar:
        """Load node-link JSON (``.json``, ``.json.gz``).

        Raises
        ------
        UnreadableInputError
            If the file cannot be read.
        SchemaError, WeightError, StartSymbolError
            If its content is not a lexicalised grammar of this version.
        """
        from grammar.lexicalised_graph import lexicalised_from_graph
        from grammar.storage import read_table

        return lexicalised_from_graph(read_table(path), source=str(path))

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
        return len(self.count)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LexicalisedGrammar):
            return NotImplemented
        ours = (self.categories, self.words, self.start, dict(self.options))
        theirs = (other.categories, other.words, other.start, dict(other.options))
        return (
            ours == theirs
            and np.array_equal(self.symbols, other.symbols)
            and all(map(np.array_equal, self.rules, other.rules))
            and np.array_equal(self.count, other.count)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"LexicalisedGrammar(start {self.start}: {len(self)} rules over {len(self.symbols)} "
            f"symbols, {len(self.categories)} categories, {len(self.words)} words)"
        )

    def _repr_svg_(self) -> str:
        from grammar.neighbourhood import neighbourhood_svg

        return neighbourhood_svg(self.graph, self.start)

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

    def text(self, rule: int) -> str:
        """Return a rule as text, without its weight."""
        return str(Production(*self._sides(rule))).rpartition(" [")[0]

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen AND/OR graph; copy it to change it, then use ``from_graph``.

        The layout is that of :attr:`grammar.grammar.Grammar.graph`. A symbol node has the
        attributes ``category``, ``word`` and ``tag``, and a rule node ``head``, the position of
        its head child.
        """
        from grammar.lexicalised_graph import lexicalised_to_graph

        return nx.freeze(lexicalised_to_graph(self))

    @cached_property
    def pcfg(self) -> Grammar:
        """The same rules and weights as a PCFG, for checking, sampling and exact charts."""
        return Grammar.from_productions(map(self._production, range(len(self))), start=self.start)

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

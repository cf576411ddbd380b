"""A weighted context-free grammar: an immutable value that is a graph, a text and arrays."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.codecs import GraphCodec
from grammar.description import Description
from grammar.errors import OptionError, StartSymbolError, located
from grammar.foreign_names.attributes import Hints, NamesOfOthers, no_attribute
from grammar.graph.rules import GraphRules
from grammar.graph.table import ABSENT, GraphTable
from grammar.pictures.base_labels import known_symbols
from grammar.pictures.neighbourhood import draw_neighbourhood
from grammar.rules.compiled import CompiledGrammar, alias_tables
from grammar.rules.names_of_others import hint_for
from grammar.rules.notation import format_productions, parse_productions
from grammar.rules.rules import (
    Nonterminal,
    Production,
    RuleColumns,
    RuleTable,
)
from grammar.trees.fragment import Fragment
from grammar.trees.tree import NO_WORDS, Tree
from grammar.weighted import Weighted
from grammar.weights import Weigher, check_sums, check_weights, normalised

if TYPE_CHECKING:
    import nltk

    from grammar.pcfg.analysis import Report

__all__ = ["Grammar", "as_grammar", "as_pcfg"]

_MADE_ELSEWHERE = {
    "open_grammar(path) opens a grammar of any family": (
        *("from_file", "from_path", "from_json", "from_disk", "read", "open"),
    ),
    "Grammar.parse(text) reads rules such as S -> NP VP [0.5]": (
        *("from_string", "from_str", "from_text", "loads"),
    ),
}
"""What makes a grammar, and what makes one in other libraries."""


class _Start(str):
    """A start symbol, which NLTK's users call: ``grammar.start()``."""

    __slots__ = ()

    def __call__(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False, repr=False)
class Grammar(Weighted, metaclass=NamesOfOthers):
    """A probabilistic context-free grammar.

    The rules are columns in canonical order (so rule numbers are stable), the weights are
    probabilities given the left-hand side. The value never changes; every operation returns a
    new grammar.

    Parameters
    ----------
    rules : RuleTable
        The productions.
    weight : float64 array, shape (rules,)
        Probability of each given its left-hand side.
    start : str
        The start symbol.
    count : int64 array, shape (rules,), optional
        How often each was seen; zeros if the grammar was not counted.

    Raises
    ------
    WeightError
        If a weight is negative, not a number or infinite, or those of a left-hand side do not
        sum to one (to 1e-6).
    StartSymbolError
        If the start symbol has no rules.

    Examples
    --------
    >>> grammar = Grammar.parse('''
    ...     S -> NP VP [1]
    ...     NP -> 'fish' [3/4] | NP 'near' NP [1/4]
    ...     VP -> 'swim' [1]
    ... ''')
    >>> len(grammar), grammar.start, grammar.check().tight
    (4, 'S', True)
    >>> [str(p) for p in grammar.productions("NP")]
    ["NP -> 'fish' [0.75]", "NP -> NP 'near' NP [0.25]"]
    >>> sorted(grammar.graph.successors("symbol:VP"))
    ['rule:3']
    """

    _made_elsewhere: ClassVar[Hints] = _MADE_ELSEWHERE

    rules: RuleTable
    weight: FloatArray
    start: str
    count: LongArray = field(default_factory=lambda: np.zeros(0, np.int64))

    family = "pcfg"
    codec = GraphCodec(notation=(".txt", ".txt.gz", ".pcfg", ".cfg"))
    normalises = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", _Start(self.start))
        if not len(self.count):
            object.__setattr__(self, "count", np.zeros(len(self.rules), np.int64))
        if self.start not in self.rules.nonterminals or self._row(self.start_id) == (0, 0):
            raise StartSymbolError(
                f"the start symbol {self.start!r} has no rules",
                hint=f"choose one of {_some(self.left_hand_sides)}",
            )
        check_weights(self.weight, self.production)
        check_sums(
            self.weight,
            self.rules.lhs,
            self.rules.nonterminals,
            hint="write exact fractions such as 1/3, or load it with normalise (--normalise)",
        )

    @classmethod
    def from_productions(
        cls,
        productions: Iterable[Production],
        *,
        start: str | None = None,
        normalise: bool = False,
    ) -> Grammar:
        """Build a grammar; equal productions are merged, their weights and counts added.

        Parameters
        ----------
        productions : iterable of Production
            In any order; productions of NLTK, too, of which those without probability weigh 1.
        start : str, optional
            The start symbol; by default the left-hand side of the first production.
        normalise : bool
            Divide the weights of each left-hand side by their sum.
        """
        given = [p if isinstance(p, Production) else _of_nltk(p) for p in productions]
        return cls.from_columns(
            RuleColumns.of((p.lhs, p.rhs) for p in given),
            np.array([p.weight for p in given], np.float64),
            np.array([p.count for p in given], np.int64),
            start=start,
            normalise=normalise,
        )

    @classmethod
    def from_columns(
        cls,
        columns: RuleColumns,
        weight: FloatArray,
        count: LongArray,
        *,
        start: str | None = None,
        normalise: bool = False,
    ) -> Grammar:
        """Build a grammar from columns in any order; else as :meth:`from_productions`."""
        if not len(columns.lhs):
            raise StartSymbolError("a grammar needs at least one rule", hint="S -> 'word' [1]")
        # here, because merging and normalising can turn bad weights into good ones
        check_weights(weight, lambda rule: Production(*columns.production(rule), weight[rule]))
        rules, position = RuleTable.canonical(*columns.without_empty_words())
        merged, counts = np.zeros(len(rules)), np.zeros(len(rules), np.int64)
        np.add.at(merged, position, weight)
        np.add.at(counts, position, count)
        if normalise:
            merged = normalised(merged, rules.lhs)
        first = columns.nonterminals[columns.lhs[0]]
        return cls(rules, merged, first if start is None else start, counts)

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        start: str | None = None,
        normalise: bool = False,
        source: str = "<string>",
    ) -> Grammar:
        """Read the text notation (see :mod:`grammar.rules.notation`), NLTK's PCFG strings included.

        Raises
        ------
        NotationError
            If the text does not follow the notation.
        WeightError, StartSymbolError
            As the class does.
        """
        productions, first = parse_productions(text, source=source)
        with located(source):
            grammar = cls.from_productions(
                productions, start=first if start is None else start, normalise=normalise
            )
        return grammar

    fromstring = parse
    """NLTK's name of :meth:`parse`."""

    @classmethod
    def from_table(
        cls, table: GraphTable, *, source: str, start: str | None = None, normalise: bool = False
    ) -> Grammar:
        """Read a grammar off the columns of a graph; else as :meth:`from_productions`."""
        rules = GraphRules(table, source)
        with located(source):
            return cls.from_columns(
                rules.columns(),
                rules.weight,
                rules.count,
                start=table.graph.get("start") if start is None else start,
                normalise=normalise,
            )

    @classmethod
    def from_nltk(cls, grammar: nltk.CFG) -> Grammar:
        """Convert an ``nltk.PCFG``, probabilities exactly as they are.

        The rules of each symbol of an ``nltk.CFG`` get equal weights.
        """
        import nltk

        return cls.from_productions(
            grammar.productions(),
            start=str(grammar.start().symbol()),
            normalise=not isinstance(grammar, nltk.PCFG),
        )

    def to_nltk(self) -> nltk.PCFG:
        """Convert to an ``nltk.PCFG``."""
        import nltk

        def symbol(child: Nonterminal | str) -> Any:
            return nltk.Nonterminal(child.name) if isinstance(child, Nonterminal) else child

        productions = [
            nltk.ProbabilisticProduction(symbol(p.lhs), [symbol(c) for c in p.rhs], prob=p.weight)
            for p in self
        ]
        return nltk.PCFG(nltk.Nonterminal(self.start), productions)

    def strategy(self, *, spacing: str = "words", max_rules: int = 200) -> Any:
        """Return the sentences of the grammar as a strategy of Hypothesis.

        Rules are drawn by their weights; what Hypothesis shrinks becomes a shorter derivation.

        Parameters
        ----------
        spacing : {"words", "tokens", "characters"}
            Words are joined by spaces, or, for characters, by nothing.
        max_rules : int
            When a derivation would have more rules, it ends as shortly as it can.

        Returns
        -------
        hypothesis.strategies.SearchStrategy
            Of str.

        Raises
        ------
        MissingDataError
            If Hypothesis is not installed.
        NotTightError
            If no derivation ends.

        Examples
        --------
        >>> from hypothesis import find
        >>> find(Grammar.parse("S -> 'so' S [3/4] | 'good' [1/4]").strategy(), bool)
        'good'
        """
        # named and not imported, as notations of other tools live above
        return importlib.import_module("grammar.formats.strategy").strategy_of(
            self, spacing=spacing, max_rules=max_rules
        )

    def __len__(self) -> int:
        return len(self.rules)

    def __contains__(self, item: object) -> bool:
        """Say whether it has a symbol or word, by its name, or a production.

        >>> grammar = Grammar.parse("S -> 'so' S [0.5] | 'good' [0.5]")
        >>> "S" in grammar, "so" in grammar, "VP" in grammar, next(iter(grammar)) in grammar
        (True, True, False, True)
        """
        if isinstance(item, str | Nonterminal):
            name = str(item)
            known_word = isinstance(item, str) and name in self.rules.words
            return known_word or name in self.rules.nonterminals
        return any(item == production for production in self)

    def __iter__(self) -> Iterator[Production]:
        return (self.production(rule) for rule in range(len(self.rules)))

    def __repr__(self) -> str:
        return (
            f"Grammar({self.family}, start {self.start}: {len(self.rules)} rules over "
            f"{len(self.rules.nonterminals)} symbols, {len(self.rules.words)} words)"
        )

    def __getattr__(self, name: str) -> Any:
        raise no_attribute(self, name, hint_for(name))

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getitem__(self, symbol: Any) -> Any:
            """Refuse an index (raises TypeError)."""
            raise TypeError(
                f"a grammar has no places\n  hint: grammar.productions({str(symbol)!r}) has the "
                "rules of a symbol"
            )

    @property
    def start_id(self) -> int:
        """Id of the start symbol."""
        return self.rules.nonterminals.index(self.start)

    @property
    def left_hand_sides(self) -> tuple[str, ...]:
        """Names of the symbols that have rules."""
        return tuple(self.rules.nonterminals[i] for i in np.unique(self.rules.lhs).tolist())

    def production(self, rule: int) -> Production:
        """Return one rule by its number."""
        lhs, rhs = self.rules.sides(rule)
        return Production(lhs, rhs, float(self.weight[rule]), int(self.count[rule]))

    def productions(
        self,
        lhs: str | Nonterminal | None = None,
        rhs: str | Nonterminal | None = None,
        *,
        empty: bool = False,
    ) -> list[Production]:
        """Return the rules of one left-hand side (or all), the most probable first.

        With ``rhs`` only those that begin with this symbol or word, as in NLTK; with ``empty`` only
        those of no symbol.

        A label stands for all symbols that annotate it, one after the other: ``NP`` for
        ``NP^<S>``.

        Raises
        ------
        OptionError
            If there is no such symbol.
        """
        if lhs is None:
            order = [self.start, *(n for n in self.left_hand_sides if n != self.start)]
        else:
            order = known_symbols(str(lhs), self.rules.nonterminals)
        found = (production for name in order for production in self._rules_of(name))
        if empty:
            return [p for p in found if not p.rhs]
        return [p for p in found if rhs is None or str(next(iter(p.rhs), "")) == str(rhs)]

    def _rules_of(self, symbol: str) -> list[Production]:
        begin, end = self._row(self.rules.nonterminals.index(symbol))
        ranked = begin + np.argsort(-self.weight[begin:end], kind="stable")
        return [self.production(int(rule)) for rule in ranked]

    def rule_text(self, number: int) -> str:
        """Return a rule in the notation, without its weight (IndexError if there is none)."""
        return self.production(self.numbered(number)).text

    @property
    def pcfg(self) -> Grammar:
        """The grammar itself."""
        return self

    def build_graph(self) -> GraphTable:
        """Return the columns of :attr:`graph`: symbols, words and rules; for each rule, its edges.

        A rule node has its text as ``text``.
        """
        rules = self.rules
        symbols, words = len(rules.nonterminals), len(rules.words)
        names = [*rules.nonterminals, *rules.words]
        kinds = ["symbol"] * symbols + ["word"] * words
        texts = [production.text for production in self]
        none, first_rule = [ABSENT] * len(rules), len(names)
        rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
        slots = _by_child(rule, rules.rhs)
        positions = (slots - rules.offsets[rule]).tolist()
        children = rules.rhs[slots]
        return GraphTable(
            {"family": self.family, "start": str(self.start)},
            ids=[*map("{}:{}".format, kinds, names), *map("rule:{}".format, range(len(rules)))],
            nodes={
                "kind": kinds + ["rule"] * len(rules),
                "name": names + none,
                "text": [ABSENT] * len(names) + texts,
            },
            # networkx lists edges by the node that they leave, and rules are sorted by symbol
            source=[*rules.lhs.tolist(), *(rule + first_rule).tolist()],
            target=[
                *range(first_rule, first_rule + len(rules)),
                *np.where(children >= 0, children, symbols - 1 - children).tolist(),
            ],
            keys=[0] * len(rules) + positions,
            edges={
                "weight": self.weight.tolist() + [ABSENT] * len(positions),
                "count": self.count.tolist() + [ABSENT] * len(positions),
                "position": none + positions,
            },
        )

    @cached_property
    def compiled(self) -> CompiledGrammar:
        """The grammar as arrays for kernels."""
        cut, alias = alias_tables(self.weight, self.rules.starts)
        with np.errstate(divide="ignore"):
            log_weight = np.log(self.weight)
        return CompiledGrammar(
            self.start_id,
            self.rules.starts,
            self.rules.offsets,
            self.rules.rhs,
            self.weight,
            log_weight,
            cut,
            alias,
        )

    def check(self) -> Report:
        """Examine the grammar: proper, tight, recursive, expected length, entropy."""
        from grammar.pcfg.analysis import analyse

        return analyse(self)

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the check, at the most ambiguous symbols, and at the rules of one symbol."""
        symbol = symbol or self.start
        names, report = known_symbols(symbol, self.rules.nonterminals), self.check()
        rules = self.productions(symbol)
        if len(names) > 1:
            rules.sort(key=lambda production: (-production.count, -production.weight))
        return Description(
            self.family,
            lambda path: draw_neighbourhood(self.graph, symbol, path, top=top),
            report=report,
            details={
                **self.ambiguity(report, names),
                f"rules of {symbol}": [
                    f"{production.text} [{production.weight:.6g}]" for production in rules[:top]
                ],
            },
        )

    def ambiguity(self, report: Report, symbols: Sequence[str]) -> dict[str, Any]:
        """Return where most is open, as a table, and the entropy of the choice at some symbols."""
        from grammar.pcfg.ambiguity import ambiguous_symbols, symbol_entropies

        tight = bool(np.isfinite(report.expected_length))
        bits = dict(zip(self.rules.nonterminals, symbol_entropies(self).tolist(), strict=True))
        return {
            "most ambiguous": [one._asdict() for one in ambiguous_symbols(self, tight=tight)],
            **{f"entropy of {symbol} in bits": bits[symbol] for symbol in symbols},
        }

    def used(self, rules: Sequence[int], *, source: str = "the rules") -> tuple[str, list[str]]:
        """Return the rules of a derivation with their weights (OptionError if one is lacking)."""
        self.check_numbers(rules, source)
        return "rules", [str(self.production(number)) for number in rules]

    def renormalise(self) -> Grammar:
        """Return the tight grammar of the same derivations, conditioned on ending (Chi 1999).

        >>> wild = Grammar.parse("S -> S S [0.75] | 'a' [0.25]")
        >>> wild.check().tight, round(wild.check().termination, 6)
        (False, 0.333333)
        >>> [(str(p.rhs[0]), round(p.weight, 6)) for p in wild.renormalise().productions("S")]
        [('a', 0.75), ('S', 0.25)]
        """
        from grammar.pcfg.analysis import renormalised_weights

        weight = normalised(renormalised_weights(self), self.rules.lhs)
        return Grammar(self.rules, weight, self.start, self.count)

    def reweighted(self, weigh: Weigher) -> Grammar:
        """Return the same rules with other weights (see :func:`grammar.reweighted`)."""
        weight = weigh(self.weight, self.count, self.rules.lhs)
        return Grammar(self.rules, weight, self.start, self.count)

    def tree_of(self, rules: Iterable[int]) -> Tree:
        """Return the tree of a derivation, given as rule numbers in preorder.

        Raises
        ------
        OptionError
            If the numbers are not a whole derivation.
        """
        made: list[Tree] = []
        for rule in reversed(list(rules)):
            lhs, rhs = self.rules.sides(rule)
            inner = [child for child in rhs if isinstance(child, Nonterminal)]
            if [child.name for child in inner] != [t.label for t in made[::-1][: len(inner)]]:
                break
            children = tuple(c if isinstance(c, str) else made.pop() for c in rhs)
            made.append(Tree(lhs.name, children or (NO_WORDS,)))
        else:
            if [tree.label for tree in made] == [self.start]:
                return made[0]
        raise OptionError("the rules are not one derivation", hint="give them in preorder")

    def elementary(self, rule: int) -> Sequence[Any]:
        """Return what a rule adds to trees: one node.

        >>> grammar = Grammar.parse("S -> 'very' S [0.5] | 'good' [0.5]")
        >>> [str(node) for node in grammar.elementary(1)]
        ['(S very (S ))']
        """
        lhs, rhs = self.rules.sides(rule)
        return (Fragment(lhs.name, rhs) if rhs else Tree(lhs.name, (NO_WORDS,)),)

    def to_text(self) -> str:
        """Write the text notation; :meth:`parse` reads it back with equal weights."""
        return format_productions(self.productions(), self.start)

    def _row(self, symbol: int) -> tuple[int, int]:
        begin, end = self.rules.starts[symbol : symbol + 2].tolist()
        return (begin, end) if end > begin else (0, 0)


def as_grammar(grammar: Any) -> Any:
    """Return a grammar of NLTK, rules as text, or a file as a grammar; any other value as it is.

    >>> as_grammar("S -> 'so' S [0.5] | 'good' [0.5]")
    Grammar(pcfg, start S: 2 rules over 1 symbols, 2 words)
    """
    if type(grammar).__module__.startswith("nltk."):
        return Grammar.from_nltk(grammar)
    if isinstance(grammar, str) and ("->" in grammar or "→" in grammar):
        return Grammar.parse(grammar)
    if isinstance(grammar, str | os.PathLike):
        # named and not imported: it opens all families, and stands above this one
        return importlib.import_module("grammar.opening").open_grammar(grammar)
    return grammar


def as_pcfg(grammar: Any) -> Grammar:
    """Return what :func:`as_grammar` makes a PCFG of.

    Raises
    ------
    OptionError
        If it is a grammar of another family, or none.
    """
    found = as_grammar(grammar)
    if isinstance(found, Grammar):
        return found
    if isinstance(found, Weighted):
        raise OptionError(
            f"this grammar is no PCFG but one of the family {found.family!r}",
            hint="grammar.parse_sentence(sentence) parses with it",
        )
    raise OptionError(
        f"{type(grammar).__name__} is no grammar",
        hint="give a Grammar, its rules as text, or the name of its file",
    )


def _of_nltk(production: Any) -> Production:
    import nltk

    def symbol(child: Any) -> Nonterminal | str:
        is_symbol = isinstance(child, nltk.Nonterminal)
        return Nonterminal(str(child.symbol())) if is_symbol else str(child)

    lhs = Nonterminal(str(production.lhs().symbol()))
    weight = production.prob() if hasattr(production, "prob") else 1.0
    return Production(lhs, tuple(map(symbol, production.rhs())), weight)


def _by_child(rule: LongArray, rhs: IntArray) -> LongArray:
    """Order slots as networkx does: by rule, and there equal children together."""
    _, first, group = np.unique((rule << 32) + rhs, return_index=True, return_inverse=True)
    return np.argsort(first[group], kind="stable")


def _some(names: Iterable[str], most: int = 8) -> str:
    listed = list(names)
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "")

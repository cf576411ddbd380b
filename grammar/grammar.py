"""A weighted context-free grammar: an immutable value that is a graph, a text and arrays."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.compiled import CompiledGrammar, alias_tables
from grammar.errors import OptionError, OutputError, StartSymbolError, WeightError, located
from grammar.files import PathLike, atomic_output, read_text, write_text
from grammar.notation import format_productions, parse_productions
from grammar.rules import Nonterminal, Production, RuleColumns, RuleTable

if TYPE_CHECKING:
    import nltk

    from grammar.analysis import Report

__all__ = ["Grammar"]

_TOLERANCE = 1e-6
# a carriage return is a character of XML, but becomes a line feed when it is read
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, eq=False)
class Grammar:
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

    rules: RuleTable
    weight: FloatArray
    start: str
    count: LongArray = field(default_factory=lambda: np.zeros(0, np.int64))

    family = "pcfg"

    def __post_init__(self) -> None:
        if not len(self.count):
            object.__setattr__(self, "count", np.zeros(len(self.rules), np.int64))
        if self.start not in self.rules.nonterminals or self._row(self.start_id) == (0, 0):
            raise StartSymbolError(
                f"the start symbol {self.start!r} has no rules",
                hint=f"choose one of {_some(self.left_hand_sides)}",
            )
        _check_weights(self.weight, self.production)
        self._check_sums()

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
            In any order.
        start : str, optional
            The start symbol; by default the left-hand side of the first production.
        normalise : bool
            Divide the weights of each left-hand side by their sum.
        """
        given = list(productions)
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
        _check_weights(weight, lambda rule: Production(*columns.production(rule), weight[rule]))
        rules, position = RuleTable.canonical(*columns)
        merged, counts = np.zeros(len(rules)), np.zeros(len(rules), np.int64)
        np.add.at(merged, position, weight)
        np.add.at(counts, position, count)
        if normalise:
            merged = normalised(rules, merged)
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
        """Read the text notation (see :mod:`grammar.notation`), NLTK's PCFG strings included.

        Raises
        ------
        NotationError
            If the text does not follow the notation.
        WeightError, StartSymbolError
            As the class does.
        """
        productions, first = parse_productions(text, source=source)
        with located(source):
            return cls.from_productions(
                productions, start=first if start is None else start, normalise=normalise
            )

    @classmethod
    def load(cls, path: PathLike, *, start: str | None = None, normalise: bool = False) -> Grammar:
        """Load node-link JSON (``.json``, ``.json.gz``) or, by any other name, text notation.

        Raises
        ------
        UnreadableInputError
            If the file cannot be read.
        SchemaError, NotationError, WeightError, StartSymbolError
            If its content is not a grammar of this version.
        """
        from grammar.graph import grammar_from_graph
        from grammar.storage import looks_like_json, table_from_json

        text = read_text(path)
        if looks_like_json(text, path):
            graph = table_from_json(text, source=str(path))
            return grammar_from_graph(graph, source=str(path), start=start, normalise=normalise)
        return cls.parse(text, start=start, normalise=normalise, source=str(path))

    @classmethod
    def from_graph(cls, graph: nx.MultiDiGraph) -> Grammar:
        """Read a grammar off a graph in the layout of :attr:`graph`.

        Raises
        ------
        SchemaError
            If a node or edge does not follow the layout.
        """
        from grammar.graph import grammar_from_graph

        return grammar_from_graph(graph)

    @classmethod
    def from_nltk(cls, grammar: nltk.PCFG) -> Grammar:
        """Convert an ``nltk.PCFG``, probabilities exactly as they are."""
        import nltk

        def symbol(child: Any) -> Nonterminal | str:
            is_symbol = isinstance(child, nltk.Nonterminal)
            return Nonterminal(str(child.symbol())) if is_symbol else str(child)

        return cls.from_productions(
            (
                Production(
                    Nonterminal(str(p.lhs().symbol())), tuple(map(symbol, p.rhs())), p.prob()
                )
                for p in grammar.productions()
            ),
            start=str(grammar.start().symbol()),
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

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Production]:
        return (self.production(rule) for rule in range(len(self.rules)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grammar):
            return NotImplemented
        return (
            self.start == other.start
            and self.rules == other.rules
            and np.array_equal(self.weight, other.weight)
            and np.array_equal(self.count, other.count)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Grammar({self.family}, start {self.start}: {len(self.rules)} rules over "
            f"{len(self.rules.nonterminals)} symbols, {len(self.rules.words)} words)"
        )

    def _repr_svg_(self) -> str:
        from grammar.neighbourhood import neighbourhood_svg

        return neighbourhood_svg(self.graph, self.start)

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

    def productions(self, lhs: str | None = None) -> list[Production]:
        """Return the rules of one left-hand side (or all), the most probable first.

        Raises
        ------
        OptionError
            If there is no such symbol.
        """
        if lhs is None:
            order = [self.start, *(n for n in self.left_hand_sides if n != self.start)]
            return [production for name in order for production in self.productions(name)]
        if lhs not in self.rules.nonterminals:
            import difflib

            near = difflib.get_close_matches(lhs, self.rules.nonterminals, 3)
            raise OptionError(
                f"the grammar has no symbol {lhs!r}",
                hint=f"try {_some(near or self.left_hand_sides)}",
            )
        begin, end = self._row(self.rules.nonterminals.index(lhs))
        ranked = begin + np.argsort(-self.weight[begin:end], kind="stable")
        return [self.production(int(rule)) for rule in ranked]

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen AND/OR graph; copy it to change it, then use ``from_graph``.

        Nodes ``symbol:NP``, ``word:dog`` and ``rule:17`` have the attribute ``kind`` (and
        ``name``, or ``text`` for rules). Edges run from a symbol to its rules (``weight``,
        ``count``) and from a rule to its children (``position``).
        """
        from grammar.graph import grammar_to_graph

        return nx.freeze(grammar_to_graph(self))

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
        from grammar.analysis import analyse

        return analyse(self)

    def renormalise(self) -> Grammar:
        """Return the tight grammar of the same derivations, conditioned on ending (Chi 1999).

        >>> wild = Grammar.parse("S -> S S [0.75] | 'a' [0.25]")
        >>> wild.check().tight, round(wild.check().termination, 6)
        (False, 0.333333)
        >>> [(str(p.rhs[0]), round(p.weight, 6)) for p in wild.renormalise().productions("S")]
        [('a', 0.75), ('S', 0.25)]
        """
        from grammar.analysis import renormalised_weights

        weight = normalised(self.rules, renormalised_weights(self))
        return Grammar(self.rules, weight, self.start, self.count)

    def to_text(self) -> str:
        """Write the text notation; :meth:`parse` reads it back with equal weights."""
        return format_productions(self.productions(), self.start)

    def save(self, path: PathLike) -> None:
        """Save: ``.json`` and ``.json.gz`` losslessly as a graph, any other name as text.

        Raises
        ------
        OutputError
            If the path cannot be written.
        """
        from grammar.graph import grammar_to_table
        from grammar.storage import write_graph

        if ".json" in Path(path).suffixes:
            write_graph(grammar_to_table(self), path)
        else:
            write_text(path, self.to_text())

    def write_graphml(self, path: PathLike) -> None:
        """Export the graph as GraphML, for Gephi, yEd and the like.

        Raises
        ------
        OutputError
            If a name holds a character that XML cannot express, or the path cannot be written.
        """
        for name in (*self.rules.nonterminals, *self.rules.words):
            if _NOT_XML.search(name):
                raise OutputError(
                    f"the name {name!r} cannot be written as XML",
                    where=str(path),
                    hint="save as .json, which holds any name",
                )
        with atomic_output(path) as temporary:
            nx.write_graphml_xml(self.graph, temporary)

    def _row(self, symbol: int) -> tuple[int, int]:
        begin, end = self.rules.starts[symbol : symbol + 2].tolist()
        return (begin, end) if end > begin else (0, 0)

    def _check_sums(self) -> None:
        sums = np.bincount(self.rules.lhs, self.weight, minlength=len(self.rules.nonterminals))
        has_rules = np.diff(self.rules.starts) > 0
        off = np.flatnonzero(has_rules & (np.abs(sums - 1.0) > _TOLERANCE))
        if len(off):
            name = self.rules.nonterminals[off[0]]
            more = f" (and those of {len(off) - 1} other symbols)" if len(off) > 1 else ""
            raise WeightError(
                f"the weights of {name} sum to {sums[off[0]]:.9g}, not 1{more}",
                hint="write exact fractions such as 1/3, or load it with normalise (--normalise)",
            )


def normalised(rules: RuleTable, weight: FloatArray) -> FloatArray:
    """Divide weights by the sum over their left-hand side; equal shares where that is zero."""
    symbols = len(rules.nonterminals)
    sums = np.bincount(rules.lhs, weight, minlength=symbols)
    sizes = np.bincount(rules.lhs, minlength=symbols)
    empty = sums == 0
    share = np.where(empty[rules.lhs], 1.0, weight)
    result: FloatArray = share / np.where(empty, sizes, sums)[rules.lhs]
    return result


def _check_weights(weight: FloatArray, production: Callable[[int], Production]) -> None:
    bad = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(bad):
        rule = int(bad[0])
        raise WeightError(
            f"the weight {weight[rule]} is not a probability",
            where=str(production(rule)),
            hint="weights are numbers from 0 to 1",
        )


def _some(names: Iterable[str], most: int = 8) -> str:
    listed = list(names)
    return ", ".join(listed[:most]) + (", ..." if len(listed) > most else "")

"""What every grammar is: weighted rules with numbers, a graph, a file, and a look at them.

Families differ in their rule and in their codec. One gives its ``family`` (a name), its ``start``
symbol, ``__len__``, :meth:`Weighted.rule_text`, :meth:`Weighted.build_graph`, and what its codec
asks for (:mod:`grammar.codecs`); a line in :mod:`grammar.opening` makes its files open. All else is
here, and a family that has more to say gives its own :meth:`Weighted.look` or check.
"""

from __future__ import annotations

import copy
import importlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import networkx as nx
import numpy as np

from grammar.codecs import Codec, GraphCodec
from grammar.description import Description, Findings, describe_graph
from grammar.errors import OptionError, SchemaError, located
from grammar.files import PathLike
from grammar.graph.graphml import write_graphml
from grammar.graph.report import analyse_graph
from grammar.graph.table import GraphTable
from grammar.pictures.neighbourhood import neighbourhood_svg
from grammar.saving.facts import NOTES

if TYPE_CHECKING:
    from grammar.trees.tree import Tree

__all__ = ["Weighted"]


class Weighted(ABC):
    """A grammar: an immutable value whose rules have weights and stable numbers.

    Attributes
    ----------
    family : str
        What kind of grammar this is; written into its files.
    codec : GraphCodec or ArrayCodec
        How it is saved.
    normalises : bool
        Whether weights that do not sum to one can be divided by their sums when a file is opened.
    start : str
        The start symbol.
    notes : mapping
        What a method keeps with the grammar, in its files too (:meth:`noted`).

    Examples
    --------
    >>> from grammar import Grammar
    >>> grammar: Weighted = Grammar.parse("S -> 'a' S [1/2] | 'b' [1/2]")
    >>> grammar.family, grammar.start, grammar.rule_text(1)
    ('pcfg', 'S', "S -> 'b'")
    """

    # no value here may have the name of a field of a family: it would become the field's default
    family: ClassVar[str]
    codec: ClassVar[Codec] = GraphCodec()
    normalises: ClassVar[bool] = False
    start: str
    notes: Mapping[str, Any] = MappingProxyType({})

    @abstractmethod
    def __len__(self) -> int:
        """Return how many rules there are; they are numbered from 0, as in provenance."""

    @abstractmethod
    def rule_text(self, number: int) -> str:
        """Return a rule as text (IndexError if there is none)."""

    def numbered(self, number: int) -> int:
        """Return the number of a rule, having seen that there is one (else IndexError)."""
        if not 0 <= number < len(self):
            raise IndexError(f"there is no rule {number}")
        return number

    @abstractmethod
    def build_graph(self) -> nx.MultiDiGraph | GraphTable:
        """Build the AND/OR graph, or its columns, again."""

    @cached_property
    def graph(self) -> nx.MultiDiGraph:
        """The grammar as a frozen AND/OR graph; copy it to change it, then use ``from_graph``.

        Nodes ``symbol:NP``, ``word:dog`` and ``rule:17`` have the attribute ``kind`` (and
        ``name``, or ``text`` or ``pattern`` for rules). Edges run from a symbol to its rules
        (``weight``, ``count``) and from a rule to its children (``position``).
        """
        made = self.noted_graph()
        return nx.freeze(made.to_graph() if isinstance(made, GraphTable) else made)

    def noted_graph(self) -> nx.MultiDiGraph | GraphTable:
        """Build the graph, or its columns, again; it has the notes."""
        made = self.build_graph()
        if self.notes:
            made.graph["notes"] = dict(self.notes)
        return made

    def noted(self, **notes: Any) -> Self:
        """Return the grammar with notes, and those that it has.

        They are values that JSON can hold. All files keep them but those in a text notation.

        Examples
        --------
        >>> from grammar import Grammar
        >>> dict(Grammar.parse("S -> 'a' [1]").noted(source="by hand").notes)
        {'source': 'by hand'}
        """
        made = copy.copy(self)
        made.__dict__.pop("graph", None)
        made.__dict__["notes"] = MappingProxyType({**self.notes, **notes})
        return made

    @classmethod
    def from_graph(
        cls, graph: nx.MultiDiGraph | GraphTable, *, source: str = "the graph", **options: Any
    ) -> Self:
        """Read a grammar off a graph in the layout of :attr:`graph`.

        Raises
        ------
        SchemaError
            If the graph is of another family, or a node or edge does not follow the layout.
        """
        found = graph.graph.get("family")
        if found != cls.family:
            raise SchemaError(
                f"this is a grammar of the family {found!r}, not {cls.family!r}",
                where=source,
                hint="use the verb or class that made it",
            )
        made = cls.from_table(GraphTable.of(graph), source=source, **options)
        notes = graph.graph.get("notes", {})
        with located(source):
            NOTES("notes", notes)
        return made.noted(**notes) if notes else made

    @classmethod
    def from_table(cls, *table: Any, **options: Any) -> Self:
        """Read a grammar off the columns of a graph of its family, whose name is ``source``."""
        raise SchemaError(
            f"a grammar of the family {cls.family!r} is not made from its graph",
            where=options.get("source"),
            hint=f"save it as {cls.codec.suffixes[0]}",
        )

    def save(self, path: PathLike) -> None:
        """Save the grammar losslessly, atomically; the suffix of the file says what is in it.

        Raises
        ------
        OptionError
            If the suffix is not one of those that the family is saved under.
        OutputError
            If the path cannot be written.
        """
        self.codec.write(self, path)

    @classmethod
    def load(cls, path: PathLike, **options: Any) -> Self:
        """Load what :meth:`save` wrote.

        Parameters
        ----------
        path : str or path
            The file.
        **options
            What the family takes besides, as ``normalise=True`` and ``start="S"`` of PCFGs.

        Raises
        ------
        UnreadableInputError
            If the file cannot be read.
        SchemaError, NotationError, WeightError, StartSymbolError
            If its content is not a grammar of this family and version.
        """
        grammar: Self = cls.codec.read(cls, path, **options)
        return grammar

    def write_graphml(self, path: PathLike) -> None:
        """Export the graph as GraphML, for Gephi, yEd and the like.

        Raises
        ------
        OutputError
            If a name holds a character that XML cannot express, or the path cannot be written.
        """
        write_graphml(self.graph, path)

    def parse_sentence(self, sentence: str | Sequence[str]) -> Tree | Any:
        """Return the tree of a sentence, as ``treewright parse`` finds it, or why it has none.

        Text is split into tokens, and a word that the grammar lacks is taken for one of its class
        (:class:`induction.ChartTextParser`); :class:`grammar.Parser` takes words as they are.

        Parameters
        ----------
        sentence : str or sequence of str
            Raw text, or tokens.

        Returns
        -------
        Tree or NoParse
            The second is false, and says why there is no tree.

        Raises
        ------
        SchemaError
            If grammars of the family parse no sentences.
        ChartGrammarError
            If charts cannot hold the grammar.

        Examples
        --------
        >>> from grammar import Grammar
        >>> print(Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]").parse_sentence("so good"))
        (S so (S good))
        """
        tree: Tree | Any = next(self._text_parser.parse_each([sentence]))
        return tree

    @cached_property
    def _text_parser(self) -> Any:
        # named and not imported, as parsers of text live above
        opening = importlib.import_module("induction.parsers.opening")
        return opening.parser_of(self)

    def prefix(self, words: str | Sequence[str] = ()) -> Any:
        """Return the beginning of a sentence: its mass, and exactly what may come next.

        Parameters
        ----------
        words : sequence of str
            The first words, or a text whose words stand between spaces; none by default.

        Returns
        -------
        Prefix
            A value that :meth:`~grammar.Prefix.extend` makes others of.

        Raises
        ------
        SchemaError
            If the derivations of the family are not those of a PCFG.
        ChartGrammarError
            If charts cannot hold the grammar.
        OptionError
            If it is not a sequence of words.

        Examples
        --------
        >>> from grammar import Grammar
        >>> prefix = Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]").prefix("so so")
        >>> prefix.mass, dict(prefix.next_words()), prefix.extend("good").end
        (0.25, {'good': 0.5, 'so': 0.5}, 1.0)
        """
        return self._no_words.extend(words) if len(words) else self._no_words

    @cached_property
    def _no_words(self) -> Any:
        if self.pcfg is None:
            raise SchemaError(
                f"what comes next is not known in a grammar of the family {self.family!r}",
                hint="it must be a PCFG, or one of fragments (tsg) or heads (lpcfg)",
            )
        if self.pcfg is not self:
            return self.pcfg.prefix()
        # named and not imported, as charts live above
        return importlib.import_module("grammar.prefix.state").begin_prefix(self)

    def check(self) -> Findings:
        """Examine the grammar; what is returned prints itself."""
        return analyse_graph(self.graph)

    def describe(self, symbol: str | None = None, top: int = 20) -> Description:
        """Look at the grammar, and at one of its symbols (else the start) more closely.

        Raises
        ------
        OptionError
            If the grammar has no such symbol.
        """
        facts = {"rules": len(self)}
        return describe_graph(self.graph, symbol or self.start, top, facts=facts)

    def used(self, rules: Sequence[int], *, source: str = "the rules") -> tuple[str, list[str]]:
        """Return the rules of a derivation as text, and what they are called.

        Parameters
        ----------
        rules : sequence of int
            As provenance has them.
        source : str
            Where the numbers are from, for errors.

        Raises
        ------
        OptionError
            If the grammar has no such rule.
        """
        self.check_numbers(rules, source)
        return "rules", [self.rule_text(number) for number in rules]

    def check_numbers(self, rules: Sequence[int], source: str) -> None:
        """Refuse numbers of rules that the grammar has not (OptionError)."""
        if max(rules, default=0) >= len(self) or min(rules, default=0) < 0:
            raise OptionError(
                f"the example uses rule {max(rules)}, but the grammar has only {len(self)}",
                where=source,
                hint="name the grammar that the example was made with",
            )

    @property
    def pcfg(self) -> Any:
        """The PCFG whose derivations are those of this grammar; None if there is none."""
        return None

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self is other or _equal(self.codec.content(self), self.codec.content(other))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(start {self.start}: {len(self):,} rules)"

    def _repr_svg_(self) -> str:
        return neighbourhood_svg(self.graph, self.start)


def _equal(one: Any, other: Any) -> bool:
    """Compare values that may hold arrays."""
    if type(one) is not type(other):
        return bool(one == other)
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if is_dataclass(one) and type(one).__eq__ is object.__eq__:
        return all(_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return bool(one == other)

"""What parsing returns: trees, reasons for failure, posteriors and expected counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray
from grammar.foreign_names.attributes import Hints, attribute_hint, no_attribute
from grammar.pictures.base_labels import known_symbols
from grammar.rules.rules import Nonterminal, RuleTable
from grammar.trees.tree import NO_WORDS, Tree

__all__ = [
    "CoarseTree",
    "ExpectedCounts",
    "NoParse",
    "Parse",
    "Span",
    "SpanPosteriors",
    "tree_of_rules",
]

Sides = tuple[Nonterminal, tuple[Nonterminal | str, ...]]

_SHOWN = 60


_OF_OTHERS: Hints = {
    "parse.log_probability is its natural logarithm": (
        *("logprob", "prob", "score", "probability", "log_prob", "weight"),
    ),
    "parse.tree.{name} has it": (
        *("leaves", "label", "subtrees", "pos", "productions", "pretty_print", "height", "spans"),
    ),
}
"""What parses of other parsers have, and what gives it here."""


@dataclass(frozen=True, slots=True)
class Parse:
    """A tree of a sentence and the derivation behind it.

    Attributes
    ----------
    tree : Tree
        The tree; its labels are the grammar's symbols.
    log_probability : float
        Natural logarithm of the probability of the derivation.
    rules : tuple of int
        The derivation: rule numbers of the grammar in preorder. Numbers from ``len(grammar)`` on
        are given tags of words that the grammar does not have with them: ``len(grammar) + symbol``.
    exact : bool
        False if pruning may have lost what was asked for.
    """

    tree: Tree
    log_probability: float
    rules: tuple[int, ...] = field(repr=False)
    exact: bool = True

    if not TYPE_CHECKING:  # of a type checker, what is not there is an error

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name, attribute_hint(name, _OF_OTHERS))


@dataclass(frozen=True, slots=True)
class NoParse:
    """Why a sentence has no parse. It is false where a :class:`Parse` is true.

    Attributes
    ----------
    sentence : tuple of str
        The words.
    reason : str
        For people.
    refused : bool
        Whether the sentence was not tried, because its chart would take too much memory.
    unknown : str, optional
        A word that the grammar lacks, if that is the reason.

    Examples
    --------
    >>> bool(NoParse(("colourless",), "the grammar lacks the word 'colourless'"))
    False
    """

    sentence: tuple[str, ...]
    reason: str
    refused: bool = False
    unknown: str | None = None

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        words = " ".join(self.sentence)
        shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN]}..."
        return f"no parse of {shown!r}: {self.reason}"


@dataclass(frozen=True, slots=True)
class CoarseTree(Tree):
    """A tree from a coarser search than the parser's own, which found nothing or took too much.

    Attributes
    ----------
    reason : str
        What was done instead, and why; for people.

    Examples
    --------
    >>> CoarseTree("TOP", ("yes",), "its words stand alone").leaves()
    ('yes',)
    """

    reason: str = field(default="", compare=False)


class Span(NamedTuple):
    """A label over the words ``start`` to ``end - 1``, with the probability that it is right."""

    label: str
    start: int
    end: int
    probability: float


@dataclass(frozen=True, eq=False)
class SpanPosteriors:
    """How probable each label is over each span, given the sentence.

    Iterating gives every :class:`Span` with a probability above zero, the most probable first.

    Attributes
    ----------
    sentence : tuple of str
        The words.
    names : tuple of str
        The grammar's nonterminals.
    start, end, label : int32 arrays
        One entry for each labelled span; labels are numbers in ``names``.
    probability : float64 array
        That a derivation of the sentence has a node with this label over this span.
    exact : bool
        False if derivations were lost by pruning.
    """

    sentence: tuple[str, ...]
    names: tuple[str, ...]
    start: IntArray
    end: IntArray
    label: IntArray
    probability: FloatArray
    exact: bool = True

    def __len__(self) -> int:
        return len(self.probability)

    def __iter__(self) -> Iterator[Span]:
        order = np.lexsort((self.label, self.end, self.start, -self.probability))
        return (
            Span(
                self.names[self.label[i]],
                int(self.start[i]),
                int(self.end[i]),
                float(self.probability[i]),
            )
            for i in order
        )

    def table(self, label: str) -> FloatArray:
        """Return the probabilities of one label, shape (n + 1, n + 1), by start and end.

        A label stands for all symbols that annotate it; their probabilities are summed, up to 1.

        Raises
        ------
        OptionError
            If the grammar has no such symbol.
        """
        names = known_symbols(label, self.names)
        chosen = np.isin(self.label, [self.names.index(name) for name in names])
        size = len(self.sentence) + 1
        table = np.zeros((size, size))
        np.add.at(table, (self.start[chosen], self.end[chosen]), self.probability[chosen])
        return np.minimum(table, 1.0)


@dataclass(frozen=True, eq=False)
class ExpectedCounts:
    """How often each rule is used in the derivations of some sentences, on average.

    Attributes
    ----------
    count : float64 array, shape (rules,)
        Expected uses, summed over the sentences, by rule number of the grammar.
    log_likelihood : float
        Sum of the log-probabilities of the sentences that have derivations.
    parsed : int
        How many sentences these are.
    failures : tuple of NoParse
        The others, in order.
    exact : bool
        False if derivations were lost by pruning.
    """

    count: FloatArray
    log_likelihood: float
    parsed: int
    failures: tuple[NoParse, ...]
    exact: bool = True


def tree_of_rules(table: RuleTable, rules: Sequence[int], words: Sequence[str]) -> Tree:
    """Return the tree of a derivation of these words, given as rule numbers in preorder.

    Numbers from ``len(table)`` on rewrite a symbol as whatever word stands there; a node without
    words is ``(NP (-NONE- *))``.
    """
    symbols = [Nonterminal(name) for name in table.nonterminals] if _free(table, rules) else []
    sides = [
        table.sides(rule) if rule < len(table) else (symbols[rule - len(table)], ("",))
        for rule in rules
    ]
    if symbols:
        sides = _with_words(sides, words)
    made: list[Tree] = []
    for lhs, rhs in reversed(sides):
        children = tuple(made.pop() if isinstance(c, Nonterminal) else c for c in rhs)
        made.append(Tree(lhs.name, children or (NO_WORDS,)))
    return made[0]


def _free(table: RuleTable, rules: Sequence[int]) -> bool:
    return any(rule >= len(table) for rule in rules)


def _with_words(sides: list[Sides], words: Sequence[str]) -> list[Sides]:
    """Put the words of a sentence into the rules of its derivation, left to right."""
    filled: list[Sides] = []
    following = iter(words)
    # what is still to be derived, the leftmost last; a word stands for the rule that has it
    waiting: list[Nonterminal | tuple[int, int]] = [sides[0][0]]
    given = iter(sides)
    while waiting:
        item = waiting.pop()
        if isinstance(item, Nonterminal):
            lhs, rhs = next(given)
            filled.append((lhs, rhs))
            here = len(filled) - 1
            waiting += [
                c if isinstance(c, Nonterminal) else (here, i)
                for i, c in reversed(list(enumerate(rhs)))
            ]
        else:
            here, i = item
            lhs, rhs = filled[here]
            filled[here] = (lhs, (*rhs[:i], next(following), *rhs[i + 1 :]))
    return filled

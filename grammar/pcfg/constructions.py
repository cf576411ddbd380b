"""A grammar conditioned on what its trees hold: patterns of TGrep2, decided by a tree automaton.

The product of a grammar and a bottom-up tree automaton has a symbol for each symbol of the grammar
and each state that its trees can be in. Regular tree languages condition a PCFG as regular
languages of words do (:mod:`grammar.pcfg.intersection`): dividing each rule by the inside sums of
what it leads to makes its weight the probability given the condition (Chi 1999).
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import EmptyLanguageError, OptionError
from grammar.pcfg.derivable import Derivable
from grammar.pcfg.elementary import LINK, ElementaryRule, ElementaryRules, LabelsOf
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.inside_sums import Term, inside_sums
from grammar.pcfg.operations import trim
from grammar.progress import checkpoint
from grammar.rules.rules import Nonterminal, Production
from grammar.search.automaton import NOTHING, Around, PatternAutomaton, Row
from grammar.trees.symbols import SymbolTable

__all__ = ["Holding", "holding"]

_MOST_STEPS = 3_000_000


class Holding(NamedTuple):
    """A grammar whose trees hold something.

    Attributes
    ----------
    grammar : Grammar
        Its derivations stand for those of the given grammar that hold what is wanted, with their
        probability given that. It is proper; rules have at most two children.
    mass : float
        The probability that a derivation of the given grammar holds it.
    rules : int64 array
        Which rule of the given grammar each rule stands for, -1 for links of long rules. A
        derivation in preorder, without the links, is one of the given grammar.
    """

    grammar: Grammar
    mass: float
    rules: LongArray


def holding(
    grammar: Derivable, patterns: Sequence[str], labels_of: LabelsOf = lambda name: (name,)
) -> Holding:
    """Condition a grammar on trees in which each of some patterns has a hit, exactly.

    Parameters
    ----------
    grammar : Derivable
        A PCFG, or what has one as its view; it need not be tight.
    patterns : sequence of str
        As :class:`~grammar.search.automaton.PatternAutomaton` reads them.
    labels_of : callable
        The labels of the nodes, one below the other, that nodes of a name stand for; none for
        what is no node, such as those that binarisation makes. By default names are labels.

    Raises
    ------
    PatternError
        If a text is no pattern, or asks for what a grammar cannot be asked for.
    EmptyLanguageError
        If no tree of the grammar holds it.
    OptionError
        If it takes too many steps.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> A S [0.5] | A [0.5] \\n A -> 'a' [0.75] | 'b' [0.25]")
    >>> round(holding(grammar, ["S < (A < b)"]).mass, 6)
    0.4

    Notes
    -----
    Time and rules grow with the rules of the grammar times the pairs of states of two children.
    A pattern of n relations has at most 2 ** n states; most symbols have two or three. A symbol
    that stands for several nodes is divided by what is beside them, too, as far as the pattern
    asks for it.
    """
    pcfg = grammar.pcfg
    product = _Product(ElementaryRules(grammar, labels_of), pcfg.start_id, patterns)
    if not product.tops:
        raise _nothing_left(pcfg, patterns)
    sums = inside_sums(product.terms())
    if not (sums > 0).all():
        raise EmptyLanguageError(
            "what is asked for is so improbable that its probability is no longer a number",
            hint="ask for less at the same time",
        )
    made, rules = _grammar(pcfg, product, sums)
    return Holding(made, float(sums[product.tops].sum()), rules)


class _Rule(NamedTuple):
    """A rule of the product: the rule it stands for, or a link; children below 0 are words."""

    rule: int
    weight: float
    children: tuple[int, ...]


class _Node(NamedTuple):
    """A symbol that stands for one node, and the state of that."""

    symbol: int
    state: int


class _Nodes(NamedTuple):
    """A symbol that stands for nodes side by side; its place, and what they are and show there."""

    symbol: int
    around: Around | None
    row: Row
    seen: int


_Key = _Node | _Nodes


class _Option(NamedTuple):
    """How an item of a rule can be: its row, what its parent sees of it, and its key or word."""

    row: Row
    seen: int
    keys: tuple[_Key | int, ...]


class _Task(NamedTuple):
    """A rule that is looked at, with what is around its left side if that is no node."""

    symbol: int
    rule: ElementaryRule
    around: Around | None


class _Product:
    """The useful symbols of the product, numbered, and the rules of each."""

    def __init__(self, elementary: ElementaryRules, start: int, patterns: Sequence[str]) -> None:
        self._elementary, self._steps = elementary, 0
        labels = elementary.labels
        known = [label for label in labels if label is not None]
        names = SymbolTable([*elementary.words, *known])
        self._label = [LINK if label is None else names.id(label) for label in labels]
        self._word = [names.id(word) for word in elementary.words]
        self._automaton = PatternAutomaton(patterns, list(names))
        self._rows = self._all_rows()
        # for each symbol that is a node its states, for others in each place rows and what is seen
        self._outcomes: dict[tuple[int, Around | None], dict[Any, None]] = {}
        self._users: dict[tuple[int, Around | None], dict[_Task, None]] = {}
        self._waiting: dict[_Task, None] = {}
        self._known(start, None)
        self._find_outcomes()
        self._numbers: dict[_Key, int] = {}
        self._keys: list[_Key] = []
        self.rules: list[list[_Rule]] = []
        self.tops = [
            self._number(key)
            for option in self._options(start, None, None)
            if self._automaton.holds(option.seen)
            for key in option.keys
            if not isinstance(key, int)
        ]
        for key in self._keys:  # which grows while rules are made
            self.rules.append(list(self._rules_of(key)))

    def terms(self) -> list[list[Term]]:
        """Return the rules of all symbols as terms of inside sums."""
        found = []
        for rules in self.rules:
            below = [(*(max(c, -1) for c in rule.children), -1, -1) for rule in rules]
            found.append(
                [Term(r.rule, r.weight, a, b) for r, (a, b, *_) in zip(rules, below, strict=True)]
            )
        return found

    def name(self, number: int) -> str:
        """Return a name that no other symbol of the product has."""
        return f"{self._elementary.name(self._keys[number].symbol)}^<{number}>"

    def _number(self, key: _Key) -> int:
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def _all_rows(self) -> list[dict[Row, None]]:
        """Return the rows of what each symbol can stand for; those of nodes have one."""
        rows: list[dict[Row, None]] = [
            {} if label < 0 else {self._automaton.row(label): None} for label in self._label
        ]
        inside = [symbol for symbol, label in enumerate(self._label) if label < 0]
        users: dict[int, list[int]] = {}
        for symbol in inside:
            for rule in self._elementary.rules[symbol]:
                for item in rule.items:
                    users.setdefault(item, []).append(symbol)
        waiting = dict.fromkeys(reversed(inside))  # links come behind what they link
        while waiting:
            symbol = next(iter(waiting))
            del waiting[symbol]
            before = len(rows[symbol])
            for rule in self._elementary.rules[symbol]:
                for each in itertools.product(*(self._rows_in(rows, i) for i in rule.items)):
                    rows[symbol][functools.reduce(self._automaton.joined, each)] = None
            if len(rows[symbol]) > before:
                waiting.update(dict.fromkeys(users.get(symbol, ())))
        return rows

    def _rows_in(self, rows: Sequence[Iterable[Row]], item: int) -> list[Row]:
        return [self._automaton.row(self._word[-1 - item])] if item < 0 else list(rows[item])

    def _known(self, symbol: int, around: Around | None) -> dict[Any, None]:
        """Return what is known of a symbol at a place, which is asked for from now on."""
        place = symbol, None if self._label[symbol] >= 0 else around
        if place not in self._outcomes:
            self._outcomes[place], self._users[place] = {}, {}
            for rule in self._elementary.rules[symbol]:
                self._waiting[_Task(symbol, rule, place[1])] = None
        return self._outcomes[place]

    def _find_outcomes(self) -> None:
        """Find, from the words upwards, how what symbols stand for can be."""
        while self._waiting:
            task = self._waiting.popitem()[0]
            known = self._known(task.symbol, task.around)
            before = len(known)
            for outcome, _ in self._found_by(task):
                known[outcome] = None
            if len(known) > before:
                self._waiting.update(self._users[task.symbol, task.around])

    def _found_by(self, task: _Task) -> Iterator[tuple[Any, tuple[_Key | int, ...]]]:
        """Yield what a rule makes of its left side, and the items of which it is made."""
        symbol, rule, around = task
        label = self._label[symbol]
        if rule.is_same_node:
            [child] = rule.items
            self._known(child, None)
            self._users[child, None][task] = None
            for state in list(self._outcomes[child, None]):
                yield state, (_Node(child, state),)
            return
        if label >= 0:
            around = Around(self._automaton.above(label), NOTHING, NOTHING)
        for option in self._all_options(rule.items, around, task):
            if label >= 0:
                yield self._automaton.state(label, option.seen), option.keys
            else:
                yield (option.row, self._automaton.reduced(option.seen)), option.keys

    def _all_options(
        self, items: tuple[int, ...], around: Around | None, task: _Task | None
    ) -> Iterator[_Option]:
        """Yield how the items of a rule can be."""
        if len(items) == 1:
            yield from self._options(items[0], around, task)
            return
        if around is None:
            return  # a tree has one root
        above, before, behind = around
        join, (first, second) = self._automaton.joined, items
        for left, right in itertools.product(
            self._rows_in(self._rows, first), self._rows_in(self._rows, second)
        ):
            ones = self._options(first, Around(above, before, join(right, behind)), task)
            one = [option for option in ones if option.row == left]
            others = self._options(second, Around(above, join(before, left), behind), task)
            other = [option for option in others if option.row == right]
            self._take(len(one) * len(other))
            for a, b in itertools.product(one, other):
                yield _Option(join(left, right), a.seen | b.seen, a.keys + b.keys)

    def _options(self, item: int, around: Around | None, task: _Task | None) -> Iterator[_Option]:
        """Yield how an item can be; the task hears of more."""
        automaton = self._automaton
        if item < 0:
            label = self._word[-1 - item]
            seen = automaton.seen(automaton.place(label, around), 0)
            is_drawn = item != self._elementary.nothing
            yield _Option(automaton.row(label), seen, (item,) if is_drawn else ())
            return
        label = self._label[item]
        known = list(self._known(item, around))
        if task is not None:
            self._users[item, None if label >= 0 else around][task] = None
        self._take(len(known))
        if label < 0:
            for row, seen in known:
                yield _Option(row, seen, (_Nodes(item, around, row, seen),))
            return
        place = automaton.place(label, around)
        for state in known:
            yield _Option(automaton.row(label), automaton.seen(place, state), (_Node(item, state),))

    def _rules_of(self, key: _Key) -> Iterator[_Rule]:
        around = key.around if isinstance(key, _Nodes) else None
        wanted = (key.row, key.seen) if isinstance(key, _Nodes) else key.state
        for rule in self._elementary.rules[key.symbol]:
            for outcome, keys in self._found_by(_Task(key.symbol, rule, around)):
                if outcome == wanted:
                    children = (k if isinstance(k, int) else self._number(k) for k in keys)
                    yield _Rule(rule.number, rule.weight, tuple(children))

    def _take(self, steps: int) -> None:
        """Count pairs that are looked at, and end where there are too many, or by a listener."""
        checkpoint()
        self._steps += steps
        if self._steps > _MOST_STEPS:
            raise OptionError(
                f"what is asked for takes more than {_MOST_STEPS:,} steps",
                hint="ask for less at the same time, or sample from a smaller grammar",
            )


def _grammar(grammar: Grammar, product: _Product, sums: FloatArray) -> tuple[Grammar, LongArray]:
    """Return the product with the weights that inside sums give it, and what rules stand for."""
    words = grammar.rules.words
    symbols = [Nonterminal(product.name(n)) for n in range(len(product.rules))]
    stands_for: dict[tuple[Nonterminal, tuple[Nonterminal | str, ...]], int] = {}
    made = []
    inside = sums.tolist()
    for lhs, rules, total in zip(symbols, product.rules, inside, strict=True):
        for rule, weight, children in rules:
            below = math.prod(inside[c] for c in children if c >= 0)
            rhs = tuple(symbols[c] if c >= 0 else words[-1 - c] for c in children)
            made.append(Production(lhs, rhs, float(weight * below / total)))
            stands_for[lhs, rhs] = rule
    tops = product.tops
    start = symbols[tops[0]]
    if len(tops) > 1:
        start, total = Nonterminal(f"{grammar.start}^<>"), sums[tops].sum()
        made += [Production(start, (symbols[top],), float(sums[top] / total)) for top in tops]
    whole = trim(Grammar.from_productions(made, start=start.name, normalise=True))
    stands = np.array([stands_for.get(sides, LINK) for sides in whole.rules], np.int64)
    return whole, stands


def _nothing_left(grammar: Grammar, patterns: Sequence[str]) -> EmptyLanguageError:
    return EmptyLanguageError(
        f"no tree of the grammar holds {' and '.join(patterns)}",
        where=f"start symbol {grammar.start}",
        hint="search the treebank of the grammar for it first; labels and words must be the same",
    )

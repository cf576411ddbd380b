"""A grammar conditioned on what its trees hold: patterns of TGrep2, decided by a tree automaton.

The product of a grammar and a bottom-up tree automaton has a symbol for each symbol of the grammar
and each state that its trees can be in. Regular tree languages condition a PCFG as regular
languages of words do (:mod:`grammar.pcfg.intersection`): dividing each rule by the inside sums of
what it leads to makes its weight the probability given the condition (Chi 1999).
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import EmptyLanguageError, OptionError
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.inside_sums import Term, inside_sums
from grammar.pcfg.operations import trim
from grammar.progress import checkpoint
from grammar.rules.rules import Nonterminal, Production
from grammar.search.automaton import PatternAutomaton, Place
from grammar.trees.symbols import SymbolTable
from grammar.trees.tree import NO_WORDS

__all__ = ["Holding", "holding"]

_MOST_STEPS = 3_000_000
_LINK = -1
"""In place of a rule: what only links the children of a long rule."""


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


def holding(grammar: Grammar, patterns: Sequence[str]) -> Holding:
    """Condition a grammar on trees in which each of some patterns has a hit, exactly.

    Parameters
    ----------
    grammar : Grammar
        Any PCFG; it need not be tight. Labels of trees are its symbols.
    patterns : sequence of str
        As :class:`~grammar.search.automaton.PatternAutomaton` reads them.

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
    A pattern of n relations has at most 2 ** n states; most symbols have two or three.
    """
    product = _Product(grammar, patterns)
    if not product.tops:
        raise _nothing_left(grammar, patterns)
    sums = inside_sums(product.terms())
    if not (sums > 0).all():
        raise EmptyLanguageError(
            "what is asked for is so improbable that its probability is no longer a number",
            hint="ask for less at the same time",
        )
    made, rules = _grammar(grammar, product, sums)
    return Holding(made, float(sums[product.tops].sum()), rules)


class _Rule(NamedTuple):
    """A rule of the product: the rule it stands for, or a link; children below 0 are words."""

    rule: int
    weight: float
    children: tuple[int, ...]


_Key = tuple[int, int, int]
"""A symbol, 0 and its state; or a link: -1 - rule, the first child it holds, what is seen."""


class _Product:
    """The useful symbols of the product, numbered, and the rules of each."""

    def __init__(self, grammar: Grammar, patterns: Sequence[str]) -> None:
        rules = grammar.rules
        bounds = rules.offsets.tolist()
        self._rhs = [rules.rhs[a:b].tolist() for a, b in itertools.pairwise(bounds)]
        self._lhs = rules.lhs.tolist()
        self._weight = grammar.weight.tolist()
        self._rules = [range(a, b) for a, b in itertools.pairwise(rules.starts.tolist())]
        self._automaton = _Labelled(grammar, patterns)
        self._steps = 0
        self._states: list[dict[int, None]] = [{} for _ in rules.nonterminals]
        self._find_states()
        self._numbers: dict[_Key, int] = {}
        self._keys: list[_Key] = []
        self.rules: list[list[_Rule]] = []
        self.tops = [
            self._number((grammar.start_id, 0, state))
            for state in self._states[grammar.start_id]
            if self._automaton.accepts(grammar.start_id, state)
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

    def name(self, number: int, grammar: Grammar) -> str:
        """Return a name that no other symbol of the product has."""
        symbol, first, _ = self._keys[number]
        text = grammar.rules.nonterminals[symbol] if symbol >= 0 else f"{-1 - symbol}.{first}"
        return f"{text}^<{number}>"

    def _number(self, key: _Key) -> int:
        number = self._numbers.setdefault(key, len(self._keys))
        if number == len(self._keys):
            self._keys.append(key)
        return number

    def _find_states(self) -> None:
        """Find, from the words upwards, the states that trees of each symbol can be in."""
        users: list[list[int]] = [[] for _ in self._states]
        for rule, children in enumerate(self._rhs):
            for child in {c for c in children if c >= 0}:
                users[child].append(rule)
        waiting = deque(rule for rule, weight in enumerate(self._weight) if weight > 0)
        is_waiting = set(waiting)
        while waiting:
            rule = waiting.popleft()
            is_waiting.discard(rule)
            states = self._states[self._lhs[rule]]
            before = len(states)
            for seen in self._seen_from(rule, 0):
                states[self._automaton.state(self._lhs[rule], seen)] = None
            if len(states) > before:
                fresh = [
                    user
                    for user in users[self._lhs[rule]]
                    if self._weight[user] > 0 and user not in is_waiting
                ]
                is_waiting.update(fresh)
                waiting.extend(fresh)

    def _seen_from(self, rule: int, first: int) -> list[int]:
        """Return what may be seen in the children of a rule from one of them on."""
        found = {self._automaton.without_children(self._lhs[rule])} if not self._rhs[rule] else {0}
        for place in range(len(self._rhs[rule]) - 1, first - 1, -1):
            options = {seen for _, seen in self._options(rule, place)}
            self._take(len(options) * len(found))
            found = {one | other for one in options for other in found}
        return sorted(found)

    def _options(self, rule: int, place: int) -> Iterator[tuple[int, int]]:
        """Yield the states of a child, and what its parent sees of it then."""
        child = self._rhs[rule][place]
        at = self._automaton.place(self._lhs[rule], tuple(self._rhs[rule]), place)
        for state in (0,) if child < 0 else self._states[child]:
            yield state, self._automaton.seen(at, state)

    def _rules_of(self, key: _Key) -> Iterator[_Rule]:
        symbol, first, wanted = key
        if symbol < 0:
            for children in self._children(-1 - symbol, first, wanted.__eq__):
                yield _Rule(_LINK, 1.0, children)
            return

        def leads(seen: int) -> bool:
            return self._automaton.state(symbol, seen) == wanted

        for rule in self._rules[symbol]:
            if self._weight[rule] > 0:
                for children in self._children(rule, 0, leads):
                    yield _Rule(rule, self._weight[rule], children)

    def _children(
        self, rule: int, first: int, leads: Callable[[int], bool]
    ) -> Iterator[tuple[int, ...]]:
        """Yield one or two children that hold those of a rule from one on.

        They are those of which what is seen leads to the state of their parent.
        """
        rhs = self._rhs[rule]
        left = len(rhs) - first
        if not left:
            if leads(self._automaton.without_children(self._lhs[rule])):
                yield ()
            return
        rest: list[tuple[int, int]] = [(0, 0)]
        if left == 2:
            rest = list(self._options(rule, first + 1))
        elif left > 2:
            rest = [(seen, seen) for seen in self._seen_from(rule, first + 1)]
        options = list(self._options(rule, first))
        self._take(len(options) * len(rest))
        for (state, one), (behind, other) in itertools.product(options, rest):
            if not leads(one | other):
                continue
            child = self._child(rhs[first], state)
            if left == 1:
                yield (child,)
            elif left == 2:
                yield child, self._child(rhs[first + 1], behind)
            else:
                yield child, self._number((-1 - rule, first + 1, behind))

    def _take(self, steps: int) -> None:
        """Count pairs that are looked at, and end where there are too many, or by a listener."""
        checkpoint()
        self._steps += steps
        if self._steps > _MOST_STEPS:
            raise OptionError(
                f"what is asked for takes more than {_MOST_STEPS:,} steps",
                hint="ask for less at the same time, or sample from a smaller grammar",
            )

    def _child(self, child: int, state: int) -> int:
        return child if child < 0 else self._number((child, 0, state))


class _Labelled:
    """The automaton, asked by symbols (0 and more) and words (-1 - number) of a grammar."""

    def __init__(self, grammar: Grammar, patterns: Sequence[str]) -> None:
        rules = grammar.rules
        nothing = NO_WORDS.label
        [trace] = NO_WORDS.leaves()
        names = SymbolTable([*rules.nonterminals, *rules.words, nothing, trace])
        self._symbol = [names.id(name) for name in rules.nonterminals]
        self._word = [names.id(name) for name in rules.words]
        self._automaton = PatternAutomaton(patterns, list(names))
        self._nothing, self._trace = names.id(nothing), names.id(trace)
        self._places: dict[tuple[int, tuple[int, ...]], list[Place]] = {}

    def place(self, lhs: int, rhs: tuple[int, ...], child: int) -> Place:
        if (lhs, rhs) not in self._places:
            labels = [self._symbol[c] if c >= 0 else self._word[-1 - c] for c in rhs]
            self._places[lhs, rhs] = self._automaton.places(self._symbol[lhs], labels)
        return self._places[lhs, rhs][child]

    def seen(self, place: Place, state: int) -> int:
        return self._automaton.seen(place, state)

    def without_children(self, lhs: int) -> int:
        """Return what a symbol sees that derives nothing: a trace stands there."""
        [trace] = self._automaton.places(self._nothing, [self._trace])
        state = self._automaton.state(self._nothing, self._automaton.seen(trace, 0))
        [nothing] = self._automaton.places(self._symbol[lhs], [self._nothing])
        return self._automaton.seen(nothing, state)

    def state(self, symbol: int, seen: int) -> int:
        return self._automaton.state(self._symbol[symbol], seen)

    def accepts(self, symbol: int, state: int) -> bool:
        return self._automaton.accepts(self._symbol[symbol], state)


def _grammar(grammar: Grammar, product: _Product, sums: FloatArray) -> tuple[Grammar, LongArray]:
    """Return the product with the weights that inside sums give it, and what rules stand for."""
    words = grammar.rules.words
    symbols = [Nonterminal(product.name(n, grammar)) for n in range(len(product.rules))]
    stands_for: dict[tuple[Nonterminal, tuple[Nonterminal | str, ...]], int] = {}
    made = []
    for lhs, rules, total in zip(symbols, product.rules, sums.tolist(), strict=True):
        for rule, weight, children in rules:
            below = np.prod([sums[c] for c in children if c >= 0])
            rhs = tuple(symbols[c] if c >= 0 else words[-1 - c] for c in children)
            made.append(Production(lhs, rhs, float(weight * below / total)))
            stands_for[lhs, rhs] = rule
    tops = product.tops
    start = symbols[tops[0]]
    if len(tops) > 1:
        start, total = Nonterminal(f"{grammar.start}^<>"), sums[tops].sum()
        made += [Production(start, (symbols[top],), float(sums[top] / total)) for top in tops]
    whole = trim(Grammar.from_productions(made, start=start.name, normalise=True))
    stands = np.array([stands_for.get(sides, _LINK) for sides in whole.rules], np.int64)
    return whole, stands


def _nothing_left(grammar: Grammar, patterns: Sequence[str]) -> EmptyLanguageError:
    return EmptyLanguageError(
        f"no tree of the grammar holds {' and '.join(patterns)}",
        where=f"start symbol {grammar.start}",
        hint="search the treebank of the grammar for it first; labels and words must be the same",
    )

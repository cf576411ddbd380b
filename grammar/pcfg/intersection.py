"""A grammar intersected with a finite automaton: exact conditioning on a regular language.

The symbols of the intersection are triples: a symbol of the grammar that takes the automaton
from one state to another (Bar-Hillel, Perles & Shamir 1961). Summing the weights of all that a
triple derives gives its inside sum; dividing every rule by the sums of what it leads to makes the
weights probabilities again, those of derivations *given* that the sentence is in the language
(Nederhof & Satta 2003; Chi 1999).

Only triples that some accepted derivation contains are built: first which pairs of states each
symbol connects (upwards), then what the start symbol needs of them (downwards).
"""

from __future__ import annotations

import difflib
import functools
import itertools
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray
from grammar.errors import EmptyLanguageError
from grammar.pcfg.automata import Automaton, pattern
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.inside_sums import Term, inside_sums
from grammar.pcfg.operations import binarise, trim
from grammar.rules.rules import Nonterminal, Production

__all__ = ["Intersection", "intersect"]


class Intersection(NamedTuple):
    """A grammar conditioned on a language, and how probable that language was.

    Attributes
    ----------
    grammar : Grammar
        Its derivations are those of the given grammar whose sentence the automaton accepts, with
        their probability given that it does. It is always proper, and tight (or critical, if the
        given one is).
    mass : float
        The probability that a derivation of the given grammar ends in such a sentence.
    """

    grammar: Grammar
    mass: float


def intersect(grammar: Grammar, automaton: Automaton | str) -> Intersection:
    """Condition a grammar on a regular language, exactly.

    Sampling from the result is sampling from the grammar and keeping only sentences of the
    language, without the waiting. It can be conditioned further: on a length, or by intersecting
    again.

    Parameters
    ----------
    grammar : Grammar
        Any PCFG; it need not be tight.
    automaton : Automaton or str
        See :mod:`grammar.pcfg.automata`; a text is read by its :func:`pattern`.

    Returns
    -------
    Intersection
        The grammar and the mass; the two can be unpacked. Symbols are named ``NP^<0-2>``, an NP
        that leads from state 0 to state 2, and rules of more than two children are binarised;
        sampled trees come without either.

    Raises
    ------
    EmptyLanguageError
        If the automaton accepts nothing, or no sentence of the grammar.

    Examples
    --------
    >>> from grammar.pcfg.automata import contains
    >>> grammar = Grammar.parse("S -> 'a' S [0.5] | 'b' S [0.25] | 'c' [0.25]")
    >>> conditioned, mass = intersect(grammar, contains("b"))
    >>> round(mass, 12)
    0.5
    >>> print(conditioned.to_text(), end="")
    S^<0-1> -> 'a' S^<0-1> [0.5]
    S^<0-1> -> 'b' S^<1-1> [0.5]
    S^<1-1> -> 'a' S^<1-1> [0.5]
    S^<1-1> -> 'b' S^<1-1> [0.25]
    S^<1-1> -> 'c' [0.25]

    Notes
    -----
    Time and the number of rules grow with the rules of the grammar times the states cubed, at
    worst; with far less where the automaton moves one way, as ``contains`` does. Inside sums are
    the least solution of polynomial equations, found by Newton's method, one strongly connected
    component after the other (Etessami & Yannakakis 2009). A grammar whose derivations end with
    probability one only just (spectral radius 1) gets them to about eight digits.
    """
    if isinstance(automaton, str):
        automaton = pattern(automaton)
    if automaton.is_empty:
        raise EmptyLanguageError(
            "the automaton accepts no sentence at all", hint="ask for less at the same time"
        )
    given = binarise(grammar)
    product = _Product(given, automaton)
    if not product.tops:
        raise _nothing_left(grammar, automaton)
    inside = inside_sums(product.terms)
    sums = inside[product.tops]
    if not (inside > 0).all():
        raise EmptyLanguageError(
            "what is asked for is so improbable that its probability is no longer a number",
            hint="ask for shorter or fewer words",
        )
    return Intersection(_grammar(given, product, inside), float(sums.sum()))


class _Product:
    """The useful triples (from, symbol, to), numbered, and the rules of each.

    Sets of states are bits of whole numbers: ``rows[child][p]`` is the set of states that a child
    leads to from state p.
    """

    def __init__(self, grammar: Grammar, automaton: Automaton) -> None:
        rules = grammar.rules
        bounds, rhs = rules.offsets.tolist(), rules.rhs.tolist()
        self._rhs = [rhs[a:b] for a, b in itertools.pairwise(bounds)]
        self._weight = grammar.weight.tolist()
        self._rules = [range(a, b) for a, b in itertools.pairwise(rules.starts.tolist())]
        self._rows = _rows(grammar, automaton, self._rhs)
        self._numbers: dict[tuple[int, int, int], int] = {}
        self.triples: list[tuple[int, int, int]] = []
        self.terms: list[list[Term]] = []
        reached = self._rows[grammar.start_id][0]
        accepted = [q for q in _states(reached) if automaton.accepting[q]]
        self.tops = [self._number(0, grammar.start_id, q) for q in accepted]
        for triple in self.triples:  # which grows while terms are made
            self.terms.append(list(self._terms_of(*triple)))

    def _number(self, begin: int, child: int, end: int) -> int:
        """Return the number of a triple, a new one if need be; -1 for a word."""
        if child < 0:
            return -1
        triple = (begin, child, end)
        number = self._numbers.setdefault(triple, len(self.triples))
        if number == len(self.triples):
            self.triples.append(triple)
        return number

    def _terms_of(self, begin: int, symbol: int, end: int) -> Iterator[Term]:
        for rule in self._rules[symbol]:
            weight, rhs = self._weight[rule], self._rhs[rule]
            if weight == 0.0:
                continue
            if len(rhs) == 2:
                for middle in _states(self._rows[rhs[0]][begin]):
                    if self._rows[rhs[1]][middle] >> end & 1:
                        first = self._number(begin, rhs[0], middle)
                        yield Term(rule, weight, first, self._number(middle, rhs[1], end))
            elif len(rhs) == 1:
                if self._rows[rhs[0]][begin] >> end & 1:
                    yield Term(rule, weight, self._number(begin, rhs[0], end), -1)
            elif begin == end:
                yield Term(rule, weight, -1, -1)


def _rows(grammar: Grammar, automaton: Automaton, rhs: list[list[int]]) -> dict[int, list[int]]:
    """Return the states that each symbol and word (-1 - id) leads to from every state."""
    alive = automaton.alive.tolist()
    states = range(len(automaton))
    rows = {child: [0 for _ in states] for child in range(len(grammar.rules.nonterminals))}
    for number, word in enumerate(grammar.rules.words):
        after = [automaton.step(state, word) for state in states]
        rows[-1 - number] = [(1 << q) * (alive[p] and alive[q]) for p, q in enumerate(after)]
    users = defaultdict(list)
    for rule, children in enumerate(rhs):
        for child in {c for c in children if c >= 0}:
            users[child].append(rule)
    lhs = grammar.rules.lhs.tolist()
    waiting = deque(np.flatnonzero(grammar.weight > 0).tolist())
    is_waiting = grammar.weight > 0
    while waiting:
        rule = waiting.popleft()
        is_waiting[rule] = False
        row, changed = rows[lhs[rule]], False
        for state in states:
            if alive[state]:
                ends = 1 << state
                for child in rhs[rule]:
                    ends = functools.reduce(int.__or__, (rows[child][q] for q in _states(ends)), 0)
                changed |= ends & ~row[state] != 0
                row[state] |= ends
        if changed:
            fresh = [r for r in users[lhs[rule]] if grammar.weight[r] > 0 and not is_waiting[r]]
            is_waiting[fresh] = True
            waiting.extend(fresh)
    return rows


def _states(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _grammar(grammar: Grammar, product: _Product, inside: FloatArray) -> Grammar:
    """Return the rules of all triples, with the weights that the inside sums make of theirs."""
    names = grammar.rules.nonterminals
    symbols = [Nonterminal(f"{names[a]}^<{p}-{q}>") for p, a, q in product.triples]
    sums = np.append(inside, 1.0)

    def productions(lhs: Nonterminal, triple: int, total: float) -> Iterator[Production]:
        for term in product.terms[triple]:
            children = iter(symbols[child] for child in (term.first, term.second) if child >= 0)
            _, rhs = grammar.rules.sides(term.rule)
            weight = term.weight * sums[term.first] * sums[term.second] / total
            filled = tuple(next(children) if isinstance(c, Nonterminal) else c for c in rhs)
            yield Production(lhs, filled, weight)

    tops = product.tops
    start = symbols[tops[0]] if len(tops) == 1 else Nonterminal(f"{grammar.start}^<0>")
    made = [p for n, symbol in enumerate(symbols) for p in productions(symbol, n, inside[n])]
    if len(tops) > 1:
        made += [p for top in tops for p in productions(start, top, inside[tops].sum())]
    return trim(Grammar.from_productions(made, start=start.name, normalise=True))


def _nothing_left(grammar: Grammar, automaton: Automaton) -> EmptyLanguageError:
    unknown = sorted(set(automaton.words) - set(grammar.rules.words))
    hint = "ask for less at the same time"
    if unknown:
        near = difflib.get_close_matches(unknown[0], grammar.rules.words, 3)
        hint = f"the grammar has no word {unknown[0]!r}" + (
            f"; near it are {', '.join(map(repr, near))}" if near else ""
        )
    return EmptyLanguageError(
        "no sentence of the grammar is in the language of the automaton",
        where=f"start symbol {grammar.start}",
        hint=hint,
    )

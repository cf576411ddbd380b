"""Derivations of a PCFG under conditions: words, constructions, a length band.

Nothing is rejected. The grammar is intersected with the automata of the conditions, lengths are
conditioned on by tables, and the derivations drawn are turned back into those of the grammar
given, so that rule numbers and log-probabilities are those of the grammar that one can look at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import reduce
from operator import and_

import numpy as np

from grammar.arrays import IntArray, LongArray
from grammar.errors import EmptyLanguageError, OptionError
from grammar.pcfg.automata import Automaton, avoids, contains
from grammar.pcfg.constructions import Holding
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.intersection import intersect
from grammar.pcfg.operations import binarise
from grammar.rules.rules import Nonterminal
from grammar.sampling_kernels.ancestral import AncestralSampler, Derivations
from grammar.sampling_kernels.coverage import CoverageSampler, expected_uses
from grammar.sampling_kernels.lengths import LengthSampler
from sampling.sentences.class_grammars import classes_of_rules, with_class_shares

__all__ = ["ConditionedDraws", "chosen_derivations", "original_rules", "word_condition"]

Symbol = Nonterminal | str

_STATES = re.compile(r"\^<\d+-\d+>$")


def word_condition(wanted: str | None, unwanted: str | None) -> Automaton | None:
    """Return the automaton of sentences with all wanted and no unwanted words; None for any.

    >>> word_condition("a b", "c").accepts(["b", "a"])
    True
    """
    kinds = [contains(word) for word in (wanted or "").split()]
    kinds += [avoids(word) for word in (unwanted or "").split()]
    return reduce(and_, kinds) if kinds else None


class ConditionedDraws:
    """Draws derivations of a PCFG given a regular language and a length band.

    Parameters
    ----------
    grammar : Grammar
        Its weights are those drawn with.
    automaton : Automaton, optional
        The language.
    length : (int, int), optional
        The band. Without it the grammar must be tight.
    shares : mapping of int to float, optional
        For joint grammars (:mod:`sampling.sentences.class_grammars`): how probable each class is,
        given the language and the band.
    coverage : bool
        Draw derivations for rules that they must use. Needs a band.
    held : Holding, optional
        The grammar conditioned on what its trees hold.
    flat : bool
        Give all lengths of the band equal probability.

    Attributes
    ----------
    targets : int64 array
        With ``coverage``: the rules, of the grammar that is drawn from, that can be drawn for.
    words : tuple of str
        Those of the grammar drawn from.

    Raises
    ------
    EmptyLanguageError
        If no sentence, or none of some class, is left.
    LengthBandError, NotTightError
        As the samplers do.
    """

    def __init__(
        self,
        grammar: Grammar,
        automaton: Automaton | None,
        length: tuple[int, int] | None,
        *,
        shares: Mapping[int, float] | None = None,
        coverage: bool = False,
        held: Holding | None = None,
        flat: bool = False,
    ) -> None:
        self._grammar = grammar
        self._original: LongArray | None = None
        drawn = grammar
        if held is not None:
            drawn, self._original = held.grammar, held.rules
        if automaton is not None:
            whole, drawn = drawn, intersect(drawn, automaton).grammar
            self._original = _composed(original_rules(whole, drawn), self._original)
        if self._original is not None:
            place = {word: number for number, word in enumerate(grammar.rules.words)}
            self._words = np.array([place[word] for word in drawn.rules.words], np.int32)
        if shares is not None:
            drawn = _with_shares(drawn, length, shares)
        self.targets = np.zeros(0, np.int64)
        self._covering: CoverageSampler | None = None
        if coverage and length is not None:
            self._covering = CoverageSampler(drawn, *length)
            self.targets = self._covering.rules
        self.words = drawn.rules.words
        self._free: AncestralSampler | LengthSampler
        self._free = (
            AncestralSampler(drawn) if length is None else LengthSampler(drawn, *length, flat=flat)
        )

    def draw(self, key: np.uint64, first: int, count: int) -> Derivations:
        """Draw derivations by their probability, in the rules of the grammar drawn from."""
        return self._free.draw(key, first, count)

    def draw_for(self, key: np.uint64, numbers: LongArray, targets: LongArray) -> Derivations:
        """Draw one derivation for each target (see :class:`CoverageSampler`)."""
        if self._covering is None:
            raise OptionError("there are no rules to draw for", hint="ask for coverage, and a band")
        return self._covering.draw(key, numbers, targets)

    def restored(self, draws: Derivations) -> Derivations:
        """Return derivations in the rules, words and weights of the grammar given."""
        words, rules, offsets = draws.words, draws.rules, draws.rule_offsets
        if self._original is not None:
            # chains of two children each, in preorder, less what only links them
            found = self._original[rules]
            offsets = np.concatenate(([0], np.cumsum(found >= 0)))[offsets]
            rules = found[found >= 0].astype(np.int32)
            words = self._words[words]
        log_weight = self._grammar.compiled.log_weight[rules]
        summed = np.add.reduceat(log_weight, offsets[:-1]) if len(draws) else np.zeros(0)
        return Derivations(words, draws.word_offsets, rules, offsets, summed)


def _composed(rules: LongArray, given: LongArray | None) -> LongArray:
    """Return what rules stand for that stand for rules which stand for others themselves."""
    return rules if given is None else np.where(rules >= 0, given[rules], -1)


def original_rules(grammar: Grammar, restricted: Grammar) -> LongArray:
    """Return which rule of a grammar each rule of its intersection with an automaton stands for.

    It is -1 for rules that only link others: those of parts of binarised rules, and of a start
    symbol above several. Without them a derivation, in preorder, is one of the grammar.
    """
    known = {sides: number for number, sides in enumerate(grammar.rules)}
    names = set(grammar.rules.nonterminals)
    rests = {p.lhs: p.rhs for p in binarise(grammar) if p.lhs.name not in names}

    def whole(children: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
        made: tuple[Symbol, ...] = ()
        while children and children[-1] in rests:
            made, children = made + children[:-1], rests[children[-1]]
        return made + children

    def bare(symbol: Symbol) -> Symbol:
        return symbol if isinstance(symbol, str) else Nonterminal(_STATES.sub("", symbol.name))

    found = np.full(len(restricted), -1, np.int64)
    for number, (lhs, rhs) in enumerate(restricted.rules):
        if _STATES.search(lhs.name) and bare(lhs) not in rests:
            found[number] = known[bare(lhs), whole(tuple(map(bare, rhs)))]  # type: ignore[index]
    return found


def _with_shares(
    grammar: Grammar, length: tuple[int, int] | None, shares: Mapping[int, float]
) -> Grammar:
    """Return a joint PCFG whose classes have these shares of its sentences in the band."""
    of = classes_of_rules(grammar)
    mass = grammar.weight if length is None else expected_uses(grammar, *length)
    wanted = {}
    for label, share in shares.items():
        mine = of == label
        if not mass[mine].sum() > 0:
            raise EmptyLanguageError(
                "no sentence of this class is left",
                where=f"label {label}",
                hint="leave the class out, or ask for other words or lengths",
            )
        wanted[label] = share * float(grammar.weight[mine].sum() / mass[mine].sum())
    total = sum(wanted.values())
    return with_class_shares(grammar, {label: w / total for label, w in wanted.items()})


def chosen_derivations(draws: Derivations, rows: LongArray) -> Derivations:
    """Return the derivations with these places, in the order asked for."""
    words, word_offsets = _rows(draws.words, draws.word_offsets, rows)
    rules, rule_offsets = _rows(draws.rules, draws.rule_offsets, rows)
    return Derivations(words, word_offsets, rules, rule_offsets, draws.log_probability[rows])


def _rows(values: IntArray, offsets: LongArray, rows: LongArray) -> tuple[IntArray, LongArray]:
    sizes = np.diff(offsets)[rows]
    bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    place = np.arange(bounds[-1]) + np.repeat(offsets[:-1][rows] - bounds[:-1], sizes)
    return values[place], bounds

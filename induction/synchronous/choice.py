"""Which rules are taken, and which types do their nonterminals get: layers, or fitted types?

Of two sets of rules the one with the shorter description is taken. The search counts the symbols of
rules alone. Rules that are as short, but of which pairs take more, are told apart by a second part:
the bits of every pair, with the probabilities of rules that EM fits to the pairs (Rissanen 1978,
*Modeling by shortest data description*), or with those that a grammar has.

Layers say what may stand where, with the order of application where nothing was seen. Fitted types
are taken in their place only where held-out recombinations of the training pairs speak for them:
where they parse more of these pairs right, by more than two standard errors. The errors are those
over distinct pairs: folds overlap, so they say less than their number. Rules that would have too
many layers get the best number of fitted types, by random shares of the pairs.

Before layers for sampling are made, rules are divided
(:mod:`induction.synchronous.division.rules`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import FloatArray
from grammar.chart.parses import NoParse
from grammar.synchronous.forest import Coder, PairForest, pair_forest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.division.rules import RuleCounts, divided_rules
from induction.synchronous.layers import layer_types
from induction.synchronous.pairs import TrainingPairs
from induction.synchronous.precedence import (
    always_later,
    children_in_order,
    found_orders,
    ordered_children,
    read_sources,
)
from induction.synchronous.search import SearchOptions, coded_rules, rule_size
from induction.synchronous.types import (
    Families,
    Fold,
    Forests,
    TypeModel,
    fit_types,
    held_out_folds,
    held_out_shares,
    pack_forests,
    typed_grammar,
    typed_size,
)
from induction.synchronous.unification import Coded, arity

__all__ = ["Size", "Typing", "choose_types", "description", "grammar_description"]

_TYPES = (1, 2, 3, 4, 5, 6)
_RESTARTS, _ROUNDS = 3, 80
_JUDGED = 100
_ERRORS = 2.0
"""Standard errors by which fitted types must be better."""
_REPEATS = 3
_MOST_TYPED = 60_000
"""Rules that types may make: layers and numbers of types that make more are not tried."""
_ALTERNATIVES = 7
"""Other orders of application for which a grammar is made, at most."""
_DESCRIBED = 500
"""Pairs that a description by a grammar counts, at most, evenly chosen; they stand for all."""


def description(rules: Sequence[Coded], pairs: Sequence[Coded], options: SearchOptions) -> float:
    """Return the size of rules and the bits of the pairs that they derive, together.

    A pair that they do not derive counts as a rule.
    """
    known = coded_rules(list(rules))
    forests = [(pair, pair_forest(known, *pair)) for pair in pairs]
    derived = [forest for _, forest in forests if forest.root >= 0]
    missing = [pair for pair, forest in forests if forest.root < 0]
    size = sum(rule_size(rule, options) for rule in [*rules, *missing])
    if not derived:
        return size
    alone = Families.of(range(len(rules)), [arity(rule[0]) for rule in rules])
    fitted = fit_types(pack_forests(derived, alone), alone, 1, seed=0)
    return size - fitted.log_likelihood / math.log(2)


class Size(NamedTuple):
    """The size of rules and of pairs that they do not derive, and the bits of the other pairs."""

    rules: float
    bits: float

    @property
    def whole(self) -> float:
        """Both together."""
        return self.rules + self.bits


def grammar_description(
    grammar: SynchronousGrammar, training: TrainingPairs, options: SearchOptions
) -> Size:
    """Return the size of the rules of a grammar, and the bits that pairs take by its weights.

    Rules that differ only by their types count once. A pair that is not derived counts as a rule.
    """
    coder = training.coder
    rules = {(coder.side(rule.source), coder.side(rule.target)) for rule in grammar.rules}
    parser = SynchronousParser(grammar)
    asked = training.pairs[:: 1 + len(training) // _DESCRIBED]
    bits = missing = 0.0
    for pair in asked:
        value = parser.pair_log_probability(*(training.words(side).split() for side in pair))
        if value > -math.inf:
            bits -= value / math.log(2)
        else:
            missing += rule_size(pair, options)
    share = len(training) / len(asked)
    return Size(sum(rule_size(r, options) for r in rules) + share * missing, share * bits)


class Typing(NamedTuple):
    """The grammars for parsing and for sampling, and how their types were chosen.

    ``held_out`` is the share of held-out pairs that the types chosen parse right, and
    ``scores`` the same by number of fitted types, if these were tried. ``alternatives`` are
    grammars for parsing by orders of application that explain the training pairs equally, if
    layers were chosen.
    """

    grammar: SynchronousGrammar
    core: SynchronousGrammar
    types: int
    held_out: float | None
    scores: dict[int, float]
    alternatives: tuple[SynchronousGrammar, ...] = ()


def choose_types(
    rules: list[Coded],
    families: Families,
    derived: Sequence[tuple[Coded, PairForest]],
    coder: Coder,
    *,
    types: int | None,
    seed: int,
    say: Callable[[str], Any],
) -> Typing:
    """Give the nonterminals of rules their types.

    Parameters
    ----------
    rules : list of (str, str)
        Coded rules of one type.
    families : Families
        Which of them share their types.
    derived : sequence of ((str, str), PairForest)
        The training pairs that they derive, with their forests.
    coder : Coder
        What the characters stand for.
    types : int or None
        Fit so many, or choose.
    seed : int
        Of EM and of what is held out.
    say : callable
        Told what was found.
    """
    shapes = [forest for _, forest in derived]
    forests = pack_forests(shapes, families)
    pairs = [pair for pair, _ in derived]
    readings = read_sources(coded_rules(rules), families, forests, pairs)
    written = [coder.rule(*rule) for rule in rules]
    orders = found_orders(readings, forests, families)
    later = always_later(orders.right, families)
    sources = [[str(word) for word in coder.symbols(source)] for source, _ in pairs]
    divided, *others = (
        divided_rules(
            RuleCounts(written, families, *children_in_order(order, forests, families)),
            shapes,
            sources,
            later,
        )
        for order in orders.best[: 1 + _ALTERNATIVES]
    )

    def layers(fitted: FloatArray) -> TypeModel:
        kept = forests._replace(pairs=fitted)
        return layer_types(families, *ordered_children(readings, kept, families))

    def fitted_types(number: int) -> Callable[[FloatArray], TypeModel]:
        return lambda fitted: fit_types(
            forests, families, number, seed=seed, fitted=fitted, restarts=_RESTARTS, rounds=_ROUNDS
        )

    held_out: float | None = None
    scores: dict[int, float] = {}
    if types is None:
        judged = [pairs[first] for first in forests.first.tolist()]
        trial = _Trial(written, families, judged, coder)
        fits = {0: layers, **{number: fitted_types(number) for number in _TYPES}}
        small = trial.small(fits, forests.pairs)
        types, held_out, scores = trial.best(small, _folds(forests, seed, recombined=0 in small))
        say(f"types: {types or 'layers'}, held out {held_out}, of fitted ones {scores}")
    core = divided.core(say)
    if types:
        model = fit_types(forests, families, types, seed=seed)
        grammar = typed_grammar(written, families, model)
        return Typing(grammar, core, model.types, held_out, scores)
    grammar, number = divided.parsing()
    alternatives = tuple(other.parsing()[0] for other in others)
    return Typing(grammar, core, number, held_out, scores, alternatives)


def _folds(forests: Forests, seed: int, *, recombined: bool) -> list[Fold]:
    """Hold out pairs: recombinations several times, or random shares once.

    Many rules, which have too many layers, are those of texts that people wrote. What is asked of
    them is like their pairs. Held-out recombinations are few of these, and odd ones.
    """
    if not recombined:
        return held_out_shares(forests, seed=seed)
    return [f for i in range(_REPEATS) for f in held_out_folds(forests, seed=seed, repeat=i)]


_Fit = Callable[[FloatArray], TypeModel]
"""Makes types, given how much each forest counts."""


@dataclass(frozen=True, eq=False)
class _Trial:
    """Tries types on held-out training pairs."""

    rules: Sequence[SynchronousRule]
    families: Families
    pairs: Sequence[Coded]
    coder: Coder

    def small(self, fits: Mapping[int, _Fit], pairs: FloatArray) -> dict[int, _Fit]:
        """Return those that make no more rules than may be tried, or one type if all make more."""
        found = {n: fit for n, fit in fits.items() if self._size(n, fit, pairs) <= _MOST_TYPED}
        return found or {1: fits[1]}

    def best(
        self, fits: Mapping[int, _Fit], folds: Sequence[Fold]
    ) -> tuple[int, float | None, dict[int, float]]:
        """Return the number of types, its score, and those of all fitted ones that were tried.

        Layers, which have the number 0 and come first, stay unless others are clearly better.
        """
        if not folds:
            return min(fits), None, {}
        exact: dict[int, FloatArray] = {}
        for number, fit in fits.items():
            exact[number] = self._exact(fit, folds)
            if number == 0 and exact[0].min() == 1.0:  # nothing is better
                return 0, 1.0, {}
        scores = {number: float(right.mean()) for number, right in exact.items()}
        best = max(scores, key=lambda number: (scores[number], -number))
        if 0 in exact:
            gain = exact[best] - exact[0]
            if gain.mean() <= _ERRORS * gain.std() / math.sqrt(len(gain)):
                best = 0
        return best, scores[best], {number: scores[number] for number in scores if number}

    def _size(self, number: int, fit: _Fit, pairs: FloatArray) -> int:
        """Return how many rules types may make: fitted ones leave nothing impossible."""
        if number:
            slots, kinds = self.families.slots, len(self.families.size)
            model = TypeModel(np.ones((slots, number)), np.ones((number, kinds)), 0.0)
        else:
            model = fit(pairs)
        return typed_size(self.rules, self.families, model)

    def _exact(self, fit: _Fit, folds: Iterable[Fold]) -> FloatArray:
        """Return by distinct pair how often it is parsed right, with types fitted to the rest."""
        right: dict[int, list[bool]] = defaultdict(list)
        for fold in folds:
            model = fit(fold.fitted)
            parser = SynchronousParser(typed_grammar(self.rules, self.families, model))
            # an even choice of not too many
            for i in fold.judged[:: 1 + len(fold.judged) // _JUDGED]:
                source, target = map(self._words, self.pairs[i])
                found = parser.translations(source)
                right[i].append(not isinstance(found, NoParse) and list(found[0].target) == target)
        return np.array([np.mean(right[i]) for i in sorted(right)])

    def _words(self, text: str) -> list[str]:
        return list(map(str, self.coder.symbols(text)))

"""Which rules are taken, and which types do their nonterminals get: layers, or fitted types?

Of two sets of rules the one with the shorter description is taken. The search counts the symbols of
rules alone. Rules that are as short, but of which pairs take more, are told apart by a second part:
the bits of every pair, with the probabilities of rules that EM fits to the pairs (Rissanen 1978,
*Modeling by shortest data description*), or with those that a grammar has.

Layers say what may stand where, with the order of application where nothing was seen. Fitted types
are taken in their place only where held-out recombinations of the training pairs speak for them:
where they parse more of these pairs right, by more than two standard errors. The errors are those
over distinct pairs: folds overlap, so they say less than their number.

A rule may stand for several: of *di chloride* and *di sodium*, one is an anion and the other a
cation, and nothing but the places of ``di NT_1`` says so. So before layers for sampling are made,
rules are divided (as nonterminals are split by Petrov et al. 2006, but by a test): where what
stands in two places of a rule, or where the rule stands and what is in it, falls into groups that
never meet, and chance does not explain it.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from grammar.arrays import FloatArray, LongArray
from grammar.chart.parses import NoParse
from grammar.rng import stream_key
from grammar.synchronous.forest import Coder, PairForest, pair_forest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.closure import divided
from induction.synchronous.layers import layer_types, layered_grammar
from induction.synchronous.pairs import TrainingPairs
from induction.synchronous.precedence import children_by_orders, ordered_children, read_sources
from induction.synchronous.search import SearchOptions, coded_rules, rule_size
from induction.synchronous.types import (
    Families,
    Fold,
    TypeModel,
    fit_types,
    held_out_folds,
    pack_forests,
    typed_grammar,
)
from induction.synchronous.unification import Coded, arity

__all__ = ["Size", "Typing", "choose_types", "description", "grammar_description"]

_TYPES = (1, 2, 3, 4, 5, 6)
_RESTARTS, _ROUNDS = 3, 80
_JUDGED = 100
_ERRORS = 2.0
"""Standard errors by which fitted types must be better."""
_REPEATS = 3
_ALTERNATIVES = 7
"""Other orders of application for which a grammar is made, at most."""
_DESCRIBED = 500
"""Pairs that a description by a grammar counts, at most, evenly chosen; they stand for all."""

_UNSEEN = 1e-3
"""Counted for what was not seen in a slot."""
_SHUFFLED = 1_000
"""Shuffles of what stands in two places, none of which may give as many groups."""
_MOST_ROWS = 2_000
"""That are shuffled: of more, an even choice."""
_MOST_EDGES = 400_000
"""Of forests: of more, no rules are divided."""
_ROOT = 0
_TOP = "top"


def description(rules: Sequence[Coded], pairs: Sequence[Coded], options: SearchOptions) -> float:
    """Return the size of rules and the bits of the pairs that they derive, together.

    A pair that they do not derive counts as a rule.
    """
    known = coded_rules(list(rules))
    forests = [(pair, pair_forest(known, *pair).pruned()) for pair in pairs]
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

    ``held_out`` is the share of held-out recombinations that the types chosen parse right, and
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
    forests = pack_forests([forest for _, forest in derived], families)
    pairs = [pair for pair, _ in derived]
    readings = read_sources(coded_rules(rules), families, forests, pairs)
    written = [coder.rule(*rule) for rule in rules]
    (seen, order), *others = itertools.islice(
        children_by_orders(readings, forests, families), 1 + _ALTERNATIVES
    )
    core = _divided_grammar(written, families, [forest for _, forest in derived], seen, order)

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
        folds = [f for i in range(_REPEATS) for f in held_out_folds(forests, seed=seed, repeat=i)]
        trial = _Trial(written, families, folds, judged, coder)
        types, held_out, scores = trial.best(layers, fitted_types)
        say(f"types: {types or 'layers'}, held out {held_out}, of fitted ones {scores}")
    if types:
        model = fit_types(forests, families, types, seed=seed)
    else:
        model = layer_types(families, seen, order)
    grammar = typed_grammar(written, families, model)
    models = (layer_types(families, *other) for other in others if not types)
    alternatives = tuple(typed_grammar(written, families, model) for model in models)
    return Typing(grammar, core, model.types, held_out, scores, alternatives)


_Fit = Callable[[FloatArray], TypeModel]
"""Makes types, given how much each forest counts."""


@dataclass(frozen=True, eq=False)
class _Trial:
    """Tries types on held-out recombinations of the training pairs."""

    rules: Sequence[SynchronousRule]
    families: Families
    folds: Sequence[Fold]
    pairs: Sequence[Coded]
    coder: Coder

    def best(
        self, layers: _Fit, fitted: Callable[[int], _Fit]
    ) -> tuple[int, float | None, dict[int, float]]:
        """Return the number of fitted types, 0 for layers, its score, and all that were tried."""
        if not self.folds:
            return 0, None, {}
        of_layers = self._exact(layers)
        if of_layers.min() == 1.0:  # nothing is better
            return 0, 1.0, {}
        tried = {number: self._exact(fitted(number)) for number in _TYPES}
        scores = {number: float(exact.mean()) for number, exact in tried.items()}
        number = max(scores, key=lambda number: (scores[number], -number))
        gain = tried[number] - of_layers
        if gain.mean() > _ERRORS * gain.std() / math.sqrt(len(gain)):
            return number, scores[number], scores
        return 0, float(of_layers.mean()), scores

    def _exact(self, fit: _Fit) -> FloatArray:
        """Return by distinct pair how often it is parsed right, with types fitted to the rest."""
        right: dict[int, list[bool]] = defaultdict(list)
        for fold in self.folds:
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


@dataclass(slots=True)
class _Use:
    """One use of a rule in the best derivation of a pair; a word is its own label.

    Uses with the same derivation below them have the same ``tree``, those in the same slot of the
    same derivation the same ``within``.
    """

    label: Hashable
    place: Hashable
    rule: int
    tree: int
    within: tuple[int, int]
    children: list[_Use]


def _divided_grammar(
    rules: Sequence[SynchronousRule],
    families: Families,
    forests: Sequence[PairForest],
    seen: FloatArray,
    prior: FloatArray,
) -> SynchronousGrammar:
    """Return the grammar whose types are the layers of slots of divided rules.

    ``seen`` and ``prior`` are those of :func:`induction.synchronous.layers.settled_children`.
    """
    if sum(len(forest.edges) for forest in forests) > _MOST_EDGES:
        return layered_grammar(rules, families, seen)
    counts = seen + _UNSEEN
    share = counts / counts.sum(axis=1, keepdims=True) * prior
    trees: dict[tuple[int, ...], int] = {}
    uses = [use for forest in forests for use in _read_uses(forest, families, share, trees)]
    if not _divide(uses):
        return layered_grammar(rules, families, seen)
    labels: dict[int, set[Hashable]] = defaultdict(set)
    for use in uses:
        labels[families.of_rule[use.rule]].add(use.label)
    copies: list[tuple[int, Hashable]] = []
    for number, family in enumerate(families.of_rule):
        own = sorted(labels[family], key=repr) if families.arity[family] else [_word(number)]
        copies += [(number, label) for label in own or [family]]
    return _layered_copies(rules, families, uses, copies)


def _layered_copies(
    rules: Sequence[SynchronousRule],
    families: Families,
    uses: Sequence[_Use],
    copies: Sequence[tuple[int, Hashable]],
) -> SynchronousGrammar:
    """Return the layered grammar of copies of rules, each with the label of its uses."""
    made = _families_of_copies(families, uses, copies)
    family_of = dict(zip(copies, made.of_rule, strict=True))
    seen = np.zeros((made.slots, len(made.size)))
    for use in uses:
        family = family_of[use.rule, use.label]
        if use.place == _TOP:
            seen[_ROOT, family] += 1.0
        first = int(made.first_slot[family])
        for slot, child in enumerate(use.children):
            seen[first + slot, family_of[child.rule, child.label]] += 1.0
    return layered_grammar([rules[rule] for rule, _ in copies], made, seen)


def _families_of_copies(
    families: Families, uses: Sequence[_Use], copies: Sequence[tuple[int, Hashable]]
) -> Families:
    """Divide families of words by the places of divided rules.

    A word that was seen in no place stands for itself alone in the pairs, so which places it has
    is unknown: it has all those of its family, and keeps the family together.
    """
    numbers: dict[Hashable, int] = {}
    places: dict[int, set[int]] = defaultdict(set)
    of_family: dict[int, set[int]] = defaultdict(set)
    for use in uses:
        for slot, child in enumerate(use.children):
            if not child.children:
                place = numbers.setdefault((use.label, slot), len(numbers))
                places[child.rule].add(place)
                of_family[families.of_rule[child.rule]].add(place)
    keys, slots = [], []
    for rule, label in copies:
        family = families.of_rule[rule]
        word = not families.arity[family]
        keys.append(("word", str(family)) if word else ("rule", repr(label)))
        slots.append(sorted(places[rule] or of_family[family]) if word else [0])
    arities = [int(families.arity[families.of_rule[rule]]) for rule, _ in copies]
    return Families.of(divided(keys, slots), arities)


def _word(rule: int) -> Hashable:
    return "word", rule


def _read_uses(
    forest: PairForest,
    families: Families,
    share: FloatArray,
    trees: dict[tuple[int, ...], int],
) -> list[_Use]:
    """Return the uses of rules in the best derivation of a pair, the last one that applies first.

    ``trees`` numbers derivations and is added to.
    """
    kind = [families.of_rule[edge.rule] for edge in forest.edges]
    of_node: dict[int, list[int]] = defaultdict(list)
    score: list[float] = []
    fillers: list[list[int]] = []
    tree: list[int] = []

    def best(slot: int, node: int) -> int:
        return max(of_node[node], key=lambda e: float(share[slot, kind[e]]) * score[e])

    for number, edge in enumerate(forest.edges):
        first = int(families.first_slot[kind[number]])
        filling = [best(first + slot, child) for slot, child in enumerate(edge.children)]
        value = 1.0 / float(families.size[kind[number]])
        for slot, filler in enumerate(filling):
            value *= float(share[first + slot, kind[filler]]) * score[filler]
        score.append(value)
        fillers.append(filling)
        tree.append(trees.setdefault((edge.rule, *(tree[f] for f in filling)), len(trees)))
        of_node[edge.node].append(number)

    def use(edge: int, place: Hashable, within: tuple[int, int]) -> _Use:
        rule = forest.edges[edge].rule
        label = kind[edge] if fillers[edge] else _word(rule)
        return _Use(label, place, rule, tree[edge], within, [])

    top = best(_ROOT, forest.root)
    if score[top] == 0.0:  # too improbable to be told from others
        return []
    uses, edges = [use(top, _TOP, (tree[top], -1))], [top]
    for made, at in zip(uses, edges, strict=False):  # both grow
        for slot, filler in enumerate(fillers[at]):
            made.children.append(use(filler, (kind[at], slot), (tree[at], slot)))
        uses += made.children
        edges += fillers[at]
    return uses


def _divide(uses: Sequence[_Use]) -> bool:
    """Give uses of one rule different labels where they never meet, until none is left."""
    changed = False
    while True:
        of_label: dict[Hashable, list[_Use]] = defaultdict(list)
        for use in uses:
            if use.children:
                of_label[use.label].append(use)
        found = [groups for alike in of_label.values() if (groups := _groups(alike))]
        if not found:
            return changed
        for use, group in itertools.chain.from_iterable(found):
            use.label = (use.label, group)
        for use in uses:
            for slot, child in enumerate(use.children):
                child.place = (use.label, slot)
        changed = True


def _groups(uses: Sequence[_Use]) -> list[tuple[_Use, int]]:
    """Return the groups of uses that two places tell apart; none if there are not two.

    What is said twice is evidence once: a phrase in the same slot of the same phrase, or what is
    within a phrase.
    """
    rows = [[use.place, *(child.label for child in use.children)] for use in uses]
    columns = [
        np.unique(list(map(repr, column)), return_inverse=True)[1]
        for column in zip(*rows, strict=True)
    ]
    for (i, one), (_, other) in itertools.combinations(enumerate(columns), 2):
        group = _components(one, other)
        if group.any():
            said = ((use.tree if i else use.within) for use in uses)
            once = set(zip(said, one.tolist(), other.tolist(), strict=True))
            if _unlikely(sorted((a, b) for _, a, b in once)):
                return list(zip(uses, group.tolist(), strict=True))
    return []


def _components(one: LongArray, other: LongArray) -> LongArray:
    """Number the groups of rows that are tied by equal values in either column."""
    first = int(one.max()) + 1
    size = first + int(other.max()) + 1
    ties = coo_array((np.ones(len(one)), (one, first + other)), shape=(size, size))
    _, group = connected_components(ties, directed=False)
    return np.unique(group[one], return_inverse=True)[1]


def _unlikely(rows: Sequence[tuple[int, int]]) -> bool:
    """Say whether no shuffle of what stands in the second place gives as many groups."""
    one, other = np.array(rows[:: 1 + len(rows) // _MOST_ROWS]).T
    groups = int(_components(one, other).max())
    draw = np.random.Generator(np.random.Philox(key=int(stream_key(0, "divided-rules"))))
    return groups > 0 and not any(
        _components(one, draw.permutation(other)).max() >= groups for _ in range(_SHUFFLED)
    )

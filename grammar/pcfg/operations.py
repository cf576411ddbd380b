"""Formal-language operations: each takes grammars and returns a new one with the same strings.

*The distribution over strings* of a grammar gives each string the summed probability of its
derivations. Every operation here keeps it exactly, up to rounding: where rules are dropped, split
or merged, the weights are worked out so that no string gains or loses. Two things need saying.

A grammar that is not tight gives its strings less than one together; that stays so. But a symbol
that a derivation can reach and that derives no sentence cannot stay in a grammar without useless
rules, so :func:`trim` (with which the others begin, where they must) then conditions on derivations
that end: all strings gain by the same factor. So does :func:`remove_empty` where a symbol either
is empty or never ends.

Symbols that an operation invents are named as binarisation names them (``VP|<NP-PP>``,
``S^<start>``), so that sampled trees lose them like other annotations. Counts are kept as long as
a rule stays what it was.

>>> from grammar import Grammar, operations
>>> grammar = operations.cnf(Grammar.parse("S -> 'a' S 'b' [1/2] | 'a' 'b' [1/2]"))
>>> max(len(rule.rhs) for rule in grammar.productions())
2
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import networkx as nx
import numpy as np

from grammar.arrays import BoolArray
from grammar.errors import OptionError, WeightError
from grammar.pcfg.analysis import productive, reachable, renormalised_weights
from grammar.pcfg.empty_rules import empty_chances
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production

__all__ = [
    "binarise",
    "cnf",
    "concatenate",
    "remove_empty",
    "remove_unary",
    "separate_words",
    "trim",
    "union",
]

ROOT = "TOP"
_MOST_OPTIONAL = 8
"""Rules with more children that may be empty are binarised first: they have 2^n variants."""

Symbol = Nonterminal | str


def trim(grammar: Grammar) -> Grammar:
    """Drop rules that no derivation of a sentence uses.

    Preserved: the probability of every derivation and string; unless a symbol that is reached
    derives no sentence: then the weights are conditioned on derivations that end (Chi 1999).

    Raises
    ------
    WeightError
        If no derivation from the start symbol ends.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'a' [0.5] | 'b' [0.25] | Loop [0.25] \\n Loop -> Loop [1]")
    >>> [str(production) for production in trim(grammar)]
    ["S -> 'a' [0.6666666666666666]", "S -> 'b' [0.3333333333333333]"]
    """
    fruitful = _fruitful_rules(grammar)
    if not fruitful[grammar.rules.lhs == grammar.start_id].any():
        raise WeightError(
            f"no derivation from {grammar.start} ends", hint="add rules that lead to words"
        )
    useful = reachable(grammar, fruitful.astype(np.float64))[grammar.rules.lhs]
    if (useful & fruitful).all():
        return grammar
    loses = bool((useful & ~fruitful & (grammar.weight > 0)).any())
    weights = renormalised_weights(grammar) if loses else grammar.weight
    kept = [
        replace(grammar.production(rule), weight=float(weights[rule]))
        for rule in np.flatnonzero(useful & fruitful).tolist()
    ]
    return Grammar.from_productions(kept, start=grammar.start, normalise=loses)


def binarise(grammar: Grammar) -> Grammar:
    """Split rules of more than two children into chains, to the right.

    Preserved: the probability of every derivation and string, also of grammars that are not
    tight. The symbol ``VP|<NP-PP>`` stands for the last children NP PP of a VP.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'a' S 'b' [0.5] | 'a' 'b' [0.5]")
    >>> [str(production) for production in binarise(grammar)]
    ["S -> 'a' {S|<S-b>} [0.5]", "S -> 'a' 'b' [0.5]", "{S|<S-b>} -> S 'b' [1.0]"]
    """
    taken = set(grammar.rules.nonterminals)
    rests: dict[tuple[Nonterminal, tuple[Symbol, ...]], Nonterminal] = {}
    made: list[Production] = []
    for production in grammar:
        link = production
        while len(link.rhs) > 2:
            rest = (production.lhs, link.rhs[1:])
            known = rest in rests
            if not known:
                children = "-".join(map(str, rest[1]))
                rests[rest] = _invent(f"{production.lhs}|<{children}>", taken)
            made.append(replace(link, rhs=(link.rhs[0], rests[rest])))
            if known:
                break
            link = Production(rests[rest], rest[1])
        else:
            made.append(link)
    return Grammar.from_productions(made, start=grammar.start)


def separate_words(grammar: Grammar) -> Grammar:
    """Give words that have siblings a symbol of their own: ``NP -> |<the> N``, ``|<the> -> 'the'``.

    Preserved: the probability of every derivation and string.
    """
    taken = set(grammar.rules.nonterminals)
    symbols: dict[str, Nonterminal] = {}

    def separated(child: Symbol) -> Nonterminal:
        if isinstance(child, Nonterminal):
            return child
        if child not in symbols:
            symbols[child] = _invent(f"|<{child}>", taken)
        return symbols[child]

    made = [replace(p, rhs=tuple(map(separated, p.rhs))) if len(p.rhs) > 1 else p for p in grammar]
    made += [Production(symbol, (word,)) for word, symbol in symbols.items()]
    return Grammar.from_productions(made, start=grammar.start)


def remove_empty(grammar: Grammar) -> Grammar:
    """Remove rules with an empty right-hand side (epsilon rules).

    Each symbol becomes what it is given that it is not empty, and every rule that uses it splits
    into one variant with and one without it. If the empty sentence has a probability it is the
    one empty rule of the start symbol, which then is on no right-hand side.

    Preserved: the probability of every string (trees change).

    Examples
    --------
    >>> grammar = Grammar.parse("S -> A 'b' A [1] \\n A -> 'a' [0.25] | [0.75]")
    >>> [str(production) for production in remove_empty(grammar).productions("S")]
    ["S -> 'b' [0.5625]", "S -> A 'b' [0.1875]", "S -> 'b' A [0.1875]", "S -> A 'b' A [0.0625]"]

    Notes
    -----
    With ``e`` the probability that a symbol is empty (a least fixed point), a variant has the
    weight ``w * prod(e of children left out) * prod(1 - e of those kept) / (1 - e of lhs)``.
    """
    grammar = trim(grammar)
    chances = empty_chances(grammar).tolist()
    empty = dict(zip(map(Nonterminal, grammar.rules.nonterminals), chances, strict=True))
    if not any(empty.values()):
        return grammar
    optional = (sum(_emptiness(child, empty) > 0 for child in p.rhs) for p in grammar)
    if max(optional) > _MOST_OPTIONAL:
        return remove_empty(binarise(grammar))
    made = [
        replace(p, rhs=rhs, weight=weight / (1.0 - empty[p.lhs]), count=p.count * (rhs == p.rhs))
        for p in grammar
        if empty[p.lhs] < 1.0
        for rhs, weight in _variants(p, empty)
    ]
    start = Nonterminal(grammar.start)
    if empty[start] > 0:
        start, made = _with_empty_start(grammar, made, empty[start])
    return trim(Grammar.from_productions(made, start=start.name, normalise=True))


def remove_unary(grammar: Grammar) -> Grammar:
    """Remove rules whose right-hand side is one symbol: ``VP -> V`` passes its weight on.

    Preserved: the probability of every string (trees lose the nodes in between).

    Examples
    --------
    >>> grammar = Grammar.parse("S -> S [0.5] | V [0.25] | 'no' [0.25] \\n V -> 'go' [1]")
    >>> [str(production) for production in remove_unary(grammar)]
    ["S -> 'go' [0.5]", "S -> 'no' [0.5]"]

    Notes
    -----
    With ``U`` the matrix of unary weights, ``(I - U)^-1`` sums over all chains between two
    symbols, cycles included; it multiplies the weights of the other rules (Stolcke 1995, 4.5.1).
    """
    grammar = trim(grammar)
    others: dict[Nonterminal, list[Production]] = defaultdict(list)
    unary: dict[tuple[Nonterminal, Nonterminal], float] = {}
    for p in grammar:
        if len(p.rhs) == 1 and isinstance(p.rhs[0], Nonterminal):
            unary[p.lhs, p.rhs[0]] = p.weight
        else:
            others[p.lhs].append(p)
    if not unary:
        return grammar
    chains = _chains(unary)
    made = [p for lhs, rules in others.items() if lhs not in chains for p in rules]
    made += [
        replace(p, lhs=upper, weight=p.weight * total, count=0)
        for upper, lowers in chains.items()
        for lower, total in lowers.items()
        for p in others[lower]
    ]
    return trim(Grammar.from_productions(made, start=grammar.start, normalise=True))


def cnf(grammar: Grammar) -> Grammar:
    """Return the grammar in Chomsky normal form: ``A -> B C``, ``A -> 'word'``.

    Only the start symbol may have an empty rule, and then it is on no right-hand side.

    Preserved: the probability of every string, also of grammars that are not tight.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'a' S 'b' [0.5] | [0.5]")
    >>> for production in cnf(grammar).productions():
    ...     print(production)
    S^<start> -> [0.5]
    S^<start> -> {|<a>} {S|<S-b>} [0.5]
    S -> {|<a>} {S|<S-b>} [1.0]
    {S|<S-b>} -> S {|<b>} [0.5]
    {S|<S-b>} -> 'b' [0.5]
    {|<a>} -> 'a' [1.0]
    {|<b>} -> 'b' [1.0]
    """
    return remove_unary(remove_empty(separate_words(binarise(trim(grammar)))))


def union(*grammars: Grammar, shares: Sequence[float] | None = None, start: str = ROOT) -> Grammar:
    """Return the mixture of grammars: a sentence of one of them, chosen at random.

    Preserved: ``p(string) = sum(share * p_i(string))``.

    Parameters
    ----------
    *grammars : Grammar
        At least one. Symbols of a later one that an earlier one uses too are renamed.
    shares : sequence of float, optional
        How often each is chosen, summing to one; equal shares by default.
    start : str
        Name of the new start symbol.

    Raises
    ------
    OptionError
        If there is no grammar, or the shares do not fit.

    Examples
    --------
    >>> yes, no = Grammar.parse("S -> 'yes' [1]"), Grammar.parse("S -> 'no' [1]")
    >>> [str(production) for production in union(yes, no, shares=[0.75, 0.25])]
    ["S -> 'yes' [1.0]", "S^<2> -> 'no' [1.0]", 'TOP -> S [0.75]', 'TOP -> S^<2> [0.25]']
    """
    given = [1.0 / max(len(grammars), 1)] * len(grammars) if shares is None else list(shares)
    fair = len(given) == len(grammars) and all(share >= 0 for share in given)
    if not fair or abs(sum(given) - 1.0) > 1e-6:
        raise OptionError(
            f"the shares {given} do not fit {len(grammars)} grammars",
            hint="give one number >= 0 for each, together one",
        )

    def mixture(top: Nonterminal, tops: list[Nonterminal]) -> list[Production]:
        return [Production(top, (t,), share) for t, share in zip(tops, given, strict=True)]

    return _joined(grammars, start, mixture)


def concatenate(*grammars: Grammar, start: str = ROOT) -> Grammar:
    """Return the grammar of a sentence of the first, followed by one of the second, and so on.

    Preserved: ``p(string) = sum(p_1(a) * p_2(b))`` over its splits into a and b.

    Parameters
    ----------
    *grammars : Grammar
        At least one. Symbols of a later one that an earlier one uses too are renamed.
    start : str
        Name of the new start symbol.

    Raises
    ------
    OptionError
        If there is no grammar.

    Examples
    --------
    >>> yes, no = Grammar.parse("S -> 'yes' [1]"), Grammar.parse("S -> 'no' [1]")
    >>> [str(production) for production in concatenate(yes, no).productions("TOP")]
    ['TOP -> S S^<2> [1.0]']
    """
    return _joined(grammars, start, lambda top, tops: [Production(top, tuple(tops))])


def _joined(
    grammars: Sequence[Grammar],
    start: str,
    rules: Callable[[Nonterminal, list[Nonterminal]], list[Production]],
) -> Grammar:
    """Return all rules of all grammars, with symbols apart, under rules for a new start symbol."""
    if not grammars:
        raise OptionError("there are no grammars to join", hint="give at least one")
    taken = {start}
    made: list[Production] = []
    tops: list[Nonterminal] = []
    for number, grammar in enumerate(grammars, start=1):
        own = grammar.rules.nonterminals
        clashing = taken.intersection(own)
        taken.update(own)
        names = {
            Nonterminal(old): _invent(f"{old}^<{number}>", taken)
            if old in clashing
            else Nonterminal(old)
            for old in own
        }
        tops.append(names[Nonterminal(grammar.start)])
        made += (_renamed(production, names) for production in grammar)
    return Grammar.from_productions([*rules(Nonterminal(start), tops), *made], start=start)


def _renamed(production: Production, names: dict[Nonterminal, Nonterminal]) -> Production:
    rhs = tuple(names[c] if isinstance(c, Nonterminal) else c for c in production.rhs)
    return replace(production, lhs=names[production.lhs], rhs=rhs)


def _invent(name: str, taken: set[str]) -> Nonterminal:
    """Return a symbol of this name, or one like it that is not taken, and take it."""
    while name in taken:
        name += "'"
    taken.add(name)
    return Nonterminal(name)


def _fruitful_rules(grammar: Grammar) -> BoolArray:
    """Return which rules have a weight and can end, shape (rules,)."""
    rules = grammar.rules
    fertile = productive(grammar)
    rule = np.repeat(np.arange(len(rules)), np.diff(rules.offsets))
    barren = (rules.rhs >= 0) & ~fertile[np.maximum(rules.rhs, 0)]
    fruitful: BoolArray = grammar.weight > 0
    fruitful[rule[barren]] = False
    return fruitful


def _with_empty_start(
    grammar: Grammar, made: list[Production], empty: float
) -> tuple[Nonterminal, list[Production]]:
    """Return a start symbol that may be empty, and the rules with its own."""
    start = Nonterminal(grammar.start)
    if any(start in production.rhs for production in made):
        top = _invent(f"{start}^<start>", set(grammar.rules.nonterminals))
        others = made
    else:
        top, others = start, [p for p in made if p.lhs != start]
    full = [replace(p, lhs=top, weight=p.weight * (1.0 - empty)) for p in made if p.lhs == start]
    return top, [Production(top, (), empty), *full, *others]


def _variants(
    production: Production, empty: Mapping[Nonterminal, float]
) -> Iterator[tuple[tuple[Symbol, ...], float]]:
    """Yield each right-hand side that is left when children are empty, with its weight."""
    choices = []
    for child in production.rhs:
        chance = _emptiness(child, empty)
        both: list[tuple[tuple[Symbol, ...], float]] = [((), chance), ((child,), 1.0 - chance)]
        choices.append([choice for choice in both if choice[1] > 0])
    for chosen in itertools.product(*choices):
        rhs = tuple(child for part, _ in chosen for child in part)
        if rhs:
            yield rhs, production.weight * math.prod(weight for _, weight in chosen)


def _emptiness(child: Symbol, empty: Mapping[Nonterminal, float]) -> float:
    return empty[child] if isinstance(child, Nonterminal) else 0.0


def _chains(
    unary: dict[tuple[Nonterminal, Nonterminal], float],
) -> dict[Nonterminal, dict[Nonterminal, float]]:
    """Return, for every symbol with unary rules, the summed weight of its chains to others."""
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((upper, lower, w) for (upper, lower), w in unary.items())
    totals: dict[Nonterminal, dict[Nonterminal, float]] = {}
    for component in nx.weakly_connected_components(graph):
        members = sorted(component)
        place = {symbol: i for i, symbol in enumerate(members)}
        weights = nx.to_numpy_array(graph, members)
        closure = np.linalg.inv(np.eye(len(members)) - weights)
        for upper in members:
            if graph.out_degree(upper):
                lowers = sorted({upper} | nx.descendants(graph, upper))
                row = closure[place[upper]]
                totals[upper] = {lower: float(row[place[lower]]) for lower in lowers}
    return totals

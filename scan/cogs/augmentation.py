"""Pairs for COGS from a grammar that was induced from its training part.

Sentences of training are short and hardly nested, so pairs are drawn in two ways: by weight, up
to a number of words; and by depth, as many of each. A weighted draw of a given depth nests what
nests most easily. So that each kind of recursion also comes alone, it is drawn with the others
held down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from grammar.chart.parses import NoParse
from grammar.errors import OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import SynchronousRule
from sampling.sentences.pairs import sample_pairs

__all__ = ["Amounts", "agreement", "draw_pairs", "focused", "recursions", "tempered"]


@dataclass(frozen=True)
class Amounts:
    """How many pairs are drawn.

    Attributes
    ----------
    short : int
        Draws by weight, of sentences up to ``words`` words.
    words : int
        Their longest length.
    deep : int
        Draws of each depth, for the grammar as it is and for each recursion alone.
    depths : (int, int)
        Least and most levels of rules, both included.
    power : float
        Of the weights of the short ones. Below 1, what is rare in training is less so there.
    """

    short: int = 16_000
    words: int = 24
    deep: int = 400
    depths: tuple[int, int] = (4, 17)
    power: float = 1.0


def draw_pairs(
    grammar: SynchronousGrammar, *, seed: int = 0, amounts: Amounts | None = None
) -> list[tuple[str, str]]:
    """Draw pairs of source and target; equal ones are given once.

    Raises
    ------
    LengthBandError
        If the grammar has nothing as short, or as deep, as was asked for.
    """
    amounts = amounts or Amounts()
    levelled = tempered(grammar, amounts.power)
    drawn = sample_pairs(levelled, amounts.short, seed=seed, source_length=(1, amounts.words))
    pairs = dict(zip(drawn.column("text"), drawn.column("target"), strict=True))
    low, high = amounts.depths
    grammars = [grammar, *(focused(grammar, each) for each in recursions(grammar))]
    for number, each in enumerate(grammars):
        for depth in range(low, high + 1):
            drawn = sample_pairs(
                each,
                amounts.deep,
                seed=seed,
                start=(100 * number + depth) * amounts.deep,
                depth=(depth, depth),
            )
            pairs.update(zip(drawn.column("text"), drawn.column("target"), strict=True))
    return list(pairs.items())


def recursions(grammar: SynchronousGrammar) -> list[tuple[str, ...]]:
    """Return the ways in which types come back to themselves, the shortest first.

    Examples
    --------
    >>> grammar = SynchronousGrammar.parse('''
    ...     S -> N_1 ### N_1 [1]
    ...     N -> a R_1 ### R_1 [0.3]
    ...     N -> b N_1 ### N_1 [0.3]
    ...     N -> c ### c [0.4]
    ...     R -> N_1 d ### N_1 [1]
    ...     %start S
    ... ''')
    >>> recursions(grammar)
    [('N',), ('N', 'R')]
    """
    order = {name: n for n, name in enumerate(grammar.types)}
    below = nx.DiGraph((rule.lhs, symbol) for rule, _, _ in grammar for symbol in _below(rule))
    cycles = (tuple(cycle) for cycle in nx.simple_cycles(below))
    turned = (
        c[k:] + c[:k] for c in cycles for k in [min(range(len(c)), key=lambda i: order[c[i]])]
    )
    return sorted(turned, key=lambda cycle: (len(cycle), [order[name] for name in cycle]))


def focused(
    grammar: SynchronousGrammar, recursion: tuple[str, ...], *, scale: float = 0.02
) -> SynchronousGrammar:
    """Return the grammar with the rules of all recursions but one scaled down.

    Raises
    ------
    OptionError
        If the grammar has no such recursion.

    Examples
    --------
    >>> grammar = SynchronousGrammar.parse('''
    ...     A -> a A_1 ### x A_1 [0.5]
    ...     A -> B_1 ### B_1 [0.5]
    ...     B -> b B_1 ### y B_1 [0.5]
    ...     B -> b ### y [0.5]
    ...     %start A
    ... ''')
    >>> print(focused(grammar, ("B",), scale=0.25))
    %start A
    A -> B_1 ### B_1 [0.8]
    A -> a A_1 ### x A_1 [0.2]
    B -> b B_1 ### y B_1 [0.5]
    B -> b ### y [0.5]
    """
    known = recursions(grammar)
    if recursion not in known:
        raise OptionError(
            f"there is no recursion {' '.join(recursion)!r}",
            hint=f"choose from {'; '.join(' '.join(cycle) for cycle in known)}",
        )
    others = {step for cycle in known for step in _steps(cycle)} - set(_steps(recursion))
    rules = []
    for rule, weight, count in grammar:
        held_down = sum((rule.lhs, symbol) in others for symbol in _below(rule))
        rules.append((rule, weight * scale**held_down, count))
    return SynchronousGrammar.from_rules(rules, start=grammar.start, normalise=True)


def _below(rule: SynchronousRule) -> set[str]:
    return {slot.symbol for slot in rule.slots}


def _steps(cycle: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    return zip(cycle, (*cycle[1:], cycle[0]), strict=True)


def tempered(grammar: SynchronousGrammar, power: float) -> SynchronousGrammar:
    """Return the grammar with the weights to a power, normalised.

    Examples
    --------
    >>> print(tempered(SynchronousGrammar.parse("S -> a ### x [0.9] \\n S -> b ### y [0.1]"), 0.5))
    %start S
    S -> a ### x [0.75]
    S -> b ### y [0.25]
    """
    rules = [(rule, weight**power, count) for rule, weight, count in grammar]
    return SynchronousGrammar.from_rules(rules, start=grammar.start, normalise=True)


def agreement(grammar: SynchronousGrammar, pairs: list[tuple[str, str]]) -> float:
    """Return the share of pairs whose target is that of the best parse of the source.

    COGS has no interpreter; this says how often the grammar is of two minds.
    """
    parser = SynchronousParser(grammar)
    agreeing = 0
    for source, target in pairs:
        found = parser.translations(source.split())
        agreeing += not isinstance(found, NoParse) and " ".join(found[0].target) == target
    return agreeing / len(pairs)

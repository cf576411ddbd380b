"""Pairs for COGS from a grammar that was induced from its training part.

Sentences of training are short and hardly nested, so pairs are drawn in two ways: by weight, up
to a number of words; and by depth, as many of each. A weighted draw of a given depth nests what
nests most easily. So that each kind of recursion also comes alone, it is drawn with the others
held down.
"""

from __future__ import annotations

from dataclasses import dataclass

from grammar.chart.parses import NoParse
from grammar.errors import OptionError
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from sampling.sentences.pairs import sample_pairs

__all__ = ["Amounts", "agreement", "draw_pairs", "focused", "recursive_types"]


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
        Draws of each depth, for the grammar as it is and for each kind of recursion alone.
    depths : (int, int)
        Least and most levels of rules, both included.
    """

    short: int = 16_000
    words: int = 24
    deep: int = 400
    depths: tuple[int, int] = (4, 17)


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
    drawn = sample_pairs(grammar, amounts.short, seed=seed, source_length=(1, amounts.words))
    pairs = dict(zip(drawn.column("text"), drawn.column("target"), strict=True))
    low, high = amounts.depths
    grammars = [grammar, *(focused(grammar, name) for name in recursive_types(grammar))]
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


def recursive_types(grammar: SynchronousGrammar) -> list[str]:
    """Return the types that have a rule with themselves in a slot, in the grammar's order."""
    own = {
        rule.rule.lhs for rule in grammar if rule.rule.lhs in {s.symbol for s in rule.rule.slots}
    }
    return [name for name in grammar.types if name in own]


def focused(grammar: SynchronousGrammar, name: str, *, scale: float = 0.02) -> SynchronousGrammar:
    """Return the grammar with the recursive rules of all types but one scaled down.

    Raises
    ------
    OptionError
        If the type has no recursive rule.

    Examples
    --------
    >>> grammar = SynchronousGrammar.parse('''
    ...     A -> a A_1 ### x A_1 [0.5]
    ...     A -> B_1 ### B_1 [0.5]
    ...     B -> b B_1 ### y B_1 [0.5]
    ...     B -> b ### y [0.5]
    ...     %start A
    ... ''')
    >>> print(focused(grammar, "B", scale=0.25))
    %start A
    A -> B_1 ### B_1 [0.8]
    A -> a A_1 ### x A_1 [0.2]
    B -> b B_1 ### y B_1 [0.5]
    B -> b ### y [0.5]
    """
    known = recursive_types(grammar)
    if name not in known:
        raise OptionError(
            f"the type {name!r} has no recursive rule", hint=f"choose from {', '.join(known)}"
        )
    rules = []
    for rule, weight, count in grammar:
        is_recursive = rule.lhs in {slot.symbol for slot in rule.slots}
        held_down = is_recursive and rule.lhs != name
        rules.append((rule, weight * scale if held_down else weight, count))
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

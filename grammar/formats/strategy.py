"""Sentences of a grammar as a strategy of Hypothesis."""

from __future__ import annotations

import itertools
from typing import Any, get_args

import numpy as np

from grammar.errors import MissingDataError, NotTightError, OptionError
from grammar.formats.layout import Spacing
from grammar.formats.surfaces import grammar_of_texts
from grammar.options import whole_number
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.shortest import shortest_derivations

__all__ = ["strategy_of"]

_DIGIT = 256
_STEPS = _DIGIT**2
"""Weights are kept to this share."""


def strategy_of(grammar: Grammar, *, spacing: str = "words", max_rules: int = 200) -> Any:
    """Return a strategy (see :meth:`grammar.Grammar.strategy`)."""
    try:
        from hypothesis import strategies as st
    except ImportError:
        raise MissingDataError(
            "Hypothesis is not installed", hint="pip install hypothesis"
        ) from None
    whole_number("max_rules", max_rules, 1)
    if spacing not in get_args(Spacing):
        raise OptionError(
            f"unknown spacing {spacing!r}", hint=f"choose from {', '.join(get_args(Spacing))}"
        )
    if spacing != "characters":
        grammar = grammar_of_texts(grammar)
    choices = _choices(grammar)
    between = "" if spacing == "characters" else " "
    # two small numbers: of large ones Hypothesis prefers the smaller
    digit = st.sampled_from(range(_DIGIT))
    bounds, children = grammar.rules.offsets.tolist(), grammar.rules.rhs.tolist()
    words = grammar.rules.words

    @st.composite
    def sentences(draw: Any) -> str:
        waiting, found, used = [grammar.start_id], [], 0
        while waiting:
            symbol = waiting.pop()
            if symbol < 0:
                found.append(words[-1 - symbol])
                continue
            rules, limits = choices[symbol]
            used += 1
            # the shortest comes first, so that a draw that shrinks to 0 becomes it
            open_choice = len(rules) > 1 and used + len(waiting) <= max_rules
            place = (
                int(np.searchsorted(limits, draw(digit) * _DIGIT + draw(digit), "right"))
                if open_choice
                else 0
            )
            rule = rules[place]
            waiting += children[bounds[rule] : bounds[rule + 1]][::-1]
        return between.join(found)

    return sentences()


def _choices(grammar: Grammar) -> list[tuple[list[int], Any]]:
    """Return for each symbol its rules, the shortest first, and where the share of each ends."""
    shortest = shortest_derivations(grammar)
    if not np.isfinite(shortest.size[grammar.start_id]):
        raise NotTightError(
            f"no derivation from {grammar.start} ends", hint="add rules that lead to words"
        )
    starts = grammar.rules.starts.tolist()
    found = []
    for begin, end in itertools.pairwise(starts):
        ends = [r for r in range(begin, end) if np.isfinite(shortest.of_rule[r])]
        rules = sorted(ends, key=lambda r: (shortest.of_rule[r], -grammar.weight[r]))
        weight = grammar.weight[rules]
        limits = np.cumsum(weight) / max(weight.sum(), np.finfo(float).tiny) * _STEPS
        found.append((rules, np.floor(limits[:-1])))
    return found

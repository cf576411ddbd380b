"""How long is the description of pairs by rules: of the rules, and of the pairs given the rules?

The search counts the symbols of rules alone. Rules that are as short, but of which pairs take more,
are told apart by the second part: the bits of every pair, with the probabilities of rules that EM
fits to the pairs (Rissanen 1978, *Modeling by shortest data description*).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from grammar.synchronous.forest import pair_forest
from induction.synchronous.search import SearchOptions, coded_rules, rule_size
from induction.synchronous.types import Families, fit_types, pack_forests
from induction.synchronous.unification import Coded, arity

__all__ = ["description"]


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

"""Rules and a type model as one synchronous grammar with types."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import networkx as nx

from grammar.synchronous import SynchronousGrammar
from grammar.synchronous_rule import SynchronousRule
from induction.synchronous_typing import Families, TypeModel

__all__ = ["typed_grammar"]

ROOT = "ROOT"
Weighted = tuple[SynchronousRule, float, int]


def typed_grammar(
    rules: Sequence[SynchronousRule], families: Families, model: TypeModel
) -> SynchronousGrammar:
    """Fold theta and phi into weights of typed rules; exactly the same distribution.

    A rule of type t with slots of types t_1, t_2, ... has the weight
    ``phi(rule | t) theta(t_1 | slot 1) theta(t_2 | slot 2) ...``. The root's own distribution over
    types becomes the start symbol ROOT, unless it is one type. With one type all are NT.
    """
    names = ["NT"] if model.types == 1 else [f"T{t + 1}" for t in range(model.types)]
    root = model.theta[0]
    made: list[Weighted] = []
    for number, rule in enumerate(rules):
        family = families.of_rule[number]
        heads = [(names[t], float(model.phi[t, family])) for t in range(model.types)]
        if (root > 0).sum() > 1:
            heads.append((ROOT, float(root @ model.phi[:, family])))
        first = int(families.first_slot[family])
        below = [_choices(names, model, first + i) for i in range(rule.arity)]
        for (lhs, weight), *slots in itertools.product(heads, *below):
            for _, share in slots:
                weight *= share
            if weight > 0:
                made.append((rule.retyped(lhs, [name for name, _ in slots]),
                             weight / float(families.size[family]), 0))  # fmt: skip
    start = ROOT if (root > 0).sum() > 1 else names[int(root.argmax())]
    return SynchronousGrammar.from_rules(_reached(made, start), start=start, normalise=True)


def _choices(names: Sequence[str], model: TypeModel, slot: int) -> list[tuple[str, float]]:
    return [
        (name, float(share))
        for name, share in zip(names, model.theta[slot], strict=True)
        if share > 0
    ]


def _reached(rules: list[Weighted], start: str) -> list[Weighted]:
    """Leave out the types that no derivation from the start can use."""
    uses = nx.DiGraph((rule.lhs, slot.symbol) for rule, _, _ in rules for slot in rule.slots)
    uses.add_node(start)
    kept = nx.descendants(uses, start) | {start}
    return [item for item in rules if item[0].lhs in kept]

"""Examples that a grammar derived: their trees, and the picture of their derivation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from grammar.chart.parses import tree_of_rules
from grammar.errors import OptionError, located
from grammar.files import PathLike
from grammar.sampling_kernels.ancestral import Derivations
from grammar.synchronous.drawing import derivation_trees, draw_pair_derivation
from grammar.trees.draw import draw_tree
from grammar.trees.gallery import draw_derivation
from grammar.trees.tree import Tree
from sampling.sentences.sentences import sentence_trees

__all__ = ["draw_derived", "trees_of_example"]

_HINT = "name the grammar that the example was made with"


def trees_of_example(row: Mapping[str, Any], grammar: Any | None) -> dict[str, Tree]:
    """Return the trees of an example by name: its own, or those of its derivation.

    Raises
    ------
    OptionError
        If the rules of the example are no derivation of the grammar, or another example in it.
    """
    if row.get("tree"):
        return {"tree": Tree.parse(row["tree"])}
    rules = (row.get("provenance") or {}).get("rules")
    if not rules or grammar is None:
        return {}
    find = _TREES.get(grammar.family, _tree_of_sentence)
    return find(row, grammar, rules)


def _tree_of_sentence(
    row: Mapping[str, Any], grammar: Any, rules: Sequence[int]
) -> dict[str, Tree]:
    pcfg = grammar.pcfg
    if pcfg is None:
        return {}
    if not _derives(pcfg, rules):
        raise OptionError(
            "the rules of the example are no derivation of this grammar",
            where=f"id {row['id']}",
            hint=_HINT,
        )
    ends = np.array([0, len(rules)])
    no_words, log_probability = np.zeros(0, np.int32), np.zeros(1)
    numbers = np.array(rules, np.int32)
    derivation = Derivations(no_words, np.zeros(2, np.int64), numbers, ends, log_probability)
    return {"tree": sentence_trees(grammar, derivation)[0]}


def _derives(pcfg: Any, rules: Sequence[int]) -> bool:
    """Say whether the rules, in preorder, expand the start symbol and leave nothing open."""
    waiting = [pcfg.start]
    for number in rules:
        production = pcfg.production(number)
        if not waiting or waiting.pop() != production.lhs.name:
            return False
        waiting += [c.name for c in reversed(production.rhs) if not isinstance(c, str)]
    return not waiting


def _trees_of_pair(row: Mapping[str, Any], grammar: Any, rules: Sequence[int]) -> dict[str, Tree]:
    where = f"id {row['id']}"
    with located(where):
        source, target = derivation_trees(grammar, rules)
    words = (row["text"].split(), (row.get("target") or "").split())
    if (list(source.leaves()), list(target.leaves())) != words:
        raise OptionError(
            "the rules of the example are another pair in this grammar", where=where, hint=_HINT
        )
    return {"tree of the source": source, "tree of the target": target}


_TREES: Mapping[str, Callable[[Mapping[str, Any], Any, Sequence[int]], dict[str, Tree]]] = (
    MappingProxyType({"synchronous": _trees_of_pair})
)
"""How derivations of a family become trees, where they are not those of its PCFG."""


def draw_derived(
    tree: Tree | None, grammar: Any | None, rules: Sequence[int], path: PathLike, where: str
) -> None:
    """Draw a derivation as its family shows it, and the tree otherwise.

    Raises
    ------
    OptionError
        If there is no tree, or the suffix is neither ``.svg`` nor ``.png``.
    OutputError
        If the path cannot be written.
    """
    draw = _PICTURES.get(grammar.family) if grammar is not None and rules else None
    if draw is not None:
        draw(grammar, rules, path)
    elif tree is not None:
        draw_tree(tree, path)
    else:
        raise OptionError(
            "there is no tree to draw",
            where=where,
            hint="sample with trees (--trees), or name the grammar that the example was made with",
        )


def _draw_fragments(grammar: Any, rules: Sequence[int], path: PathLike) -> None:
    draw_derivation([grammar.fragments[n] for n in grammar.fragments_used(rules)], path)


def _draw_with_heads(grammar: Any, rules: Sequence[int], path: PathLike) -> None:
    draw_tree(tree_of_rules(grammar.pcfg.rules, rules, ()), path)


_PICTURES: Mapping[str, Callable[[Any, Sequence[int], PathLike], None]] = MappingProxyType(
    {"synchronous": draw_pair_derivation, "tsg": _draw_fragments, "lpcfg": _draw_with_heads}
)
"""How derivations of a family are drawn, where that shows more than the tree."""

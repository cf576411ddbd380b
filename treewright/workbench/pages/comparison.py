"""Comparison: how two of what is open differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sampling.comparison.comparison import Comparison, compare, sampled_trees
from sampling.comparison.sources import divided
from treewright.workbench.answers import Page, answered, picture
from treewright.workbench.opened import Opened, OpenTreebank
from treewright.workbench.parameters import Parameters

__all__ = ["comparison_page"]

_SAMPLES, _LARGEST_SEED = 1000, 2**31 - 1
_FEWEST, _MOST = 25, 500
"""Rows of a table: those that pass, and so many at least and at most."""


def comparison_page(opened: Opened, asked: Parameters) -> Page:
    """Show how two treebanks, or samples of grammars, differ, if two are chosen."""
    items = dict(opened.of_kind("treebank", "grammar"))
    variables = sorted({name for item in items.values() for name in _variables(item)})
    a, b = asked.choice("a", items), asked.choice("b", items)
    unit = asked.choice("unit", variables)
    seed = asked.number("seed", 0, least=0, most=_LARGEST_SEED)
    values = {
        "items": items,
        "variables": variables,
        "a": a,
        "b": b or next((key for key in items if key != (a or next(iter(items)))), ""),
        "unit": unit,
        "seed": seed,
        "samples": _SAMPLES,
    }
    if not a or not b:
        return Page("compare.html", values)

    def answer() -> Mapping[str, Any]:
        found = _compared(items[a], items[b], unit, seed)
        pictures = {kind: picture(found.show(kind)) for kind, d in found.differences.items() if d}
        passing = max(one.passing for one in found.differences.values())
        return {
            "found": found.to_dict(min(max(passing, _FEWEST), _MOST)),
            "pictures": pictures,
            "each_tree": found.units == found.trees,
        }

    return answered("compare.html", values, answer)


def _variables(item: Any) -> list[str]:
    return list(item.written.variables) if isinstance(item, OpenTreebank) else []


def _compared(a: Any, b: Any, unit: str, seed: int) -> Comparison:
    trees, units = [], []
    for place, item in enumerate((a, b)):
        if isinstance(item, OpenTreebank):
            trees.append(item.plain.treebank)
            wanted = unit if unit in item.plain.variables else None
            units.append(divided(item.name, item.plain.variables, wanted, len(trees[-1])))
        else:
            trees.append(sampled_trees(item.grammar, _SAMPLES, seed + place))
            units.append(range(len(trees[-1])))
    return compare(*trees, names=(a.name, b.name), units=(units[0], units[1]), seed=seed)

"""Rules as patterns: where a treebank has them."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.workbench.opened import Trees
from treewright.workbench.refining import quoted

__all__ = ["pattern_of_rule"]


def pattern_of_rule(names: Sequence[str], trees: Trees) -> str | None:
    """Return the pattern of nodes that a rule describes; None if no node has such labels.

    Parameters
    ----------
    names : sequence of str
        The left-hand side and the children.
    trees : Trees
        Where it would be searched for.
    """
    if len(names) < 2 or any(name not in trees.treebank.symbols for name in names):
        return None
    head, *children = map(quoted, names)
    if len(children) == 1:
        return f"{head} <: {children[0]}"
    each = " ".join(f"<{place} {child}" for place, child in enumerate(children, 1))
    return f"{head} {each} !<{len(children) + 1} __"

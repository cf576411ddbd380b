"""Coarser parses, for sentences that a parser's own search cannot reach or afford.

A sentence whose chart would take too much is cut in two at its strongest punctuation, until its
parts can be afforded; where no derivation yields it, the fewest constituents that cover it are
taken. Either way their trees stand side by side below the root, and the tree says why
(:class:`grammar.chart.parses.CoarseTree`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grammar.chart.parses import CoarseTree, Parse, Span
from grammar.options import whole_number
from grammar.trees.evalb_parameters import ROOT_LABELS
from grammar.trees.tree import Tree

__all__ = [
    "MEMORY_LIMIT",
    "ROOT",
    "STEP_LIMIT",
    "check_numbers",
    "joined",
    "only_parse",
    "place_to_cut",
    "side_by_side",
    "spans_of",
    "too_much_memory",
]

MEMORY_LIMIT = 1 << 30
"""Bytes that the chart of a sentence may take."""
STEP_LIMIT = 100_000_000
"""Binary edges that may be met while the chart of a sentence is filled: a second or two."""

ROOT = "TOP"
"""The label above trees that stand side by side."""
_STRONGEST = (frozenset({".", "!", "?", "..."}), frozenset({";", ":", "--", "—", "–"}))
_WEAKER = (*_STRONGEST, frozenset({",", "-RRB-", "''"}))


def check_numbers(parser: object, *names: str) -> None:
    """Refuse attributes of a parser that are not whole numbers above zero."""
    for name in names:
        whole_number(name, getattr(parser, name), 1)


def place_to_cut(words: Sequence[str]) -> int:
    """Return before which word a sentence is cut in two.

    Within its middle half, behind the strongest punctuation that there is, the one nearest to the
    middle; else in the middle.

    >>> place_to_cut("we ate , we drank ; we left".split())
    6
    >>> place_to_cut(["so"] * 5)
    2
    """
    length, middle = len(words), len(words) // 2
    inner = [i for i in range(max(1, length // 4), length - length // 4 + 1) if i < length]
    for marks in _WEAKER:
        behind = [place for place in inner if words[place - 1] in marks]
        if behind:
            return min(behind, key=lambda place: (abs(place - middle), place))
    return max(middle, 1)


def side_by_side(trees: Iterable[Tree]) -> tuple[Tree | str, ...]:
    """Return the children of a root with these trees below it; their own roots are left out.

    >>> [str(tree) for tree in side_by_side(map(Tree.parse, ["(TOP (UH yes))", "(UH no)"]))]
    ['(UH yes)', '(UH no)']
    """
    children: list[Tree | str] = []
    for tree in trees:
        children.extend(tree.children if tree.label in ROOT_LABELS else (tree,))
    return tuple(children)


def joined(trees: Iterable[Tree], reason: str) -> CoarseTree:
    """Return the tree with these below its root; roots of their own are left out.

    >>> str(joined([Tree.parse("(TOP (UH yes))"), Tree.parse("(UH no)")], "it is in pieces"))
    '(TOP (UH yes) (UH no))'
    """
    return CoarseTree(ROOT, side_by_side(trees), reason)


def only_parse(tree: CoarseTree) -> list[Parse]:
    """Return a coarse tree as the only one of a list; no derivation gives it a probability."""
    return [Parse(tree, float("-inf"), (), exact=False)]


def spans_of(tree: CoarseTree) -> list[Span]:
    """Return the spans of a coarse tree, of which each is all that is known."""
    spans = (Span(label, start, end, 1.0) for label, start, end in tree.spans())
    return sorted(spans, key=lambda span: (span.start, span.end, span.label))


def too_much_memory(needed: int, limit: int) -> str:
    """Return the reason of a sentence whose chart would not fit."""
    return (
        f"its chart needs {needed / 2**20:,.0f} MiB, more than the limit of "
        f"{limit / 2**20:,.0f} MiB (split it, or raise memory_limit)"
    )

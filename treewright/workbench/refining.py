"""Refinement: the pattern that also asks for a node of a tree."""

from __future__ import annotations

import re

from grammar.errors import PatternError
from grammar.search.patterns import parse_pattern
from grammar.trees.treebank import Treebank

__all__ = ["Refinement", "quoted", "refinements", "relation"]

_PLAIN = re.compile(r"[^\W_][\w+#~-]*")
_HIDDEN = re.compile(r'"(?:[^"\\]|\\.)*"|/(?:[^/\\]|\\.)+/')
_SEGMENT = re.compile(r"(?<![<>]):")


def quoted(label: str) -> str:
    r"""Return a label, or a word, as it stands in a pattern.

    >>> quoted("NP-SBJ"), quoted("PRP$"), quoted('say "no"')
    ('NP-SBJ', '"PRP$"', '"say \\"no\\""')
    """
    if _PLAIN.fullmatch(label):
        return label
    escaped = label.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Refinement:
    """A pattern to which conditions of what it searches for can be added.

    Examples
    --------
    >>> Refinement("S < NP").with_condition("<< PP")
    'S < NP << PP'
    >>> Refinement("S < NP | < PP").with_condition(". VP")
    '(S < NP | < PP) . VP'
    >>> Refinement("@ N NP ; S < @N=n : =n < DT").with_condition("< PP")
    '@ N NP ; S < @N=n < PP : =n < DT'
    """

    def __init__(self, pattern: str) -> None:
        # the same length, so that places in one are places in the other
        bare = _HIDDEN.sub(lambda found: "x" * len(found.group()), pattern)
        parts, start = [""], 0
        for statement in bare.split(";"):
            written = pattern[start : start + len(statement)]
            start += len(statement) + 1
            before, *behind = _divided(written, statement)
            parts[-1] += before
            parts += behind
            parts[-1] += ";"
        parts[-1] = parts[-1].removesuffix(";")
        self._parts = parts if _is_pattern("< A".join(parts)) else []

    def with_condition(self, condition: str) -> str:
        """Return the pattern of which a condition holds, too; nothing if none can be added."""
        return condition.join(self._parts) if len(self._parts) > 1 else ""


def _divided(written: str, bare: str) -> tuple[str, ...]:
    """Divide a statement where a condition of its head would stand; a macro stays whole."""
    if re.match(r"\s*@\s", bare):
        return (written,)
    segment = _SEGMENT.search(bare)
    end = segment.start() if segment else len(bare)
    head, rest = written[:end], written[end:]
    core = head.strip()
    if not core:
        return (written,)
    before, behind = head[: head.index(core)], head[len(head.rstrip()) :]
    held = f"({core})" if "|" in bare[:end] else core
    return f"{before}{held} ", f"{behind}{rest}"


def _is_pattern(text: str) -> bool:
    try:
        parse_pattern(text)
    except PatternError:
        return False
    return True


def refinements(treebank: Treebank, tree: int, heads: list[int], pattern: str) -> list[str]:
    """Return for each node of a tree the pattern that asks for it, too.

    The node is seen from the innermost hit around it, or else from the first hit. There is none
    for the hit itself, nor for trees without hits.
    """
    start, stop = treebank.offsets[tree : tree + 2].tolist()
    if not heads:
        return [""] * (stop - start)
    refinement, symbols = Refinement(pattern), treebank.symbols
    ends = {head: head + int(treebank.size[head]) for head in heads}
    made: list[str] = []
    for node in range(start, stop):
        around = [head for head in heads if head <= node < ends[head]]
        head = around[-1] if around else heads[0]
        label = quoted(symbols[int(treebank.label[node])])
        sign = relation(treebank, head, node)
        made.append(refinement.with_condition(f"{sign} {label}") if sign else "")
    return made


def relation(treebank: Treebank, head: int, node: int) -> str:
    """Return the sign of the closest relation of a hit to a node of its tree; none to itself."""
    if node == head:
        return ""
    parent, size = treebank.parent, treebank.size
    if head < node < head + size[head]:
        return "<" if parent[node] == head else "<<"
    if node < head < node + size[node]:
        return ">" if parent[head] == node else ">>"
    is_sister = "$" if parent[node] == parent[head] else ""
    if node > head:
        return f"{is_sister}{'.' if node == head + size[head] else '..'}"
    return f"{is_sister}{',' if head == node + size[node] else ',,'}"

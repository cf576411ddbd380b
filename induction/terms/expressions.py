"""Lambda expressions as nested lists: ``( and ( flight $0 ) ( from $0 boston:ci ) )``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = [
    "BINDERS",
    "SETS",
    "Expression",
    "bound_variable",
    "read_expression",
    "write_expression",
]

SETS = frozenset({"and", "or"})
"""Heads whose parts have no order."""
BINDERS = frozenset(
    {"lambda", "exists", "forall", "the", "count", "sum", "argmax", "argmin", "max", "min"}
)
"""Heads that may be followed by a variable that they bind."""

_DEEPEST = 200

Expression = str | list["Expression"]
"""A word, or the parts between two brackets."""


def bound_variable(expression: Expression) -> str | None:
    """Return the variable that the head of an expression binds; None if it binds none.

    >>> bound_variable(["exists", "$1", ["flight", "$1"]])
    '$1'
    >>> bound_variable(["flight", "$1"])
    >>> bound_variable(["lambda", "x", "e", ["flight", "x"]])
    'x'
    """
    if isinstance(expression, str) or len(expression) < 3:
        return None
    head, variable = expression[:2]
    if not (isinstance(head, str) and isinstance(variable, str) and head in BINDERS):
        return None
    return variable if variable[:1] == "$" or head == "lambda" else None


def read_expression(words: Sequence[str]) -> Expression | None:
    """Return the expression that words write; None if they write none, or it is too deep.

    >>> read_expression("( from $0 ( the $1 ) )".split())
    ['from', '$0', ['the', '$1']]
    >>> read_expression("( from $0".split())
    """
    open_: list[list[Expression]] = [[]]
    for word in words:
        if word == "(":
            open_.append([])
        elif word == ")":
            if len(open_) == 1:
                return None
            done = open_.pop()
            open_[-1].append(done)
        else:
            open_[-1].append(word)
        if len(open_) > _DEEPEST:
            return None
    return open_[0][0] if len(open_) == 1 and len(open_[0]) == 1 else None


def write_expression(expression: Expression) -> Iterator[str]:
    """Yield the words of an expression.

    >>> " ".join(write_expression(["from", "$0", ["the", "$1"]]))
    '( from $0 ( the $1 ) )'
    """
    if isinstance(expression, str):
        yield expression
        return
    yield "("
    for part in expression:
        yield from write_expression(part)
    yield ")"

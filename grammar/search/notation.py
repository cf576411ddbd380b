"""What notations of patterns share: where a fault is, and which regular expressions there are."""

from __future__ import annotations

from grammar.errors import PatternError

__all__ = ["error_at", "fault_of_expression"]


def error_at(text: str, at: int, what: str, hint: str, where: str = "<pattern>") -> PatternError:
    """Return an error that has the line and column of a place in a text, and an excerpt.

    >>> print(error_at("S < )", 4, "this is not a pattern", "close nothing").where)
    <pattern>:1:5
    """
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    excerpt = text.split("\n")[line - 1].rstrip("\r")
    start = max(0, column - 60)
    shown = excerpt[start : start + 100]
    return PatternError(
        f"{what}\n    {shown}\n    {' ' * (column - 1 - start)}^",
        where=f"{where}:{line}:{column}",
        hint=hint,
    )


def fault_of_expression(expression: str) -> str | None:
    """Return why a regular expression cannot be searched for; None if it can.

    Expressions are RE2's, which takes time linear in the text, whatever the expression.

    >>> fault_of_expression("^N"), fault_of_expression("(")
    (None, 'missing ): (')
    """
    from pyarrow import ArrowInvalid, array
    from pyarrow.compute import match_substring_regex

    try:
        match_substring_regex(array([""]), expression)
    except ArrowInvalid as error:
        return str(error).partition(": ")[2] or str(error)
    return None

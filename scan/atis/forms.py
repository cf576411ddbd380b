"""Logical forms of ATIS without brackets and names of variables, and back.

The published forms are lambda expressions::

    ( lambda $0 e ( and ( flight $0 ) ( from $0 boston : ci ) ( to $0 denver : ci ) ) )

Conjuncts are a set, and variables may have any names. The *flat* form writes each predicate with
the variables that it begins with, and the number of further arguments, so that no brackets are
needed::

    lambda:e flight$0 from$0/1 boston:ci to$0/1 denver:ci

A variable is the number of binders between it and its own (de Bruijn 1972), so a predicate is
written alike below all of them. What a binder compares (``argmin``) stands before its conditions,
which are a set that ends with ``)``. Brackets at the end are left out.

The order in a set is free: :func:`set_order` puts its parts in the order in which a question
speaks of them, given a function that says where a part belongs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from grammar.errors import NotationError
from induction.terms.expressions import (
    BINDERS,
    SETS,
    Expression,
    bound_variable,
    read_expression,
    write_expression,
)
from induction.terms.meanings import canonical

__all__ = ["from_flat", "set_order", "to_flat"]

_END = ")"
_WORD = re.compile(r"(?P<head>[^$/]+)(?P<variables>(?:\$\d+)*)(?:/(?P<more>[1-9]))?")
_VARIABLE = re.compile(r"\$\d+")

Key = Callable[[Sequence[str]], float]
"""Says of the words of a part where it belongs."""


def to_flat(form: str) -> str:
    """Write a published form flat.

    >>> to_flat("( argmin $v1 ( and ( to $v1 bwi : ap ) ( flight $v1 ) ) ( fare $v1 ) )")
    'argmin/1 fare$0 flight$0 to$0/1 bwi:ap'
    >>> to_flat("( lambda $0 e ( exists $1 ( = ( fare $1 ) $0 ) ) )")
    'lambda:e exists =/2 fare$0 $1'
    >>> to_flat("dl : al")
    'dl:al'

    Raises
    ------
    NotationError
        If it is not a form.
    """
    text = form.replace(" : ", ":")
    node = read_expression(canonical(text)) if text.startswith("(") else text
    if node is None or (isinstance(node, str) and len(node.split()) != 1):
        raise NotationError(
            f"not a logical form: {form[:60]!r}",
            hint="write '( lambda $0 e ( flight $0 ) )' with spaces between all words, or a name",
        )
    return " ".join(_trimmed(list(_flat(node, ()))))


def from_flat(flat: str) -> str:
    """Write a flat form as it would be published, with its conjuncts in alphabetical order.

    >>> from_flat("argmin/1 fare$0 flight$0 to$0/1 bwi:ap")
    '( argmin $0 ( and ( flight $0 ) ( to $0 bwi : ap ) ) ( fare $0 ) )'

    Raises
    ------
    NotationError
        If it is not a flat form.
    """
    reader = _Reader(flat.split())
    node = reader.part(())
    if reader.at < len(reader.words):
        reader.fail("the end of the form")
    words = canonical(" ".join(write_expression(node)))
    return " ".join(words).replace(":", " : ")


def set_order(flat: str, key: Key) -> str:
    """Put the parts of sets in the order of a key, which is given the words of each part.

    >>> order = {"boston:ci": 2, "flight$0": 1, "denver:ci": 0}
    >>> set_order("lambda:e flight$0 from$0/1 boston:ci to$0/1 denver:ci",
    ...     lambda words: order[words[-1]])
    'lambda:e to$0/1 denver:ci flight$0 from$0/1 boston:ci'
    """
    reader = _Reader(flat.split())
    words = reader.ordered(key)
    if reader.at < len(reader.words):
        reader.fail("the end of the form")
    return " ".join(_trimmed(words))


def _trimmed(words: list[str]) -> list[str]:
    while words[-1] == _END:
        words.pop()
    return words


def _flat(node: Expression, scope: tuple[str, ...]) -> Iterator[str]:
    """Yield the words of an expression below binders of these variables, the innermost first."""
    if isinstance(node, str):
        yield f"${scope.index(node)}" if node in scope else node
        return
    head, *rest = node
    if not isinstance(head, str) or _WORD.fullmatch(head) is None:
        raise NotationError(
            f"a predicate has no name: {' '.join(write_expression(node))[:60]!r}",
            hint="a bracket begins with a word",
        )
    if head in SETS:
        yield head
        yield from _parts(rest, scope)
    elif (variable := bound_variable(node)) is not None:
        yield from _bound(head, variable, rest[1:], scope)
    else:
        leading = 0
        while leading < len(rest) and rest[leading] in scope:
            leading += 1
        more = len(rest) - leading
        variables = "".join(word for part in rest[:leading] for word in _flat(part, scope))
        yield f"{head}{variables}{f'/{more}' if more else ''}"
        for part in rest[leading:]:
            yield from _flat(part, scope)


def _bound(
    head: str, variable: str, rest: list[Expression], scope: tuple[str, ...]
) -> Iterator[str]:
    scope = (variable, *scope)
    type_ = ""
    if isinstance(rest[0], str) and len(rest) > 1:
        type_, rest = f":{rest[0]}", rest[1:]
    body, *values = rest
    yield f"{head}{type_}{f'/{len(values)}' if values else ''}"
    for value in values:
        yield from _flat(value, scope)
    is_set = isinstance(body, list) and body[:1] == ["and"]
    yield from _parts([*body[1:]] if is_set else [body], scope)


def _parts(parts: list[Expression], scope: tuple[str, ...]) -> Iterator[str]:
    for part in parts:
        yield from _flat(part, scope)
    yield _END


class _Reader:
    """Reads words of a flat form from the left."""

    def __init__(self, words: list[str]) -> None:
        self.words, self.at = words, 0

    def part(self, scope: tuple[str, ...]) -> Expression:
        head, variables, more, is_set = self._head()
        if head.startswith("$"):
            return self._variable(head, scope)
        name, _, type_ = head.partition(":")
        if is_set and name in BINDERS:
            inner = (f"$b{len(scope)}", *scope)
            values = [self.part(inner) for _ in range(more)]
            typed: list[Expression] = [type_] if type_ else []
            return [name, inner[0], *typed, ["and", *self._set(inner)], *values]
        if is_set:
            return [head, *self._set(scope)]
        leading = [self._variable(each, scope) for each in variables]
        rest = [self.part(scope) for _ in range(more)]
        return [head, *leading, *rest] if leading or rest else head

    def ordered(self, key: Key) -> list[str]:
        """Return the words of a part, with the parts of its sets in order."""
        begin = self.at
        _, _, more, is_set = self._head()
        words = [self.words[begin]]
        for _ in range(more):
            words += self.ordered(key)
        if is_set:
            parts = []
            while not self._ends():
                parts.append(self.ordered(key))
            self.at += 1
            words += [word for part in sorted(parts, key=key) for word in part] + [_END]
        return words

    def _head(self) -> tuple[str, list[str], int, bool]:
        """Return a name, its variables, how many parts follow, and whether a set does."""
        if self.at >= len(self.words) or self.words[self.at] == _END:
            self.fail("a predicate")
        word = self.words[self.at]
        self.at += 1
        if _VARIABLE.fullmatch(word):
            return word, [], 0, False
        found = _WORD.fullmatch(word)
        if found is None:
            self.at -= 1
            self.fail("a predicate such as 'flight$0' or 'from$0/1'")
        assert found is not None  # fail() does not return
        head, variables = found["head"], _VARIABLE.findall(found["variables"])
        is_binder = head.partition(":")[0] in BINDERS and not variables
        return head, variables, int(found["more"] or 0), head in SETS or is_binder

    def _set(self, scope: tuple[str, ...]) -> list[Expression]:
        parts = []
        while not self._ends():
            parts.append(self.part(scope))
        self.at += 1
        if not parts:
            self.fail("a condition")
        return parts

    def _ends(self) -> bool:
        return self.at >= len(self.words) or self.words[self.at] == _END

    def _variable(self, word: str, scope: tuple[str, ...]) -> str:
        number = int(word[1:])
        if number >= len(scope):
            self.at -= 1
            self.fail(f"at least {number + 1} binders above {word!r}")
        return scope[number]

    def fail(self, wanted: str) -> None:
        found = repr(self.words[self.at]) if self.at < len(self.words) else "the end"
        raise NotationError(
            f"expected {wanted}, found {found}",
            where=f"word {self.at + 1} of {' '.join(self.words)[:80]!r}",
            hint="a flat form is written by scan.atis.forms.to_flat",
        )

"""Aliases of SQL queries by their scope, so that a sub-query means the same wherever it stands.

In ``SELECT CITYalias0.CITY_NAME FROM CITY AS CITYalias0 WHERE CITYalias0.POPULATION = ( SELECT MAX
( CITYalias1.POPULATION ) FROM CITY AS CITYalias1 ) ;`` aliases are numbered through the whole
query, so a sub-query is written otherwise at every place. Here a table needs no alias:
``CITY.POPULATION`` is the column of the nearest CITY around it, ``CITY2.POPULATION`` that of the
second CITY of one FROM. Tables that a query derives, and their field, lose their numbers too.
A name stands where a sub-query may stand, ``IN ( " texas " )`` for ``= " texas "``, and the
semicolon at the end goes, so that a question and a part of a longer one have targets of one form.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

__all__ = ["absolute_aliases", "relative_aliases"]

_ALIAS = re.compile(r"([A-Z_]+)alias(\d+)")
_NAME = re.compile(r"([A-Z_]+)([2-9]?)")
_TABLE, _FIELD = "DERIVED_TABLE", "DERIVED_FIELD"


class _Scopes:
    """The SELECTs of a query, and what their FROMs declare.

    ``at[i]`` is the number of the SELECT around word i, ``outer`` the one around each SELECT, and
    ``closed[i]`` the one that the bracket at i ends.
    """

    def __init__(self, words: list[str]) -> None:
        self.outer = [-1]
        self.at: list[int] = []
        self.closed: dict[int, int] = {}
        self.numbers: defaultdict[tuple[int, str], list[int]] = defaultdict(list)
        self.fields: dict[int, int] = {}
        self._derived: dict[int, int] = {}
        brackets = [0]
        for place, (word, following) in enumerate(zip(words, [*words[1:], ""], strict=True)):
            if word == "(":
                brackets.append(len(self.outer) if following == "SELECT" else brackets[-1])
                if following == "SELECT":
                    self.outer.append(brackets[-2])
            elif word == ")" and len(brackets) > 1:
                self.closed[place] = brackets.pop()
            self.at.append(brackets[-1])

    def declare(self, place: int, name: str, number: int) -> None:
        """Give a name that stands at a place to its SELECT."""
        scope = self.at[place]
        if name == _FIELD:
            self.fields[scope] = number
            return
        self.numbers[scope, name].append(number)
        if name == _TABLE and place - 2 in self.closed:
            self._derived[number] = self.closed[place - 2]

    def visible(self, place: int, name: str) -> list[int]:
        """Return the numbers of a table in the nearest SELECT that declares it."""
        scope = self.at[place]
        while scope >= 0 and (scope, name) not in self.numbers:
            scope = self.outer[scope]
        return self.numbers.get((scope, name), [])

    def field(self, number: int) -> int | None:
        """Return the number of the field of a derived table."""
        return self.fields.get(self._derived.get(number, -1))


def relative_aliases(query: str) -> str | None:
    """Write the aliases of a query by their scope; None if that could not be undone.

    It cannot if aliases are not numbered in the order of their declarations, or are used where
    they are not declared, or hidden by another one, or if the query has no semicolon at its end.

    Examples
    --------
    >>> relative_aliases("SELECT Calias0.X FROM C AS Calias0 WHERE Calias0.Y = "
    ...                  "( SELECT MAX ( Calias1.Y ) FROM C AS Calias1 ) ;")
    'SELECT C.X FROM C WHERE C.Y = ( SELECT MAX ( C.Y ) FROM C )'
    >>> relative_aliases('SELECT Calias0.X FROM C AS Calias0 WHERE Calias0.Y = " texas " ;')
    'SELECT C.X FROM C WHERE C.Y IN ( " texas " )'
    """
    words = query.removesuffix(" ;").split()
    scopes = _Scopes(words)
    declared = {
        place: (match[1], int(match[2]))
        for place, word in enumerate(words)
        if words[place - 1] == "AS" and (match := _ALIAS.fullmatch(word))
    }
    for place, (name, number) in declared.items():
        scopes.declare(place, name, number)
    made: list[str] = []
    for place, word in enumerate(words):
        if place not in declared:
            made.append(_relative(word, place, scopes))
        elif (name := declared[place][0]) in (_TABLE, _FIELD):
            made.append(name)
        else:
            made.pop()
    relative = re.sub(r'= (" [^"]* ")', r"IN ( \1 )", " ".join(made))
    # what was lost would come back otherwise
    return relative if absolute_aliases(relative) == query else None


def absolute_aliases(query: str) -> str | None:
    """Undo :func:`relative_aliases`; None if a column is of no table that can be seen there.

    Examples
    --------
    >>> absolute_aliases("SELECT C.X FROM C WHERE C.Y IN ( SELECT C.Y FROM C , D )")
    'SELECT Calias0.X FROM C AS Calias0 WHERE Calias0.Y IN ( SELECT Calias1.Y FROM C AS Calias1 , D AS Dalias0 ) ;'
    >>> absolute_aliases("SELECT C.X FROM D")
    """  # noqa: E501
    words = re.sub(r'IN \( (" [^"]* ") \)', r"= \1", query).split()
    scopes = _Scopes(words)
    counts: Counter[str] = Counter()
    declared: dict[int, str] = {}
    for place, word in enumerate(words):
        if _declares(words, place):
            scopes.declare(place, word, counts[word])
            alias = f"{word}alias{counts[word]}"
            declared[place] = alias if word in (_TABLE, _FIELD) else f"{word} AS {alias}"
            counts[word] += 1
    made: list[str] = []
    for place, word in enumerate(words):
        found = declared.get(place) or _absolute(word, place, scopes)
        if found is None:
            return None
        made.append(found)
    return " ".join([*made, ";"])


def _declares(words: list[str], place: int) -> bool:
    word, before = words[place], words[place - 1] if place else ""
    if word in (_TABLE, _FIELD):
        return before == "AS"
    following = words[place + 1] if place + 1 < len(words) else ""
    return (
        before in ("FROM", "JOIN", ",") and following != "(" and bool(re.fullmatch("[A-Z_]+", word))
    )


def _relative(word: str, place: int, scopes: _Scopes) -> str:
    table, _, column = word.partition(".")
    match = _ALIAS.fullmatch(table)
    if not match or not column:
        return word
    numbers = scopes.visible(place, match[1])
    rank = numbers.index(int(match[2])) if int(match[2]) in numbers else -1
    column = _FIELD if column.startswith(f"{_FIELD}alias") else column
    return f"{match[1]}{rank + 1 if rank else ''}.{column}"


def _absolute(word: str, place: int, scopes: _Scopes) -> str | None:
    table, _, column = word.partition(".")
    match = _NAME.fullmatch(table)
    if not match or not column:
        return word
    numbers = scopes.visible(place, match[1])
    rank = int(match[2] or 1) - 1
    if rank >= len(numbers):
        return None
    if column == _FIELD:
        field = scopes.field(numbers[rank])
        if field is None:
            return None
        column = f"{_FIELD}alias{field}"
    return f"{match[1]}alias{numbers[rank]}.{column}"

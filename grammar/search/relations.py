"""The relations of TGrep2: their signs, and what each means.

Each sign is one of a few relations between an upper or earlier node and a lower or later one, read
in one direction or in the other: ``A > B`` is ``B < A``, and ``A , B`` is ``B . A``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

__all__ = ["SAME_TREE", "Kind", "Link", "read_link"]


class Kind(IntEnum):
    """What holds between an upper or earlier node and a lower or later one."""

    SAME_TREE = 0
    PARENT = 1
    PARENT_OF_NTH = 2
    PARENT_OF_ONLY = 3
    ANCESTOR = 4
    ANCESTOR_LEFT = 5
    ANCESTOR_RIGHT = 6
    ANCESTOR_SINGLE = 7
    JUST_BEFORE = 8
    BEFORE = 9
    SISTER = 10
    SISTER_JUST_BEFORE = 11
    SISTER_BEFORE = 12


@dataclass(frozen=True)
class Link:
    """A relation with its direction.

    Attributes
    ----------
    kind : Kind
        The relation.
    is_inverse : bool
        Whether the node on the left of the sign is the lower or later one.
    nth : int
        Of ``PARENT_OF_NTH``: which child, from 1 from the left, from -1 from the right.
    """

    kind: Kind
    is_inverse: bool = False
    nth: int = 0


SAME_TREE = Link(Kind.SAME_TREE)

_VERTICAL = {
    "": Kind.PARENT,
    ":": Kind.PARENT_OF_ONLY,
    "<": Kind.ANCESTOR,
    "<,": Kind.ANCESTOR_LEFT,
    "<'": Kind.ANCESTOR_RIGHT,
    "<`": Kind.ANCESTOR_RIGHT,
    "<:": Kind.ANCESTOR_SINGLE,
}
_ENDS = {",": 1, "'": -1, "`": -1, "-": -1}
_HORIZONTAL = {
    ".": Kind.JUST_BEFORE,
    "..": Kind.BEFORE,
    "$": Kind.SISTER,
    "$.": Kind.SISTER_JUST_BEFORE,
    "$..": Kind.SISTER_BEFORE,
}


_MOST = 10**9
"""No node has so many children."""


def _number(digits: str) -> int:
    """Return the number of a child; one of many digits is that of none, as others beyond all are.

    >>> _number("-007"), _number("9" * 5000)
    (-7, 1000000000)
    """
    sign = -1 if digits.startswith("-") else 1
    bare = digits.lstrip("-0") or "0"
    return sign * (int(bare) if len(bare) < len(str(_MOST)) else _MOST)


def read_link(sign: str) -> Link | None:
    """Return the relation that a sign stands for; None if a child's number is 0.

    >>> read_link("<"), read_link(">-2")
    (Link(kind=<Kind.PARENT: 1>, is_inverse=False, nth=0), Link(kind=<Kind.PARENT_OF_NTH: 2>, \
is_inverse=True, nth=-2))
    >>> read_link("$,,") == Link(Kind.SISTER_BEFORE, is_inverse=True)
    True
    """
    if sign[0] in "<>":
        inverse = sign[0] == ">"
        rest = sign[1:].replace(">", "<")
        if rest in _VERTICAL:
            return Link(_VERTICAL[rest], inverse)
        nth = _ENDS[rest] if rest in _ENDS else _number(rest)
        return Link(Kind.PARENT_OF_NTH, inverse, nth) if nth else None
    inverse = "," in sign
    return Link(_HORIZONTAL[re.sub(",", ".", sign.replace("%", "$"))], inverse)

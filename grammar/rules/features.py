"""Feature grammars of NLTK: their context-free backbone.

Symbols lose their features (``NP[NUM=?n]`` becomes ``NP``) and what is missing in them
(``S/NP`` becomes ``S``). What the features would rule out, the backbone derives.
"""

from __future__ import annotations

import re

from grammar.errors import NotationError
from grammar.messages import tell

__all__ = ["backbone_of"]

_PARTS = re.compile(
    r"(?P<word>'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")|(?P<comment>#[^\n]*)"
    r"|(?P<open>\[)|(?P<close>\])|(?P<logic><[^\n>]{0,200}>)|(?P<arrow>->|→)|(?P<slash>/\??\w*)|(?P<other>[^\n]|\n)"
)


def backbone_of(text: str, source: str = "<string>") -> str:
    r"""Return the rules of a feature grammar without features, as text of our notation.

    It is told that features are left out. Lines keep their numbers.

    Raises
    ------
    NotationError
        If a bracket is not closed, or a symbol is a variable.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     backbone_of("S[-INV] -> NP[NUM=?n] VP/NP[NUM=?n] | 'so'")
    the features of <string> are left out: this is its context-free backbone
    "S -> NP VP | 'so'"
    """
    kept: list[str] = []
    depth, opened = 0, 0
    for part in _PARTS.finditer(text):
        kind, piece = part.lastgroup, part.group()
        if kind == "open":
            opened = opened if depth else part.start()
            depth += 1
        elif kind == "close":
            depth -= 1
        elif piece == "\n":
            kept.append(piece)
        elif depth <= 0 and kind != "slash":
            kept.append(f" {piece}" if kind == "arrow" else piece)
    if depth:
        line = text.count("\n", 0, opened) + 1
        raise NotationError(
            "the brackets of features do not close", where=f"{source}:{line}", hint="close them"
        )
    found = "".join(kept)
    if variable := re.search(r"^[^#'\"\n]*?(\?\w+)", found, re.MULTILINE):
        raise NotationError(
            f"the symbol {variable[1]} is a variable, which has no backbone",
            where=f"{source}:{found.count(chr(10), 0, variable.start(1)) + 1}",
            hint="write a rule for each category that it stands for",
        )
    tell(f"the features of {source} are left out: this is its context-free backbone")
    return found

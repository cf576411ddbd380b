"""The short form of terms: what a model is trained to write.

It has the words of the term, each role joined to the mark before it and without ``=``, and no
brackets at the end, where they only count::

    eat (agent * cat ,theme cake

Targets are half as long as with all marks, and nothing is lost.
"""

from __future__ import annotations

from grammar.errors import NotationError
from induction.terms.terms import Term

__all__ = ["from_short", "to_short"]


def to_short(term: Term) -> str:
    """Write a term without what can be told from the rest.

    >>> to_short(Term.parse("eat ( agent = * cat ( nmod.on = bed ) , theme = cake )"))
    'eat (agent * cat (nmod.on bed ) ,theme cake'
    >>> to_short(Term.parse("LAMBDA eat ( agent , theme )"))
    'LAMBDA eat (agent ,theme'
    """
    words: list[str] = []
    mark = ""
    for word in term.words:
        if word in ("(", ","):
            mark = word
        elif word != "=":
            words.append(mark + word)
            mark = ""
    while words[-1] == ")":
        words.pop()
    return " ".join(words)


def from_short(text: str) -> Term:
    """Read what :func:`to_short` wrote.

    Raises
    ------
    NotationError
        If it is not the short form of a term.

    Examples
    --------
    >>> print(from_short("eat (agent * cat (nmod.on bed ) ,theme cake"))
    eat ( agent = * cat ( nmod.on = bed ) , theme = cake )
    """
    words: list[str] = []
    given = text.split()
    depth = 0
    for place, (word, following) in enumerate(zip(given, [*given[1:], ")"], strict=True), start=1):
        if word in ("(", ",", "="):
            raise NotationError(
                f"{word!r} stands alone",
                where=f"word {place} of {text[:80]!r}",
                hint="in the short form a role is joined to the mark before it: '(agent', ',theme'",
            )
        depth += word.startswith("(") - (word == ")")
        if word[0] in "(," and len(word) > 1:
            words += [word[0], word[1:]]
            if following[0] not in ",)":
                words.append("=")
        else:
            words.append(word)
    return Term.parse([*words, *[")"] * depth])

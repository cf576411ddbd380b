"""Sentences whose constituents are numbered and name the one above, as exports write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from grammar.errors import BracketError
from induction.corpus.treebanks.constituents import Constituent, Word

__all__ = ["linked"]

Part = Constituent | Word


def linked(
    parts: Sequence[tuple[Part, str]],
    constituents: Mapping[str, Constituent],
    root: str,
    where: str,
) -> list[Part]:
    """Put every part into the constituent that it names; return those at the top.

    Parameters
    ----------
    parts : sequence of (part, name)
        Words and constituents, and the name of what each is in.
    constituents : mapping of str to Constituent
        By their names; what they hold is added here.
    root : str
        The name that stands for the top.
    where : str
        Of the sentence, for messages.

    Raises
    ------
    BracketError
        If a name is of no constituent, one holds nothing, or they go round in a circle.
    """
    top: list[Part] = []
    for part, above in parts:
        if above == root:
            top.append(part)
        elif above in constituents:
            constituents[above].parts.append(part)
        else:
            raise BracketError(
                f"there is no constituent {above!r}",
                where=where,
                hint="correct the number, or add it",
            )
    empty = next((name for name, one in constituents.items() if not one.parts), None)
    if empty is not None:
        raise BracketError(
            f"the constituent {empty} holds nothing", where=where, hint="fill or delete it"
        )
    met, waiting = 0, list(top)
    while waiting:
        part = waiting.pop()
        met += 1
        if isinstance(part, Constituent):
            waiting.extend(part.parts)
    if met != len(parts):
        raise BracketError(
            "constituents go round in a circle", where=where, hint="lead all of them to the top"
        )
    return top

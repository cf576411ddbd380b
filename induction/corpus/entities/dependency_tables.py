"""Tables of dependencies before CoNLL-U: they become its ten columns, a line for a line.

===========  ==========================================================  ==========================
columns      as in                                                       what is left out
===========  ==========================================================  ==========================
4            MaltTab: form tag head relation
7            Stanford CoreNLP: id form lemma tag entity head relation    entities
8, 10        CoNLL-X: ... cpostag postag feats head deprel (phead ...)   projective heads
14 or more   CoNLL-2009: ... pos ppos feat pfeat head phead deprel ...   what is predicted, and who
                                                                         does what to whom
===========  ==========================================================  ==========================

References
----------
Nivre, Hall & Nilsson (2006), MaltParser. Buchholz & Marsi (2006), CoNLL-X shared task. Hajic et al.
(2009), The CoNLL-2009 shared task.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from grammar.messages import tell

__all__ = ["holds_dependencies", "in_ten_columns"]

_NUMBER = re.compile(r"\d{1,9}")
_HEAD_OF = {7: 5, 8: 6, 10: 6}
_OF_2009, _OF_MALT = 14, 4
_FIELDS: dict[int, tuple[Sequence[int | None], str]] = {
    7: ((0, 1, 2, None, 3, None, 5, 6), "Stanford CoreNLP; entities are not kept"),
    8: ((0, 1, 2, 3, 4, 5, 6, 7), "CoNLL-X"),
    10: ((0, 1, 2, 3, 4, 5, 6, 7), "CoNLL-X; projective heads are not kept"),
    _OF_2009: ((0, 1, 2, None, 4, 6, 8, 10), "CoNLL-2009; predicates and arguments are not kept"),
}
"""By the number of columns, where those of CoNLL-U are; and what they are called."""


def in_ten_columns(text: str, path: str) -> str | None:
    r"""Return a table of dependencies as CoNLL-U; None if the first line is of no such table.

    What it is read as is told, but of CoNLL-U itself.

    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     in_ten_columns("1\tGo\tgo\tV\tVB\t_\t0\tROOT\n", "a.conll")
    a.conll is read as CoNLL-X
    '1\tGo\tgo\tV\tVB\t_\t0\tROOT\t_\t_\n'
    >>> in_ten_columns("EU\tB-ORG\n", "a.conll") is None
    True
    """
    lines = text.split("\n")
    rows = [_cells(line) for line in lines]
    width = _width(next((row for row in rows if row), []))
    if width is None:
        if not _is_malt(rows):
            return None
        tell(f"{path} is read as MaltTab")
        return _of_malt(rows)
    if width == 10 and not any(len(row) == 10 and _NUMBER.fullmatch(row[8]) for row in rows):
        if not any("\t" in line for line in lines):
            return "\n".join("\t".join(row) or line for row, line in zip(rows, lines, strict=True))
        return text  # CoNLL-U, and CoNLL-X that says nothing more
    places, name = _FIELDS[width]
    tell(f"{path} is read as {name}")
    return "\n".join(
        _line(row, places) if len(row) >= width else line
        for row, line in zip(rows, lines, strict=True)
    )


def holds_dependencies(lines: Sequence[str]) -> bool:
    r"""Say whether the first line with a word is of a table of dependencies.

    >>> holds_dependencies(["1\tGo\tgo\tV\tVB\t_\t0\tROOT"]), holds_dependencies(["1\tGo"])
    (True, False)
    """
    rows = [*map(_cells, lines)]
    return _width(next(filter(None, rows), [])) is not None or _is_malt(rows)


def _width(first: Sequence[str]) -> int | None:
    """Return how many columns a table has that begins so; None if it is none of dependencies."""
    width = min(len(first), _OF_2009)
    if width not in _FIELDS or first[0] not in ("1", "1-2", "0.1"):
        return None
    head = first[8 if width == _OF_2009 else _HEAD_OF[width]]
    return width if _NUMBER.fullmatch(head) or head == "_" else None


def _is_malt(rows: Sequence[list[str]]) -> bool:
    """Say whether rows are words, tags, heads and relations; each sentence has a root.

    >>> _is_malt([["Go", "VB", "0", "ROOT"], ["home", "RB", "1", "ADV"], []])
    True
    >>> _is_malt([["Go", "VB", "2", "ROOT"], ["home", "RB", "1", "ADV"]])
    False
    """
    sentences = [[*group] for there, group in itertools.groupby(rows, bool) if there]
    return bool(sentences) and all(
        all(len(row) == _OF_MALT and _NUMBER.fullmatch(row[2]) for row in sentence)
        and any(row[2] == "0" for row in sentence)
        and all(int(row[2]) <= len(sentence) for row in sentence)
        for sentence in sentences
    )


def _of_malt(rows: Sequence[list[str]]) -> str:
    lines, number = [], 0
    for row in rows:
        number = number + 1 if row else 0
        form, tag, head, relation = row or [""] * _OF_MALT
        cells = [str(number), form, "_", tag, tag, "_", head, relation, "_", "_"]
        lines.append("\t".join(cells) if row else "")
    return "\n".join(lines)


def _cells(line: str) -> list[str]:
    line = line.rstrip("\r\n")
    if not line.strip() or (line.startswith("#") and "\t" not in line):
        return []
    return line.split("\t") if "\t" in line else line.split()


def _line(row: list[str], places: Sequence[int | None]) -> str:
    cells = ["_" if at is None else row[at] or "_" for at in places]
    return "\t".join([*cells, "_", "_"])

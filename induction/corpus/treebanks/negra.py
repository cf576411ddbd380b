"""The export format of NEGRA, in which German treebanks come, and others after them.

A sentence stands between ``#BOS`` and ``#EOS``. A line is a word, or a constituent with a number
(``#500``): its tag or label, its function, and the number of the constituent that it is in, 0 for
the top. Format 4 has lemmas, format 3 has none.

References
----------
Brants (1997), The NeGra export format for annotated corpora.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grammar.errors import BracketError
from induction.corpus.treebanks.constituents import Constituent, Sentence, Word
from induction.corpus.treebanks.graphs import Part, linked

__all__ = ["is_negra", "negra_sentences"]

_BEGINS = re.compile(r"(?:\s*(?:%%[^\n]*)?\n)*#(?:FORMAT\s+\d|BOT\b|BOS\s+\d)")
_CONSTITUENT = re.compile(r"#\d+")
_NUMBER = re.compile(r"\d{1,9}")
_ROOT, _FORMATS = "0", {"3": 4, "4": 5}
"""By its number, in which column of a format the constituent above stands."""


def is_negra(text: str) -> bool:
    r"""Say whether a text begins as an export file does.

    >>> is_negra("%% made today\n#FORMAT 4\n#BOS 1\n"), is_negra("#1 (S a)")
    (True, False)
    """
    return _BEGINS.match(text) is not None


def negra_sentences(text: str, source: str) -> Iterator[Sentence]:
    """Yield the sentences of an export file; lemmas, morphology, secondary edges are left out.

    Raises
    ------
    BracketError
        If a line has not its columns, or the constituents are no tree. File and line are given.
    """
    rows: list[tuple[str, list[str]]] = []
    begin: int | None = None
    column, in_table = None, False
    for number, line in enumerate(text.split("\n"), start=1):
        word = line.split(None, 1)[0] if line.strip() else ""
        if word == "#FORMAT":
            column = _FORMATS.get(line.split()[-1])
        elif word in ("#BOT", "#EOT"):
            in_table = word == "#BOT"
        elif word == "#BOS":
            begin, rows = number, []
        elif word == "#EOS":
            if begin is not None and rows:
                yield _sentence(rows, column, f"{source}:{begin}")
            begin = None
        elif word and begin is not None and not in_table and not word.startswith("%%"):
            rows.append((f"{source}:{number}", _cells(line)))
    if begin is not None:
        raise BracketError(
            "the sentence has no end", where=f"{source}:{begin}", hint="add #EOS and its number"
        )


def _cells(line: str) -> list[str]:
    line = line.partition("%%")[0].rstrip()
    cells = line.split("\t") if "\t" in line else line.split()
    return [cell.strip() for cell in cells if cell.strip()]


def _sentence(rows: list[tuple[str, list[str]]], column: int | None, where: str) -> Sentence:
    if column is None:  # format 3 is what a file has that does not say
        column = 4 if all(len(c) > 4 and _NUMBER.fullmatch(c[4]) for _, c in rows) else 5
    parts: list[tuple[Part, str]] = []
    constituents: dict[str, Constituent] = {}
    words = 0
    for at, cells in rows:
        if len(cells) <= column or not _NUMBER.fullmatch(cells[column]):
            raise BracketError(
                f"the line names no constituent that {cells[0]!r} is in",
                where=at,
                hint="write the word, (of format 4 its lemma,) its tag, morphology, function, and "
                "the number of the constituent, with tabs between",
            )
        tag, edge = cells[column - 3], cells[column - 1]
        if _CONSTITUENT.fullmatch(cells[0]):
            made: Part = Constituent(tag, edge=edge)
            assert isinstance(made, Constituent)
            constituents[cells[0][1:]] = made
        else:
            made = Word(words, cells[0], tag, edge)
            words += 1
        parts.append((made, cells[column]))
    return Sentence(linked(parts, constituents, _ROOT, where), where)

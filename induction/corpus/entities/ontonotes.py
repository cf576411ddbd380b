"""The columns of CoNLL-2011 and CoNLL-2012 (OntoNotes): words with a tree, entities and more.

Of the columns the word, its part of speech, the bit of the tree and the entity are read. Lemmas,
predicates, senses, speakers, arguments and coreference are left out.

References
----------
Pradhan et al. (2012), CoNLL-2012 shared task: modeling multilingual unrestricted coreference in
OntoNotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError, TreewrightError
from grammar.messages import tell
from grammar.trees.tree import Tree
from induction.corpus.corpus import COLUMNS
from induction.corpus.entities.columns import spans_of_words, word_places
from induction.corpus.entities.schemes import Interval
from induction.corpus.rows import Rows
from induction.corpus.text.tokens import penn_word

__all__ = ["holds_ontonotes", "rows_of_ontonotes"]

_FEWEST = 12
_NUMBER, _WORD, _TAG, _BIT, _ENTITY = 2, 3, 4, 5, 10
_BIT_OF_TREE = re.compile(r"(?:\([^\s()*]+)*\*\)*")
_ENTITY_BIT = re.compile(r"(?:\(([^\s()*]+))?(\*)?(\))?")


def holds_ontonotes(lines: Sequence[str]) -> bool:
    """Say whether the first line with a word has the columns of CoNLL-2012.

    >>> holds_ontonotes(["#begin document (a); part 000", "a 0 0 We PRP (S(NP*)) - - - - * -"])
    True
    """
    row = next(filter(None, map(_cells, lines)), [])
    return (
        len(row) >= _FEWEST
        and row[_NUMBER] == "0"
        and row[1].isdigit()
        and _BIT_OF_TREE.fullmatch(row[_BIT]) is not None
        and _ENTITY_BIT.fullmatch(row[_ENTITY]) is not None
    )


def rows_of_ontonotes(text: str, path: str) -> Rows | None:
    """Return the sentences of such a file; None of another.

    Raises
    ------
    CorpusError
        If a line has too few columns, or the bits of a sentence are no tree. File and line are
        given.
    """
    lines = text.split("\n")
    if not holds_ontonotes(lines):
        return None
    tell(f"{path} is read as CoNLL-2012 (OntoNotes): words, tags, trees and entities")
    firsts: list[int] = []
    columns: dict[str, list[Any]] = {
        name: [] for name in ("text", "tokens", "tags", "tree", "spans")
    }
    for first, rows in _sentences(lines, path):
        firsts.append(first)
        words = [row[_WORD] for row in rows]
        sentence = " ".join(words)
        columns["text"].append(sentence)
        columns["tokens"].append(words)
        columns["tags"].append([row[_TAG] for row in rows])
        columns["tree"].append(_tree(rows, f"{path}:{first}"))
        entities = _entities([row[_ENTITY] for row in rows])
        columns["spans"].append(spans_of_words(word_places(sentence, words), entities))
    table = pa.table({name: pa.array(cells, COLUMNS[name]) for name, cells in columns.items()})
    return Rows(table, lambda row: f"{path}:{firsts[row]}")


def _cells(line: str) -> list[str]:
    return [] if line.startswith("#") else line.split()


def _sentences(lines: Sequence[str], path: str) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield the rows of each sentence, with the number of its first line."""
    rows: list[list[str]] = []
    for number, line in enumerate([*lines, ""], start=1):
        cells = _cells(line)
        if cells and len(cells) < _FEWEST:
            raise CorpusError(
                f"the line has {len(cells)} columns, not {_FEWEST} or more",
                where=f"{path}:{number}",
                hint="give all columns of CoNLL-2012",
            )
        if cells:
            rows.append(cells)
        elif rows:
            yield number - len(rows), rows
            rows = []


def _tree(rows: Sequence[Sequence[str]], where: str) -> str:
    leaves = (f"({penn_word(row[_TAG])} {penn_word(row[_WORD])})" for row in rows)
    bits = zip((row[_BIT] for row in rows), leaves, strict=True)
    brackets = " ".join(bit.replace("(", " (").replace("*", f" {leaf} ") for bit, leaf in bits)
    try:
        return str(Tree.parse(brackets))
    except TreewrightError as error:
        raise CorpusError(
            f"the bits of the sentence are no tree: {error.what}",
            where=where,
            hint="correct its column 6",
        ) from None


def _entities(bits: Sequence[str]) -> list[Interval]:
    found: list[Interval] = []
    begun: tuple[int, str] | None = None
    for word, bit in enumerate(bits):
        match = _ENTITY_BIT.fullmatch(bit)
        if match is None:
            continue
        if match[1]:
            begun = (word, match[1])
        if match[3] and begun:
            found.append((begun[0], word + 1, begun[1]))
            begun = None
    return found

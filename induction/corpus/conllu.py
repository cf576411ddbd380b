"""CoNLL-U: sentences with tags and dependencies, as Universal Dependencies are published.

Words become ``tokens``, ``tags``, ``heads`` and ``deprels``. Multiword ranges (``3-4``) are no
tokens: what they look like in the text is kept in the column ``ranges``, and in the text itself.
All else that a sentence has is in the column ``conllu`` (:data:`CONLLU`), so that it is written
again as it was: lemmas, features, the other tags, enhanced dependencies, MISC, empty nodes
(``5.1``), and comments.

References
----------
Nivre et al. 2020, Universal Dependencies v2; https://universaldependencies.org/format.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.errors import CorpusError, OptionError
from grammar.files import PathLike, as_utf8, read_bytes
from grammar.messages import tell
from induction.corpus.corpus import COLUMNS, Corpus
from induction.corpus.rows import Asked, Rows
from induction.corpus.validity import HEADS_FAULTS, first_broken_heads

__all__ = ["COMMENTS", "CONLLU", "RANGES", "SPACE", "parse_conllu", "read_conllu"]

RANGES = pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32()), ("form", pa.string())]))
"""Type of the column ``ranges``: the first and last word of each, from 1, and how it is written."""

_STRINGS = pa.list_(pa.string())
CONLLU = pa.struct(
    [
        ("lemmas", _STRINGS),
        ("upos", _STRINGS),
        ("xpos", _STRINGS),
        ("features", _STRINGS),
        ("dependencies", _STRINGS),
        ("misc", _STRINGS),
        ("ranges", _STRINGS),
        ("empty_nodes", pa.list_(pa.struct([("behind", pa.int32()), ("line", pa.string())]))),
        ("comments", _STRINGS),
    ]
)
"""Type of the column ``conllu``: one value a word as it is written in the file, null where all are
``_``; of both kinds of tags those that are not in ``tags`` (UPOS always, if ``tags`` are XPOS); the
last eight fields of each range, parted by tabs; lines of empty nodes, and the word that each stands
behind; the lines of comments, of those that are columns only what stands before the value."""

SPACE = "SpaceAfter=No"
"""What MISC says of a word that nothing parts from the next."""

COMMENTS = ("label", "text_pair", "target", "tree", "tree_pair", "spans", "provenance")
"""Columns that CoNLL-U has no field for: they are comments ``# name = JSON``."""

_TAG_FIELD = {"upos": 3, "xpos": 4}
_KEPT_FIELD = {"lemmas": 2, "features": 5, "dependencies": 8}
_COMMENT = re.compile(r"#\s*(\w+) = ?(.*)")
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
_FIELDS = 10
_DIGITS = 9
"""Numbers of words with more digits are none."""


@dataclass
class _Sentence:
    """The lines of one sentence: its comments, the fields of its words, ranges, empty nodes."""

    line: int
    comments: dict[str, tuple[int, str]] = field(default_factory=dict)
    words: list[list[str]] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    ranges: list[dict[str, Any]] = field(default_factory=list)
    range_fields: list[list[str]] = field(default_factory=list)
    empty: list[dict[str, Any]] = field(default_factory=list)
    above: list[str] = field(default_factory=list)
    glued: set[int] = field(default_factory=set)


def read_conllu(path: PathLike, *, tags: str = "upos") -> Corpus:
    """Read CoNLL-U (see the module for what is kept).

    Parameters
    ----------
    path : path
        The file; ``.gz`` and ``-`` too.
    tags : {"upos", "xpos"}
        Which tags to read.

    Returns
    -------
    Corpus
        ``id`` is ``# sent_id`` (else the number of the sentence, from 0), ``text`` is ``# text``
        (else what the forms and ``SpaceAfter=No`` say). A column of which the file says nothing
        (``_`` everywhere) is left out; ``ranges`` is there if the file has any.

    Raises
    ------
    CorpusError
        If a line has not ten fields, words are not numbered 1, 2, ..., a range or an empty node is
        out of place, or heads do not form a tree with one root. File and line are given.
    """
    data = as_utf8(read_bytes(path), str(path))
    return Corpus.from_columns(**_columns_of(parse_conllu(data, Asked(str(path), tags=tags)).table))


def _columns_of(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    return dict(zip(table.column_names, table.columns, strict=True))


_ENTITY = re.compile(r"(?<![^|])(?:NER|Entity|NE|BIO)=(?!O\b)[^|]+")


def parse_conllu(data: bytes, asked: Asked) -> Rows:
    """Read the content of a CoNLL-U file (raises like :func:`read_conllu`)."""
    if asked.tags not in _TAG_FIELD:
        raise OptionError(f"tags={asked.tags!r} is not known", hint="use 'upos' or 'xpos'")
    sentences = list(_sentences(data.decode("utf-8-sig"), asked.path))
    _tell_of_entities(sentences, asked.path)
    lines = [sentence.line for sentence in sentences]
    columns: dict[str, Any] = {
        "id": [s.comments.get("sent_id", (0, str(i)))[1].strip() for i, s in enumerate(sentences)],
        "text": [_text(sentence) for sentence in sentences],
        "tokens": [[word[1] for word in sentence.words] for sentence in sentences],
        "tags": _values(sentences, _TAG_FIELD[asked.tags]),
        "heads": _heads(sentences, asked.path),
        "deprels": _values(sentences, 7),
        **{name: _comments(name, sentences, asked.path) for name in COMMENTS},
    }
    told = {name: values for name, values in columns.items() if values is not None}
    arrays = {name: _array(name, values) for name, values in told.items()}
    if any(sentence.ranges for sentence in sentences):
        arrays["ranges"] = pa.array([sentence.ranges for sentence in sentences], RANGES)
    kept = [_kept(sentence, asked.tags) for sentence in sentences]
    if any(kept):
        arrays["conllu"] = pa.array([each or None for each in kept], CONLLU)
    return Rows(pa.table(arrays), lambda row: f"{asked.path}:{lines[row]}")


def _tell_of_entities(sentences: Sequence[_Sentence], path: str) -> None:
    """Tell of entities in the last field of words: they are kept, and no spans."""
    miscs = (word[9] for sentence in sentences for word in sentence.words)
    found = next((match[0] for misc in miscs if (match := _ENTITY.search(misc))), None)
    if found is not None:
        tell(
            f"{path}: the last field has entities, such as {found}, which are kept with their "
            "words, and not read as spans; write a word and such a tag a line, as .conll, for that"
        )


def _array(name: str, values: list[Any]) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, COLUMNS.get(name))


def _sentences(text: str, path: str) -> Iterator[_Sentence]:
    """Yield the sentences of a file, in order."""
    current: _Sentence | None = None
    # not splitlines: forms may hold characters such as U+2028
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        line = line.removesuffix("\r")
        if not line.strip():
            if current is not None:
                yield _checked(current, path)
            current = None
            continue
        if current is None:
            current = _Sentence(number)
        if line.startswith("#"):
            _add_comment(current, line, number)
        else:
            _add(current, line.split("\t"), number, path)


def _add_comment(sentence: _Sentence, line: str, number: int) -> None:
    """Keep the line of a comment; of one that is a column, what stands before its value."""
    match = _COMMENT.fullmatch(line)
    if match is None:
        sentence.above.append(line)
        return
    is_column = match[1] in ("sent_id", "text", *COMMENTS) and match[1] not in sentence.comments
    sentence.above.append(line[: match.start(2)] if is_column else line)
    sentence.comments.setdefault(match[1], (number, match[2]))


def _add(sentence: _Sentence, fields: list[str], number: int, path: str) -> None:
    """Add one line of fields to a sentence."""
    where = f"{path}:{number}"
    if len(fields) != _FIELDS:
        if len(fields) == 1 and len(fields[0].split()) == _FIELDS:
            raise CorpusError(
                "the fields of the line are parted by spaces, and those of CoNLL-U by tabs",
                where=where,
                hint="write a tab between them, or read the file as .conll (--format conll)",
            )
        raise CorpusError(
            f"the line has {len(fields)} fields, not {_FIELDS}",
            where=where,
            hint="fields are parted by single tabs; what is not known is written _; tables of 7, 8 "
            "or 14 columns are read as .conll (--format conll)",
        )
    known = len(sentence.words)
    if fields[0] == str(known + 1) and fields[1]:
        if SPACE in fields[9].split("|"):
            sentence.glued.add(known + 1)
        sentence.words.append(fields)
        sentence.lines.append(number)
    elif match := _RANGE.fullmatch(fields[0]):
        _add_range(sentence, int(match[1]), int(match[2]), fields, where)
    elif _EMPTY_NODE.fullmatch(fields[0]) and int(fields[0].split(".")[0]) == known:
        sentence.empty.append({"behind": known, "line": "\t".join(fields)})
    else:
        raise CorpusError(
            f"the id {fields[0]!r} with the form {fields[1]!r} is not word {known + 1}",
            where=where,
            hint="number the words of a sentence 1, 2, 3, ..., and part sentences by empty lines",
        )


def _add_range(sentence: _Sentence, first: int, last: int, fields: list[str], where: str) -> None:
    before = sentence.ranges[-1]["end"] if sentence.ranges else 0
    if first != len(sentence.words) + 1 or last < first or first <= before or not fields[1]:
        raise CorpusError(
            f"the range {fields[0]} is not in its place",
            where=where,
            hint="a range stands before its first word, and ranges do not overlap",
        )
    sentence.ranges.append({"start": first, "end": last, "form": fields[1]})
    sentence.range_fields.append(fields[2:])
    if SPACE in fields[9].split("|"):
        sentence.glued.add(-last)


def _checked(sentence: _Sentence, path: str) -> _Sentence:
    if not sentence.words:
        raise CorpusError(
            "the sentence has no words", where=f"{path}:{sentence.line}", hint="delete it"
        )
    if sentence.ranges and sentence.ranges[-1]["end"] > len(sentence.words):
        raise CorpusError(
            f"a range ends after the last word, {len(sentence.words)}",
            where=f"{path}:{sentence.line}",
            hint="number its words 1, 2, 3, ...",
        )
    return sentence


def _text(sentence: _Sentence) -> str:
    if "text" in sentence.comments:
        return sentence.comments["text"][1]
    ends = {span["start"]: span for span in sentence.ranges}
    pieces, word = [], 1
    while word <= len(sentence.words):
        span = ends.get(word)
        form = span["form"] if span else sentence.words[word - 1][1]
        last = span["end"] if span else word
        pieces.append(form + ("" if (-last if span else last) in sentence.glued else " "))
        word = last + 1
    return "".join(pieces).rstrip(" ")


def _values(sentences: Sequence[_Sentence], place: int) -> list[list[str]] | None:
    """Return one field of all words; None if the file says nothing of it."""
    values = [[word[place] for word in sentence.words] for sentence in sentences]
    told = any(value != "_" for row in values for value in row)
    return values if told or not values else None


def _kept(sentence: _Sentence, tags: str) -> dict[str, Any]:
    """Return what a sentence has that no other column holds; empty, if it has nothing else."""
    other = "xpos" if tags == "upos" else "upos"
    fields = {**_KEPT_FIELD, other: _TAG_FIELD[other]}
    cells = {name: [word[at] for word in sentence.words] for name, at in fields.items()}
    found: dict[str, Any] = {
        name: values
        for name, values in cells.items()
        # UPOS is there even if it says nothing: by it the writer knows that tags are XPOS
        if name == "upos" or any(value != "_" for value in values)
    }
    misc = [word[9] for word in sentence.words]
    # what the text says of spaces need not be kept, but it says nothing of that behind the last
    if misc[-1] != "_" or any(value not in ("_", SPACE) for value in misc):
        found["misc"] = misc
    rest = ["\t".join(fields) for fields in sentence.range_fields]
    plain = {"\t".join(["_"] * 7 + [value]) for value in ("_", SPACE)}
    if not plain.issuperset(rest) or (found.get("misc") and rest):
        found["ranges"] = rest
    if sentence.empty:
        found["empty_nodes"] = sentence.empty
    ours = [f"# {name} = " for name in ("sent_id", "text", *COMMENTS) if name in sentence.comments]
    if sentence.above != ours:
        found["comments"] = sentence.above
    return found


def _heads(sentences: Sequence[_Sentence], path: str) -> list[list[int]] | None:
    cells = _values(sentences, 6)
    if cells is None:
        return None
    for sentence, row in zip(sentences, cells, strict=True):
        for cell, line in zip(row, sentence.lines, strict=True):
            is_number = cell.isascii() and cell.isdecimal() and len(cell) <= _DIGITS
            if not (is_number and int(cell) <= len(row)):
                raise CorpusError(
                    f"the head {cell!r} is no word of the sentence, which has {len(row)}",
                    where=f"{path}:{line}",
                    hint="give the number of a word, or 0 for the root",
                )
    heads = [list(map(int, row)) for row in cells]
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in heads]))).astype(np.int64)
    flat = np.array([head for row in heads for head in row], np.int32)
    number, fault = first_broken_heads(offsets, flat)
    if fault:
        broken, word = sentences[int(number)], _word_at_fault(heads[int(number)])
        raise CorpusError(
            f"the heads form no tree: {HEADS_FAULTS[int(fault)]}",
            where=f"{path}:{broken.lines[word]}",
            hint="give one word of each sentence the head 0, and lead all others to it",
        )
    return heads


def _word_at_fault(heads: list[int]) -> int:
    """Return the second root, or a word that no walk leads from to the root."""
    roots = [word for word, head in enumerate(heads) if head == 0]
    if len(roots) > 1:
        return roots[1]
    for first in range(len(heads)):
        word, seen = first, set()
        while heads[word] and word not in seen:
            seen.add(word)
            word = heads[word] - 1
        if heads[word]:
            return word
    return 0


def _comments(name: str, sentences: Sequence[_Sentence], path: str) -> Any:
    """Return a column that is written in comments; None if no sentence has it."""
    found = [sentence.comments.get(name) for sentence in sentences]
    if not any(found):
        return None
    values = [comment and _comment(name, comment, path) for comment in found]
    try:
        return pa.array(values, COLUMNS.get(name))
    except (pa.ArrowException, TypeError):
        line = next(comment[0] for comment in found if comment)
        raise CorpusError(
            f"the comments '# {name}' do not hold values of one type",
            where=f"{path}:{line}",
            hint="write them the same way, or give them different names",
        ) from None


def _comment(name: str, comment: tuple[int, str], path: str) -> Any:
    line, text = comment
    kind = COLUMNS.get(name)
    try:
        value = json.loads(text)
        pa.array([value], kind)
    except (ValueError, TypeError, pa.ArrowException):
        if kind is None or pa.types.is_string(kind):
            return text  # treebanks have such comments of their own, which are plain text
        raise CorpusError(
            f"the comment '# {name}' does not hold {kind} as JSON",
            where=f"{path}:{line}",
            hint="write it as JSON, or name it otherwise",
        ) from None
    return value

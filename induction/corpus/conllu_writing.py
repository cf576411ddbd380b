"""CoNLL-U written: one sentence an example, valid and read back as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError
from induction.corpus.conllu import COMMENTS, SPACE
from induction.corpus.corpus import Corpus
from induction.corpus.rows import Write
from induction.corpus.validity import HEADS_FAULTS, heads_fault

__all__ = ["conllu_writer"]

_BREAKS = re.compile(r"[\t\n\r]")
_OURS = re.compile(r"#\s*(\w+) = ?")
_OF_WORDS = ("lemmas", "upos", "xpos", "features", "dependencies", "misc")
_PLAIN_RANGE = "\t".join("_" * 8)


@contextmanager
def conllu_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Write sentences; the corpus must have the column ``tokens``.

    ``SpaceAfter=No`` says where no white space stands in the text; the text itself is a comment.
    Tags go into the field UPOS, or into XPOS if the column ``conllu`` has UPOS; what is absent is
    ``_``.

    Raises
    ------
    CorpusError
        If an example cannot be written so that it is read back: no words, a text that does not
        consist of its tokens, columns that are not one a token, heads that are no tree, an id
        with white space, or a tab or line break in a value.
    """
    Corpus(schema.empty_table()).arrow("tokens")
    with open(path, "w", encoding="utf-8", newline="") as out:
        yield lambda table: out.writelines(map(_block, table.to_pylist()))


def _block(row: Mapping[str, Any]) -> str:
    """Return one sentence with the empty line behind it."""
    where = f"example {row['id']!r}"
    text, tokens = row["text"], row["tokens"]
    if not tokens or text is None:
        raise CorpusError("the example has no words", where=where, hint="drop it")
    if row["id"] is None or re.search(r"\s", row["id"]) or not row["id"]:
        raise CorpusError(
            "the id is empty or holds white space, which CoNLL-U does not allow",
            where=where,
            hint="give it another id",
        )
    ranges = {span["start"]: span for span in row.get("ranges") or ()}
    columns = [_cells(row, name, where) for name in ("tags", "heads", "deprels")]
    _check_heads(row.get("heads"), where)
    glued = _glued(text, tokens, ranges, where)
    kept = _kept(row, where)
    covered = {w for span in ranges.values() for w in range(span["start"], span["end"] + 1)}
    spaces = _Spaces(glued, len(tokens), covered)
    lines = _comments(row, kept)
    lines += _empty_nodes(kept, 0)
    for number, (form, tag, head, relation) in enumerate(
        zip(tokens, *columns, strict=True), start=1
    ):
        if span := ranges.get(number):
            rest = spaces.of_range(kept["ranges"][number], span["end"])
            lines.append("\t".join([f"{number}-{span['end']}", span["form"], *rest]))
        word = {name: values[number - 1] for name, values in kept["words"].items()}
        tags = [word["upos"], tag] if kept["swapped"] else [tag, word["xpos"]]
        fields = [
            str(number), form, word["lemmas"], *tags, word["features"], head, relation,
            word["dependencies"], spaces.of_word(word["misc"], number),
        ]  # fmt: skip
        if any(not cell or _BREAKS.search(cell) for cell in fields):
            raise _unwritable(where)
        lines.append("\t".join(fields))
        lines += _empty_nodes(kept, number)
    if any("\n" in line or "\r" in line for line in lines):
        raise _unwritable(where)
    return "\n".join(lines) + "\n\n"


@dataclass(frozen=True)
class _Spaces:
    """Where no white space stands, and what MISC says of it.

    Attributes
    ----------
    glued : set of int
        Words behind which none stands; ranges by their last word, negated.
    words : int
        How many there are: of the last one the text says nothing.
    covered : set of int
        Words in ranges, of which it says nothing either.
    """

    glued: set[int]
    words: int
    covered: set[int]

    def of_word(self, misc: str, number: int) -> str:
        """Return MISC of a word, that of before with what the text says of spaces."""
        known = number < self.words and number not in self.covered
        return _with_space(misc, number in self.glued) if known else misc

    def of_range(self, fields: str, last: int) -> list[str]:
        """Return the last eight fields of a range, likewise."""
        *rest, misc = fields.split("\t")
        return [*rest, _with_space(misc, -last in self.glued) if last < self.words else misc]


def _with_space(misc: str, glued: bool) -> str:
    parts = [] if misc == "_" else misc.split("|")
    if (SPACE in parts) == glued:
        return misc
    parts = [SPACE, *parts] if glued else [part for part in parts if part != SPACE]
    return "|".join(parts) or "_"


def _kept(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return what the column ``conllu`` has of a sentence, by word and by range."""
    held, words = row.get("conllu") or {}, len(row["tokens"])
    ranges = [span["start"] for span in row.get("ranges") or ()]
    columns = {name: held.get(name) or ["_"] * words for name in _OF_WORDS}
    rest = held.get("ranges") or [_PLAIN_RANGE] * len(ranges)
    if any(len(values) != words for values in columns.values()) or len(rest) != len(ranges):
        raise CorpusError(
            "the column 'conllu' is of other words than 'tokens'",
            where=where,
            hint="leave the column out: what it holds is of the words before",
        )
    return {
        "words": columns, "swapped": held.get("upos") is not None,
        "ranges": dict(zip(ranges, rest, strict=True)),
        "empty_nodes": held.get("empty_nodes") or [], "comments": held.get("comments"),
    }  # fmt: skip


def _empty_nodes(kept: Mapping[str, Any], number: int) -> list[str]:
    return [node["line"] for node in kept["empty_nodes"] if node["behind"] == number]


def _comments(row: Mapping[str, Any], kept: Mapping[str, Any]) -> list[str]:
    """Return the lines above a sentence: those that it had, in their order, with its values."""
    values = {"sent_id": row["id"], "text": row["text"]}
    for name in COMMENTS:
        if row.get(name) is not None:
            values[name] = json.dumps(row[name], ensure_ascii=False)
    before = kept["comments"]
    if before is None:
        return [f"# {name} = {value}" for name, value in values.items()]
    lines = []
    for line in before:
        match = _OURS.fullmatch(line)
        if match is None or match[1] not in (*values, *COMMENTS):
            lines.append(line)
        elif match[1] in values:
            lines.append(line + values.pop(match[1]))
    return [*lines, *(f"# {name} = {value}" for name, value in values.items())]


def _unwritable(where: str) -> CorpusError:
    return CorpusError(
        "a value is empty or holds a tab or a line break, which CoNLL-U cannot express",
        where=where,
        hint="write .jsonl, .csv or .parquet instead",
    )


def _cells(row: Mapping[str, Any], name: str, where: str) -> list[str]:
    values = row.get(name)
    if values is None:
        return ["_"] * len(row["tokens"])
    if len(values) != len(row["tokens"]):
        raise CorpusError(
            f"{name!r} and 'tokens' differ in length", where=where, hint="give one a token"
        )
    return ["_" if value is None else str(value) for value in values]


def _check_heads(heads: list[int] | None, where: str) -> None:
    if heads is not None and (fault := heads_fault(heads)):
        raise CorpusError(
            f"the heads form no tree: {HEADS_FAULTS[fault]}",
            where=where,
            hint="number words from 1, and give the root the head 0",
        )


def _glued(
    text: str, tokens: list[str], ranges: Mapping[int, Mapping[str, Any]], where: str
) -> set[int]:
    """Return the words behind which no white space stands, ranges by their last word, negated."""
    glued: set[int] = set()
    at, word = 0, 1
    while word <= len(tokens):
        span = ranges.get(word)
        form = span["form"] if span else tokens[word - 1]
        while text[at : at + 1].isspace() and not text.startswith(form, at):
            at += 1
        if not text.startswith(form, at):
            raise CorpusError(
                f"the text does not consist of its tokens: {form!r} is not what follows at "
                f"character {at}",
                where=where,
                hint="make the text of its tokens (tokenised=True), or write .jsonl",
            )
        at += len(form)
        last = span["end"] if span else word
        if text[at:].strip() and not text[at].isspace():
            glued.add(-last if span else last)
        word = last + 1
    if text[at:].strip():
        raise CorpusError(
            f"the text does not consist of its tokens: {text[at:].strip()!r} is left over",
            where=where,
            hint="make the text of its tokens (tokenised=True), or write .jsonl",
        )
    return glued

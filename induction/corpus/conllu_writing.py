"""CoNLL-U written: one sentence an example, valid and read back as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError
from induction.corpus.conllu import COMMENTS
from induction.corpus.corpus import Corpus
from induction.corpus.rows import Write
from induction.corpus.validity import HEADS_FAULTS, heads_fault

__all__ = ["conllu_writer"]

_BREAKS = re.compile(r"[\t\n\r]")


@contextmanager
def conllu_writer(path: Path, schema: pa.Schema) -> Iterator[Write]:
    """Write sentences; the corpus must have the column ``tokens``.

    ``SpaceAfter=No`` says where no white space stands in the text; the text itself is a comment.
    Tags go into the field UPOS; what is absent is ``_``.

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
    lines = [f"# sent_id = {row['id']}", f"# text = {text}"]
    for name in COMMENTS:
        if row.get(name) is not None:
            lines.append(f"# {name} = {json.dumps(row[name], ensure_ascii=False)}")
    for number, (form, tag, head, relation) in enumerate(
        zip(tokens, *columns, strict=True), start=1
    ):
        if span := ranges.get(number):
            misc = "SpaceAfter=No" if -span["end"] in glued else "_"
            name = f"{number}-{span['end']}"
            lines.append("\t".join([name, span["form"], *"______", "_", misc]))
        misc = "SpaceAfter=No" if number in glued else "_"
        fields = [str(number), form, "_", tag, "_", "_", head, relation, "_", misc]
        if any(not cell or _BREAKS.search(cell) for cell in fields):
            raise _unwritable(where)
        lines.append("\t".join(fields))
    if any("\n" in line or "\r" in line for line in lines):
        raise _unwritable(where)
    return "\n".join(lines) + "\n\n"


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

"""Texts beside their annotations, as brat keeps them: ``a.txt`` and ``a.ann``, or a folder of them.

Spans (lines ``T``) are read. Relations, events, attributes and notes are left out, and it is told.

References
----------
Stenetorp et al. 2012, brat: a web-based tool for NLP-assisted text annotation.
https://brat.nlplab.org/standoff.html
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.files import other_encoding, read_text
from grammar.messages import tell
from grammar.storage.inside import check_links
from induction.corpus.corpus import COLUMNS
from induction.corpus.rows import Asked, Rows

__all__ = ["ANNOTATIONS", "rows_of_brat"]

ANNOTATIONS = ".ann"
_SPAN = re.compile(r"(T\d+)\t(\S+) (\d{1,9} \d{1,9}(?:;\d{1,9} \d{1,9})*)(?:\t(.*))?")
_OTHERS = {
    "R": "relations", "*": "relations", "E": "events", "A": "attributes", "M": "attributes",
    "N": "normalisations", "#": "notes",
}  # fmt: skip


def rows_of_brat(files: list[Path], asked: Asked) -> Rows:
    """Return a row for each file of annotations: the text beside it, and its spans.

    Ids are the names of the files without their endings.

    Raises
    ------
    CorpusError
        If there is no text beside a file, a line is none of brat, a span is in several parts, or
        its words do not stand in the text there.
    UnreadableInputError, SchemaError
        As for other folders of texts.
    """
    left: Counter[str] = Counter()
    texts, spans = [], []
    with other_encoding(asked.encoding):
        for file in files:
            text = file.with_suffix(".txt")
            if not text.exists():
                raise CorpusError(
                    f"there is no {text.name} beside it", where=os.fspath(file), hint="put it there"
                )
            for one in (file, text) if Path(asked.path).is_dir() else ():
                check_links(asked.path, str(one), str(one))
            texts.append(read_text(text).rstrip("\r\n"))
            spans.append(_spans(read_text(file), texts[-1], os.fspath(file), left))
    rest = ", ".join(f"{count:,} {name}" for name, count in sorted(left.items()))
    tell(f"{asked.path} is read as brat" + (f"; left out: {rest}" if rest else ""))
    table = pa.table(
        {
            "id": [file.stem for file in files],
            "text": pa.array(texts, pa.string()),
            "spans": pa.array(spans, COLUMNS["spans"]),
        }
    )
    return Rows(table, lambda row: os.fspath(files[row]))


def _spans(annotations: str, text: str, path: str, left: Counter[str]) -> list[dict[str, Any]]:
    """Return the spans of a file in the order of the text; what is left out is counted."""
    spans = []
    for number, line in enumerate(annotations.split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line.strip():
            continue
        if line[0] in _OTHERS:
            left[_OTHERS[line[0]]] += 1
            continue
        match = _SPAN.fullmatch(line)
        if match is None:
            raise CorpusError(
                f"this is no line of brat: {line!r:.60}",
                where=f"{path}:{number}",
                hint="spans are written: T1, a tab, LABEL START END, a tab, and the text",
            )
        spans.append(_span(match, text, f"{path}:{number}"))
    return sorted(spans, key=lambda span: (span["start"], span["end"]))


def _span(match: re.Match[str], text: str, where: str) -> dict[str, Any]:
    name, label, places, words = match.groups()
    if ";" in places:
        raise CorpusError(
            f"the span {name} is in several parts ({places}), and a span here is one",
            where=where,
            hint="delete the line, or give it a span for each part",
        )
    start, end = map(int, places.split())
    held = text[start:end]
    if words is not None and held.split() != words.split():
        raise CorpusError(
            f"the text has {held!r:.40} at {places}, and the span {name} is {words!r:.40}",
            where=where,
            hint="give the text that was annotated, with the same line ends",
        )
    start += len(held) - len(held.lstrip())
    return {"start": start, "end": start + len(held.strip()), "label": label}

r"""Training data of Rasa NLU in YAML or Markdown: utterances under their intents, with entities.

Only this layout is read, line by line: YAML may hold objects of programs, and this is none of its
business. An entity is ``[New York](city)``, or ``[New York]{"entity": "city", "role": "to"}``.

References
----------
https://rasa.com/docs/rasa/nlu-training-data, https://legacy-docs-oss.rasa.com/docs/rasa/1.x/nlu/training-data-format
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.corpus import COLUMNS
from induction.corpus.rows import Asked, Rows

__all__ = ["is_rasa_markdown", "read_rasa", "text_and_spans"]

_ITEM = re.compile(r"(\s*)- (intent|synonym|regex|lookup)\s*:\s*(.*)")
_HEADING = re.compile(r"##\s*(intent|synonym|regex|lookup)\s*:\s*(.*)")
_SECTION = re.compile(r"([A-Za-z_]\w*)\s*:")
_KEY = re.compile(r"\s*(?:- )?(text|intent|metadata|examples)\s*:\s*(.*)")
_EXAMPLE = re.compile(r"\s*- (.*\S)\s*")
_BLOCK = re.compile(r"[|>][+-]?\d?")
_ENTITY = re.compile(
    r"\[(?P<text>[^\]\[]+)\](?:\((?P<label>[^:()]+)(?::[^()]*)?\)|(?P<object>\{[^{}]*\}))"
)
_SEVERAL = re.compile(r"\]\[\s*\{")
_LEFT_OUT = {"synonym": "synonyms", "regex": "expressions", "lookup": "look-up tables"}


@dataclass
class _State:
    """Where the lines of a file have come to."""

    section: str = ""
    kind: str = ""
    intent: str = ""
    begun: bool = False
    listed: bool = False
    in_text: bool = False
    left: Counter[str] = field(default_factory=Counter)


def is_rasa_markdown(data: bytes) -> bool:
    r"""Say whether a file of Markdown has intents of Rasa as its headings.

    >>> is_rasa_markdown(b"## intent:greet\n- hello\n"), is_rasa_markdown(b"# Intents\n")
    (True, False)
    """
    return re.search(rb"(?m)^##\s*intent\s*:\s*\S+[ \t]*\r?\n\s*- ", data) is not None


def read_rasa(data: bytes, asked: Asked) -> Rows:
    r"""Read utterances with their intents as ``label``, and entities as ``spans``.

    Synonyms, look-up tables, roles, groups and values of entities are not kept; it is told.

    Raises
    ------
    CorpusError
        If there are no utterances, or an entity is none.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> given = b"nlu:\n- intent: greet\n  examples: |\n    - hello [Ann](name)\n"
    >>> with heard_by(print):
    ...     read_rasa(given, Asked("nlu.yml")).table.to_pylist()
    nlu.yml is read as training data of Rasa
    [{'text': 'hello Ann', 'label': 'greet', 'spans': [{'start': 6, 'end': 9, 'label': 'name'}]}]
    """
    state, rows, lines = _State(), [], []
    for number, intent, utterance in _utterances(data.decode("utf-8-sig").splitlines(), state):
        where = f"{asked.path}:{number}"
        text, spans = text_and_spans(utterance, where)
        rows.append({"text": text, "label": intent, "spans": spans})
        lines.append(number)
    if not rows:
        raise CorpusError(
            "there are no utterances of intents, as Rasa has them, in this file",
            where=asked.path,
            hint="give the file with 'nlu:' and '- intent: NAME' above 'examples: |'; write rows "
            "of others as .jsonl or .csv",
        )
    left = ", ".join(f"{count} {name}" for name, count in state.left.items())
    tell(f"{asked.path} is read as training data of Rasa" + (f"; left out: {left}" if left else ""))
    schema = [("text", pa.string()), ("label", pa.string()), ("spans", COLUMNS["spans"])]
    table = pa.Table.from_pylist(rows, schema=pa.schema(schema))
    if not any(row["spans"] for row in rows):
        table = table.drop_columns(["spans"])
    return Rows(table, lambda row: f"{asked.path}:{lines[row]}")


def _utterances(lines: list[str], state: _State) -> Iterator[tuple[int, str, str]]:
    """Yield the utterances of a file: the number of the line, the intent, and what it holds."""
    for number, line in enumerate(lines, start=1):
        if not line.strip() or (line.lstrip().startswith("#") and not _HEADING.match(line)):
            continue
        heading = _HEADING.fullmatch(line)
        item = _ITEM.fullmatch(line) if state.section == "nlu" else None
        if (found := heading or item) is not None:
            state.kind, state.intent = found.groups()[-2], _bare(found.groups()[-1])
            state.begun, state.listed, state.in_text = heading is not None, False, False
            if state.kind in _LEFT_OUT:
                state.left[_LEFT_OUT[state.kind]] += 1
        elif (section := _SECTION.match(line)) is not None:
            state.section, state.kind = section[1], ""
            if section[1] not in ("nlu", "version"):
                state.left[section[1]] += 1
        elif state.kind == "intent" and (utterance := _utterance(line, state)):
            yield number, state.intent, utterance


def _utterance(line: str, state: _State) -> str | None:
    """Return what a line of an intent holds, if it is an utterance."""
    if (key := _KEY.fullmatch(line)) is not None:
        name, value = key.groups()
        if name == "examples":
            state.begun, state.listed = True, not value
        state.in_text = name == "text" and _BLOCK.fullmatch(value) is not None
        return _bare(value) if name == "text" and not state.in_text else None
    if state.in_text:
        state.in_text = False
        return line.strip()
    example = _EXAMPLE.fullmatch(line)
    if example is None or not state.begun:
        return None
    return _bare(example[1]) if state.listed else example[1].strip()


def _bare(value: str) -> str:
    """Return a value of YAML without its quotes, or the comment behind it."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return re.split(r"(?<!\s)\s+#", value, maxsplit=1)[0].strip()


def text_and_spans(utterance: str, where: str) -> tuple[str, list[dict[str, object]]]:
    """Return the text of an utterance, and its entities as spans.

    Raises
    ------
    CorpusError
        If what stands behind a part in brackets has no entity.

    Examples
    --------
    >>> text_and_spans('to [New York]{"entity": "city", "role": "to"} now', "a.yml:1")
    ('to New York now', [{'start': 3, 'end': 11, 'label': 'city'}])
    """
    if _SEVERAL.search(utterance):
        raise CorpusError(
            f"a part of {utterance:.60} has several entities",
            where=where,
            hint="a part has one entity here: keep one of them",
        )
    text, spans, at = "", [], 0
    for found in _ENTITY.finditer(utterance):
        text += utterance[at : found.start()]
        label = found["label"] or _entity_of(found["object"], where)
        spans.append({"start": len(text), "end": len(text) + len(found["text"]), "label": label})
        text += found["text"]
        at = found.end()
    return text + utterance[at:], spans


def _entity_of(written: str, where: str) -> str:
    try:
        value = json.loads(written)
    except ValueError:
        value = None
    label = value.get("entity") if isinstance(value, dict) else None
    if not isinstance(label, str) or not label:
        raise CorpusError(
            f"{written:.60} names no entity",
            where=where,
            hint='write it as [New York](city), or [New York]{"entity": "city"}',
        )
    return label

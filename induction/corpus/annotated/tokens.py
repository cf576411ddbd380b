"""Columns of tokens and their tags without a text, as Hugging Face's sets of entities have them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.corpus import COLUMNS, first_with_null, null_in_list
from induction.corpus.entities.columns import spans_of_words, word_places
from induction.corpus.entities.schemes import in_scheme, is_scheme, words_of_tags
from induction.corpus.validity import is_list

__all__ = [
    "names_of_tags",
    "with_named_tags",
    "with_spans_of_tags",
    "with_tags_of_words",
    "with_text_of_tokens",
]

_TOKENS = ("tokens", "words")
_OF_ENTITIES = ("ner_tags", "ner", "entity_tags", "bio_tags")
_TAGS = (*_OF_ENTITIES, "tags", "labels")
_FEWEST_SIZES = 2
"""Lists of one length may have a place for each class."""
_FEWEST_WORDS = 12
"""Of fewer, sets of classes may have these sizes by chance."""


def with_text_of_tokens(table: pa.Table, kept: Collection[str] = ()) -> pa.Table:
    """Return a table with the text of its tokens, if it has tokens and no column of texts.

    The text has single spaces between tokens. Tags of spans become ``spans``, but for columns that
    are ``kept``; it is told.

    >>> from grammar.messages import heard_by
    >>> given = pa.table({"tokens": [["EU", "rejects"]], "ner_tags": [["B-ORG", "O"]]})
    >>> with heard_by(print):
    ...     made = with_text_of_tokens(given).to_pylist()
    text is made of the tokens in 'tokens', and spans of 'ner_tags'
    >>> made[0]["text"], made[0]["spans"]
    ('EU rejects', [{'start': 0, 'end': 2, 'label': 'ORG'}])

    Raises
    ------
    CorpusError
        If a token or a tag is missing, or there is not one tag a token.
    """
    name = next((one for one in _TOKENS if one in table.column_names), None)
    if name is None or not _holds(table, name, pa.types.is_string):
        return table
    _refuse_null(table, name)
    tokens = table.column(name).to_pylist()
    texts = [None if row is None else " ".join(row) for row in tokens]
    told = f"text is made of the tokens in {name!r}"
    table = table.add_column(0, "text", pa.array(texts, pa.string()))
    if name != "tokens":
        table = table.rename_columns(["tokens" if n == name else n for n in table.column_names])
    tags = next((one for one in _TAGS if one not in kept and _rows_of_tags(table, one)), None)
    if tags is not None and "spans" not in table.column_names:
        _refuse_null(table, tags)
        table = _with_spans(table, tags)
        told += f", and spans of {tags!r}"
    tell(told)
    for one in _TAGS[:-1]:
        if one in table.column_names and _holds(table, one, pa.types.is_integer):
            tell(
                f"{one!r} are numbers without names, so that no spans are made of them: in Python "
                f"induction.with_spans(corpus, {one!r}, names=[...]) does"
            )
    return table


def with_tags_of_words(table: pa.Table) -> pa.Table:
    """Return a table whose ``labels`` are ``tags``, if they are lists of a value for each word.

    It is told. Words are the tokens, or of many texts what stands between white space.

    >>> from grammar.messages import heard_by
    >>> given = pa.table({"tokens": [["we", "ran"], ["so"]], "labels": [["PRP", "VBD"], ["RB"]]})
    >>> with heard_by(print):
    ...     with_tags_of_words(given).column_names
    'labels' has a value for each word: they are read as tags
    ['tokens', 'tags']
    """
    name = next((one for one in ("labels", "label") if one in table.column_names), None)
    words = next((one for one in (*_TOKENS, "text") if one in table.column_names), None)
    if name is None or words is None or "tags" in table.column_names:
        return table
    if not is_list(table.schema.field(name).type) or _rows_of_tags(table, name):
        return table
    texts = table.column(words).to_pylist()
    sizes = [len(one.split() if isinstance(one, str) else one or ()) for one in texts]
    own = [len(one or ()) for one in table.column(name).to_pylist()]
    are_few = len({*own}) < _FEWEST_SIZES or (words == "text" and sum(sizes) < _FEWEST_WORDS)
    if own != sizes or are_few:
        return table
    tell(f"{name!r} has a value for each word: they are read as tags")
    return table.rename_columns(["tags" if one == name else one for one in table.column_names])


def with_spans_of_tags(table: pa.Table) -> pa.Table:
    """Return a table with the spans of its tags of entities, if its tokens stand in its texts.

    It is told. Tags that are no tags of spans, or are not one a token, stay as they are.

    >>> from grammar.messages import heard_by
    >>> row = {"text": "EU rejects.", "tokens": ["EU", "rejects", "."], "ner": ["ORG", "O", "O"]}
    >>> with heard_by(print):
    ...     made = with_spans_of_tags(pa.Table.from_pylist([row])).to_pylist()
    tags have no B- and I- (IO), so that words of one label beside one another are one span
    spans are made of 'ner'
    >>> made[0]["spans"]
    [{'start': 0, 'end': 2, 'label': 'ORG'}]
    """
    tags = next((one for one in _OF_ENTITIES if _rows_of_tags(table, one)), None)
    if tags is None or "spans" in table.column_names or "tokens" not in table.column_names:
        return table
    if any(first_with_null(table.column(name)) is not None for name in ("tokens", tags)):
        return table
    try:
        table = _with_spans(table, tags)
    except CorpusError:
        return table
    tell(f"spans are made of {tags!r}")
    return table


def _with_spans(table: pa.Table, tags: str) -> pa.Table:
    """Return a table with spans in the place of a column of tags."""
    texts, tokens = (table.column(name).to_pylist() for name in ("text", "tokens"))
    rows, told = _rows_of_tags(table, tags) or ([], "")
    spans = _spans(texts, tokens, rows, tags)
    if told:
        tell(told)
    return table.drop_columns([tags]).append_column("spans", spans)


def with_named_tags(table: pa.Table, names: Mapping[str, Sequence[str]]) -> pa.Table:
    """Return a table with names for numbers of tags of spans, if it has no text beside its tokens.

    Spans are then made of them; numbers of all other classes stay as they are.

    Parameters
    ----------
    table : pyarrow.Table
        With columns of lists of numbers.
    names : mapping
        Of such columns: what each number is called.

    Examples
    --------
    >>> table = pa.table({"tokens": [["EU", "rejects"]], "ner_tags": [[1, 0]]})
    >>> with_named_tags(table, {"ner_tags": ["O", "B-ORG"]}).to_pylist()
    [{'tokens': ['EU', 'rejects'], 'ner_tags': ['B-ORG', 'O']}]
    """
    if "text" in table.column_names:
        return table
    for column, own in names.items():
        if column not in table.column_names or not is_scheme(own):
            continue
        if not _holds(table, column, pa.types.is_integer):
            continue
        rows = table.column(column).to_pylist()
        if all(0 <= (tag or 0) < len(own) for row in rows for tag in row or ()):
            tags = [row and [None if tag is None else own[tag] for tag in row] for row in rows]
            at = table.column_names.index(column)
            table = table.set_column(at, column, pa.array(tags, pa.list_(pa.string())))
    return table


def names_of_tags(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Return what Hugging Face notes in files of columns of numbers: the names that they stand for.

    >>> info = b'{"info": {"features": {"ner_tags": {"feature": {"names": ["O", "B-ORG"]}}}}}'
    >>> names_of_tags({b"huggingface": info})
    {'ner_tags': ['O', 'B-ORG']}
    """
    try:
        features = json.loads((metadata or {})[b"huggingface"])["info"]["features"]
        found = {name: one["feature"]["names"] for name, one in features.items() if _of_tags(one)}
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return {}
    return {
        name: own
        for name, own in found.items()
        if isinstance(own, list) and all(isinstance(one, str) for one in own)
    }


def _of_tags(feature: Any) -> bool:
    inner = feature.get("feature") if isinstance(feature, dict) else None
    return isinstance(inner, dict) and "names" in inner


def _holds(table: pa.Table, name: str, is_kind: Any) -> bool:
    kind = table.schema.field(name).type
    return is_list(kind) and bool(is_kind(kind.value_type))


def _rows_of_tags(table: pa.Table, name: str) -> tuple[list[Any], str] | None:
    """Return the rows of a column of tags of spans, and what is to be told; None if it is none.

    Tags without prefixes are such only where the column is named after entities.
    """
    if name not in table.column_names or not _holds(table, name, pa.types.is_string):
        return None
    rows = table.column(name).to_pylist()
    known = {tag for row in rows for tag in row or () if tag is not None}
    if is_scheme(known):
        return rows, ""
    written, told = in_scheme(known) if name in _OF_ENTITIES else ({}, "")
    if not written:
        return None
    return [row and [written.get(tag, tag) for tag in row] for row in rows], told


def _refuse_null(table: pa.Table, name: str) -> None:
    """Refuse a list in which a token or a tag is missing: no text and no span is made of it."""
    column = table.column(name)
    if (row := first_with_null(column)) is not None:
        fault = null_in_list(name, column[row].as_py())
        raise CorpusError(fault.what, where=f"row {row + 1}", hint=fault.hint)


def _spans(texts: list[Any], tokens: list[Any], tags: list[Any], name: str) -> pa.Array:
    made = []
    for number, (text, words, row) in enumerate(zip(texts, tokens, tags, strict=True), start=1):
        if words is None or row is None or len(words) != len(row):
            raise CorpusError(
                f"there is not one of {name!r} a token",
                where=f"row {number}",
                hint="give as many as there are tokens",
            )
        made.append(spans_of_words(word_places(text, words), words_of_tags(row)))
    return pa.array(made, COLUMNS["spans"])

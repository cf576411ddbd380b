"""Tables with a word a row, as Kaggle's sets of entities have them, and cells with lists of words.

The number of the sentence stands on each row of it, or on its first row alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from grammar.errors import CorpusError
from grammar.messages import tell
from induction.corpus.corpus import COLUMNS
from induction.corpus.entities.columns import spans_of_words, word_places
from induction.corpus.entities.schemes import in_scheme, is_scheme, words_of_tags

__all__ = ["WORD_NAMES", "sentences_of_words", "with_lists_of_cells"]

WORD_NAMES = ("word", "words", "token", "tokens", "form")
"""What a column of words is called."""
_OF_SENTENCES = (
    "sentence_#", "sentence#", "sentence", "sentence_id", "sentence_idx", "sentence_number",
    "sent", "sent_id", "sent_no", "sentid",
)  # fmt: skip
_OF_TAGS = (
    "tag", "tags", "ner", "ner_tag", "ner_tags", "label", "labels", "entity", "bio", "iob", "slots",
    "slot", "bio_tags", "iob_tags",
)  # fmt: skip
_OF_SPEECH = ("pos", "pos_tag", "pos_tags", "upos", "xpos")
_LIST = re.compile(r"\s*\[.*\]\s*", re.DOTALL)
_QUOTED = r"""(?:'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*")"""
_WORD = re.compile(_QUOTED)
_OF_PYTHON = re.compile(rf"\[(?:{_QUOTED}(?:, ?{_QUOTED})*)?\]")
_OF_NUMPY = re.compile(rf"\[\s*+(?:{_QUOTED}|-?\d++)?(?:\s++(?:{_QUOTED}|-?\d++|\.\.\.))*+\s*+\]")
_ESCAPED = re.compile(r"""\\(['"\\])""")


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_")


def _called(table: pa.Table, names: Sequence[str]) -> str | None:
    """Return the first column of texts that is called so; None if there is none."""
    own = {_plain(field.name): field for field in reversed([*table.schema])}
    found = next((own[name] for name in names if name in own), None)
    return found.name if found is not None and pa.types.is_string(found.type) else None


def sentences_of_words(table: pa.Table, path: str) -> pa.Table:
    """Return a row a sentence for a table with a row a word; another table as it is. It is told.

    Raises
    ------
    CorpusError
        If words have a tag of no scheme, or the first has no sentence.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> given = pa.table({"Sentence #": ["Sentence: 1", "", "Sentence: 2"],
    ...                   "Word": ["in", "Bonn", "so"], "Tag": ["O", "B-geo", "O"]})
    >>> with heard_by(print):
    ...     made = sentences_of_words(given, "a.csv").to_pylist()
    a.csv holds a word a row: sentences are told by 'Sentence #', spans are made of 'Tag'
    >>> made[0]["text"], made[0]["spans"]
    ('in Bonn', [{'start': 3, 'end': 7, 'label': 'geo'}])
    """
    word, number = _called(table, WORD_NAMES), _called(table, _OF_SENTENCES)
    if word is None or number is None or not table.num_rows:
        return table
    numbers = table.column(number).to_pylist()
    if any(len((cell or "").split()) > 2 for cell in numbers):  # it holds the sentences
        return table
    if not numbers[0]:
        raise CorpusError(
            f"the first word has no sentence in {number!r}",
            where=path,
            hint="number the sentence on its first row, or on all of its rows",
        )
    begins = [0]
    for row in range(1, len(numbers)):
        if numbers[row] and numbers[row] != numbers[begins[-1]]:
            begins.append(row)
    bounds = [*zip(begins, [*begins[1:], len(numbers)], strict=True)]

    def lists(name: str) -> list[list[str]]:
        cells = table.column(name).to_pylist()
        return [[cell or "" for cell in cells[a:b]] for a, b in bounds]

    tokens = lists(word)
    columns: dict[str, Any] = {"text": [" ".join(row) for row in tokens], "tokens": tokens}
    told = f"{path} holds a word a row: sentences are told by {number!r}"
    if (speech := _called(table, _OF_SPEECH)) is not None:
        columns["tags"] = lists(speech)
    if (tag := _called(table, _OF_TAGS)) is not None:
        found = lists(tag)
        columns["spans"] = _spans(columns["text"], tokens, found, tag, path)
        told += f", spans are made of {tag!r}"
    tell(told)
    return pa.table({name: pa.array(rows, COLUMNS[name]) for name, rows in columns.items()})


def _spans(
    texts: Sequence[str], tokens: list[list[str]], tags: list[list[str]], name: str, path: str
) -> list[Any]:
    written, told = in_scheme({tag for row in tags for tag in row})
    if written:
        tell(f"{path}: {told}")
    made = []
    for number, (text, words, row) in enumerate(zip(texts, tokens, tags, strict=True), start=1):
        try:
            intervals = words_of_tags([written.get(tag, tag) for tag in row])
        except CorpusError as error:
            where = f"{path}, sentence {number}, column {name!r}"
            raise CorpusError(error.what, where=where, hint=error.hint) from None
        made.append(spans_of_words(word_places(text, words), intervals))
    return made


def with_lists_of_cells(table: pa.Table, path: str) -> pa.Table:
    """Return a table with lists for cells that hold lists of words or of tags, as pandas writes.

    Where texts stand beside lists of tags, words are what stands between white space, if there are
    as many as tags; spans are made of them, which is told.

    >>> given = pa.table({"tokens": ["['in', 'Bonn']"], "ner_tags": ["[0, 5]"]})
    >>> with_lists_of_cells(given, "a.csv").to_pylist()
    [{'tokens': ['in', 'Bonn'], 'ner_tags': [0, 5]}]
    """
    for name in table.column_names:
        if _plain(name) not in (*WORD_NAMES, *_OF_TAGS, *_OF_SPEECH):
            continue
        cells = table.column(name)
        if not pa.types.is_string(cells.type):
            continue
        held = cells.to_pylist()
        _refuse_lists_of_numpy(held, name, path)
        lists = _lists(held)
        lists = _parted(held) if lists is None and _plain(name) in _OF_TAGS else lists
        if lists is not None:
            at = table.column_names.index(name)
            own = _plain(name) if _plain(name) in ("tokens", "ner_tags", "tags") else name
            table = table.set_column(at, name if own in table.column_names else own, lists)
    return _with_spans_of_tags(table, path)


def _with_spans_of_tags(table: pa.Table, path: str) -> pa.Table:
    """Return a table with tokens and spans for texts and lists of their tags, if they agree."""
    text = _called(table, ("text", "sentence", "sentences"))
    called = {_plain(name): name for name in reversed(table.column_names)}
    tag = next((called[n] for n in _OF_TAGS if n in called and _holds_texts(table, called[n])), "")
    if text is None or not tag or {"tokens", "spans"} & {*table.column_names}:
        return table
    texts, tags = table.column(text).to_pylist(), table.column(tag).to_pylist()
    tokens = [(one or "").split() for one in texts]
    written, _ = in_scheme({one for row in tags for one in row})
    is_of_scheme = written or is_scheme({one for row in tags for one in row})
    if not is_of_scheme or [*map(len, tokens)] != [*map(len, tags)]:
        return table
    spans = _spans(texts, tokens, tags, tag, path)
    tell(f"{path}: spans are made of {tag!r}, a tag for each word of {text!r}")
    table = table.drop_columns([tag])
    for name, rows in (("tokens", tokens), ("spans", spans)):
        table = table.append_column(name, pa.array(rows, COLUMNS[name]))
    speech = next((called[n] for n in _OF_SPEECH if n in called), "")
    if speech and _holds_texts(table, speech) and "tags" not in table.column_names:
        names = ["tags" if name == speech else name for name in table.column_names]
        table = table.rename_columns(names)
    return table


def _holds_texts(table: pa.Table, name: str) -> bool:
    kind = table.schema.field(name).type
    return bool(pa.types.is_list(kind) and pa.types.is_string(kind.value_type))


def _lists(cells: Sequence[str | None]) -> pa.Array | None:
    """Return lists of texts or of whole numbers that cells hold; None if one holds none."""
    made = []
    for cell in cells:
        if not cell or not _LIST.fullmatch(cell):
            return None
        row = _list_of(cell.strip())
        if row is None:
            return None
        made.append(row)
    for kind, arrow in ((str, pa.string()), (int, pa.int64())):
        if all(type(one) is kind for row in made for one in row):
            return pa.array(made, pa.list_(arrow)) if any(made) else None
    return None


def _parted(cells: Sequence[str | None]) -> pa.Array | None:
    """Return lists for cells that hold tags of spans with spaces between; None of other cells.

    >>> _parted(["O B-PER", "O"]).to_pylist(), _parted(["good film", "bad"])
    ([['O', 'B-PER'], ['O']], None)
    """
    rows = [(cell or "").split() for cell in cells]
    tags = {tag for row in rows for tag in row}
    if not tags or not any(len(row) > 1 for row in rows) or not is_scheme(tags):
        return None
    return pa.array(rows, pa.list_(pa.string())) if tags != {"O"} else None


def _refuse_lists_of_numpy(cells: Sequence[str | None], name: str, path: str) -> None:
    """Refuse cells that hold arrays as NumPy prints them: nothing parts their values for sure."""
    there = [cell.strip() for cell in cells if cell]
    if any(cell.count(" ") for cell in there) and all(map(_OF_NUMPY.fullmatch, there)):
        raise CorpusError(
            f"the column {name!r} holds arrays as NumPy prints them: {there[0]!r:.60}",
            where=path,
            hint="write lists: frame[column].map(list) before frame.to_json(path, "
            "orient='records', lines=True)",
        )


def _list_of(cell: str) -> list[Any] | None:
    """Return the list that a cell is, as JSON or Python writes it; None if it is none.

    >>> _list_of("['in', 'so']"), _list_of("[1, 2]"), _list_of("['in' 'so']")
    (['in', 'so'], [1, 2], None)
    """
    try:
        row = json.loads(cell)
    except (ValueError, RecursionError):
        row = None
    if isinstance(row, list):
        return row
    if not _OF_PYTHON.fullmatch(cell):
        return None
    return [_ESCAPED.sub(r"\1", one[1:-1]) for one in _WORD.findall(cell)]

"""The usual names of the columns of texts and classes, so that files are read as they come."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from shlex import quote
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from grammar.errors import CorpusError, OptionError
from grammar.messages import tell
from induction.corpus.column_names import (
    LABEL_NAMES,
    LONG,
    MIXED,
    PAIR_NAMES,
    TARGET_NAMES,
    TEXT_NAMES,
    is_longest,
)
from induction.corpus.corpus import COLUMNS
from induction.corpus.inputs.class_columns import indicators_of
from induction.corpus.tables.kinds import leaves
from induction.corpus.text.unspaced import are_unspaced
from induction.corpus.validity import is_list

__all__ = ["has_text", "long_columns", "refuse_nested", "renamed_by_use"]

_FEWEST = 2
_LOOKED_AT = 200
_MOST_OF_A_ROW = 4
_MOST_CLASSES = 20
_FEW_ROWS = 10
"""In so few rows it is enough that one value comes again."""
_SIGNS_OF_A_WORD = 2
"""So many signs has a word of Chinese or Japanese, about."""
_NUMBER = re.compile(r"-?\d{1,3}")
_IS_ID = re.compile(r"(?i:(?:^|[\W_])ids?$)|[A-Za-z]I[dD]$")
_PARTS = re.compile(r"[\W_]+")
_TREE = re.compile(r"(?s)\s*\((?:[^\s()]+\s|\s*\([^\s()]).*\)\s*")
_TREES = ("tree", "tree_pair")
_STRUCTURES = {"target", "tree", "tree_pair", "spans", "tokens", "tags"}
"""Columns of corpora that usually have no classes."""


def has_text(table: pa.Table, rename: Mapping[str, str]) -> bool:
    """Say whether a column is called as texts are, or becomes one.

    >>> has_text(pa.table({"Review": ["good"]}), {}), has_text(pa.table({"tokens": [["a"]]}), {})
    (True, False)
    """
    usual = {name for group in TEXT_NAMES for name in group}
    return any(
        rename.get(field.name, "") == "text" or (_plain(field.name) in usual and _is_text(field))
        for field in table.schema
    )


def _is_text(field: pa.Field) -> bool:
    return bool(pa.types.is_string(field.type) or pa.types.is_large_string(field.type))


def renamed_by_use(
    table: pa.Table,
    rename: Mapping[str, str],
    text: str | None,
    label: str | None,
) -> dict[str, str]:
    """Return which columns get the names ``text`` and ``label``, with those that are asked for.

    What is recognised by a usual name is told, and so is the only column of long texts, whatever
    its name, where no name tells.

    Parameters
    ----------
    table : pyarrow.Table
        As it was read.
    rename : mapping
        Names of its columns to new names, as asked for.
    text, label : str, optional
        The columns that hold texts and classes; an empty name: there are no classes.

    Raises
    ------
    OptionError
        If several columns have usual names, or texts seem to be within a nested column; the
        message names the option that says which.

    Examples
    --------
    >>> from grammar.messages import heard_by
    >>> with heard_by(print):
    ...     renamed_by_use(pa.table({"Review": ["good"], "stars": [5]}), {}, None, None)
    text is read from the column 'Review', label from 'stars'
    {'Review': 'text', 'stars': 'label'}
    """
    names = dict(rename)
    for new, old in (("text", text), ("label", label)):
        if old and old != new:
            names[old] = new
    if label is None and MIXED in table.column_names:
        names.setdefault(MIXED, "label")
    of_trees = _trees(table, names)
    names |= {old: new for new, old in of_trees.items()}
    found = {} if text is not None else _pairs(table, names)
    names |= {old: new for new, old in found.items()}
    for new, usual, asked in (("text", TEXT_NAMES, text), ("label", LABEL_NAMES, label)):
        there = [names.get(name, name) for name in table.column_names]
        # pairs of a source and its target have no classes
        of_pairs = new == "label" and "target" in there and not _target_of_classes(table, there)
        if asked is None and new not in there and not of_pairs:
            open_ones = [n for n in table.column_names if n not in names and n not in COLUMNS]
            usable = [n for n in open_ones if _can_be(new, table.column(n))]
            if new == "label":
                old = _recognised(new, usable, usual)
                old = _target_of_classes(table, there) if old is None else old
                if old is None and not _STRUCTURES & {*there}:
                    _tell_of_classes(table, usable)
            else:
                alone = usable and usable == table.column_names[:1] == there
                old = usable[0] if alone else _text_of(table, usable)
            if old is not None:
                names[old] = new
                found[new] = old
    found |= of_trees
    if found:
        told = (f"{new} {'is read ' * (k == 0)}from " for k, new in enumerate(found))
        columns = (
            f"{'the column ' * (k == 0)}{old[:80]!r}" for k, old in enumerate(found.values())
        )
        tell(", ".join(map("".join, zip(told, columns, strict=True))))
    return names


def _trees(table: pa.Table, names: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of labelled brackets by what they become, if none is called so.

    >>> _trees(pa.table({"parse": ["(S (NP we) (VP ran))"], "so": ["(we) ran"]}), {})
    {'tree': 'parse'}
    """
    if _TREES[0] in {names.get(name, name) for name in table.column_names}:
        return {}
    held = [
        field.name
        for field in table.schema
        if _is_text(field) and field.name not in names and field.name not in COLUMNS
        if _holds_trees(table.column(field.name))
    ]
    return (
        dict(zip(_TREES, held, strict=True))
        if len(held) == len(_TREES)
        else ({_TREES[0]: held[0]} if len(held) == 1 else {})
    )


def _holds_trees(column: pa.ChunkedArray) -> bool:
    values = column.slice(0, _LOOKED_AT).to_pylist()
    return bool(values) and all(
        value is not None and _TREE.fullmatch(value) and value.count("(") == value.count(")") > 1
        for value in values
    )


def _pairs(table: pa.Table, names: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of pairs of texts by what they become; none if there are none.

    The second may be the target of the first.
    """
    taken = {"text", "text_pair", "target"}
    called = {_plain(n): n for n in table.column_names if n not in names}
    for pair in (*PAIR_NAMES, *TARGET_NAMES):
        both = [called[name] for name in pair if name in called]
        others = {names.get(name, name) for name in table.column_names if name not in both}
        if len(both) < len(pair) or taken & others:
            continue
        if all(_can_be("text", table.column(name)) for name in both):
            return dict(
                zip(("text", "target" if pair in TARGET_NAMES else "text_pair"), both, strict=True)
            )
    return {}


def _target_of_classes(table: pa.Table, there: Sequence[str]) -> str | None:
    """Return the column ``target`` if its values are numbers of classes; None of outputs.

    >>> of_texts = {"text": ["so", "it", "is", "he"]}
    >>> _target_of_classes(pa.table({**of_texts, "target": ["0", "1", "0", "1"]}), ["target"])
    'target'
    >>> _target_of_classes(pa.table({**of_texts, "target": ["a", "b c", "a", "a"]}), ["target"])
    """
    if "target" not in there or "target" not in table.column_names:
        return None
    values = table.column("target").slice(0, _LOOKED_AT).drop_null()
    kinds = values.unique().to_pylist()
    few = _FEWEST <= len(kinds) <= min(_MOST_CLASSES, len(values) // 2)
    return "target" if few and all(_NUMBER.fullmatch(str(kind)) for kind in kinds) else None


def _tell_of_classes(table: pa.Table, names: Sequence[str]) -> None:
    """Tell which column may hold the classes, where none is called as they are."""
    several = indicators_of(table)
    found: dict[str, int] = {}
    for name in names:
        if not name or (len(several) > 1 and name in several):  # which is told of all of them
            continue
        values = table.column(name).slice(0, _LOOKED_AT).drop_null()
        if is_list(values.type):
            if _are_sets(values):
                tell(
                    f"no column is called as classes are, so there are none; {name!r} has several "
                    f"names a row: --label {quote(name)} reads them as sets of classes"
                )
                return
            continue
        count = len(values.unique())
        most = len(values) - 1 if len(values) < _FEW_ROWS else len(values) // 2
        if _FEWEST <= count <= min(_MOST_CLASSES, most) and not _has_words(values):
            found[name] = count
    found = {name: found[name] for name in _most_like_classes([*found])}
    if found:
        first, *others = found
        more = f" (others may hold them: {', '.join(map(repr, others))})" if others else ""
        tell(
            f"no column is called as classes are, so there are none; {first!r} has {found[first]} "
            f"different values{more}: --label {quote(first)} reads them, and --label '' ends this "
            "line"
        )


def _most_like_classes(names: Sequence[str]) -> list[str]:
    """Return names without those of ids, and first those that hold a usual name of classes.

    An id of a class is one.

    >>> _most_like_classes(["HITId", "genre", "Answer.sentiment", "user_id"])
    ['Answer.sentiment', 'genre']
    """
    usual = {name for group in LABEL_NAMES for name in group}
    unlike = {name: usual.isdisjoint(_PARTS.split(name.casefold())) for name in names}
    kept = (name for name in names if not (unlike[name] and _IS_ID.search(name)))
    return sorted(kept, key=unlike.__getitem__)


def _has_words(values: pa.ChunkedArray) -> bool:
    """Say whether values are texts of several words, such as titles that come again."""
    return bool(pa.types.is_string(values.type)) and _words(values) >= LONG


def _are_sets(values: pa.ChunkedArray) -> bool:
    """Say whether rows have few names each, some of which stand in several rows.

    >>> _are_sets(pa.chunked_array([[["war", "love"], ["war"], []]]))
    True
    >>> _are_sets(pa.chunked_array([["we saw a film".split(), "so it is".split()]]))
    False
    """
    if not pa.types.is_string(values.type.value_type) or not len(values):
        return False
    names = pc.list_flatten(values)
    count = len(names.unique())
    few = len(names) <= _MOST_OF_A_ROW * len(values)
    return few and _FEWEST <= count <= min(_MOST_CLASSES, len(names) - 1)


def _recognised(new: str, names: Sequence[str], usual: Iterable[Sequence[str]]) -> str | None:
    for group in usual:
        found = [name for name in names if _plain(name) in group]
        exact = [name for name in found if _plain(name) == new]
        found = exact if len(exact) == 1 else found
        if len(found) >= _FEWEST:
            raise _several("texts" if new == "text" else "classes", new, found)
        if found:
            return found[0]
    return None


def _several(what: str, new: str, found: Sequence[str]) -> OptionError:
    return OptionError(
        f"the columns {', '.join(map(repr, found))} may all hold the {what}",
        hint=f"say which one does: --{new} {quote(found[0])}, or {new}={found[0]!r} in Python",
    )


def _text_of(table: pa.Table, names: Sequence[str]) -> str | None:
    """Return the column of texts by its name or, where names are no certain ones, its length."""
    certain, possible = TEXT_NAMES
    found = _recognised("text", names, [certain])
    if found is not None:
        return found
    # a prompt that is the same in all rows is no text
    names = [name for name in names if not _is_constant(table.column(name))] or names
    named = [name for name in names if _plain(name) in possible]
    words = {name: _words(table.column(name)) for name in names}
    long = [name for name in names if name in named or words[name] >= LONG]
    if not named:
        return long[0] if len(long) == 1 else None
    longest = is_longest([words[name] for name in long])
    if longest is None:  # a column of single words is none of texts beside longer ones
        named = [name for name in named if words[name] >= LONG or len(long) == 1]
        if not named:
            return None
    if longest is None and len(named) > 1:
        raise _several("texts", "text", long)
    chosen = named[0] if longest is None else long[longest]
    _refuse_within(table, chosen, words[chosen])
    rest = [name for name in long if name != chosen]
    if rest:
        others = ", ".join(map(repr, rest))
        tell(f"texts may be in {others}, too: --text {quote(rest[0])} reads those")
    return chosen


def _is_constant(column: pa.ChunkedArray) -> bool:
    values = column.slice(0, _LOOKED_AT).drop_null()
    return len(values) > 1 == len(values.unique())


def refuse_nested(table: pa.Table, path: str) -> None:
    """Refuse a table whose texts are within a nested column, such as the messages of a chat.

    Raises
    ------
    CorpusError
        If there is one, and no other column holds several words.
    """
    if long_columns(table):
        return
    fewest = _FEWEST if any(map(_is_text, table.schema)) else 1
    for name, words in _words_within(table):
        if words >= fewest and _trees_within(table.column(name)):
            raise CorpusError(
                f"the trees are within the column {name!r}, which is nested",
                where=path,
                hint="write the brackets to a file of their own, such as trees.mrg; CoreNLP does "
                "so with -outputFormat text",
            )
        if words >= fewest:
            raise CorpusError(
                f"the texts seem to be within the column {name!r}, which is nested",
                where=path,
                hint="write a row for each text, with columns such as text and label, or text and "
                "text_pair",
            )


def _trees_within(column: pa.ChunkedArray) -> bool:
    """Say whether a nested column holds labelled brackets, as the JSON of CoreNLP does."""
    held = leaves(column.slice(0, _LOOKED_AT))
    return any(
        _holds_trees(pa.chunked_array([one.drop_null()]))
        for one in held
        if pa.types.is_string(one.type)
    )


def _words_within(table: pa.Table) -> Iterator[tuple[str, float]]:
    """Yield nested columns, and how many words the longest texts in them have, on average."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_nested(column.type):
            held = leaves(column.slice(0, _LOOKED_AT))
            yield (
                name,
                max((_words(one) for one in held if pa.types.is_string(one.type)), default=0),
            )


def _refuse_within(table: pa.Table, chosen: str, words: float) -> None:
    """Refuse a column of titles and the like beside a nested one whose texts are far longer."""
    for name, within in _words_within(table):
        if within >= LONG and is_longest([within, words]) == 0:
            raise OptionError(
                f"the texts seem to be within the column {name!r}, and not in {chosen!r}",
                hint="write a row for each text; or say that they are in that column: "
                f"--text {quote(chosen)}",
            )


def long_columns(table: pa.Table) -> list[str]:
    """Return the columns that hold several words, on average, the longest first.

    >>> long_columns(pa.table({"a": ["we slept well"], "b": ["so"], "c": ["so she slept well"]}))
    ['c', 'a']
    """
    texts = [field.name for field in table.schema if _is_text(field)]
    words = {name: _words(table.column(name)) for name in texts}
    return sorted(
        (one for one in texts if words[one] >= LONG),
        key=lambda one: (_is_constant(table.column(one)), -words[one]),
    )


def _words(column: Any) -> float:
    """Return how many words the first values of a column have, on average."""
    values: list[str] = column.slice(0, _LOOKED_AT).drop_null().to_pylist()
    unspaced = are_unspaced(pa.array(values, pa.string())).tolist()
    words = (
        len(text) / _SIGNS_OF_A_WORD if is_whole else len(text.split())
        for text, is_whole in zip(values, unspaced, strict=True)
    )
    return sum(words) / max(len(values), 1)


def _plain(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _can_be(new: str, column: pa.ChunkedArray) -> bool:
    """Say whether values of a column can be texts, or classes."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    stringy = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    if new == "text" or stringy:
        return bool(stringy)
    if pa.types.is_floating(kind):
        valid = column.drop_null()
        return bool(pc.all(pc.equal(pc.floor(valid), valid)).as_py())
    if pa.types.is_struct(kind):
        return _are_shares(column)
    return bool(pa.types.is_integer(kind) or pa.types.is_boolean(kind) or is_list(kind))


def _are_shares(column: pa.ChunkedArray) -> bool:
    """Say whether objects have 0 and 1, true and false, or shares under the names of classes.

    >>> _are_shares(pa.chunked_array([[{"sad": True, "funny": False}]]))
    True
    >>> _are_shares(pa.chunked_array([[{"start": 0, "end": 7}]]))
    False
    """
    kinds = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean)
    columns = column.drop_null().combine_chunks().flatten()
    if not columns or not all(any(is_kind(one.type) for is_kind in kinds) for one in columns):
        return False
    ends = [pc.min_max(one.cast(pa.float64())).as_py() for one in columns]
    return all(end["min"] is None or (end["min"] >= 0 and end["max"] <= 1) for end in ends)

"""JSON lines of which some cannot be read: no objects, too deep, of other kinds than the others."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from grammar.errors import CorpusError
from induction.corpus.rows import Skipped
from induction.corpus.tables.kinds import DEEPEST

__all__ = ["MOST_WHOLE", "is_long", "is_too_deep", "sound_lines"]

MOST_WHOLE = 2**63
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?')
"""One that is not closed reaches to the end, so that no part of it is looked at again."""
_LONGEST = 20
"""Whole numbers of 64 bits have no more signs."""
_KINDS = {str: "a text", bool: "true or false", int: "a number", float: "a number",
          list: "a list", dict: "an object"}  # fmt: skip

Kinds = frozenset[tuple[str, str]]


def sound_lines(data: bytes, before: str) -> tuple[bytes, tuple[Skipped, ...]]:
    r"""Return the lines that are objects of one form; others become empty, so that numbers stay.

    ``before`` stands before the number of a line in messages.

    >>> data, skipped = sound_lines(b'{"a": 1}\n{"a": "b"}\n{"a": 2}\n[3]\n', "a.jsonl:")
    >>> [(one.where, one.why) for one in skipped]
    [('a.jsonl:2', "'a' is a text, and in most rows a number"), ('a.jsonl:4', 'this is no object')]
    """
    lines = data.removeprefix(codecs.BOM_UTF8).split(b"\n")
    faults: dict[int, str] = {}
    kinds: dict[int, Kinds] = {}
    alike: dict[Kinds, Kinds] = {}
    for number, line in enumerate(lines):
        if line.strip():
            try:
                found = frozenset(_kinds_in(_object(line), ""))
                kinds[number] = alike.setdefault(found, found)
            except CorpusError as error:
                faults[number] = error.what
    faults |= _of_other_kinds(kinds)
    skipped = []
    for number in sorted(faults):
        held = lines[number].decode(errors="replace")
        skipped.append(Skipped(f"{before}{number + 1}", faults[number], held))
        lines[number] = b""
    return b"\n".join(lines), tuple(skipped)


def is_too_deep(line: bytes) -> bool:
    """Say whether brackets of a line of JSON are nested more than :data:`DEEPEST` deep."""
    if line.count(b"[") + line.count(b"{") <= DEEPEST:
        return False
    signs = np.frombuffer(_STRING.sub(b"", line), np.uint8)
    steps = np.isin(signs, (91, 123)).astype(np.int64) - np.isin(signs, (93, 125))
    return int(np.cumsum(steps).max(initial=0)) > DEEPEST


def is_long(digits: str) -> bool:
    """Say whether a whole number has more than 64 bits."""
    return len(digits) > _LONGEST or not -MOST_WHOLE <= int(digits) < MOST_WHOLE


def _object(line: bytes) -> dict[str, Any]:
    """Return the object that a line holds (raises CorpusError)."""
    if is_too_deep(line):
        raise CorpusError(f"it is nested more than {DEEPEST} deep")
    try:
        value = json.loads(
            line, object_pairs_hook=_once, parse_int=_whole_number, parse_float=_number
        )
        if b"\\u" in line:
            json.dumps(value, ensure_ascii=False).encode()
    except CorpusError:
        raise
    except UnicodeEncodeError:
        raise CorpusError("a text holds half of a character (a lone surrogate)") from None
    except (ValueError, RecursionError) as error:
        raise CorpusError(f"this is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise CorpusError("this is no object")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise CorpusError(f"it has two values of {twice!r}")
    return made


def _whole_number(digits: str) -> int:
    if is_long(digits):
        raise CorpusError(f"the whole number {digits:.40} has more than 64 bits")
    return int(digits)


def _number(digits: str) -> float:
    number = float(digits)
    if abs(number) == float("inf"):
        raise CorpusError(f"the number {digits:.40} has more than 64 bits")
    return number


def _kinds_in(value: Any, at: str) -> Iterator[tuple[str, str]]:
    """Yield where a value holds what kinds; nothing is of any kind."""
    if value is None:
        return
    yield at, _KINDS[type(value)]
    if isinstance(value, dict):
        for name, one in value.items():
            yield from _kinds_in(one, f"{at}.{name}" if at else name)
    elif isinstance(value, list):
        for one in value:
            yield from _kinds_in(one, f"{at}[]")


def _of_other_kinds(kinds: dict[int, Kinds]) -> dict[int, str]:
    """Return the lines that hold what has another kind in most; of equals the first counts."""
    counts: dict[str, Counter[str]] = {}
    for form, times in Counter(kinds.values()).items():
        for at, kind in form:
            counts.setdefault(at, Counter())[kind] += times
    usual = {at: found.most_common(1)[0][0] for at, found in counts.items()}
    others = {at for at, found in counts.items() if len(found) > 1}
    faults = {}
    for number, form in kinds.items():
        odd = [(at, kind) for at, kind in form if at in others and kind != usual[at]]
        if odd:
            at, kind = min(odd)
            faults[number] = f"{at!r} is {kind}, and in most rows {usual[at]}"
    return faults

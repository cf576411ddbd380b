"""What a tokenizer of others may do to a text: its file is looked at before it is opened.

Each replacement in ``tokenizer.json`` may multiply the length of a text, and replacements follow
each other: nine that write ten letters for one make 10^9 of each. The search for a regular
expression may take a time that doubles with each character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grammar.errors import SchemaError
from grammar.expressions.positions import Automaton, UnreadableError
from grammar.expressions.searching import Search
from grammar.saving.folders import read_object

__all__ = ["TOKENIZER", "check_tokenizer_file"]

TOKENIZER = "tokenizer.json"
_MOST_TIMES = 100
"""So many times as long a text may become; published tokenizers make it twice as long."""
_MOST_MARKS = 100
"""So many pieces may be put around a text; published tokenizers put five."""
_REWRITING = ("normalizer", "pre_tokenizer", "decoder")
_PROPERTY = re.compile(r"\\(?:p\{\^?\w*\}|h)", re.IGNORECASE)
"""Classes of characters that the standard library does not know."""


def check_tokenizer_file(file: Path) -> None:
    """Refuse a tokenizer that makes texts very much longer, or whose searches have no end.

    Parameters
    ----------
    file : Path
        A ``tokenizer.json`` of the library *tokenizers*.

    Raises
    ------
    SchemaError
        If its replacements make more than a hundred characters of one; if more than a hundred
        pieces are put before, between or behind texts; if the steps of a search double with each
        character.
    """
    held = read_object(file)
    for part in _REWRITING:
        times = 1
        for step in _inside(held.get(part)):
            expression = _expression(step)
            if expression is not None and _doubles(expression):
                raise _refused(
                    file, f"search for {expression!r:.60} doubles its steps with each character"
                )
            times *= _times(step)
            if times > _MOST_TIMES:
                raise _refused(file, f"{part} makes texts more than {_MOST_TIMES} times as long")
    marks = sum(_marks(step) for step in _inside(held.get("post_processor")))
    if marks > _MOST_MARKS:
        raise _refused(file, f"post_processor puts more than {_MOST_MARKS} pieces around a text")


def _refused(file: Path, what: str) -> SchemaError:
    return SchemaError(
        f"the tokenizer is not opened: its {what}",
        where=str(file),
        hint="save the tokenizer again, or name another model",
    )


def _inside(held: Any) -> Iterator[Mapping[str, Any]]:
    """Yield all objects of a part in the order in which they stand."""
    waiting = [held]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            yield value
            value = list(value.values())
        if isinstance(value, list):
            waiting.extend(reversed(value))


def _times(step: Mapping[str, Any]) -> int:
    """Return how many characters at most a step makes of one.

    >>> _times({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "_"})
    1
    >>> _times({"type": "Replace", "pattern": {"Regex": "x*"}, "content": "abc"})
    4
    >>> _times({"type": "Prepend", "prepend": "_"}), _times({"type": "Lowercase"})
    (2, 1)
    """
    if isinstance(prepended := step.get("prepend"), str):
        return 1 + len(prepended)
    content, pattern = step.get("content"), step.get("pattern")
    if not isinstance(content, str) or not isinstance(pattern, Mapping):
        return 1
    shortest = len(str(pattern.get("String", ""))) or _may_be_one(_expression(step))
    # what may be found where nothing stands is found beside each character
    return max(1, -(-len(content) // shortest)) if shortest else 1 + len(content)


def _expression(step: Mapping[str, Any]) -> str | None:
    """Return the regular expression of a step, in the notation of the standard library."""
    pattern = step.get("pattern")
    found = pattern.get("Regex") if isinstance(pattern, Mapping) else None
    return _PROPERTY.sub(r"\\w", found) if isinstance(found, str) else None


def _doubles(expression: str) -> bool:
    automaton = _automaton(expression)
    return automaton is not None and Search(automaton).doubles


def _may_be_one(expression: str | None) -> bool:
    """Say whether it is known that a match has at least a character."""
    automaton = None if expression is None else _automaton(expression)
    return automaton is not None and automaton.exact and not automaton.empty


def _automaton(expression: str) -> Automaton | None:
    """Return the automaton of an expression; None of one in another notation."""
    try:
        return Automaton(expression)
    except (UnreadableError, re.error, OverflowError, RecursionError):
        return None


def _marks(step: Mapping[str, Any]) -> int:
    """Return how many pieces a step of a template puts around texts; a text counts as one."""
    ids = step.get("ids")
    return len(ids) if isinstance(ids, list) else "Sequence" in step

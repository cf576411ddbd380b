"""Which rule turns one synchronous rule into another? (Qiu et al. 2022, section 3.2)

Rules are coded: a word is one character, slot k is ``chr(k)`` (see
:class:`grammar.synchronous.forest.Coder`). ``a`` is made of ``b`` and ``c`` if putting ``c`` into
a slot of ``b`` gives ``a``, or putting ``b`` into a slot of ``c`` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grammar.synchronous.occurrence import FIRST_WORD

__all__ = ["Coded", "arity", "canonical", "has_slot", "has_word", "unifiers"]

Coded = tuple[str, str]
"""Source and target."""

_SLOT = re.compile("[\x01-\xff]")
_FRESH = "\xff"
_ALIKE = dict.fromkeys(range(1, FIRST_WORD), "\x01")


def arity(text: str) -> int:
    """Return the number of different slots."""
    return len(set(_SLOT.findall(text)))


def has_slot(text: str) -> bool:
    """Say whether a coded side has a slot."""
    return any(ord(c) < FIRST_WORD for c in text)


def has_word(text: str) -> bool:
    """Say whether a coded side has a word."""
    return any(ord(c) >= FIRST_WORD for c in text)


def canonical(source: str, target: str) -> Coded | None:
    """Renumber slots in the order of the source; None if the two sides have different ones.

    >>> canonical("\\x02\u0100\\x01", "\\x01\\x02") == ("\\x01\u0100\\x02", "\\x02\\x01")
    True
    """
    found = _SLOT.findall(source)
    if set(found) != set(_SLOT.findall(target)) or len(set(found)) < len(found):
        return None
    order = {ord(slot): k for k, slot in enumerate(found, start=1)}
    return source.translate(order), target.translate(order)


def unifiers(a: Coded, b: Coded, *, max_slots: int) -> Iterator[Coded]:
    """Yield every rule c with which b makes a.

    No source of c is a slot alone, no side has more than ``max_slots`` slots. A target that
    repeats a slot must have the same words there each time.
    """
    for slot in _SLOT.findall(b[0]):
        if (c := _absorbed(a, b, slot)) and _usable(c, max_slots):
            yield c
    if (c := _remainder(a, b)) and _usable(c, max_slots):
        yield c


def _usable(rule: Coded, max_slots: int) -> bool:
    source = rule[0]
    return arity(source) <= max_slots and not (len(source) == 1 and ord(source) < FIRST_WORD)


def _absorbed(a: Coded, b: Coded, slot: str) -> Coded | None:
    """Return what stands in ``a`` at a slot of ``b``, whose other slots must be slots of ``a``."""
    (source, target), (outer_source, outer_target) = a, b
    at = outer_source.index(slot)
    end = len(source) - (len(outer_source) - at - 1)
    renaming: dict[str, str] = {}
    if end <= at or not (
        _same(outer_source[:at], source[:at], renaming)
        and _same(outer_source[at + 1 :], source[end:], renaming)
    ):
        return None
    copies = outer_target.count(slot)
    width, rest = divmod(len(target) - (len(outer_target) - copies), copies)
    if width < 1 or rest:
        return None
    found = ""
    position = 0
    for piece in re.split(f"({slot})", outer_target):
        if piece == slot:
            taken = target[position : position + width]
            if found not in ("", taken):
                return None
            found = taken
            position += width
        else:
            if not _same(piece, target[position : position + len(piece)], renaming):
                return None
            position += len(piece)
    return canonical(source[at:end], found)


def _remainder(a: Coded, b: Coded) -> Coded | None:
    """Return ``a`` with a slot where ``b`` stands, once in the source, anywhere in the target."""
    (source, target), (inner_source, inner_target) = a, b
    text, part = source.translate(_ALIKE), inner_source.translate(_ALIKE)
    at = text.find(part)
    if at < 0 or text.find(part, at + 1) >= 0:
        return None
    found = source[at : at + len(part)]
    slots = zip(map(ord, _SLOT.findall(inner_source)), _SLOT.findall(found), strict=True)
    inner_target = inner_target.translate(dict(slots))
    if not _stands_apart(inner_target, target):
        return None
    return canonical(source.replace(found, _FRESH), target.replace(inner_target, _FRESH))


def _stands_apart(part: str, text: str) -> bool:
    """Say whether a text holds a part, and no two places of it overlap: which one would it be?"""
    at = text.find(part)
    while at >= 0:
        following = text.find(part, at + 1)
        if 0 <= following < at + len(part):
            return False
        if following < 0:
            return True
        at = following
    return False


def _same(pattern: str, text: str, renaming: dict[str, str]) -> bool:
    """Say whether two texts are equal once slots are renamed one to one, adding to the renaming."""
    if len(pattern) != len(text):
        return False
    for p, t in zip(pattern, text, strict=True):
        if (ord(p) < FIRST_WORD) != (ord(t) < FIRST_WORD):
            return False
        if ord(p) >= FIRST_WORD:
            if p != t:
                return False
        elif renaming.setdefault(p, t) != t or list(renaming.values()).count(t) > 1:
            return False
    return True

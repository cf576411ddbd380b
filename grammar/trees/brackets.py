"""Penn brackets as kernels over bytes: text to preorder columns, and columns to text.

The reader is one pass of a push-down automaton. Words and labels are interned as they are met
(a hash of their bytes, confirmed by comparing the bytes), so text becomes whole numbers without
a Python object for each node.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from grammar.arrays import Bytes, IntArray, LongArray, kernel
from grammar.errors import BracketError

__all__ = ["STRAY_TEXT", "UNLABELLED_ROOT", "read_brackets", "write_brackets", "write_words"]

UNLABELLED_ROOT = "TOP"
"""The label of a wrapping bracket that is kept, as it wraps several trees."""

_OPEN, _CLOSE, _SPACE, _NEWLINE = ord("("), ord(")"), ord(" "), ord("\n")
_COMMENT_SIGNS = (ord("#"), ord(";"), ord("*"))
_OK, _UNOPENED, _UNCLOSED, _EMPTY, _STRAY, _UNLABELLED, _WRAPS_MANY, _NAMES_FULL = range(8)
STRAY_TEXT = "text outside any bracket"
"""The fault of a file that holds something else than trees."""
_FAULTS = {
    _UNOPENED: ("closing bracket without an opening one", "delete it, or open a bracket before it"),
    _UNCLOSED: ("opening bracket that is never closed", "add the missing ')'"),
    _EMPTY: (
        "empty bracket: a label must have a word or a subtree under it",
        "fill or delete it; a bracket that is a word is written -LRB- or -RRB-",
    ),
    _STRAY: (STRAY_TEXT, "put it into a tree, or start the line with '#'"),
    _UNLABELLED: ("bracket without a label inside a tree", "write a label after the '('"),
}


def read_brackets(data: bytes, source: str) -> tuple[list[str], IntArray, IntArray, LongArray]:
    """Read all bracketed trees of UTF-8 text.

    A tree may run over many lines and may be wrapped in a bracket with an empty label. Outside
    trees, lines that start with ``#``, ``;`` or ``*`` are comments.

    A wrapping bracket is dropped, unless it wraps several trees: those become one tree, with the
    empty name for a label.

    Returns
    -------
    symbols : list of str
        Names by id.
    label : int32 array, one a node in preorder
        Symbol ids; words are nodes of size 1.
    size : int32 array, one a node
        Number of nodes of the subtree, the node included.
    offsets : int64 array, one more than trees
        Where each tree begins.

    Raises
    ------
    BracketError
        At the first bracket that is unbalanced, empty or unlabelled, or at stray text, with line
        and column (both from 1).
    """
    text = np.frombuffer(data, np.uint8)
    result = _read(text, False)
    if result[0] == _WRAPS_MANY:
        result = _read(text, True)
    fault, where, label, size, offsets, begin, length = result
    if fault != _OK:
        what, hint = _FAULTS[fault]
        if fault == _UNLABELLED:
            hint += f", or close the tree that begins at {_position(data, _tree_of(data, where))}"
        raise BracketError(what, where=f"{source}:{_position(data, where)}", hint=hint)
    symbols = [
        data[b : b + n].decode("utf-8")
        for b, n in zip(begin.tolist(), length.tolist(), strict=True)
    ]
    return symbols, label, size, offsets


def _tree_of(data: bytes, offset: int) -> int:
    """Return where the tree begins that is open at an offset."""
    depth = begin = 0
    for bracket in re.finditer(rb"[()]", data[:offset]):
        if depth == 0:
            begin = bracket.start()
        depth += 1 if bracket[0] == b"(" else -1
    return begin


def _position(data: bytes, offset: int) -> str:
    start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[start:offset].decode("utf-8", errors="replace")) + 1
    return f"{data.count(bytes([10]), 0, offset) + 1}:{column}"


@kernel(inline="always")
def _is_space(byte: int) -> bool:
    return byte == _SPACE or 9 <= byte <= 13


@kernel(inline="always")
def _token_end(text: Bytes, start: int) -> int:
    end = start
    while end < len(text) and not (
        text[end] == _OPEN or text[end] == _CLOSE or _is_space(text[end])
    ):
        end += 1
    return end


@kernel()
def _intern(
    text: Bytes, begin: int, end: int, slots: IntArray, at: LongArray, length: LongArray
) -> int:
    """Return the id of text[begin:end]; ``at`` and ``length`` locate names, at[-1] counts them.

    A slot holds an id and one, or zero if it is free.
    """
    value = np.uint64(14695981039346656037)
    for i in range(begin, end):
        value = (value ^ np.uint64(text[i])) * np.uint64(1099511628211)
    mask = len(slots) - 1
    slot = np.int64(value ^ (value >> np.uint64(29))) & mask
    while slots[slot] > 0:
        known = slots[slot] - 1
        if length[known] == end - begin:
            same = True
            for i in range(end - begin):
                if text[at[known] + i] != text[begin + i]:
                    same = False
                    break
            if same:
                return known
        slot = (slot + 1) & mask
    number = at[-1]
    slots[slot] = number + 1
    at[number] = begin
    length[number] = end - begin
    at[-1] = number + 1
    return number


@kernel()
def _bigger_names(
    text: Bytes, at: LongArray, length: LongArray
) -> tuple[IntArray, LongArray, LongArray]:
    """Return a name table of twice the room with the same names."""
    slots = np.zeros(8 * len(at), np.int32)
    new_at, new_length = np.zeros(2 * len(at), np.int64), np.zeros(2 * len(at), np.int64)
    for name in range(at[-1]):
        _intern(text, at[name], at[name] + length[name], slots, new_at, new_length)
    return slots, new_at, new_length


@kernel()
def _read(text: Bytes, keep_wrappers: bool) -> tuple[Any, ...]:
    # A node takes two bytes at least, so this is room enough; what is not used is never touched.
    # Only the name table grows, and between passes: numba keeps arrays that a loop rebinds behind
    # reference counts, which made the loop four times slower.
    room = len(text) // 2 + 2
    label, size = np.empty(room, np.int32), np.empty(room, np.int32)
    starts, stack, opened = (
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
    )
    slots = np.zeros(4096, np.int32)
    at, length = np.zeros(1024, np.int64), np.zeros(1024, np.int64)
    state = np.zeros(4, np.int64)
    while True:
        fault = _pass(
            text, keep_wrappers, state, slots, label, size, starts, stack, opened, at, length
        )
        if fault != _NAMES_FULL:
            break
        slots, at, length = _bigger_names(text, at, length)
    where, nodes, trees, names = state[0], state[1], state[2], at[-1]
    return (
        fault,
        where,
        label[:nodes].copy(),
        size[:nodes].copy(),
        starts[: trees + 1].copy(),
        at[:names].copy(),
        length[:names].copy(),
    )


@kernel()
def _pass(
    text: Bytes,
    keep_wrappers: bool,
    state: LongArray,
    slots: IntArray,
    label: IntArray,
    size: IntArray,
    starts: LongArray,
    stack: LongArray,
    opened: LongArray,
    at: LongArray,
    length: LongArray,
) -> int:
    """Fill the columns from ``state`` on (byte, nodes, trees, depth); return what stopped it."""
    n = len(text)
    i, nodes, trees, depth = state
    fault = _OK
    while i < n:
        byte = text[i]
        if _is_space(byte):
            i += 1
        elif byte == _OPEN:
            begin = i + 1
            while begin < n and _is_space(text[begin]):
                begin += 1
            end = _token_end(text, begin)
            if begin == n:
                break
            if begin == end and (text[begin] == _CLOSE or depth > 0):
                fault = _EMPTY if text[begin] == _CLOSE else _UNLABELLED
                break
            if at[-1] + 2 > len(at) - 1:
                fault = _NAMES_FULL
                break
            if depth == 0:
                starts[trees] = nodes
            # a wrapper that is not kept stands for its only child
            stack[depth] = -1
            opened[depth] = i
            if begin < end or keep_wrappers:
                stack[depth] = nodes
                label[nodes] = _intern(text, begin, end, slots, at, length)
                nodes += 1
            depth += 1
            i = end
        elif byte == _CLOSE:
            if depth == 0:
                fault = _UNOPENED
                break
            node = stack[depth - 1]
            if nodes == node + 1:
                fault = _EMPTY
                i = opened[depth - 1]
                break
            if node >= 0:
                size[node] = nodes - node
            elif size[starts[trees]] != nodes - starts[trees]:
                fault = _WRAPS_MANY
                break
            depth -= 1
            trees += depth == 0
            i += 1
        elif depth > 0:
            if at[-1] + 2 > len(at) - 1:
                fault = _NAMES_FULL
                break
            end = _token_end(text, i)
            label[nodes] = _intern(text, i, end, slots, at, length)
            size[nodes] = 1
            nodes += 1
            i = end
        elif _starts_comment(text, i):
            while i < n and text[i] != _NEWLINE:
                i += 1
        else:
            fault = _STRAY
            break
    if fault == _OK:
        starts[trees] = nodes
        if i < n or depth > 0:
            fault = _UNCLOSED
            i = opened[0] if depth > 0 else i
    state[0], state[1], state[2], state[3] = i, nodes, trees, depth
    return fault


@kernel()
def _starts_comment(text: Bytes, i: int) -> bool:
    """Say whether a comment sign stands at i with only space before it on its line."""
    if text[i] not in _COMMENT_SIGNS:
        return False
    i -= 1
    while i >= 0 and text[i] != _NEWLINE:
        if not _is_space(text[i]):
            return False
        i -= 1
    return True


@kernel()
def write_brackets(
    label: IntArray, size: IntArray, offsets: LongArray, names: Bytes, name_offsets: LongArray
) -> tuple[Any, ...]:
    """Write every tree on one line; return UTF-8 bytes and int64 offsets (one more than trees)."""
    total = 0
    for i in range(len(label)):
        total += name_offsets[label[i] + 1] - name_offsets[label[i]] + (1 if size[i] == 1 else 3)
    out = np.empty(total, np.uint8)
    bounds = np.zeros(len(offsets), np.int64)
    ends = np.empty(256, np.int64)
    p = 0
    for tree in range(len(offsets) - 1):
        depth = 0
        for i in range(offsets[tree], offsets[tree + 1]):
            if i > offsets[tree]:
                out[p] = _SPACE
                p += 1
            if size[i] > 1:
                out[p] = _OPEN
                p += 1
                if depth == len(ends):
                    ends = np.concatenate((ends, np.empty(depth, np.int64)))
                ends[depth] = i + size[i]
                depth += 1
            for j in range(name_offsets[label[i]], name_offsets[label[i] + 1]):
                out[p] = names[j]
                p += 1
            while size[i] == 1 and depth > 0 and ends[depth - 1] == i + 1:
                out[p] = _CLOSE
                p += 1
                depth -= 1
        bounds[tree + 1] = p
    return out[:p], bounds


@kernel()
def write_words(
    words: IntArray, offsets: LongArray, names: Bytes, name_offsets: LongArray
) -> tuple[Any, ...]:
    """Write sentences with one space between words; return UTF-8 bytes and int64 offsets."""
    total = 0
    for i in range(len(words)):
        total += name_offsets[words[i] + 1] - name_offsets[words[i]] + 1
    out = np.empty(total, np.uint8)
    bounds = np.zeros(len(offsets), np.int64)
    p = 0
    for sentence in range(len(offsets) - 1):
        for i in range(offsets[sentence], offsets[sentence + 1]):
            if i > offsets[sentence]:
                out[p] = _SPACE
                p += 1
            for j in range(name_offsets[words[i]], name_offsets[words[i] + 1]):
                out[p] = names[j]
                p += 1
        bounds[sentence + 1] = p
    return out[:p], bounds

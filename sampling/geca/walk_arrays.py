"""Walks as the columns of a file: what is written, and what is checked before it is drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from grammar.arrays import Bytes, LongArray
from sampling.geca.sequences import Sequences, SideWords, side_words
from sampling.geca.template_kernels import SEPARATOR, Grams
from sampling.geca.templates import room_at
from sampling.geca.walks import Places, Walks, walks_of

__all__ = ["walks_of_arrays", "walks_to_arrays"]

_SIDE = ("text", "text_offsets", "offsets", "start", "end")
_GRAMS = ("tokens", "starts", "sizes")


def walks_to_arrays(walks: Walks, sides: tuple[SideWords, ...]) -> dict[str, Any]:
    """Return walks as named columns; what follows from others is left out."""
    columns = {**walks.places._asdict(), "keys": walks.keys}
    columns |= {name: getattr(walks.grams, name) for name in _GRAMS}
    columns["table"] = walks.grams.table.ravel()
    for k, side in enumerate(sides):
        columns |= {f"{name}_{k}": getattr(side, name) for name in _SIDE}
    return columns


def walks_of_arrays(
    columns: Mapping[str, Any], words: int, gaps: int
) -> tuple[Walks, tuple[SideWords, ...]]:
    """Read walks, so that no kernel can leave an array.

    Parameters
    ----------
    columns : mapping of str to array
        From :func:`walks_to_arrays`.
    words, gaps : int
        How many words there are, that of the separator included, and most n-grams in a fragment.

    Raises
    ------
    ValueError, LookupError, TypeError
        If the columns do not belong together.
    """
    sides, offsets = side_words(_sides(columns))
    grams = _grams(columns, sides, offsets, words)
    places = Places(*(np.asarray(columns[name], np.int32) for name in Places._fields))
    keys = np.asarray(columns["keys"], np.int64)
    sizes = _fragment_sizes(keys, len(grams.sizes) + 1, gaps)
    count = len(places.sequence)
    _demand(count > 0 and len({len(column) for column in places}) == 1, "places")
    limits = (len(grams.offsets) - 1, count, len(keys), count)
    for name, column, limit in zip(Places._fields, places, limits, strict=True):
        _demand(bool(column.min() >= 0 and column.max() < limit), name)
    # all that may meet has as many holes
    of_place = sizes[places.fragment]
    for group in (places.template, places.environment):
        held = np.zeros(count, np.int64)
        held[group] = of_place
        _demand(bool((held[group] == of_place).all()), "fragments")
    return walks_of(places, keys, grams, pairs=len(sides) > 1), sides


def _sides(columns: Mapping[str, Any]) -> list[SideWords]:
    """Read the texts and the places of their words."""
    read: list[SideWords] = []
    for k in range(2 if "text_1" in columns else 1):
        text, *rest = (columns[f"{name}_{k}"] for name in _SIDE)
        bounds, offsets, start, end = (np.asarray(column, np.int64) for column in rest)
        examples = len(bounds) - 1
        _demand(bool(examples > 0 and len(offsets) == examples + 1), "texts")
        for ends, size in ((bounds, len(text)), (offsets, len(start))):
            whole = ends[0] == 0 and ends[-1] == size and (np.diff(ends) >= 0).all()
            _demand(bool(whole), "texts")
        example = np.repeat(np.arange(examples), np.diff(offsets))
        inside = (bounds[example] <= start) & (start < end) & (end <= bounds[example + 1])
        _demand(bool(inside.all() and (start[1:] >= end[:-1]).all()), "words")
        text = np.asarray(text, np.uint8)
        text.tobytes().decode()  # a UnicodeDecodeError is a ValueError
        _demand(all(_begin_characters(text, at) for at in (bounds, start, end)), "characters")
        side = SideWords(text, bounds, offsets, start, end, offsets)
        read.append(side)
        _demand(len(bounds) == len(read[0].text_offsets), "texts")
    return read


def _begin_characters(text: Bytes, places: LongArray) -> bool:
    """Say whether no place is inside a character of UTF-8."""
    inside = text[places[places < len(text)]]
    return bool(((inside & 0xC0) != 0x80).all())


def _grams(
    columns: Mapping[str, Any], sides: tuple[SideWords, ...], offsets: LongArray, words: int
) -> Grams:
    """Read the tokens and their n-grams."""
    tokens, starts, sizes = (columns[name] for name in _GRAMS)
    _demand(len(tokens) == offsets[-1], "tokens")
    text_end = offsets[:-1] + np.diff(sides[0].offsets)
    is_word = np.ones(len(tokens), np.bool_)
    is_word[text_end[: len(text_end) * (len(sides) - 1)]] = False
    _demand(bool(((tokens > SEPARATOR) == is_word).all() and tokens.max() < words), "tokens")
    sequences = Sequences(np.asarray(tokens, np.int32), offsets, text_end)
    table = np.asarray(columns["table"], np.int32).reshape(-1, len(tokens))
    room = room_at(sequences)
    for n, row in enumerate(table, start=1):
        here = np.flatnonzero(row >= 0)
        known = row.min() >= -1 and row.max() < len(sizes) and (sizes[row[here]] == n).all()
        _demand(bool(known and (room[here] >= n).all()), "n-grams")
    _demand(bool(len(starts) == len(sizes) and starts.min() >= 0 and sizes.min() >= 1), "n-grams")
    _demand(bool(sizes.max() <= len(table) and (room[starts] >= sizes).all()), "n-grams")
    return Grams(
        sequences.tokens, offsets, table, np.asarray(starts, np.int64), np.asarray(sizes, np.int32)
    )


def _fragment_sizes(keys: LongArray, base: int, gaps: int) -> LongArray:
    """Return how many n-grams each fragment has."""
    sizes = np.zeros(len(keys), np.int64)
    rest = keys.copy()
    for k in range(gaps):
        if not rest.any():
            break
        _demand(bool(((rest == 0) | (rest % base > 0)).all() and rest.min(initial=0) >= 0), "keys")
        sizes[rest > 0] = k + 1
        rest //= base
    _demand(bool((rest == 0).all() and (sizes > 0).all()), "keys")
    return sizes


def _demand(held: bool, what: str) -> None:
    if not held:
        raise ValueError(f"the {what} do not belong together")

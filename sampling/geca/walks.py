"""Kernels of GECA as a walk: from a fragment to an environment, and on to another fragment.

A *place* is a fragment of one example, with its context and environment. A walk starts at a place
(the host), goes to any place of the same context, from there to any of the same fragment, and from
there to any of the same environment, whose fragment fills the host. So all that GECA licenses can
be drawn, and nothing has to be enumerated: the tables are as large as the corpus.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.hashing import new_set, slot_of
from grammar.rng import below, next_uniform, open_stream
from sampling.geca.rows import Rows, hash_row, hash_rows, sized
from sampling.geca.sequences import Sequences
from sampling.geca.template_kernels import SEPARATOR, Grams, gram_of, hole_at

__all__ = ["Places", "Seen", "Walks", "draw_walks", "known_sides", "walk_probabilities", "walks_of"]

_LOW = np.uint64(2**61 - 1)


class Places(NamedTuple):
    """Fragments of examples, with the numbers of their contexts and environments."""

    sequence: IntArray
    template: IntArray
    fragment: IntArray
    environment: IntArray


class Walks(NamedTuple):
    """Places, and rows of them by what they have.

    ``hosts`` are the places where a walk may begin. ``keys`` are the fragments as numbers of
    ``grams``.
    """

    places: Places
    hosts: LongArray
    of_template: Rows
    of_fragment: Rows
    in_environment: Rows
    keys: LongArray
    grams: Grams


class Seen(NamedTuple):
    """Hashes of texts and targets of the corpus, and of the examples given so far, as sets."""

    texts: Any
    targets: Any
    given: Any


def walks_of(places: Places, keys: LongArray, grams: Grams, *, pairs: bool) -> Walks:
    """Return walks among places."""
    _, template, fragment, environment = places
    walks = Walks(
        places,
        np.zeros(0, np.int64),
        _rows(template, np.argsort(template, kind="stable")),
        _rows(fragment, np.argsort(fragment, kind="stable")),
        # those of one fragment together
        _rows(environment, np.lexsort((fragment, environment))),
        keys,
        grams,
    )
    return walks._replace(hosts=_hosts(walks, pairs))


def _rows(number: IntArray, order: LongArray) -> Rows:
    return Rows(sized(np.bincount(number)), order)


def known_sides(sequences: Sequences) -> tuple[Any, Any]:
    """Return the hashes of texts, and those of targets, as sets."""
    hashes = (hash_rows(sequences.tokens, *side) & _LOW for side in sequences.sides())
    texts, targets = (new_set(values, len(values)) for values in hashes)
    return texts, targets


@kernel()
def _hosts(t: Walks, pairs: bool) -> LongArray:
    """Return the places that can be hosts: in pairs, those with a hole on either side."""
    kept = np.ones(len(t.places.sequence), np.bool_)
    for place in range(len(t.places.sequence) if pairs else 0):
        i, key = t.places.sequence[place], t.keys[t.places.fragment[place]]
        before, behind, middle = False, False, False
        for position in range(t.grams.offsets[i], t.grams.offsets[i + 1]):
            middle = middle or t.grams.tokens[position] == SEPARATOR
            if hole_at(t.grams.table, t.grams.sizes, key, position)[0] >= 0:
                before, behind = before or not middle, behind or middle
        kept[place] = before and behind
    return np.flatnonzero(kept)


@kernel()
def _derive(g: Grams, i: int, key: int, filler: int, out: IntArray) -> int:
    """Write an example with a fragment replaced, as far as there is room; return the length."""
    tokens, offsets, table, starts, sizes = g
    length, position = 0, offsets[i]
    while position < offsets[i + 1]:
        k, gram = hole_at(table, sizes, key, position)
        begin, size, step = position, 1, 1
        if k >= 0:
            step = sizes[gram]
            gram = gram_of(len(sizes) + 1, filler, k)
            begin, size = starts[gram], sizes[gram]
        for j in range(begin, begin + size):
            if length < len(out):
                out[length] = tokens[j]
            length += 1
        position += step
    return length


@kernel()
def _add(known: Any, value: np.uint64) -> bool:
    """Put a number into a set; return whether it is new there."""
    slot = slot_of(known, value)
    if known[slot] != 0:
        return False
    known[slot] = value + np.uint64(1)
    return True


@kernel()
def _is_new(tokens: IntArray, length: int, seen: Seen) -> bool:
    """Say whether an example has a new text and target and was not given before; it is now."""
    middle = 0
    while middle < length and tokens[middle] != SEPARATOR:
        middle += 1
    value = hash_row(tokens, 0, middle) & _LOW
    if seen.texts[slot_of(seen.texts, value)] != 0:
        return False
    if middle < length:
        side = hash_row(tokens, middle + 1, length) & _LOW
        if seen.targets[slot_of(seen.targets, side)] != 0:
            return False
        value = hash_row(tokens, 0, length) & _LOW
    return _add(seen.given, value)


@kernel()
def _walk(t: Walks, key: np.uint64, attempt: int) -> tuple[int, int]:
    """Return the place where a walk begins, and the fragment where it ends."""
    state, u = next_uniform(open_stream(key, attempt))
    state, x = next_uniform(state)
    state, v = next_uniform(state)
    _, w = next_uniform(state)
    place = t.hosts[below(u, len(t.hosts))]
    alike = t.places.fragment[_any(t.of_template, t.places.template[place], x)]
    e = t.places.environment[_any(t.of_fragment, alike, v)]
    return place, t.places.fragment[_any(t.in_environment, e, w)]


@kernel()
def _any(rows: Rows, i: int, u: float) -> int:
    """Return an entry of a row."""
    first = rows.offsets[i]
    return rows.values[first + below(u, rows.offsets[i + 1] - first)]


@kernel()
def draw_walks(
    key: np.uint64,
    attempt: int,
    since: int,
    patience: int,
    t: Walks,
    max_length: int,
    seen: Seen,
    hosts: LongArray,
    fillers: IntArray,
) -> tuple[int, int, int]:
    """Fill the output with the next new examples, or as many as there are.

    Attempt a is a function of the key and a. New is an example whose sides are in neither set of
    known ones, and that was not given before (a set that grows here). Returns how many there are,
    the attempt to go on from, and the one behind the last that gave an example; if they are
    ``patience`` apart, there are no more.
    """
    made = 0
    out = np.empty(1024, np.int32)
    while made < len(hosts) and attempt - since < patience:
        place, filler = _walk(t, key, attempt)
        attempt += 1
        held = t.places.fragment[place]
        if filler == held:
            continue
        i = t.places.sequence[place]
        length = _derive(t.grams, i, t.keys[held], t.keys[filler], out)
        if length > max_length:
            continue
        if length > len(out):
            out = np.empty(2 * length, np.int32)
            _derive(t.grams, i, t.keys[held], t.keys[filler], out)
        if _is_new(out, length, seen):
            hosts[made], fillers[made] = place, filler
            made, since = made + 1, attempt
    return made, attempt, since


@kernel()
def walk_probabilities(t: Walks, hosts: LongArray, fillers: IntArray) -> FloatArray:
    """Return the probability of each filler given the context of its host.

    Of the places of each environment those of one fragment must stand together.
    """
    result = np.zeros(len(hosts))
    offsets, places = t.of_template
    for d in range(len(hosts)):
        context = t.places.template[hosts[d]]
        first, last = offsets[context], offsets[context + 1]
        for j in range(first, last):
            alike = t.places.fragment[places[j]]
            result[d] += _exchange_probability(t, alike, fillers[d]) / (last - first)
    return result


@kernel()
def _exchange_probability(t: Walks, held: int, filler: int) -> float:
    """Return the probability of going from a fragment to another by way of an environment."""
    first, last = t.of_fragment.offsets[held], t.of_fragment.offsets[held + 1]
    total = 0.0
    for j in range(first, last):
        e = t.places.environment[t.of_fragment.values[j]]
        begin, end = t.in_environment.offsets[e], t.in_environment.offsets[e + 1]
        shared = _lower(t, begin, end, filler + 1) - _lower(t, begin, end, filler)
        total += shared / (end - begin) / (last - first)
    return total


@kernel()
def _lower(t: Walks, low: int, high: int, fragment: int) -> int:
    """Return the first place in a row of an environment with this fragment or a later one."""
    while low < high:
        middle = (low + high) // 2
        if t.places.fragment[t.in_environment.values[middle]] < fragment:
            low = middle + 1
        else:
            high = middle
    return low

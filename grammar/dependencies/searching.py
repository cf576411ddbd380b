"""Searching a dependency treebank: rows of words, extended node by node.

The pattern extends a row for each sentence, which has no words yet, in all ways. A block
``without`` keeps the rows that it cannot extend, and a block ``with`` those that it can.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from grammar.arrays import IntArray, LongArray, kernel
from grammar.dependencies.clauses import Clause, compiled
from grammar.dependencies.hits import DependencyHits
from grammar.dependencies.requests import Block, RelationKind, Request, parse_request
from grammar.dependencies.treebank import ABSENT, FIELDS, LISTS, DependencyTreebank
from grammar.errors import PatternError
from grammar.messages import tell
from grammar.progress import stages
from grammar.search.searching import blocks_of_trees
from grammar.search.steps import Steps

__all__ = ["search", "search_each"]

Rows = npt.NDArray[np.int32]

MOST_WORDS = 2_000_000
"""A larger treebank is searched block by block, so that memory does not grow with it."""
_SHOWN = 12
_MOST_ROWS, _MOST_STEPS = 50_000_000, 4_000_000_000

# kernels take numbers, and not members of an enumeration
_HEAD, _JUST_BEFORE = int(RelationKind.HEAD), int(RelationKind.JUST_BEFORE)
_BEFORE, _SAME = int(RelationKind.BEFORE), int(RelationKind.SAME)


def search(
    treebank: DependencyTreebank, request: str, *, steps: int | None = None
) -> DependencyHits:
    """Find where a request holds; see :meth:`DependencyTreebank.search`."""
    [found] = search_each([treebank], request, steps=steps)
    return found


def search_each(
    treebanks: Iterable[DependencyTreebank], request: str, *, steps: int | None = None
) -> Iterator[DependencyHits]:
    """Yield the hits in each of some treebanks, which are parts of one: no more is held of it.

    Raises
    ------
    PatternError
        As :meth:`DependencyTreebank.search`; the steps are those of all together.
    """
    asked, left = parse_request(request), Steps(_MOST_STEPS if steps is None else steps)
    unknown, known = _features_of(asked), dict[str, None]()
    for treebank in treebanks:
        known.update(dict.fromkeys(treebank.features if unknown else ()))
        unknown = [name for name in unknown if not treebank.has(name)]
        yield _hits(treebank, request, asked, left)
    # names of features are easily mistyped, and find nothing then
    fields = (field for field in FIELDS if field not in LISTS)
    shown = ", ".join([*fields, *sorted(known)][:_SHOWN])
    for name in unknown:
        tell(f"no word has the feature {name}; there are {shown}")


def _hits(
    treebank: DependencyTreebank, request: str, asked: Request, left: Steps
) -> DependencyHits:
    nodes = asked.pattern.nodes
    parts = [np.zeros((0, len(nodes)), np.int32)]
    blocks = list(blocks_of_trees(treebank.offsets, MOST_WORDS))
    for first, last in stages(blocks, "searching parts of the treebank"):
        begin = int(treebank.offsets[first])
        parts.append(_Searched(treebank, first, last, left).rows(asked) + np.int32(begin))
    rows = np.concatenate(parts)
    named = {name: rows[:, place].astype(np.int64) for place, name in enumerate(nodes)}
    edges = tuple((e.source, e.target) for e in asked.pattern.edges)
    return DependencyHits(treebank, request, named, dict(asked.edge_names), edges)


def _features_of(request: Request) -> list[str]:
    """Return the names of fields and features that a request asks for, each once."""
    tests = (test for block in (request.pattern, *request.others) for _, ways in block.tests
             for way in ways for test in way)  # fmt: skip
    return list(dict.fromkeys(test.name for test in tests))


class _Searched:
    """Some sentences of a treebank that are searched."""

    def __init__(self, treebank: DependencyTreebank, first: int, last: int, steps: Steps) -> None:
        self._treebank, self._steps = treebank, steps
        begin, end = treebank.offsets[[first, last]].tolist()
        self._words = slice(begin, end)
        self._offsets = treebank.offsets[first : last + 1] - begin
        heads = treebank.heads[self._words]
        self._heads = np.where(heads < 0, ABSENT, heads - begin).astype(np.int32)

    def rows(self, request: Request) -> Rows:
        """Return the words that are the nodes of the pattern, a row for each hit, in order."""
        sentences = np.arange(len(self._offsets) - 1)
        empty = np.zeros((len(sentences), 0), np.int32)
        clause = self._compiled(request.pattern, ())
        found = self._extended(clause, empty, sentences, only_first=False)
        nodes = request.pattern.nodes
        rows = found[:, [clause.new.index(name) for name in nodes]]
        rows = rows[np.lexsort(rows.T[::-1])]  # in the order of words, which is that of sentences
        for block in request.others:
            rows = self._filtered(rows, nodes, block)
        return rows

    def _filtered(self, rows: Rows, nodes: tuple[str, ...], block: Block) -> Rows:
        """Return the rows that a block can extend, or those that it cannot."""
        clause = self._compiled(block, nodes)
        found = self._extended(clause, rows, self._sentence(rows), only_first=True)
        holds = np.zeros(len(rows), np.bool_)
        holds[found[:, -1]] = True
        return rows[holds if block.kind == "with" else ~holds]

    def _sentence(self, rows: Rows) -> LongArray:
        return np.searchsorted(self._offsets, rows[:, 0], side="right") - 1

    def _compiled(self, block: Block, known: tuple[str, ...]) -> Clause:
        nodes = {*known, *block.nodes}
        self._steps.take((len(nodes) + len(block.edges)) * len(self._heads))
        return compiled(block, known, self._treebank, self._words)

    def _extended(
        self, clause: Clause, rows: Rows, sentence: LongArray, *, only_first: bool
    ) -> Rows:
        """Return rows with the words of new nodes, and with the number of the row each is of."""
        known = rows.shape[1]
        candidates = [np.flatnonzero(mask).astype(np.int32) for mask in clause.masks[known:]]
        bounds = np.array([np.searchsorted(c, self._offsets) for c in candidates], np.int64)
        starts = np.concatenate(([0], np.cumsum([len(c) for c in candidates]))).astype(np.int64)
        where = (
            np.concatenate([*candidates, np.zeros(0, np.int32)]),
            bounds.reshape(len(candidates), len(self._offsets)) + starts[:-1, None],
            clause.above,
        )
        about = (clause.masks, clause.relations, clause.checked, clause.values)
        room = len(rows) + sum(map(len, candidates)) if not only_first else len(rows)
        most = _MOST_STEPS if self._steps.left is None else self._steps.left
        while True:
            out = np.empty((room, known + len(clause.new) + 1), np.int32)
            count, tried = _extend(
                self._heads, rows, sentence, where, about, only_first,
                np.int64(most), np.int64(_MOST_ROWS), out,
            )  # fmt: skip
            if room < count <= _MOST_ROWS and tried <= most:
                room = count
                continue
            self._steps.take(tried)
            if count > _MOST_ROWS:
                raise PatternError(
                    f"more than {_MOST_ROWS:,} hits are found",
                    where="<request>",
                    hint="say more of the nodes, or relate them to each other",
                )
            self._steps.take_rows(count, out.shape[1])
            return out[:count]


@kernel()
def _extend(  # type: ignore[no-untyped-def]
    heads, rows, sentence, where, about, only_first, most_steps, most_rows, out
) -> tuple[int, int]:
    """Write the extensions of rows as far as there is room; return their number, and words tried.

    Nodes are given words one after the other; a node whose words are all tried gives the turn
    back to the one before it.
    """
    candidates, bounds, above = where
    masks = about[0]
    known, new = rows.shape[1], len(above)
    row = np.empty(known + new, np.int32)
    at = np.zeros(new + 1, np.int64)
    count, tried = 0, 0
    for r in range(len(rows)):
        row[:known] = rows[r]
        fits = True
        for k in range(known):
            fits = fits and masks[k, row[k]]
        tried += 1
        if not fits or not _hold(row, 0, about, heads):
            continue
        level, s = 0, sentence[r]
        if new:
            at[0] = _first(0, s, above, bounds)
        while level >= 0:
            if level == new:
                if count < len(out):
                    out[count, : known + new] = row
                    out[count, known + new] = r
                count += 1
                if only_first or count > most_rows:
                    break
                level -= 1
                continue
            word = _word(level, at[level], s, row, heads, candidates, bounds, above)
            if word == _NO_MORE:
                level -= 1
                continue
            at[level] += 1
            tried += 1
            if tried > most_steps:
                return count, tried
            if word < 0 or not masks[known + level, word]:
                continue
            distinct = True
            for k in range(known + level):
                distinct = distinct and row[k] != word
            row[known + level] = word
            if distinct and _hold(row, level + 1, about, heads):
                level += 1
                if level < new:
                    at[level] = _first(level, s, above, bounds)
        if count > most_rows:
            break
    return count, tried


_NO_MORE = -2


@kernel()
def _first(level: int, s: int, above: LongArray, bounds: LongArray) -> int:
    return 0 if above[level] >= 0 else bounds[level, s]


@kernel()
def _word(  # type: ignore[no-untyped-def]
    level, place, s, row, heads: IntArray, candidates: IntArray, bounds, above: LongArray
) -> int:
    """Return the word at a place of the list of a node: of a head there is one, -1 if none."""
    if above[level] >= 0:
        return heads[row[above[level]]] if place == 0 else _NO_MORE
    return candidates[place] if place < bounds[level, s + 1] else _NO_MORE


@kernel()
def _hold(row: IntArray, level: int, about, heads: IntArray) -> bool:  # type: ignore[no-untyped-def]
    """Say whether the relations hold that can be checked as soon as a node has its word."""
    _, relations, checked, values = about
    for i in range(checked[level], checked[level + 1]):
        kind, a, b = relations[i, 0], row[relations[i, 1]], row[relations[i, 2]]
        if kind == _HEAD:
            holds = heads[b] == a
        elif kind == _JUST_BEFORE:
            holds = b == a + 1
        elif kind == _BEFORE:
            holds = a < b
        else:
            left, right = values[relations[i, 3], a], values[relations[i, 4], b]
            holds = left >= 0 and right >= 0 and (left == right) == (kind == _SAME)
        if not holds:
            return False
    return True

"""Near duplicates in a stream: MinHash proposes, the exact Jaccard similarity decides.

Two texts are near as in ``sampling.quality.measures.overlap``: by the Jaccard similarity of their
sets of word bigrams, start and end of the text included. There all texts are known beforehand; here
they come one after the other, so texts to compare are found by locality-sensitive hashing (Indyk &
Motwani 1998) of MinHash signatures (Broder 1997). What it proposes is compared exactly, so nothing
is called near that is not; a pair at the threshold is missed with a probability of 0.001 at most.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from grammar.arrays import IntArray, LongArray, kernel, text_bytes
from grammar.errors import OptionError
from grammar.hashing import hash_rows
from sampling.quality.measures.overlap import common_grams
from sampling.quality.measures.words import split_words

__all__ = ["NOTHING_NEAR", "Candidates", "NearIndex", "bigram_sets", "is_near", "keep"]

_HASHES = 128
_MISSED = 0.001
_EDGE = np.uint64(0x9E3779B97F4A7C15)
_M1, _M2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S1 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(1)


class Candidates(NamedTuple):
    """The texts of a batch, and all texts that were kept before.

    Text i of the batch has the bigrams ``gram[offsets[i]:offsets[i + 1]]``, rising, and lies in
    bucket ``bucket[i, b]`` of band b. Kept texts have theirs in ``kept_gram`` and ``kept_offsets``;
    the first of a bucket is ``head[b, bucket]``, and behind text k comes ``behind[k, b]``.
    ``compared`` remembers which kept texts a text was compared with.
    """

    offsets: LongArray
    gram: LongArray
    bucket: LongArray
    kept_offsets: LongArray
    kept_gram: LongArray
    head: IntArray
    behind: IntArray
    compared: LongArray
    threshold: float


def _no_candidates() -> Candidates:
    none, pairs = np.zeros(1, np.int64), np.zeros((0, 0), np.int64)
    links = np.zeros((0, 0), np.int32)
    return Candidates(none, none, pairs, none, none, links, links, none, 1.0)


NOTHING_NEAR = _no_candidates()
"""What stands for an index where none is wanted."""


class NearIndex:
    """Texts that were kept, so that those near to one of them are found.

    Takes about 400 bytes a text of 20 words.

    Parameters
    ----------
    threshold : float
        From which Jaccard similarity two texts are near.
    room : int
        About how many texts there will be.

    Raises
    ------
    OptionError
        If the threshold is not above 0 and at most 1.

    References
    ----------
    Broder 1997, On the resemblance and containment of documents. Leskovec, Rajaraman & Ullman,
    Mining of Massive Datasets, section 3.4 (bands and rows).
    """

    def __init__(self, threshold: float, *, room: int) -> None:
        if not 0 < threshold <= 1:
            raise OptionError(f"threshold={threshold} is not in (0, 1]", hint="0.8 is common")
        self._threshold = float(threshold)
        self._rows = rows_a_band(threshold)
        bands = _HASHES // self._rows
        size = 1 << max(room, 16).bit_length()
        self._head = np.full((bands, size), -1, np.int32)
        self._behind = np.empty((16, bands), np.int32)
        self._offsets = np.zeros(17, np.int64)
        self._gram = np.empty(256, np.int64)
        self.made = 0

    def prepare(self, table: pa.Table) -> Candidates:
        """Return the texts of a batch, with room to keep all of them."""
        offsets, gram = bigram_sets(table)
        texts = self.made + table.num_rows
        self._behind = _with_room(self._behind, texts)
        self._offsets = _with_room(self._offsets, texts + 1)
        self._gram = _with_room(self._gram, int(self._offsets[self.made]) + len(gram))
        bucket = _buckets(offsets, gram, self._head.shape[0], self._rows, self._head.shape[1])
        compared = np.full(len(self._behind), -1, np.int64)
        return Candidates(
            offsets, gram, bucket, self._offsets, self._gram, self._head, self._behind, compared,
            self._threshold,
        )  # fmt: skip

    def add(self, table: pa.Table) -> None:
        """Keep all texts of a table."""
        self.made = _keep_all(self.prepare(table), self.made)


def rows_a_band(threshold: float) -> int:
    """Return how many hashes make a band: as many as miss few enough pairs at the threshold.

    >>> rows_a_band(0.8), rows_a_band(0.5)
    (5, 2)
    """
    good = [r for r in range(1, 17) if (1 - threshold**r) ** (_HASHES // r) <= _MISSED]
    return max(good, default=1)


def _with_room(array: NDArray[Any], size: int) -> Any:
    if len(array) >= size:
        return array
    grown = np.empty((max(size, 2 * len(array)), *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


def bigram_sets(table: pa.Table) -> tuple[LongArray, LongArray]:
    """Return the bigrams of each example as numbers, each once and rising: where they begin, all.

    >>> offsets, gram = bigram_sets(pa.table({"text": ["a b a b", "a b"]}))
    >>> offsets.tolist(), len(set(gram.tolist()))  # ^a, ab, ba, b$
    ([0, 4, 7], 4)
    """
    sides = [table.column(n) for n in ("text", "text_pair") if n in table.column_names]
    large = [side.cast(pa.large_string()) for side in sides]
    if len(large) == 2:
        large = [pc.binary_join_element_wise(*large, pa.scalar(" ␞ ", pa.large_string()))]
    lists = split_words(large[0])
    offsets = np.asarray(lists.offsets.to_numpy(), np.int64)
    return _sets(hash_rows(*text_bytes(lists.flatten())), offsets - offsets[0])


@kernel(inline="always")
def _mixed(z: np.uint64) -> np.uint64:
    z = (z ^ (z >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel()
def _sets(word: Any, offsets: LongArray) -> tuple[LongArray, LongArray]:
    gram = np.empty(len(word) + len(offsets), np.int64)
    ends = np.zeros(len(offsets), np.int64)
    made = 0
    for i in range(len(offsets) - 1):
        first, last = offsets[i], offsets[i + 1]
        own = np.empty(last - first + 1, np.int64)
        before = _EDGE
        for w in range(first, last):
            own[w - first] = np.int64(_mixed(before * _M1 + word[w]) >> _S1)
            before = word[w]
        own[last - first] = np.int64(_mixed(before * _M1 + _EDGE) >> _S1)
        own.sort()
        for k in range(len(own)):
            if k == 0 or own[k] != own[k - 1]:
                gram[made] = own[k]
                made += 1
        ends[i + 1] = made
    return ends, gram[:made]


@kernel()
def _buckets(offsets: LongArray, gram: LongArray, bands: int, rows: int, size: int) -> LongArray:
    """Return the bucket of each text in each band: a hash of ``rows`` MinHashes."""
    bucket = np.empty((len(offsets) - 1, bands), np.int64)
    for i in range(len(offsets) - 1):
        for b in range(bands):
            value = np.uint64(b)
            for r in range(rows):
                salt = _mixed(np.uint64(b * rows + r + 1) * _EDGE)
                least = np.uint64(0xFFFFFFFFFFFFFFFF)
                for k in range(offsets[i], offsets[i + 1]):
                    least = min(least, _mixed(np.uint64(gram[k]) ^ salt))
                value = _mixed(value * _M1 + least)
            bucket[i, b] = np.int64(value & np.uint64(size - 1))
    return bucket


@kernel()
def is_near(c: Candidates, i: int) -> bool:
    """Say whether text i of a batch is near to a kept one."""
    first, last = c.offsets[i], c.offsets[i + 1]
    for b in range(c.bucket.shape[1]):
        k = c.head[b, c.bucket[i, b]]
        while k >= 0:
            if c.compared[k] != i:
                c.compared[k] = i
                begin, end = c.kept_offsets[k], c.kept_offsets[k + 1]
                common = common_grams(c.gram, first, last, c.kept_gram, begin, end)
                if common >= c.threshold * (last - first + end - begin - common) - 1e-9:
                    return True
            k = c.behind[k, b]
    return False


@kernel()
def keep(c: Candidates, i: int, number: int) -> None:
    """Keep text i of a batch as text ``number``."""
    begin = c.kept_offsets[number]
    for k in range(c.offsets[i], c.offsets[i + 1]):
        c.kept_gram[begin + k - c.offsets[i]] = c.gram[k]
    c.kept_offsets[number + 1] = begin + c.offsets[i + 1] - c.offsets[i]
    for b in range(c.bucket.shape[1]):
        c.behind[number, b] = c.head[b, c.bucket[i, b]]
        c.head[b, c.bucket[i, b]] = number


@kernel()
def _keep_all(c: Candidates, made: int) -> int:
    for i in range(len(c.offsets) - 1):
        keep(c, i, made + i)
    return made + len(c.offsets) - 1

"""Which new examples are let through: wanted, new, and unlike what was let through before.

Two texts are equal as in the quality measures: upper case and white space make no difference, and a
pair is equal if both its texts are. Texts are kept as hashes of 61 bits, so a million of them take
32 MiB; that two different ones of a million collide has a probability of about 2e-7.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from grammar.arrays import BoolArray, Bytes, LongArray, kernel, text_bytes
from grammar.errors import OptionError
from grammar.hashing import hash_rows, members, new_set, slot_of
from grammar.saving.value_checks import Whole, value_fault
from induction.corpus.corpus import Corpus
from induction.corpus.pieces import Piece, mapped
from sampling.pipeline.near_duplicates import NOTHING_NEAR, Candidates, NearIndex, is_near, keep
from sampling.pipeline.quotas import classes_of
from sampling.quality.measures.words import normalised

__all__ = ["DEDUPLICATION", "FATES", "Progress", "Screen", "Seen", "text_keys"]

DEDUPLICATION = ("exact", "minhash", "none")
FATES = ("made", "none of the wanted class or length", "in the source", "made before", "near",
         "leaked")  # fmt: skip
"""What can become of a drawn example, in the order of the tally: let through; of a class or length
that is full or was not asked for; equal to an original; equal to a new one; near to either; equal
to a test text, and those are left out."""

Keys = NDArray[np.uint64]
_MADE, _UNWANTED, _SOURCE, _BEFORE, _NEAR, _LEAKED = range(len(FATES))
_M61 = np.uint64(2**61 - 1)
_S61, _ONE = np.uint64(61), np.uint64(1)
_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_JOIN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Seen:
    """What decides whether examples are let through: numbers, and no texts.

    Attributes
    ----------
    index : int64[examples]
        Their numbers in the stream.
    keys : uint64[examples]
        Of their texts (:func:`text_keys`).
    words : int64[examples]
        How many they have.
    classes : int64[examples]
        Of their labels; empty if they have none.
    """

    index: LongArray
    keys: Keys
    words: LongArray
    classes: LongArray

    @classmethod
    def of(cls, table: pa.Table) -> Seen:
        """Look at drawn examples."""
        index = table.column("provenance").combine_chunks().field("index").to_numpy()
        return cls(index, *text_keys(table), classes_of(table))


def text_keys(table: pa.Table) -> tuple[Keys, LongArray]:
    """Return one number below 2**61 for the texts of each example, and how many words they have.

    Examples
    --------
    >>> keys, words = text_keys(pa.table({"text": ["A  b", "a b ", "É a"]}))
    >>> len(set(keys.tolist())), words.tolist()
    (2, [2, 2, 2])
    """
    keys = np.zeros(table.num_rows, np.uint64)
    words = np.zeros(table.num_rows, np.int64)
    for name in ("text", "text_pair"):
        if name in table.column_names:
            column = table.column(name).combine_chunks()
            own, count, plain = _plain_keys(*text_bytes(column))
            if not plain.all():
                # beyond ASCII, upper case and white space are Arrow's business
                rest = pa.chunked_array([column.filter(pa.array(~plain)).cast(pa.large_string())])
                texts = normalised(rest)
                own[~plain] = hash_rows(*text_bytes(texts))
                spaces = pc.count_substring(texts, " ").to_numpy()
                count[~plain] = spaces + pc.not_equal(texts, "").to_numpy(zero_copy_only=False)
            keys = keys * _JOIN + own
            words += count
    return (keys ^ (keys >> _S61)) & _M61, words


@kernel()
def _plain_keys(data: Bytes, offsets: LongArray) -> Any:
    """Hash texts in lower case with single spaces, and count words; say which are plain ASCII."""
    size = len(offsets) - 1
    keys, words, plain = (
        np.empty(size, np.uint64),
        np.zeros(size, np.int64),
        np.ones(size, np.bool_),
    )
    for r in range(size):
        value, gap = _FNV_START, True
        for k in range(offsets[r], offsets[r + 1]):
            byte = data[k]
            if byte >= 128:
                plain[r] = False
                break
            if byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31:
                gap = True
                continue
            if gap:
                if words[r]:
                    value = (value ^ np.uint64(32)) * _FNV_PRIME
                words[r] += 1
                gap = False
            if 65 <= byte <= 90:
                byte += 32
            value = (value ^ np.uint64(byte)) * _FNV_PRIME
        keys[r] = value
    return keys, words, plain


@dataclass
class Progress:
    """How far a part of an augmentation has come.

    Attributes
    ----------
    wanted : int64[cells]
        How many of each cell are still to be made.
    tally : int64[fates]
        How many drawn examples met each of :data:`FATES`.
    position : int
        The number of the next example to look at.
    barren : int
        How many in a row, up to now, brought nothing.
    leaked : int
        How many of those let through equal a test text.
    finished : bool
        Whether nothing more will come.
    shortfall : str
        Why there is less than was wanted.
    """

    wanted: LongArray
    tally: LongArray = field(default_factory=lambda: np.zeros(len(FATES), np.int64))
    position: int = 0
    barren: int = 0
    leaked: int = 0
    finished: bool = False
    shortfall: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON can hold it."""
        return {
            **asdict(self), "wanted": self.wanted.tolist(), "tally": self.tally.tolist()
        }  # fmt: skip

    @classmethod
    def from_dict(cls, saved: dict[str, Any], asked: LongArray) -> Progress:
        """Undo :meth:`to_dict`; ``asked`` is what was wanted when nothing was made.

        Raises
        ------
        ValueError
            If no run of an equal part comes to such a state.
        """
        if fault := value_fault(saved, _STATE):
            raise ValueError(fault)
        arrays = {name: np.array(saved[name], np.int64) for name in ("wanted", "tally")}
        found = cls(**{**{name: saved[name] for name in _STATE}, **arrays})
        found._check(asked)
        return found

    def _check(self, asked: LongArray) -> None:
        if self.wanted.shape != asked.shape or self.tally.shape != (len(FATES),):
            raise ValueError("it is of another number of classes and lengths")
        made, drawn = int(self.tally[_MADE]), sum(self.tally.tolist())
        if (self.wanted > asked).any() or int((asked - self.wanted).sum()) != made:
            raise ValueError("what was made and what is wanted do not make what was asked for")
        if drawn > self.position or self.barren > drawn - made or self.leaked > made:
            raise ValueError("more came of the examples than were drawn")
        if bool(self.shortfall) != bool(self.finished and self.wanted.any()):
            raise ValueError("it is finished without an end or a reason")


_STATE = {
    "wanted": [Whole()], "tally": [Whole()], "position": Whole(), "barren": Whole(),
    "leaked": Whole(), "finished": bool, "shortfall": str,
}  # fmt: skip


class Screen:
    """Lets examples through, in their order: each depends on those before it, never on batches.

    Parameters
    ----------
    source : Corpus
        The originals; a text of theirs is not new.
    room : int
        How many examples there will be at most.
    test : Corpus, optional
        Texts to look for.
    deduplicate : {"exact", "minhash", "none"}
        What is left out: equal texts; also near ones; nothing.
    threshold : float
        From which Jaccard similarity of bigrams two texts are near (minhash).
    drop_leaked : bool
        Leave out what equals a test text, instead of counting it.

    Raises
    ------
    OptionError
        If an option has a value that cannot be used.
    """

    def __init__(
        self,
        source: Corpus,
        *,
        room: int,
        test: Corpus | None = None,
        deduplicate: str = "exact",
        threshold: float = 0.8,
        drop_leaked: bool = False,
    ) -> None:
        if deduplicate not in DEDUPLICATION:
            raise OptionError(
                f"dedup={deduplicate!r} is not known", hint=f"use one of {', '.join(DEDUPLICATION)}"
            )
        if drop_leaked and test is None:
            raise OptionError("there is no test corpus to leave texts of out", hint="give one")
        self._distinct = deduplicate != "none"
        self._drop_leaked = drop_leaked
        self._source = _set_of(source)
        self._test = _set_of(test) if test is not None else new_set(np.zeros(0, np.uint64), 0)
        self._made = new_set(np.zeros(0, np.uint64), 0)
        self._size = 0
        self._near = None
        if deduplicate == "minhash":
            self._near = NearIndex(threshold, room=len(source) + room)
            self._near.add(source.table)

    def admit(
        self,
        batch: pa.Table | Piece,
        keys: Keys,
        cells: LongArray,
        progress: Progress,
        patience: int,
    ) -> tuple[BoolArray, int]:
        """Say which examples are let through, and how many were looked at.

        Fewer are looked at only if nothing more is wanted, or more than ``patience`` examples in a
        row brought nothing. Of the batch itself only near ones are looked for.
        """
        if len(self._made) < 2 * (self._size + len(keys)):
            self._made = new_set(members(self._made), 2 * (self._size + len(keys)))
        near = NOTHING_NEAR if self._near is None else self._near.prepare(mapped(batch))
        through = np.zeros(len(keys), np.bool_)
        kept = 0 if self._near is None else self._near.made
        looked, progress.barren, leaked = _admit(
            keys, cells, progress.wanted, self._source, self._made, self._test, self._distinct,
            self._drop_leaked, near, kept, patience, progress.barren, progress.tally, through,
        )  # fmt: skip
        made = int(np.count_nonzero(through))
        progress.leaked += leaked
        self._size += made
        if self._near is not None:
            self._near.made += made
        return through, looked

    def remember(self, table: pa.Table) -> None:
        """Take examples for let through, as those of a run that goes on."""
        keys, _ = text_keys(table)
        self._size += len(keys)
        self._made = new_set(np.concatenate((members(self._made), keys)), 2 * self._size)
        if self._near is not None:
            self._near.add(table)


def _set_of(corpus: Corpus) -> Keys:
    keys, _ = text_keys(corpus.table)
    return new_set(keys, len(keys))


@kernel()
def _admit(
    keys: Keys,
    cells: LongArray,
    wanted: LongArray,
    source: Keys,
    made: Keys,
    test: Keys,
    distinct: bool,
    drop_leaked: bool,
    near: Candidates,
    kept: int,
    patience: int,
    barren: int,
    tally: LongArray,
    through: BoolArray,
) -> tuple[int, int, int]:
    leaked, left = 0, wanted.sum()
    for r in range(len(keys)):
        if left == 0 or barren > patience:
            return r, barren, leaked
        barren += 1
        slot = slot_of(made, keys[r])
        in_test = test[slot_of(test, keys[r])] != 0
        if cells[r] < 0 or wanted[cells[r]] == 0:
            tally[_UNWANTED] += 1
        elif distinct and source[slot_of(source, keys[r])] != 0:
            tally[_SOURCE] += 1
        elif distinct and made[slot] != 0:
            tally[_BEFORE] += 1
        elif drop_leaked and in_test:
            tally[_LEAKED] += 1
        elif len(near.bucket) and is_near(near, r):
            tally[_NEAR] += 1
        else:
            tally[_MADE] += 1
            made[slot] = keys[r] + _ONE
            if len(near.bucket):
                keep(near, r, kept)
                kept += 1
            wanted[cells[r]] -= 1
            left -= 1
            barren = 0
            leaked += in_test
            through[r] = True
    return len(keys), barren, leaked

"""The one core of all methods that edit words: draw texts and edits, write them out, label them.

A method is a kernel that fills in slots (see ``sampling.token_texts``) for a text and a stream of
random numbers. All the rest is here: which text an attempt takes, what is new, labels, tags, heads
and trees, provenance, and the same for one epoch of training (:meth:`TokenSampler.vary`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, LongArray, kernel
from grammar.counter_rng import next_uniform, open_stream, stream_key
from grammar.errors import CorpusError, OptionError
from induction.corpus import Corpus
from sampling.protocol import BATCH, batch_bounds, in_threads, option, whole_number
from sampling.sides import Side, protected_words, text_bytes
from sampling.span_exchange import read_examples
from sampling.splicing import as_strings
from sampling.substitution import ShortfallWarning
from sampling.token_columns import edited_columns
from sampling.token_grammar import WordGrammar
from sampling.token_texts import Pools, Slots, Words, hash_rows, read_words, write_slots

__all__ = [
    "RefusedColumnError",
    "TokenOptions",
    "TokenSampler",
    "TokenTexts",
    "read_texts",
    "refuse_columns",
]

_CHUNK = 4096
_ROUNDS_WITHOUT_NEW = 32


@dataclass(frozen=True, kw_only=True)
class TokenOptions:
    """The options that all methods of this core have."""

    faithful: str = option(
        "paper",
        "The defaults of the paper, or of the released program.",
        choices=("paper", "code"),
    )
    distinct: bool = option(
        True,
        "Give no text twice, and none of the corpus; without it draws are given as they come.",
        code=False,
    )
    protect: str | None = option(
        None,
        "A regular expression; words that share a character with a match are never edited or "
        "parted, and moved only with the constituents that hold them. A column 'protected' does "
        "the same by word numbers or entities.",
    )


class RefusedColumnError(CorpusError):
    """A method cannot keep ``column``; without it the corpus can be used."""

    column: str = ""


@dataclass(frozen=True, eq=False)
class TokenTexts:
    """The checked texts of a corpus as a method of this core reads them.

    Attributes
    ----------
    corpus : Corpus
        The columns that examples keep.
    side : Side
        The column ``text``.
    words : Words
        Its words for kernels.
    kinds : list of str
        How each kind of word is written.
    """

    corpus: Corpus
    side: Side
    words: Words
    kinds: list[str]

    @property
    def single_words(self) -> bool:
        """Whether only single words can be put in: columns of words must stay aligned."""
        return bool({"tokens", "tags", "heads", "tree"} & set(self.corpus.names))


def read_texts(corpus: Corpus, protect: str | None) -> TokenTexts:
    """Check a corpus and find the words of its texts.

    Raises
    ------
    CorpusError
        If it is empty, a text is empty, or a label or column of words is not valid.
    OptionError
        If ``protect`` is not a regular expression.
    """
    examples = read_examples(corpus)
    side = examples.sides[0]
    mask = protected_words(corpus, side, protect)
    raw = "tokens" not in corpus.names and side.treebank is None
    words, kinds = read_words(side, mask, raw=raw)
    return TokenTexts(examples.corpus, side, words, kinds)


def refuse_columns(texts: TokenTexts, names: Sequence[str], method: str, why: str) -> None:
    """Refuse a corpus that has one of these columns (RefusedColumnError)."""
    for name in names:
        if name in texts.corpus.names:
            refusal = RefusedColumnError(
                f"{method} cannot keep the column {name!r}: {why}",
                hint=f"drop {name!r}, or use a method that keeps it (random-word, or eda with "
                "alpha_ri=0 and alpha_rd=0)",
            )
            refusal.column = name
            raise refusal


class _Stream:
    """The attempts of one seed that gave new texts, as far as they were made."""

    def __init__(self, known: set[int]) -> None:
        self.known = known
        self.accepted: list[LongArray] = []
        self.made = 0
        self.next = 0
        self.last = -1
        self.exhausted = False


class TokenSampler:
    """Edit the words of texts; subclasses say how, in ``induce`` and ``edits``."""

    method: ClassVar[str]
    version: ClassVar[str] = "1"

    def __init__(self, texts: TokenTexts, pools: Pools, options: Any, hosts: BoolArray) -> None:
        self.texts = texts
        self.pools = pools
        self.options = options
        self._hosts = np.flatnonzero(hosts)
        self._streams: dict[int, _Stream] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self._hosts):,} texts that can be edited)"

    @cached_property
    def grammar(self) -> WordGrammar | None:
        """The words that can be put in, as a grammar; None if the method puts none in."""
        return None

    def edits(self, key: np.uint64, index: LongArray, rounds: LongArray, hosts: LongArray) -> Slots:
        """Fill in the slots of new examples.

        Row r is a function of the key, ``index[r]`` (its stream of random numbers), ``rounds[r]``
        (how often its text was edited before) and ``hosts[r]``, the number of its text.
        """
        raise NotImplementedError

    def bound(self, host: int) -> int:
        """Return an upper bound of the distinct texts that one text can become."""
        raise NotImplementedError

    def count(self) -> int:
        """Return an upper bound of the number of distinct new texts."""
        return sum(self.bound(host) for host in self._hosts.tolist())

    def sample(self, n: int, *, seed: int = 0, start: int = 0) -> Corpus:
        """Draw new examples.

        Attempts go round the texts, each round in a random order of its own; attempt a is a
        function of the seed and a. Those that change nothing, or make a text that was there, are
        passed over. So example i is a function of the seed and i, and n examples are n distinct
        ones.

        Parameters
        ----------
        n : int
            How many.
        seed : int
            Which stream of examples.
        start : int
            How many to skip.

        Returns
        -------
        Corpus
            The columns of the corpus, and provenance: the parent, the words of ``text`` that were
            put in, the rules of the grammar used, and the natural logarithm of the probability
            of the draws that made the example.

        Warns
        -----
        ShortfallWarning
            If fewer are found; those are returned.

        Raises
        ------
        OptionError
            If ``n``, ``seed`` or ``start`` is not a whole number of zero or more.
        """
        return Corpus(pa.concat_tables(self.batches(n, seed=seed, start=start)))

    def batches(
        self,
        n: int,
        *,
        seed: int = 0,
        start: int = 0,
        workers: int = 1,
        batch_size: int = BATCH,
    ) -> Iterator[pa.Table]:
        """Yield the table of :meth:`sample` in batches; neither they nor threads change a row."""
        bounds = batch_bounds(n, seed=seed, start=start, workers=workers, batch_size=batch_size)

        def tasks() -> Iterator[Any]:
            for first, stop in bounds:
                attempts = self._attempts(seed, first, stop)
                yield lambda first=first, attempts=attempts: self._table(seed, first, attempts)
                if first + len(attempts) < stop:
                    warnings.warn(self._shortfall(n, start, seed), ShortfallWarning, stacklevel=3)
                    return

        return in_threads(tasks(), workers)

    def vary(self, rows: Sequence[int] | LongArray, *, seed: int = 0, epoch: int = 0) -> Corpus:
        """Edit chosen texts once each, as training does: text i of epoch e by (seed, e, i) alone.

        Nothing is passed over: a text that cannot be edited, or whose draw changes nothing,
        comes as it is. Every example keeps the id of its text.

        Parameters
        ----------
        rows : sequence of int
            Numbers of texts of the corpus.
        seed, epoch : int
            Which stream, and which epoch of it.
        """
        whole_number("epoch", epoch, 0)
        whole_number("seed", seed, 0)
        hosts = np.asarray(rows, np.int64)
        total = len(self.texts.side)
        if len(hosts) and not 0 <= int(hosts.min()) <= int(hosts.max()) < total:
            raise OptionError(
                f"the corpus has no text {int(hosts.max())}", hint=f"use 0 to {total - 1}"
            )
        key = stream_key(seed, f"{self.method} in training")
        index = epoch * np.int64(total) + hosts
        slots = self.edits(key, index, np.full(len(hosts), epoch, np.int64), hosts)
        made = self._spelt(slots, hosts, seed, index)
        ids = self.texts.corpus.arrow("id").take(pa.array(hosts))
        return Corpus(made.set_column(made.column_names.index("id"), "id", ids))

    def _attempts(self, seed: int, first: int, stop: int) -> LongArray:
        """Return the attempts that make examples ``first`` to ``stop - 1``, or all there are."""
        stream = self._streams.get(seed)
        if stream is None:
            # batches are mostly of one seed, so only the last one is kept
            stream = _Stream(set(self._source_hashes) if self.options.distinct else set())
            self._streams = {seed: stream}
        while stream.made < stop and not stream.exhausted:
            self._extend(stream, seed)
        accepted = np.concatenate([np.zeros(0, np.int64), *stream.accepted])
        stream.accepted = [accepted]
        return np.asarray(accepted[first:stop])

    def _extend(self, stream: _Stream, seed: int) -> None:
        attempts = np.arange(stream.next, stream.next + _CHUNK, dtype=np.int64)
        stream.next += _CHUNK
        if self.options.distinct:
            known = stream.known
            hashes = self._hashes(seed, attempts)
            new = [h not in known and not known.add(h) for h in hashes.tolist()]  # type: ignore[func-returns-value]
            attempts = attempts[np.array(new, np.bool_)]
        gaps = np.diff(np.concatenate(([stream.last], attempts, [stream.next - 1])))
        late = np.flatnonzero(gaps > self._patience)
        if len(late):
            attempts, stream.exhausted = attempts[: late[0]], True
        stream.accepted.append(attempts)
        stream.made += len(attempts)
        stream.last = int(attempts[-1]) if len(attempts) else stream.last

    @property
    def _patience(self) -> int:
        """How many attempts without a new text end a stream."""
        return max(_ROUNDS_WITHOUT_NEW * len(self._hosts), _CHUNK)

    def _hashes(self, seed: int, attempts: LongArray) -> Any:
        slots, hosts = self._draw(seed, attempts)
        hashes = write_slots(self.texts.words, self.pools, slots, hosts)[2]
        return hashes ^ self._pair_hashes[hosts]

    def _draw(self, seed: int, attempts: LongArray) -> tuple[Slots, LongArray]:
        rounds = attempts // len(self._hosts)
        hosts = np.empty(len(attempts), np.int64)
        for number in np.unique(rounds).tolist():
            mine = rounds == number
            order = self._order(seed, number)
            hosts[mine] = order[attempts[mine] % len(self._hosts)]
        return self.edits(stream_key(seed, self.method), attempts, rounds, hosts), hosts

    def _order(self, seed: int, number: int) -> LongArray:
        key = stream_key(seed, f"{self.method} order")
        return self._hosts[np.argsort(_uniforms(key, number, len(self._hosts)), kind="stable")]

    @cached_property
    def _pair_hashes(self) -> Any:
        """One number a text for what stands beside it: equal texts differ if their pairs do."""
        if "text_pair" not in self.texts.corpus.names:
            return np.zeros(len(self.texts.side), np.uint64)
        return hash_rows(*text_bytes(self.texts.corpus.arrow("text_pair").combine_chunks()))

    @cached_property
    def _source_hashes(self) -> set[int]:
        words = self.texts.words
        return set((hash_rows(words.text, words.text_offsets) ^ self._pair_hashes).tolist())

    def _shortfall(self, n: int, start: int, seed: int) -> str:
        stream = self._streams[seed]
        behind = f" behind the first {start}" if start else ""
        return (
            f"{n} examples were asked for{behind}, but only {stream.made} distinct new ones were "
            f"found: {self._patience} attempts in a row made none"
        )

    def _table(self, seed: int, first: int, attempts: LongArray) -> pa.Table:
        slots, hosts = self._draw(seed, attempts)
        return self._spelt(slots, hosts, seed, np.arange(first, first + len(attempts)))

    def _spelt(self, slots: Slots, hosts: LongArray, seed: int, index: LongArray) -> pa.Table:
        data, offsets, _ = write_slots(self.texts.words, self.pools, slots, hosts)
        return edited_columns(self, slots, hosts, as_strings(data, offsets), seed, index)


@kernel()
def _uniforms(key: np.uint64, number: int, size: int) -> Any:
    values = np.empty(size)
    state = open_stream(key, number)
    for i in range(size):
        state, values[i] = next_uniform(state)
    return values

"""The one core of all methods that edit words: draw texts and edits, write them out, label them.

A method is a kernel that fills in slots (see ``sampling.words.texts``) for a text and a stream of
random numbers. All the rest is here: which text an attempt takes, what is new, labels, tags, heads
and trees, provenance, and the same for one epoch of training (:meth:`TokenSampler.vary`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.arrays import BoolArray, Bytes, IntArray, LongArray, text_bytes
from grammar.errors import CorpusError, OptionError
from grammar.hashing import hash_rows
from grammar.options import option, read_options, whole_number
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from sampling.examples.entities import NewWords, carried_spans
from sampling.examples.splicing import as_strings
from sampling.stream import CHUNK, Sampler, in_rounds
from sampling.words.columns import edited_columns
from sampling.words.grammar import Operation, WordGrammar
from sampling.words.pools import Pools, as_pools
from sampling.words.texts import Slots, TokenTexts, slot_places, write_slots

__all__ = ["RefusedColumnError", "TokenOptions", "TokenSampler", "refuse_columns"]

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
        "Give only new texts: no repeated text and none of the corpus. Without it, every draw is "
        "given.",
        code=False,
    )
    protect: str | None = option(
        None,
        "A regular expression. Words that overlap a match are never edited or split, and are "
        "moved only with their constituents. A column 'protected' does the same by word numbers "
        "or entities.",
    )


class RefusedColumnError(CorpusError):
    """A method cannot keep ``column``; without it the corpus can be used."""

    column: str = ""


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


class TokenSampler(Sampler):
    """Edits the words of texts.

    A method gives :meth:`read`, :meth:`edits` and :meth:`bound`. Attempts go round the texts, each
    round in a random order of its own.

    Parameters
    ----------
    grammar : WordGrammar
        Induced by the method of the class, or opened.
    """

    explained_as = "words"
    carries_spans = True
    Options: ClassVar[type[TokenOptions]]
    unusable: ClassVar[str] = "no text can be edited"
    grammar: WordGrammar

    def __init__(self, grammar: WordGrammar) -> None:
        super().__init__(grammar)
        self.texts, self.pools = grammar.texts, grammar.pools
        self.distinct = self.options.distinct
        self.patience = max(_ROUNDS_WITHOUT_NEW * len(grammar.hosts), CHUNK)

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Self:
        """Find which texts can be edited, and the words to put in.

        Parameters
        ----------
        corpus : Corpus
            With ``text``, and the columns that options ask for. Without tokens or trees, words are
            what stands between white space, and punctuation that touches one is not replaced.
        **options
            Fields of the ``Options`` of the class; none of them is needed.

        Raises
        ------
        CorpusError
            If a column is missing, not valid or cannot be kept, or no text can be edited.
        OptionError
            If an option is unknown or has a value that cannot be used.
        """
        return cls(cls.read(corpus, read_options(cls.Options, options, cls.method)))

    @classmethod
    def read(cls, corpus: Corpus, options: Any) -> WordGrammar:
        """Return the grammar of a corpus (raises like :meth:`induce`)."""
        raise NotImplementedError

    @classmethod
    def grammar_of(
        cls,
        texts: TokenTexts,
        options: TokenOptions,
        operations: Sequence[Operation],
        *,
        usable: BoolArray,
        names: Sequence[str] = (),
        pools: Pools | None = None,
        replaced: IntArray | None = None,
        inserted: IntArray | None = None,
    ) -> WordGrammar:
        """Make the grammar of texts, of which those usable are edited (CorpusError if none is)."""
        if not usable.any():
            raise CorpusError(cls.unusable, hint="give longer texts, or protect fewer words")
        none = np.full(len(texts.words.kind), -1, np.int32)
        return WordGrammar(
            cls.method,
            cls.version,
            asdict(options),
            texts,
            np.flatnonzero(usable),
            tuple(operations),
            tuple(names),
            as_pools([], []) if pools is None else pools,
            none if replaced is None else replaced,
            none if inserted is None else inserted,
        )

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
        return sum(self.bound(host) for host in self.grammar.hosts.tolist())

    def attempt(self, seed: int, numbers: LongArray, *beside: Any) -> tuple[Slots, LongArray]:
        """Edit a text each; return the edits, and the numbers of the texts."""
        size = len(self.grammar.hosts)
        hosts = self.grammar.hosts[in_rounds(self._key(seed, " order"), numbers, size)]
        return self.edits(self._key(seed), numbers, numbers // size, hosts), hosts

    def hash(self, drawn: tuple[Slots, LongArray], rows: LongArray) -> NDArray[np.uint64]:
        """Return a number a text, equal if the texts are, and what stands beside them."""
        data, offsets = self.written(*drawn)
        hashes: NDArray[np.uint64] = hash_rows(data, offsets) ^ self._pair_hashes[drawn[1]]
        return hashes[rows]

    def known(self) -> list[int]:
        """Return the hashes of the texts of the corpus."""
        words = self.texts.words
        known: list[int] = (hash_rows(words.text, words.text_offsets) ^ self._pair_hashes).tolist()
        return known

    def write(self, drawn: tuple[Slots, LongArray], seed: int, index: LongArray) -> pa.Table:
        """Write edited texts, and all columns that their corpus has."""
        data, offsets = self.written(*drawn)
        texts: dict[str, Any] = {"text": as_strings(data, offsets)}
        marks = self.texts.side.marks
        if marks is not None:
            slots, hosts = drawn
            pools, final = self.mended(slots)
            words = NewWords(*slot_places(self.texts.words, pools, final, hosts))
            labelled = self.labelled(slots, hosts)
            texts["spans"] = carried_spans(marks, words, (data, offsets), labelled)
        return edited_columns(self.grammar, *drawn, texts, seed, index)

    def written(self, slots: Slots, hosts: LongArray) -> tuple[Bytes, LongArray]:
        """Return the bytes of edited texts, and where each begins (one more than texts)."""
        return write_slots(self.texts.words, *self.mended(slots), hosts)

    def mended(self, slots: Slots) -> tuple[Pools, Slots]:
        """Return edits as they are written, and the words that these put in."""
        return self.pools, slots

    def labelled(self, slots: Slots, hosts: LongArray) -> LongArray | None:
        """Return the words whose labels the words of the slots have; None if it is their own."""
        return None

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
        key = self._key(seed, " in training")
        index = epoch * np.int64(total) + hosts
        slots = self.edits(key, index, np.full(len(hosts), epoch, np.int64), hosts)
        made = self.write((slots, hosts), seed, index)
        ids = self.texts.corpus.arrow("id").take(pa.array(hosts))
        return Corpus(made.set_column(made.column_names.index("id"), "id", ids))

    def _key(self, seed: int, of: str = "") -> np.uint64:
        return stream_key(seed, f"{self.method}{of}")

    @cached_property
    def _pair_hashes(self) -> Any:
        """One number a text for what stands beside it: equal texts differ if their pairs do."""
        if "text_pair" not in self.texts.corpus.names:
            return np.zeros(len(self.texts.side), np.uint64)
        return hash_rows(*text_bytes(self.texts.corpus.arrow("text_pair").combine_chunks()))

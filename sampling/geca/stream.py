"""GECA for corpora whose substitutions are too many to be listed: examples drawn by walks.

What :class:`sampling.geca.method.GECA` judges once and for all is drawn here one by one, so memory
grows with the corpus and not with the number of substitutions, and a million sentences can be read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.errors import NothingNewError
from grammar.hashing import members, new_set
from grammar.options import read_options
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from sampling.geca.method import Substituting
from sampling.geca.options import GECAStreamOptions, hinted, within_classes
from sampling.geca.walk_grammar import WalkGrammar, induce_walks
from sampling.geca.walks import Seen, draw_walks
from sampling.stream import Columns, Shortfall

__all__ = ["GECAStream"]

_ROOM = 65_536
_NO_LIMIT = 2**62


class GECAStream(Substituting):
    """Fill contexts with fragments reached by a walk; build one with :meth:`induce`.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=["the wug sang", "the cat sang", "the wug slept"])
    >>> GECAStream.induce(corpus, window=1, size=1).sample(1).column("text")
    ['the cat slept']

    References
    ----------
    Jacob Andreas. 2020. Good-Enough Compositional Data Augmentation. ACL.
    """

    method = "geca-stream"
    Options = GECAStreamOptions
    patience = 1 << 20
    grammar: WalkGrammar

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> GECAStream:
        """Find the fragments of a corpus that can be exchanged, and their environments.

        Fragments, environments and what is licensed are those of
        :meth:`sampling.geca.method.GECA.induce`. What differs is the draw: a place (a fragment of
        an example) alike among all, then a place of the same context, then one of the same
        fragment, then one of the same environment. So hosts and fillers come by their frequencies
        in the corpus.

        Parameters
        ----------
        corpus : Corpus
            With ``text``, ``target`` if the examples are pairs, and ``label`` if they have any.
            Words are what stands between ASCII white space. Examples that are equal word by word
            count once.
        **options
            Fields of :class:`GECAStreamOptions`.

        Raises
        ------
        CorpusError
            If the corpus is empty or lacks a text or target, a label is not valid, or no two
            fragments can be exchanged.
        OptionError
            If an option is unknown or has a value that cannot be used.

        Notes
        -----
        Sequences are compared by 61-bit hashes, so that one new example in 10 ** 12 may be taken
        for a known one where there are a million.
        """
        chosen = read_options(GECAStreamOptions, options, cls.method)
        chosen = within_classes(chosen, options, corpus)
        try:
            return cls(induce_walks(corpus, chosen))
        except NothingNewError as error:
            raise hinted(error, options, chosen) from None

    def count(self) -> int:
        """Return an upper bound of the number of new examples: that of walks."""
        t = self.grammar.walks
        sizes = np.diff(t.in_environment.offsets)[t.places.environment[t.of_fragment.values]]
        ends = np.concatenate(([0], np.cumsum(sizes)))[t.of_fragment.offsets]
        return int(np.diff(ends)[t.places.fragment[t.hosts]].sum())

    def stream(self, seed: int) -> _Walking:
        """Return the examples of a seed: walks that end at something new."""
        return _Walking(self, seed)

    def attempt(
        self, seed: int, numbers: LongArray, *beside: Any
    ) -> tuple[LongArray, IntArray, FloatArray]:
        """Return walks by their places and fragments."""
        return numbers, beside[0], self.grammar.log_probability(numbers, beside[0])


class _Walking:
    """The examples of one seed, as far as they were drawn."""

    def __init__(self, sampler: GECAStream, seed: int) -> None:
        self.made = 0
        self._sampler = sampler
        self._key = stream_key(seed, sampler.method)
        self._seen = Seen(*sampler.grammar.known, new_set(np.zeros(0, np.uint64), _ROOM))
        self._next = self._since = 0

    def take(self, count: int) -> Columns:
        """Return the places and fragments of the next examples."""
        if 2 * (self.made + count) > len(self._seen.given):
            room = 2 * (self.made + count)
            self._seen = self._seen._replace(given=new_set(members(self._seen.given), room))
        grammar = self._sampler.grammar
        longest = grammar.options["max_length"]
        places, fillers = np.empty(count, np.int64), np.empty(count, np.int32)
        made, self._next, self._since = draw_walks(
            self._key,
            self._next,
            self._since,
            self._sampler.patience,
            grammar.walks,
            _NO_LIMIT if longest is None else longest,
            self._seen,
            places,
            fillers,
        )
        self.made += made
        return places[:made], fillers[:made]

    def shortfall(self) -> Shortfall:
        """Say after how many vain attempts the search ended."""
        why = (
            f"only {self.made:,} distinct new ones were found: {self._sampler.patience:,} attempts "
            "in a row made none"
        )
        return Shortfall(self.made, why, self._next)

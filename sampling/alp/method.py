"""ALP: augmentation with lexicalised probabilistic context-free grammars (Kim et al. 2022)."""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, FloatArray, IntArray, LongArray
from grammar.files import PathLike
from grammar.hashing import Keys, hash_rows
from grammar.options import read_options, whole_number
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from sampling.alp.code import ALPCode, PhraseGrammar
from sampling.alp.columns import example_columns, spell
from sampling.alp.fitting import fit_of, no_fit, sentences_of_grammar
from sampling.alp.framing import FrameFit, chosen_streams, frame_fit_of
from sampling.alp.grammar import ALPGrammar
from sampling.alp.induction import VERSION, induce_grammar
from sampling.alp.kernels import Fit, derive, finish, refill
from sampling.alp.options import ALPOptions, settled
from sampling.alp.slots import Settings, Slots, room, widest
from sampling.alp.trees import without_idle_trees
from sampling.alp.words import UNIT
from sampling.alp.writing import Reader, Writer
from sampling.examples.splicing import as_strings
from sampling.joins.phrases import Phrases, phrases_of
from sampling.joins.score import SeamScore, Tilt
from sampling.stream import (
    CHUNK,
    Attempts,
    Columns,
    Sampler,
    Search,
    Shortfall,
    ShortfallWarning,
    Stream,
    hosts_in_turn,
    warn_of,
)

__all__ = ["ALP"]

_ROUNDS_WITHOUT_NEW = 32
_CHOSEN_AT_ONCE = 512
"""Attempts that are made at a time where each is one of several."""
Drawn = tuple[Slots, LongArray]
"""Derivations, and the text that each starts from."""


class _ChosenAttempts(Attempts):
    """Attempts beside which it is kept which of their derivations was chosen."""

    sampler: ALP

    def chunk(self, first: int) -> Columns:
        """Return the next attempts, the stream of each, and what its choice adds."""
        numbers = np.arange(first, first + self.sampler.at_once, dtype=np.int64)
        return numbers, *self.sampler.chosen(self.seed, numbers)


class _WrittenAttempts(_ChosenAttempts):
    """Attempts beside which it is kept what a model wrote, which goes by what was given before."""

    def __init__(self, sampler: ALP, seed: int) -> None:
        super().__init__(sampler, seed)
        self._phrases = sampler.writer.phrases()

    def chunk(self, first: int) -> Columns:
        """Return what :class:`_ChosenAttempts` does, and what :meth:`ALP.written` does."""
        columns = super().chunk(first)
        return *columns, *self.sampler.written(self.seed, columns, self._phrases)

    def given(self, columns: Columns) -> None:
        """Hear of attempts that were given; their phrases are worn from now on."""
        for form in columns[3]:
            words = self.sampler.writer.lower[form[form >= 0]].tolist()
            self._phrases.give(phrases_of(words))


class ALP(Sampler):
    """Exchange constituents with alike heads within a class, and redraw words by tag and head.

    Build one with :meth:`induce`, or from a loaded grammar.

    Parameters
    ----------
    grammar : ALPGrammar
        Its facts hold the options.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["the old dog saw a cat", "a bird heard the young fox"], label=[0, 0],
    ...     tree=["(S (NP (DT the) (JJ old) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))))",
    ...           "(S (NP (DT a) (NN bird)) (VP (VBD heard) (NP (DT the) (JJ young) (NN fox))))"])
    >>> sampler = ALP.induce(corpus, synonym=0, quantile=0)
    >>> sampler.sample(2, seed=0).column("label")
    [0, 0]

    References
    ----------
    Hazel Kim, Daecheol Woo, Seong Joon Oh, Jeong-Won Cha, Yo-Sub Han. 2022. ALP: Data Augmentation
    Using Lexicalized PCFGs for Few-Shot Text Classification. AAAI.
    """

    method = "alp"
    version = VERSION
    by_host = True
    is_written = True
    Options = ALPOptions
    grammar: ALPGrammar

    def __init__(self, grammar: ALPGrammar) -> None:
        super().__init__(grammar)
        o = self.options
        self.distinct = o.distinct
        self.patience = max(_ROUNDS_WITHOUT_NEW * len(grammar.ids), CHUNK)
        self._fit: Fit = no_fit()
        self._frames: FrameFit | None = None
        self._of_host = 1
        self._reader: Reader | None = None
        base, back_off = 1.0 / (len(grammar.forms) + 1), o.back_off * UNIT
        self._settings = Settings(
            float(o.exchange), o.depth, float(o.pool), float(o.synonym), float(back_off), base,
            float(o.min_length), float(o.max_length), o.article,
        )  # fmt: skip

    def own_score(self, kind: str) -> SeamScore | None:
        """Return the cohesion over the words of the grammar's texts; there is no learnt one."""
        return SeamScore(sentences_of_grammar(self.grammar), None) if kind == "joins" else None

    def under(self, tilt: Tilt) -> ALP:
        """Return a sampler that chooses exchanges by their frames, words by their neighbours."""
        made = copy.copy(self)
        made._fit, made._of_host, made._left = fit_of(self.grammar, tilt), tilt.of_host, None
        made._frames = frame_fit_of(self.grammar, tilt)
        vars(made).pop("writer", None)  # it goes by another fit
        if not self.repeats:  # else whoever chooses says how many
            made.at_once = _CHOSEN_AT_ONCE
        return made

    def written_by(self, model: Any) -> ALP:
        """Return a sampler whose open words are written as a model reads, once it is tilted."""
        made = copy.copy(self)
        made._reader, made._left = model, None
        vars(made).pop("writer", None)  # it writes as another model reads
        return made

    @classmethod
    def opened(cls, grammar: ALPGrammar | PhraseGrammar) -> ALP | ALPCode:
        """Return the sampler of a grammar: of frames, or of phrases as the program has them."""
        return ALPCode(grammar) if isinstance(grammar, PhraseGrammar) else cls(grammar)

    @classmethod
    def asks_wordnet(cls, options: Mapping[str, Any]) -> bool:
        """Say whether words become synonyms; those of the released program always may."""
        chosen = settled(read_options(ALPOptions, options, cls.method), options)
        return chosen.faithful == "code" or chosen.synonym > 0

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> ALP | ALPCode:
        """Induce the grammar: trees above τ, frames, and the constituents and words of classes.

        Parameters
        ----------
        corpus : Corpus
            With ``text`` and ``label``; ``tree`` or ``trees`` if its trees are known. Else, or if
            a ``parser`` is named, texts are parsed, by their ``tokens`` if there are any; new
            examples then have no ``tree``.
        **options
            Fields of :class:`~sampling.alp.options.ALPOptions`; none of them is needed.

        Returns
        -------
        ALP, or ALPCode with ``faithful="code"``

        Raises
        ------
        CorpusError
            If a column is missing or not valid, a text is empty, a class has one example, no text
            has a parse, or nothing can be exchanged or redrawn; the message says why not.
        OptionError
            If an option is unknown or has a value that cannot be used.

        Warns
        -----
        MissingWordNetWarning
            If WordNet is not installed; the rest goes on without synonyms.
        UnparsedWarning
            If some texts have no parse; they are left out.
        """
        chosen = settled(read_options(ALPOptions, options, cls.method), options)
        corpus = without_idle_trees(corpus, chosen)
        if chosen.faithful == "code":
            return ALPCode.of(corpus, chosen)
        return cls(induce_grammar(corpus, chosen))

    @classmethod
    def load(cls, path: PathLike) -> ALP:
        """Return the sampler of a saved grammar (raises like ``ALPGrammar.load``)."""
        return cls(ALPGrammar.load(path))

    def count(self) -> int:
        """Return an upper bound of the number of distinct examples; at most 2**63 - 1."""
        return self.grammar.size(self.options.depth)

    def sample(self, n: int, *, seed: int = 0, start: int = 0, per_class: bool = False) -> Corpus:
        """Draw new examples.

        Attempts go round the texts, each round in a random order of its own; attempt a is a
        function of the seed and a. Those that are too short or long, less plausible than the
        originals' quantile, or not new are passed over. So example i is a function of the seed
        and i, and n examples are n distinct ones.

        Parameters
        ----------
        n : int
            How many.
        seed : int
            Which stream of examples.
        start : int
            How many to skip.
        per_class : bool
            Give n of every class, the first of the stream (skipping ``start`` of each).

        Returns
        -------
        Corpus
            ``text``, ``label``, and those of ``tree``, ``tokens`` and ``tags`` that the corpus
            had. Provenance holds the parents (the host first), the words that were put in, the
            rules used, and the natural logarithm of the probability of the draws.

        Warns
        -----
        ShortfallWarning
            If fewer are found; those are returned.

        Raises
        ------
        OptionError
            If ``n``, ``seed`` or ``start`` is not a whole number of zero or more.
        """
        if not per_class:
            return super().sample(n, seed=seed, start=start)
        for name, value in (("n", n), ("seed", seed), ("start", start)):
            whole_number(name, value, 0)
        index, attempts = self._of_each_class(n, seed, start)
        return Corpus(self.examples((attempts,), seed, index))

    def stream(self, seed: int) -> Stream:
        """Return the examples of a seed from the first on."""
        if self._frames is None:
            return Attempts(self, seed)
        return (_ChosenAttempts if self._reader is None else _WrittenAttempts)(self, seed)

    def attempt(self, seed: int, numbers: LongArray, *beside: Any) -> Drawn:
        """Draw derivations; return them, and the text that each starts from.

        ``beside`` is what :meth:`chosen` says of them, and :meth:`written`, where a model writes.
        """
        g = self.grammar
        fixed = (g.texts, g.frames, g.choices)
        slots, hosts, states = self._derived(seed, numbers, *beside[:2])
        if beside[2:]:
            _copy_written(slots, *beside[2:])
        else:
            refill(states, hosts, *fixed, g.model, self._settings, self._fit, slots)
        finish(hosts, *fixed, g.model, self._settings, slots)
        return slots, hosts

    def chosen(self, seed: int, numbers: LongArray) -> tuple[LongArray, FloatArray]:
        """Return the streams of attempts, and what their choice adds to log-probabilities.

        Of one host all are alike, where a model writes the words.
        """
        streams = numbers
        if self._reader is not None:
            streams = numbers - numbers % self._of_host
        if self._frames is None:
            return streams, np.zeros(len(streams))
        each, row = np.unique(streams, return_inverse=True)
        keys = stream_key(seed, f"{self.method} frames"), stream_key(seed, f"{self.method} fit")
        chosen, added = chosen_streams(
            self.grammar, self._settings, self._frames, keys, each, self._hosts(seed, each)
        )
        return chosen[row], added[row]

    def _derived(self, seed: int, numbers: LongArray, *beside: Any) -> tuple[Slots, LongArray, Any]:
        """Draw trees and exchanges."""
        g, hosts = self.grammar, self._hosts(seed, numbers)
        streams, added = beside or self.chosen(seed, numbers)
        key = stream_key(seed, self.method if self._frames is None else f"{self.method} frames")
        slots = room(g.texts, hosts, self._settings.max_length)
        fixed = (g.texts, g.frames, g.choices, self._settings)
        states = derive(key, streams, hosts, *fixed, slots, governed=True)
        slots.log_probability[:] += added
        return slots, hosts, states

    def written(self, seed: int, columns: Columns, phrases: Phrases) -> Columns:
        """Let the model write the open words of attempts, all side by side.

        Parameters
        ----------
        seed : int
            Of the stream.
        columns : tuple of arrays
            The numbers of attempts, and what :meth:`chosen` says of them.
        phrases : Phrases
            What was given before.

        Returns
        -------
        form, rule : int32[attempts, words]
            What stands in each place, and the rule that put it there; -1 behind the last word.
        log_probability : float64[attempts]
            Of the whole.
        """
        slots, hosts, _ = self._derived(seed, *columns)
        key = stream_key(seed, f"{self.method} written")
        self.writer.write(slots, self.grammar.texts.classes[hosts], key, columns[0], phrases)
        place, there = _places(slots, widest(self.grammar.texts, self._settings.max_length))
        form, rule = (
            np.where(there, of[place], -1).astype(np.int32) for of in (slots.form, slots.rule)
        )
        return form, rule, slots.log_probability

    @functools.cached_property
    def writer(self) -> Writer:
        """What writes words as the model reads."""
        assert self._reader is not None
        return Writer(self.grammar, self._settings, self._fit, self._reader, self._of_host)

    def refused(self, drawn: Drawn) -> dict[str, BoolArray]:
        """Return which derivations have no length that is allowed, or are not plausible."""
        slots, least = drawn[0], self.grammar.facts["least_score"]
        refused = {"too short or long": slots.size <= 0}
        if least is not None:
            refused["not plausible"] = slots.score < least
        return refused

    def hash(self, drawn: Drawn, rows: LongArray) -> Keys:
        """Return a number for the text of each row."""
        return hash_rows(*self._spelt(*drawn, rows))

    def known(self) -> list[int]:
        """Return the hashes of the texts of the corpus."""
        hashes: list[int] = hash_rows(*self._original_bytes()).tolist()
        return hashes

    def write(self, drawn: Drawn, seed: int, index: LongArray) -> pa.Table:
        """Write derivations as examples with these numbers."""
        slots, hosts = drawn
        texts = as_strings(*self._spelt(slots, hosts, np.arange(len(hosts))))
        return example_columns(self.grammar, slots, hosts, texts, seed, index)

    def _hosts(self, seed: int, numbers: LongArray) -> LongArray:
        key = stream_key(seed, "alp order")
        return hosts_in_turn(key, numbers, self._lengths, self._of_host, self.rivals)

    @functools.cached_property
    def _lengths(self) -> LongArray:
        """How long the text of each host is."""
        return np.diff(self._original_bytes()[1])

    def _spelt(self, slots: Slots, hosts: LongArray, rows: LongArray) -> Any:
        tails = np.asarray(self.grammar.tails[hosts[rows]], np.int64)
        return spell(slots, rows, tails, *self.grammar.bytes)

    def _of_each_class(self, n: int, seed: int, start: int) -> LongArray:
        """Return the numbers in the stream, and the attempts, of n examples of every class.

        A class is given up where as many attempts in a row as the patience gave none of it.
        """
        classes, stop = range(len(self.grammar.classes)), start + n
        stream, searches = self.stream(seed), [Search(self.patience) for _ in classes]
        found = [np.zeros((2, 0), np.int64) for _ in classes]
        waiting = [c for c in classes if stop]
        while waiting:
            (attempts,) = stream.take(stop * len(classes))
            if not len(attempts):
                break
            of = self.grammar.texts.classes[self._hosts(seed, attempts)]
            index = np.arange(stream.made - len(attempts), stream.made)
            for c in waiting:
                search, mine = searches[c], np.flatnonzero(of == c)
                until = int(attempts[-1]) + 1 - search.made
                kept, _ = search.goes_on(attempts[mine] - search.made, until)
                mine = mine[: len(kept)]
                found[c] = np.hstack((found[c], (index[mine], attempts[mine])))
            waiting = [c for c in waiting if found[c].shape[1] < stop and not searches[c].vain]
        rows = [row[:, start:stop] for row in found]
        self._tell_of_few([row.shape[1] for row in rows], n)
        joined = np.hstack(rows)
        return joined[:, np.argsort(joined[0])]

    def _tell_of_few(self, made: list[int], n: int) -> None:
        few = [f"class {c} gave {count:,}" for c, count in enumerate(made) if count < n]
        if few:
            why = f"{', '.join(few)}: {self.patience:,} attempts in a row made none"
            message = f"{n} examples a class were asked for, but {why}"
            warn_of(ShortfallWarning(message, Shortfall(sum(made), why)), stacklevel=4)

    def _original_bytes(self) -> Any:
        """Return the bytes of the original texts, and where each begins."""
        grammar, count = self.grammar, len(self.grammar.ids)
        texts = grammar.texts
        written = texts.form.astype(np.int64)
        roots = texts.root[texts.trees[:-1]].tolist()
        first = [grammar.frames.word[_first_leaf(grammar.frames.size, root)] for root in roots]
        initial = np.array(first)[texts.capital]
        written[initial] = grammar.choices.capitals[written[initial]]
        slots = room(texts, np.arange(count), 1.0)._replace(
            at=np.concatenate(([0], np.cumsum(texts.words))),
            size=texts.words,
            form=written,
            gap=texts.gap.astype(np.int64),
        )
        return self._spelt(slots, np.arange(count), np.arange(count))


def _copy_written(slots: Slots, form: IntArray, rule: IntArray, likely: FloatArray) -> None:
    """Put what a model wrote into the rows of derivations."""
    place, there = _places(slots, form.shape[1])
    slots.form[place[there]], slots.rule[place[there]] = form[there], rule[there]
    slots.log_probability[:] = likely


def _places(slots: Slots, width: int) -> tuple[LongArray, BoolArray]:
    """Return the slots of so many places of each row, and which of them have a word."""
    places = np.arange(width)
    here = np.minimum(slots.at[:-1, None] + places, len(slots.form) - 1)
    return here, places < slots.size[:, None]


def _first_leaf(size: Any, node: int) -> int:
    while size[node] > 1:
        node += 1
    return node

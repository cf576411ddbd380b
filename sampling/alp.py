"""ALP: augmentation with lexicalised probabilistic context-free grammars (Kim et al. 2022)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray, kernel
from grammar.counter_rng import next_uniform, open_stream, stream_key
from grammar.files import PathLike
from induction.corpus import Corpus
from sampling.alp_columns import example_columns
from sampling.alp_grammar import ALPGrammar
from sampling.alp_induction import induce_grammar
from sampling.alp_kernels import draw
from sampling.alp_options import ALPOptions, settled
from sampling.alp_slots import Settings, Slots, room
from sampling.alp_spelling import spell
from sampling.alp_trees import without_idle_trees
from sampling.alp_words import UNIT
from sampling.protocol import BATCH, Sampler, batch_bounds, in_threads, read_options, whole_number
from sampling.splicing import as_strings
from sampling.substitution import ShortfallWarning
from sampling.token_texts import hash_rows

__all__ = ["ALP"]

_CHUNK = 4096
_ROUNDS_WITHOUT_NEW = 32


class ALP:
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
    Options = ALPOptions

    def __init__(self, grammar: ALPGrammar) -> None:
        self.grammar = grammar
        self._options = ALPOptions(**grammar.facts["options"])
        o, base = self._options, 1.0 / (len(grammar.forms) + 1)
        back_off = o.back_off * UNIT
        self._settings = Settings(
            float(o.exchange), o.depth, float(o.pool), float(o.synonym), float(back_off), base,
            float(o.shortest), float(o.longest), o.article,
        )  # fmt: skip
        self._streams: dict[int, _Stream] = {}

    def __repr__(self) -> str:
        return f"ALP({self.grammar!r})"

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Sampler:
        """Induce the grammar: trees above τ, frames, and the constituents and words of classes.

        Parameters
        ----------
        corpus : Corpus
            With ``text`` and ``label``; ``tree`` or ``trees`` if its trees are known. Else, or if
            a ``parser`` is named, texts are parsed, by their ``tokens`` if there are any; new
            examples then have no ``tree``.
        **options
            Fields of :class:`~sampling.alp_options.ALPOptions`; none of them is needed.

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
            from sampling.alp_code import ALPCode

            return ALPCode.of(corpus, chosen)
        return cls(induce_grammar(corpus, chosen))

    @classmethod
    def load(cls, path: PathLike) -> ALP:
        """Return the sampler of a saved grammar (raises like ``ALPGrammar.load``)."""
        return cls(ALPGrammar.load(path))

    def count(self) -> int:
        """Return an upper bound of the number of distinct examples; at most 2**63 - 1."""
        return self.grammar.size(self._options.depth)

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
        for name, value in (("n", n), ("start", start)):
            whole_number(name, value, 0)
        if not per_class:
            return Corpus(pa.concat_tables(self.batches(n, seed=seed, start=start)))
        stream = self._stream(seed)
        for c in range(len(self.grammar.classes)):
            stream.extend_to(start + n, c)
        numbers = np.sort(np.concatenate([
            np.flatnonzero(stream.classes == c)[start : start + n]
            for c in range(len(self.grammar.classes))
        ]))  # fmt: skip
        if len(numbers) < n * len(self.grammar.classes):
            warnings.warn(stream.shortfall(n, start, " a class"), ShortfallWarning, stacklevel=2)
        return Corpus(self._table(seed, numbers, stream.attempts[numbers]))

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
        stream = self._stream(seed)

        def tasks() -> Iterator[Any]:
            for first, stop in bounds:
                stream.extend_to(stop)
                attempts = stream.attempts[first:stop]
                numbers = np.arange(first, first + len(attempts))
                yield lambda numbers=numbers, attempts=attempts: self._table(
                    seed, numbers, attempts
                )
                if len(attempts) < stop - first:
                    short = stream.shortfall(n, start)
                    warnings.warn(short, ShortfallWarning, stacklevel=3)
                    return

        return in_threads(tasks(), workers)

    def _stream(self, seed: int) -> _Stream:
        if seed not in self._streams:
            # batches are mostly of one seed, so only the last one is kept
            self._streams = {seed: _Stream(self, seed)}
        return self._streams[seed]

    def _drawn(self, seed: int, attempts: LongArray) -> tuple[Slots, LongArray]:
        """Return the derivations of attempts, and the text that each starts from."""
        grammar = self.grammar
        total = len(grammar.ids)
        hosts = np.empty(len(attempts), np.int64)
        for number in np.unique(attempts // total).tolist():
            mine = attempts // total == number
            hosts[mine] = _order(seed, number, total)[attempts[mine] % total]
        slots = room(grammar.texts, hosts, self._settings.longest)
        draw(
            stream_key(seed, self.method), attempts, hosts, grammar.texts, grammar.frames,
            grammar.choices, grammar.model, self._settings, slots,
        )  # fmt: skip
        return slots, hosts

    def _spelt(self, slots: Slots, rows: LongArray, hosts: LongArray) -> Any:
        tails = np.asarray(self.grammar.tails[hosts[rows]], np.int64)
        return spell(slots, rows, tails, *self.grammar.bytes)

    def _table(self, seed: int, numbers: LongArray, attempts: LongArray) -> pa.Table:
        slots, hosts = self._drawn(seed, attempts)
        texts = as_strings(*self._spelt(slots, np.arange(len(attempts)), hosts))
        return example_columns(self.grammar, slots, hosts, texts, seed, numbers)

    @property
    def originals(self) -> list[str]:
        """The texts of the corpus."""
        texts: list[str] = as_strings(*self._original_bytes()).to_pylist()
        return texts

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


class _Stream:
    """The attempts of one seed that gave examples, as far as they were made."""

    def __init__(self, sampler: ALP, seed: int) -> None:
        self._sampler = sampler
        self._seed = seed
        self._known: set[int] = set()
        if sampler._options.distinct:
            self._known = set(hash_rows(*sampler._original_bytes()).tolist())
        self._least = sampler.grammar.facts["least_score"]
        self._next = 0
        self._idle = 0
        self.attempts = np.zeros(0, np.int64)
        self.classes = np.zeros(0, np.int64)
        self.passed_over = {"too short or long": 0, "not plausible": 0, "not new": 0}

    @property
    def exhausted(self) -> bool:
        """Whether many attempts in a row gave nothing."""
        return self._idle > self._patience

    @property
    def _patience(self) -> int:
        return max(_ROUNDS_WITHOUT_NEW * len(self._sampler.grammar.ids), _CHUNK)

    def extend_to(self, stop: int, text_class: int | None = None) -> None:
        """Make attempts until there are so many examples (of a class), or no more are found."""
        before = -1
        while not self.exhausted:
            made = self._made(text_class)
            if made >= stop or (text_class is not None and self._dry(before, made)):
                return
            if made != before:
                before, self._since = made, self._next
            self._extend()

    def _made(self, text_class: int | None) -> int:
        if text_class is None:
            return len(self.attempts)
        return int((self.classes == text_class).sum())

    def _dry(self, before: int, made: int) -> bool:
        """Whether a class gave nothing for long, though others do."""
        return before == made and self._next - self._since > self._patience

    def _extend(self) -> None:
        attempts = np.arange(self._next, self._next + _CHUNK, dtype=np.int64)
        self._next += _CHUNK
        slots, hosts = self._sampler._drawn(self._seed, attempts)
        fits = slots.size > 0
        likely = fits if self._least is None else fits & (slots.score >= self._least)
        rows = np.flatnonzero(likely)
        if self._sampler._options.distinct:
            known = self._known
            hashes = hash_rows(*self._sampler._spelt(slots, rows, hosts)).tolist()
            new = [h not in known and not known.add(h) for h in hashes]  # type: ignore[func-returns-value]
            rows = rows[np.array(new, np.bool_)]
        counts = len(attempts) - fits.sum(), fits.sum() - likely.sum(), likely.sum() - len(rows)
        for name, count in zip(self.passed_over, counts, strict=True):
            self.passed_over[name] += int(count)
        gaps = np.diff(np.concatenate(([-1 - self._idle], rows, [_CHUNK])))
        late = np.flatnonzero(gaps > self._patience)
        if len(late):
            # what comes behind so long a gap is not looked at, whatever the size of chunks
            rows, self._idle = rows[: late[0]], self._patience + 1
        else:
            self._idle = int(gaps[-1]) - 1
        self.attempts = np.concatenate((self.attempts, attempts[rows]))
        of_rows = self._sampler.grammar.texts.classes[hosts[rows]]
        self.classes = np.concatenate((self.classes, of_rows))

    def shortfall(self, n: int, start: int, of: str = "") -> str:
        """Say how many examples there are, and why no more."""
        behind = f" behind the first {start}" if start else ""
        why = "; ".join(f"{count:,} {name}" for name, count in self.passed_over.items())
        return (
            f"{n} examples{of} were asked for{behind}, but only {len(self.attempts):,} distinct "
            f"new ones were found in {self._next:,} attempts ({why})"
        )


def _first_leaf(size: Any, node: int) -> int:
    while size[node] > 1:
        node += 1
    return node


def _order(seed: int, number: int, total: int) -> LongArray:
    key = stream_key(seed, "alp order")
    return np.argsort(_uniforms(key, number, total), kind="stable")


@kernel()
def _uniforms(key: np.uint64, number: int, size: int) -> Any:
    values = np.empty(size)
    state = open_stream(key, number)
    for i in range(size):
        state, values[i] = next_uniform(state)
    return values

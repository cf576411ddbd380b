"""GECA: good-enough compositional data augmentation (Andreas 2020)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar.counter_rng import stream_key
from grammar.errors import SchemaError
from induction.corpus import Corpus
from sampling.derivations import draw_fillers, exponential_keys, same_result
from sampling.geca_induction import induce_grammar
from sampling.geca_options import GECAOptions, read_geca_options
from sampling.geca_spelling import Spelling
from sampling.protocol import BATCH, batch_bounds, in_threads, whole_number
from sampling.provenance import example_ids, provenance, rows_as_lists
from sampling.substitution import ShortfallWarning, SubstitutionGrammar

__all__ = ["GECA"]

VERSION = "1"
"""Raised whenever the same seed would give other bytes."""


class Derivations(NamedTuple):
    """Derivations of new examples: their rules, log-probabilities, and the example each makes."""

    context: NDArray[np.int32]
    filler: NDArray[np.int32]
    log_probability: NDArray[np.float64]
    example: NDArray[np.int64]


class GECA:
    """Fill every context of a corpus with fragments that occur where its own fragment occurs.

    Build one with :meth:`induce`, or from a loaded grammar.

    Parameters
    ----------
    grammar : SubstitutionGrammar
        A grammar induced by :meth:`induce`.

    Raises
    ------
    SchemaError
        If the grammar was induced by another method.

    Examples
    --------
    >>> corpus = Corpus.from_columns(text=[
    ...     "she picks the wug up in Fresno", "she puts the wug down in Tempe",
    ...     "Pat picks cats up", "Pat puts cats down"])
    >>> sampler = GECA.induce(corpus, gaps=2, size=1)
    >>> sampler.count()
    2
    >>> sorted(sampler.sample().column("text"))
    ['she picks the wug up in Tempe', 'she puts the wug down in Fresno']

    References
    ----------
    Jacob Andreas. 2020. Good-Enough Compositional Data Augmentation. ACL.
    """

    Options = GECAOptions

    def __init__(self, grammar: SubstitutionGrammar) -> None:
        if grammar.method != "geca":
            raise SchemaError(
                f"a substitution grammar of the method {grammar.method!r}, not 'geca'",
                hint="give it to the sampler of its own method",
            )
        if missing := {"variants", "limit", "draw"} - set(grammar.options):
            raise SchemaError(
                f"the grammar lacks the options {', '.join(sorted(missing))}",
                hint="induce it again with GECA.induce",
            )
        self.grammar = grammar
        self._last: tuple[int, NDArray[np.int64]] | None = None

    def __repr__(self) -> str:
        return f"GECA({self.grammar!r})"

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> GECA:
        """Induce the substitution grammar of a corpus.

        A *fragment* is up to ``gaps`` n-grams of up to ``size`` words that share no word, each
        starting after the begin of the one before. Cutting **all** occurrences of its n-grams out
        of an example leaves a *context*. Two fragments are interchangeable if they occur in at
        least one same environment; a context that holds one of them then also admits the other
        (Andreas 2020, the boxed operation of section 3).

        One call serves three tasks. Texts alone are material for language models. Examples with a
        ``target`` are pairs: one sequence of text, separator and target; no n-gram contains the
        separator, a fragment must touch both sides of the context it is cut from, and a new
        example is new on both sides. Examples with a ``label`` are classified: a context is cut
        from examples of one label, which is that of the new example (``labels`` says whether
        fillers may come from other ones). Examples that are equal word by word count once; of
        different labels the first holds.

        Parameters
        ----------
        corpus : Corpus
            With ``text``, ``target`` if the examples are pairs, and ``label`` (classes, or
            distributions) if they have any. Words are what stands between white space; spacing
            is kept.
        **options
            Fields of :class:`~sampling.geca_options.GECAOptions`; None leaves one at its default.

        Raises
        ------
        CorpusError
            If the corpus is empty or lacks a text or target, a label is not valid, or a word is a
            reserved mark.
        NothingNewError
            If no new example can be made; the message says which requirement left none.
        OptionError
            If an option is unknown or has a value that cannot be used, or too many substitutions
            are licensed.

        Notes
        -----
        With ``pool="templates"`` fillers are counted by how many *neighbouring templates* offer
        them, so one offered by 1,000 is drawn 1,000 times as often as one offered once. A
        neighbour shares a filler with the context, and offers only if it holds two fillers or more
        (this excludes nothing when environments are whole contexts). With a window, the paper's
        fragments share an environment; in the code they share a whole context, and the window
        says which other contexts may be filled like it. The program takes neighbours in the order
        of a Python set, we in a fixed pseudo-random order. (The cut by ``max_adjacencies`` was in
        force when the published SCAN examples were made, and was lost in its last version.)

        Not taken over from the program: it leaves out 640 training examples for validation before
        it augments; with a window, holes within ``window`` words of the beginning have an empty
        environment (a negative slice); with three gaps and longer n-grams, some fragments are
        passed over (an index into the sequence is used on the shortened template).

        Memory and time grow with the number of fragments, (words x size) ** gaps an example, and
        with the number of substitutions, which are all judged once. Where these are too many, use
        :class:`sampling.geca_stream.GECAStream`.
        """
        return cls(induce_grammar(corpus, read_geca_options(options)))

    def count(self) -> int:
        """Return the number of distinct new examples that the grammar derives."""
        return int(self._derivations.example.max()) + 1

    @cached_property
    def _derivations(self) -> Derivations:
        grammar = self.grammar
        lengths = np.diff(grammar.class_offsets)[grammar.context_class]
        context = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        ends = np.concatenate(([0], np.cumsum(lengths)))
        within = np.arange(ends[-1]) - np.repeat(ends[:-1], lengths)
        begin = grammar.class_offsets[:-1][grammar.context_class]
        filler = grammar.class_fillers[np.repeat(begin, lengths) + within]
        width = len(grammar.fillers)
        owner = np.repeat(np.arange(len(lengths)), np.diff(grammar.barred_offsets))
        new = ~np.isin(
            context.astype(np.int64) * width + filler, owner * width + grammar.barred_fillers
        )
        context, filler = context[new], filler[new]
        columns = grammar.tokens
        example = same_result(
            (
                columns.context_offsets,
                columns.context_tokens,
                columns.filler_offsets,
                columns.filler_tokens,
            ),
            columns.gaps,
            context,
            filler,
        )
        first = np.unique(example)
        return Derivations(
            context,
            filler,
            grammar.log_probability(context, filler),
            np.searchsorted(first, example),
        )

    def sample(self, n: int | None = None, *, seed: int = 0, start: int = 0) -> Corpus:
        """Draw new examples without replacement.

        The i-th example is a function of the grammar, the seed and i alone:
        ``sample(10)`` followed by ``sample(10, start=10)`` is ``sample(20)``.

        Parameters
        ----------
        n : int, optional
            How many; None is all there are.
        seed : int
            Which permutation of the examples (and, with ``variants``, which of them) to draw.
        start : int
            How many to skip.

        Returns
        -------
        Corpus
            Columns id, text, target and label (if the corpus had them) and provenance: parents are
            the host and a donor of the filler, spans the words of ``text`` that were put in, rules
            the context and the filler, and log_probability that of the likeliest derivation.

        Warns
        -----
        ShortfallWarning
            If fewer than ``n`` examples are left; those are returned.

        Raises
        ------
        OptionError
            If ``n``, ``seed`` or ``start`` is not a whole number of zero or more.

        References
        ----------
        Efraimidis & Spirakis 2006, Weighted random sampling with a reservoir.
        """
        whole_number("start", start, 0)
        if n is None:
            whole_number("seed", seed, 0)
            n = max(len(self._order(seed)) - start, 0)
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
        order = self._order(seed)
        if start + n > len(order):
            warnings.warn(self._shortfall(n, start, len(order)), ShortfallWarning, stacklevel=3)
        there = len(order)
        tasks = (
            lambda first=first, stop=stop: self._table(order[first:stop], seed, first)
            for first, stop in bounds
            if first < there or first == start
        )
        return in_threads(tasks, workers)

    def _order(self, seed: int) -> NDArray[np.int64]:
        """Return the derivation of every example of a seed, in the order of the draw."""
        # batches are mostly of one seed, so the last order is kept
        if self._last is None or self._last[0] != seed:
            self._last = seed, self._draw(seed)
        return self._last[1]

    def _draw(self, seed: int) -> NDArray[np.int64]:
        options = self.grammar.options
        derivations = self._derivations
        key = stream_key(seed, "geca")
        chosen = np.arange(len(derivations.context))
        if options["variants"] is not None:
            chosen = self._chosen(key, options["variants"])
        likely = derivations.log_probability[chosen]
        by_example = chosen[np.lexsort((chosen, -likely, derivations.example[chosen]))]
        examples, first = np.unique(derivations.example[by_example], return_index=True)
        order = by_example[first]
        if options["draw"] != "corpus":
            weights: NDArray[np.float64] = np.ones(self.count())
            if options["draw"] == "weighted":
                probability = np.exp(likely)
                drawn = derivations.example[chosen]
                weights = np.bincount(drawn, probability, len(weights)).astype(np.float64)
                weights[weights == 0] = 1.0  # an example that is not chosen; its key is not used
            order = order[np.argsort(exponential_keys(key, weights)[examples], kind="stable")]
        return order[: options["limit"]]

    def _chosen(self, key: np.uint64, variants: int) -> NDArray[np.int64]:
        """Return the derivations of new examples among those drawn for each context."""
        grammar = self.grammar
        context, entry = draw_fillers(
            key, grammar.context_class, grammar.class_offsets, grammar.class_counts, variants
        )
        width = len(grammar.fillers)
        drawn = np.unique(context * width + grammar.class_fillers[entry])
        known = self._derivations.context.astype(np.int64) * width + self._derivations.filler
        return np.flatnonzero(np.isin(known, drawn))

    def _shortfall(self, n: int, start: int, available: int) -> str:
        options = self.grammar.options
        reasons = [
            f"{name}={options[name]}" for name in ("variants", "limit") if options[name] is not None
        ]
        why = f"with {' and '.join(reasons)} this seed gives" if reasons else "the grammar derives"
        asked = f"{n} examples" + (f" from number {start}" if start else "")
        return f"{asked} were asked for, but {why} {available} distinct new ones, not more"

    def _table(self, chosen: NDArray[np.int64], seed: int, first: int) -> pa.Table:
        derivations = self._derivations
        context, filler = derivations.context[chosen], derivations.filler[chosen]
        rules = np.stack([context, filler + len(self.grammar.contexts)], axis=1).astype(np.int32)
        spelling = self._spelling
        return pa.table(
            {
                "id": example_ids("geca", seed, first, len(chosen)),
                **spelling.columns(context, filler),
                "provenance": provenance(
                    "geca",
                    VERSION,
                    seed,
                    first,
                    parents=spelling.parents(context, filler),
                    spans=spelling.spans(context, filler),
                    rules=rows_as_lists(pa.array(rules.ravel()), 2),
                    log_probability=derivations.log_probability[chosen],
                ),
            }
        )

    @cached_property
    def _spelling(self) -> Spelling:
        return Spelling(self.grammar)

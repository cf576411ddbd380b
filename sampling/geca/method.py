"""GECA: good-enough compositional data augmentation (Andreas 2020)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.errors import NothingNewError, SchemaError
from grammar.options import whole_number
from grammar.rng import stream_key
from induction.corpus.corpus import Corpus
from sampling.examples.provenance import example_table
from sampling.examples.splicing import as_lists
from sampling.geca.grammar import SubstitutionGrammar
from sampling.geca.induction import induce_grammar
from sampling.geca.novelty import draw_fillers, exponential_keys, same_result
from sampling.geca.options import GECAOptions, hinted, read_geca_options, within_classes
from sampling.stream import Columns, Sampler, Shortfall

__all__ = ["GECA", "Substituting"]


class Derivations(NamedTuple):
    """Derivations of new examples: their rules, log-probabilities, and the example each makes."""

    context: IntArray
    filler: IntArray
    log_probability: FloatArray
    example: LongArray


class Substituting(Sampler):
    """A sampler whose examples are a context and a filler each, two rules of its grammar."""

    explained_as = "holes"

    def write(
        self, drawn: tuple[LongArray, IntArray, FloatArray], seed: int, index: LongArray
    ) -> pa.Table:
        """Return derivations (context, filler, log-probability) as examples with these numbers."""
        context, filler, log_probability = drawn
        grammar = self.grammar
        columns, spans = grammar.write(context, filler)
        rules = np.stack([context, filler + grammar.shift], axis=1).ravel()
        return example_table(
            self.method,
            self.version,
            seed,
            index,
            columns,
            parents=as_lists(grammar.parents(rules), 2),
            spans=spans,
            rules=as_lists(rules, 2),
            log_probability=log_probability,
        )


class GECA(Substituting):
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

    method = "geca"
    Options = GECAOptions
    grammar: SubstitutionGrammar

    def __init__(self, grammar: SubstitutionGrammar) -> None:
        super().__init__(grammar)
        if missing := {"variants", "limit", "draw"} - set(grammar.options):
            raise SchemaError(
                f"the grammar lacks the options {', '.join(sorted(missing))}",
                hint="induce it again with GECA.induce",
            )
        self._last: tuple[int, LongArray] | None = None

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
            Fields of :class:`~sampling.geca.options.GECAOptions`; None leaves one at its default.

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
        :class:`sampling.geca.stream.GECAStream`.
        """
        chosen = within_classes(read_geca_options(options), options, corpus)
        try:
            return cls(induce_grammar(corpus, chosen))
        except NothingNewError as error:
            raise hinted(error, options, chosen) from None

    def count(self) -> int:
        """Return the number of distinct new examples that the grammar derives."""
        return int(self._derivations.example.max()) + 1

    def stream(self, seed: int) -> _Permutation:
        """Return all examples in the order of the seed, drawn without replacement.

        With ``variants`` the seed says too which of them there are.

        References
        ----------
        Efraimidis & Spirakis 2006, Weighted random sampling with a reservoir.
        """
        return _Permutation(self._order(seed), self.grammar.options)

    def attempt(
        self, seed: int, numbers: LongArray, *beside: Any
    ) -> tuple[IntArray, IntArray, FloatArray]:
        """Return derivations by their numbers."""
        found = self._derivations
        return found.context[numbers], found.filler[numbers], found.log_probability[numbers]

    def sample(self, n: int | None = None, *, seed: int = 0, start: int = 0) -> Corpus:
        """Draw new examples as :meth:`sampling.stream.Sampler.sample`, or all there are.

        The parents in the provenance are the host and a donor of the filler, and the probability
        is that of the likeliest derivation.
        """
        if n is None:
            whole_number("start", start, 0)
            n = max(len(self._order(seed)) - start, 0)
        return super().sample(n, seed=seed, start=start)

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
        example = same_result(grammar.tokens, context, filler)
        number = np.unique(example, return_inverse=True)[1]
        return Derivations(context, filler, grammar.log_probability(context, filler), number)

    def _order(self, seed: int) -> LongArray:
        """Return the derivation of every example of a seed, in the order of the draw."""
        # samples are mostly of one seed, so the last order is kept; another thread may have another
        last = self._last
        if last is None or last[0] != seed:
            last = self._last = seed, self._drawn(stream_key(seed, self.method))
        return last[1]

    def _drawn(self, key: np.uint64) -> LongArray:
        options, derivations = self.grammar.options, self._derivations
        chosen = np.arange(len(derivations.context))
        if options["variants"] is not None:
            chosen = self._variants(key, options["variants"])
        likely = derivations.log_probability[chosen]
        by_example = chosen[np.lexsort((chosen, -likely, derivations.example[chosen]))]
        examples, first = np.unique(derivations.example[by_example], return_index=True)
        order = by_example[first]
        if options["draw"] != "corpus":
            weights: FloatArray = np.ones(self.count())
            if options["draw"] == "weighted":
                drawn = derivations.example[chosen]
                weights = np.bincount(drawn, np.exp(likely), len(weights)).astype(np.float64)
                weights[weights == 0] = 1.0  # an example that is not chosen; its key is not used
            order = order[np.argsort(exponential_keys(key, weights)[examples], kind="stable")]
        return np.asarray(order[: options["limit"]])

    def _variants(self, key: np.uint64, variants: int) -> LongArray:
        """Return the derivations of new examples among those drawn for each context."""
        g = self.grammar
        context, entry = draw_fillers(
            key, g.context_class, g.class_offsets, g.class_counts, variants
        )
        width = len(g.fillers)
        drawn = np.unique(context * width + g.class_fillers[entry])
        known = self._derivations.context.astype(np.int64) * width + self._derivations.filler
        return np.flatnonzero(np.isin(known, drawn))


class _Permutation:
    """The examples of one seed, by the number of a derivation each."""

    def __init__(self, order: LongArray, options: Mapping[str, Any]) -> None:
        self.made = 0
        self._order = order
        self._options = options

    def take(self, count: int) -> Columns:
        """Return the next derivations."""
        chosen = self._order[self.made : self.made + count]
        self.made += len(chosen)
        return (chosen,)

    def shortfall(self) -> Shortfall:
        """Say what limits the examples of a seed."""
        given = self._options
        limits = [f"{name}={given[name]}" for name in ("variants", "limit") if given[name]]
        who = f"with {' and '.join(limits)} this seed gives" if limits else "the grammar derives"
        return Shortfall(self.made, f"{who} {len(self._order)} distinct new ones, not more")

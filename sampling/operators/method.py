"""The operators: a method's distribution tilted by a score, or filtered by one.

``fluent(treemix, candidates=32, power=4)`` draws what ``treemix`` draws, but what fits its place
more often; ``agree(treemix)`` keeps examples whose label is confirmed. Both are samplers over the
sampler of another method, and write what that one writes.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import LongArray
from grammar.errors import CorpusError, OptionError, SchemaError
from grammar.options import option, read_options
from induction.corpus.corpus import Corpus
from sampling.expression import Step, read_step
from sampling.joins.score import SeamScore, Tilt, read_sides, sentences_of
from sampling.method import METHODS, induce
from sampling.neural.causal.fit import LanguageFit
from sampling.neural.packaged import check_installed
from sampling.operators.agreement import Agreement
from sampling.operators.choice import Choice
from sampling.operators.grammar import TiltedGrammar
from sampling.stream import Columns, Resampled, Sampler, Stream, method_of

__all__ = ["Agree", "AgreeOptions", "Fluent", "FluentOptions", "Operator", "fluent"]

_STRENGTHS = {"joins": 2.5, "learnt": 1.0}
_DRAWS, _OF_WORDS = 32, 64
"""So many draws; of methods that redraw words, for each word."""
_PROPOSALS, _WRITTEN, _SPANS = 64, 32, 4096
"""So many to a model; of methods in which it has a say; of those that exchange spans."""
_CHOSEN = 16
"""So many examples of one reading, of methods that exchange spans."""
SPREAD_OF = 1024
"""So many plain examples say how far the cohesions of a method spread."""


@dataclass(frozen=True, kw_only=True)
class FluentOptions:
    """The options of ``fluent``."""

    of: str = option("treemix", "The method, with its options in parentheses.")
    score: str = option(
        "joins",
        "The score: cohesion of words and tags across joins, and of a span with its slot in the "
        "tree (joins); or a model that separates a span in its own slot from a random one "
        "(learnt; methods that exchange spans).",
        choices=("joins", "learnt"),
    )
    power: float | None = option(
        None,
        "Power of the score; 0 is the method itself. By default 2.5, and 1 for a learnt score.",
        least=0,
    )
    candidates: int | None = option(
        None,
        "Candidates per example. By default 32; for alp 64 for its exchanges and for each word. "
        "With a model 64, for methods that exchange spans 4096, and for alp, whose words it "
        "writes, 32.",
        source="Rubin 1987",
        least=1,
    )
    candidates_per_source: int | None = option(
        None,
        "For methods that visit sources in turn: candidates in a row of one source. By default "
        "1; with a model as many as leave 64 sources, for alp 16.",
        least=1,
    )
    chosen: int | None = option(
        None,
        "With a model: examples chosen from one reading of the candidates. 16 for methods that "
        "exchange spans, else 1. Fewer read better and take longer.",
        least=1,
    )
    most_pairs: int = option(
        2**24,
        "For methods that exchange spans: up to this number of pairs of context and substitute, "
        "the distribution is computed exactly.",
        least=0,
    )
    model: str = option(
        "",
        "A causal language model that chooses among the proposals of the score, by the odds that "
        "a text reads well. For alp it also scores each word. A folder, a GGUF file, a name on "
        "the hub, or smollm2 if its package is installed.",
    )
    model_power: float = option(4.0, "Power of these odds; 0 makes all proposals equal.", least=0)
    device: str = option("auto", "Device of the model: auto, cpu, cuda.")


@dataclass(frozen=True, kw_only=True)
class AgreeOptions:
    """The options of ``agree``."""

    of: str = option("treemix", "The method, with its options in parentheses.")
    folds: int = option(
        5, "Folds of the source. A classifier is trained on those without the parents.", least=2
    )


class Operator(Sampler):
    """A sampler over the sampler of another method, by a score of its examples.

    Parameters
    ----------
    grammar : TiltedGrammar
        Its ``base`` is the grammar of the other sampler.
    inner : Sampler, optional
        The other sampler; by default the one of ``base``.
    """

    Options: ClassVar[type[Any]]
    grammar: TiltedGrammar

    def __init__(self, grammar: TiltedGrammar, inner: Sampler | None = None) -> None:
        super().__init__(grammar)
        if inner is None:
            inner = METHODS[method_of(grammar.base)].sampler.opened(grammar.base)
        self.inner: Sampler = inner
        self.distinct, self.patience, self.batch = inner.distinct, inner.patience, inner.batch

    @classmethod
    def opened(cls, grammar: TiltedGrammar) -> Self:
        """Return the sampler of a grammar of the operator."""
        return cls(grammar)

    @classmethod
    def needs_trees(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method that it is applied to goes by trees."""
        of = cls.applied_to(options)
        return METHODS[of.method].sampler.needs_trees(of.options)

    @classmethod
    def check_requirements(cls, options: Mapping[str, Any]) -> None:
        """Refuse it if the method that it is applied to needs what is not installed."""
        of = cls.applied_to(options)
        METHODS[of.method].sampler.check_requirements(of.options)

    @classmethod
    def asks_wordnet(cls, options: Mapping[str, Any]) -> bool:
        """Say whether the method that it is applied to takes synonyms from WordNet."""
        of = cls.applied_to(options)
        return METHODS[of.method].sampler.asks_wordnet(of.options)

    @classmethod
    def applied_to(cls, options: Mapping[str, Any]) -> Step:
        """Return the method that an operator with these options is applied to."""
        return read_step(read_options(cls.Options, options, cls.method).of)

    @property
    def tilt(self) -> Tilt:
        """The score, and how much it weighs."""
        return Tilt(self.grammar.score)

    def repeating(self, at_once: int) -> Self:
        """Return the operator over a sampler that may give an example again."""
        return super().repeating(at_once)._over(self.inner.repeating(at_once))

    def written_by(self, model: Any) -> Self:
        """Return the operator over a sampler in which a language model has a say."""
        return self._over(self.inner.written_by(model))

    def _over(self, inner: Sampler) -> Self:
        made = copy.copy(self)
        made.inner = inner
        vars(made).pop("_within", None)  # it is made of the other sampler
        return made

    @property
    def written_version(self) -> str | None:
        """The version that examples have: that of the method."""
        return self.inner.written_version

    def count(self) -> int:
        """Return an upper bound of the number of distinct new examples: that of the method."""
        return self.inner.count()

    def stream(self, seed: int) -> Stream:
        """Return the examples of a seed from the first on."""
        return Resampled(self.inner, seed, self.tilt)

    def table(self, columns: Columns, seed: int, index: LongArray) -> pa.Table:
        """Return examples of the method as those of the operator."""
        *own, added = columns
        return self._as_own(self.inner.table(tuple(own), seed, index), added, seed, index)

    def _as_own(self, table: pa.Table, added: Any, seed: int, index: LongArray) -> pa.Table:
        made: Any = table.column("provenance").combine_chunks()
        likely = made.field("log_probability").to_numpy(zero_copy_only=False) + added
        fields = {
            **{made.type[k].name: made.field(k) for k in range(made.type.num_fields)},
            "method": pa.repeat(self.method, len(made)),
            "log_probability": pa.array(likely),
        }
        kinds = list(made.type)
        struct = pa.StructArray.from_arrays([fields[kind.name] for kind in kinds], fields=kinds)
        numbers = pc.cast(pa.array(index, pa.int64()), pa.string())
        ids = pc.binary_join_element_wise(f"{self.method}-{int(seed)}", numbers, "-")
        for name, column in (("provenance", struct), ("id", ids)):
            table = table.set_column(table.column_names.index(name), name, column)
        return table


class Fluent(Operator):
    """Draw what another method draws, but what fits its place more often.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["the old dog saw a cat", "a bird heard the young fox"],
    ...     tags=[["DT", "JJ", "NN", "VBD", "DT", "NN"], ["DT", "NN", "VBD", "DT", "JJ", "NN"]])
    >>> sampler = Fluent.induce(corpus, of="sub2(task=tags)", candidates=8)
    >>> len(sampler.sample(5))
    5
    """

    method = "fluent"
    carries_spans = True  # if the method that it is applied to does
    Options = FluentOptions
    _kept_in: Path | None = None

    @classmethod
    def check_requirements(cls, options: Mapping[str, Any]) -> None:
        """Refuse it too if its model needs what is not installed."""
        super().check_requirements(options)
        if model := read_options(FluentOptions, options, cls.method).model:
            check_installed(model)

    def __init__(self, grammar: TiltedGrammar, inner: Sampler | None = None) -> None:
        super().__init__(grammar, inner)
        chooses = isinstance(grammar.score, LanguageFit)
        # beneath a model's choice there is what proposes to it
        if chooses != bool(self.options.model) or (chooses and type(self.inner) is not Fluent):
            raise SchemaError(f"model={self.options.model!r} does not fit the score")
        if isinstance(grammar.score, SeamScore):
            self.inner.check_score(grammar.score)
        if chooses:
            self.batch = self.tilt.chosen  # each takes long, and is seen to come
            self.inner = self.inner.written_by(grammar.score)

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Fluent:
        """Induce the method that it is applied to, and learn the score from the same corpus.

        Parameters
        ----------
        corpus : Corpus
            With the columns that the method needs. Trees or tags are scored too if there are any.
        **options
            Fields of :class:`FluentOptions`; none of them is needed.

        Raises
        ------
        CorpusError
            If the method cannot use the corpus.
        OptionError
            If an option is unknown or cannot be used, or the method has no learnt score.
        """
        cls.check_requirements(options)
        chosen = read_options(FluentOptions, options, cls.method)
        step = read_step(chosen.of)
        return cls.over(_induced(step, corpus), corpus, chosen)

    @classmethod
    def over(cls, inner: Sampler, corpus: Corpus, chosen: FluentOptions) -> Fluent:
        """Learn the score for a sampler that was induced from a corpus."""
        if chosen.candidates_per_source and not inner.by_host:
            raise OptionError(
                f"candidates_per_source={chosen.candidates_per_source}: {inner.method} does not "
                "take its sources in turn",
                hint="leave it out, or use a method that exchanges spans, or alp",
            )
        score = inner.own_score(chosen.score)
        if score is None:
            score = _read_score(inner, corpus, chosen.score)
        if not chosen.model:
            return cls(TiltedGrammar(cls.method, inner.grammar, score, asdict(chosen)), inner)
        draws = chosen.candidates or _proposals(inner)
        each = chosen.candidates_per_source or max(1, draws // inner.rivals)
        proposing = replace(chosen, model="", candidates=_DRAWS, candidates_per_source=each)
        made = cls(TiltedGrammar(cls.method, inner.grammar, score, asdict(proposing)), inner)
        odds = "written" if inner.is_written else "exchanged"
        fit = LanguageFit.learn(corpus, chosen.model, chosen.device, odds)
        return cls(TiltedGrammar(cls.method, made.grammar, fit, asdict(chosen)), made)

    def keep_in(self, file: Path) -> None:
        """Keep what a model says of proposals, and take what a run that was stopped left there."""
        if isinstance(self.grammar.score, LanguageFit):
            self._kept_in, self._left = file, None  # a stream asks all of it again

    @property
    def tilt(self) -> Tilt:
        """The score, and how much it weighs."""
        o = self.options
        if o.model:
            assert isinstance(self.inner, Fluent)
            draws = o.candidates or _proposals(self.inner.inner)
            chosen = o.chosen or (_CHOSEN if _proposals(self.inner.inner) == _SPANS else 1)
            return Tilt(self.grammar.score, o.model_power, draws, chosen=chosen)
        power = _STRENGTHS[o.score] if o.power is None else o.power
        draws = o.candidates or (_OF_WORDS if self.inner.is_written else _DRAWS)
        return Tilt(
            self.grammar.score, power, draws, o.most_pairs, of_host=o.candidates_per_source or 1
        )

    def stream(self, seed: int) -> Stream:
        """Return the examples of a seed from the first on."""
        if self._within is not None:
            return self._within.stream(seed)
        if isinstance(self.grammar.score, SeamScore):
            return self.inner.tilted(seed, self.tilt)
        if isinstance(self.grammar.score, LanguageFit):
            return Choice(self.inner, seed, self.tilt, self._kept_in)
        return super().stream(seed)

    def table(self, columns: Columns, seed: int, index: LongArray) -> pa.Table:
        """Return examples of the method as those of the operator."""
        if self._within is None:
            return super().table(columns, seed, index)
        return self._as_own(self._within.table(columns, seed, index), 0.0, seed, index)

    @functools.cached_property
    def _within(self) -> Sampler | None:
        """The method with the score inside, where it has one."""
        own = isinstance(self.grammar.score, SeamScore)
        return self.inner.under(self.tilt) if own else None


class Agree(Operator):
    """Keep the examples of another method whose label a classifier confirms.

    The classifier has seen none of their parents: for each set of folds that parents are in, one
    is trained on all the others.

    Examples
    --------
    >>> corpus = Corpus.from_columns(
    ...     text=["a fine film", "fine fun", "a poor film", "poor stuff"] * 3,
    ...     label=[1, 1, 0, 0] * 3)
    >>> sampler = Agree.induce(corpus, of="worddrop(p=0.3)")
    >>> sampler.sample(2).column("label")
    [0, 1]
    """

    method = "agree"
    carries_spans = True  # if the method that it is applied to does
    Options = AgreeOptions

    @classmethod
    def induce(cls, corpus: Corpus, **options: Any) -> Agree:
        """Induce the method that it is applied to, and deal the corpus into folds.

        Parameters
        ----------
        corpus : Corpus
            With labels, and the columns that the method needs.
        **options
            Fields of :class:`AgreeOptions`; none of them is needed.

        Raises
        ------
        CorpusError
            If there are no labels of two classes, or the method cannot use the corpus.
        OptionError
            If an option is unknown or cannot be used.
        """
        chosen = read_options(AgreeOptions, options, cls.method)
        inner = _induced(read_step(chosen.of), corpus)
        score = Agreement.learn(corpus, chosen.folds)
        return cls(TiltedGrammar(cls.method, inner.grammar, score, asdict(chosen)), inner)


def fluent(
    sampler: Sampler,
    corpus: Corpus,
    *,
    score: str | Callable[[Corpus], Any] = "joins",
    **options: Any,
) -> Fluent:
    """Tilt the distribution of a sampler by a score of its examples.

    Parameters
    ----------
    sampler : Sampler
        Of any method.
    corpus : Corpus
        What it was induced from: the score is learnt from it.
    score : {"joins", "learnt"} or callable
        A function takes new examples, with their provenance, and returns a number for each, higher
        for better. Such a sampler cannot be saved.
    **options
        ``draws``, ``power`` and ``most_pairs`` of :class:`FluentOptions`.

    Raises
    ------
    OptionError
        If an option is unknown or cannot be used (beside a function, a model cannot), or the
        method has no learnt score.

    Examples
    --------
    >>> from sampling import Sub2
    >>> corpus = Corpus.from_columns(text=["a red car", "two blue bikes", "the old boat"])
    >>> shorter = fluent(Sub2.induce(corpus, phrase=False), corpus, candidates=64, power=100,
    ...                  score=lambda made: [-len(text) for text in made.column("text")])
    >>> shorter.sample(1).column("text")
    ['a boat']
    """
    own = {"of": sampler.method, **options}
    if isinstance(score, str):
        chosen = read_options(FluentOptions, {**own, "score": score}, "fluent")
        return Fluent.over(sampler, corpus, chosen)
    chosen = read_options(FluentOptions, own, "fluent")
    if chosen.model or chosen.candidates_per_source:
        raise OptionError(
            "a function that scores takes neither model nor of_host",
            hint="leave them out, or let the function ask the model",
        )
    tilted = TiltedGrammar("fluent", sampler.grammar, _Function(score), asdict(chosen))
    return Fluent(tilted, sampler)


@dataclass(frozen=True)
class _Function:
    """A score that is a function of the caller."""

    call: Callable[[Corpus], Any]

    def of(self, made: Corpus) -> Any:
        """Return what the function says of examples."""
        scores = np.asarray(self.call(made), np.float64)
        if scores.shape != (len(made),) or np.isnan(scores).any():
            raise OptionError(
                f"the score returned {scores.shape} for {len(made)} examples",
                hint="return one number for each example, and no nan",
            )
        return scores


def _proposals(inner: Sampler) -> int:
    if inner.is_written:
        return _WRITTEN
    return _SPANS if inner.by_host else _PROPOSALS


def _induced(step: Step, corpus: Corpus) -> Sampler:
    return induce(step.method, corpus, **step.options)


def _read_score(inner: Sampler, corpus: Corpus, kind: str) -> SeamScore:
    """Learn the cohesions of a corpus, and how far they spread over plain examples."""
    if kind == "learnt":
        raise OptionError(
            f"{inner.method} exchanges no spans, so there is no learnt score for it",
            hint="use score=joins",
        )
    sides = read_sides(corpus)
    if not any(len(side.codes) for side in sides):
        raise CorpusError("the corpus has no words", hint="give texts")
    score = SeamScore(*sentences_of(sides, corpus))
    columns = inner.stream(0).take(SPREAD_OF)
    plain = inner.table(columns, 0, np.arange(len(columns[0]), dtype=np.int64))
    return score.weighted(score.cohesions(Corpus(plain)))

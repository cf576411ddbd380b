"""Inside-outside EM: rule weights from raw sentences, with or without brackets.

Each iteration counts how often every rule is expected in the derivations of the sentences, given
the weights so far, and takes relative frequencies of these counts as new weights (Baker 1979,
*Trainable grammars for speech recognition*; Lari & Young 1990, *The estimation of stochastic
context-free grammars using the inside-outside algorithm*). The likelihood never falls. Brackets
restrict the derivations that count (Pereira & Schabes 1992).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grammar.arrays import FloatArray, kernel
from grammar.chart.parser import Constraints, Parser
from grammar.chart.parses import ExpectedCounts, NoParse
from grammar.errors import CorpusError, OptionError
from grammar.options import Checked, option, read_options, takes
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.spelling import Spacing, Spelling
from grammar.rng import next_uniform, open_stream, stream_key
from grammar.rules.rules import Nonterminal, Production
from grammar.weights import normalised

__all__ = ["EMOptions", "EMResult", "Iteration", "inside_outside", "random_grammar"]

Sentence = Sequence[str]
Brackets = Collection[tuple[int, int] | tuple[int, int, str]]


@dataclass(frozen=True, slots=True)
class Iteration:
    """How probable the sentences are with the weights that an iteration began with.

    Attributes
    ----------
    log_likelihood : float
        Sum of natural logarithms over the training sentences that have a derivation.
    held_out : float or None
        Likewise over the held-out sentences; -inf if one of them has none.
    """

    log_likelihood: float
    held_out: float | None = None


@dataclass(frozen=True)
class EMResult:
    """What EM has learnt.

    Attributes
    ----------
    grammar : Grammar
        With the best weights: the last ones, or those best on held-out sentences.
    history : tuple of Iteration
        One for the weights given, and one after each iteration.
    stopped : str
        Why it ended: ``converged``, ``held-out likelihood fell`` or ``iterations``.
    failures : tuple of NoParse
        The training sentences without a derivation, which taught nothing.
    """

    grammar: Grammar
    history: tuple[Iteration, ...]
    stopped: str
    failures: tuple[NoParse, ...] = field(default=(), repr=False)


@dataclass(frozen=True, kw_only=True)
class EMOptions(Checked):
    """The options of :func:`inside_outside`."""

    iterations: int = option(50, "The largest number of iterations.", least=0)
    tolerance: float = option(
        1e-6,
        "Stop when the log-likelihood of the training sentences grows by less than this share.",
        least=0.0,
    )
    patience: int = option(
        3, "Stop when the held-out likelihood has not risen for this number of iterations.", least=1
    )
    smoothing: float = option(
        0.0, "Added to the expected count of each rule with a weight above zero.", least=0.0
    )
    backoff: float = option(
        0.0,
        "Uses of each symbol that go by a smoother distribution: that of all symbols with its "
        "label (NP of NP^<S>), which goes by equal shares for as many uses.",
        least=0.0,
    )


@takes(EMOptions)
def inside_outside(
    grammar: Grammar,
    sentences: Iterable[Sentence],
    *,
    brackets: Iterable[Brackets | None] | None = None,
    held_out: Iterable[Sentence] | None = None,
    spacing: Spacing = "words",
    workers: int = 1,
    on_progress: Callable[[int, Iteration], None] | None = None,
    **options: Any,
) -> EMResult:
    """Fit the weights of a grammar to sentences by expectation-maximisation.

    Parameters
    ----------
    grammar : Grammar
        The rules and the weights to start from. A weight of zero stays zero.
    sentences : iterable of sequences of str
        What to learn from.
    brackets : iterable, optional
        For each sentence spans that no constituent may cross, or None; see
        :class:`grammar.chart.constraints.Constraints`.
    held_out : iterable of sequences of str, optional
        Sentences to judge the weights by.
    spacing : {"words", "characters"}
        Whether texts have a space between words, or nothing, as programs do. With characters all
        ways to divide a text into words count.
    workers : int
        Threads; their number does not change the result.
    on_progress : callable, optional
        Called with the number of the iteration (from 0) and its likelihoods.
    **options
        See :class:`EMOptions`.

    Raises
    ------
    CorpusError
        If there are no sentences, or none of them has a derivation.
    OptionError
        If an option is out of range.
    ChartGrammarError
        If the grammar cannot be parsed with, see :class:`grammar.chart.parser.Parser`.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> S S [0.5] | 'a' [0.25] | 'b' [0.25]")
    >>> result = inside_outside(grammar, ["a a b".split(), "a".split()])
    >>> [(str(p.rhs[0]), round(p.weight, 3)) for p in result.grammar.productions("S")]
    [('a', 0.5), ('S', 0.333), ('b', 0.167)]
    >>> result.stopped
    'converged'

    Notes
    -----
    Time per iteration is that of parsing every sentence twice. Without smoothing, the grammar of
    every iteration but the first is tight (Chi & Geman 1998).
    """
    how = read_options(EMOptions, options, "inside_outside")
    spelling = Spelling.of(grammar, spacing)
    training = list(map(spelling.words, sentences))
    if not training:
        raise CorpusError("there are no sentences to learn from", hint="give at least one")
    given = None if brackets is None else [None if b is None else Constraints(b) for b in brackets]
    judged = None if held_out is None else list(map(spelling.words, held_out))
    history: list[Iteration] = []
    best, best_at, stopped = grammar, 0, "iterations"
    for number in range(how.iterations + 1):
        spelling = Spelling.of(grammar, spacing)
        parser = Parser(spelling.parsed)
        counts = parser.expected_counts(training, constraints=given, workers=workers)
        _check_parsed(counts)
        history.append(Iteration(counts.log_likelihood, _held_out(parser, judged, workers)))
        if on_progress is not None:
            on_progress(number, history[-1])
        if _better(history, best_at):
            best, best_at = grammar, number
        if judged is not None and number - best_at >= how.patience:
            stopped = "held-out likelihood fell"
            break
        if number and _gain(history) < how.tolerance:
            stopped = "converged"
            break
        if number < how.iterations:
            grammar = _reestimated(grammar, spelling.uses(counts.count), how)
    return EMResult(best, tuple(history), stopped, counts.failures)


def random_grammar(
    nonterminals: int | Sequence[str], words: Collection[str], *, seed: int = 0
) -> Grammar:
    """Return a grammar in Chomsky normal form with all rules, and random weights, to start EM from.

    Parameters
    ----------
    nonterminals : int or sequence of str
        How many symbols, or their names, the start symbol first.
    words : collection of str
        Every symbol may become each of them.
    seed : int
        Weight i depends on (seed, i) alone, with the words in sorted order.

    Raises
    ------
    OptionError
        If there is no symbol or no word.

    Examples
    --------
    >>> grammar = random_grammar(2, ["a", "b"], seed=1)
    >>> len(grammar), grammar.start, grammar == random_grammar(2, ["b", "a"], seed=1)
    (12, 'S', True)

    Notes
    -----
    Each symbol has weight one half for pairs of symbols and one half for words, so derivations
    end with probability one. Within a half, weights are drawn evenly from 1 to 2 and normalised:
    nearly even weights leave EM free, and differing ones break the symmetry of the symbols.
    """
    names = _symbol_names(nonterminals)
    vocabulary = sorted(set(words))
    if not names or not vocabulary:
        raise OptionError("a grammar needs a symbol and a word", hint='for example 5, ["a", "b"]')
    key = stream_key(seed, "random grammar")
    symbols = [Nonterminal(name) for name in names]
    halves: list[list[tuple[Nonterminal | str, ...]]] = [
        [(left, right) for left in symbols for right in symbols],
        [(word,) for word in vocabulary],
    ]
    productions, drawn = [], 0
    for lhs in symbols:
        for half in halves:
            weight = 1.0 + _uniforms(key, drawn, len(half))
            drawn += len(half)
            share = (0.5 * weight / weight.sum()).tolist()
            productions += [Production(lhs, rhs, w) for rhs, w in zip(half, share, strict=True)]
    return Grammar.from_productions(productions, start=names[0], normalise=True)


def _symbol_names(nonterminals: int | Sequence[str]) -> list[str]:
    if isinstance(nonterminals, int):
        return ["S", *(f"X{i}" for i in range(1, nonterminals))][: max(nonterminals, 0)]
    names = list(nonterminals)
    if isinstance(nonterminals, str) or len(set(names)) < len(names):
        raise OptionError(
            f"{nonterminals!r} is not a sequence of distinct names", hint='for example ["S", "NP"]'
        )
    return names


@kernel()
def _uniforms(key: np.uint64, first: int, count: int) -> FloatArray:
    drawn = np.empty(count)
    for i in range(count):
        _, drawn[i] = next_uniform(open_stream(key, first + i))
    return drawn


def _reestimated(grammar: Grammar, count: FloatArray, how: EMOptions) -> Grammar:
    """Return smoothed relative frequencies; symbols that were not used keep their weights."""
    lhs = grammar.rules.lhs
    mass = count + how.smoothing
    if how.backoff:
        mass = mass + how.backoff * _smoother(grammar, count, how.backoff)
    mass = np.where(grammar.weight > 0, mass, 0.0)
    used = np.bincount(lhs, mass, minlength=len(grammar.rules.nonterminals)) > 0
    mass = np.where(used[lhs], mass, grammar.weight)
    return Grammar(grammar.rules, normalised(mass, lhs), grammar.start)


def _smoother(grammar: Grammar, count: FloatArray, backoff: float) -> FloatArray:
    """Return the distribution of each symbol's label over its rules, smoothed by equal shares."""
    alike: dict[tuple[str, tuple[Nonterminal | str, ...]], int] = {}
    sides = (grammar.rules.sides(rule) for rule in range(len(grammar)))
    place = np.array(
        [
            alike.setdefault((_label(left), tuple(map(_plain, right))), len(alike))
            for left, right in sides
        ]
    )
    lhs, weighs = grammar.rules.lhs, grammar.weight > 0
    shared = np.where(weighs, np.bincount(place, count)[place], 0.0)
    return normalised(shared + backoff * normalised(weighs.astype(np.float64), lhs), lhs)


def _label(symbol: Nonterminal) -> str:
    """Return a symbol without what annotates it."""
    return symbol.name.partition("^")[0] or symbol.name


def _plain(child: Nonterminal | str) -> Nonterminal | str:
    return child if isinstance(child, str) else Nonterminal(_label(child))


def _held_out(parser: Parser, judged: Sequence[Sentence] | None, workers: int) -> float | None:
    if judged is None:
        return None
    counts = parser.expected_counts(judged, workers=workers)
    return -math.inf if counts.failures else counts.log_likelihood


def _better(history: list[Iteration], best_at: int) -> bool:
    now, best = history[-1], history[best_at]
    if now.held_out is None or best.held_out is None:
        return True
    return now.held_out > best.held_out


def _gain(history: list[Iteration]) -> float:
    """Return the growth of the likelihood as a share of its size."""
    before, now = history[-2].log_likelihood, history[-1].log_likelihood
    return (now - before) / max(abs(now), 1e-300)


def _check_parsed(counts: ExpectedCounts) -> None:
    if not counts.parsed:
        tokens = len(counts.failures) > 1 and all(len(one.sentence) == 1 for one in counts.failures)
        raise CorpusError(
            "no sentence has a derivation",
            hint=f"the first: {counts.failures[0]}"
            + ("; of one sentence, give a list with its list of words" if tokens else ""),
        )

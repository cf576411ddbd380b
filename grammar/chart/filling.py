"""From a sentence to its filled chart: words, given tags, memory, limits, and ways to fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray
from grammar.chart.constraints import Constraints
from grammar.chart.grammar import ChartGrammar
from grammar.chart.kernels import Chart, cell_of, empty_chart, fill_chart
from grammar.chart.limits import Limits
from grammar.chart.parses import NoParse
from grammar.chart.pruning import CoarseToFine, limits_of, prior_values
from grammar.chart.rules import ChartRules
from grammar.chart.tagging import tagged_rules
from grammar.errors import OptionError, located
from grammar.messages import tell
from grammar.pcfg.grammar import Grammar

__all__ = [
    "INSIDE_BYTES",
    "NO_LIMIT",
    "ChartFiller",
    "Filled",
    "checked_batch",
    "checked_sentence",
    "refuse_one_sentence",
    "too_many_steps",
    "within_words",
]

INSIDE_BYTES = 12
"""Of a unit in a row: its value, and its place in the list of those present."""
NO_LIMIT = 1 << 62
"""More steps than any chart takes."""


class Filled(NamedTuple):
    """A filled chart of a sentence that has a derivation.

    Attributes
    ----------
    chart : Chart
        The chart.
    rules : ChartRules
        The edges that it was filled with.
    exact : bool
        Whether nothing was pruned.
    """

    chart: Chart
    rules: ChartRules
    exact: bool


class ChartFiller:
    """Fills charts with one grammar, see :class:`Parser` for the parameters."""

    def __init__(
        self,
        grammar: Grammar,
        memory_limit: int,
        step_limit: int,
        coarse: CoarseToFine | None,
        beam: float,
    ) -> None:
        self.compiled = ChartGrammar.compile(grammar)
        self._best: dict[int, ChartGrammar] = {}
        self._memory_limit, self._step_limit = memory_limit, step_limit
        self._coarse = coarse
        with np.errstate(divide="ignore"):
            self._beam = float(np.log(beam))
        if coarse is not None:
            self._coarse_of: IntArray = coarse.groups(grammar.rules.nonterminals)

    def compiled_for_best(self, k: int = 1) -> ChartGrammar:
        """Return the edges among which the k best derivations are found."""
        if self.compiled.empty.unique:
            return self.compiled
        if k not in self._best:
            self._best[k] = ChartGrammar.compile(self.compiled.grammar, best=k)
        return self._best[k]

    def best(
        self, sentence: Sequence[str], given: Constraints | None, k: int = 1
    ) -> Filled | NoParse:
        """Fill a chart with best values, from which the k best derivations can be read."""
        compiled = self.compiled_for_best(k)
        return self._fill(compiled, sentence, given, maximise=True, extra_bytes=0, prune=True)

    def sums(
        self,
        sentence: Sequence[str],
        given: Constraints | None,
        extra_bytes: int = 0,
        *,
        prune: bool = True,
    ) -> Filled | NoParse:
        """Fill a chart with sums, if it and so many more bytes for each value fit into memory."""
        return self._fill(
            self.compiled, sentence, given, maximise=False, extra_bytes=extra_bytes, prune=prune
        )

    def counts(self, sentence: Sequence[str], given: Constraints | None) -> Chart:
        """Fill a chart with the logarithms of counts of derivations, never pruned.

        The sentence is one that has been parsed, and no unit on the way leads back to itself.
        """
        rules, chains = self.compiled.counting
        words = tuple(sentence)
        found = self._words_and_rules(words, given, rules)
        assert not isinstance(found, NoParse)
        chart = empty_chart(found[0], self.compiled.units, self._limits(words, given, False))
        fill_chart(chart, found[1], chains, False, NO_LIMIT)
        return chart

    def log_total(self, chart: Chart) -> float:
        """Return the value of the start symbol over the whole sentence."""
        return float(chart.value[cell_of(0, len(chart.words)), self.compiled.grammar.start_id])

    def _fill(
        self,
        compiled: ChartGrammar,
        sentence: Sequence[str],
        given: Constraints | None,
        *,
        maximise: bool,
        extra_bytes: int,
        prune: bool,
    ) -> Filled | NoParse:
        words = checked_sentence(sentence)
        refused = self._refused(words, extra_bytes)
        if refused is not None:
            return refused
        if given is not None:
            check_constraints(given, len(words), self.compiled.grammar)
            given = given.of_symbols(self.compiled.grammar.rules.nonterminals)
        found = self._words_and_rules(words, given, compiled.rules)
        if isinstance(found, NoParse):
            return found
        numbers, rules = found
        chains = compiled.best_chains if maximise else compiled.all_chains
        # what pruning leaves may have no derivation, although the grammar has one
        for pruned in (True, False) if prune and self._prunes else (False,):
            chart = empty_chart(numbers, compiled.units, self._limits(words, given, pruned))
            if not fill_chart(chart, rules, chains, maximise, self._step_limit):
                return NoParse(words, too_many_steps(self._step_limit), refused=True)
            if self.log_total(chart) > -np.inf:
                return Filled(chart, rules, exact=not pruned)
        start = self.compiled.grammar.start
        within = " within what is given" if given is not None else ""
        return NoParse(words, f"no derivation from {start} yields it{within}")

    def unrooted(self, sentence: Sequence[str], given: Constraints | None) -> Filled | NoParse:
        """Fill a chart with best values, whether or not it has a derivation of the sentence."""
        words, compiled = checked_sentence(sentence), self.compiled_for_best()
        found = self._words_and_rules(words, given, compiled.rules)
        refused = self._refused(words, 0)
        if isinstance(found, NoParse) or refused is not None:
            return refused or found  # type: ignore[return-value]  # one of them is why
        chart = empty_chart(found[0], compiled.units, self._limits(words, given, False))
        if not fill_chart(chart, found[1], compiled.best_chains, True, self._step_limit):
            return NoParse(words, too_many_steps(self._step_limit), refused=True)
        return Filled(chart, found[1], exact=False)

    def _refused(self, words: tuple[str, ...], extra_bytes: int) -> NoParse | None:
        size = len(words) * (len(words) + 1) // 2 * self.compiled.units
        needed = size * (INSIDE_BYTES + extra_bytes)
        if needed <= self._memory_limit:
            return None
        reason = (
            f"the chart of {len(words):,} words needs {needed / 2**20:,.0f} MiB, more than "
            f"the limit of {self._memory_limit / 2**20:,.0f} MiB (raise memory_limit, or split "
            "the sentence)"
        )
        return NoParse(words, reason, refused=True)

    @property
    def _prunes(self) -> bool:
        return self._coarse is not None or self._beam > -np.inf

    def _limits(
        self, words: tuple[str, ...], given: Constraints | None, prune: bool
    ) -> Limits | None:
        masks = []
        if given is not None and given.brackets:
            names = self.compiled.grammar.rules.nonterminals
            masks.append(given.allowed(len(words), names))
        if prune and self._coarse is not None:
            allowed = self._coarse.allowed(words, given)
            if allowed is not None:
                masks.append((self._coarse_of, allowed))
        beam = self._beam if prune else -np.inf
        return limits_of(self.compiled, len(words), masks, beam, self._prior)

    @cached_property
    def _prior(self) -> FloatArray:
        return prior_values(self.compiled) if self._beam > -np.inf else np.zeros(0)

    def _words_and_rules(
        self, words: tuple[str, ...], given: Constraints | None, rules: ChartRules
    ) -> tuple[LongArray, ChartRules] | NoParse:
        """Return word numbers, and the edges, which are those of this sentence if it has tags."""
        tags = given.tags if given is not None else None
        starts = rules.lexical.starts
        numbers = np.empty(len(words), np.int64)
        for i, word in enumerate(words):
            numbers[i] = self.compiled.word_ids.get(word, -1)
            known = numbers[i] >= 0 and starts[numbers[i]] < starts[numbers[i] + 1]
            if not known and (tags is None or tags[i] is None):
                place = f"(word {i + 1} of {len(words)})"
                reason = f"the grammar lacks the word {word!r} {place}"
                reason += within_words(word, self.compiled.word_ids)
                return NoParse(words, reason, unknown=word)
        if tags is None:
            return numbers, rules
        found = tagged_rules(self.compiled, rules, numbers, tags)
        if isinstance(found, int):
            listed = ", ".join(sorted(tags[found] or ()))
            place = f"the word {words[found]!r} (word {found + 1} of {len(words)})"
            return NoParse(words, f"the grammar has none of the tags of {place}: {listed}")
        return np.arange(len(words)), found


def within_words(word: str, known: Iterable[str]) -> str:
    """Say which known word with a space a word is a part of; nothing if there is none.

    >>> within_words("the", ["the cat", "ran"])
    "; it has 'the cat' as one word: write 'the' 'cat' in its rule"
    """
    whole = next((one for one in known if " " in one and word in one.split()), None)
    if whole is None:
        return ""
    return f"; it has {whole!r} as one word: write {' '.join(map(repr, whole.split()))} in its rule"


def too_many_steps(limit: int) -> str:
    """Return the reason of a sentence whose chart took too many steps."""
    return f"its chart takes more than {limit:,} steps (raise step_limit, or split the sentence)"


def checked_sentence(
    sentence: Sequence[str], where: str | None = None, *, may_be_empty: bool = False
) -> tuple[str, ...]:
    """Return the words of a sentence, of a text those between spaces (OptionError if none)."""
    hint = 'for example "the dog barked".split()'
    if isinstance(sentence, str):
        sentence = sentence.split()
    if not isinstance(sentence, Iterable):
        raise OptionError(f"{sentence!r} is not a sequence of words", where=where, hint=hint)
    words = tuple(sentence)
    if not words and not may_be_empty:
        raise OptionError("the sentence has no words", where=where, hint=hint)
    strange = [word for word in words if not isinstance(word, str)]
    if strange:
        raise OptionError(f"the word {strange[0]!r} is not a string", where=where, hint=hint)
    return words


def check_constraints(given: Constraints, length: int, grammar: Grammar) -> None:
    """Raise OptionError unless constraints suit a sentence of so many words."""
    if not isinstance(given, Constraints):
        raise OptionError(
            f"{given!r} are not constraints", hint="for example Constraints([(0, 2)])"
        )
    given.check(length, grammar.rules.nonterminals)


def checked_batch(
    grammar: Grammar,
    sentences: Iterable[Sequence[str]],
    constraints: Iterable[Constraints | None] | None,
    *,
    may_be_empty: bool = False,
) -> list[tuple[tuple[str, ...], Constraints | None]]:
    """Return sentences with their constraints; raise OptionError for the first unfit one."""
    if isinstance(sentences, str):
        sentences = [sentences]
    words = [
        checked_sentence(sentence, f"sentence {i}", may_be_empty=may_be_empty)
        for i, sentence in enumerate(sentences, 1)
    ]
    within = [None] * len(words) if constraints is None else list(constraints)
    if len(within) != len(words):
        raise OptionError(
            f"constraints are given for {len(within)} of {len(words)} sentences",
            hint="None stands for no constraints",
        )
    for i, (sentence, one) in enumerate(zip(words, within, strict=True), 1):
        if one is not None:
            with located(f"sentence {i}"):
                check_constraints(one, len(sentence), grammar)
    return list(zip(words, within, strict=True))


def refuse_one_sentence(
    sentences: object, parsed: Sequence[bool], parses: Callable[[Sequence[str]], bool]
) -> None:
    """Refuse the words of one sentence where sentences are asked for, as NLTK takes them.

    Parameters
    ----------
    sentences : object
        What was given. Texts that are single words can be the words of one sentence.
    parsed : sequence of bool
        Which of them were parsed, each as a sentence.
    parses : callable
        Whether a sentence has a parse.

    Raises
    ------
    OptionError
        If no word is a sentence by itself. If some are, and all are one, it is told.
    """
    if not (isinstance(sentences, list | tuple) and len(sentences) > 1):
        return
    if not all(isinstance(word, str) and len(word.split()) == 1 for word in sentences):
        return
    words = [str(word) for word in sentences]
    each, one = f"parser.parse_all({[[word] for word in words[:2]]})", "parser.kbest(words, 10)"
    if not any(parsed):
        raise OptionError(
            f"{words[0]!r}, {words[1]!r} are words, and none is a sentence by itself",
            hint=f"{one} parses the words of one sentence, and {each} sentences of one word each",
        )
    if parses(words):
        tell(f"{words[0]!r}, {words[1]!r} are parsed as sentences; {one} parses one of all words")

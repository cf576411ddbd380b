"""Synchronous grammars from pairs alone: search, licensing, class closure, types.

The rules are found by a greedy search for the shortest description (Qiu et al. 2022, *Improving
compositional generalization with latent structure and data augmentation*, NAACL, after Shaw et al.
2021). Two things are added to it: a rule may only write a target word if it has the source word
that the lexicon says is necessary, and rules are closed under classes of words. Then the
nonterminals get types. Every choice is made on the training pairs.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from grammar.chart.parses import NoParse
from grammar.files import PathLike, made_folder, write_text
from grammar.options import option, read_options, takes
from grammar.synchronous.forest import CodedRules, PairForest, derives, pair_forest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import NT
from induction.corpus.corpus import Corpus
from induction.corpus.pairs import Pair, exchanged_sides
from induction.synchronous.choice import choose_types, description
from induction.synchronous.closure import (
    Closure,
    ClosureOptions,
    Context,
    close,
    divided,
    families,
    steps_apart,
)
from induction.synchronous.faults import Fault, find_faults
from induction.synchronous.layers import (
    settled_children,
)
from induction.synchronous.lexicon import (
    LEXICONS,
    Lexicon,
    brackets,
    induce_lexicon,
    translations,
)
from induction.synchronous.pairs import TrainingPairs, read_training_pairs
from induction.synchronous.patterns import START, Patterns, shortest_patterns
from induction.synchronous.report import (
    Explained,
    RoteWarning,
    Undecided,
    explain_pairs,
    target_votes,
    undecided_rules,
)
from induction.synchronous.search import (
    RuleSearch,
    SearchOptions,
    Step,
    coded_rules,
    joined_rules,
    needless_rules,
    parted_rules,
)
from induction.synchronous.types import (
    Families,
    fit_types,
    pack_forests,
)
from induction.synchronous.unification import Coded, arity

__all__ = [
    "PURPOSES",
    "SynchronousInduction",
    "SynchronousOptions",
    "TraceStep",
    "induce_synchronous",
]

PURPOSES = {"sampling": "core", "parsing": "grammar", "reading": "rules"}
"""What a saved grammar is for, and the part of the induction that serves it."""

_LONGER = 1.125
"""How much longer the description of pairs and of fewer rules may be, at most: types, which make
that of pairs shorter, are found later. If rules are fewer than half as many, it may be longer."""
_LAST_ROUNDS = 3
_SHOWN = 3
_MANY = 1_000
"""More rules than these are those of texts that people wrote. Comparison of pairs may put them
together of parts that mean nothing, and searches take minutes."""
_PART = 500
"""Pairs of a part at least: fewer say too little."""


@dataclass(frozen=True, eq=False)
class TraceStep:
    """The rules after one step of the search."""

    step: Step
    pairs: TrainingPairs = field(repr=False)

    @property
    def grammar(self) -> SynchronousGrammar:
        """The rules after the step, with equal weights; its ``graph`` is the step as a graph."""
        return _untyped(self.step.rules, self.pairs)

    def __str__(self) -> str:
        step = self.step
        lines = [
            f"part {step.part + 1}, step {step.number}: {step.examples:,} pairs, "
            f"{len(step.rules):,} rules of size {step.size:,.0f} "
            f"(+{len(step.added):,} -{len(step.removed):,})"
        ]
        lines += [f"  + {self.pairs.coder.rule(*rule)}" for rule in step.added[:5]]
        if len(step.added) > 5:
            lines.append(f"  + ... and {len(step.added) - 5:,} more")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class SynchronousInduction:
    """An induced grammar, and how it came to be.

    Attributes
    ----------
    grammar : SynchronousGrammar
        With types and weights. What the types rule out is left all but impossible, for parsing.
    core : SynchronousGrammar
        For sampling: a slot holds what was seen there and what layers add to that (see
        :mod:`induction.synchronous.layers`), and nothing else.
    rules : SynchronousGrammar
        The rules before typing, with one type and equal weights: what a person reads.
    trace : tuple of TraceStep
        The steps of the search.
    lexicon : dict of str to tuple of str
        By target word, the source words of which it needs one.
    classes : tuple of tuple of (str, str)
        Lexicon entries that closure takes for alike.
    added : tuple of str
        Rules that closure added.
    closure : Closure
        What the training pairs said of closure.
    held_out : float or None
        The share of held-out training pairs parsed right, if that was tried. Held out are
        recombinations, or random shares where the rules have too many layers.
    type_scores : dict of int to float
        The same by number of fitted types, if these were tried beside layers.
    types : int
        The number of types.
    explained : Explained
        How many training pairs, equal ones counted once, the rules derive, and how.
    faults : tuple of Fault
        Training pairs that were left out, because rules that many others support give their
        sources another target, or it is given more often.
    alternatives : tuple of SynchronousGrammar
        Grammars for parsing, like ``grammar`` but by other orders of application, which explain
        the training pairs equally; the most probable comes first, and there are seven at most.
    tried : int
        How many rules the search tried.
    limited : bool
        Whether the search ended at its limit, with the best rules so far.
    purpose : str
        What is saved: the core for sampling, the grammar for parsing, the rules for reading.
    """

    grammar: SynchronousGrammar
    core: SynchronousGrammar
    rules: SynchronousGrammar
    trace: tuple[TraceStep, ...] = field(repr=False)
    lexicon: dict[str, tuple[str, ...]]
    classes: tuple[tuple[tuple[str, str], ...], ...]
    added: tuple[str, ...]
    closure: Closure = field(repr=False)
    held_out: float | None
    type_scores: dict[int, float]
    types: int
    explained: Explained
    faults: tuple[Fault, ...] = field(repr=False)
    alternatives: tuple[SynchronousGrammar, ...] = field(default=(), repr=False)
    tried: int = 0
    limited: bool = False
    purpose: str = "sampling"

    @cached_property
    def undecided(self) -> list[Undecided]:
        """Rules of which no training pair says which applies last, with a source for each pair."""
        return undecided_rules(self.grammar, self.alternatives, self.rules.rules)

    @cached_property
    def _parsers(self) -> list[SynchronousParser]:
        return [SynchronousParser(each) for each in (self.grammar, *self.alternatives)]

    def votes(self, source: Sequence[str]) -> Counter[tuple[str, ...]]:
        """Count by target how many of the grammar and its alternatives give it to a source.

        The target of the grammar comes first. A source with several targets is undecided.
        """
        return target_votes(self._parsers, source)

    @property
    def saved(self) -> SynchronousGrammar:
        """The grammar for the purpose."""
        found: SynchronousGrammar = getattr(self, PURPOSES[self.purpose])
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the report as values that JSON can hold."""
        return {
            "purpose": self.purpose,
            "distinct_pairs": self.explained.pairs,
            "by_general_rules": self.explained.general,
            "by_rote": self.explained.rote,
            "underivable": self.explained.underivable,
            "faults": [fault._asdict() for fault in self.faults],
            "lexicon": {word: list(needed) for word, needed in self.lexicon.items()},
            "classes": [[source for source, _ in entries] for entries in self.classes],
            "confirmed": len(self.closure.confirmed),
            "refuted": len(self.closure.refuted),
            "added": list(self.added),
            "types": self.types,
            "type_scores": self.type_scores,
            "held_out": self.held_out,
            "steps": len(self.trace),
            "tried": self.tried,
            "limited": self.limited,
            "rules": [str(rule) for rule in self.rules.rules],
            "undecided": [each._asdict() for each in self.undecided],
            "saved_rules": len(self.saved),
            "saved_types": list(self.saved.types),
        }

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the report for people."""
        yield "training pairs", str(self.explained)
        if self.faults:
            rest = f"; and {len(self.faults) - _SHOWN:,} more" if self.faults[_SHOWN:] else ""
            yield "taken for faulty", "; ".join(map(str, self.faults[:_SHOWN])) + rest
        if self.limited:
            yield "search", f"ended at its limit, {self.tried:,} rules tried: the best rules so far"
        entries = ", ".join(f"{'|'.join(ws)}~{v}" for v, ws in self.lexicon.items())
        yield "lexicon", entries or "nothing"
        classes = "; ".join(" ".join(w for w, _ in entries) for entries in self.classes)
        yield "classes", classes or "none"
        judged = f"{len(self.closure.confirmed)} confirmed, {len(self.closure.refuted)} refuted"
        yield "closure", f"{judged}; {len(self.added)} rules added"
        if self.held_out is not None:
            yield "held out", f"{self.held_out:.1%} of held-out training pairs parsed right"
        scores = ", ".join(f"{t}: {score:.3f}" for t, score in self.type_scores.items())
        yield "types", f"{self.types}{f' (held-out scores if fitted {scores})' if scores else ''}"
        yield "rules", f"{len(self.rules)}, {len(self.core)} in layers"
        if self.undecided:
            rest = f"; and {len(self.undecided) - _SHOWN:,} more" if self.undecided[_SHOWN:] else ""
            shown = "; ".join(map(str, self.undecided[:_SHOWN]))
            yield "undecided", f"no pair says which applies last in {shown}{rest}"
        saved = f"{len(self.saved)} rules of {len(self.saved.types)} types"
        yield "saved", f"{saved}, for {self.purpose}"

    def __str__(self) -> str:
        return "\n".join(f"{name:<16}{finding}" for name, finding in self.lines())


@dataclass(frozen=True, kw_only=True)
class SynchronousOptions(SearchOptions, ClosureOptions):
    """The options of :func:`induce_synchronous`."""

    purpose: str = option(
        "sampling",
        "Use of the saved grammar: sampling (layers of rules, which exclude what has no"
        " evidence), parsing (types, which leave that improbable; its samples can be "
        "wrong pairs), or reading (bare rules of one type).",
        choices=PURPOSES,
    )
    lexicon: str = option(
        "auto",
        "How to find the source word that a target word needs: necessity, with "
        "association where that finds nothing (auto); or the links of IBM model 1.",
        source="Brown et al. 1993",
        choices=LEXICONS,
    )
    licensing: bool = option(
        True, "Refuse rules that write a target word without the source word it needs."
    )
    closure: bool | None = option(
        None,
        "Close the rules under classes of words; by default only if the training pairs support it.",
        source="Andreas 2020",
    )
    types: int | None = option(
        None,
        "Number of fitted types; by default layers, unless fitted types are better at "
        "held-out recombinations of the training pairs.",
        source="Qiu et al. 2022, section 3.3",
        least=1,
    )
    parts: int = option(
        16,
        "Number of parts in which the pairs, ordered by length, go to the search. A "
        "part whose pairs are all derived costs no search.",
        least=1,
    )
    inverse: bool = option(
        False,
        "Exchange the sides of the pairs: the grammar writes the given sources from the given "
        "targets, so a source may have several targets, and a target has one source. "
        "Translate with --inverse.",
    )
    seed: int = option(0, "Seed of the starts of EM and of the held-out folds.", least=0)
    trace: PathLike | None = option(
        None, "A folder for the rules after each step of the search, as graphs."
    )


@takes(SynchronousOptions)
def induce_synchronous(
    pairs: Corpus | Iterable[Pair],
    *,
    on_progress: Callable[[str], Any] | None = None,
    **options: Any,
) -> SynchronousInduction:
    """Induce a synchronous grammar from pairs of source and target.

    Parameters
    ----------
    pairs : Corpus or iterable of (source, target)
        A corpus needs the column ``target``. Equal pairs count once, and their order does not
        matter; of several targets of a source, the most frequent one is taken, but with
        ``inverse`` all of them.
    on_progress : callable, optional
        Told each step as a text.
    **options
        See :class:`SynchronousOptions`.

    Returns
    -------
    SynchronousInduction
        Prints as a report.

    Raises
    ------
    CorpusError
        If there are no pairs, a side is empty, or a source has two targets equally often.
    OptionError
        If an option is unknown or cannot be used.
    OutputError
        If the folder of the trace cannot be made.

    Warns
    -----
    RoteWarning
        If most pairs are learnt one by one, see :class:`Explained`.

    Examples
    --------
    >>> found = induce_synchronous([
    ...     ("walk", "W"), ("run", "R"), ("look", "L"), ("walk twice", "W W"),
    ...     ("run twice", "R R"), ("look twice", "L L"),
    ... ], types=1)
    >>> for rule in found.rules.rules:
    ...     print(rule)
    NT_1 twice ### NT_1 NT_1
    look ### L
    run ### R
    walk ### W
    """
    how = read_options(SynchronousOptions, options, "induce_synchronous")
    folder = None if how.trace is None else made_folder(how.trace)
    say = on_progress or _silent
    given = read_training_pairs(exchanged_sides(pairs) if how.inverse else pairs)
    training, words, trace, found, tried, limited = _sound(given, how, say)
    if folder is not None:
        _save_trace(trace, folder)
        say(f"{len(trace)} steps of the search are in {folder}")
    say("closure under classes of words")
    closed = close(found, words, training.pairs, how)
    added = closed.unseen if (closed.used if how.closure is None else how.closure) else ()
    say(f"closure: {len(added)} rules added")
    rules = [*found, *added]
    keys = families(rules, words, closed)
    forests = _forests(coded_rules(rules), training.pairs)
    shapes = [forest for _, forest in forests]
    groups = _families([keys[rule] for rule in rules], rules, shapes)
    total = len(given) + len(given.outvoted)
    explained = explain_pairs(total, shapes, total - len(training))
    say("order of application, and types")
    typing = choose_types(
        rules, groups, forests, training.coder, types=how.types, seed=how.seed, say=say
    )
    result = SynchronousInduction(
        grammar=typing.grammar,
        core=typing.core,
        rules=_untyped(rules, training),
        trace=trace,
        lexicon={
            training.words(v): tuple(map(training.words, sorted(ws))) for v, ws in words.items()
        },
        classes=tuple(
            tuple((training.words(w), training.words(v)) for w, v in entries)
            for entries in closed.classes
        ),
        added=tuple(str(training.coder.rule(*rule)) for rule in added),
        closure=closed,
        held_out=typing.held_out,
        type_scores=typing.scores,
        types=typing.types,
        explained=explained,
        faults=tuple(_told_faults(given, training, typing.grammar)),
        alternatives=typing.alternatives,
        tried=tried,
        limited=limited,
        purpose=how.purpose,
    )
    patterns = None if limited else _patterns(result, rules, (given, training), how, say)
    if patterns is not None:
        result = _by_patterns(result, patterns, given)
    if result.explained.warning is not None:
        warnings.warn(result.explained.warning, RoteWarning, stacklevel=2)
    return result


def _patterns(
    found: SynchronousInduction,
    rules: Sequence[Coded],
    given_and_sound: tuple[TrainingPairs, TrainingPairs],
    how: SynchronousOptions,
    say: Callable[[str], None],
) -> Patterns | None:
    """Return patterns of classes, if their description is shorter.

    They do not recur, but rules may. So patterns with others nested in them are taken only where
    rules say too little: where two of them have the same source, many pairs are learnt alone, or
    pairs that contradict rules have patterns of their own: then they are not faulty.
    """
    if not how.compare or how.types is not None:
        return None
    given, sound = given_and_sound
    say("patterns of word classes")
    faulty = set(given.pairs) - set(sound.pairs)
    if faulty:
        patterns = shortest_patterns(given, found.core, how, nested=True, say=say)
        if patterns is not None and faulty.isdisjoint(patterns.alone):
            return patterns
    explained = found.explained
    several = len({source for source, _ in rules}) < len(rules)
    poor = explained.underivable or explained.rote > how.tolerance * explained.pairs
    return shortest_patterns(sound, found.core, how, nested=bool(several or poor), say=say)


def _by_patterns(
    found: SynchronousInduction, patterns: Patterns, given: TrainingPairs
) -> SynchronousInduction:
    """Return the induction with patterns in place of rules."""
    coded, training = patterns.coded, patterns.training
    shapes = [forest for _, forest in _forests(coded, training.pairs, START)]
    core, parsing = patterns.grammar(), patterns.parsing_grammar()
    total = len(given) + len(given.outvoted)
    return replace(
        found,
        grammar=parsing,
        core=core,
        rules=core,
        classes=patterns.classes,
        added=(),
        held_out=None,
        type_scores={},
        types=len(core.types),
        explained=explain_pairs(total, shapes, total - len(training)),
        faults=tuple(_told_faults(given, training, parsing)),
        alternatives=(),
    )


def _families(
    keys: Sequence[Context], rules: Sequence[Coded], forests: Sequence[PairForest]
) -> Families:
    """Group rules that fill one context, where what was seen of them does not speak against it."""
    slots = [arity(rule[0]) for rule in rules]
    alone = Families.of(range(len(rules)), slots)
    packed = pack_forests(forests, alone)
    seen = settled_children(packed, fit_types(packed, alone, 1, seed=0))
    places = [np.flatnonzero(seen[1:, number]).tolist() for number in range(len(rules))]
    return Families.of(steps_apart(divided(keys, places), alone, seen), slots)


def _told_faults(
    given: TrainingPairs, training: TrainingPairs, grammar: SynchronousGrammar
) -> Iterator[Fault]:
    """Say of each pair that was left out what the grammar expects."""
    parser = SynchronousParser(grammar)
    sound = set(training.pairs)
    for pair in (pair for pair in given.pairs + given.outvoted if pair not in sound):
        source, target = map(given.words, pair)
        best = parser.translations(source.split())
        expected = "nothing" if isinstance(best, NoParse) else " ".join(best[0].target)
        yield Fault(source, target, expected)


class _Found(NamedTuple):
    """Rules, the pairs that they were found from, and how."""

    training: TrainingPairs
    lexicon: Lexicon
    trace: tuple[TraceStep, ...]
    rules: list[Coded]
    tried: int
    limited: bool


def _sound(given: TrainingPairs, how: SynchronousOptions, say: Callable[[str], None]) -> _Found:
    """Find rules, and if they show pairs to be faulty, find them again without those."""
    found = _found(given, how, say)
    faulty = find_faults(found.rules, given, how.tolerance) if how.tolerance else None
    if not faulty or found.limited:
        return found
    told = f"{len(faulty):,} pairs contradict the rules and are taken for faulty"
    sound = given.without(faulty)
    if len(found.rules) > _MANY:
        say(told)
        return found._replace(training=sound, rules=_needed(found.rules, sound, say))
    say(f"{told}: again without them")
    return _found(sound, how, say)


def _found(training: TrainingPairs, how: SynchronousOptions, say: Callable[[str], None]) -> _Found:
    words = induce_lexicon(training, method=how.lexicon)
    lexicon = words if how.licensing else {}
    pairing = (
        [brackets(side) for side in zip(*training.pairs, strict=True)] if how.licensing else ()
    )
    phrases = translations(lexicon) - set(training.pairs)

    def run(searching: RuleSearch, how: SynchronousOptions) -> _Found:
        trace = tuple(_searched(searching, training, how.parts, say))
        rules = _finished(searching.rules, phrases, training, how, say)
        return _Found(training, words, trace, rules, searching.tried, searching.limited)

    searching = RuleSearch(lexicon, how, brackets=pairing)
    found = run(searching, how)
    if searching.limited:
        say(f"the limit is reached: {searching.tried:,} rules tried, the best so far are kept")
        return found
    if not how.compare:
        return found
    if phrases and (searching.stuck or _many_by_rote(found.rules, training, how.tolerance)):
        many = len(found.rules) > _MANY
        words_as_phrases = f"with {len(phrases):,} words of the lexicon as phrases"
        say(f"again, {'without comparison of pairs' if many else words_as_phrases}")
        how_again = replace(how, compare=not many)
        again = RuleSearch(lexicon, how_again, () if many else phrases, pairing)
        other = run(again, how_again)
        if _is_shorter(other, found, how, say):
            found, searching, how = other, again, how_again
    return _to_end(found, searching, phrases, how, say) if how.compare else found


def _is_shorter(
    other: _Found, found: _Found, how: SynchronousOptions, say: Callable[[str], None]
) -> bool:
    """Say whether the rules of a second search and the pairs have a shorter description."""
    sizes = [description(each.rules, found.training.pairs, how) for each in (found, other)]
    say("descriptions of rules and pairs: {:,.0f}, and {:,.0f} of the second search".format(*sizes))
    return sizes[1] < sizes[0]


def _to_end(
    found: _Found,
    searching: RuleSearch,
    phrases: Collection[Coded],
    how: SynchronousOptions,
    say: Callable[[str], None],
) -> _Found:
    """Search as long as rules get shorter, and keep what is found if they are fewer.

    The shortest rules are not always those of the language: words that all sentences have are split
    off, and what is left is put together in every way. So pairs must not get much longer by them.
    """
    training = found.training
    part = found.trace[-1].step.part + 1 if found.trace else 0
    steps = tuple(_told(step, training, say) for step in searching.add([], part, to_end=True))
    if not steps or searching.limited:
        return found
    rules = _finished(searching.rules, phrases, training, how, say)
    say(f"searched to the end: {len(rules):,} rules in place of {len(found.rules):,}")
    if len(rules) >= len(found.rules):
        return found
    before, after = (description(each, training.pairs, how) for each in (found.rules, rules))
    say(f"descriptions of rules and pairs: {before:,.0f}, and {after:,.0f} at the end")
    if after > _LONGER * before and 2 * len(rules) >= len(found.rules):
        return found
    return found._replace(trace=found.trace + steps, rules=rules, tried=searching.tried)


def _finished(
    rules: Iterable[Coded],
    phrases: Collection[Coded],
    training: TrainingPairs,
    how: SynchronousOptions,
    say: Callable[[str], None],
) -> list[Coded]:
    """Return the rules of a search that pairs need.

    What holds a word of the lexicon in a slot of another rule is taken apart, and what never stands
    apart is put together.
    """
    if not how.compare:
        return _needed(rules, training, say)
    parted = parted_rules(rules, phrases, how.max_slots)
    return joined_rules(_needed(parted, training, say), training.pairs)


def _many_by_rote(rules: Sequence[Coded], training: TrainingPairs, tolerance: float) -> bool:
    forests = [forest for _, forest in _forests(coded_rules(list(rules)), training.pairs)]
    return explain_pairs(len(training), forests).rote > tolerance * len(training)


def _save_trace(trace: Sequence[TraceStep], folder: Path) -> None:
    """Write what each step of the search did, and the graph of the rules after it."""
    for number, step in enumerate(trace, start=1):
        step.grammar.save(folder / f"step-{number:02}.json")
    write_text(folder / "trace.txt", "".join(f"{step}\n" for step in trace))


def _silent(_: str) -> None:
    pass


def _searched(
    searching: RuleSearch, training: TrainingPairs, parts: int, say: Callable[[str], None]
) -> Iterable[TraceStep]:
    """Give the search part after part, and at last whatever later changes left underived."""
    parts = min(parts, 1 + len(training) // _PART)
    bounds = np.linspace(0, len(training), parts + 1).round().astype(int).tolist()
    for part in range(parts):
        given = list(training.pairs[bounds[part] : bounds[part + 1]])
        say(f"search: part {part + 1} of {parts}, {len(given):,} pairs")
        for step in searching.add(given, part):
            yield _told(step, training, say)
    for extra in range(_LAST_ROUNDS):
        known = coded_rules(searching.rules)
        missing = [pair for pair in training.pairs if not derives(known, pair)]
        if not missing:
            break
        say(f"search: {len(missing):,} pairs that are not derived")
        before = searching.rules
        for step in searching.add(missing, parts + extra, beside=len(training)):
            yield _told(step, training, say)
        if searching.rules == before:
            break
    whole = searching.with_sentences(training.pairs)
    if whole:
        say(f"search: {whole} rules for whole sources")
        for step in searching.add([], parts + _LAST_ROUNDS):
            yield _told(step, training, say)


def _needed(
    rules: Iterable[Coded], training: TrainingPairs, say: Callable[[str], None]
) -> list[Coded]:
    """Return the rules in order, without those that no training pair needs."""
    ordered = sorted(rules, key=lambda rule: (len(rule[0]), len(rule[1]), rule))
    forests = [forest for _, forest in _forests(coded_rules(ordered), training.pairs)]
    gone = needless_rules(forests, range(len(ordered)))
    for number in sorted(gone):
        say(f"not needed: {training.coder.rule(*ordered[number])}")
    return [rule for number, rule in enumerate(ordered) if number not in gone]


def _told(step: Step, training: TrainingPairs, say: Callable[[str], None]) -> TraceStep:
    told = TraceStep(step, training)
    say(str(told))
    return told


def _forests(
    rules: CodedRules, pairs: Sequence[Coded], start: str = NT
) -> list[tuple[Coded, PairForest]]:
    forests = ((pair, pair_forest(rules, *pair, start=start)) for pair in pairs)
    return [(pair, forest) for pair, forest in forests if forest.root >= 0]


def _untyped(rules: Sequence[Coded], training: TrainingPairs) -> SynchronousGrammar:
    made = [(training.coder.rule(*rule), 1.0, 0) for rule in rules]
    return SynchronousGrammar.from_rules(made, normalise=True)

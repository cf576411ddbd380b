"""Synchronous grammars from pairs alone: search, licensing, class closure, types.

The rules are found by a greedy search for the shortest description (Qiu et al. 2022, *Improving
compositional generalization with latent structure and data augmentation*, NAACL, after Shaw et al.
2021). Two things are added to it: a rule may only write a target word if it has the source word
that the lexicon says is necessary, and rules are closed under classes of words. Then the
nonterminals get types. Every choice is made on the training pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from grammar.errors import OptionError
from grammar.parses import NoParse
from grammar.synchronous import SynchronousGrammar, SynchronousRule
from grammar.synchronous_forest import CodedRules, PairForest, pair_forest
from grammar.synchronous_parsing import SynchronousParser
from induction.corpus import Corpus
from induction.synchronous_closure import Closure, ClosureOptions, close, families
from induction.synchronous_layers import layered_grammar, seen_children
from induction.synchronous_lexicon import LexiconMethod, induce_lexicon
from induction.synchronous_needless import needless_rules
from induction.synchronous_pairs import Pair, TrainingPairs, read_training_pairs
from induction.synchronous_search import RuleSearch, SearchOptions, Step, coded_rules, derives
from induction.synchronous_typed import typed_grammar
from induction.synchronous_typing import (
    Families,
    Fold,
    Forests,
    fit_types,
    held_out_folds,
    pack_forests,
)
from induction.synchronous_unification import Coded, arity

__all__ = ["SynchronousInduction", "TraceStep", "induce_synchronous"]

_TYPES = (1, 2, 3, 4, 5, 6)
_LAST_ROUNDS = 3
_TRIAL_RESTARTS, _TRIAL_ROUNDS = 3, 80
_JUDGED = 100
_REPEATS = 3


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
        :mod:`induction.synchronous_layers`), and nothing else.
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
    type_scores : dict of int to float
        By number of types, the share of held-out recombined training pairs parsed right, if tried.
    types : int
        The number of types.
    distinct_pairs : int
        Training pairs, equal ones counted once.
    underivable : int
        Those that the rules do not derive.
    """

    grammar: SynchronousGrammar
    core: SynchronousGrammar
    rules: SynchronousGrammar
    trace: tuple[TraceStep, ...] = field(repr=False)
    lexicon: dict[str, tuple[str, ...]]
    classes: tuple[tuple[tuple[str, str], ...], ...]
    added: tuple[str, ...]
    closure: Closure = field(repr=False)
    type_scores: dict[int, float]
    types: int
    distinct_pairs: int
    underivable: int

    def lines(self) -> Iterable[str]:
        """Yield the report, line by line."""
        yield f"training pairs  {self.distinct_pairs:,} distinct, {self.underivable:,} underivable"
        entries = ", ".join(f"{'|'.join(ws)}~{v}" for v, ws in self.lexicon.items())
        yield f"lexicon         {entries or 'nothing'}"
        classes = "; ".join(" ".join(w for w, _ in entries) for entries in self.classes)
        yield f"classes         {classes or 'none'}"
        judged = f"{len(self.closure.confirmed)} confirmed, {len(self.closure.refuted)} refuted"
        yield f"closure         {judged}; {len(self.added)} rules added"
        scores = ", ".join(f"{t}: {score:.3f}" for t, score in self.type_scores.items())
        yield f"types           {self.types}{f' (held-out scores {scores})' if scores else ''}"
        yield f"rules           {len(self.rules)}, {len(self.core)} in layers"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def induce_synchronous(
    pairs: Corpus | Iterable[Pair],
    *,
    lexicon: LexiconMethod = "auto",
    licensing: bool = True,
    closure: bool | None = None,
    types: int | None = None,
    parts: int = 16,
    seed: int = 0,
    search: SearchOptions | None = None,
    closing: ClosureOptions | None = None,
    progress: Callable[[str], None] | None = None,
) -> SynchronousInduction:
    """Induce a synchronous grammar from pairs of source and target.

    Parameters
    ----------
    pairs : Corpus or iterable of (source, target)
        A corpus needs the column ``target``. Equal pairs count once, their order does not matter.
    lexicon : {"auto", "necessity", "association", "ibm1"}
        How to find which source word a target word needs.
    licensing : bool
        Refuse rules that write a target word without the source word it needs.
    closure : bool, optional
        Close the rules under classes of words; by default if the training pairs speak for it.
    types : int, optional
        Number of types; by default chosen by held-out recombinations of the training pairs.
    parts : int
        The pairs, ordered by length, are given to the search in so many parts. A part whose pairs
        are all derived costs no search.
    seed : int
        Of the starts of EM and of the held-out folds.
    search, closing : SearchOptions, ClosureOptions, optional
        Settings of the two.
    progress : callable, optional
        Told each step as a text.

    Returns
    -------
    SynchronousInduction
        Prints as a report.

    Raises
    ------
    CorpusError
        If there are no pairs, a side is empty, or a source has two targets.
    OptionError
        If an option is out of range.

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
    for name, value in (("types", types), ("parts", parts)):
        if value is not None and value < 1:
            raise OptionError(f"{name} is {value}", hint="give a number of 1 or more")
    say = progress or _silent
    training = read_training_pairs(pairs)
    words = induce_lexicon(training, method=lexicon)
    searching = RuleSearch(words if licensing else None, search or SearchOptions())
    trace = tuple(_searched(searching, training, parts, say))
    found = _needed(searching.rules, training, say)
    closed = close(found, words, training.pairs, closing or ClosureOptions())
    use = closed.used if closure is None else closure
    rules = found + [rule for rule in closed.unseen if use]
    say(f"closure: {len(closed.unseen) if use else 0} rules added")
    keys = families(rules, words, closed)
    groups = Families.of([keys[rule] for rule in rules], [arity(rule[0]) for rule in rules])
    forests = _forests(coded_rules(rules), training.pairs)
    packed = pack_forests([forest for _, forest in forests], groups)
    written = [training.coder.rule(*rule) for rule in rules]
    scores: dict[int, float] = {}
    trial = _Trial(written, groups, packed, [pair for pair, _ in forests], training, seed)
    if types is None:
        types, scores = trial.best()
        say(f"types: {types}, of held-out scores {scores}")
    model = fit_types(packed, groups, types, seed=seed)
    return SynchronousInduction(
        grammar=typed_grammar(written, groups, model),
        core=layered_grammar(written, groups, seen_children(packed, model)),
        rules=_untyped(rules, training),
        trace=trace,
        lexicon={
            training.words(v): tuple(map(training.words, sorted(ws))) for v, ws in words.items()
        },
        classes=tuple(
            tuple((training.words(w), training.words(v)) for w, v in entries)
            for entries in closed.classes
        ),
        added=tuple(str(training.coder.rule(*rule)) for rule in closed.unseen if use),
        closure=closed,
        type_scores=scores,
        types=model.types,
        distinct_pairs=len(training),
        underivable=len(training) - len(forests),
    )  # fmt: skip


def _silent(_: str) -> None:
    pass


def _searched(
    searching: RuleSearch, training: TrainingPairs, parts: int, say: Callable[[str], None]
) -> Iterable[TraceStep]:
    """Give the search part after part, and at last whatever later changes left underived."""
    bounds = np.linspace(0, len(training), parts + 1).round().astype(int).tolist()
    for part in range(parts):
        given = list(training.pairs[bounds[part] : bounds[part + 1]])
        for step in searching.add(given, part):
            yield _told(step, training, say)
    for extra in range(_LAST_ROUNDS):
        known = coded_rules(searching.rules)
        missing = [pair for pair in training.pairs if not derives(known, pair)]
        if not missing:
            return
        for step in searching.add(missing, parts + extra):
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


def _forests(rules: CodedRules, pairs: Sequence[Coded]) -> list[tuple[Coded, PairForest]]:
    forests = ((pair, pair_forest(rules, *pair)) for pair in pairs)
    return [(pair, forest.pruned()) for pair, forest in forests if forest.root >= 0]


@dataclass(frozen=True, eq=False)
class _Trial:
    """Tries numbers of types on held-out recombinations of the training pairs."""

    rules: list[SynchronousRule]
    groups: Families
    forests: Forests
    pairs: list[Coded]
    training: TrainingPairs
    seed: int

    def best(self) -> tuple[int, dict[int, float]]:
        """Return the number that is best, the smaller one of equals, and all scores."""
        folds = [
            fold
            for repeat in range(_REPEATS)
            for fold in held_out_folds(self.forests, seed=self.seed, repeat=repeat)
        ]
        if not folds:
            return 1, {}
        exact = {t: float(np.mean([self._exact(t, fold) for fold in folds])) for t in _TYPES}
        return max(exact, key=lambda t: (exact[t], -t)), exact

    def _exact(self, types: int, fold: Fold) -> float:
        """Return the share of judged pairs whose best parse is right, types fitted to the rest."""
        model = fit_types(
            self.forests, self.groups, types, seed=self.seed, fitted=fold.fitted,
            restarts=_TRIAL_RESTARTS, rounds=_TRIAL_ROUNDS,
        )  # fmt: skip
        parser = SynchronousParser(typed_grammar(self.rules, self.groups, model))
        # an even choice of not too many
        judged = fold.judged[:: 1 + len(fold.judged) // _JUDGED]
        right = 0
        for i in judged:
            source, target = self.pairs[int(self.forests.first[i])]
            found = parser.translations(self.training.words(source).split())
            right += not isinstance(found, NoParse) and found[0].target == tuple(
                self.training.words(target).split()
            )
        return right / len(judged)


def _untyped(rules: Sequence[Coded], training: TrainingPairs) -> SynchronousGrammar:
    made = [(training.coder.rule(*rule), 1.0, 0) for rule in rules]
    return SynchronousGrammar.from_rules(made, normalise=True)

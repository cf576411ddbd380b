"""Greedy search for the synchronous grammar with the shortest description.

Every example begins as a rule of its own. A step looks, for every rule, for the rule whose addition
allows to drop the most symbols; all changes of a step are made together. A rule that the others
derive goes. The score of a rule set, to be made small, is (Qiu et al. 2022, section 3.2)

    sum over rules of  size(r) - k_ts log2(N_both / N_src) - k_st log2(N_both / N_tgt)

with size(r) the weighted number of its symbols, and N_src, N_tgt, N_both the examples whose
source, whose target, and both of whose sides may hold what the rule derives.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from grammar.options import TINY, Checked, option
from grammar.synchronous.forest import CodedRule, CodedRules, PairForest, derives, pair_forest
from grammar.synchronous.occurrence import FIRST_WORD, WordIndex
from induction.synchronous.lexicon import Lexicon, is_balanced
from induction.synchronous.pairs import may_hold, side_runs
from induction.synchronous.proposals import Proposal, arrangements, propose, shared_contexts
from induction.synchronous.unification import Coded, canonical, has_slot, has_word, unifiers

__all__ = [
    "RuleSearch",
    "SearchOptions",
    "Step",
    "coded_rules",
    "derived_without",
    "joined_rules",
    "needless_rules",
    "parted_rules",
    "rule_size",
    "sentence_rules",
]


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Checked):
    """Settings of the search; sizes and penalties are those that the paper uses for SCAN."""

    word_size: float = option(
        4.0,
        "Search: the size that a word adds to a rule.",
        source="Qiu et al. 2022, section 3.2",
        least=TINY,
    )
    slot_size: float = option(
        1.0,
        "Search: the size that a slot adds to a rule.",
        source="Qiu et al. 2022, section 3.2",
        least=TINY,
    )
    source_given_target: float = option(
        0.0, "Search: the weight k_st of the penalty.", source="Qiu et al. 2022, section 3.2"
    )
    target_given_source: float = option(
        100.0, "Search: the weight k_ts of the penalty.", source="Qiu et al. 2022, section 3.2"
    )
    tolerance: float = option(
        0.1,
        "Faults: the largest share of pairs that may contradict a trusted rule.",
        least=0.0,
        most=0.5,
    )
    compare: bool = option(
        True, "Search: where no step is left, compare pairs that differ in one place on both sides."
    )
    max_slots: int = option(4, "Search: the largest number of slots of a rule.", least=1)
    max_steps: int = option(
        5,
        "Search: the largest number of steps for one part of the training pairs. Where "
        "pairs are compared, there may be more as long as some pairs are rules of their"
        " own.",
        least=1,
    )
    limit: int | None = option(
        None,
        "Search: the largest number of rules that are tried. A search that reaches it ends with "
        "the best rules so far, and says so.",
        least=1,
    )
    support: int = option(
        10,
        "Search: number of the shortest rules that are tested for redundancy.",
        least=1,
    )


@dataclass(frozen=True, slots=True)
class Step:
    """The rules after one step of the search, and what the step changed.

    Attributes
    ----------
    part, number : int
        Which part of the training pairs had been given, and which step on them this was.
    examples : int
        How many pairs the search had seen.
    rules : tuple of (str, str)
        All rules after the step, coded.
    added, removed : tuple of (str, str)
        Those that are new, and those that went.
    size : float
        Of all rules together, without penalties.
    """

    part: int
    number: int
    examples: int
    rules: tuple[Coded, ...] = field(repr=False)
    added: tuple[Coded, ...] = field(repr=False)
    removed: tuple[Coded, ...] = field(repr=False)
    size: float


_READ = 40
"""Pairs that are read as arrangements at a time, the shortest ones."""
_CLASS = 3
"""Where few pairs are still rules, so many must share a context, and it has a word of its own."""


class RuleSearch:
    """The state of a search: the rules so far, and the examples they must derive.

    ``phrases`` are rules to begin with. The search was ``stuck`` if no rule made another one while
    many examples were rules of their own. ``tried`` counts the rules that were tried.
    """

    def __init__(
        self,
        lexicon: Lexicon | None,
        options: SearchOptions,
        phrases: Iterable[Coded] = (),
        brackets: Iterable[Collection[tuple[str, str]]] = (),
    ) -> None:
        self.rules = set(phrases)
        self.examples: list[Coded] = []
        self.stuck = False
        self.tried = 0
        self._lexicon = lexicon or {}
        self._brackets = tuple(brackets)
        self._options = options
        self._matched: dict[tuple[int, str], int] = {}
        self._words = [WordIndex([]), WordIndex([])]
        self._unified: dict[tuple[Coded, Coded], tuple[Coded, ...]] = {}
        self._last: set[Coded] = set()
        self._needed: set[Coded] = set()

    @property
    def limited(self) -> bool:
        """Whether the limit is reached."""
        limit = self._options.limit
        return limit is not None and self.tried >= limit

    def add(
        self, examples: list[Coded], part: int, beside: int = 0, *, to_end: bool = False
    ) -> Iterator[Step]:
        """Give more examples and search until nothing changes, or long enough; yield every step.

        Few that contradict the rules, among these and so many ``beside`` them, are not searched:
        they are likelier to be faulty. ``to_end`` says that each step that makes rules shorter is
        followed by another one.
        """
        shown = self.rules
        self.examples += examples
        self._matched.clear()
        self._words = [WordIndex([pair[side] for pair in self.examples]) for side in (0, 1)]
        self.rules = shown | self._surprising(examples, beside)
        if self._options.compare:
            self._arrange()
        for number in itertools.count(1):
            before = self.rules
            added, removed = self._step()
            self.rules = (before | added) - removed
            if self.rules == before and self._options.compare and not self.limited:
                self.stuck |= not self._few_own()
                added, removed = self._compared()
                self.rules = (before | added) - removed
            if self.rules != shown:
                yield Step(
                    part, number, len(self.examples), tuple(sorted(self.rules, key=_by_size)),
                    tuple(sorted(self.rules - shown, key=_by_size)),
                    tuple(sorted(shown - self.rules, key=_by_size)),
                    sum(map(self._size, self.rules)),
                )  # fmt: skip
            goes_on = self._shrank(before) if to_end else self._goes_on(before)
            done = number >= self._options.max_steps and not goes_on
            if done or self.limited or self.rules == before:
                return
            shown = self.rules

    def with_sentences(self, pairs: Sequence[Coded]) -> int:
        """Add :func:`sentence_rules`, if few pairs are left, and return how many there are."""
        if self.limited or not self._options.compare or not self._few_own():
            return 0
        before, self.rules = self.rules, sentence_rules(self.rules, pairs, self._options)
        return len(self.rules) - len(before)

    def _surprising(self, examples: list[Coded], beside: int) -> set[Coded]:
        """Return what is not derived; without what has another target, if that is little."""
        known = coded_rules(self.rules)
        missing = {pair for pair in examples if not derives(known, pair)}
        reading = coded_rules({(source, source) for source, _ in self.rules})
        contradicting = {pair for pair in missing if derives(reading, (pair[0], pair[0]))}
        few = len(contradicting) <= self._options.tolerance * (len(examples) + beside)
        return missing - contradicting if few else missing

    def _arrange(self) -> None:
        """Add rules that arrange phrases, the one that saves most first; drop what they make."""
        while True:
            known = {rule for rule in self.rules if not _is_pair(rule)}
            pairs = sorted(self.rules - known, key=_by_size)[:_READ]
            numbered = coded_rules(known)
            heard = frozenset().union(*(_words(source) for source, _ in known))
            support: dict[Coded, list[Coded]] = defaultdict(list)
            for pair in pairs:
                unknown = _words(pair[0]) - heard
                for made in arrangements(numbered, pair, max_slots=self._options.max_slots):
                    if unknown <= _words(made[0]):  # else other rules are missing, too
                        support[made].append(pair)
            best, chosen = 0.0, None
            for rule in sorted(support.keys() - known, key=_by_size):
                if self.limited:
                    break
                self.tried += 1
                if sum(map(self._size, support[rule])) - self._size(rule) > best:
                    gain = self._arranging(rule, known, pairs, support[rule])
                    if gain > best:
                        best, chosen = gain, rule
            if chosen is None:
                return
            numbered = coded_rules(known | {chosen})
            gone = {rule for rule in self.rules - known if derives(numbered, rule)}
            self.rules = (self.rules | {chosen}) - gone

    def _arranging(
        self, rule: Coded, known: set[Coded], pairs: Sequence[Coded], support: Iterable[Coded]
    ) -> float:
        """Return what a rule saves of pairs; nothing if it gives many of them another target.

        None is saved if none is that supports it.
        """
        numbered = coded_rules(known | {rule})
        if not any(derives(numbered, pair) for pair in support):
            return 0.0
        made = {pair for pair in pairs if derives(numbered, pair)}
        reading = coded_rules({(source, source) for source, _ in known | {rule}})
        others = ((source, source) for source, target in pairs if (source, target) not in made)
        against = sum(derives(reading, source) for source in others)
        if against > self._options.tolerance * (against + len(made)):
            return 0.0
        return sum(map(self._size, made)) - self._size(rule) - self._penalty(rule)

    def _goes_on(self, before: set[Coded]) -> bool:
        """Say whether pairs are still taken apart, and the last step was of use."""
        own = self._options.compare and any(map(_is_pair, self.rules))
        return own and self._shrank(before)

    def _shrank(self, before: set[Coded]) -> bool:
        return sum(map(self._size, self.rules)) < sum(map(self._size, before))

    def _few_own(self) -> bool:
        """Say whether few pairs of more than one word are rules of their own."""
        own = sum(map(_is_pair, self.rules))
        return own <= self._options.tolerance * len(self.examples)

    def _step(self) -> tuple[set[Coded], set[Coded]]:
        rules = sorted(self.rules, key=_by_size)
        numbered = coded_rules(rules)
        view = _View(rules, self._options, self._unified)
        near = _Parts(self.rules - self._last)
        needless: set[Coded] = set()
        added: set[Coded] = set()
        removed: set[Coded] = set()
        for number, rule in enumerate(rules):
            if self.limited:
                break
            # what the rules of the last step do not derive, only a new one can
            tested = rule not in self._needed or near.any_of(rule)
            if tested and derives(numbered, rule, without=number):
                needless.add(rule)
                continue
            best = self._best(rule, view)
            if best is not None:
                added.add(best)
                removed |= view.replaced(best) | {rule}
        self._unified = view.unified
        self._last, self._needed = set(rules), set(rules) - needless
        return added, removed | needless

    def _compared(self) -> tuple[set[Coded], set[Coded]]:
        """Return what comparing pairs, or rules where few are pairs, adds and makes needless."""
        few = self._few_own()
        proposed = itertools.chain(propose(self.rules), shared_contexts(self.rules) if few else ())
        added: set[Coded] = set()
        gone: set[Coded] = set()
        ranked = sorted(
            ((self._gain(found, gone | added), found) for found in proposed),
            key=lambda item: (-item[0], item[1].context),
        )
        for gain, found in ranked:
            self.tried += 1
            members = found.fillers.keys() - gone
            if few and (len(members) < _CLASS or not has_word(found.context[0])):
                continue
            if gain > 0 and self._gain(found, gone) > 0:
                added |= {found.context, *found.fillers.values()}
                gone |= found.fillers.keys()
        return added - gone, gone

    def _gain(self, found: Proposal, gone: set[Coded]) -> float:
        """Return how much shorter the description gets by a proposal."""
        members = found.fillers.keys() - gone
        made = {found.context, *(found.fillers[rule] for rule in members)} - self.rules
        if len(members) < 2 or not all(map(self._licensed, made)):
            return 0.0
        saved = sum(map(self._size, members)) - sum(map(self._size, made))
        if saved <= 0:
            return 0.0
        return saved + sum(map(self._penalty, members)) - sum(map(self._penalty, made))

    def _best(self, rule: Coded, view: _View) -> Coded | None:
        """Return the candidate that shortens the description most, by more than nothing."""
        candidates = []
        for candidate in view.candidates(rule):
            self.tried += 1
            if self._licensed(candidate):
                gone = view.replaced(candidate) | {rule}
                gain = sum(map(self._size, gone)) - self._size(candidate)
                candidates.append((-gain, candidate, gone))
        candidates.sort(key=lambda item: (item[0], _by_size(item[1])))
        best, chosen = 0.0, None
        for loss, candidate, gone in candidates:
            # penalties of what goes can only help, so the bound has them
            relief = sum(map(self._penalty, gone))
            if -loss + relief <= best:
                continue
            gain = -loss + relief - self._penalty(candidate)
            if gain > best:
                best, chosen = gain, candidate
        return chosen

    def _licensed(self, rule: Coded) -> bool:
        """Say whether brackets match, and every target word that needs a source word has it."""
        if not all(map(is_balanced, rule, self._brackets)):
            return False
        needs = self._lexicon
        return all(c not in needs or not needs[c].isdisjoint(rule[0]) for c in set(rule[1]))

    def _size(self, rule: Coded) -> float:
        return rule_size(rule, self._options)

    def _penalty(self, rule: Coded) -> float:
        sources, targets = self._matches(0, rule[0]), self._matches(1, rule[1])
        both = (sources & targets).bit_count()
        if not both:
            return math.inf
        options = self._options
        return options.target_given_source * math.log2(
            sources.bit_count() / both
        ) + options.source_given_target * math.log2(targets.bit_count() / both)

    def _matches(self, side: int, text: str) -> int:
        """Return the examples one side of which may hold what a side derives, as bits."""
        key = (side, text)
        if key not in self._matched:
            runs = side_runs(text)
            hits = np.zeros(len(self.examples), np.bool_)
            for number in self._words[side].holding(text):
                hits[number] = may_hold(self.examples[number][side], runs)
            self._matched[key] = int.from_bytes(np.packbits(hits).tobytes(), "big")
        return self._matched[key]


class _Parts:
    """Rules that may be part of a derivation of others, by their words."""

    def __init__(self, rules: Iterable[Coded]) -> None:
        self._rules = sorted(rules)
        self._targets = [_words(target) for _, target in self._rules]
        self._sources = WordIndex([source for source, _ in self._rules])

    def any_of(self, rule: Coded) -> bool:
        """Say whether any other rule has no other words than this one, on both sides."""
        written = _words(rule[1])
        return any(
            self._targets[number] <= written and self._rules[number] != rule
            for number in self._sources.within(rule[0])
        )


class _View:
    """The rules at the beginning of a step, with what is asked of them again and again.

    ``unified`` tells what makes one rule of another one, of all that were asked for; what an
    earlier view has of it is taken over.
    """

    def __init__(
        self,
        rules: list[Coded],
        options: SearchOptions,
        earlier: dict[tuple[Coded, Coded], tuple[Coded, ...]],
    ) -> None:
        self.unified: dict[tuple[Coded, Coded], tuple[Coded, ...]] = {}
        self._earlier = earlier
        self._rules = rules
        self._known = set(rules)
        self._options = options
        self._runs = [side_runs(source) for source, _ in rules]
        self._sources = WordIndex([source for source, _ in rules])
        self._replaced: dict[Coded, frozenset[Coded]] = {}

    def candidates(self, rule: Coded) -> set[Coded]:
        """Return the rules that make a rule together with another one."""
        source, target = rule
        near = ((self._rules[n], self._runs[n]) for n in self._sources.within(source))
        others = [
            o
            for o, runs in near
            if o != rule
            and all(run in source for run in runs)
            and (len(runs) > 1 or o[1] in target)
        ]
        return {c for o in others for c in self._unifiers(rule, o) if c != rule}

    def replaced(self, candidate: Coded) -> frozenset[Coded]:
        """Return the rules that a candidate makes together with another one."""
        found = self._replaced.get(candidate)
        if found is None:
            found = frozenset(
                rule
                for rule in self._relevant(candidate)
                if rule != candidate
                and any(
                    made in self._known and made != rule for made in self._unifiers(rule, candidate)
                )
            )
            self._replaced[candidate] = found
        return found

    def _unifiers(self, rule: Coded, other: Coded) -> tuple[Coded, ...]:
        asked = rule, other
        found = self.unified.get(asked, self._earlier.get(asked))
        if found is None:
            found = tuple(unifiers(rule, other, max_slots=self._options.max_slots))
        self.unified[asked] = found
        return found

    def _relevant(self, candidate: Coded) -> list[Coded]:
        source, target = map(side_runs, candidate)
        near = (self._rules[number] for number in self._sources.holding(candidate[0]))
        found = (rule for rule in near if may_hold(rule[0], source) and may_hold(rule[1], target))
        return list(itertools.islice(found, self._options.support))


def rule_size(rule: Coded, options: SearchOptions) -> float:
    """Return the weighted number of words and slots of both sides."""
    words = sum(ord(c) >= FIRST_WORD for side in rule for c in side)
    slots = len(rule[0]) + len(rule[1]) - words
    return options.word_size * words + options.slot_size * slots


def coded_rules(rules: set[Coded] | list[Coded]) -> CodedRules:
    """Number rules in the order given (sorted, if it is a set) and make them ready to match."""
    ordered = sorted(rules, key=_by_size) if isinstance(rules, set) else rules
    return CodedRules(CodedRule.of(i, *rule) for i, rule in enumerate(ordered))


def _is_pair(rule: Coded) -> bool:
    """Say whether a rule is a pair of more than one word."""
    return len(rule[0]) > 1 and not has_slot(rule[0])


def needless_rules(forests: Sequence[PairForest], candidates: Iterable[int]) -> frozenset[int]:
    """Return rules that no training pair needs: they can go together, the least used tried first.

    Parameters
    ----------
    forests : sequence of PairForest
        Of all training pairs that are derived.
    candidates : iterable of int
        Rules that may go.

    Returns
    -------
    frozenset of int
        Without them every pair keeps a derivation.
    """
    using: dict[int, list[PairForest]] = {rule: [] for rule in candidates}
    for forest in forests:
        for rule in {edge.rule for edge in forest.edges} & using.keys():
            using[rule].append(forest)
    gone: frozenset[int] = frozenset()
    for rule in sorted(using, key=lambda rule: (len(using[rule]), rule)):
        if all(derived_without(forest, gone | {rule}) for forest in using[rule]):
            gone |= {rule}
    return gone


def joined_rules(rules: list[Coded], pairs: Sequence[Coded]) -> list[Coded]:
    r"""Put rules into the slot of a rule without words where they are never seen elsewhere.

    If ``NT_1 dax`` stands nowhere but before another phrase, nothing says that it is one: with
    concatenation it is ``NT_1 dax NT_2``. All pairs keep a derivation.

    Examples
    --------
    >>> from grammar.synchronous.forest import Coder
    >>> code = Coder()
    >>> given = ("a", "A"), ("b", "B"), ("a dax b", "A B"), ("b a", "B A")
    >>> pairs = [(code.words(s.split()), code.words(t.split())) for s, t in given]
    >>> rules = [*pairs[:2], ("\x01\x02",) * 2, ("\x01" + code.words(["dax"]), "\x01")]
    >>> for rule in joined_rules(rules, pairs):
    ...     print(code.rule(*rule))
    a ### A
    b ### B
    NT_1 NT_2 ### NT_1 NT_2
    NT_1 dax NT_2 ### NT_1 NT_2
    """
    joining = [rule for rule in rules if not any(map(has_word, rule))]
    if not joining:
        return rules
    known = coded_rules(rules)
    derived = [_Derived(pair, pair_forest(known, *pair), rules) for pair in pairs]
    if any(each.forest.root < 0 for each in derived):
        return rules
    while (found := _joinable(rules, joining, derived)) is not None:
        rule, new = found
        rules = [other for other in rules if other != rule] + [new]
        derived = [each.with_joined(rule, new) if rule in each.used else each for each in derived]
    return rules


class _Derived:
    """A pair with all its derivations, whose rules are numbered in their order here."""

    def __init__(self, pair: Coded, forest: PairForest, rules: Sequence[Coded]) -> None:
        self.pair, self.forest = pair, forest
        self.used = {rules[edge.rule]: edge.rule for edge in forest.edges}

    def needs(self, rule: Coded) -> bool:
        gone = self.used.get(rule)
        return gone is not None and not derived_without(self.forest, frozenset({gone}))

    def _joined(self, rule: Coded, new: Coded) -> list[Coded]:
        # what the new rule makes, the old ones made, too: no others are in its derivations
        return [*(other for other in self.used if other != rule), new]

    def derives_joined(self, rule: Coded, new: Coded) -> bool:
        return derives(coded_rules(self._joined(rule, new)), self.pair)

    def with_joined(self, rule: Coded, new: Coded) -> _Derived:
        rules = self._joined(rule, new)
        return _Derived(self.pair, pair_forest(coded_rules(rules), *self.pair), rules)


def _joinable(
    rules: Sequence[Coded], joining: Sequence[Coded], derived: Sequence[_Derived]
) -> tuple[Coded, Coded] | None:
    """Return the first rule that can be put into another one, and what it becomes."""
    for rule in rules:
        if not (has_slot(rule[0]) and has_word(rule[0])) or has_word(rule[1]):
            continue
        needing = [each for each in derived if each.needs(rule)]
        for outer in joining:
            for slot in sorted(set(outer[0])):
                new = _joined(outer, slot, rule)
                if all(each.derives_joined(rule, new) for each in needing):
                    return rule, new
    return None


def parted_rules(rules: Iterable[Coded], words: Collection[Coded], max_slots: int) -> set[Coded]:
    r"""Put a word in place of a rule that another rule makes with it.

    A word of which pairs show few uses may be found in a rule for one of them alone. Where the
    lexicon has the word, and the same rule has a slot in its place for others, the word is shorter.

    Parameters
    ----------
    rules : iterable of (str, str)
        Coded rules.
    words : collection of (str, str)
        Words of the lexicon with their targets.
    max_slots : int
        The largest number of slots of a rule.

    Examples
    --------
    >>> from grammar.synchronous.forest import Coder
    >>> code = Coder()
    >>> the, a, cook, walk = code.words("the a cook walk".split())
    >>> rules = [("\x01" + the, the + "\x01"), (cook + the, the + cook), (walk, walk)]
    >>> for rule in sorted(parted_rules(rules, {(cook, cook)}, 4)):
    ...     print(code.rule(*rule))
    NT_1 the ### the NT_1
    cook ### cook
    walk ### walk
    """
    found = set(rules)
    open_ = {rule: _words(rule[0]) for rule in sorted(found) if has_slot(rule[0])}
    for rule in sorted(found - set(words), key=_by_size):
        source, target = map(frozenset, rule)
        if not any(w in source and v in target for w, v in words):
            continue
        view = (other for other, needed in open_.items() if needed <= source and other != rule)
        made = (c for other in view for c in unifiers(rule, other, max_slots=max_slots))
        word = next((c for c in made if c in words), None)
        if word is not None:
            found = found - {rule} | {word}
            open_.pop(rule, None)
    return found


def sentence_rules(
    rules: Iterable[Coded], pairs: Sequence[Coded], options: SearchOptions
) -> set[Coded]:
    r"""Add rules for whole sources, where several pairs are still rules and their words are known.

    The search counts against a rule what it might make as a part. ``NT_1 was NT_2`` is the
    beginning of sources with another target, too, so it is not found where few pairs show it. What
    contradicts it here is a whole source that it makes of words.

    Parameters
    ----------
    rules : iterable of (str, str)
        Coded rules, among them pairs that are rules of their own.
    pairs : sequence of (str, str)
        Training pairs.
    options : SearchOptions
        How many slots a rule may have, and what symbols count.

    Examples
    --------
    >>> from grammar.synchronous.forest import Coder
    >>> code = Coder()
    >>> def coded(*texts): return [tuple(map(code.words, map(str.split, pair))) for pair in texts]
    >>> words = coded(*((w, w.upper()) for w in ("cup", "ring", "lamp", "moved", "sold", "hit")))
    >>> own = coded(("cup was moved", "MOVED ( ? CUP )"), ("ring was sold", "SOLD ( ? RING )"),
    ...     ("lamp was hit", "HIT ( ? LAMP )"))
    >>> longer = coded(("cup was sold by ring", "SOLD ( RING CUP )"))
    >>> found = sentence_rules([*words, *own], [*own, *longer], SearchOptions())
    >>> for rule in sorted(found - {*words, *own}):
    ...     print(code.rule(*rule))
    NT_1 was NT_2 ### NT_2 ( ? NT_1 )
    """
    found = set(rules)
    words: dict[str, list[str]] = defaultdict(list)
    for source, target in sorted(found):
        if len(source) == 1 and not has_slot(source):
            words[source].append(target)
    support: dict[Coded, list[Coded]] = defaultdict(list)
    for pair in sorted(filter(_is_pair, found)):
        opened = _opened(pair, words)
        if opened is not None and 0 < len(_slots(opened)) <= options.max_slots:
            support[opened].append(pair)
    for rule, members in sorted(support.items(), key=lambda item: (-len(item[1]), item[0])):
        saved = sum(rule_size(pair, options) for pair in members) - rule_size(rule, options)
        if len(members) < _CLASS or saved <= 0:
            continue
        right, wrong = _as_whole(rule, words, pairs)
        if right >= _CLASS and not wrong:
            found.add(rule)
    return found


def _opened(pair: Coded, words: dict[str, list[str]]) -> Coded | None:
    """Return a pair with slots for its words that are rules; None if one of them stands twice."""
    source, target = pair
    slot = 0
    for word in pair[0]:
        known = [found for found in words.get(word, ()) if found in target]
        if not known:
            continue
        longest = max(known, key=len)
        if pair[0].count(word) > 1 or target.count(longest) > 1:
            return None
        slot += 1
        source, target = source.replace(word, chr(slot)), target.replace(longest, chr(slot))
    return canonical(source, target)


def _as_whole(rule: Coded, words: dict[str, list[str]], pairs: Sequence[Coded]) -> tuple[int, int]:
    """Count the pairs that have a rule's source with words in its slots: right, and wrong."""
    source, target = rule
    right = wrong = 0
    for pair in pairs:
        if len(pair[0]) != len(source):
            continue
        filled = {s: w for s, w in zip(source, pair[0], strict=True) if has_slot(s)}
        if "".join(filled.get(s, s) for s in source) != pair[0]:
            continue
        made = {target}
        for slot, word in filled.items():
            made = {text.replace(slot, known) for text in made for known in words.get(word, ())}
        right += pair[1] in made
        wrong += bool(made) and pair[1] not in made
    return right, wrong


def _slots(rule: Coded) -> set[str]:
    return set(filter(has_slot, rule[0]))


def _joined(outer: Coded, slot: str, inner: Coded) -> Coded:
    """Return a rule with another one in a slot."""
    shifted = {k: chr(ord(k) + 0x40) for k in set(inner[0]) if ord(k) < FIRST_WORD}
    source, target = ("".join(shifted.get(c, c) for c in side) for side in inner)
    joined = canonical(outer[0].replace(slot, source), outer[1].replace(slot, target))
    if joined is None:
        raise ValueError("both rules must have the same slots on both sides")
    return joined


def derived_without(forest: PairForest, gone: frozenset[int]) -> bool:
    """Say whether a pair keeps a derivation without some rules."""
    made: set[int] = set()
    for edge in forest.edges:
        if edge.rule not in gone and made.issuperset(edge.children):
            made.add(edge.node)
    return forest.root in made


def _by_size(rule: Coded) -> tuple[int, int, Coded]:
    return (len(rule[0]), len(rule[1]), rule)


def _words(source: str) -> frozenset[str]:
    return frozenset(c for c in source if ord(c) >= FIRST_WORD)

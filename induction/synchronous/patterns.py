"""Patterns of word classes: rules whose slots touch, told apart by the words that fill them.

Where ``dogga catwo see`` has the target ``SEE DOG CAT``, and so has ``catwo dogga see``, no word
says which noun does what: the forms of the nouns do. Rules of one type contradict each other there,
``NT_1 NT_2 NT_3 ### NT_3 NT_1 NT_2`` and ``NT_1 NT_2 NT_3 ### NT_3 NT_2 NT_1``. As patterns of
classes they do not: ``K_1 O_2 V_3 ### V_3 K_1 O_2`` and ``O_1 K_2 V_3 ### V_3 K_2 O_1``.

Words are linked by IBM model 1 (see :mod:`induction.synchronous.lexicon`). A pair without its
linked words is a pattern. Slots that share a word have the same class, so classes and patterns are
found together. A word with several targets is a member of several classes, or it stays in the
pattern, and decides how other words are written (*der* or *die*). Patterns do not recur.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grammar.chart.parses import NoParse
from grammar.synchronous.forest import CodedRule, CodedRules, pair_forest
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.parsing import SynchronousParser
from grammar.synchronous.rule import SynchronousRule
from induction.synchronous.choice import grammar_description
from induction.synchronous.lexicon import linked_words
from induction.synchronous.pairs import TrainingPairs
from induction.synchronous.search import SearchOptions, needless_rules
from induction.synchronous.types import CHANCE
from induction.synchronous.unification import Coded, arity, canonical, has_slot, has_word

__all__ = ["START", "ClassRule", "Patterns", "find_patterns", "shortest_patterns"]

START = "ROOT"
"""The left-hand side of patterns."""
_ALONE: Coded = ("\x01", "\x01")
"""The pattern of a word that is a pair of its own: it says nothing of its class."""
_OTHER_CLASS = 1e-3
"""Counted for a word in a class in which it was not seen, for parsing."""
_FEWEST = 2
"""Pairs that a pattern must make."""
_ASKED = 200
"""Training pairs that are parsed, at most, evenly chosen."""

_MOST_LINKS = 200_000
"""Pairs of words that might be linked: of more, no patterns are looked for."""


@dataclass(frozen=True, slots=True)
class ClassRule:
    """A coded rule, the classes of itself and of its slots, and how many pairs it helps to make."""

    rule: Coded
    lhs: str
    classes: tuple[str, ...]
    count: int


@dataclass(frozen=True, eq=False)
class Patterns:
    """Patterns, the words of each class, and pairs that are rules of their own.

    Attributes
    ----------
    rules : tuple of ClassRule
        Patterns and pairs have the left-hand side ROOT, words have their class.
    training : TrainingPairs
        What they were found from.
    """

    rules: tuple[ClassRule, ...]
    training: TrainingPairs

    @property
    def words(self) -> dict[str, list[Coded]]:
        """The words of each class, with their targets."""
        found: dict[str, list[Coded]] = defaultdict(list)
        for each in self.rules:
            if each.lhs != START:
                found[each.lhs].append(each.rule)
        return dict(found)

    @property
    def classes(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """The words of each class with two or more, as texts."""
        say = self.training.words
        return tuple(
            tuple((say(w), say(v)) for w, v in words)
            for words in self.words.values()
            if len(words) > 1
        )

    @property
    def alone(self) -> frozenset[Coded]:
        """The pairs that are rules of their own."""
        return frozenset(each.rule for each in self.rules if each.lhs == START and not each.classes)

    @property
    def nested(self) -> bool:
        """Whether a pattern is another one with more in its slots."""
        found = {each.rule for each in self.rules if each.classes}
        return any(
            all(re.search(f"^{_wider(a)}$", b) for a, b in zip(inner, outer, strict=True))
            for inner, outer in itertools.permutations(found, 2)
            if len(inner[0]) < len(outer[0])
        )

    @property
    def coded(self) -> CodedRules:
        """The rules ready to match; their start symbol is ROOT."""
        return CodedRules(
            CodedRule.of(number, *each.rule, each.lhs, each.classes)
            for number, each in enumerate(self.rules)
        )

    def grammar(self) -> SynchronousGrammar:
        """Return the grammar for sampling, with weights by counts."""
        return SynchronousGrammar.from_rules(self._counted(), start=START, normalise=True)

    def parsing_grammar(self) -> SynchronousGrammar:
        """Return the grammar in which any word is possible, but improbable, in any class."""
        words = self.words
        every = sorted(set(itertools.chain.from_iterable(words.values())))
        unseen = [
            (self._typed(ClassRule(word, name, (), 0)), _OTHER_CLASS, 0)
            for name, word in itertools.product(words, every)
            if word not in words[name]
        ]
        return SynchronousGrammar.from_rules(
            [*self._counted(), *unseen], start=START, normalise=True
        )

    def _counted(self) -> list[tuple[SynchronousRule, float, int]]:
        return [(self._typed(each), float(each.count), each.count) for each in self.rules]

    def whole(self) -> Patterns:
        """Return them without patterns that no pair needs, and with pairs that they do not make."""
        coded = self.coded
        every = {pair: pair_forest(coded, *pair, start=START) for pair in self.training.pairs}
        made = [forest for forest in every.values() if forest.root >= 0]
        numbers = [number for number, each in enumerate(self.rules) if each.lhs == START]
        gone = needless_rules(made, numbers)
        rest = [pair for pair, forest in every.items() if forest.root < 0]
        kept = (each for number, each in enumerate(self.rules) if number not in gone)
        return replace(self, rules=(*kept, *(ClassRule(pair, START, (), 1) for pair in rest)))

    def _typed(self, each: ClassRule) -> SynchronousRule:
        return self.training.coder.rule(*each.rule).retyped(each.lhs, each.classes)


def shortest_patterns(
    training: TrainingPairs,
    other: SynchronousGrammar,
    options: SearchOptions,
    *,
    nested: bool,
    say: Callable[[str], Any],
) -> Patterns | None:
    """Return the patterns with the shortest description; None if that of another grammar is.

    Patterns of which none is nested in another must be shorter without the bits of pairs, too.

    Parameters
    ----------
    training : TrainingPairs
        What is described.
    other : SynchronousGrammar
        With its own types and weights.
    options : SearchOptions
        What symbols count, and how many slots a pattern may have.
    nested : bool
        Whether a pattern may be another one with more in its slots, as where rules recur: where
        the other grammar says too little.
    say : callable
        Told if there are too many words to look for patterns.
    """
    links = sum(len(source) * len(target) for source, target in training.pairs)
    if links > _MOST_LINKS:
        say(
            f"no patterns of word classes: {links:,} pairs of words might be linked, "
            f"and {_MOST_LINKS:,} is the limit"
        )
        return None
    described = grammar_description(other, training, options)
    chosen, whole = None, described.whole
    for found in find_patterns(training, max_slots=options.max_slots, nested=nested):
        size = grammar_description(found.grammar(), training, options)
        if (nested or size.rules < described.rules) and size.whole < whole:
            chosen, whole = found, size.whole
    return chosen


def find_patterns(
    training: TrainingPairs, *, max_slots: int, nested: bool = True
) -> Iterator[Patterns]:
    """Yield patterns that give the training pairs their targets.

    Words with several targets are members of classes first, and then stay in the patterns.

    Parameters
    ----------
    training : TrainingPairs
        Checked and coded.
    max_slots : int
        The largest number of slots of a pattern.
    nested : bool
        Whether a pattern may be another one with more in its slots, as where rules recur.
    """
    links = list(linked_words(training.pairs))
    meanings: dict[str, set[str]] = defaultdict(set)
    for w, v in itertools.chain.from_iterable(links):
        meanings[w].add(v)
    several = frozenset(w for w, found in meanings.items() if len(found) > 1)
    for kept in dict.fromkeys([frozenset[str](), several]):
        found = _patterns(training, links, kept, max_slots)
        if found is not None and (nested or not found.nested) and _agrees(found):
            yield found


def _patterns(
    training: TrainingPairs, links: Sequence[set[Coded]], kept: Collection[str], max_slots: int
) -> Patterns | None:
    """Return the patterns of pairs, with some words kept in them; None if there are none."""
    free = [{(w, v) for w, v in linked if w not in kept} for linked in links]
    read = _read(training.pairs, free, max_slots)
    # a word of which there is no other in its place is no class
    lonely = {min(found.words) for found in _classes(read) if len(found.words) == 1} - {
        words[0] for pattern, words in read if pattern == _ALONE
    }
    read = _read(training.pairs, [linked - lonely for linked in free], max_slots)
    if not read:
        return None
    classes = _classes(read)
    name = {place: f"C{k}" for k, found in enumerate(classes, 1) for place in found.places}
    rules: Counter[tuple[Coded, str, tuple[str, ...]]] = Counter()
    for pattern, words in read:
        names = [name[_place(pattern, slot, word)] for slot, word in enumerate(words)]
        rules[pattern, START, tuple(names)] += 1
        rules.update((word, of, ()) for of, word in zip(names, words, strict=True))
    return Patterns(tuple(ClassRule(*key, n) for key, n in sorted(rules.items())), training).whole()


_Read = tuple[Coded, list[Coded]]
"""A pattern, and the words in its slots."""


def _read(pairs: Sequence[Coded], links: Sequence[set[Coded]], max_slots: int) -> list[_Read]:
    """Return the patterns of pairs with their words, if several pairs have the pattern."""
    every = (_pattern(pair, linked) for pair, linked in zip(pairs, links, strict=True))
    found = [each for each in every if each and 0 < arity(each[0][0]) <= max_slots]
    support = Counter(pattern for pattern, _ in found)
    common = [pattern for pattern, n in support.most_common() if n >= _FEWEST]
    wider = {pattern: _wider_pattern(pattern, common) for pattern in common}
    return [_filled(read, wider[read[0]]) for read in found if read[0] in wider]


def _filled(read: _Read, wider: tuple[Coded, int, Coded] | None) -> _Read:
    """Return a pair read as a wider pattern, with a word more."""
    if wider is None:
        return read
    pattern, place, word = wider
    return pattern, [*read[1][:place], word, *read[1][place:]]


def _wider_pattern(pattern: Coded, others: Iterable[Coded]) -> tuple[Coded, int, Coded] | None:
    """Return the first of other patterns that makes a pattern with a word in a slot, and these.

    A word of few pairs may be linked to several others, and so stay in a pattern of its own.
    """
    source, target = pattern
    for other in others:
        if len(other[0]) != len(source) or arity(other[0]) != 1 + arity(source):
            continue
        for place, slot in enumerate(filter(has_slot, other[0])):
            word = source[other[0].index(slot)]
            for meaning in sorted(set(filter(has_word, target))) if has_word(word) else ():
                made = other[0].replace(slot, word), other[1].replace(slot, meaning)
                if canonical(*made) == pattern:
                    return other, place, (word, meaning)
    return None


def _pattern(pair: Coded, linked: Collection[Coded]) -> _Read | None:
    """Return a pair with slots for its linked words, and these; None if it has one of them twice.

    Words that are linked to several others stay where they are, like words without a link.
    """
    source, target = pair
    words = sorted(linked, key=lambda link: (source.index(link[0]), link[1]))
    sources, targets = Counter(w for w, _ in words), Counter(v for _, v in words)
    if any(1 < n <= target.count(v) for v, n in targets.items()):
        return None
    words = [(w, v) for w, v in words if sources[w] == targets[v] == 1]
    if any(source.count(w) > 1 for w, _ in words):
        return None
    for slot, (w, v) in enumerate(words, start=1):
        source, target = source.replace(w, chr(slot)), target.replace(v, chr(slot))
    return (source, target), words


_Place = tuple[Coded, int]
"""A pattern, and a slot of it; or a word that is a pair of its own."""


@dataclass(eq=False, slots=True)
class _Class:
    """Places that hold the same words, and how often each word was seen in them."""

    places: list[_Place]
    words: Counter[Coded]

    def lacks(self, other: _Class) -> bool:
        """Say whether words of another one are missing in this one, and chance does not explain it.

        One word says nothing: a pattern holds it where others were linked wrongly.
        """
        if len(self.words) == 1:
            return False
        missing = sum(n for word, n in other.words.items() if word not in self.words)
        here = self.words.total()
        return (1.0 - missing / (here + other.words.total())) ** here <= CHANCE

    def add(self, other: _Class) -> None:
        """Take the places and words of another one."""
        self.places += other.places
        self.words = self.words + other.words


def _classes(read: Sequence[_Read]) -> list[_Class]:
    """Return classes of places: those that share words, where chance explains what they lack.

    What is seen most comes first, so that a place with few words joins the class that it fits.
    """
    found: dict[_Place, Counter[Coded]] = defaultdict(Counter)
    for pattern, words in read:
        for slot, word in enumerate(words):
            found[_place(pattern, slot, word)][word] += 1
    of_word: dict[Coded, list[_Class]] = defaultdict(list)
    for place, seen in sorted(found.items(), key=lambda item: (-item[1].total(), item[0])):
        made = _Class([place], seen)
        sharing = dict.fromkeys(each for word in sorted(seen) for each in of_word[word])
        for each in sorted(sharing, key=lambda each: -(seen & each.words).total()):
            if not (each.lacks(made) or made.lacks(each)):
                made.add(each)
                for word in each.words:
                    of_word[word].remove(each)
        for word in made.words:
            of_word[word].append(made)
    classes = dict.fromkeys(each for sharing in of_word.values() for each in sharing)
    return sorted(classes, key=lambda each: sorted(each.words))


def _place(pattern: Coded, slot: int, word: Coded) -> _Place:
    return (word, 0) if pattern == _ALONE else (pattern, slot)


def _wider(side: str) -> str:
    r"""Return a regular expression for what a side of a pattern makes, with any phrases in slots.

    It is for whole texts. The earliest place of words between slots is as good as any, so nothing
    is tried twice.

    >>> _wider("\x01\x02ā\x01ē\x02")
    '(?>.{2,}?ā)(?>.{1,}?ē).{1,}'
    """
    first, *rest = re.split("([\x01-\xff]+)", side)
    found = [
        f".{{{len(slots)},}}?{re.escape(run)}"
        for slots, run in zip(rest[::2], rest[1::2], strict=True)
    ]
    inner = [f"(?>{each})" for each in found[:-1]]
    last = found[-1].replace("}?", "}", 1) if found else ""
    return "".join([re.escape(first), *inner, last])


def _agrees(patterns: Patterns) -> bool:
    """Say whether training pairs, evenly chosen, have the target that is the most probable one."""
    training = patterns.training
    parser = SynchronousParser(patterns.parsing_grammar())
    for source, target in training.pairs[:: 1 + len(training) // _ASKED]:
        best = parser.translations(training.words(source).split())
        if isinstance(best, NoParse) or " ".join(best[0].target) != training.words(target):
            return False
    return True

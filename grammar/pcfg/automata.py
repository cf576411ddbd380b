"""Finite automata over words: patterns, and constraints such as "contains" and "at most 20 words".

An :class:`Automaton` is deterministic and complete, and always the smallest one of its language,
with states numbered in one canonical way, so two automata are equal exactly if they accept the
same sentences. Words that it does not name are all alike to it.

Patterns are regular expressions whose letters are words::

    the (big | old)* dog          words side by side; alternatives; repetition: * + ?
    .* 'Mr.' . barked             . is any one word; quote what the syntax would take for itself

A word that is not quoted has none of the characters ``. | * + ? ( ) " \\`` and no white space.

>>> from grammar import automata
>>> both = automata.contains("dog") & ~automata.contains("cat")
>>> both.accepts(["the", "dog"]), both.accepts(["dog", "and", "cat"])
(True, False)
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grammar.arrays import BoolArray, LongArray
from grammar.errors import NotationError, OptionError

__all__ = ["Automaton", "avoids", "contains", "length_band", "pattern", "prefix"]

MOST_STATES = 2000
"""Larger automata are refused, with a message; a grammar times such a one would be huge."""


@dataclass(frozen=True, eq=False)
class Automaton:
    """A set of sentences that a finite automaton accepts; make one with the functions here.

    Attributes
    ----------
    words : tuple of str
        The words that it tells apart, sorted.
    steps : int64 array, shape (states, words + 1)
        Next state by state and word; the last column is for every other word.
    accepting : bool array, shape (states,)
        Which states end a sentence of the language. State 0 is the first.

    Examples
    --------
    >>> polite = contains("please") & ~prefix(["please"])
    >>> polite.accepts(["come", "please"]), polite.accepts(["please", "come"])
    (True, False)
    >>> polite == pattern("please? .*") & polite
    True
    """

    words: tuple[str, ...]
    steps: LongArray
    accepting: BoolArray

    @classmethod
    def build(
        cls,
        words: Iterable[str],
        first: Any,
        step: Callable[[Any, str | None], Any],
        accepts: Callable[[Any], bool],
    ) -> Automaton:
        """Explore states from the first one on, and return the smallest automaton.

        Parameters
        ----------
        words : iterable of str
            The words that ``step`` tells apart.
        first : hashable
            The first state.
        step : function of (state, word)
            The next state; the word None stands for every other word.
        accepts : function of state

        Raises
        ------
        OptionError
            If there are more than :data:`MOST_STATES` states.
        """
        letters: list[str | None] = [*sorted(set(words)), None]
        number = {first: 0}
        rows: list[list[int]] = []
        waiting = [first]
        for state in waiting:
            rows.append([])
            for letter in letters:
                following = step(state, letter)
                if following not in number:
                    number[following] = len(number)
                    waiting.append(following)
                rows[-1].append(number[following])
            if len(number) > MOST_STATES:
                raise OptionError(
                    f"the automaton has more than {MOST_STATES} states",
                    hint="ask for something simpler, or for one thing after the other",
                )
        accepting = np.array([accepts(state) for state in waiting], np.bool_)
        return _smallest(tuple(letters[:-1]), np.array(rows, np.int64), accepting)  # type: ignore[arg-type]

    def step(self, state: int, word: str) -> int:
        """Return the state after a word."""
        column = self._columns.get(word, len(self.words))
        return int(self.steps[state, column])

    def accepts(self, sentence: Iterable[str]) -> bool:
        """Return whether a sentence, a sequence of words, is in the language."""
        state = 0
        for word in sentence:
            state = self.step(state, word)
        return bool(self.accepting[state])

    @property
    def is_empty(self) -> bool:
        """Whether no sentence is accepted."""
        return not self.accepting.any()

    @property
    def alive(self) -> BoolArray:
        """Boolean array, shape (states,): from which states a sentence can still be accepted."""
        alive = self.accepting
        while True:
            now = alive | alive[self.steps].any(axis=1)
            if (now == alive).all():
                return now
            alive = now

    def __invert__(self) -> Automaton:
        """Return the automaton of all other sentences."""
        return Automaton(self.words, self.steps, ~self.accepting)

    def __and__(self, other: Automaton) -> Automaton:
        """Return the automaton of the sentences that both accept."""
        return self._product(other, lambda a, b: a and b)

    def __or__(self, other: Automaton) -> Automaton:
        """Return the automaton of the sentences that either accepts."""
        return self._product(other, lambda a, b: a or b)

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Automaton):
            return NotImplemented
        return (
            self.words == other.words
            and np.array_equal(self.steps, other.steps)
            and np.array_equal(self.accepting, other.accepting)
        )

    def __hash__(self) -> int:
        return hash((self.words, self.steps.tobytes(), self.accepting.tobytes()))

    def __repr__(self) -> str:
        return f"Automaton({len(self)} states, {len(self.words)} words)"

    @functools.cached_property
    def _columns(self) -> dict[str, int]:
        return {word: column for column, word in enumerate(self.words)}

    def _next(self, state: int, word: str | None) -> int:
        return int(self.steps[state, -1]) if word is None else self.step(state, word)

    def _product(self, other: Automaton, combine: Callable[[bool, bool], bool]) -> Automaton:
        return Automaton.build(
            (*self.words, *other.words),
            (0, 0),
            lambda pair, word: (self._next(pair[0], word), other._next(pair[1], word)),
            lambda pair: combine(bool(self.accepting[pair[0]]), bool(other.accepting[pair[1]])),
        )


def contains(*words: str) -> Automaton:
    """Return the automaton of sentences that contain these words, side by side.

    >>> contains("New", "York").accepts("I love New York".split())
    True
    """
    if not words:
        raise OptionError("contains needs a word", hint='for example contains("dog")')

    def step(found: int, word: str | None) -> int:
        # the longest beginning of the phrase that the sentence so far ends with
        if found == len(words):
            return found
        seen = (*words[:found], word)
        return next(n for n in range(len(seen), -1, -1) if seen[len(seen) - n :] == words[:n])

    return Automaton.build(words, 0, step, lambda found: found == len(words))


def avoids(*words: str) -> Automaton:
    """Return the automaton of sentences that do not contain these words, side by side.

    >>> avoids("dog").accepts(["a", "dog"])
    False
    """
    return ~contains(*words)


def prefix(words: Sequence[str]) -> Automaton:
    """Return the automaton of sentences that begin with these words.

    >>> prefix(["a", "big"]).accepts(["a", "big", "dog"])
    True

    Raises
    ------
    OptionError
        If a text is given instead of a sequence of words.
    """
    if isinstance(words, str):
        raise OptionError("prefix needs a sequence of words", hint=f"{words.split()!r}")

    def step(found: int, word: str | None) -> int:
        if found in (-1, len(words)):
            return found
        return found + 1 if words[found] == word else -1

    return Automaton.build(words, 0, step, lambda found: found == len(words))


def length_band(shortest: int, longest: int | None = None) -> Automaton:
    """Return the automaton of sentences of ``shortest`` to ``longest`` words (None: no limit).

    For this alone :class:`grammar.sampling_kernels.lengths.LengthSampler` is much faster; here it
    can be
    combined.

    >>> length_band(2, 3).accepts(["so", "be", "it"]), length_band(2).accepts(["so"])
    (True, False)

    Raises
    ------
    OptionError
        If the band is not 0 <= shortest <= longest.
    """
    if shortest < 0 or (longest is not None and longest < shortest):
        raise OptionError(
            f"the length band {shortest}:{longest} is not a band",
            hint="give 0 <= shortest <= longest, for example 5:20",
        )
    last = shortest if longest is None else longest + 1
    return Automaton.build(
        (),
        0,
        lambda length, _: min(length + 1, last),
        lambda length: shortest <= length and (longest is None or length <= longest),
    )


def pattern(text: str) -> Automaton:
    """Return the automaton of a regular pattern over words (see the module for its syntax).

    Raises
    ------
    NotationError
        If the pattern does not follow the syntax.

    Examples
    --------
    >>> dogs = pattern("the (big | old)* dog .*")
    >>> dogs.accepts("the big old dog slept".split()), dogs.accepts(["the", "cat"])
    (True, False)
    >>> pattern("(a b?)* | b") == pattern("b | (a | a b)*")
    True
    """
    import lark

    try:
        tree = _reader().parse(text)
    except lark.exceptions.UnexpectedInput as error:
        raise _pattern_error(error, text) from None
    graph = _Nondeterministic()
    try:
        first, last = graph.add(tree)
    except RecursionError:
        raise NotationError(
            "the pattern has too many brackets in brackets",
            where="pattern",
            hint="write it flatter, or join smaller ones with & and |",
        ) from None
    return Automaton.build(
        graph.words,
        graph.closed({first}),
        graph.step,
        lambda states: last in states,
    )


_SYNTAX = r"""
?start: choice
?choice: sequence ("|" sequence)*
sequence: repeated*
?repeated: atom
         | repeated "*" -> star
         | repeated "+" -> plus
         | repeated "?" -> maybe
?atom: WORD -> word
     | QUOTED -> quoted
     | ANY -> any
     | "(" choice ")"

WORD: /[^\s.|*+?()'"\\][^\s.|*+?()"\\]*/
QUOTED: /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/
ANY: /(?<![^\s.|*+?()])\.(?![^\s.|*+?()])/
%ignore /\s+/
"""


@functools.cache
def _reader() -> Any:
    import lark

    return lark.Lark(_SYNTAX, parser="lalr")


class _Nondeterministic:
    """States joined by words (None: any word) or by nothing, as Thompson (1968) builds them."""

    def __init__(self) -> None:
        self.words: set[str] = set()
        self._free: list[list[int]] = []
        self._arcs: list[list[tuple[str | None, int]]] = []

    def add(self, node: Any) -> tuple[int, int]:
        """Add the states of a part of a pattern; return its first and its last one."""
        first, last = self._state(), self._state()
        if node.data == "sequence":
            at = first
            for child in node.children:
                begin, end = self.add(child)
                self._free[at].append(begin)
                at = end
            self._free[at].append(last)
        elif node.data == "choice":
            for child in node.children:
                self._join(first, self.add(child), last)
        elif node.data in ("star", "plus", "maybe"):
            begin, end = self.add(node.children[0])
            self._join(first, (begin, end), last)
            if node.data != "maybe":
                self._free[end].append(begin)
            if node.data != "plus":
                self._free[first].append(last)
        else:
            word = _word(node)
            self.words |= {word} - {None}  # type: ignore[arg-type]
            self._arcs[first].append((word, last))
        return first, last

    def closed(self, states: Iterable[int]) -> frozenset[int]:
        """Return the states and all that they reach without a word."""
        found, waiting = set(states), list(states)
        while waiting:
            fresh = set(self._free[waiting.pop()]) - found
            found |= fresh
            waiting += fresh
        return frozenset(found)

    def step(self, states: frozenset[int], word: str | None) -> frozenset[int]:
        """Return the states after a word; None is a word that the pattern does not name."""
        return self.closed(set(self._after(states, word)))

    def _after(self, states: frozenset[int], word: str | None) -> Iterator[int]:
        for state in states:
            for name, following in self._arcs[state]:
                if name is None or name == word:
                    yield following

    def _state(self) -> int:
        self._free.append([])
        self._arcs.append([])
        return len(self._free) - 1

    def _join(self, first: int, part: tuple[int, int], last: int) -> None:
        self._free[first].append(part[0])
        self._free[part[1]].append(last)


def _word(node: Any) -> str | None:
    if node.data == "any":
        return None
    text = str(node.children[0])
    if node.data == "word":
        return text
    return text[1:-1].replace("\\\\", "\0").replace("\\", "").replace("\0", "\\")


def _smallest(words: tuple[str, ...], steps: LongArray, accepting: BoolArray) -> Automaton:
    """Merge states that nothing tells apart (Moore 1956), forget words that are like all others."""
    group = np.unique(accepting, return_inverse=True)[1]
    while True:
        rows = np.column_stack((group, group[steps]))
        finer = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
        if finer.max() == group.max():
            break
        group = finer
    # one state of each group stands for it; columns equal to that of other words go
    member = np.unique(group, return_index=True)[1]
    merged = group[steps[member]]
    differs = [column for column in range(len(words)) if (merged[:, column] != merged[:, -1]).any()]
    merged = merged[:, [*differs, len(words)]]
    order = _breadth_first(merged, int(group[0]))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    kept = tuple(words[column] for column in differs)
    return Automaton(kept, place[merged[order]], accepting[member][order])


def _breadth_first(steps: LongArray, first: int) -> LongArray:
    order = [first]
    seen = {first}
    for state in order:
        for following in steps[state].tolist():
            if following not in seen:
                seen.add(following)
                order.append(following)
    return np.array(order, np.int64)


def _pattern_error(error: Any, text: str) -> NotationError:
    at_end = getattr(getattr(error, "token", None), "type", "") == "$END"
    place = len(text) if at_end else error.pos_in_stream
    shown = re.sub(r"\s", " ", text)
    return NotationError(
        f"this is not a pattern\n    {shown}\n    {' ' * place}^",
        where=f"pattern, character {place + 1}",
        hint="words, . for any word, | * + ? and ( ); quote other words, such as 'Mr.' or '?'",
    )

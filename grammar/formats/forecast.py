"""What a consumer will have to do for a grammar: the items that a row of its parser holds.

llguidance reads a grammar with Earley's algorithm, and stops at a row of more than 2,000 items. A
grammar that it loads without a word may therefore refuse its own sentences. Here the same rows are
counted for sampled sentences, before one tries.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from grammar.errors import OptionError
from grammar.formats.layout import Item, Layout, lay_out
from grammar.formats.writing import LLGUIDANCE
from grammar.options import whole_number
from grammar.pcfg.grammar import Grammar
from grammar.rng import stream_key
from grammar.sampling_kernels.lengths import LengthSampler
from grammar.trees.surfaces import surface_of

__all__ = ["ITEM_LIMITS", "CostForecast", "forecast_cost"]

ITEM_LIMITS = {"llguidance": 2_000}
"""The most items of a row, by consumer, unless it is told otherwise."""
_LONGEST = 40
_BEYOND = 10
"""Rows are counted up to so many times the limit."""

_State = tuple[str, int, int, int]
"""An item: the rule, its alternative, how many parts are read, and where it began."""


@dataclass(frozen=True)
class CostForecast:
    """The rows of a consumer's parser for sampled sentences.

    Attributes
    ----------
    consumer : str
        The tool.
    rules : int
        Alternatives of all rules that are written for it.
    limit : int
        The most items that it allows in a row.
    items : tuple of int
        The largest row of each sentence, counted up to ten times the limit.
    """

    consumer: str
    rules: int
    limit: int
    items: tuple[int, ...]

    @property
    def fits(self) -> bool:
        """Whether no row is above the limit."""
        return max(self.items) <= self.limit

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as values that JSON can hold."""
        return {**asdict(self), "items": list(self.items), "fits": self.fits}

    def lines(self) -> dict[str, str]:
        """Return all findings as text for people."""
        ordered = sorted(self.items)
        within = sum(items <= self.limit for items in ordered)
        largest = f"{ordered[-1]:,}" if ordered[-1] < _BEYOND * self.limit else "more"
        return {
            "consumer": self.consumer,
            "rules written": f"{self.rules:,}",
            "items of a row": f"median {ordered[len(ordered) // 2]:,}, largest {largest}; "
            f"{self.consumer} allows {self.limit:,}",
            "fits": f"yes, all {len(ordered)} sampled sentences" if self.fits
            else f"no: {within} of {len(ordered)} sampled sentences; raise its limit, or induce "
            "the grammar from fewer rules",
        }  # fmt: skip

    def __repr__(self) -> str:
        lines = self.lines()
        width = max(map(len, lines))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in lines.items())


def forecast_cost(
    grammar: Grammar,
    consumer: str = "llguidance",
    *,
    spacing: str = "words",
    n: int = 20,
    seed: int = 0,
) -> CostForecast:
    """Forecast what a consumer's parser holds at a time when it reads sentences of a grammar.

    Parameters
    ----------
    grammar : Grammar
        As it is given to :func:`~grammar.write_notation`.
    consumer : {"llguidance"}
        The tool.
    spacing : {"words", "tokens", "characters"}
        What stands between words.
    n, seed : int
        How many sentences of 1 to 40 words are sampled, of all lengths, and with which seed.

    Returns
    -------
    CostForecast
        It prints as a page for people.

    Raises
    ------
    OptionError
        If no limit of the consumer is known, or an option is out of range.
    LengthBandError
        If no sentence has 1 to 40 words.
    WeightError
        If no derivation from the start symbol ends.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]")
    >>> forecast_cost(grammar)
    consumer        llguidance
    rules written   2
    items of a row  median 23, largest 40; llguidance allows 2,000
    fits            yes, all 20 sampled sentences

    Notes
    -----
    The time is linear in the items, at most 20,000 a row. llguidance joins choices of characters
    into one expression, so with ``spacing="characters"`` it may hold fewer.

    References
    ----------
    J. Earley (1970), An efficient context-free parsing algorithm.
    """
    if consumer not in ITEM_LIMITS:
        raise OptionError(
            f"no limit of {consumer!r} is known", hint=f"choose from {', '.join(ITEM_LIMITS)}"
        )
    whole_number("n", n, 1)
    rows = _Rows(lay_out(grammar, LLGUIDANCE, spacing), _BEYOND * ITEM_LIMITS[consumer])
    sampler = LengthSampler(grammar, 1, _LONGEST, flat=True)
    drawn = sampler.draw(stream_key(seed, "forecast"), 0, n)
    items = []
    for begin, end in itertools.pairwise(drawn.word_offsets.tolist()):
        words = [grammar.rules.words[word] for word in drawn.words[begin:end]]
        items.append(rows.largest(_lexemes(words, spacing)))
    written = sum(map(len, rows.rules.values()))
    return CostForecast(consumer, written, ITEM_LIMITS[consumer], tuple(items))


def _lexemes(words: list[str], spacing: str) -> Iterator[Item]:
    """Yield what a lexer divides a sentence into."""
    if spacing == "characters":
        return (Item("text", sign) for word in words for sign in word)
    text = map(surface_of, words)
    if spacing == "tokens":
        return (Item("text", word) for word in text)
    parts = " ".join(text).split(" ")
    row = itertools.chain.from_iterable((Item("space"), Item("text", part)) for part in parts)
    return itertools.islice(row, 1, None)


class _Rows:
    """Earley's rows over a layout."""

    def __init__(self, layout: Layout, most: int) -> None:
        self._start, self._most = layout.start, most
        self.rules = {
            name: [one.items for one in alternatives] for name, alternatives in layout.rules.items()
        }
        self._read: dict[str, list[Item]] = defaultdict(list)
        for name, texts in layout.terminals.items():
            for text in texts:
                self._read[text].append(Item("terminal", name))

    def largest(self, lexemes: Iterable[Item]) -> int:
        """Return how many items the largest row of a sentence has."""
        self._waiting: list[dict[Item, list[_State]]] = []
        largest = self._fill([(self._start, r, 0, 0) for r in range(len(self.rules[self._start]))])
        for lexeme in lexemes:
            waiting = self._waiting[-1]
            read = [lexeme, *(self._read.get(lexeme.text, ()) if lexeme.kind == "text" else ())]
            moved = {(*s[:2], s[2] + 1, s[3]): None for one in read for s in waiting.get(one, ())}
            largest = max(largest, self._fill(list(moved)))
            if largest >= self._most:
                break
        return min(largest, self._most)

    def _fill(self, queue: list[_State]) -> int:
        """Predict and complete all items of a row; return how many there are."""
        here, items = len(self._waiting), set(queue)
        waiting: dict[Item, list[_State]] = defaultdict(list)
        self._waiting.append(waiting)
        empty: set[str] = set()
        while queue and len(items) < self._most:
            name, row, place, origin = state = queue.pop()
            right = self.rules[name][row]
            made: list[_State] = []
            if place == len(right):
                if origin == here:
                    empty.add(name)
                made = [_moved(s) for s in self._waiting[origin].get(Item("rule", name), ())]
            else:
                behind = right[place]
                if behind.kind == "rule" and behind not in waiting:
                    made = [(behind.text, r, 0, here) for r in range(len(self.rules[behind.text]))]
                waiting[behind].append(state)
                if behind.kind == "rule" and behind.text in empty:
                    made.append(_moved(state))
            for one in made:
                if one not in items:
                    items.add(one)
                    queue.append(one)
        return len(items)


def _moved(state: _State) -> _State:
    name, row, place, origin = state
    return name, row, place + 1, origin

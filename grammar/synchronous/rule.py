"""One synchronous rule: a source side and a target side that share their nonterminals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import networkx as nx

from grammar.errors import NotationError, SynchronousRuleError, located
from grammar.rules.rules import protect, unprotect

__all__ = [
    "NT",
    "Slot",
    "SynchronousRule",
    "WeightedLine",
    "chain_cycle",
    "format_rule",
    "parse_line",
]

NT = "NT"
"""The type of a nonterminal that has no other."""

_TYPE = re.compile(r"[^\W\d]\w*")
_PIECE = re.compile(
    r"\s*(?:(?P<quoted>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?!\S)"
    r"|(?P<weight>\[[^\]\s]*\])(?=\s*$)|(?P<plain>[^\s'\"]\S*))"
)
_DIGITS = 3
_SLOT = re.compile(r"([^\W\d]\w*)_([1-9]\d*)")
_WEIGHT = re.compile(r"\[((?:\d++(?:\.\d++)?|\.\d++)(?:[eE][+-]?\d++)?|\d++\.)(?:/(\d++))?\]")
_FORM = "write rules as  V -> NT_1 twice ### NT_1 NT_1 [0.5] ; quote words that look like signs"


class Slot(NamedTuple):
    """A linked nonterminal: its number within the rule (from 1) and its type.

    >>> print(Slot(1, "NT"))
    NT_1
    """

    number: int
    symbol: str

    def __str__(self) -> str:
        return f"{self.symbol}_{self.number}"


@dataclass(frozen=True, slots=True)
class SynchronousRule:
    """A rule that writes a source and a target at the same time.

    Every slot stands once in the source. The target has the same slots, each at least once; one
    that stands there again is copied. Slots are renumbered 1, 2, ... in the order of the source.

    Parameters
    ----------
    source, target : tuple of str or Slot
        Words and slots; neither side is empty.
    lhs : str
        The type of nonterminal that the rule rewrites.

    Raises
    ------
    SynchronousRuleError
        If a side is empty, the slots of the sides are not linked so, or a type is not a plain
        name (a letter, then letters, digits and underscores).

    Examples
    --------
    >>> rule = SynchronousRule.parse("NT_1 twice ### NT_1 NT_1")
    >>> rule.arity, rule.copies
    (1, (2,))
    >>> print(SynchronousRule.parse("NT_2 after NT_1 ### NT_1 NT_2"))
    NT_1 after NT_2 ### NT_2 NT_1
    """

    source: tuple[Slot | str, ...]
    target: tuple[Slot | str, ...]
    lhs: str = NT

    def __post_init__(self) -> None:
        for side, symbols in (("source", self.source), ("target", self.target)):
            if not symbols:
                raise SynchronousRuleError(
                    f"the {side} side is empty",
                    where=self._shown(),
                    hint="give at least one word or nonterminal",
                )
        self._check_links()
        self._check_types()
        order = {slot: Slot(i, slot.symbol) for i, slot in enumerate(_slots(self.source), start=1)}
        for name, symbols in (("source", self.source), ("target", self.target)):
            renumbered = tuple(order[s] if isinstance(s, Slot) else s for s in symbols)
            object.__setattr__(self, name, renumbered)

    @classmethod
    def parse(cls, text: str) -> SynchronousRule:
        """Read one rule in the notation of :mod:`grammar.synchronous.notation`, without weight.

        >>> SynchronousRule.parse("turn NT_1 ### NT_1").slots
        (Slot(number=1, symbol='NT'),)

        Raises
        ------
        NotationError
            If it does not follow the notation.
        SynchronousRuleError
            If it does, but is not a rule.
        """
        rule, weight = parse_line(text, "<string>:1")
        if weight is not None:
            raise NotationError(
                "a single rule has no weight", where="<string>:1", hint="leave out the brackets"
            )
        return rule

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots in the order of the source, which is that of their numbers."""
        return tuple(_slots(self.source))

    @property
    def arity(self) -> int:
        """How many slots there are."""
        return sum(isinstance(symbol, Slot) for symbol in self.source)

    @property
    def copies(self) -> tuple[int, ...]:
        """How often each slot stands in the target."""
        return tuple(self.target.count(slot) for slot in self.slots)

    def retyped(self, lhs: str, types: Sequence[str]) -> SynchronousRule:
        """Return the rule with other types: its left-hand side, and one for each slot by number.

        >>> print(SynchronousRule.parse("NT_1 twice ### NT_1 NT_1").retyped("S", ["V"]))
        S -> V_1 twice ### V_1 V_1
        """
        slots = [Slot(number, name) for number, name in enumerate(types, start=1)]
        made = object.__new__(SynchronousRule)  # its links are those of this rule: not checked
        object.__setattr__(made, "lhs", lhs)
        for name in ("source", "target"):
            side = getattr(self, name)
            typed = tuple(slots[s.number - 1] if isinstance(s, Slot) else s for s in side)
            object.__setattr__(made, name, typed)
        made._check_types()
        return made

    def __str__(self) -> str:
        return format_rule(self)

    def _check_types(self) -> None:
        for name in (self.lhs, *(slot.symbol for slot in _slots(self.source))):
            if not _TYPE.fullmatch(name):
                raise SynchronousRuleError(
                    f"the type {name!r} is not a plain name",
                    where=self._shown(),
                    hint="use letters, digits and underscores, a letter first",
                )

    def _check_links(self) -> None:
        source, target = _slots(self.source), _slots(self.target)
        numbers = [slot.number for slot in source]
        if len(set(numbers)) < len(numbers):
            twice = next(slot for slot in source if numbers.count(slot.number) > 1)
            raise SynchronousRuleError(
                f"{twice} stands more than once in the source",
                where=self._shown(),
                hint="only the target may repeat a nonterminal",
            )
        odd = set(source) ^ set(target)
        if odd:
            slot = min(odd)
            side = "source" if slot in source else "target"
            raise SynchronousRuleError(
                f"{slot} stands only in the {side}",
                where=self._shown(),
                hint="both sides need the same nonterminals, with the same types",
            )

    def _shown(self) -> str:
        sides = (" ".join(map(str, side)) for side in (self.source, self.target))
        return " ### ".join(sides)


def chain_cycle(rules: Iterable[SynchronousRule]) -> list[str]:
    """Return types that rules with one slot as source lead round in a cycle; empty if none do."""
    chains = [
        (rule.lhs, rule.source[0].symbol)
        for rule in rules
        if len(rule.source) == 1 and isinstance(rule.source[0], Slot)
    ]
    leading = {upper for upper, _ in chains}
    if not any(lower in leading for _, lower in chains):
        return []
    graph = nx.DiGraph(chains)
    if nx.is_directed_acyclic_graph(graph):
        return []
    return [edge[0] for edge in nx.find_cycle(graph)]


def _slots(symbols: Iterable[Slot | str]) -> list[Slot]:
    return [symbol for symbol in symbols if isinstance(symbol, Slot)]


class WeightedLine(NamedTuple):
    """A rule as it is written, with its weight if there is one."""

    rule: SynchronousRule
    weight: float | None


def format_rule(rule: SynchronousRule, weight: float | None = None) -> str:
    """Write a rule so that it is read back exactly; the left-hand side only if it is not NT."""
    sides = (" ".join(map(_format_symbol, side)) for side in (rule.source, rule.target))
    text = " ### ".join(sides)
    if rule.lhs != NT:
        text = f"{rule.lhs} -> {text}"
    return text if weight is None else f"{text} [{float(weight)!r}]"


def _format_symbol(symbol: Slot | str) -> str:
    if isinstance(symbol, Slot):
        return str(symbol)
    plain = (
        symbol
        and symbol.isprintable()
        and not re.search(r"\s", symbol)
        and not _SLOT.fullmatch(symbol)
        and symbol not in ("->", "###")
        and symbol[0] not in "'\"[#%"
    )
    return symbol if plain else "'" + protect(symbol, "'") + "'"


def parse_line(text: str, where: str) -> WeightedLine:
    """Read one line of the notation: a rule, perhaps with a weight (raises as parsing does)."""
    symbols: list[Slot | str] = []
    sides: list[tuple[Slot | str, ...]] = []
    lhs, weight = NT, None
    position = 0
    end = len(text.rstrip())
    while position < end:
        match = _PIECE.match(text, position)
        if match is None:
            raise _malformed(text, position, where)
        piece, kind = match.group(match.lastgroup or 0), match.lastgroup
        at = match.start(match.lastgroup or 0)
        if kind == "quoted":
            symbols.append(unprotect(piece[1:-1]))
        elif kind == "weight":
            weight = _number(piece, text, at, where)
        elif piece == "->":
            lhs = _left(symbols, sides, text, at, where)
            symbols = []
        elif piece == "###":
            sides.append(tuple(symbols))
            symbols = []
        else:
            slot = _SLOT.fullmatch(piece)
            if slot is not None and len(slot.group(2)) > _DIGITS:
                raise _malformed(text, at, where, "no rule has so many open places")
            symbols.append(Slot(int(slot.group(2)), slot.group(1)) if slot else piece)
        position = match.end()
    if len(sides) != 1:
        raise _malformed(text, end, where, "a rule has one ### between source and target")
    with located(where):
        return WeightedLine(SynchronousRule(sides[0], tuple(symbols), lhs), weight)


def _left(
    symbols: list[Slot | str], sides: list[tuple[Slot | str, ...]], text: str, at: int, where: str
) -> str:
    if sides or len(symbols) != 1 or not isinstance(symbols[0], str):
        raise _malformed(text, at, where, "one type stands before the arrow")
    return symbols[0]


def _number(piece: str, text: str, at: int, where: str) -> float:
    match = _WEIGHT.fullmatch(piece)
    if match is None or (match.group(2) is not None and int(match.group(2)) == 0):
        raise _malformed(text, at, where, "a weight is a decimal or a fraction in brackets")
    return float(match.group(1)) / float(match.group(2) or 1)


def _malformed(text: str, at: int, where: str, what: str = "this is not a rule") -> NotationError:
    return NotationError(
        f"{what}\n    {text}\n    {' ' * at}^", where=f"{where}:{at + 1}", hint=_FORM
    )

"""A grammar laid out as the rules that tools for strings read: with names, spaces and terminals.

A sentence is a sequence of words, and a tool reads characters. What stands between words is decided
here once (:data:`Spacing`), so that writers only spell rules.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from grammar.errors import OptionError
from grammar.formats.left_recursion import remove_left_recursion
from grammar.formats.surfaces import grammar_of_texts
from grammar.pcfg.grammar import Grammar
from grammar.pcfg.operations import remove_empty, trim
from grammar.rules.rules import Nonterminal

__all__ = ["Alternative", "Form", "Item", "Layout", "Spacing", "lay_out", "plain_name"]

Spacing = Literal["words", "tokens", "characters"]
"""What stands between words: one space; white space or nothing; nothing."""

Symbol = Nonterminal | str
Sequences = list[tuple[tuple[Symbol, ...], float]]


class Item(NamedTuple):
    """A part of a right-hand side: a ``rule``, a ``terminal``, a ``text`` or a ``space``."""

    kind: Literal["rule", "terminal", "text", "space"]
    text: str = ""


class Alternative(NamedTuple):
    """A right-hand side, and its weight; where rules share beginnings there is none."""

    items: tuple[Item, ...]
    weight: float | None


class Layout(NamedTuple):
    """Rules and terminals by name, in the order in which they are written.

    Attributes
    ----------
    start : str
        The name of the rule to begin with.
    rules : dict of str to list of Alternative
        The rules.
    terminals : dict of str to list of str
        Terminals, each a choice of texts.
    """

    start: str
    rules: dict[str, list[Alternative]]
    terminals: dict[str, list[str]]


@dataclass(frozen=True)
class Form:
    """What a tool needs of a layout.

    Attributes
    ----------
    rule_name, terminal_name : callable
        Make a name of a symbol, which need not be free.
    reserved : tuple of str
        Names that no rule may have.
    shared : bool
        Whether rules of a symbol that begin alike share their beginnings, as parsers that are
        slowed down by long lists of rules need it.
    optional : bool
        Whether what follows a shared beginning may be empty. Parsers that keep each way to go on
        need it: two ways at each of n brackets are 2**n.
    terminals : bool
        Whether symbols that are words alone become terminals.
    single : bool
        Whether a lexer takes the longest token. Texts are then divided at what stands between
        words: at spaces, or, where that is nothing, into characters.
    """

    rule_name: Callable[[str], str]
    terminal_name: Callable[[str], str] = str.upper
    reserved: tuple[str, ...] = ()
    shared: bool = False
    optional: bool = False
    terminals: bool = False
    single: bool = False
    left_recursion: Literal["kept", "direct", "none"] = "kept"


def lay_out(grammar: Grammar, form: Form, spacing: str) -> Layout:
    """Lay a grammar out.

    Raises
    ------
    OptionError
        If there is no such spacing.
    WeightError
        If no derivation from the start symbol ends.

    Examples
    --------
    >>> grammar = Grammar.parse("S -> 'so' S [1/2] | 'good' [1/2]")
    >>> made = lay_out(grammar, Form(str.lower), "words")
    >>> [[item.text or item.kind for item in one.items] for one in made.rules["s"]]
    [['good'], ['so', 'space', 's']]
    """
    if spacing not in get_args(Spacing):
        raise OptionError(
            f"unknown spacing {spacing!r}", hint=f"choose from {', '.join(get_args(Spacing))}"
        )
    grammar = trim(grammar)
    if spacing != "characters":
        grammar = grammar_of_texts(grammar)
    if spacing == "words":
        # a space stands between children, so none of them may be empty
        grammar = remove_empty(grammar)
    if form.left_recursion != "kept":
        grammar = remove_left_recursion(grammar, keep_direct=form.left_recursion == "direct")
    return _Writer(grammar, form, spacing).layout()


class _Writer:
    def __init__(self, grammar: Grammar, form: Form, spacing: str) -> None:
        self._grammar, self._form, self._spacing = grammar, form, spacing
        self._taken = set(form.reserved)
        self._rules: dict[str, list[Alternative]] = {}
        self._terminals: dict[str, list[str]] = {}
        # where nothing stands between words, only rules can divide a text in every way
        self._has_terminals = form.terminals and spacing != "characters"
        self._names: dict[str, str] = {}
        # what follows a shared beginning, under one name wherever it follows
        self._rests: dict[frozenset[tuple[Symbol, ...]], str] = {}
        self._groups = {
            lhs: [(p.rhs, p.weight) for p in group]
            for lhs, group in itertools.groupby(grammar.productions(), key=lambda p: p.lhs.name)
        }
        self._terminal_names: set[str] = set()
        for symbol, rules in self._groups.items():
            terminal = self._has_terminals and all(_is_word(rhs) for rhs, _ in rules)
            name = self._free((form.terminal_name if terminal else form.rule_name)(symbol))
            self._names[symbol] = name
            if terminal:
                self._terminal_names.add(name)

    def layout(self) -> Layout:
        start = self._grammar.start
        for symbol, rules in self._groups.items():
            name = self._names[symbol]
            if name in self._terminal_names:
                self._terminals[name] = [str(rhs[0]) for rhs, _ in rules]
            else:
                self._write(name, rules)
        name = self._names[start]
        if name in self._terminals:  # a parser begins with a rule
            name = self._free(self._form.rule_name(start))
            self._rules[name] = [Alternative((Item("terminal", self._names[start]),), 1.0)]
        return Layout(name, self._rules, self._terminals)

    def _write(self, name: str, rules: Sequences) -> None:
        alternatives = self._rules.setdefault(name, [])
        if self._has_terminals:
            words = [(str(rhs[0]), weight) for rhs, weight in rules if _is_word(rhs)]
            if len(words) > 1:
                terminal = self._free(self._form.terminal_name(f"{name} words"))
                self._terminals[terminal] = [word for word, _ in words]
                item = Item("terminal", terminal)
                alternatives.append(Alternative((item,), sum(weight for _, weight in words)))
                rules = [(rhs, weight) for rhs, weight in rules if not _is_word(rhs)]
        if self._form.shared:
            self._share(name, [rhs for rhs, _ in rules])
        else:
            for rhs, weight in rules:
                alternatives.append(Alternative(tuple(self._items(rhs)), weight))

    def _share(self, name: str, given: list[tuple[Symbol, ...]]) -> None:
        """Write right-hand sides as a tree of what they begin with, a rule for each fork."""
        waiting = [(name, given)]
        while waiting:
            here, rows = waiting.pop(0)
            alternatives = self._rules.setdefault(here, [])
            # a rest that may be empty has the space before it
            led = list(self._between(rows)) if here != name and () in rows else []
            groups: dict[Symbol | None, list[tuple[Symbol, ...]]] = {}
            for row in rows:
                groups.setdefault(row[0] if row else None, []).append(row)
            for members in groups.values():
                common = _common_beginning(members)
                items = [*(led if common else []), *self._items(common)]
                rests = [row[len(common) :] for row in members]
                if () in rests and (len(rests) == 1 or not self._form.optional):
                    alternatives.append(Alternative(tuple(items), None))
                    rests = [rest for rest in rests if rest]
                if rests:
                    key = frozenset(rests)
                    if key not in self._rests:
                        self._rests[key] = self._free(self._form.rule_name(f"{name} rest"))
                        waiting.append((self._rests[key], rests))
                    if () not in key:
                        items += self._between(common)
                    items.append(Item("rule", self._rests[key]))
                    alternatives.append(Alternative(tuple(items), None))

    def _items(self, children: Sequence[Symbol]) -> Iterator[Item]:
        for place, child in enumerate(children):
            if place:
                yield from self._between(children[:place])
            if isinstance(child, Nonterminal):
                name = self._names[child.name]
                yield Item("terminal" if name in self._terminal_names else "rule", name)
            else:
                yield from (Item("text", part) for part in self._parts(child))

    def _parts(self, word: str) -> Iterator[str]:
        """Yield the parts of a word that a lexer cannot take for parts of others."""
        if self._form.single and self._spacing == "characters":
            return iter(word)
        divides = self._form.single and self._spacing == "words"
        return filter(None, re.split("( )", word)) if divides else iter([word])

    def _between(self, before: Sequence[object]) -> Iterator[Item]:
        if before and self._spacing != "characters":
            yield Item("space")

    def _free(self, name: str) -> str:
        numbered = (f"{name}{number}" for number in itertools.count(2))
        free = next(one for one in itertools.chain([name], numbered) if one not in self._taken)
        self._taken.add(free)
        return free


def plain_name(symbol: str, sign: str, *, first: str = "x") -> str:
    """Return a symbol in lower-case letters, digits and a sign between them.

    >>> plain_name("NP-SBJ^<S>", "_"), plain_name("''", "-")
    ('np_sbj_s', 'x')
    """
    plain = re.sub(r"[^a-z0-9]+", sign, symbol.lower()).strip(sign)
    return plain if plain[:1].isalpha() else f"{first}{plain}"


def _is_word(rhs: tuple[Symbol, ...]) -> bool:
    return len(rhs) == 1 and isinstance(rhs[0], str) and " " not in rhs[0] and rhs[0] != ""


def _common_beginning(rows: list[tuple[Symbol, ...]]) -> tuple[Symbol, ...]:
    """Return what all rows begin with.

    >>> _common_beginning([("a", "b", "c"), ("a", "b")])
    ('a', 'b')
    """
    shortest = min(rows, key=len)
    for place, symbol in enumerate(shortest):
        if any(row[place] != symbol for row in rows):
            return shortest[:place]
    return shortest

"""What each rule of a grammar adds to a tree, in a form that automata of trees can read.

A symbol of a PCFG stands for nodes side by side: mostly for one node, whose label is that of the
symbol; where rules are binarised, or lead to a fragment, for others. So PCFGs, binarised or not,
lexicalised PCFGs and tree-substitution grammars are all the same here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from grammar.pcfg.derivable import Derivable
from grammar.rules.rules import Nonterminal
from grammar.trees.tree import NO_WORDS

__all__ = ["LINK", "ElementaryRule", "ElementaryRules", "LabelsOf"]

LabelsOf = Callable[[str], Sequence[str]]
"""The labels of the nodes, one below the other, that a node of a name stands for."""
LINK = -1
"""In place of the number of a rule: what only links nodes of one rule."""


class ElementaryRule(NamedTuple):
    """A rule with one or two items: symbols, or words as -1 - number.

    Attributes
    ----------
    number : int
        The rule of the PCFG that it stands for, or ``LINK``.
    weight : float
        Its weight.
    items : tuple of int
        What it leads to.
    is_same_node : bool
        Whether its item is the node that its left side is, and not below it.
    """

    number: int
    weight: float
    items: tuple[int, ...]
    is_same_node: bool = False


class _Node(NamedTuple):
    label: str
    items: tuple[_Item, ...]


_Item = Any  # _Node, Nonterminal or str


class ElementaryRules:
    """The rules of a grammar as what they add to trees.

    Parameters
    ----------
    grammar : Derivable
        The grammar. Rules of weight 0 are left out.
    labels_of : callable
        What nodes of a name stand for; nothing is for what is no node of trees.

    Attributes
    ----------
    labels : list of str or None
        Of each symbol the label of the node that it stands for; None if it stands for others. The
        symbols of the PCFG come first.
    words : list of str
        Those of the PCFG, and that of nodes without words, which is not drawn.
    rules : list of list of ElementaryRule
        The rules of each symbol.

    Examples
    --------
    >>> from grammar.pcfg.grammar import Grammar
    >>> grammar = Grammar.parse("S -> 'a' {S|<>} [1] \\n {S|<>} -> 'b' 'c' [1]")
    >>> made = ElementaryRules(grammar, lambda name: [] if "|<" in name else [name])
    >>> made.labels, made.rules[1]
    (['S', None], [ElementaryRule(number=1, weight=1.0, items=(-2, -3), is_same_node=False)])
    """

    def __init__(self, grammar: Derivable, labels_of: LabelsOf) -> None:
        self._grammar, self._labels_of = grammar, labels_of
        pcfg = grammar.pcfg
        names = pcfg.rules.nonterminals
        self._number = {name: number for number, name in enumerate(names)}
        [nothing] = NO_WORDS.leaves()
        self.words = [*pcfg.rules.words, nothing]
        self._word = {word: -1 - number for number, word in enumerate(pcfg.rules.words)}
        self._nothing = -len(self.words)
        items: list[list[tuple[int, tuple[_Item, ...]]]] = [[] for _ in names]
        lhs, weight = pcfg.rules.lhs.tolist(), pcfg.weight.tolist()
        for rule, symbol in enumerate(lhs):
            if weight[rule] > 0:
                items[symbol].append((rule, tuple(self._planted(grammar.elementary(rule)))))
        self.labels: list[str | None] = self._common_labels(items)
        self.rules: list[list[ElementaryRule]] = [[] for _ in names]
        for symbol, rules in enumerate(items):
            for rule, found in rules:
                self._add(symbol, rule, weight[rule], found)

    @property
    def nothing(self) -> int:
        """The word of nodes without words."""
        return self._nothing

    def name(self, symbol: int) -> str:
        """Return a name of a symbol; those of the PCFG have theirs."""
        names = self._grammar.pcfg.rules.nonterminals
        return names[symbol] if symbol < len(names) else f".{symbol}"

    def _planted(self, parts: Sequence[Any]) -> Iterator[_Item]:
        """Yield nodes with the labels of trees, and words and symbols as they are."""
        for part in parts:
            if isinstance(part, str | Nonterminal):
                yield part
                continue
            if part is NO_WORDS:
                yield _Node(part.label, (None,))
                continue
            below = tuple(self._planted(part.children))
            labels = self._labels_of(part.label)
            for label in reversed(labels):
                below = (_Node(label, below),)
            yield from below

    def _common_labels(self, items: list[list[tuple[int, tuple[_Item, ...]]]]) -> list[str | None]:
        """Return the label of each symbol that always stands for one node of that label."""
        found: list[str | None] = [None] * len(items)
        waiting = list(range(len(items)))
        while waiting:  # until what leads to other symbols is known, too
            before = len(waiting)
            for symbol in waiting:
                labels = {self._label_of(each, found) for _, each in items[symbol]}
                found[symbol] = labels.pop() if len(labels) == 1 else None
            waiting = [symbol for symbol in waiting if found[symbol] is None]
            if len(waiting) == before:
                break
        return found

    def _label_of(self, items: tuple[_Item, ...], known: Sequence[str | None]) -> str | None:
        [only] = items if len(items) == 1 else [None]
        if isinstance(only, Nonterminal):
            return known[self._number[only.name]]
        return only.label if isinstance(only, _Node) else None

    def _add(self, symbol: int, rule: int, weight: float, items: tuple[_Item, ...]) -> None:
        if self.labels[symbol] is None:
            self.rules[symbol].append(ElementaryRule(rule, weight, self._linked(items)))
            return
        [node] = items
        if isinstance(node, Nonterminal):
            same = ElementaryRule(rule, weight, (self._number[node.name],), is_same_node=True)
            self.rules[symbol].append(same)
        else:
            self.rules[symbol].append(ElementaryRule(rule, weight, self._linked(node.items)))

    def _linked(self, items: tuple[_Item, ...]) -> tuple[int, ...]:
        """Return one or two items, with symbols of their own for nodes and for more of them."""
        first, *rest = items
        left = self._linked_item(first)
        if not rest:
            return (left,)
        if len(rest) == 1:
            return left, self._linked_item(rest[0])
        return left, self._new(None, tuple(rest))

    def _linked_item(self, item: _Item) -> int:
        if item is None:
            return self._nothing
        if isinstance(item, str):
            return self._word[item]
        if isinstance(item, Nonterminal):
            return self._number[item.name]
        return self._new(item.label, item.items)

    def _new(self, label: str | None, items: tuple[_Item, ...]) -> int:
        number = len(self.labels)
        self.labels.append(label)
        self.rules.append([])
        self.rules[number].append(ElementaryRule(LINK, 1.0, self._linked(items)))
        return number

"""Grammars without left recursion, for tools that cannot read it.

A symbol is left-recursive if a derivation of it begins with itself. Symbols that begin with one
another are a group, a strongly connected component of the relation "has a rule that begins with".
In a group, a symbol A begins with an alternative of some B that begins outside the group. Then come
what follows B in a rule ``D -> B ...``, what follows D, and so on up to A. So

    A -> B~base | B~base A~after~B
    A~after~B -> D~from~B | D~from~B A~after~D

where ``B~base`` has the alternatives of B that begin outside the group, ``D~from~B`` has what
follows B in rules of D, and the short alternatives stand where the path has reached A. A choice of
one stands in place of its name. This is the method of Rosenkrantz (1967) within each group. Strings
stay the same; weights are not kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import networkx as nx

from grammar.pcfg.grammar import Grammar
from grammar.pcfg.operations import remove_empty, trim
from grammar.rules.rules import Nonterminal, Production

__all__ = ["remove_left_recursion"]

Symbols = tuple[Nonterminal | str, ...]
Rules = dict[Nonterminal, list[Symbols]]


def remove_left_recursion(grammar: Grammar, *, keep_direct: bool = False) -> Grammar:
    """Return a grammar of the same strings in which no symbol is left-recursive.

    Parameters
    ----------
    grammar : Grammar
        Rules; their weights are not kept.
    keep_direct : bool
        Keep rules ``A -> A ...`` of symbols that are left-recursive in no other way.

    Notes
    -----
    A group of n symbols, of which m pairs have a rule where one begins with the other, gets up to
    n²(n + m) rules more; a treebank grammar of 1,531 rules gets 35.

    Examples
    --------
    >>> print(remove_left_recursion(Grammar.parse("S -> S '+' 'x' | 'x'")).to_text(), end="")
    S -> 'x' [0.5]
    S -> 'x' {S~after~S} [0.5]
    {S~after~S} -> '+' 'x' [0.5]
    {S~after~S} -> '+' 'x' {S~after~S} [0.5]
    """
    rules = _rules_of(grammar)
    nullable = _nullable(rules)
    begins = _graph((lhs, child) for lhs, rows in rules.items() for row in rows
                    for child in _corners(row, nullable))  # fmt: skip
    if not any(True for _ in _groups(begins, rules, nullable, keep_direct)):
        return grammar
    start = grammar.start
    if nullable:
        without = remove_empty(grammar)
        rules, start = _rules_of(without), without.start
        begins = _graph((lhs, row[0]) for lhs, rows in rules.items() for row in rows
                        if row and isinstance(row[0], Nonterminal))  # fmt: skip
    mark = _free_mark(grammar)
    for group in list(_groups(begins, rules, set(), keep_direct)):
        rules |= _Group(rules, group, mark).rewritten()
    made = (Production(lhs, row) for lhs, rows in rules.items() for row in dict.fromkeys(rows))
    return trim(Grammar.from_productions(made, start=start, normalise=True))


def _rules_of(grammar: Grammar) -> Rules:
    rules: Rules = {}
    for production in grammar.productions():
        rules.setdefault(production.lhs, []).append(production.rhs)
    return rules


def _graph(edges: Iterable[tuple[Nonterminal, Nonterminal]]) -> nx.DiGraph:
    graph: nx.DiGraph = nx.DiGraph()
    graph.add_edges_from(edges)
    return graph


def _nullable(rules: Rules) -> set[Nonterminal]:
    """Return the symbols that derive nothing."""
    found: set[Nonterminal] = set()
    changed = True
    while changed:
        new = {
            lhs for lhs, rows in rules.items()
            if lhs not in found and any(all(c in found for c in row) for row in rows)
        }  # fmt: skip
        changed = bool(new)
        found |= new
    return found


def _corners(row: Symbols, nullable: set[Nonterminal]) -> Iterator[Nonterminal]:
    """Yield the symbols that a right-hand side may begin with."""
    for child in row:
        if not isinstance(child, Nonterminal):
            return
        yield child
        if child not in nullable:
            return


def _groups(
    begins: nx.DiGraph, rules: Rules, nullable: set[Nonterminal], keep_direct: bool
) -> Iterator[list[Nonterminal]]:
    """Yield the groups of symbols that begin with one another, but those to be kept."""
    for group in nx.strongly_connected_components(begins):
        first = next(iter(group))
        if len(group) == 1 and not begins.has_edge(first, first):
            continue
        if len(group) == 1 and keep_direct and _is_plain(rules[first], first, nullable):
            continue
        yield [symbol for symbol in rules if symbol in group]


def _is_plain(rows: list[Symbols], symbol: Nonterminal, nullable: set[Nonterminal]) -> bool:
    """Whether a symbol begins with itself only where it stands first, and something follows."""
    return all(
        row != (symbol,) and (row[0] == symbol or symbol not in _corners(row, nullable))
        for row in rows
        if row
    )


class _Group:
    """Symbols that begin with one another, and the rules that they get."""

    def __init__(self, rules: Rules, group: list[Nonterminal], mark: str) -> None:
        self._mark = mark
        self._group = group
        self._based = [lhs for lhs in group if self._base(rules[lhs])]
        # what follows a symbol in the rules of another
        self._rests: dict[Nonterminal, Rules] = {lower: {} for lower in group}
        unary: nx.DiGraph = nx.DiGraph()
        unary.add_nodes_from(group)
        for lhs in group:
            for row in rules[lhs]:
                if row and isinstance(row[0], Nonterminal) and row[0] in self._rests:
                    if len(row) == 1:
                        unary.add_edge(row[0], lhs)
                    else:
                        self._rests[row[0]].setdefault(lhs, []).append(row[1:])
        # what a symbol becomes by rules of one child
        self._above = {one: {one, *nx.descendants(unary, one)} for one in group}
        self._old = rules

    def rewritten(self) -> Rules:
        made: Rules = {}
        base = {one: self._part(self._base(self._old[one]), made, one, "base")
                for one in self._based}  # fmt: skip
        step = {
            (lower, upper): self._part(rests, made, upper, "from", lower)
            for lower, uppers in self._rests.items()
            for upper, rests in uppers.items()
        }
        for top in self._group:
            made[top] = [row for one in self._based for row in self._on(top, base[one], one)]
            for lower in self._group:
                made[self._named(top, "after", lower)] = [
                    row
                    for upper in self._rests[lower]
                    for row in self._on(top, step[lower, upper], upper)
                ]
        return made

    def _base(self, rows: list[Symbols]) -> list[Symbols]:
        return [row for row in rows if not row or row[0] not in self._group]

    def _part(
        self, rows: list[Symbols], made: Rules, symbol: Nonterminal, *what: object
    ) -> Symbols:
        """Return a choice, under a name if there is one to make."""
        if len(rows) == 1:
            return rows[0]
        named = self._named(symbol, *what)
        made[named] = rows
        return (named,)

    def _on(self, top: Nonterminal, part: Symbols, reached: Nonterminal) -> Iterator[Symbols]:
        """Yield the ways on from a part that makes a symbol."""
        above = self._above[reached]
        if top in above:
            yield part
        for one in self._group:
            if one in above and self._rests[one]:
                yield (*part, self._named(top, "after", one))

    def _named(self, symbol: Nonterminal, *what: object) -> Nonterminal:
        return Nonterminal(self._mark.join(map(str, (symbol, *what))))


def _free_mark(grammar: Grammar) -> str:
    """Return a sign that no symbol has."""
    mark = "~"
    while any(mark in name for name in grammar.rules.nonterminals):
        mark += "~"
    return mark

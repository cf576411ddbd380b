"""Without left recursion: the same strings, and no symbol begins with itself."""

from __future__ import annotations

import itertools
import math
from typing import Any

import networkx as nx
import pytest
from hypothesis import assume, example, given, settings

from grammar import ChartGrammarError, Parser
from grammar.formats.layout import Form, lay_out
from grammar.formats.left_recursion import remove_left_recursion
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal
from induction import induce_pcfg, read_treebank
from tests.grammar.strategies import grammars

HIDDEN = Grammar.parse("S -> A S 'b' | 'a' \n A -> | 'c'")
CIRCLE = Grammar.parse("S -> S | T | 'a' \n T -> S | 'b' T 'c' | S 'c'")
MUTUAL = Grammar.parse("S -> T 'a' | 'b' \n T -> S 'c' | T 'a' | U \n U -> S | 'c'")


def begins_with(grammar: Grammar) -> nx.DiGraph:
    """Return what begins with what; the slow obvious way."""
    rules = list(grammar.productions())
    nullable: set[Any] = set()
    for _ in rules:
        nullable |= {p.lhs for p in rules if all(c in nullable for c in p.rhs)}
    graph = nx.DiGraph()
    for production in rules:
        for child in production.rhs:
            if isinstance(child, Nonterminal):
                graph.add_edge(production.lhs, child)
            if child not in nullable:
                break
    return graph


def language(grammar: Grammar) -> set[tuple[str, ...]]:
    """Return the strings of up to four words."""
    try:
        parser = Parser(grammar)
    except ChartGrammarError:  # chains of unary rules have no finite sum
        assume(False)
    words = [words for n in range(5) for words in itertools.product("abc", repeat=n)]

    def inside(text: tuple[str, ...]) -> bool:
        if not text:
            return any(p.rhs == () for p in grammar.productions(grammar.start))
        value = parser.inside(list(text))
        return isinstance(value, float) and math.isfinite(value)

    return {text for text in words[1:] if inside(text)}


@settings(max_examples=25, deadline=None)
@given(grammar=grammars(max_symbols=3))
@example(grammar=HIDDEN)
@example(grammar=CIRCLE)
@example(grammar=MUTUAL)
def test_strings_stay_and_left_recursion_goes(grammar: Grammar) -> None:
    for keep_direct in (False, True):
        made = remove_left_recursion(grammar, keep_direct=keep_direct)
        graph = begins_with(made)
        if keep_direct:
            graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        assert nx.is_directed_acyclic_graph(graph)
        assert language(made) == language(grammar)


def test_a_grammar_without_it_is_returned_itself() -> None:
    grammar = Grammar.parse("S -> 'a' S | 'b'")
    assert remove_left_recursion(grammar) is grammar
    direct = Grammar.parse("S -> S 'a' | 'b'")
    assert remove_left_recursion(direct, keep_direct=True) is direct


def test_a_treebank_grammar_grows_little() -> None:
    grammar = induce_pcfg(read_treebank())
    made = remove_left_recursion(grammar)
    assert nx.is_directed_acyclic_graph(begins_with(made))
    assert len(made) < 1.1 * len(grammar)


def test_names_that_a_grammar_has_are_not_taken() -> None:
    grammar = Grammar.parse("S -> S 'a' | 'b' | {S~after~S} \n {S~after~S} -> 'c'")
    assert language(remove_left_recursion(grammar)) == language(grammar)


@pytest.mark.parametrize("spacing", ["words", "characters"])
def test_rests_may_be_empty_where_a_parser_keeps_each_way(spacing: str) -> None:
    grammar = Grammar.parse("S -> A | A 'x' S | A 'y' \n A -> '(' S ')' | 'a'")
    layout = lay_out(grammar, Form(str.lower, shared=True, optional=True), spacing)
    [only] = layout.rules["s"]
    assert [item.text for item in only.items] == ["a", "s rest"]
    rows = [[item.text for item in row.items] for row in layout.rules["s rest"]]
    space = [""] if spacing == "words" else []
    assert sorted(rows) == sorted([[], [*space, "x", *space, "s"], [*space, "y"]])

"""Patterns: rules of substitution grammars as text, with marks where something is put in."""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

import networkx as nx

__all__ = ["FAMILY", "HOLE", "START", "add_filler", "filler_words", "hole"]

FAMILY = "substitution"
START = "EXAMPLE"
HOLE = re.compile(r"(?<!\S)⟨(\d+)⟩(?!\S)")
"""The mark of a hole as a whole token of a pattern; its number is group 1."""


def hole(number: int) -> str:
    """Return the mark of a hole.

    >>> hole(0)
    '⟨0⟩'
    """
    return f"⟨{number}⟩"


def filler_words(pattern: str) -> list[list[str]]:
    """Return the words that a filler puts into each hole.

    >>> filler_words("⟨0⟩ pick up ⟨1⟩ LIFT")
    [['pick', 'up'], ['LIFT']]
    """
    rows: list[list[str]] = []
    for token in pattern.split():
        if HOLE.fullmatch(token):
            rows.append([])
        else:
            rows[-1].append(token)
    return rows


def add_filler(graph: nx.MultiDiGraph, rule: str, pattern: str, **data: Any) -> None:
    """Add a filler to a graph: a rule whose children are the words that it puts in."""
    graph.add_node(rule, kind="rule", pattern=pattern, **data)
    for position, word in enumerate(chain.from_iterable(filler_words(pattern))):
        graph.add_node(f"word:{word}", kind="word", name=word)
        graph.add_edge(rule, f"word:{word}", key=position, position=position)

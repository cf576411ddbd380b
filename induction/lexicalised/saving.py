"""The columns by which a parser's file holds a lexicalised PCFG over the parser's own labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from grammar.arrays import IntArray, LongArray
from grammar.families.lexicalised import LexicalisedGrammar, LexicalisedRules
from grammar.forest.skeleton import Skeleton
from grammar.saving.array_checks import check_length, check_numbers

__all__ = ["head_columns", "read_heads"]

_SYMBOL = ("category", "word", "tag")


def head_columns(grammar: LexicalisedGrammar) -> dict[str, Any]:
    """Return symbols, rules and counts, without the names of labels and words."""
    named = {
        **dict(zip(_SYMBOL, grammar.symbols.T, strict=True)),
        **dict(zip(LexicalisedRules._fields, grammar.rules, strict=True)),
        "count": grammar.count.astype(np.int32),
    }
    return {f"heads.{name}": np.ascontiguousarray(column) for name, column in named.items()}


def read_heads(
    columns: dict[str, Any], skeleton: Skeleton, words: tuple[str, ...], options: Any
) -> LexicalisedGrammar:
    """Return the grammar that :func:`head_columns` are those of.

    Parameters
    ----------
    columns : dict
        What a file holds.
    skeleton : Skeleton
        The grammar without heads.
    words : tuple of str
        The words of the same trees, sorted.
    options : dict
        How it is smoothed.

    Raises
    ------
    ValueError
        If the columns do not belong together, or are no counts of the skeleton's rules.
    """
    if not isinstance(options, dict):
        raise ValueError("heads: there are no options")
    labels = skeleton.grammar.rules.nonterminals
    _check_numbers(columns, len(labels), len(words))

    def column(name: str) -> IntArray:
        found: IntArray = columns[f"heads.{name}"].astype(np.int32)
        return found

    symbols = np.stack([column(name) for name in _SYMBOL], axis=1)
    rules = LexicalisedRules(*map(column, LexicalisedRules._fields))
    count = columns["heads.count"].astype(np.int64)
    _check_rules(symbols, rules, count, skeleton)
    start = skeleton.grammar.start
    return LexicalisedGrammar(labels, words, symbols, rules, count, start, options)


def _check_numbers(columns: dict[str, Any], labels: int, words: int) -> None:
    """Refuse numbers of labels, words and symbols that there are not."""
    symbols, rules = len(columns["heads.category"]), len(columns["heads.lhs"])
    for name, length, least, below in (
        ("category", symbols, 0, labels),
        ("word", symbols, -1, words),
        ("tag", symbols, -1, labels),
        ("lhs", rules, 0, symbols),
        ("first", rules, -1, symbols),
        ("second", rules, -1, symbols),
        ("head", rules, 0, 2),
        ("count", rules, 1, 2**31),
    ):
        check_length(f"heads.{name}", columns[f"heads.{name}"], length)
        check_numbers(f"heads.{name}", columns[f"heads.{name}"], least, below)


def _check_rules(
    symbols: IntArray, rules: LexicalisedRules, count: LongArray, skeleton: Skeleton
) -> None:
    """Refuse rules that are none of a lexicalised PCFG, or of another one."""
    if fault := _fault(symbols, rules, count, skeleton):
        raise ValueError(f"heads: {fault}")


def _fault(
    symbols: IntArray, rules: LexicalisedRules, count: LongArray, skeleton: Skeleton
) -> str | None:
    """Say what is wrong with columns whose numbers are in their ranges, if anything is."""
    category, word, tag = np.ascontiguousarray(symbols.T)
    is_start = word < 0
    is_tag = np.zeros(len(skeleton.grammar.rules.nonterminals) + 1, np.bool_)
    is_tag[skeleton.tags] = is_tag[-1] = True
    if not (is_tag[tag] & (is_start == (tag < 0))).all():
        return "a symbol has a word without a tag"
    is_start = np.append(is_start, np.False_)  # the last is that of the child -1
    if is_start[rules.first].any() or is_start[rules.second].any():
        return "a start symbol is below another symbol"
    starting = is_start[rules.lhs]
    lhs, first, second, side = (each[~starting] for each in rules)
    head, leaf = np.where(side == 1, second, first), first < 0
    if (leaf & ((second >= 0) | (side == 1) | (category[lhs] != tag[lhs]))).any():
        return "a word is not below its tag alone"
    if (head[~leaf] < 0).any() or (symbols[head[~leaf], 1:] != symbols[lhs[~leaf], 1:]).any():
        return "a child with the head has another one"
    roots, start = rules.first[starting], skeleton.grammar.start_id
    if (roots < 0).any() or (rules.second[starting] >= 0).any():
        return "a start symbol has not one child"
    if (category[roots] != start).any() or (category[rules.lhs[starting]] != start).any():
        return "a start symbol is not above roots of trees"
    sides = (np.where(child >= 0, category[child], -1) for child in (first, second))
    number = skeleton.rule_numbers(category[lhs], *sides)
    if (number < 0).any():
        return "a rule is none of the grammar without heads"
    uses = np.bincount(number, count[~starting], minlength=len(skeleton.grammar))
    if not np.array_equal(uses, skeleton.grammar.count):
        return "they are not counts of the same trees as those of the grammar without heads"
    return None

"""One grammar for all classes of a corpus: the grammars of the classes under one start symbol.

The symbols of class 3 are marked: ``NP^<label-3>``. So classes share words and nothing else, and
the first rule of a derivation says which class it is of. The joint grammar is of the family of its
parts, so it is inspected, saved, sampled and explained as any other. Trees come without the marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import OptionError
from grammar.families.lexicalised import LexicalisedGrammar, LexicalisedRules
from grammar.families.tsg import TreeSubstitutionGrammar
from grammar.pcfg.grammar import Grammar
from grammar.rules.rules import Nonterminal, Production
from grammar.trees.folding import below, fold
from grammar.trees.fragment import Fragment

__all__ = ["CLASSES", "classes_of_rules", "join_classes", "marked", "with_class_shares"]

CLASSES = "CLASSES"
"""The start symbol of joint grammars."""

_MARK = re.compile(r"\^<label-(\d+)>")

G = TypeVar("G", Grammar, TreeSubstitutionGrammar, LexicalisedGrammar)


def join_classes(grammars: Mapping[int, G], sizes: Mapping[int, int]) -> G:
    """Return the joint grammar of several classes.

    Parameters
    ----------
    grammars : mapping of int to Grammar, TreeSubstitutionGrammar or LexicalisedGrammar
        One for each class, all of one family.
    sizes : mapping of int to int
        How many trees each was induced from, which is how probable the class is.

    Examples
    --------
    >>> good, bad = Grammar.parse("S -> 'good' [1]"), Grammar.parse("S -> 'bad' [1]")
    >>> print(join_classes({0: bad, 1: good}, {0: 1, 1: 3}).to_text(), end="")
    CLASSES -> S^<label-1> [0.75]
    CLASSES -> S^<label-0> [0.25]
    S^<label-0> -> 'bad' [1.0]
    S^<label-1> -> 'good' [1.0]
    """
    joined: G = _JOINERS[next(iter(grammars.values())).family](grammars, sizes)
    return joined


def classes_of_rules(grammar: Grammar) -> LongArray:
    """Return the class that each rule of the start symbol leads to; -1 for all other rules.

    The grammar is a joint PCFG, or the PCFG view of a joint grammar.

    Raises
    ------
    OptionError
        If the rules of the start symbol do not lead to classes.
    """
    rules = grammar.rules
    found = np.full(len(rules), -1, np.int64)
    for rule in np.flatnonzero(rules.lhs == grammar.start_id).tolist():
        _, children = rules.sides(rule)
        mark = _MARK.search(str(children[0])) if len(children) == 1 else None
        if mark is None:
            raise OptionError(
                "the rules of the start symbol do not lead to classes",
                where=str(grammar.production(rule)),
                hint="give a grammar that join_classes made",
            )
        found[rule] = int(mark[1])
    return found


def with_class_shares(grammar: Grammar, shares: Mapping[int, float]) -> Grammar:
    """Return a joint PCFG in which the classes have other probabilities.

    >>> joint = Grammar.parse("T -> {S^<label-0>} [0.5] | {S^<label-1>} [0.5]")
    >>> with_class_shares(joint, {0: 0.9, 1: 0.1}).weight.tolist()
    [0.9, 0.1]
    """
    of = classes_of_rules(grammar)
    weight: FloatArray = grammar.weight.copy()
    for label, share in shares.items():
        mine = of == label
        weight[mine] *= share / weight[mine].sum()
    return Grammar(grammar.rules, weight, grammar.start, grammar.count)


def marked(name: str, label: int) -> str:
    """Return the symbol of a class: ``NP^<label-3>``."""
    return f"{name}^<label-{label}>"


def _symbol(name: str, label: int) -> Nonterminal:
    return Nonterminal(marked(name, label))


def _joined_productions(grammars: Mapping[int, Grammar], sizes: Mapping[int, int]) -> Grammar:
    return Grammar.from_productions(list(_productions(grammars, sizes)), start=CLASSES)


def _productions(grammars: Mapping[int, Grammar], sizes: Mapping[int, int]) -> Iterator[Production]:
    top, total = Nonterminal(CLASSES), sum(sizes.values())
    for label, grammar in grammars.items():
        size = sizes[label]
        yield Production(top, (_symbol(grammar.start, label),), size / total, size)
        for p in grammar:
            rhs = tuple(_symbol(c.name, label) if isinstance(c, Nonterminal) else c for c in p.rhs)
            yield replace(p, lhs=_symbol(p.lhs.name, label), rhs=rhs)


def _joined_fragments(
    grammars: Mapping[int, TreeSubstitutionGrammar], sizes: Mapping[int, int]
) -> TreeSubstitutionGrammar:
    return TreeSubstitutionGrammar.from_fragments(_fragments(grammars, sizes), start=CLASSES)


def _fragments(
    grammars: Mapping[int, TreeSubstitutionGrammar], sizes: Mapping[int, int]
) -> Iterator[tuple[Fragment, float, int]]:
    total = sum(sizes.values())
    for label, grammar in grammars.items():
        size = sizes[label]
        yield Fragment(CLASSES, (_symbol(grammar.start, label),)), size / total, size
        for fragment, weight, count in grammar:
            yield _marked_fragment(fragment, label), weight, count


def _marked_fragment(fragment: Fragment, label: int) -> Fragment:
    def of_class(node: Fragment | Nonterminal | str, children: list[Any]) -> Any:
        if isinstance(node, Fragment):
            return Fragment(marked(node.label, label), tuple(children))
        return node if isinstance(node, str) else _symbol(node.name, label)

    made: Fragment = fold(fragment, below, of_class)
    return made


def _joined_lexicalised(
    grammars: Mapping[int, LexicalisedGrammar], sizes: Mapping[int, int]
) -> LexicalisedGrammar:
    """Join grammars by their counts, which say already how probable each class is."""
    names = [CLASSES]
    columns, symbols, counts = [], [np.array([[0, -1, -1]])], []
    for label, grammar in grammars.items():
        categories, words = len(names), len(names) + len(grammar.categories)
        names += [marked(name, label) for name in grammar.categories] + [*grammar.words]
        # the start symbol of a class is its own first row; all of them become the joint one
        inner = grammar.symbols[:, 1] >= 0
        place = np.zeros(len(inner) + 1, np.int64)
        before = sum(map(len, symbols))
        place[:-1][inner] = before + np.arange(inner.sum())
        place[-1] = -1
        symbols.append(grammar.symbols[inner] + np.array([categories, words, categories]))
        lhs, first, second, head = grammar.rules
        columns.append(np.stack((place[lhs], place[first], place[second], head)))
        counts.append(grammar.count)
    any_grammar = next(iter(grammars.values()))
    return LexicalisedGrammar.from_columns(
        names,
        np.concatenate(symbols),
        LexicalisedRules(*np.concatenate(columns, axis=1)),
        np.concatenate(counts),
        start=CLASSES,
        options=any_grammar.options,
    )


_JOINERS: Mapping[str, Callable[[Mapping[int, Any], Mapping[int, int]], Any]] = {
    "pcfg": _joined_productions,
    "tsg": _joined_fragments,
    "lpcfg": _joined_lexicalised,
}
"""What joins grammars of a family."""

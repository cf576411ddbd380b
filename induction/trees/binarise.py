"""Binarisation with Markov memory: long rules become chains of rules with two children.

A node with more than two children gets intermediate nodes, each covering all children but those
already split off. Which end is split off is the only difference between the directions:

- ``"right"``: always the first child (NLTK's ``factor="right"``);
- ``"left"``: always the last child;
- ``"head"``: first the children before the head, then those after it (Collins 1999), so that,
  read upwards, the constituent grows outward from its head.

An intermediate node is named after its parent and the ``horizontal_markov`` labels at the end
that is split off next; every constituent is named after its ``vertical_markov - 1`` ancestors too
(Klein & Manning 2003). Names follow NLTK: ``VP|<NP-PP>^<S>``.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from grammar.arrays import (
    Index,
    IntArray,
    LongArray,
    empty_paths,
    extend_path,
    kernel,
    path_symbols,
    reserve_paths,
)
from grammar.errors import OptionError
from grammar.options import names_keywords, whole_number
from grammar.trees.given import as_treebank
from grammar.trees.symbols import SymbolTable
from grammar.trees.treebank import Treebank, list_children
from induction.trees.heads import COLLINS, HeadRules, head_children

__all__ = ["Direction", "binarise", "unbinarise", "written_label"]

Direction = Literal["left", "right", "head"]
_WHOLE = 1 << 20


@names_keywords()
def binarise(
    treebank: Treebank,
    *,
    direction: Direction = "right",
    horizontal_markov: int | None = None,
    vertical_markov: int = 1,
    heads: HeadRules = COLLINS,
) -> Treebank:
    """Return the trees with at most two children a node.

    Parameters
    ----------
    treebank : Treebank
        Trees; preterminals and roots keep their labels.
    direction : {"right", "left", "head"}
        Which children are split off first, see the module's description.
    horizontal_markov : int, optional
        How many siblings an intermediate label remembers; None remembers all.
    vertical_markov : int
        1 is no annotation, 2 adds the parent's label, 3 the grandparent's too.
    heads : mapping or HeadTable
        Head rules, for the direction "head".

    Raises
    ------
    OptionError
        If an option is out of range.

    Examples
    --------
    >>> treebank = Treebank.parse("(VP (VB give) (NP us) (NP tea) (ADVP now))")
    >>> print(binarise(treebank, horizontal_markov=1)[0])
    (VP (VB give) (VP|<NP> (NP us) (VP|<NP> (NP tea) (ADVP now))))
    >>> print(binarise(treebank, direction="left", horizontal_markov=1)[0])
    (VP (VP|<NP> (VP|<NP> (VB give) (NP us)) (NP tea)) (ADVP now))
    >>> unbinarise(binarise(treebank, vertical_markov=2)) == treebank
    True
    """
    treebank = as_treebank(treebank)
    if direction not in get_args(Direction):
        raise OptionError(
            f"unknown direction {direction!r}", hint=f"choose from {', '.join(get_args(Direction))}"
        )
    if horizontal_markov is not None:
        whole_number("horizontal_markov", horizontal_markov, 0)
    whole_number("vertical_markov", vertical_markov, 1)
    if direction == "head":
        outward_from = head_children(treebank, heads)
    else:
        # a head at the far end makes head-outward splitting the one-sided kind
        far = _WHOLE if direction == "right" else 0
        outward_from = np.full(len(treebank.label), far, np.int32)
    before, last, path, renamed, made = _split(
        treebank.label,
        treebank.size,
        treebank.offsets,
        treebank.parent,
        outward_from,
        _WHOLE if horizontal_markov is None else horizontal_markov,
        vertical_markov - 1,
        len(treebank.symbols),
        direction == "head",
    )
    symbols = SymbolTable(treebank.symbols)
    identifiers = np.zeros(made[0], np.int32)
    for used in np.union1d(path, renamed[renamed > 0]).tolist():
        identifiers[used] = symbols.add(_spell(treebank.symbols, path_symbols(made, used)))
    return _insert(treebank, before, last, identifiers[path], identifiers[renamed], symbols)


def unbinarise(treebank: Treebank) -> Treebank:
    """Undo :func:`binarise`: remove intermediate nodes and annotations.

    >>> from grammar import Treebank
    >>> from induction import binarise
    >>> trees = Treebank.parse("(S (A a) (B b) (C c))")
    >>> unbinarise(binarise(trees)) == trees
    True
    """
    treebank = as_treebank(treebank)
    names = list(treebank.symbols)
    symbols = SymbolTable(names)
    written = [written_label(name) for name in names]
    intermediate = np.array([label is None for label in written], np.bool_)
    spelt = (label or name for name, label in zip(names, written, strict=True))
    bare = np.array([symbols.add(label) for label in spelt], np.int32)
    word = treebank.is_word
    label = np.where(word, treebank.label, bare[treebank.label])
    keep = word | ~intermediate[treebank.label]
    return treebank.relabel(label.astype(np.int32), symbols).keep_nodes(keep)


def written_label(name: str) -> str | None:
    """Return the label of a node without annotations; None if it is intermediate.

    >>> written_label("NP^<S>"), written_label("VP|<NP-PP>^<S>"), written_label("^<")
    ('NP', None, '^<')
    """
    return None if "|<" in name else name.split("^<")[0] or name


def _insert(
    treebank: Treebank,
    before: LongArray,
    last: LongArray,
    inserted: IntArray,
    renamed: IntArray,
    symbols: SymbolTable,
) -> Treebank:
    """Insert nodes: the r-th covers the old nodes from ``before[r]`` to ``last[r]`` - 1."""
    order = np.argsort(before, kind="stable")
    before, last, inserted = before[order], last[order], inserted[order]
    nodes = len(treebank.label)
    here = np.bincount(before, minlength=nodes + 1)
    moved = np.cumsum(here)  # how many inserted nodes stand before each old node's new place
    started = moved - here  # ... and before the nodes inserted at that place
    old_at = np.arange(nodes) + moved[:nodes]
    new_at = before + np.arange(len(before))
    label = np.empty(nodes + len(before), np.int32)
    size = np.empty_like(label)
    label[old_at] = np.where(renamed > 0, renamed, treebank.label)
    label[new_at] = inserted
    ends = np.arange(nodes) + treebank.size
    size[old_at] = ends + started[ends] - old_at
    size[new_at] = last + started[last] - new_at
    return Treebank(label, size, treebank.offsets + started[treebank.offsets], symbols)


def _spell(symbols: SymbolTable, path: list[int]) -> str:
    """Spell a path: a label, siblings after one separator, ancestors after the other."""
    siblings, ancestors = len(symbols), len(symbols) + 1
    groups: dict[int, list[str]] = {}
    for symbol in path[1:]:
        if symbol in (siblings, ancestors):
            groups[symbol] = []
        else:
            groups[next(reversed(groups))].append(symbols[symbol])
    text = symbols[path[0]]
    if siblings in groups:
        text += f"|<{'-'.join(groups[siblings])}>"
    if ancestors in groups:
        text += f"^<{'-'.join(groups[ancestors])}>"
    return text


@kernel()
def _split(
    label: IntArray,
    size: IntArray,
    offsets: LongArray,
    parent: IntArray,
    heads: IntArray,
    horizontal: int,
    vertical: int,
    separator: int,
    head_outward: bool,
) -> tuple[LongArray, LongArray, IntArray, IntArray, LongArray]:
    """Return the inserted nodes (first and last covered node, path of the name) and new names."""
    nodes = len(label)
    before = np.empty(nodes, np.int64)
    last = np.empty(nodes, np.int64)
    path = np.empty(nodes, np.int32)
    renamed = np.zeros(nodes, np.int32)
    children = np.empty(nodes + 1, np.int64)
    table = empty_paths()
    made = 0
    for tree in range(len(offsets) - 1):
        for node in range(offsets[tree], offsets[tree + 1]):
            if size[node] <= 2:
                continue
            count = list_children(size, node, children)
            memory = min(horizontal, count)
            table = reserve_paths(table, (count + 1) * (memory + vertical + 5))
            keys, values, numbers = table
            if vertical > 0 and parent[node] >= 0:
                name = extend_path(keys, values, numbers, 0, label[node])
                renamed[node] = _ancestors(
                    keys, values, numbers, name, label, parent, node, vertical, separator + 1
                )
            first, end = 0, count
            for _ in range(count - 2):
                if first < heads[node]:
                    first += 1
                else:
                    end -= 1
                name = extend_path(keys, values, numbers, 0, label[node])
                name = extend_path(keys, values, numbers, name, separator)
                if head_outward:
                    name = extend_path(keys, values, numbers, name, label[children[heads[node]]])
                name = _siblings(
                    keys,
                    values,
                    numbers,
                    name,
                    label,
                    children,
                    first,
                    end,
                    memory,
                    first < heads[node],
                )
                path[made] = _ancestors(
                    keys, values, numbers, name, label, parent, node, vertical, separator + 1
                )
                before[made] = children[first]
                last[made] = children[end - 1] + size[children[end - 1]]
                made += 1
    return before[:made], last[:made], path[:made], renamed, table[2]


@kernel()
def _siblings(
    keys: LongArray,
    values: IntArray,
    numbers: LongArray,
    name: Index,
    label: IntArray,
    children: LongArray,
    first: int,
    end: int,
    memory: int,
    from_left: bool,
) -> Index:
    """Extend a name by the labels at the end that is split off next, in sentence order."""
    memory = min(memory, end - first)
    start = first if from_left else end - memory
    for i in range(start, start + memory):
        name = extend_path(keys, values, numbers, name, label[children[i]])
    return name


@kernel()
def _ancestors(
    keys: LongArray,
    values: IntArray,
    numbers: LongArray,
    name: Index,
    label: IntArray,
    parent: IntArray,
    node: int,
    vertical: int,
    separator: int,
) -> Index:
    """Extend a name by up to ``vertical`` labels above ``node``, the nearest first."""
    above = parent[node]
    if vertical > 0 and above >= 0:
        name = extend_path(keys, values, numbers, name, separator)
    for _ in range(vertical):
        if above < 0:
            break
        name = extend_path(keys, values, numbers, name, label[above])
        above = parent[above]
    return name

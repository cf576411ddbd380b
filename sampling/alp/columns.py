"""From derivations of ALP to texts as bytes, and to the columns of new examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import Bytes, LongArray, kernel
from grammar.trees.tree import Tree
from sampling.alp.grammar import ALPGrammar
from sampling.alp.slots import Slots
from sampling.examples.provenance import as_spans, example_table
from sampling.examples.splicing import as_lists

__all__ = ["class_labels", "example_columns", "spell"]


def example_columns(
    grammar: ALPGrammar,
    slots: Slots,
    hosts: LongArray,
    texts: pa.Array,
    seed: int,
    numbers: LongArray,
) -> pa.Table:
    """Return derivations as a table.

    Parameters
    ----------
    grammar : ALPGrammar
        The grammar they are of.
    slots : Slots
        The derivations, none of which failed.
    hosts : int64[rows]
        The texts they start from.
    texts : Arrow strings
        The new texts.
    seed : int
        The stream.
    numbers : int64[rows]
        The numbers of the examples in it.
    """
    columns: dict[str, Any] = {"text": texts}
    used, offsets = _used(slots)
    if "label" in grammar.columns:
        columns["label"] = class_labels(grammar.classes).take(
            pa.array(grammar.texts.classes[hosts])
        )
    if "tree" in grammar.columns:
        columns["tree"] = pa.array(_trees(grammar, slots, hosts), pa.string())
    if "tokens" in grammar.columns:
        forms = pa.array(grammar.forms, pa.string()).take(pa.array(slots.form[used]))
        columns["tokens"] = as_lists(forms, offsets)
    if "tags" in grammar.columns:
        tags = grammar.frames.tag[slots.leaf[used]]
        columns["tags"] = as_lists(
            pa.array(grammar.labels, pa.string()).take(pa.array(tags)), offsets
        )
    return example_table(
        grammar.method,
        grammar.facts["version"],
        seed,
        numbers,
        columns,
        **_made_by(grammar, slots, hosts, used, offsets),
        log_probability=slots.log_probability,
    )


def _used(slots: Slots) -> tuple[LongArray, LongArray]:
    """Return the numbers of all slots in use, row after row, and where each row begins."""
    offsets = np.concatenate(([0], np.cumsum(slots.size)))
    shift = np.repeat(slots.at[:-1] - offsets[:-1], slots.size)
    return np.arange(offsets[-1]) + shift, offsets


def class_labels(classes: Sequence[Any]) -> pa.Array:
    """Return the labels of classes: numbers, distributions, or sets of names."""
    if not classes or not isinstance(classes[0], tuple):
        return pa.array(classes, pa.int64())
    # a distribution is over one class or more
    named = any(not c or isinstance(c[0], str) for c in classes)
    return pa.array(map(list, classes), pa.list_(pa.string() if named else pa.float32()))


def _made_by(
    grammar: ALPGrammar, slots: Slots, hosts: LongArray, used: LongArray, offsets: LongArray
) -> dict[str, pa.ListArray]:
    """Return the parents of derivations, the spans that were put in, and the rules used."""
    count = len(hosts)
    row = np.repeat(np.arange(count), slots.exchanges)
    shift = np.repeat(np.cumsum(slots.exchanges) - slots.exchanges, slots.exchanges)
    taken = np.arange(len(row)) - shift + slots.at[:-1][row]
    entry, begin, end = slots.entry[taken], slots.begin[taken], slots.end[taken]
    owner = np.repeat(np.arange(count), slots.size)
    changed = slots.rule[used] >= 0
    place = (np.arange(len(used)) - np.repeat(offsets[:-1], slots.size))[changed]
    rows = np.concatenate((row, owner[changed]))
    order = np.argsort(rows, kind="stable")
    bounds = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=count))))
    starts = np.concatenate((begin, place))[order]
    stops = np.concatenate((end, place + 1))[order]
    rules = np.concatenate((entry, slots.rule[used][changed] + len(grammar.pool_node)))[order]
    return {
        "parents": _parents(grammar, hosts, row, entry),
        "spans": as_spans(starts, stops, bounds),
        "rules": as_lists(rules, bounds),
    }


def _parents(grammar: ALPGrammar, hosts: LongArray, row: LongArray, entry: LongArray) -> Any:
    """Return the ids of the host and, behind it, of the texts that constituents are from."""
    texts = grammar.texts
    sentence = np.searchsorted(texts.root, grammar.pool_node[entry], side="right") - 1
    sentence = np.searchsorted(texts.trees, sentence, side="right") - 1
    donor = np.searchsorted(texts.sentences, sentence, side="right") - 1
    pairs = np.unique(np.stack((row, donor), axis=1), axis=0).reshape(-1, 2)
    pairs = pairs[pairs[:, 1] != hosts[pairs[:, 0]]]
    rows = np.concatenate((np.arange(len(hosts)), pairs[:, 0]))
    order = np.argsort(rows, kind="stable")
    numbers = np.concatenate((hosts, pairs[:, 1]))[order]
    bounds = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(hosts)))))
    return as_lists(pa.array(grammar.ids, pa.string()).take(pa.array(numbers)), bounds)


def _trees(grammar: ALPGrammar, slots: Slots, hosts: LongArray) -> list[str]:
    """Return the brackets of every derivation, exchanged constituents and new words in place."""
    return [_Bracketing(grammar, slots, r).text for r in range(len(hosts))]


class _Bracketing:
    """The tree of one derivation: its slots in order, and its exchanges in preorder."""

    def __init__(self, grammar: ALPGrammar, slots: Slots, row: int) -> None:
        self._grammar = grammar
        at = int(slots.at[row])
        exchanges = slice(at, at + int(slots.exchanges[row]))
        self._forms = slots.form[at : at + int(slots.size[row])].tolist()
        self._donors = grammar.pool_node[slots.entry[exchanges]].tolist()
        self._holes = slots.hole[exchanges].tolist()
        self._above = slots.above[exchanges].tolist()
        self._slot = self._next = 0
        self.text = str(self._node(int(grammar.texts.root[slots.tree[row]]), 0))

    def _node(self, node: int, part: int) -> Tree:
        k = self._next
        if k < len(self._holes) and self._holes[k] == node and self._above[k] == part:
            self._next += 1
            # parts are numbered as exchanges are, from 1
            node, part = self._donors[k], k + 1
        frames, child = self._grammar.frames, node + 1
        children: list[Tree | str] = []
        stop = node + int(frames.size[node])
        while child < stop:
            if frames.size[child] > 1:
                children.append(self._node(child, part))
            else:
                children.append(self._grammar.forms[self._forms[self._slot]])
                self._slot += 1
            child += int(frames.size[child])
        return Tree(self._grammar.labels[int(frames.label[node])], tuple(children))


@kernel()
def spell(
    slots: Slots,
    rows: LongArray,
    tails: LongArray,
    forms: Bytes,
    form_bounds: LongArray,
    gaps: Bytes,
    gap_bounds: LongArray,
) -> Any:
    """Return the bytes of rows of slots, and where each begins.

    ``tails`` is the number of the gap behind the last word of each row.
    """
    offsets = np.zeros(len(rows) + 1, np.int64)
    for k in range(len(rows)):
        r = rows[k]
        size = gap_bounds[tails[k] + 1] - gap_bounds[tails[k]]
        for s in range(slots.at[r], slots.at[r] + slots.size[r]):
            f, g = slots.form[s], slots.gap[s]
            size += form_bounds[f + 1] - form_bounds[f] + gap_bounds[g + 1] - gap_bounds[g]
        offsets[k + 1] = offsets[k] + size
    data = np.empty(offsets[-1], np.uint8)
    for k in range(len(rows)):
        r, at = rows[k], offsets[k]
        for s in range(slots.at[r], slots.at[r] + slots.size[r]):
            g, f = slots.gap[s], slots.form[s]
            for b in range(gap_bounds[g], gap_bounds[g + 1]):
                data[at] = gaps[b]
                at += 1
            for b in range(form_bounds[f], form_bounds[f + 1]):
                data[at] = forms[b]
                at += 1
        for b in range(gap_bounds[tails[k]], gap_bounds[tails[k] + 1]):
            data[at] = gaps[b]
            at += 1
    return data, offsets

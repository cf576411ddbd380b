"""The columns of edited texts: what moves with a word, what stays, and what made the example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import BoolArray, IntArray, LongArray, kernel
from grammar.errors import CorpusError
from grammar.trees.symbols import SymbolTable
from grammar.trees.treebank import Treebank
from induction.corpus.corpus import COLUMNS
from induction.corpus.text.tokens import penn_word
from sampling.examples.labels import first_broken_heads
from sampling.examples.provenance import as_spans, example_table
from sampling.examples.splicing import as_lists
from sampling.words.grammar import WordGrammar
from sampling.words.pools import vocabulary_of
from sampling.words.texts import Slots, flat_slots

__all__ = ["edited_columns"]

_OF_THE_TEXT = ("text_pair", "target", "label", "tree_pair")
_WITH_THE_WORD = ("tags", "deprels")
_GOES_ON = -2


def edited_columns(
    grammar: WordGrammar,
    slots: Slots,
    hosts: LongArray,
    texts: Mapping[str, Any],
    seed: int,
    index: LongArray,
) -> pa.Table:
    """Return edited texts (and their ``spans``) with all columns that their corpus has.

    Tags, heads and relations move with their words. A tree keeps its form, unless the method moves
    its nodes, and its leaves become the words of the text in order.
    """
    source = grammar.texts.corpus
    used, offsets = flat_slots(slots)
    numbers = pa.array(hosts)
    columns: dict[str, Any] = {}
    for name in source.names:
        if name in texts:
            columns[name] = texts[name]
        elif name in _OF_THE_TEXT:
            columns[name] = source.arrow(name).combine_chunks().take(numbers)
        elif name == "tokens":
            columns[name] = _tokens(grammar, slots, used, offsets)
        elif name in _WITH_THE_WORD:
            flat = source.arrow(name).combine_chunks().flatten()
            columns[name] = as_lists(flat.take(pa.array(slots.word[used])), offsets)
        elif name == "heads":
            columns[name] = _heads(grammar, slots.word[used], offsets, hosts)
        elif name == "tree":
            columns[name] = _trees(grammar, slots, hosts)
    rules, put = _rules(slots, used)
    bounds = np.concatenate(([0], np.cumsum(put)))[offsets]
    ids = source.arrow("id").combine_chunks()
    return example_table(
        grammar.method,
        grammar.version,
        seed,
        index,
        columns,
        parents=as_lists(ids.take(numbers), 1),
        spans=as_spans(*_places_put(grammar, slots, used, offsets), bounds),
        rules=as_lists(rules[put], bounds),
        log_probability=slots.log_probability,
    )


def _rules(slots: Slots, used: LongArray) -> tuple[LongArray, BoolArray]:
    """Return the entries of pools that stand in slots, and at which slots one begins."""
    rules = (slots.rule if len(slots.rule) else slots.entry)[used]
    return rules, rules >= 0


def _tokens(
    grammar: WordGrammar, slots: Slots, used: LongArray, offsets: LongArray
) -> pa.ListArray:
    side = grammar.texts.side
    spelt = pa.concat_arrays([side.forms.cast(pa.string()), vocabulary_of(grammar.pools)])
    entry = slots.entry[used]
    number = np.where(
        entry < 0,
        side.codes[slots.word[used]],
        len(side.forms) + _forms(grammar, entry),
    )
    return as_lists(spelt.take(pa.array(number)).cast(COLUMNS["tokens"].value_type), offsets)


def _forms(grammar: WordGrammar, entry: LongArray) -> LongArray:
    form = grammar.pools.form
    # entry -1 is not looked at by whoever asks
    return np.asarray(form[np.maximum(entry, 0)] if len(form) else entry, np.int64)


def _heads(
    grammar: WordGrammar, word: LongArray, offsets: LongArray, hosts: LongArray
) -> pa.ListArray:
    flat = grammar.texts.corpus.arrow("heads").combine_chunks().flatten()
    heads = flat.to_numpy(zero_copy_only=False).astype(np.int32)
    moved = _moved_heads(heads, word, offsets, grammar.texts.words.offsets[hosts])
    broken, fault = first_broken_heads(offsets, moved)
    if fault:
        raise CorpusError(f"the heads of new example {int(broken)} form no tree")
    return as_lists(pa.array(moved), offsets)


@kernel()
def _moved_heads(heads: IntArray, word: LongArray, offsets: LongArray, begin: LongArray) -> Any:
    """Number the heads of sentences again whose words changed places."""
    moved = np.empty(len(word), np.int32)
    longest = 0
    for r in range(len(begin)):
        longest = max(longest, offsets[r + 1] - offsets[r])
    place = np.zeros(longest + 1, np.int32)
    for r in range(len(begin)):
        for s in range(offsets[r], offsets[r + 1]):
            place[word[s] - begin[r] + 1] = s - offsets[r] + 1
        for s in range(offsets[r], offsets[r + 1]):
            moved[s] = place[heads[word[s]]]
    return moved


def _trees(grammar: WordGrammar, slots: Slots, hosts: LongArray) -> pa.Array:
    """Return the trees of the hosts with the words of the slots as their leaves, in order."""
    bank = grammar.texts.side.treebank
    if bank is None:
        raise CorpusError("the texts have no trees")
    nodes, offsets = _nodes_of(bank, hosts)
    if len(slots.nodes):
        nodes = slots.nodes
    label = bank.label[nodes].astype(np.int32)
    words = bank.label[bank.is_word]
    used, _ = flat_slots(slots)
    entry = slots.entry[used]
    symbols = SymbolTable(bank.symbols)
    new = [symbols.add(penn_word(word)) for word in vocabulary_of(grammar.pools).to_pylist()]
    put = np.array([*new, 0], np.int32)[_forms(grammar, entry)]
    label[bank.is_word[nodes]] = np.where(entry < 0, words[slots.word[used]], put)
    return Treebank(label, bank.size[nodes], offsets, symbols).brackets().cast(pa.string())


def _nodes_of(bank: Treebank, hosts: LongArray) -> tuple[LongArray, LongArray]:
    sizes = np.diff(bank.offsets)[hosts]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    shift = np.repeat(bank.offsets[hosts] - offsets[:-1], sizes)
    return np.arange(offsets[-1]) + shift, offsets


def _places_put(
    grammar: WordGrammar, slots: Slots, used: LongArray, offsets: LongArray
) -> tuple[LongArray, LongArray]:
    """Return where the words that were put in begin and end, counted in words of their texts."""
    rules, put = _rules(slots, used)
    widths = np.ones(len(rules), np.int64)
    written = slots.entry[used] >= 0
    if written.any():
        spaces = pc.count_substring(vocabulary_of(grammar.pools), " ").to_numpy()
        widths[written] += spaces[_forms(grammar, slots.entry[used][written])]
    ends = np.concatenate(([0], np.cumsum(widths)))
    begin = np.repeat(ends[offsets[:-1]], slots.size)
    # what goes on behind a slot belongs to it
    stops = np.flatnonzero(np.append(rules != _GOES_ON, True))
    last = stops[np.searchsorted(stops, np.flatnonzero(put), side="right")]
    return (ends[:-1] - begin)[put], ends[last] - begin[put]

"""The columns of edited texts: what moves with a word, what stays, and what made the example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import IntArray, LongArray, kernel
from grammar.errors import CorpusError
from grammar.symbols import SymbolTable
from grammar.treebank import Treebank
from induction.corpus import COLUMNS, PROVENANCE
from induction.tokens import penn_word
from sampling.labels import first_broken_heads
from sampling.provenance import provenance
from sampling.splicing import as_lists
from sampling.token_texts import Slots, flat_slots, vocabulary_of

if TYPE_CHECKING:
    from sampling.token_sampler import TokenSampler

__all__ = ["edited_columns"]

_OF_THE_TEXT = ("text_pair", "target", "label", "tree_pair")
_WITH_THE_WORD = ("tags", "deprels")


def edited_columns(
    sampler: TokenSampler,
    slots: Slots,
    hosts: LongArray,
    texts: pa.StringArray,
    seed: int,
    index: LongArray,
) -> pa.Table:
    """Return edited texts with all columns that their corpus has.

    Tags, heads and relations move with their words. A tree keeps its form, unless the method moves
    its nodes, and its leaves become the words of the text in order.
    """
    source = sampler.texts.corpus
    used, offsets = flat_slots(slots)
    numbers = pa.array(hosts)
    columns: dict[str, Any] = {"id": _ids(sampler.method, seed, index)}
    for name in source.names:
        if name == "text":
            columns[name] = texts
        elif name in _OF_THE_TEXT:
            columns[name] = source.arrow(name).combine_chunks().take(numbers)
        elif name == "tokens":
            columns[name] = _tokens(sampler, slots, used, offsets)
        elif name in _WITH_THE_WORD:
            flat = source.arrow(name).combine_chunks().flatten()
            columns[name] = as_lists(flat.take(pa.array(slots.word[used])), offsets)
        elif name == "heads":
            columns[name] = _heads(sampler, slots.word[used], offsets, hosts)
        elif name == "tree":
            columns[name] = _trees(sampler, slots, hosts)
    columns["provenance"] = _provenance(sampler, slots, used, offsets, hosts, seed, index)
    return pa.table(columns)


def _ids(method: str, seed: int, index: LongArray) -> pa.StringArray:
    return pc.binary_join_element_wise(
        f"{method}-{int(seed)}", pc.cast(pa.array(index), pa.string()), "-"
    )


def _tokens(
    sampler: TokenSampler, slots: Slots, used: LongArray, offsets: LongArray
) -> pa.ListArray:
    side = sampler.texts.side
    spelt = pa.concat_arrays([side.forms.cast(pa.string()), vocabulary_of(sampler.pools)])
    entry = slots.entry[used]
    number = np.where(
        entry < 0,
        side.codes[slots.word[used]],
        len(side.forms) + _forms(sampler, entry),
    )
    return as_lists(spelt.take(pa.array(number)).cast(COLUMNS["tokens"].value_type), offsets)


def _forms(sampler: TokenSampler, entry: LongArray) -> LongArray:
    form = sampler.pools.form
    # entry -1 is not looked at by whoever asks
    return np.asarray(form[np.maximum(entry, 0)] if len(form) else entry, np.int64)


def _heads(
    sampler: TokenSampler, word: LongArray, offsets: LongArray, hosts: LongArray
) -> pa.ListArray:
    flat = sampler.texts.corpus.arrow("heads").combine_chunks().flatten()
    heads = flat.to_numpy(zero_copy_only=False).astype(np.int32)
    moved = _moved_heads(heads, word, offsets, sampler.texts.words.offsets[hosts])
    broken, fault = first_broken_heads(offsets, moved)
    if fault:
        raise CorpusError(f"the heads of new example {int(broken)} form no tree")
    return as_lists(pa.array(moved), offsets)


@kernel()
def _moved_heads(heads: IntArray, word: LongArray, offsets: LongArray, begin: LongArray) -> Any:
    """Number the heads of sentences anew whose words changed places."""
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


def _trees(sampler: TokenSampler, slots: Slots, hosts: LongArray) -> pa.Array:
    """Return the trees of the hosts with the words of the slots as their leaves, in order."""
    bank = sampler.texts.side.treebank
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
    new = [symbols.add(penn_word(word)) for word in vocabulary_of(sampler.pools).to_pylist()]
    put = np.array([*new, 0], np.int32)[_forms(sampler, entry)]
    label[bank.is_word[nodes]] = np.where(entry < 0, words[slots.word[used]], put)
    return Treebank(label, bank.size[nodes], offsets, symbols).brackets().cast(pa.string())


def _nodes_of(bank: Treebank, hosts: LongArray) -> tuple[LongArray, LongArray]:
    sizes = np.diff(bank.offsets)[hosts]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    shift = np.repeat(bank.offsets[hosts] - offsets[:-1], sizes)
    return np.arange(offsets[-1]) + shift, offsets


def _provenance(
    sampler: TokenSampler,
    slots: Slots,
    used: LongArray,
    offsets: LongArray,
    hosts: LongArray,
    seed: int,
    index: LongArray,
) -> pa.StructArray:
    entry = slots.entry[used]
    put = entry >= 0
    widths = np.ones(len(entry), np.int64)
    if put.any():
        spaces = pc.count_substring(vocabulary_of(sampler.pools), " ").to_numpy()
        widths[put] += spaces[_forms(sampler, entry[put])]
    ends = np.concatenate(([0], np.cumsum(widths)))
    begin = np.repeat(ends[offsets[:-1]], slots.size)
    start, end = ends[:-1] - begin, ends[1:] - begin
    bounds = np.concatenate(([0], np.cumsum(put)))[offsets]
    spans = pa.StructArray.from_arrays(
        [pa.array(values[put].astype(np.int32)) for values in (start, end)],
        fields=list(PROVENANCE.field("spans").type.value_type),
    )
    ids = sampler.texts.corpus.arrow("id").combine_chunks()
    made = provenance(
        sampler.method,
        sampler.version,
        seed,
        0,
        parents=as_lists(ids.take(pa.array(hosts)), np.arange(len(hosts) + 1)),
        spans=as_lists(spans, bounds),
        rules=as_lists(pa.array(entry[put].astype(np.int32)), bounds),
        log_probability=slots.log_probability,
    )
    arrays = made.flatten()
    arrays[PROVENANCE.get_field_index("index")] = pa.array(index, pa.int64())
    return pa.StructArray.from_arrays(arrays, fields=list(PROVENANCE))

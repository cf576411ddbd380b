"""From derivations of a span grammar to the columns of new examples."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from grammar.arrays import BoolArray, Bytes, IntArray, LongArray, text_bytes
from grammar.errors import CorpusError
from induction.corpus.corpus import COLUMNS
from sampling.examples.entities import Marks, NewWords, carried_spans, places_in_pieces
from sampling.examples.labels import (
    Labels,
    first_broken_heads,
    mix_labels,
    read_labels,
    share_of_source,
)
from sampling.examples.provenance import as_spans, example_table
from sampling.examples.splicing import as_lists, as_strings, bracket_places, join_heads, join_pieces
from sampling.spans.draws import Mending
from sampling.spans.grammar import SpanGrammar
from sampling.spans.repairs import (
    Joined,
    join_sites,
    repair_names,
    text_pieces,
    variant_places,
    with_final_mark,
    word_pieces,
)

__all__ = ["Executor", "Speller"]

Executor = Callable[[str], str | None]
"""What gives the target of a text, or None if the text is none of the language."""

_TREES = {"tree": 0, "tree_pair": 1}
_TEXTS = {"text": 0, "text_pair": 1}
_BY_WORD = ("tokens", "tags", "deprels")


class Speller:
    """Spells out derivations: a host site and an entry of its pool each.

    Parameters
    ----------
    grammar : SpanGrammar
        The grammar they are of.
    mending : Mending
        How its seams are mended.
    executor : callable, optional
        Gives the target of a text, or None to refuse it.
    """

    def __init__(
        self, grammar: SpanGrammar, mending: Mending, executor: Executor | None = None
    ) -> None:
        self._grammar = grammar
        self._mending = mending
        self._executor = executor
        self._final = "final" in repair_names(grammar.options.get("repair") or "")
        counts = np.array([0, *(len(side.codes) for side in grammar.sides)])
        self._shift = np.cumsum(counts)[:-1].tolist()

    def table(self, host: IntArray, entry: LongArray, seed: int, index: LongArray) -> pa.Table:
        """Return derivations as the examples of a seed with these numbers."""
        grammar, sites, pools = self._grammar, self._grammar.sites, self._grammar.pools
        filler = pools.fillers[entry]
        names = [name for name in grammar.columns if name != "spans"]
        columns = {name: self._column(name, host, filler) for name in names}
        if grammar.sides[0].marks is not None:
            columns["spans"] = self._spans(grammar.sides[0].marks, columns["text"], host, filler)
        if self._executor is not None and "target" in grammar.examples.names:
            targets = [self._executor(text) for text in columns["text"].to_pylist()]
            columns["target"] = pa.array(targets, pa.string())
        parents = np.stack([sites.example[host], sites.example[filler]], axis=1).ravel()
        start = sites.start[host]
        probability = np.log(pools.host_weight[host]) + np.log(pools.weight[entry])
        return example_table(
            grammar.method,
            grammar.version,
            seed,
            index,
            columns,
            parents=as_lists(grammar.examples.arrow("id").combine_chunks().take(parents), 2),
            spans=as_spans(start, start + (sites.end - sites.start)[filler], start.shape[1]),
            rules=as_lists(np.stack([host, filler + np.int32(len(sites))], axis=1), 2),
            log_probability=probability,
        )

    def judge(self) -> Callable[[IntArray, LongArray], BoolArray] | None:
        """Return what says which derivations of a stream, in order, are refused once spelt out.

        With an executor, texts without a target; with repaired final marks, texts that became
        equal to one before. None if nothing can be refused.
        """
        if self._executor is None and not self._final:
            return None
        names = [name for name in _TEXTS if name in self._grammar.columns]
        known = set(zip(*(self._grammar.examples.column(name) for name in names), strict=True))

        def judged(host: IntArray, entry: LongArray) -> BoolArray:
            good = np.ones(len(host), np.bool_)
            filler = self._grammar.pools.fillers[entry]
            columns = {name: self._column(name, host, filler) for name in names}
            rows = zip(*(columns[name].to_pylist() for name in names), strict=True)
            for i, texts in enumerate(rows):
                good[i] = texts not in known and self._runs(texts[0])
                known.add(texts)
            return good

        return judged

    def _runs(self, text: str) -> bool:
        return self._executor is None or self._executor(text) is not None

    def _column(self, name: str, host: IntArray, filler: IntArray) -> pa.Array:
        if name in _TEXTS:
            return self._text(_TEXTS[name], host, filler)
        if name in _TREES:
            return self._tree(_TREES[name], host, filler)
        if name in _BY_WORD:
            return self._by_word(name, host, filler)
        if name == "heads":
            return self._heads(host, filler)
        return self._label(host, filler)

    def _spans(self, marks: Marks, texts: Any, host: IntArray, filler: IntArray) -> pa.ListArray:
        side, joints = self._grammar.sides[0], self._mending.joints
        row, i = self._joined(0, host, filler), self._grammar.sites.example[host]
        ends = side.text_offsets[i], side.text_offsets[i + 1]
        starts, stops = text_pieces(row, side, joints, ends)
        known = len(side.codes)
        numbers = np.arange(known + len(joints.variants))
        word, offsets = join_pieces(numbers, *word_pieces(row, known))
        first = np.concatenate((side.start, len(side.text) + joints.bounds[:-1]))[word]
        last = np.concatenate((side.end, len(side.text) + joints.bounds[1:]))[word]
        bounds = np.arange(len(host) + 1) * starts.shape[1]
        places = places_in_pieces((bounds, starts.ravel(), stops.ravel()), offsets, first, last)
        new = NewWords(offsets, np.where(word < known, word, -1), *places)
        return carried_spans(marks, new, text_bytes(texts))

    def _joined(self, k: int, host: IntArray, filler: IntArray) -> Joined:
        return join_sites(self._mending, k, self._shift[k], host, filler)

    def _text(self, k: int, host: IntArray, filler: IntArray) -> pa.StringArray:
        side, i = self._grammar.sides[k], self._grammar.sites.example[host]
        row = self._joined(k, host, filler)
        ends = side.text_offsets[i], side.text_offsets[i + 1]
        starts, stops = text_pieces(row, side, self._mending.joints, ends)
        if not self._final:
            return as_strings(*join_pieces(self._source[k], starts, stops))
        parts = [
            as_strings(*join_pieces(self._source[k], starts[:, a:b], stops[:, a:b])).to_pylist()
            for a, b in ((0, 3), (3, 6), (6, 8))
        ]
        cut = (side.start[row.hole[:, :1]], side.end[row.hole[:, 1:]])
        cuts = as_strings(*join_pieces(side.text, *cut)).to_pylist()
        rows = zip(*parts, cuts, strict=True)
        return pa.array([with_final_mark((a, b, c), d) for a, b, c, d in rows], pa.string())

    @cached_property
    def _source(self) -> list[Bytes]:
        """What texts of each side are made of: its texts, the variants of words, and a space."""
        joints, space = self._mending.joints, np.array([32], np.uint8)
        return [np.concatenate((side.text, joints.text, space)) for side in self._grammar.sides]

    def _by_word(self, name: str, host: IntArray, filler: IntArray) -> pa.ListArray:
        codes, values = self._words[name]
        row = self._joined(0, host, filler)
        variants = self._mending.joints.variants if name == "tokens" else []
        if not variants:  # tags and relations do not change with the form of a word
            kept = np.full(len(host), -1)
            row = row._replace(article=kept, first=kept, last=kept)
        numbers = len(values) + np.arange(len(variants), dtype=codes.dtype)
        forms = pa.concat_arrays([values, pa.array(variants, values.type)])
        pieces = word_pieces(row, len(codes))
        joined, offsets = join_pieces(np.concatenate((codes, numbers)), *pieces)
        return as_lists(forms.take(pa.array(joined)), offsets)

    def _heads(self, host: IntArray, filler: IntArray) -> pa.ListArray:
        side, sites = self._grammar.sides[0], self._grammar.sites
        i, d = sites.example[host], sites.example[filler]
        hole = np.stack([side.offsets[i], sites.start[host, 0], sites.end[host, 0]], axis=1)
        fill = np.stack([side.offsets[d], sites.start[filler, 0], sites.end[filler, 0]], axis=1)
        values, offsets = join_heads(
            self._source_heads, side.offsets[i], side.lengths[i], hole, fill
        )
        broken, fault = first_broken_heads(offsets, values)
        if fault:
            raise _invalid("its heads form no tree", int(broken))
        return as_lists(pa.array(values), offsets)

    def _tree(self, k: int, host: IntArray, filler: IntArray) -> pa.StringArray:
        sites, joints = self._grammar.sites, self._mending.joints
        text, offsets, start, end, leaf = self._brackets[k]
        row, i = self._joined(k, host, filler), sites.example[host]
        hole, fill = sites.node[host, k], sites.node[filler, k]
        before, c, d = row.hole[:, 0] - 1, row.fill[:, 0], row.fill[:, 1]
        article, first, last = (x >= 0 for x in (row.article, row.first, row.last))

        def variant(number: LongArray) -> tuple[LongArray, LongArray]:
            return variant_places(joints, number, len(text))

        at = [
            (offsets[i], np.where(article, start[leaf[before]], start[hole])),
            variant(row.article),
            (end[leaf[before]], np.where(article, start[hole], end[leaf[before]])),
            (start[fill], np.where(first, start[leaf[c]], start[fill])),
            variant(row.first),
            (np.where(first, end[leaf[c]], start[fill]), np.where(last, start[leaf[d]], end[fill])),
            variant(row.last),
            (np.where(last, end[leaf[d]], end[fill]), end[fill]),
            (end[hole], offsets[i + 1]),
        ]
        starts, stops = (np.stack(column, axis=1) for column in zip(*at, strict=True))
        source = np.concatenate((text, joints.text))
        return as_strings(*join_pieces(source, starts, stops))

    def _new_lengths(self, k: int, host: IntArray, filler: IntArray) -> LongArray:
        sites = self._grammar.sites
        words = (sites.end - sites.start)[:, k].astype(np.int64)
        lengths = self._grammar.sides[k].lengths
        return np.asarray(lengths[sites.example[host]] - words[host] + words[filler])

    def _label(self, host: IntArray, filler: IntArray) -> Any:
        sites = self._grammar.sites
        i, d = sites.example[host], sites.example[filler]
        if not self._grammar.mixes:
            column = self._grammar.examples.arrow("label").combine_chunks()
            return column.take(pa.array(i))
        filled = (sites.end - sites.start)[filler].sum(axis=1).astype(np.int64)
        new = sum(self._new_lengths(k, host, filler) for k in range(sites.start.shape[1]))
        mixed = mix_labels(self._labels, i, d, share_of_source(new - filled, filled))
        sums = np.asarray(mixed.flatten()).reshape(len(host), self._labels.classes).sum(axis=1)
        if not np.allclose(sums, 1, atol=1e-4):
            raise _invalid("its label does not sum to 1", int(np.argmax(np.abs(sums - 1))))
        return mixed

    @cached_property
    def _labels(self) -> Labels:
        return read_labels(self._grammar.examples, classes=self._grammar.options.get("classes"))

    @cached_property
    def _brackets(self) -> list[tuple[Bytes, LongArray, LongArray, LongArray, LongArray]]:
        """Bracketings of each side with the places of their nodes, and the nodes of words."""
        found = []
        for side in self._grammar.sides:
            bank = side.treebank
            if bank is not None:
                text, offsets = text_bytes(bank.brackets())
                places = bracket_places(text, offsets, len(bank.size))
                found.append((text, offsets, *places, np.flatnonzero(bank.is_word)))
        return found

    @cached_property
    def _words(self) -> dict[str, tuple[IntArray, pa.Array]]:
        found = {}
        for name in _BY_WORD:
            if name in self._grammar.columns:
                flat = self._grammar.examples.arrow(name).combine_chunks().flatten()
                coded = flat.dictionary_encode()
                codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
                found[name] = codes, coded.dictionary.cast(COLUMNS[name].value_type)
        return found

    @cached_property
    def _source_heads(self) -> IntArray:
        flat = self._grammar.examples.arrow("heads").combine_chunks().flatten()
        return np.asarray(flat.to_numpy(zero_copy_only=False), np.int32)


def _invalid(what: str, row: int) -> CorpusError:
    return CorpusError(
        f"a new example is not valid: {what}",
        where=f"row {row} of its batch",
        hint="this is a fault of the program; please report it with the seed",
    )

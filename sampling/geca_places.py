"""The places of a corpus: its exchangeable fragments with their environments, as columns.

Read without a Python object a word, so that a million sentences fit into little memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from grammar.arrays import LongArray
from grammar.errors import CorpusError, NothingNewError
from induction.corpus import Corpus
from sampling.geca_walks import Side, Walks, hosts_of, row_hashes, words_of
from sampling.labels import read_labels
from sampling.sides import protected_words, text_bytes
from sampling.splicing import join_pieces
from sampling.template_kernels import SEPARATOR, WHOLE
from sampling.templates import Fragments, Sequences, by_label, intern_ngrams, list_fragments

__all__ = ["Places", "read_places"]


@dataclass(frozen=True, eq=False)
class Places:
    """What walks are made of.

    Attributes
    ----------
    walks : Walks
        Places by context, fragment and environment.
    sides : tuple of Side
        Text and, for pairs, target, as bytes.
    text_end : int64[examples]
        Where the tokens of each text end.
    names : list of str
        The word of each token; that of the separator is empty.
    ids, labels : arrow arrays
        Of the examples; labels may be None.
    donors : int64[fragments]
        A place of each fragment.
    """

    walks: Walks
    sides: tuple[Side, ...]
    text_end: LongArray
    names: list[str]
    ids: pa.Array
    labels: pa.Array | None
    donors: LongArray

    def fragment_words(self, number: int) -> list[str]:
        """Return the n-grams of a fragment."""
        t = self.walks
        key, base, grams = int(t.keys[number]), len(t.sizes) + 1, []
        while key:
            key, digit = divmod(key, base)
            begin = int(t.starts[digit - 1])
            tokens = t.tokens[begin : begin + int(t.sizes[digit - 1])].tolist()
            grams.append(" ".join(self.names[token] for token in tokens))
        return grams


def read_places(
    corpus: Corpus,
    *,
    gaps: int,
    size: int,
    window: int | None,
    max_count: int | None,
    max_length: int | None,
    labels: str,
    protect: str | None,
) -> Places:
    """Read a corpus (raises like :meth:`sampling.geca_stream.GECAStream.induce`)."""
    if not len(corpus):
        raise CorpusError("the corpus is empty", hint="give at least one example")
    sequences, sides, names = _read_tokens(corpus, protect)
    first = _distinct(sequences)
    if len(first) < len(corpus):
        corpus = Corpus(corpus.table.take(pa.array(first)))
        del sequences, sides, names  # the second reading takes as much again
        sequences, sides, names = _read_tokens(corpus, protect)
    classes = None
    if labels == "same" or "label" in corpus.names:
        classes = read_labels(corpus).keys()
    grams = intern_ngrams(sequences, size, max_count)
    if not len(grams.start):
        raise NothingNewError.because(
            "there is no n-gram to cut out", "raise max_count, protect less, or check the texts"
        )
    used = np.ones(len(corpus), np.bool_)
    reach = WHOLE if window is None else min(window, int(np.diff(sequences.offsets).max()))
    found = list_fragments(sequences, grams, used, gaps, reach, exchangeable_only=True)
    if classes is not None and len(found.keys):
        found = by_label(found, classes, apart=labels == "same")
    rows = _rows(found)
    limit = 2**62 if max_length is None else max_length
    grid = (sequences.tokens, sequences.offsets, grams.table, grams.start, grams.size, limit)
    places = (found.sequence, found.template, found.fragment, found.environment)
    columns: Any = (np.zeros(0, np.int64), *places, *rows, found.keys, *grid)
    walks = Walks(*columns)
    walks = walks._replace(hosts=hosts_of(walks, len(sides) > 1))
    if not len(walks.hosts):
        raise NothingNewError.because(
            f"of {found.listed} fragments none can be exchanged, in pairs on both sides",
            "allow larger fragments (gaps, size) or a narrower environment (window)",
        )
    return Places(
        walks,
        sides,
        sequences.source_end,
        names,
        corpus.arrow("id").combine_chunks(),
        None if classes is None else corpus.arrow("label").combine_chunks(),
        walks.of_fragment[walks.fragment_offsets[:-1]],
    )


def _rows(found: Fragments) -> tuple[LongArray, ...]:
    """Return places by context, fragment and environment (there those of one fragment together)."""
    orders = (
        (found.template, np.argsort(found.template, kind="stable")),
        (found.fragment, np.argsort(found.fragment, kind="stable")),
        (found.environment, np.lexsort((found.fragment, found.environment))),
    )
    rows: list[LongArray] = []
    for number, order in orders:
        rows += [order, np.concatenate(([0], np.cumsum(np.bincount(number))))]
    return tuple(rows)


def _read_tokens(
    corpus: Corpus, protect: str | None
) -> tuple[Sequences, tuple[Side, ...], list[str]]:
    """Return the examples as token sequences, their sides, and the word of each token."""
    columns = [name for name in ("text", "target") if name in corpus.names]
    parts, words = [], []
    for name in columns:
        texts = corpus.arrow(name).combine_chunks()
        if texts.null_count:
            missing = int(np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))[0])
            raise CorpusError(
                f"the column {name!r} holds None, not text",
                where=f"example {missing} (id {corpus.arrow('id')[missing].as_py()!r})",
                hint="fill it in, or drop these examples",
            )
        text, text_offsets = text_bytes(texts)
        start, end, offsets = words_of(text, text_offsets)
        parts.append((text, text_offsets, offsets, start, end))
        data, bounds = join_pieces(text, start[:, None], end[:, None])
        buffers = [None, pa.py_buffer(bounds), pa.py_buffer(data)]
        words.append(pa.LargeStringArray.from_buffers(len(start), buffers[1], buffers[2]))
    coded = pa.concat_arrays(words).dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int32) + SEPARATOR + 1
    names = ["", *coded.dictionary.to_pylist()]
    lengths = [np.diff(part[2]) for part in parts]
    total = sum(lengths) + len(columns) - 1
    offsets = np.concatenate(([0], np.cumsum(total))).astype(np.int64)
    tokens = np.full(offsets[-1], SEPARATOR, np.int32)
    fixed = None
    if protect is not None or "protected" in corpus.names:
        fixed = np.zeros(len(tokens), np.bool_)
    sides, begin, used = [], offsets[:-1], 0
    for name, part, length in zip(columns, parts, lengths, strict=True):
        place = np.repeat(begin - part[2][:-1], length) + np.arange(len(part[3]))
        if fixed is not None:
            fixed[place] = protected_words(corpus, _Column(name, *part[1:]), protect)
        tokens[place] = codes[used : used + len(place)]
        sides.append(Side(*part, begin))
        begin, used = begin + length + 1, used + len(place)
    text_end = offsets[:-1] + lengths[0]
    return Sequences(tokens, offsets, text_end, fixed), tuple(sides), names


class _Column(NamedTuple):
    """Where the words of a column stand (``sampling.sides.WordPlaces``)."""

    name: str
    text_offsets: LongArray
    offsets: LongArray
    start: LongArray
    end: LongArray


def _distinct(sequences: Sequences) -> LongArray:
    """Return the first of each set of equal examples, in order."""
    hashes: Any = row_hashes(sequences.tokens, sequences.offsets[:-1], sequences.offsets[1:])
    return np.sort(np.unique(hashes, return_index=True)[1])

"""From a corpus to a span grammar: checked examples, and the sites that can be filled otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar.arrays import LongArray
from grammar.errors import CorpusError, OptionError
from induction.corpus import COLUMNS, Corpus
from sampling.labels import check_corpus
from sampling.repairs import repair_names
from sampling.sides import Side, read_side
from sampling.sites import Sites, no_material
from sampling.span_draws import hash_sides, site_pieces, site_words, span_hashes
from sampling.span_grammar import Pools, SpanGrammar, normalised

__all__ = ["Examples", "assemble", "other_fillers", "read_examples"]

_WORD_COLUMNS = ("tokens", "tags", "heads", "deprels", "tree", "tree_pair")


@dataclass(frozen=True, eq=False)
class Examples:
    """The checked examples of a corpus and their sides."""

    corpus: Corpus
    sides: tuple[Side, ...]


def read_examples(corpus: Corpus, *, tokenised: bool = False) -> Examples:
    """Check a corpus and find the words of its texts.

    Raises
    ------
    CorpusError
        If it is empty, or a text or label is not valid (:func:`sampling.labels.check_corpus`).
    OptionError
        If texts are made anew although a column says where they are protected.
    """
    if not len(corpus):
        raise CorpusError("the corpus is empty", hint="give at least two examples")
    if "id" not in corpus.names:
        corpus = corpus.with_column("id", [str(i) for i in range(len(corpus))])
    check_corpus(corpus)
    sides = []
    for name in [name for name in ("text", "text_pair") if name in corpus.names]:
        side = read_side(corpus, name, tokenised=tokenised)
        if tokenised:
            bounds = side.text_offsets
            texts = pa.LargeStringArray.from_buffers(
                len(side), pa.py_buffer(bounds), pa.py_buffer(side.text)
            )
            corpus = corpus.with_column(name, texts)
        sides.append(side)
    for word_column in ("tags", "heads", "deprels"):
        if word_column in corpus.names:
            _check_lengths(corpus, word_column, sides[0])
    if tokenised and "protected" in corpus.names:
        raise OptionError(
            "tokenised=True makes texts in which the places of 'protected' are others",
            hint="leave one of them out, or protect by a regular expression",
        )
    kept = [name for name in corpus.names if name in COLUMNS or name in ("label", "protected")]
    table = corpus.table.select([name for name in kept if name != "provenance"])
    return Examples(Corpus(table.combine_chunks()), tuple(sides))


def _check_lengths(corpus: Corpus, name: str, side: Side) -> None:
    lengths = pc.list_value_length(corpus.arrow(name).combine_chunks())
    wrong = np.flatnonzero(lengths.to_numpy(zero_copy_only=False) != side.lengths)
    if len(wrong):
        i = int(wrong[0])
        raise CorpusError(
            f"there are {lengths[i].as_py()} {name} for {side.lengths[i]} words",
            where=corpus.where(i),
            hint=f"give one of {name!r} a word, or the words in a column 'tokens'",
        )


def assemble(
    method: str,
    version: str,
    examples: Examples,
    sites: Sites,
    pools: Pools,
    *,
    columns: tuple[str, ...],
    mixes: bool,
    options: dict[str, Any],
) -> SpanGrammar:
    """Make the grammar of the sites that can be filled otherwise; the rest is left out.

    Raises
    ------
    CorpusError
        If no site can be filled with other words; the message says what emptied the pool.
    """
    hashes = hash_sides(examples.sides)
    pieces = site_pieces(hashes, sites.example, *site_words(sites, examples.sides))
    span = span_hashes(pieces)
    del pieces
    others = other_fillers(pools, span)
    hosts = others > 0
    if not hosts.any():
        what = "with another span of other words in the same class"
        raise no_material((*sites.story, (f"classes, 0 spans {what}", len(pools.names))))
    of_site = np.where(hosts, pools.of_site, -1).astype(np.int32)
    used, number = np.unique(of_site[hosts], return_inverse=True)
    of_site[hosts] = number.astype(np.int32)
    sizes = np.diff(pools.offsets)[used]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    entry = np.arange(offsets[-1]) + np.repeat(pools.offsets[used] - offsets[:-1], sizes)
    fillers = pools.fillers[entry]
    needed = hosts.copy()
    needed[fillers] = True
    renumbered = np.cumsum(needed, dtype=np.int32) - 1
    kept = sites.take(needed)
    smaller = Pools(
        of_site[needed],
        pools.host_weight[needed],
        offsets,
        renumbered[fillers].astype(np.int32),
        pools.weight[entry],
        tuple(pools.names[p] for p in used.tolist()),
    )
    columns = tuple(name for name in columns if name in examples.corpus.names)
    if "final" in repair_names(options["repair"]) and set(columns) & set(_WORD_COLUMNS):
        raise OptionError(
            "repair='final' may add or drop a mark, which tokens, tags, heads and trees would miss",
            hint="drop these columns, or leave this repair out",
        )
    grammar = SpanGrammar(
        method, version, examples.corpus, kept, normalised(smaller), columns, mixes, options
    )
    grammar.__dict__["sides"] = examples.sides  # what the cached property would read again
    return grammar


def other_fillers(pools: Pools, span: Any) -> LongArray:
    """Return for every site how many fillers of other words its pool holds (0 without a pool)."""
    sizes = np.diff(pools.offsets)
    if not len(pools.fillers):
        return np.zeros(len(span), np.int64)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    code = np.unique(span, return_inverse=True)[1].ravel().astype(np.int64)
    width = int(code.max(initial=0)) + 1
    held, count = np.unique(owner * width + code[pools.fillers], return_counts=True)
    mine = pools.of_site.astype(np.int64) * width + code
    at = np.minimum(np.searchsorted(held, mine), len(held) - 1)
    same = np.where(held[at] == mine, count[at], 0)
    return np.where(pools.of_site >= 0, sizes[pools.of_site] - same, 0)

"""From the examples of a corpus to a span grammar: the sites that can be filled otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from grammar.arrays import LongArray
from grammar.messages import tell
from sampling.examples.entities import refuse_schemes, refuse_spans
from sampling.examples.examples import Examples, no_material
from sampling.spans.draws import hash_sides, site_pieces, site_words, span_hashes
from sampling.spans.grammar import SpanGrammar
from sampling.spans.pools import Pools, normalised
from sampling.spans.repairs import repair_names
from sampling.spans.sites import Sites

__all__ = ["assemble", "other_fillers"]

_WORD_COLUMNS = ("tokens", "tags", "heads", "deprels", "tree", "tree_pair")


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
    if "final" in repair_names(options["repair"]):
        refuse_spans(examples.corpus, method, "repair='final' may take the last mark of one")
    if options.get("task") != "tags":
        refuse_schemes(examples.corpus, method)
    if "final" in repair_names(options["repair"]):
        columns = _without_word_columns(method, columns)
    grammar = SpanGrammar(
        method, version, examples.corpus, kept, normalised(smaller), columns, mixes, options
    )
    grammar.__dict__["sides"] = examples.sides  # what the cached property would read again
    return grammar


def _without_word_columns(method: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out what says something of each word, and say so."""
    lost = [name for name in columns if name in _WORD_COLUMNS]
    if lost:
        tell(
            f"{method}: repair='final' may add or drop a mark, which {', '.join(lost)} would miss; "
            "new examples come without"
        )
    return tuple(name for name in columns if name not in lost)


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

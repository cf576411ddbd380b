"""Pairs of source and target from a synchronous grammar, with the derivation of each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from grammar.errors import EmptyLanguageError, OptionError
from grammar.pcfg.analysis import productive
from grammar.rng import stream_key
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.tables import (
    Band,
    DepthSampler,
    DerivationSampler,
    FreeSampler,
    LengthTableSampler,
    SynchronousDraws,
)
from induction.corpus.corpus import Corpus
from sampling.examples.provenance import example_table
from sampling.examples.splicing import as_lists
from sampling.stream import plain_batches

__all__ = ["pair_batches", "sample_pairs"]

METHOD = "synchronous"
VERSION = "1"
"""Raised whenever the same seed would give other bytes."""

_BATCH = 16_384


def sample_pairs(
    grammar: SynchronousGrammar,
    n: int,
    *,
    seed: int = 0,
    start: int = 0,
    depth: Band | None = None,
    source_length: Band | None = None,
    target_length: Band | None = None,
    uniform: bool = False,
    flat: bool = False,
) -> Corpus:
    """Draw n independent pairs, each with exactly its probability under what was asked for.

    Example i is a function of (seed, i) alone; being independent draws, examples may repeat.

    Parameters
    ----------
    grammar : SynchronousGrammar
        Any; without a depth or length, both its sides must stay finite.
    n : int
        How many.
    seed, start : int
        Examples ``start`` to ``start + n - 1`` of the stream ``seed``.
    depth : (int, int), optional
        Condition on this many levels of rules, both ends included.
    source_length, target_length : (int, int), optional
        Condition on this many words of one side, or of both at once.
    uniform : bool
        All derivations within the bands alike, instead of by weight.
    flat : bool
        All lengths within the bands alike: first a length (or a pair of them), then a derivation.

    Returns
    -------
    Corpus
        Columns ``id``, ``text``, ``target`` and ``provenance``, which has the rule numbers of the
        derivation in preorder and its natural log-probability under the grammar.

    Raises
    ------
    NotTightError
        If there is no band, and a side of the grammar does not stay finite.
    LengthBandError
        If no derivation is within the bands.
    EmptyLanguageError
        If no derivation ends at all.
    OptionError
        If options contradict each other or are out of range.

    Examples
    --------
    >>> grammar = SynchronousGrammar.parse('''
    ...     NT_1 twice ### NT_1 NT_1 [0.5]
    ...     walk ### WALK [0.5]
    ... ''')
    >>> pairs = sample_pairs(grammar, 2, target_length=(4, 4))
    >>> pairs[0]["text"], pairs[0]["target"]
    ('walk twice twice', 'WALK WALK WALK WALK')
    """
    batches = pair_batches(
        grammar, n, seed=seed, start=start, depth=depth, source_length=source_length,
        target_length=target_length, uniform=uniform, flat=flat, batch_size=max(n, 1),
    )  # fmt: skip
    return Corpus(pa.concat_tables(batches))


def pair_batches(
    grammar: SynchronousGrammar,
    n: int,
    *,
    seed: int = 0,
    start: int = 0,
    depth: Band | None = None,
    source_length: Band | None = None,
    target_length: Band | None = None,
    uniform: bool = False,
    flat: bool = False,
    batch_size: int = _BATCH,
) -> Iterator[pa.Table]:
    """Yield the table of :func:`sample_pairs` in batches, in order, in constant memory."""
    sampler = _sampler(grammar, depth, source_length, target_length, uniform, flat)
    key = stream_key(seed, METHOD)

    def batch(first: int, count: int) -> pa.Table:
        return _table(grammar, sampler.draw(key, first, count), seed, first)

    return plain_batches(batch, n, start=start, batch_size=batch_size)


def _table(grammar: SynchronousGrammar, draws: SynchronousDraws, seed: int, first: int) -> pa.Table:
    sides = [grammar.yields(draws[i]) for i in range(len(draws))]
    index = np.arange(first, first + len(draws))
    columns = {
        "id": pa.array(index.astype(str), pa.string()),
        "text": pa.array([" ".join(source) for source, _ in sides], pa.string()),
        "target": pa.array([" ".join(target) for _, target in sides], pa.string()),
    }
    return example_table(
        METHOD,
        VERSION,
        seed,
        index,
        columns,
        rules=as_lists(draws.rules, draws.offsets),
        log_probability=draws.log_probability,
    )


def _sampler(
    grammar: SynchronousGrammar,
    depth: Band | None,
    source: Band | None,
    target: Band | None,
    uniform: bool,
    flat: bool,
) -> DerivationSampler:
    side = grammar.source_side.pcfg
    if not productive(side)[side.start_id]:
        raise EmptyLanguageError(
            f"no derivation from {grammar.start} ever ends in words",
            hint="every type needs a rule that leads to words, such as V -> walk ### WALK",
        )
    if depth is not None:
        if source is not None or target is not None or flat:
            raise OptionError(
                "a depth was given with a length or flat lengths", hint="give one of them"
            )
        return DepthSampler(grammar, depth, uniform=uniform)
    if source is not None or target is not None:
        return LengthTableSampler(grammar, source=source, target=target, uniform=uniform, flat=flat)
    if uniform or flat:
        raise OptionError(
            "uniform and flat draws need a band", hint="give a depth or a length, such as (1, 20)"
        )
    return FreeSampler(grammar)

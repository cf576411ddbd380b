"""Learning the score of seams from a span grammar: spreads, and own places against random ones.

The learnt score tells a span in its own place from a random one of its pool, as a logistic
regression does: its logit is the logarithm of how much more probable a filler is in a place than
in its pool, so that a power of 1 is the natural one (the density-ratio estimate of noise
contrast, Gutmann & Hyvarinen 2010). Cohesions that it learns from are by models that have read
neither of the two sentences.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from grammar.arrays import FloatArray, IntArray, LongArray, kernel
from grammar.errors import MissingDataError, to_install
from grammar.rng import next_uniform, open_stream, stream_key, uniforms
from sampling.joins.score import Borders, SeamScore, sentences_of
from sampling.joins.sentences import automaton
from sampling.spans.borders import (
    BORDER_FEATURES,
    TREE_FEATURES,
    border_codes,
    border_widths,
    names_of,
)
from sampling.spans.draws import DrawTables, drawn_entry
from sampling.spans.grammar import SpanGrammar
from sampling.spans.tilted import (
    PairScore,
    draw_resampled,
    hosts_of,
    pair_score,
    score_pairs,
    seams_of,
)

__all__ = ["learn_seams", "learnt_score", "plain_score"]

PLAIN_DRAWS = 4096
FOLDS = 5
MOST_ROWS = 16_384
BACKOFF = 3.0
"""So many sites of no particular place are added to those seen at a place."""
PENALTY = 0.3
"""The inverse power of the penalty of the regression."""

_TRIES = 32


def learn_seams(grammar: SpanGrammar, tables: DrawTables, kind: str) -> SeamScore:
    """Learn a score of the pairs of a grammar from its own examples, which are its source."""
    return (learnt_score if kind == "learnt" else plain_score)(grammar, tables)


def plain_score(grammar: SpanGrammar, tables: DrawTables) -> SeamScore:
    """Return the cohesions over words, tags and trees, each by its spread over plain draws."""
    score = SeamScore(*sentences_of(grammar.sides, grammar.examples))
    score = replace(score, borders=_tree_borders(grammar, score))
    host, filler = _plain_pairs(grammar, tables, score)
    parts = range(2 if score.borders is None else 3)
    pairs = pair_score(grammar, score)
    alone = (_only(pairs, part) for part in parts)
    return score.weighted(np.stack([score_pairs(each, host, filler) for each in alone]))


def _only(pairs: PairScore, part: int) -> PairScore:
    """Return the score by words alone, by tags alone, or by trees alone, without weights."""
    has_tags = float(pairs.tag_weight != 0.0)
    kept = pairs._replace(word_weight=float(part == 0), tag_weight=has_tags * (part == 1))
    if part == 2:
        return kept
    none = np.zeros((len(pairs.context), 0), np.int64)
    return kept._replace(context=none, filler=none, learnt=np.zeros(0))


def _tree_borders(grammar: SpanGrammar, score: SeamScore) -> Borders | None:
    """Return what is known of places and categories, if the grammar is of constituents."""
    names = names_of(grammar, TREE_FEATURES)
    if not names.places:
        return None
    context, filler = border_codes(grammar, score, names)
    widths = border_widths(score, names)
    return Borders(*names, widths, _associations(context + filler, widths))


def _associations(own: LongArray, widths: LongArray) -> FloatArray:
    """Return how much more probable each filler's value is beside a context's than by itself.

    It is ``log P(filler | context) - log P(filler)``, the first of them counts with :data:`BACKOFF`
    more that are spread as the second. 0 stands for others, of which nothing is known.

    Parameters
    ----------
    own : int64[sites, features]
        The place in the table of each site's own values.
    widths : int64[features, 2]
        Of the table.
    """
    tables = []
    base = 0
    for column, (rows, values) in zip(own.T, widths.tolist(), strict=True):
        count = np.bincount(column - base, minlength=rows * values).reshape(rows, values)
        base += rows * values
        share = count.sum(axis=0) / count.sum()
        expected = np.where(share > 0, share, 1.0)
        likely = (count + BACKOFF * share) / (count.sum(axis=1, keepdims=True) + BACKOFF)
        table = np.log(np.where(share > 0, likely, 1.0) / expected)
        table[0], table[:, 0] = 0.0, 0.0
        tables.append(table.ravel())
    return np.concatenate(tables)


def _plain_pairs(
    grammar: SpanGrammar, tables: DrawTables, score: SeamScore
) -> tuple[LongArray, LongArray]:
    hosts = hosts_of(grammar)
    taken = np.arange(PLAIN_DRAWS, dtype=np.int64) % len(hosts.share)
    site, entry = np.empty(len(taken), np.int32), np.empty(len(taken), np.int64)
    silent = pair_score(grammar, SeamScore(score.words, score.tags, (0.0, 0.0)))
    key = stream_key(0, "plain draws for a spread")
    draw_resampled(key, 0, taken, hosts, tables, silent, 0.0, 1, site, entry, np.empty(len(taken)))
    good = site >= 0
    return site[good].astype(np.int64), grammar.pools.fillers[entry[good]].astype(np.int64)


def learnt_score(grammar: SpanGrammar, tables: DrawTables) -> SeamScore:
    """Return the score that tells spans in their own places from random ones of their pools.

    Raises
    ------
    MissingDataError
        If scikit-learn is not installed.
    """
    plain = plain_score(grammar, tables)
    host, filler, own = _rows(grammar, tables)
    if len(np.unique(own)) < 2:
        return plain
    names = names_of(grammar, BORDER_FEATURES)
    context, codes = border_codes(grammar, plain, names)
    widths = border_widths(plain, names)
    cohesions = _crossed(grammar, plain, host, filler)
    scale = np.array([*plain.weights, 1.0])
    weights, table = _fitted(context[host] + codes[filler], cohesions * scale[:, None], own, widths)
    borders = Borders(*names, widths, table)
    trees = _tree_borders(grammar, plain)
    if trees is not None:
        borders = Borders(
            names.features + trees.features,
            names.labels,
            trees.places,
            np.concatenate((widths, trees.widths)),
            np.concatenate((table, float(weights[2]) * trees.weights)),
        )
    words, tags = (weights[:2] * scale[:2]).tolist()
    return SeamScore(plain.words, plain.tags, (words, tags), borders)


def _folds(grammar: SpanGrammar) -> IntArray:
    """Return a fold for every example, drawn at random."""
    order = np.argsort(uniforms(stream_key(0, "folds"), 0, len(grammar.examples)), kind="stable")
    folds = np.empty(len(order), np.int32)
    folds[order] = np.arange(len(order)) % min(FOLDS, len(order))
    return folds


def _rows(grammar: SpanGrammar, tables: DrawTables) -> tuple[LongArray, LongArray, IntArray]:
    """Return sites with their own words and with others of their pool, of the same fold."""
    hosts = np.flatnonzero(grammar.pools.of_site >= 0)
    step = -(-len(hosts) // MOST_ROWS)
    hosts = hosts[::step].astype(np.int64)
    key = stream_key(0, "others of a pool")
    others = _others(key, hosts, tables, _folds(grammar)[grammar.sites.example])
    found = others >= 0
    host = np.concatenate((hosts[found], hosts[found]))
    filler = np.concatenate((hosts[found], others[found]))
    own = np.repeat(np.array([1, 0], np.int32), int(found.sum()))
    return host, filler, own


@kernel()
def _others(key: np.uint64, hosts: LongArray, tables: DrawTables, fold: IntArray) -> LongArray:
    """Draw a filler of other words and of the host's fold for every site; -1 if none is found."""
    found = np.full(len(hosts), -1, np.int64)
    for r in range(len(hosts)):
        state = open_stream(key, r)
        for _ in range(_TRIES):
            state, u = next_uniform(state)
            filler = tables.pool_fillers[drawn_entry(tables, hosts[r], u)]
            if fold[filler] == fold[hosts[r]] and tables.span[filler] != tables.span[hosts[r]]:
                found[r] = filler
                break
    return found


def _crossed(
    grammar: SpanGrammar, score: SeamScore, host: LongArray, filler: LongArray
) -> FloatArray:
    """Return the cohesions of pairs by models of the other folds; host and filler are of one."""
    folds, texts = _folds(grammar), len(grammar.examples)
    mine = folds[grammar.sites.example[host]]
    found = np.zeros((3, len(host)))
    if score.borders is not None:
        found[2] = _crossed_trees(grammar, score, host, filler)
    for k, held in enumerate((score.words, score.tags)):
        if held is None:
            continue
        sides = (len(held.offsets) - 1) // texts
        for fold in np.unique(mine).tolist():
            rows = np.flatnonzero(mine == fold)
            model = automaton(held.take(np.tile(folds != fold, sides)))
            seams = seams_of(model, held, grammar.sites, texts)
            none = np.zeros((len(grammar.sites), 0), np.int64)
            pairs = PairScore(model, seams, 1.0, model, seams, 0.0, none, none, np.zeros(0))
            found[k, rows] = score_pairs(pairs, host[rows], filler[rows])
    return found


def _crossed_trees(
    grammar: SpanGrammar, score: SeamScore, host: LongArray, filler: LongArray
) -> FloatArray:
    names = names_of(grammar, TREE_FEATURES)
    context, codes = border_codes(grammar, score, names)
    widths, fold = border_widths(score, names), _folds(grammar)[grammar.sites.example]
    found = np.zeros(len(host))
    for number in np.unique(fold[host]).tolist():
        rows = np.flatnonzero(fold[host] == number)
        table = _associations((context + codes)[fold != number], widths)
        found[rows] = table[context[host[rows]] + codes[filler[rows]]].sum(axis=1)
    return found


def _fitted(
    places: LongArray, cohesions: FloatArray, own: IntArray, widths: LongArray
) -> tuple[FloatArray, FloatArray]:
    """Fit the regression; return the weights of the cohesions and of the table of borders."""
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        raise MissingDataError(
            "scikit-learn is not installed", hint=to_install("quality")
        ) from None
    from scipy import sparse
    from threadpoolctl import threadpool_limits

    size = int(widths.prod(axis=1).sum())
    rows = np.repeat(np.arange(len(places)), places.shape[1])
    ones = np.ones(places.size)
    borders = sparse.csr_matrix((ones, (rows, places.ravel())), shape=(len(places), size))
    features: Any = sparse.hstack([sparse.csr_matrix(cohesions.T), borders]).tocsr()
    used = np.flatnonzero(features.getnnz(axis=0))
    with threadpool_limits(1):  # sums over more threads differ in their last digits
        model = LogisticRegression(C=PENALTY, max_iter=1000).fit(features[:, used], own)
    weights = np.zeros(features.shape[1])
    weights[used] = model.coef_[0]
    dense = len(cohesions)
    return weights[:dense], weights[dense:]

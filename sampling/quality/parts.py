"""The parts of a quality report: from material to results with confidence intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from grammar.arrays import FloatArray, LongArray
from grammar.errors import CorpusError
from induction.corpus.corpus import PARSE_FIRST
from induction.corpus.tree_files import trees_of_corpus
from sampling.examples.labels import has_sets
from sampling.quality.measures import derivations, diversity, fidelity, overlap, self_bleu
from sampling.quality.measures.confidence import (
    grouped_sums,
    interval,
    resampled_means,
    type_interval,
)
from sampling.quality.measures.diversity import Types
from sampling.quality.measures.lengths import length_shift, length_shift_interval
from sampling.quality.results import Material, Result, Score

__all__ = ["PARTS"]

Part = Callable[[Material], Iterator[Result]]
_MOST_WORK = 2 * 10**9
_REPARSED = 200
_TRAINED_ON = 20_000


def _labels(m: Material) -> Iterator[Result]:
    made, given = fidelity.shared_labels(m.augmented, m.originals)
    shift, sets = fidelity.label_shift(m.augmented, m.originals), has_sets(m.originals)
    yield Result("label_shift", Score(shift), None, len(made))
    judged = fidelity.judge(m.augmented, m.originals, m.parents, seed=m.seed)
    known = ~np.isnan(judged.augmented).any(axis=1)
    right = np.full(len(made), np.nan)
    right[known] = fidelity.agreement(judged.augmented[known], made[known], sets=sets)
    right_before = fidelity.agreement(judged.originals, given, sets=sets).astype(np.float64)
    yield _mean(m, "fidelity", right, right_before)
    errors = fidelity.squared_error(judged.augmented, made)
    yield _mean(m, "fidelity_error", errors, fidelity.squared_error(judged.originals, given))
    if judged.held_out and m.host is not None:
        yield _affinity(m, right[known], m.host[known], right_before)


def _affinity(m: Material, right: FloatArray, host: LongArray, right_before: FloatArray) -> Result:
    sums, sizes = grouped_sums(right, np.ones(len(right)), host)
    above = resampled_means(sums, sizes, seed=m.seed, name="augmented")
    ones = np.ones(len(right_before))
    below = resampled_means(right_before, ones, seed=m.seed, name="originals")
    if not right_before.any():
        raise CorpusError("the classifier is right on no original", hint="give more examples")
    low, high = interval(above / np.maximum(below, 1 / len(ones)))
    value = float(right.mean() / right_before.mean())
    return Result("affinity", Score(value, low, high), None, len(right))


def _training(m: Material) -> Iterator[Result]:
    chosen = _spread(len(m.augmented), _TRAINED_ON)
    part = type(m.augmented)(m.augmented.table.take(chosen))
    ratio = fidelity.training_loss_ratio(part, m.originals)
    yield Result("diversity", Score(ratio), None, len(part))


def _copies(m: Material) -> Iterator[Result]:
    yield _mean(m, "novelty", overlap.novel(m.new, m.old))
    yield _mean(m, "near_copies", overlap.near(m.new, m.old))
    total = np.cumsum(overlap.nearest_work(m.new, m.old))
    affordable = len(m.new) if total[-1] <= _MOST_WORK else _affordable(total)
    rows = _spread(len(m.new), affordable)
    values = np.full(len(m.new), np.nan)
    values[rows] = overlap.nearest(m.new.take(rows), m.old).similarity
    yield _mean(m, "nearest_similarity", values)


def _affordable(total: LongArray) -> int:
    return max(1, int(len(total) * (_MOST_WORK / total[-1])))


def _duplicates(m: Material) -> Iterator[Result]:
    for name, measure in (
        ("duplicates", overlap.duplicates),
        ("near_duplicates", overlap.near_duplicates),
    ):
        yield _mean(m, name, measure(m.new), measure(m.old))


def _leakage(m: Material) -> Iterator[Result]:
    if m.test_words is None:
        raise CorpusError("there is no test corpus", hint="give one")
    for name, measure in (
        ("leakage", overlap.leaked),
        ("near_leakage", overlap.near),
        ("leakage_13grams", overlap.shares_ngram),
    ):
        found, before = measure(m.test_words, m.new), measure(m.test_words, m.old)
        if len(found):
            score, beside = (_score(m, values, None, "test") for values in (found, before))
            yield Result(name, score, beside, len(found))


def _self_bleu(m: Material) -> Iterator[Result]:
    for n in (2, 5):
        before = self_bleu.self_bleu(m.old, order=n) if len(m.old) > 1 else None
        if len(m.new) > 1:
            yield _mean(m, f"self_bleu_{n}", self_bleu.self_bleu(m.new, order=n), before)
        values = self_bleu.bleu_to_originals(m.new, m.old, order=n)
        yield _mean(m, f"bleu_to_originals_{n}", values, before)


def _bleu_to_parents(m: Material) -> Iterator[Result]:
    if m.parents is None:
        raise m.why_no_parents or CorpusError("no parents are known")
    for n in (2, 5):
        values = self_bleu.bleu_to_parents(m.new, m.old, m.parents, order=n)
        yield _mean(m, f"bleu_to_parents_{n}", values)


def _distinct(m: Material) -> Iterator[Result]:
    for n in (1, 2, 3):
        new, old = diversity.ngram_types(n, m.new, m.old)
        yield from _types(f"distinct_{n}", new, old)


def _trees(m: Material) -> Iterator[Result]:
    made = trees_of_corpus(m.augmented)
    if "tree" not in m.originals.names:
        raise CorpusError("the originals have no column 'tree'", hint=PARSE_FIRST)
    given = trees_of_corpus(m.originals)
    new, old = diversity.rule_types(made, given)
    yield from _types("rule_diversity", new, old)
    uses = np.bincount(new.owner, minlength=len(made)).astype(np.float64)
    fresh = np.bincount(new.owner, diversity.new_types(new, old), minlength=len(made))
    yield _ratio(m, "new_rules", fresh.astype(np.float64), uses)
    yield from _types("shape_diversity", *diversity.shape_types(made, given))


def _lengths(m: Material) -> Iterator[Result]:
    yield _mean(m, "mean_length", m.new.lengths, m.old.lengths)
    low, high = length_shift_interval(m.new, m.old, groups=m.host, seed=m.seed)
    value = length_shift(m.new, m.old)
    yield Result("length_shift", Score(value, low, high), None, len(m.new))


def _derivations(m: Material) -> Iterator[Result]:
    values = derivations.log_probabilities(m.augmented)
    yield _mean(m, "log_probability", values)
    if m.new.lengths.any():
        yield _ratio(m, "log_probability_per_word", values, m.new.lengths.astype(np.float64))


def _reparse(m: Material) -> Iterator[Result]:
    if m.parser is None:
        raise CorpusError("there is no parser", hint="give one")
    rows = _spread(len(m.new), _REPARSED)
    again = derivations.reparse(m.augmented, m.parser, rows)
    before = derivations.reparse(m.originals, m.parser, _spread(len(m.old), _REPARSED))
    score = _score(m, again.parsed, None, "reparsed")
    beside = _score(m, before.parsed, None, "originals")
    yield Result("parsed", score, beside, len(rows))
    if again.agreeing is None or again.brackets is None or not again.brackets.any():
        return
    old = None
    if before.agreeing is not None and before.brackets is not None and before.brackets.any():
        old = _ratio_score(m, before.agreeing, before.brackets, None, "originals")
    new = _ratio_score(m, again.agreeing, again.brackets, None, "reparsed")
    yield Result("reparse_agreement", new, old, len(rows))


PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "fidelity": _labels,
        "diversity": _training,
        "novelty": _copies,
        "duplicates": _duplicates,
        "leakage": _leakage,
        "Self-BLEU": _self_bleu,
        "BLEU to the parents": _bleu_to_parents,
        "distinct-n": _distinct,
        "rules and shapes": _trees,
        "lengths": _lengths,
        "log-probability": _derivations,
        "re-parse agreement": _reparse,
    }
)
"""What is measured, by the name under which it may be left out."""


def _spread(size: int, most: int) -> LongArray:
    """Return at most so many rows, evenly spread."""
    if size <= most:
        return np.arange(size)
    return np.asarray(np.arange(most) * size // most, np.int64)


def _mean(m: Material, name: str, each: object, before: object = None) -> Result:
    """Return the mean of what is known of the augmented examples, and of the originals."""
    values = np.asarray(each, np.float64)
    known = ~np.isnan(values)
    groups = None if m.host is None else m.host[known]
    score = _score(m, values[known], groups, "augmented")
    if before is None:
        return Result(name, score, None, int(known.sum()), values)
    old = np.asarray(before, np.float64)
    beside = _score(m, old, None, "originals")
    return Result(name, score, beside, int(known.sum()), values, old)


def _ratio(m: Material, name: str, sums: FloatArray, sizes: FloatArray) -> Result:
    score = _ratio_score(m, sums, sizes, m.host, "augmented")
    return Result(name, score, None, len(sums), sums / np.maximum(sizes, 1))


def _score(m: Material, each: object, groups: LongArray | None, name: str) -> Score:
    values = np.asarray(each, np.float64)
    return _ratio_score(m, values, np.ones(len(values)), groups, name)


def _ratio_score(
    m: Material, sums: FloatArray, sizes: FloatArray, groups: LongArray | None, name: str
) -> Score:
    drawn = resampled_means(*grouped_sums(sums, sizes, groups), seed=m.seed, name=name)
    return Score(float(sums.sum() / sizes.sum()), *interval(drawn))


def _types(name: str, new: Types, old: Types) -> Iterator[Result]:
    """Return types over tokens, as they are and at equal size."""
    if not len(new) or not len(old):
        return
    score, beside = (Score(t.ratio, *type_interval(t.ids, t.owner)) for t in (new, old))
    yield Result(name, score, beside, len(new))
    size = min(len(new), len(old))
    score, beside = (Score(diversity.rarefied(t.counts, size)) for t in (new, old))
    yield Result(f"rarefied_{name}", score, beside, size)

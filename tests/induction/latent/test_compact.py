"""Weights and counts as whole multiples: what stays, and how far off the rest may be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grammar.trees.evaluation import evalb
from induction import read_treebank
from induction.latent.compact import apportioned
from induction.parsers.latent import LatentParser
from induction.parsers.training import induce_parser


def by_hand(values: list[float], parts: int) -> list[float]:
    """Largest remainders, one part at a time."""
    whole = [int(value * parts) for value in values]
    for _ in range(round(sum(values) * parts - sum(whole))):
        lost = [value * parts - n for value, n in zip(values, whole, strict=True)]
        whole[lost.index(max(lost))] += 1
    return [n / parts for n in whole]


numbers = st.floats(0.0, 3.0).map(lambda x: round(x, 6))


@given(st.lists(st.lists(numbers, min_size=1, max_size=6), min_size=1, max_size=5))
def test_each_group_is_apportioned_as_by_hand(groups: list[list[float]]) -> None:
    values = np.array([value for group in groups for value in group])
    group = np.array([number for number, each in enumerate(groups) for _ in each])
    found = apportioned(values, group, 64)
    expected = [value for each in groups for value in by_hand(each, 64)]
    assert np.allclose(np.sort(found), np.sort(expected)) or _near_tie(values)
    assert np.array_equal(found * 64, np.rint(found * 64))
    assert (np.abs(found - values) < 1 / 64).all()
    for number, each in enumerate(groups):
        assert found[group == number].sum() == pytest.approx(round(sum(each) * 64) / 64)


def _near_tie(values: np.ndarray) -> bool:
    return bool(np.isclose(values * 64 % 1.0, 0.5).any())


def test_order_of_groups_does_not_matter() -> None:
    values, group = np.array([0.4, 0.26, 0.6, 0.74]), np.array([1, 0, 1, 0])
    assert apportioned(values, group, 10).tolist() == [0.4, 0.3, 0.6, 0.7]


@pytest.fixture(scope="module")
def parser() -> LatentParser:
    quick = {"rounds": 2, "split_iterations": 4, "merge_iterations": 3}
    return induce_parser(read_treebank()[:120], models=1, **quick)


def test_a_compact_parser_has_the_same_words_and_whole_states(parser: LatentParser) -> None:
    (before,), (after,) = parser.models, parser.compact().models
    sums = np.bincount(after.grammar.shape.parent_states, after.grammar.weight)
    assert set(np.round(sums, 12).tolist()) <= {0.0, 1.0}
    words = np.asarray(before.lexicon.counts.sum(axis=1)).ravel()
    assert np.allclose(np.asarray(after.lexicon.counts.sum(axis=1)).ravel(), words, atol=1e-9)
    assert np.abs(after.grammar.weight - before.grammar.weight).max() < 2**-20


def test_a_compact_parser_parses_alike_from_a_smaller_file(parser: LatentParser, tmp_path) -> None:
    compact = parser.compact()
    sentences = read_treebank()[120:160].sentences()
    assert evalb(parser.parse(sentences), compact.parse(sentences)).all.f1 > 95.0
    sizes = []
    for name, each in (("a.arrow", parser), ("b.arrow", compact)):
        each.save(tmp_path / name)
        sizes.append((tmp_path / name).stat().st_size)
    assert sizes[1] < 0.6 * sizes[0]
    again = LatentParser.load(tmp_path / "b.arrow")
    assert again.version == compact.version == again.compact().version

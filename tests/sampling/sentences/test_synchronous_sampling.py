"""Samples of synchronous grammars have exactly the distribution that enumeration gives."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import chisquare

from grammar.errors import EmptyLanguageError, LengthBandError, NotTightError, OptionError
from grammar.rng import stream_key
from grammar.synchronous.grammar import SynchronousGrammar
from grammar.synchronous.tables import DepthSampler, FreeSampler, LengthTableSampler
from sampling.sentences.pairs import sample_pairs
from tests.grammar.synchronous.synchronous_reference import (
    Derived,
    derivations,
    synchronous_grammars,
)

GRAMMAR = SynchronousGrammar.parse("""
%start S
S -> S_1 and V_2 ### V_2 S_1 V_2 [0.3]
S -> V_1 ### V_1 [0.4]
S -> please S_1 ### S_1 [0.3]
V -> V_1 twice ### V_1 V_1 [0.2]
V -> walk ### WALK [0.5]
V -> turn ### TURN NOW [0.3]
""")
KEY = stream_key(3, "test")
DRAWS = 4000


def agrees(draws: object, expected: dict[tuple[int, ...], float]) -> bool:
    """Say whether draws fit a distribution over derivations, by chi-square."""
    seen = Counter(draws[i] for i in range(len(draws)))
    assert set(seen) <= set(expected)
    total = sum(expected.values())
    common = [rules for rules, p in expected.items() if p / total * len(draws) >= 5]
    observed = [seen[rules] for rules in common]
    wanted = [expected[rules] / total * len(draws) for rules in common]
    observed.append(len(draws) - sum(observed))
    wanted.append(len(draws) - sum(wanted))
    if wanted[-1] < 1e-6:
        assert observed.pop() == 0
        wanted.pop()
    return len(wanted) < 2 or chisquare(observed, wanted).pvalue > 1e-4


def chosen(found: list[Derived], uniform: bool) -> dict[tuple[int, ...], float]:
    return {d.rules: 1.0 if uniform else d.probability for d in found}


@pytest.mark.parametrize("uniform", [False, True])
def test_by_target_length(uniform: bool) -> None:
    grammar = SynchronousGrammar.parse(str(GRAMMAR).replace("### S_1 [", "### so S_1 ["))
    sampler = LengthTableSampler(grammar, target=(2, 5), uniform=uniform)
    found = [d for d in derivations(grammar, "S", words=9) if 2 <= len(d.target) <= 5]
    assert max(len(d.source) for d in found) < 9
    masses = chosen(found, uniform)
    assert sampler.table[0, 2:6].sum() == pytest.approx(sum(masses.values()))
    assert agrees(sampler.draw(KEY, 0, DRAWS), masses)


def test_by_target_length_where_sources_have_no_limit() -> None:
    # each "please" adds no target word
    with pytest.raises(OptionError, match="infinitely many"):
        LengthTableSampler(GRAMMAR, target=(2, 5), uniform=True)
    sampler = LengthTableSampler(GRAMMAR, target=(2, 5))
    found = [d for d in derivations(GRAMMAR, "S", words=9) if 2 <= len(d.target) <= 5]
    mass = sum(d.probability for d in found)
    # longer sources have more than five times "please"
    assert mass < sampler.table[0, 2:6].sum() < mass + 0.3**5
    draws = sampler.draw(KEY, 0, DRAWS)
    seen = Counter(draws[i] for i in range(len(draws)))
    for d in sorted(found, key=lambda d: d.probability)[-5:]:
        assert seen[d.rules] / DRAWS == pytest.approx(d.probability / mass, abs=0.03)


@pytest.mark.parametrize("uniform", [False, True])
def test_by_source_length(uniform: bool) -> None:
    sampler = LengthTableSampler(GRAMMAR, source=(2, 4), uniform=uniform)
    found = [d for d in derivations(GRAMMAR, "S", words=4) if len(d.source) >= 2]
    assert sampler.table[2:5].sum() == pytest.approx(sum(chosen(found, uniform).values()))
    assert agrees(sampler.draw(KEY, 0, DRAWS), chosen(found, uniform))


@pytest.mark.parametrize("uniform", [False, True])
def test_by_both_lengths(uniform: bool) -> None:
    sampler = LengthTableSampler(GRAMMAR, source=(3, 5), target=(3, 4), uniform=uniform)
    found = [
        d for d in derivations(GRAMMAR, "S", words=5)
        if 3 <= len(d.source) <= 5 and 3 <= len(d.target) <= 4
    ]  # fmt: skip
    assert agrees(sampler.draw(KEY, 0, DRAWS), chosen(found, uniform))


def test_flat_over_the_lengths() -> None:
    sampler = LengthTableSampler(GRAMMAR, source=(1, 4), target=(1, 6), flat=True)
    draws = sampler.draw(KEY, 0, DRAWS)
    cells = Counter(tuple(map(len, GRAMMAR.yields(draws[i]))) for i in range(len(draws)))
    found = {(len(d.source), len(d.target)) for d in derivations(GRAMMAR, "S", words=4)}
    assert set(cells) == {cell for cell in found if cell[1] <= 6}
    assert chisquare(list(cells.values())).pvalue > 1e-4


@pytest.mark.parametrize("uniform", [False, True])
@pytest.mark.parametrize("depth", [(3, 3), (2, 4)])
def test_by_depth(uniform: bool, depth: tuple[int, int]) -> None:
    grammar = SynchronousGrammar.parse("""
        NT_1 and NT_2 ### NT_2 NT_1 [0.3]
        NT_1 twice ### NT_1 NT_1 [0.2]
        walk ### WALK [0.5]
    """)
    sampler = DepthSampler(grammar, depth, uniform=uniform)
    low, high = depth
    found = [d for d in derivations(grammar, "NT", depth=high) if d.depth >= low]
    assert sampler.table[low:].sum() == pytest.approx(sum(chosen(found, uniform).values()))
    assert agrees(sampler.draw(KEY, 0, DRAWS), chosen(found, uniform))


def test_by_weight() -> None:
    draws = FreeSampler(GRAMMAR).draw(KEY, 0, DRAWS)
    found = {d.rules: d.probability for d in derivations(GRAMMAR, "S", words=3)}
    seen = Counter(draws[i] for i in range(len(draws)))
    for rules in sorted(found, key=found.__getitem__)[-5:]:
        assert seen[rules] / DRAWS == pytest.approx(found[rules], abs=0.03)
    i = next(i for i in range(DRAWS) if draws[i] in found)
    assert np.exp(draws.log_probability[i]) == pytest.approx(found[draws[i]])


@given(synchronous_grammars())
@settings(max_examples=30)
def test_tables_have_the_masses_of_enumeration(grammar: SynchronousGrammar) -> None:
    found = derivations(grammar, "S", words=4)
    for uniform in (False, True):
        expected = np.zeros((5, 9))
        for d in found:
            if len(d.target) <= 8:
                expected[len(d.source), len(d.target)] += 1 if uniform else d.probability
        if not expected.any():
            continue
        sampler = LengthTableSampler(grammar, source=(1, 4), target=(1, 8), uniform=uniform)
        assert sampler.table == pytest.approx(expected)
        draws = sampler.draw(KEY, 0, 20)
        assert {draws[i] for i in range(20)} <= {d.rules for d in found}


def test_a_draw_is_a_function_of_seed_and_index() -> None:
    for sampler in (
        FreeSampler(GRAMMAR),
        DepthSampler(GRAMMAR, (1, 6)),
        LengthTableSampler(GRAMMAR, source=(1, 6), target=(1, 6)),
    ):
        whole, part = sampler.draw(KEY, 0, 20), sampler.draw(KEY, 5, 10)
        assert [part[i] for i in range(10)] == [whole[i] for i in range(5, 15)]


def test_a_side_that_does_not_stay_finite() -> None:
    doubling = SynchronousGrammar.parse("NT_1 twice ### NT_1 NT_1 [0.6]\nwalk ### WALK [0.4]")
    with pytest.raises(NotTightError, match="the target side does not stay finite"):
        FreeSampler(doubling)
    wild = SynchronousGrammar.parse("NT_1 NT_2 ### NT_1 NT_2 [0.6]\nwalk ### WALK [0.4]")
    with pytest.raises(NotTightError, match="the source side does not stay finite"):
        FreeSampler(wild)
    assert len(LengthTableSampler(wild, target=(8, 8)).draw(KEY, 0, 3)) == 3


@pytest.mark.parametrize("bands", [{}, {"depth": (1, 5)}, {"target_length": (1, 5)}])
def test_derivations_that_never_end(bands: dict) -> None:
    endless = SynchronousGrammar.parse("S -> S_1 twice ### S_1 S_1 [1]")
    with pytest.raises(EmptyLanguageError, match="no derivation from S ever ends in words"):
        sample_pairs(endless, 1, **bands)
    # here one of two ways to begin ends, so there are samples in a band, and only there
    half = SynchronousGrammar.parse(
        "S -> walk ### W [0.4]\nS -> A_1 ### A_1 [0.6]\nA -> A_1 twice ### A_1 A_1 [1]"
    )
    if bands:
        assert sample_pairs(half, 2, **bands).column("target") == ["W", "W"]
    else:
        with pytest.raises(NotTightError):
            sample_pairs(half, 2)


def test_derivations_longer_than_the_first_buffer() -> None:
    polite = SynchronousGrammar.parse("please NT_1 ### NT_1 [0.999]\nwalk ### WALK [0.001]")
    draws = LengthTableSampler(polite, target=(1, 1)).draw(KEY, 0, 20)
    lengths = np.diff(draws.offsets)
    assert lengths.max() > 1024
    assert all(len(polite.yields(draws[i])[0]) == lengths[i] for i in range(20))


def test_bands_that_cannot_be() -> None:
    with pytest.raises(OptionError, match="no length is given"):
        LengthTableSampler(GRAMMAR)
    for band in ((0, 3), (3, 2), (1.5, 2)):
        with pytest.raises(OptionError, match="is not a band"):
            LengthTableSampler(GRAMMAR, source=band)
        with pytest.raises(OptionError, match="is not a band"):
            DepthSampler(GRAMMAR, band)
    words = SynchronousGrammar.parse("walk ### WALK")
    with pytest.raises(LengthBandError, match="source length 2 to 3"):
        LengthTableSampler(words, source=(2, 3))
    with pytest.raises(LengthBandError, match="2 to 3 levels"):
        DepthSampler(words, (2, 3))

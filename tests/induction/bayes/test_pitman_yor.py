"""The restaurant with its tables summed out, against plain sums over Stirling numbers."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from induction.bayes.pitman_yor import (
    draw_tables,
    fill_log_ratios,
    log_ratio,
    log_seatings,
    log_stirling,
)

DISCOUNTS = st.sampled_from([Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(19, 20)])


def stirling(longest: int, d: Fraction) -> list[list[Fraction]]:
    """S(n, K) at [n][K], from seating one customer after the other."""
    rows = [[Fraction(0)] * (longest + 2) for _ in range(longest + 1)]
    rows[0][0] = Fraction(1)
    for n in range(longest):
        for k in range(n + 1):
            rows[n + 1][k] += (n - d * k) * rows[n][k]
            rows[n + 1][k + 1] += rows[n][k]
    return rows


def log(x: Fraction) -> float:
    return math.log(x.numerator) - math.log(x.denominator)


@given(n=st.integers(1, 60), d=DISCOUNTS, exponent=st.integers(-60, 30))
def test_ratios_and_sums_are_those_of_stirling_numbers(n: int, d: Fraction, exponent: int) -> None:
    theta = Fraction(2) ** exponent
    f = [sum(s * theta**k for k, s in enumerate(row)) for row in stirling(n + 1, d)]
    work, ratios = np.empty(100), np.empty(n)
    at = exponent * math.log(2)
    assert log_ratio(n, at, float(d), work) == pytest.approx(log(f[n + 1] / f[n]), rel=1e-12)
    assert log_seatings(n, at, float(d), work) == pytest.approx(log(f[n]), rel=1e-11, abs=1e-11)
    fill_log_ratios(0, at, float(d), work, ratios)
    expected = [log(f[m + 1] / f[m]) for m in range(n)]
    np.testing.assert_allclose(ratios, expected, rtol=1e-12, atol=1e-13)
    fill_log_ratios(n // 2, at, float(d), work, ratios[: n - n // 2])
    np.testing.assert_allclose(ratios[: n - n // 2], expected[n // 2 :], rtol=1e-12, atol=1e-13)


@given(n=st.integers(1, 60), d=DISCOUNTS, data=st.data())
def test_stirling_numbers(n: int, d: Fraction, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    expected = log(stirling(n, d)[n][k])
    assert log_stirling(n, k, float(d), np.empty(100)) == pytest.approx(
        expected, rel=1e-11, abs=1e-11
    )


def test_small_base_probabilities_do_not_underflow() -> None:
    work = np.empty(100)
    assert log_ratio(0, -2000.0, 0.5, work) == -2000.0
    # with no hope of a second table, customers n + 1 sits down with weight n - d
    assert log_ratio(20, -2000.0, 0.5, work) == pytest.approx(math.log(19.5))
    assert draw_tables(20, -2000.0, 0.5, 0.999, work) == 1


def test_a_large_kind_keeps_few_tables_reachable() -> None:
    # customers at first all open tables, later few do: what seems cut off early matters later
    n, d, theta = 400, 0.9, 300.0
    row = [Fraction(1)]
    f = []
    for m in range(1, n + 2):
        f.append(sum(s * Fraction(theta) ** k for k, s in enumerate(row)))
        new = [Fraction(0)] * (m + 1)
        for k, s in enumerate(row):
            tables = k + 1
            new[k] += (m - Fraction(9, 10) * tables) * s
            new[k + 1] += s
        row = new
        if m > 60:
            break
    work = np.empty(n)
    for m in range(1, 60):
        assert log_ratio(m, math.log(theta), d, work) == pytest.approx(log(f[m] / f[m - 1]))


@pytest.mark.parametrize("d", [0.0, 0.4, 0.9])
def test_tables_are_drawn_in_proportion(d: float) -> None:
    n, theta, draws = 9, 1.7, 20_000
    row = stirling(n, Fraction(d))[n]
    weight = np.array([float(s) * theta**k for k, s in enumerate(row)])[: n + 1]
    work = np.empty(50)
    # equally spaced uniforms: the shares are exact up to one step at each border
    drawn = [draw_tables(n, math.log(theta), d, (i + 0.5) / draws, work) for i in range(draws)]
    shares = np.bincount(drawn, minlength=n + 1) / draws
    np.testing.assert_allclose(shares, weight / weight.sum(), atol=2 / draws)

"""The short cuts of the exact expectation against the plain formulas they stand for."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.origin_destination import laws
from engine.origin_destination.exact.histogram import histogram_of_matrix
from engine.origin_destination.exact.medians import (
    RELATIVE_STEP,
    Deviations,
    median_absolute,
    median_relative,
)
from engine.origin_destination.exact.tabulated import TabulatedLaw, fast_law
from engine.origin_destination.laws import NoiseLaw

LAWS = ("rounded_laplace", "discrete_laplace")
OUTCOMES = np.arange(0.0, 400.0)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("rate", [0.003, 0.2, 1.0, 7.0, 50.0])
def test_a_table_holds_the_law(name, rate):
    law, table = NoiseLaw(rate, name), TabulatedLaw(rate, name)
    whole = np.concatenate([np.arange(-300.0, 300.0), [-(2.0**53), -1e6, 1e6, 2.0**53, np.inf]])
    positive = whole[whole >= 0]
    np.testing.assert_allclose(table.tail(whole), law.tail(whole), rtol=1e-14, atol=1e-19)
    np.testing.assert_allclose(table.power(positive), law.power(positive), rtol=1e-14, atol=1e-19)
    np.testing.assert_allclose(
        table.mean_above(positive), law.mean_above(positive), rtol=1e-13, atol=1e-18 / rate
    )


def test_a_table_is_made_only_where_it_is_worth_it():
    law = NoiseLaw(0.01, "discrete_laplace")
    assert fast_law(law, 10) is law
    table = fast_law(law, 10_000)
    assert isinstance(table, TabulatedLaw)
    assert table.name == law.name


def enumerated(kept, true, weights, rate, threshold):
    """Return released values, true counts and probabilities of all cells, one by one."""
    law = NoiseLaw(rate)
    rows = [
        (out, t, w * float(np.exp(laws.log_released_probability(law, out, m, threshold))))
        for m, t, w in zip(kept, true, weights, strict=True)
        for out in OUTCOMES
    ]
    return np.array(rows).T


@settings(max_examples=25, deadline=None)
@given(
    cells=st.lists(
        st.tuples(st.integers(0, 40), st.integers(0, 30), st.integers(1, 9)), min_size=1, max_size=6
    ),
    rate=st.sampled_from([0.2, 0.5, 1.5]),
    threshold=st.integers(0, 20),
)
def test_medians_are_those_of_every_outcome(cells, rate, threshold):
    kept, dropped, weights = np.array(cells, dtype=np.float64).T
    true = kept + dropped
    out, t, p = enumerated(kept, true, weights, rate, threshold)
    deviations = Deviations(NoiseLaw(rate), kept, true, np.asarray(float(threshold)))
    half = weights.sum() / 2
    absolute = np.abs(out - t)
    median = median_absolute(deviations, weights)
    assert p[absolute <= median].sum() >= half * (1 - 1e-12)
    assert p[absolute < median].sum() <= half * (1 + 1e-12)
    relative = 2 * absolute / np.maximum(out + t, 1)
    median = median_relative(deviations, weights)
    assert p[relative <= median + 1e-9].sum() >= half * (1 - 1e-12)
    assert p[relative < median - RELATIVE_STEP].sum() <= half * (1 + 1e-12)


@pytest.mark.parametrize("rate", [0.05, 0.4])
def test_medians_of_many_unlike_cells_are_those_of_every_outcome(rate):
    rng = np.random.default_rng(3)
    true = np.floor(rng.lognormal(3.5, 1.2, 1500))
    kept = np.floor(true * rng.uniform(0.6, 1.0, 1500))
    weights, law = rng.integers(1, 9, 1500).astype(float), NoiseLaw(rate)
    noise = np.arange(-1000, 1001)
    out = kept[:, None] + noise
    out = np.where(out >= 15, out, 0)
    chance = (weights[:, None] * law.pmf(noise)).ravel()
    cells, half = Deviations(law, kept, true, np.asarray(15.0)), weights.sum() / 2
    off = np.abs(out - true[:, None])
    median = median_absolute(cells, weights)
    assert chance[(off <= median).ravel()].sum() >= half > chance[(off < median).ravel()].sum()
    relative = (2 * off / np.maximum(out + true[:, None], 1)).ravel()
    median = median_relative(cells, weights)
    assert chance[relative <= median].sum() >= half
    assert chance[relative <= median - 2 * RELATIVE_STEP].sum() < half


def test_counts_too_large_for_one_key_are_counted_by_rank():
    true = np.zeros((3, 3), dtype=np.int64)
    true[0, 1], true[1, 0], true[2, 0], true[0, 2] = 2**53, 2**53, 2**40, 7
    kept = true.copy()
    kept[1, 0] = 3
    counted = histogram_of_matrix(true, kept)
    pairs = list(zip(counted.kept, counted.true, counted.cells, strict=True))
    large = 2.0**53
    assert sorted(pairs) == sorted(
        [(0, 0, 2), (7, 7, 1), (2.0**40, 2.0**40, 1), (3, large, 1), (large, large, 1)]
    )
    assert counted.by_origin.toarray()[2].sum() == 2
    np.testing.assert_array_equal(counted.by_destination @ counted.true, [large + 2**40, large, 7])


def test_totals_of_zones_are_those_of_their_cells():
    rng = np.random.default_rng(5)
    true = rng.poisson(3.0, (4, 6, 6)) * (1 - np.eye(6, dtype=np.int64))
    kept = rng.binomial(true, 0.7)
    counted = histogram_of_matrix(true, kept)
    values = counted.by_kept.values
    np.testing.assert_array_equal(counted.outgoing.true, true.sum(axis=(0, 2)))
    np.testing.assert_array_equal(counted.incoming.cells @ values, kept.sum(axis=(0, 1)))
    assert counted.grand.true == true.sum()
    assert counted.grand.cells @ values == kept.sum()

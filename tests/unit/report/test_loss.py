"""Losses of a million flows, counted by distinct pairs, against the formulas number by number."""

import math
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy

from engine import report
from engine.report import Analysis, ReportParameters, Result, loss
from engine.report.measures import Extent
from engine.report.mechanism import ledger


def table_of(truth):
    """Return the counts of a report whose flows between zones are these."""
    zones = math.isqrt(len(truth))
    rows = {"measure": ["flow"] * len(truth), "cap": [1] * len(truth)}
    table = pa.table({**rows, "bin": range(len(truth)), "n": truth})
    return report.ReportTable(table, Extent(first_day=date(2026, 6, 1), days=1, zones=zones))


def losses_of(truth, private, **wanted):
    return loss.losses(table_of(truth), release_of(private), Analysis.FLOWS, **wanted)


def release_of(private):
    params = ReportParameters(epsilon=1.0)
    ones = np.ones(len(private))
    result = Result(
        analysis=Analysis.FLOWS,
        epsilon=1.0,
        sources=(),
        noisy=private,
        terms=((ones, ones.astype(np.int64)),),
    )
    return report.ReportRelease(
        results={Analysis.FLOWS: result}, five_numbers={}, ledger=ledger(params), parameters=params
    )


@pytest.mark.parametrize("top", [4, 100_000], ids=["few distinct pairs", "many"])
def test_many_flows_lose_what_the_formulas_say(top):
    rng = np.random.default_rng(1)
    truth = 1 + rng.poisson(0.4, 40_000)
    truth[:5] += rng.integers(0, top, 5)
    private = truth + rng.integers(-3, 4, 40_000)
    shown = np.maximum(private, 0)
    losses = losses_of(truth, private)
    p, q = shown / shown.sum(), truth / truth.sum()
    assert losses["kl_divergence"] == pytest.approx(entropy(p, q), rel=1e-9)
    assert losses["js_divergence"] == pytest.approx(jensenshannon(p, q) ** 2, rel=1e-9)
    together = [(abs(a - b), (a + b) / 2) for a, b in zip(shown, truth, strict=True)]
    assert losses["smape"] == pytest.approx(np.mean([a / b for a, b in together]), rel=1e-9)


def test_only_named_losses_are_computed():
    drawn = np.array([3, 1, 2, 0]), np.array([3, 1, 0, 1])
    losses = losses_of(*drawn, only=("smape", "top_2_coverage", "nothing"))
    assert set(losses) == {"smape", "top_2_coverage"}
    every = losses_of(*drawn)
    assert losses == {name: every[name] for name in losses}


def test_private_mass_where_the_truth_is_empty_is_infinitely_far():
    truth, private = np.zeros(22_500, dtype=np.int64), np.zeros(22_500, dtype=np.int64)
    truth[0], private[:2] = 5, 5
    losses = losses_of(truth, private)
    assert losses["kl_divergence"] == float("inf")
    assert losses["js_divergence"] == pytest.approx(loss.js_divergence(truth, private))


def test_where_nothing_is_left_there_is_no_distance():
    left, nothing = np.array([3, 1]), np.zeros(2, dtype=np.int64)
    for both in ((left, nothing), (nothing, left)):
        for measured in (loss.kl_divergence(*both), loss.js_divergence(*both)):
            assert np.isnan(measured)
        assert np.isnan(loss.earth_movers_distance(*both, width=1.0))


def test_one_trip_that_is_elsewhere_is_as_far_as_can_be():
    one, other = np.array([1, 0]), np.array([0, 1])
    assert loss.js_divergence(one, other) == pytest.approx(math.log(2))
    assert loss.js_divergence(one, one) == 0


def test_repeats_are_summed_up_by_their_middle_and_nine_tenths():
    repeats = [{"smape": value, "unknown": math.nan} for value in np.linspace(0, 1, 101)[::-1]]
    summary = loss.summarised(repeats)
    # the point of p lies at (n + 1/3)·p + 1/3 of the ordered values (Hyndman and Fan, type 8)
    outer = (101 + 1 / 3) * 0.05 + 1 / 3 - 1
    assert summary["smape"] == pytest.approx((0.5, outer / 100, 1 - outer / 100))
    assert np.isnan(summary["unknown"]).all()
    with_infinity = loss.summarised([*repeats, {"smape": math.inf, "unknown": 3.0}])
    assert with_infinity["smape"] == pytest.approx((0.5, 0.05, 0.96))
    assert with_infinity["unknown"] == (3.0, 3.0, 3.0)


def test_the_share_that_stands_clear_is_that_of_the_numbers_above_0():
    kept = np.array([0, 1, 2, 3, 10, 50])
    result = release_of(kept).results[Analysis.FLOWS]
    assert result.half_widths()[0] == pytest.approx(np.log(10))  # 2.3 for a scale of 1
    assert result.clear_share(kept) == pytest.approx(3 / 5)

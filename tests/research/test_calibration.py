"""The simulated datasets meet the published marginals they were set to."""

import numpy as np
import pytest

from engine import datasets
from research import calibration, rows


def test_published_marginals_are_met_and_recorded() -> None:
    recorded = [(one["table"], one["what"], one["ours"]) for one in rows.read("calibration")]
    bounded = 0
    for one in calibration.rows():
        assert one.within is not False, one
        if "(real)" not in one.setting:
            assert (one.table, one.what, f"{one.ours:.6g}") in recorded
        bounded += one.within is True
    assert bounded > 40


def test_a_figure_out_of_bounds_is_not_met() -> None:
    met = calibration.met
    assert met(100, 105, "count")
    assert not met(100, 105.1, "count")
    assert met(0.5, 0.529, "share")
    assert not met(0.5, 0.531, "share")
    assert met(0, 0, "count")
    assert not met(0, 1, "count")
    assert met(1, 9, "reported") is None


def test_shares_of_small_cells_agree_with_a_full_matrix(tiny_city: datasets.Dataset) -> None:
    trips, zones, days = tiny_city.trips, len(tiny_city.zones), 7
    full = np.zeros((days, zones, zones), dtype=np.int64)
    for day in range(days):
        rows = trips.day(day)
        np.add.at(full[day], (rows.origin, rows.destination), rows.n)
    totals = calibration.daily_totals(tiny_city)
    off_diagonal = ~np.eye(zones, dtype=bool)
    assert totals.share_small == pytest.approx((full[:, off_diagonal] < 15).mean())
    np.testing.assert_array_equal(totals.origins, full.sum(axis=2))

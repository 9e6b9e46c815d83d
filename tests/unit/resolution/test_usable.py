"""Which detail can be used: judged at each level as the dataset coarsened to it is."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from engine import datasets, origin_destination as od, resolution
from engine.origin_destination.matrices import trimmed_counts
from engine.parameters import ODParameters
from engine.resolution import Detail, Resolution
from engine.steps import level_of

EPSILONS = (0.1, 1.0, 10.0)
ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("unit", ["person-day", "person", "trip"])
def test_each_detail_is_judged_flow_by_flow(unit):
    """A flow is usable if its whole law lies within a quarter 95 times in 100, summed by hand."""
    demo = datasets.load("demo-city")
    kept = 1 if unit == "trip" else 3
    parameters = ODParameters(
        epsilon=1.0, max_trips_per_user=kept, suppression_threshold=5, unit=unit
    )
    shares = {
        one.resolution.text: one for one in resolution.trip_details(demo, parameters, EPSILONS)
    }
    spans = 1 if unit == "person" else 2
    assert len(shares) == 4 * spans
    view = resolution.coarsen(demo, Resolution(zones="clusters-10", time="period"))
    one = shares["clusters-10,period"]
    true = od.truth(view, sum_days=True)[0]
    trimmed = trimmed_counts(view, unit, kept, (0,), sum_days=True)[0]
    shifts = np.arange(-3000, 3001)
    for epsilon, share in zip(EPSILONS, one.shares, strict=True):
        rate = replace(parameters, epsilon=epsilon).noise_scale ** -1
        law = np.where(
            shifts == 0, 1 - np.exp(-rate / 2), np.exp(-rate * np.abs(shifts)) * np.sinh(rate / 2)
        )
        good = 0
        for count, middle in zip(true.ravel(), trimmed.ravel(), strict=True):
            out = middle + shifts
            near = (np.abs(out - count) <= 0.25 * count) & (out >= 5)
            good += int(count) if count > 0 and law[near].sum() >= 0.95 else 0
        assert share == pytest.approx(good / true.sum())
        assert one.usable[EPSILONS.index(epsilon)] == (level_of(share) == "good")


def test_the_finest_usable_has_most_zones():
    def detail(zones, *usable):
        return Detail(
            resolution=Resolution(zones=f"clusters-{zones}"),
            zones=zones,
            shares=(0.5,) * len(usable),
            usable=usable,
        )

    some = [detail(100, False, False), detail(30, False, True), detail(10, False, True)]
    assert resolution.finest_usable(some, 0) is None
    assert resolution.finest_usable(some, 1).zones == 30


def test_spans_that_are_the_same_are_judged_once():
    assert resolution.times(datasets.load("rwanda-districts")) == ("day", "period")
    assert resolution.times(datasets.load("afghanistan-2020")) == ("day", "week", "period")


@pytest.mark.parametrize(
    ("level", "sums", "written"),
    [("district", False, "86.9%"), ("clusters-100", True, "85.9%"), ("zones", True, "36.9%")],
)
def test_the_document_says_what_laplaces_distribution_function_does(level, sums, written):
    """The rounded Laplace lies between two whole numbers as Laplace does half a step beyond."""
    view = resolution.coarsen(datasets.load("rwanda-sectors"), Resolution(zones=level))
    if sums:
        view = resolution.coarsen(
            datasets.load("rwanda-sectors"), Resolution(zones=level, time="period")
        )
    true = od.truth(view, days=0)[0].ravel().astype(float)
    kept = trimmed_counts(view, "person-day", 10, (0,))[0].ravel().astype(float)
    low = np.maximum(np.ceil(0.75 * true), 15)
    high = np.floor(1.25 * true)
    law = stats.laplace(scale=10)
    chance = law.cdf(high + 0.5 - kept) - law.cdf(low - 0.5 - kept)
    share = true[(chance >= 0.95) & (true > 0)].sum() / true.sum()
    assert f"{share:.1%}" == written
    assert written in (ROOT / "docs" / "resolution.md").read_text(encoding="utf-8")

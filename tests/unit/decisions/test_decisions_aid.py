"""Aid after a shock: the check figures, causes that add up, bad input."""

import numpy as np
import pytest

from engine import datasets, decisions, origin_destination as od
from engine.decisions.selection import first_zones
from engine.errors import DatasetError, ParameterError


def leaving(name, settings):
    dataset = datasets.load(name)
    return decisions.outflow(dataset, decisions.shock(dataset), settings)


def trip(epsilon):
    return od.ODParameters(epsilon=epsilon, unit="trip", suppression_threshold=15)


def person_day(epsilon, max_trips):
    return od.ODParameters(epsilon=epsilon, max_trips_per_user=max_trips)


@pytest.mark.parametrize(
    ("name", "settings", "expected", "deviation"),
    [
        ("afghanistan-provinces", trip(0.1), 50_247.4753, 168.516),
        ("afghanistan-provinces", trip(0.5), 49_668.9621, 36.396),
        ("afghanistan-provinces", trip(1.0), 49_661.8196, 21.901),
        ("afghanistan-provinces", person_day(0.1, 6), 53_229.1284, 903.282),
        ("rwanda-districts", trip(0.1), 32_814.2882, 156.887),
        ("rwanda-districts", person_day(0.1, 14), 43_844.0579, 1_891.357),
    ],
)
def test_check_figures_of_totals(name, settings, expected, deviation):
    totals = decisions.shock_totals(leaving(name, settings), settings)
    assert totals.together.expected == pytest.approx(expected, abs=5e-5)
    assert totals.together.standard_deviation == pytest.approx(deviation, abs=5e-4)
    assert totals.by_day.expected.sum() == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("settings", [trip(0.1), person_day(0.5, 3)])
def test_causes_add_up_to_the_bias_and_the_area_keeps_its_own_trips(settings):
    flows = leaving("afghanistan-districts", settings)
    totals = decisions.shock_totals(flows, settings)
    causes = totals.causes
    assert (causes.trimming + causes.suppression + causes.noise + causes.phantoms) == pytest.approx(
        float(totals.together.bias), abs=1e-6
    )
    assert causes.trimming <= 0
    assert causes.suppression < 0
    assert causes.phantoms > 0
    assert flows.true.shape == (7, 13, 408)
    assert totals.inside_by_day.sum() == 36_790
    area = set(decisions.shock(datasets.load("afghanistan-districts")).zones)
    assert not area & set(flows.destinations.tolist())


@pytest.mark.parametrize(
    ("name", "settings", "overlaps"),
    [
        ("rwanda-districts", person_day(0.1, 14), {1: 99.937, 3: 86.014, 5: 61.805}),
        ("rwanda-districts", person_day(0.1, 8), {3: 95.521}),
        ("afghanistan-provinces", person_day(0.1, 6), {3: 99.854}),
    ],
)
def test_check_figures_of_overlap(name, settings, overlaps):
    flows = leaving(name, settings)
    selection = decisions.selection_probability(flows, settings, most=5)
    for k, percent in overlaps.items():
        assert 100 * selection.overlap[k - 1].mean() == pytest.approx(percent, abs=5e-4)
    # every release names k destinations, or as many as are above 0
    missing = np.cumsum(selection.fewer, axis=0)
    np.testing.assert_allclose(
        selection.chosen.sum(axis=-1) + missing,
        np.broadcast_to(np.arange(1, 6)[:, None], missing.shape),
        atol=1e-9,
    )


def test_ties_go_by_the_order_of_the_zones():
    assert first_zones(np.array([3, 7, 3, 0, 7]), 3).sum(axis=0).tolist() == [1, 3, 0, 0, 2]


def test_where_nobody_leaves_there_is_no_overlap():
    nothing = np.zeros((2, 1, 4))
    flows = decisions.Outflow(
        true=nothing, kept=nothing, destinations=np.arange(4), inside=np.zeros(2)
    )
    selection = decisions.selection_probability(flows, trip(1.0), most=2)
    assert np.isnan(selection.overlap).all()
    drawn = decisions.private_aid(flows, [trip(1.0)], 3, 2, rng=np.random.default_rng(0))
    assert np.isnan(drawn.overlap).all()


def test_bad_areas_and_k_are_refused(tiny_city):
    with pytest.raises(DatasetError, match="names none; choose one or more zones"):
        decisions.shock(tiny_city)
    with pytest.raises(ParameterError, match="leave a zone to go to"):
        decisions.shock(tiny_city, [str(zone) for zone in tiny_city.zones["zone_id"]])
    with pytest.raises(ParameterError, match="got 'nowhere'"):
        decisions.shock(tiny_city, ["nowhere"])
    flows = leaving("rwanda-districts", trip(1.0))
    with pytest.raises(ParameterError, match="from 1 to 29, got 30"):
        decisions.selection_probability(flows, trip(1.0), most=30)
    with pytest.raises(ParameterError, match="from 1 to 29, got 30"):
        decisions.private_aid(flows, [trip(1.0)], 1, 30, rng=np.random.default_rng(0))


def test_a_flow_that_trimming_empties_is_no_phantom():
    settings = od.ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=2)
    leaving = decisions.Outflow(
        true=np.array([[[3.0, 0.0]]]),
        kept=np.array([[[0.0, 0.0]]]),
        destinations=np.array([1, 2]),
        inside=np.zeros(1),
    )
    totals = decisions.shock_totals(leaving, settings)
    z = np.arange(-400, 401)
    pmf = np.where(z == 0, 1 - np.exp(-0.125), np.sinh(0.125) * np.exp(-0.25 * np.abs(z)))
    invented = float(pmf[z >= 2] @ z[z >= 2])  # one cell without trips, rounded Laplace, τ = 2
    assert totals.causes.phantoms == pytest.approx(invented)
    assert totals.causes.noise == pytest.approx(invented)  # the other had trips
    assert totals.causes.trimming == -3
    assert 3 + sum(map(float, vars(totals.causes).values())) == pytest.approx(2 * invented)


@pytest.mark.parametrize("threshold", [0, 1, 5])
def test_a_count_at_the_threshold_is_not_suppressed(threshold):
    """Causes cell by cell, from the law of the noise summed by hand."""
    settings = od.ODParameters(epsilon=1.0, unit="trip", suppression_threshold=threshold)
    counts = np.array([0, 1, 4, 5, 6, 40])
    flows = decisions.Outflow(
        true=counts[None, None].astype(float),
        kept=counts[None, None].astype(float),
        destinations=np.arange(1, 7),
        inside=np.zeros(1),
    )
    causes = decisions.shock_totals(flows, settings).causes
    least = max(threshold, 1)
    z = np.arange(-200, 201)
    pmf = np.where(z == 0, 1 - np.exp(-0.5), np.sinh(0.5) * np.exp(-np.abs(z)))
    out = np.where(counts[:, None] + z >= least, counts[:, None] + z, 0)
    expected = out @ pmf
    silent = np.where(counts >= least, counts, 0)  # what is left without noise
    assert causes.trimming == 0
    assert causes.suppression == (silent - counts).sum()
    assert causes.noise == pytest.approx((expected - silent)[counts > 0].sum())
    assert causes.phantoms == pytest.approx(expected[counts == 0].sum())

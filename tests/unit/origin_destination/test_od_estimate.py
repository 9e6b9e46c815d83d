"""`empirical_bayes`: what may see counts, odd inputs, days, budgets, intervals, flows by a map."""

from dataclasses import replace

import numpy as np
import pytest

from engine import origin_destination as od
from engine.errors import ParameterError
from engine.origin_destination import empirical_bayes
from engine.origin_destination.empirical_bayes import intervals
from engine.origin_destination.empirical_bayes.posterior import iterate_expectations
from engine.origin_destination.empirical_bayes.prior_fit import CountGrid
from engine.origin_destination.mechanism import UNITS, discrete_laplace
from engine.privacy_cost import PrivacyUnit, simple_cost
from tests.reference import estimate_reference as plain
from tests.reference.od_people import Counted, certain_flows, random_people

ZONES, DAYS = 6, 3
DISTANCES = np.abs(np.subtract.outer(np.arange(ZONES), np.arange(ZONES))) * 1000.0


def in_memory(seed):
    people = random_people(np.random.default_rng(seed), 150, ZONES, DAYS, 4.0)
    return Counted(people, ZONES, DAYS)


def measured(cells, rate=0.5):
    cells = np.asarray(cells, dtype=np.int64)
    return empirical_bayes.Measurement(
        parameters=od.ODParameters(epsilon=rate, unit="trip", method="empirical_bayes"),
        cells=cells,
        rate=rate,
        excess_trips=None,
        cost=simple_cost((), unit=PrivacyUnit.TRIP),
    )


def apart(rng, zones):
    """Return metres between so many random places."""
    place = rng.random((zones, 2)) * 1e5
    return np.hypot(*(place[:, None] - place).T)


@pytest.mark.parametrize("days", [0, 2, slice(0, 2)])
@pytest.mark.parametrize("unit", ["person-day", "person"])
def test_days_that_are_looked_at_are_scaled_up_as_the_release_of_all_is(unit, days):
    """What is explored a day at a time is one release: its factor is that of all its days."""
    dataset, noise = in_memory(3), np.zeros((DAYS, ZONES, ZONES))
    parameters = od.ODParameters(epsilon=40.0, max_trips_per_user=1, unit=unit)
    whole = empirical_bayes.measure(dataset, parameters, noise=noise)
    matrices = 1 if isinstance(days, int) else 2
    some = empirical_bayes.measure(dataset, parameters, noise=noise[:matrices], days=days)
    counted = replace(parameters, max_trips_per_user={"person-day": 20, "person": 50}[unit])
    kept, more = (int(od.truncated_matrices(dataset, each).sum()) for each in (parameters, counted))
    assert some.totals == whole.totals == (DAYS, kept, more - kept)
    assert empirical_bayes.scale_up(some) == empirical_bayes.scale_up(whole) > 1.2
    one = empirical_bayes.measure(dataset, parameters, noise=noise[:1], days=(0, 1), sum_days=True)
    assert one.totals.matrices == 1


@pytest.mark.parametrize("unit", ["trip", "person-day"])
def test_the_diagonal_is_no_cell_and_keeps_no_noise(unit):
    parameters = od.ODParameters(epsilon=0.1, max_trips_per_user=1, unit=unit)
    cells = empirical_bayes.measure(in_memory(1), parameters, rng=np.random.default_rng(1)).cells
    assert not np.einsum("dzz->dz", cells).any()
    assert (cells < 0).any()


@pytest.mark.parametrize("days", [0, slice(0, 3)])
def test_the_same_noisy_cells_of_other_people_give_the_same_bytes(days):
    parameters = od.ODParameters(epsilon=0.8, unit="trip")
    rate = parameters.epsilon
    first, second = (in_memory(seed) for seed in (0, 1))
    noise = od.draw_noise(first, parameters, rng=np.random.default_rng(2), days=days)
    nothing = np.zeros_like(noise)
    wanted = empirical_bayes.measure(first, parameters, noise=noise, days=days).cells
    other = empirical_bayes.measure(
        second, parameters, noise=nothing, days=days
    ).cells  # its kept counts
    assert (wanted != other).any()
    gap = wanted - other
    # the variate in the middle of those that become `gap`
    shift = rate * (np.abs(gap) + 0.5) - np.log(2 / (1 + np.exp(-rate)))
    variates = np.where(gap == 0, 0.0, np.sign(gap) * shift)
    a, b = (
        empirical_bayes.estimate_from_measurement(
            empirical_bayes.measure(people, parameters, noise=variate, days=days), DISTANCES
        )
        for people, variate in ((first, noise), (second, variates))
    )
    for name in ("counts", "point_estimates", "zero_probability", "is_detected", "is_likely"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes()
    assert [x.tobytes() for x in a.interval] == [x.tobytes() for x in b.interval]


@pytest.mark.parametrize(
    ("unit", "limit", "beyond"),
    [
        ("trip", 1, 0),
        ("person-day", 4, 16),
        ("person-day", 13, 7),
        ("person-day", 14, 0),
        ("person", 1, 49),
        ("person", 33, 17),
        ("person", 34, 0),
        ("person", 256, 0),
    ],
)
def test_trips_beyond_t_cost_three_percent_where_a_trip_stays_as_cheap(unit, limit, beyond):
    parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=limit, unit=unit)
    zones = np.zeros((1, ZONES, ZONES))
    ledger = empirical_bayes.measure(in_memory(0), parameters, noise=zones, days=0).cost
    assert ledger == empirical_bayes.estimation_cost(parameters)
    assert ledger.proved_epsilon == ledger.paper_epsilon == pytest.approx(1.0, rel=1e-15)
    assert (ledger.delta, ledger.unit) == (0, UNITS[unit])
    if not beyond:
        (cells,) = ledger.stages
        assert (cells.epsilon, cells.noise_scale) == (1.0, limit)
        return
    cells, count = ledger.stages
    assert (cells.epsilon, count.epsilon) == pytest.approx((0.97, 0.03))
    assert (cells.sensitivity, count.sensitivity) == (limit, beyond)
    scales = cells.noise_scale, count.noise_scale
    assert scales == pytest.approx((limit / 0.97, beyond / 0.03))
    # one trip less: two cells move by one, and the count by one
    assert 2 / cells.noise_scale + 1 / count.noise_scale <= 2 / limit


def test_a_flow_gets_of_the_trips_beyond_t_what_is_expected_of_it():
    """Of 0.6 kept and 1.2 dropped trips a flow; three times its count would err more."""
    rng = np.random.default_rng(4)
    kept, dropped = rng.poisson([[[0.6]], [[1.2]]], (2, 40, 40)) * (1 - np.eye(40, dtype=int))
    parameters = od.ODParameters(epsilon=4.0, max_trips_per_user=1, method="empirical_bayes")
    beyond = {"parameters": parameters, "excess_trips": np.array([dropped.sum()])}
    measurement = replace(measured([kept], rate=4.0), **beyond)
    release = empirical_bayes.estimate_from_measurement(measurement, apart(rng, 40))
    factor = empirical_bayes.scale_up(measurement)
    assert factor == pytest.approx(3.0, rel=0.1)
    assert (release.point_estimates == np.floor(release.point_estimates)).all()
    error = np.abs(release.point_estimates[0] - kept - dropped).mean()
    assert error < 0.75 * np.abs(factor * kept - kept - dropped).mean()


@pytest.mark.parametrize(("zones", "days"), [(1, 1), (1, 2), (2, 1), (3, 3), (5, 1)])
@pytest.mark.parametrize("rate", [1e-6, 1e-3, 0.3, 1e6])
def test_odd_matrices_give_finite_answers(zones, rate, days):
    rng = np.random.default_rng(0)
    for count in (0, 3, 10**9):
        cells = rng.poisson(count, (days, zones, zones)) * (1 - np.eye(zones, dtype=int))
        for distances in (np.zeros((zones, zones)), rng.random((zones, zones))):
            release = empirical_bayes.estimate_from_measurement(measured(cells, rate), distances)
            for name in ("counts", "point_estimates", "zero_probability"):
                values = getattr(release, name)
                assert np.isfinite(values).all()
                assert values.min() >= 0

            least, most = release.interval
            assert ((least >= 0) & (least <= most)).all()
            assert (release.zero_probability <= 1).all()
            assert np.einsum("dzz->dz", release.counts).max() == 0
            low, high = release.exact_interval()
            assert ((low <= cells) & (cells <= high)).all()
            totals, reach = release.exact_totals(-1)
            assert totals.shape == (days, zones)
            assert reach >= 0
            assert not (release.is_detected & release.is_likely).any()


def test_ranges_for_all_at_once_share_five_percent_among_every_flow_and_every_zone():
    """So that they hold what was chosen by looking: by the law of one cell, and of four added."""
    days, zones, rate = 3, 5, 0.25
    measurement = measured(np.full((days, zones, zones), 400), rate)
    release = empirical_bayes.estimate_from_measurement(measurement, np.ones((zones, zones)))
    low, high = release.exact_interval()
    reach, each = (high - low)[0, 0, 1] // 2, 0.05 / (days * zones * (zones - 1))
    assert plain.noise_tail(int(reach), rate) <= each < plain.noise_tail(int(reach) - 1, rate)
    _, reach = release.exact_totals(-1)
    each = 0.05 / (days * zones)
    assert reach == plain.total_reach(rate, zones - 1, 1 - each, support=200)


def test_certain_flows_are_named_once_for_all_days_of_a_release():
    """A day with nothing to name gets no allowance of its own: one procedure over all cells."""
    cells = np.zeros((28, 9, 9), dtype=np.int64)
    cells[0, 0, 1] = 105  # clear of the noise of 28 days
    cells[1, 0, 1] = 90  # clear of one day's only
    release = empirical_bayes.estimate_from_measurement(measured(cells, 0.1), np.ones((9, 9)))
    assert np.argwhere(release.is_detected).tolist() == [[0, 0, 1]]
    assert certain_flows(cells[1], 0.1)[0, 1]
    days = list(empirical_bayes.estimate_days(measured(cells, 0.1), np.ones((9, 9))))
    assert [day.is_detected.sum() for day in days] == [1] + 27 * [0]


@pytest.mark.parametrize("bad", [np.ones((3, 2)), np.full((4, 4), np.nan)])
def test_distances_must_fit(bad):
    with pytest.raises(ParameterError, match="distances_m must hold finite metres"):
        empirical_bayes.estimate_from_measurement(measured(np.zeros((1, 4, 4))), bad)


def test_other_days_sharpen_a_day():
    rng = np.random.default_rng(5)
    distances = apart(rng, 30)
    size = rng.lognormal(0, 1, 30)
    flow = np.outer(size, size) * rng.gamma(0.3, 10, (30, 30)) * (1 - np.eye(30))
    truth = rng.poisson(flow, (5, 30, 30))
    noise = rng.laplace(0, 1, truth.shape) * 10
    cells = truth + np.round(noise).astype(np.int64) * (1 - np.eye(30, dtype=int))

    def estimate(days):
        measurement = measured(days, 0.1)
        return empirical_bayes.estimate_from_measurement(measurement, distances).point_estimates

    alone, together = np.concatenate([estimate([day]) for day in cells]), estimate(cells)
    assert np.abs(together - truth).mean() < 0.8 * np.abs(alone - truth).mean()


def least_coverage(rate, priors, counts, noise_rate=None):
    """The least over counts of P(the interval of m + Z holds m), summed over the noise."""
    grid = CountGrid.from_cells(np.array([120]), rate)
    grid_priors = np.stack(
        [grid.negative_binomial(np.array([mean]), shape)[0] for mean, shape in priors]
    )
    q = np.exp(-(noise_rate or rate))
    z = np.arange(-int(30 / rate), int(30 / rate) + 1)
    chance = (1 - q) / (1 + q) * q ** np.abs(z)
    held = []
    for row in range(len(priors)):
        for m in counts:
            noisy = m + z
            below, above = intervals.noise_tails(rate)
            low, high = noisy - above[0], noisy + below[0]
            on_grid = grid.contains(noisy)
            low[on_grid], high[on_grid] = intervals.interval_hull(
                grid, grid_priors[row], noisy[on_grid], rate
            )
            held.append(chance[(np.maximum(low, 0) <= m) & (m <= np.maximum(high, 0))].sum())
    return min(held)


PRIORS = [(0.02, 0.1), (0.5, 100.0), (8.0, 0.3), (40.0, 50.0), (1e4, 1.0)]


@pytest.mark.parametrize("rate", [0.008, 0.1, 0.35, 2.0])
def test_every_count_is_held_with_ninety_five_percent_under_any_prior(rate):
    counts = [0, 1, 2, 5, 9, 17, 40, 77, 120]
    assert least_coverage(rate, PRIORS, counts) >= 0.95
    # wider noise than is said is noticed
    assert least_coverage(rate, PRIORS, counts, noise_rate=rate / 2) < 0.95


def test_the_model_of_a_cell_has_not_read_its_pairs_own_count(monkeypatch):
    rng = np.random.default_rng(0)
    zones, rate = 9, 0.4
    place = rng.random((zones, 2))
    distances = np.hypot(*(place[:, None] - place).T)
    cells = rng.poisson(rng.gamma(0.3, 20, (zones, zones)))
    cells += discrete_laplace(rng.laplace(0, 1, cells.shape), rate)
    cells *= 1 - np.eye(zones, dtype=np.int64)
    hull = intervals.interval_hull

    def priors_of(own):
        """The prior of cell (2, 6), whose count is told from all others by being 25 + own."""
        used = []

        def seen(grid, prior, noisy, rate):
            used.extend(prior[:200] for y in noisy if y == 25 + own)
            return hull(grid, prior, noisy, rate)

        monkeypatch.setattr(intervals, "interval_hull", seen)
        mine = cells.copy()
        mine[2, 6] = 25 + own
        intervals.day_intervals(mine, rate, next(iterate_expectations(mine[None], rate, distances)))
        (prior,) = used
        return prior

    cells[:] = np.minimum(cells, 20)
    first, second = priors_of(0), priors_of(17)
    least = min(len(first), len(second))
    np.testing.assert_array_equal(first[:least], second[:least])

import numpy as np
import pytest

from engine import origin_destination as od
from engine.origin_destination import empirical_bayes
from engine.origin_destination.empirical_bayes import gravity, intervals, posterior, prior_fit
from engine.origin_destination.empirical_bayes.measurement import summed_noise
from engine.origin_destination.mechanism import discrete_laplace
from engine.origin_destination.noise_bounds import cell_half_width, noise_variance, total_half_width
from engine.privacy_cost import PrivacyUnit, simple_cost
from tests.reference import estimate_reference as plain
from tests.reference.od_people import certain_flows

ZONES = 7


def noisy_matrix(rate, seed):
    rng = np.random.default_rng(seed)
    place = rng.random((ZONES, 2))
    distances = np.hypot(*(place[:, None] - place).T) * 1e4
    size = rng.lognormal(1.0, 0.8, ZONES)
    shared = rng.lognormal(0, 1, (ZONES, ZONES))  # by both directions of a pair
    flow = np.outer(size, size) * np.exp(-distances / 3e3) * np.sqrt(shared * shared.T)
    cells = rng.poisson(flow) + discrete_laplace(rng.laplace(0, 1, flow.shape), rate)
    np.fill_diagonal(cells, 0)
    return cells, distances


@pytest.mark.parametrize(("rate", "seed"), [(0.2, 0), (0.7, 1), (2.0, 2)])
def test_prediction(rate, seed):
    cells, distances = noisy_matrix(rate, seed)
    variance = noise_variance(rate)
    expected = plain.predict(cells, variance, distances)
    fitted = gravity.predict_trips(cells, variance, distances)
    assert fitted == pytest.approx(
        np.array([[expected.get((a, b), 0.0) for b in range(ZONES)] for a in range(ZONES)]),
        rel=1e-9,
    )


@pytest.mark.parametrize(("rate", "seed"), [(0.3, 3), (1.0, 4)])
def test_reading(rate, seed):
    cells, distances = noisy_matrix(rate, seed)
    mu = gravity.predict_trips(cells, noise_variance(rate), distances)
    most = int(cells.max() + 12 / rate) + 31  # the engine's nodes
    flat = prior_fit.ExpectedTrips(mu, np.ones_like(mu))
    behind = posterior.estimate_intensity(cells, rate, flat)
    predicted = {pair: (mu[pair], 1.0) for pair in plain.off_diagonal(cells)}
    expected = plain.intensity(cells, rate, predicted, most)
    for pair, (trips, uncertainty) in expected.items():
        assert behind.trips[pair] == pytest.approx(trips, rel=1e-4)
        assert behind.relative_variance[pair] == pytest.approx(uncertainty, rel=1e-3, abs=1e-6)
    from_back = {
        (a, b): (expected[b, a][0] * mu[a, b] / mu[b, a], expected[b, a][1]) for a, b in expected
    }
    readings = posterior.compute_posterior(
        cells, rate, posterior.estimate_expectation(cells, rate, distances)
    )
    for pair, values in plain.read_expected(cells, rate, from_back, most).items():
        mean, typical, empty = values
        assert readings.mean[pair] == pytest.approx(mean, rel=2e-3, abs=2e-3)
        assert readings.zero_probability[pair] == pytest.approx(empty, rel=2e-3, abs=1e-5)
        assert readings.median[pair] == pytest.approx(typical)


@pytest.mark.parametrize(
    ("unit", "days", "deviations", "counted"),
    [
        ("person-day", 1, 2, 20),
        ("person-day", 3, 2, 20),
        ("person", 1, 1, 50),
        ("person", 3, 2, 50),
    ],
)
@pytest.mark.parametrize("level", [300, 0, -300])
def test_trips_beyond_t_are_pooled_over_all_matrices(unit, days, deviations, counted, level):
    """Believed beyond 2 deviations of their noise, in one matrix of unit person beyond 1."""
    limit, epsilon = 4, 5.0
    cells = np.stack([noisy_matrix(0.7, seed)[0] for seed in range(days)]) + level
    cells *= 1 - np.eye(ZONES, dtype=np.int64)
    rate = 0.03 * epsilon / (counted - limit)
    deviation = np.sqrt(2 * days) / rate
    parameters = od.ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit)
    for many in (-0.5, 0.9 * deviations, 1.1 * deviations, 5.0, 30.0, 1e6):
        beyond = np.arange(1, days + 1) * many * deviation / np.arange(1, days + 1).sum()
        measured = empirical_bayes.Measurement(
            parameters=parameters,
            cells=cells,
            rate=0.7,
            excess_trips=np.rint(beyond).astype(np.int64),
            cost=simple_cost((), unit=PrivacyUnit.PERSON_DAY),
        )
        most = counted / limit
        expected = plain.scale_up(cells, measured.excess_trips.tolist(), rate, deviations, most)
        assert empirical_bayes.scale_up(measured) == pytest.approx(expected, rel=1e-9)
        assert level < 300 or (expected > 1) == (many > deviations)


@pytest.mark.parametrize("rate", [0.4, 1.3])
def test_assisted_interval(rate):
    counts = prior_fit.CountGrid(rate=rate, packet=1, nodes=120)
    priors = counts.negative_binomial(np.array([0.4, 6.0, 25.0]), 2.0)
    for prior in priors:
        noisy = np.arange(-6, 50, 4)
        low, high = intervals.interval_hull(counts, prior, noisy, rate)
        expected = plain.assisted(prior.tolist(), noisy.tolist(), rate, 119)
        assert list(zip(low.clip(0).tolist(), high.clip(0).tolist(), strict=True)) == expected


@pytest.mark.parametrize("rate", [0.05, 0.3, 2.0, 9.0])
def test_reach_of_a_cell(rate):
    for level in (0.05, 0.001):
        z = cell_half_width(rate, confidence=1 - level)
        assert plain.noise_tail(z, rate) <= level * (1 + 1e-9)
        if z:
            assert plain.noise_tail(z - 1, rate) > level


@pytest.mark.parametrize("cells", [1, 2, 5])
def test_noise_of_cells_added_up_is_drawn_by_its_law(cells):
    """|S| is the least z with P(|S| > z) ≤ e^−|v|, which is uniform where v is Laplace."""
    for size in np.linspace(0.05, 6, 25):
        z = plain.total_reach(0.3, cells, 1 - np.exp(-size), 200)
        assert summed_noise(size, 0.3, cells) == z
        assert summed_noise(-size, 0.3, cells) == -z


def test_reach_of_a_zone_of_421():
    assert total_half_width(0.1, 420) == 568
    # a small rate is the same law on a wider scale
    assert total_half_width(1e-4, 420) == pytest.approx(568_000, rel=2e-3)


@pytest.mark.parametrize("zones", [2, 3, 5])
def test_certain_flows_of_few_zones(zones):
    # so few flows that one more in their number names others
    rng = np.random.default_rng(zones)
    for rate in rng.choice([0.2, 0.4, 1.0, 2.5], 100):
        cells = rng.integers(-2, int(12 / rate), (zones, zones))
        expected = plain.certain_flows(cells, rate, 0.05)
        assert certain_flows(cells, rate).tolist() == expected


@pytest.mark.parametrize("rate", [0.4, 0.008])
def test_grid_of_counts(rate):
    counts = prior_fit.CountGrid.from_cells(np.array([0, 600]), rate)
    assert counts.packet == (1 if rate == 0.4 else 4)
    intensities = np.array([0.5, 30.0, 250.0])
    priors = counts.negative_binomial(intensities, 25.0)
    places = np.array([y // counts.packet for y in (0, 40, 400)])
    row, node = np.indices((3, 3))
    read = counts.posterior(priors, np.zeros(3), row.ravel(), places[node.ravel()])
    for row, of_row, intensity in zip(
        priors, read.reshape(4, 3, 3).transpose(1, 2, 0), intensities, strict=True
    ):
        expected = np.array([plain.negative_binomial(m, intensity, 25.0) for m in range(2500)])
        if counts.packet == 1:
            assert row[:600] == pytest.approx(expected[:600], rel=1e-9, abs=1e-300)
        for place, y in enumerate((0, 40, 400)):
            joint = expected * np.exp(-rate * np.abs(y - np.arange(2500)))
            below = np.cumsum(joint) / joint.sum()
            mean = joint @ np.arange(2500) / joint.sum()
            exact = [mean, np.searchsorted(below, 0.5)]
            spread = joint @ (np.arange(2500) - mean) ** 2 / joint.sum()
            # packets blur a count and its chance, by little beside the noise
            blur = 1e-6 if counts.packet == 1 else 2 * counts.packet
            assert of_row[place][:2] == pytest.approx(exact, abs=blur)
            if counts.packet == 1:
                assert of_row[place][2] == pytest.approx(spread, rel=1e-6)

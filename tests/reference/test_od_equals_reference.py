import numpy as np
import pytest

from engine import origin_destination as od
from engine.origin_destination.exact import ReleaseExpectation
from engine.origin_destination.noise_distribution import bias_and_variance
from tests.reference import od_reference as plain
from tests.reference.od_people import Counted, random_people

ZONES, DAYS = 6, 3
PEOPLE = random_people(np.random.default_rng(3), 120, ZONES, DAYS, 4.0)
DATASET = Counted(PEOPLE, ZONES, DAYS)


@pytest.mark.parametrize(
    ("unit", "limit", "per_day"),
    [("trip", None, True), ("person-day", 2, True), ("person", 5, False)],
)
def test_release_equals_the_papers_algorithm(unit, limit, per_day):
    noise = np.random.default_rng(8).laplace(size=(DAYS, ZONES, ZONES))
    expected_kept = plain.matrices_of(PEOPLE, ZONES, DAYS, limit, per_day=per_day)
    for threshold in (0, 1, 7):
        params = od.ODParameters(
            epsilon=0.7, max_trips_per_user=limit or 1, suppression_threshold=threshold, unit=unit
        )
        release = od.release(DATASET, params, noise=noise)
        assert od.truncated_matrices(DATASET, params).tolist() == expected_kept
        expected = [
            plain.algorithm_1(matrix, 0.7, limit or 1, threshold, noise[day])
            for day, matrix in enumerate(expected_kept)
        ]
        assert release.counts.tolist() == expected
    assert od.truth(DATASET).tolist() == plain.matrices_of(PEOPLE, ZONES, DAYS)


def every_cell(true, kept, rate, threshold, law):
    """[(true count, pmf of the released count), …] of all off-diagonal cells."""
    laws = {}
    cells = []
    for day in range(len(true)):
        for a in range(ZONES):
            for b in range(ZONES):
                if a != b:
                    m = kept[day][a][b]
                    if m not in laws:
                        laws[m] = plain.released_pmf(m, rate, threshold, law, 400)
                    cells.append((true[day][a][b], laws[m]))
    return cells


@pytest.mark.parametrize("law", ["rounded_laplace", "discrete_laplace"])
@pytest.mark.parametrize("threshold", [0, 4, 15])
def test_expectation_equals_the_sum_over_all_cells_and_outcomes(law, threshold):
    limit, epsilon = 2, 0.4
    true = plain.matrices_of(PEOPLE, ZONES, DAYS)
    kept = plain.matrices_of(PEOPLE, ZONES, DAYS, limit)
    cells = every_cell(true, kept, epsilon / limit, threshold, law)
    params = od.ODParameters(
        epsilon=epsilon, max_trips_per_user=limit, suppression_threshold=threshold
    )
    exact = ReleaseExpectation(od.compute_histogram(DATASET, params.unit, limit), params, law)
    least = max(threshold, 1)

    def chance(which):
        return sum(plain.mean_of(lambda v, t=t: which(t, v), pmf) for t, pmf in cells)

    def trips(which):
        return sum(t * plain.mean_of(lambda v, t=t: which(t, v), pmf) for t, pmf in cells)

    outcomes = {
        "rightly_suppressed": lambda t, v: t < least and v == 0,
        "revealed": lambda t, v: t < least and v > 0,
        "lost": lambda t, v: t >= least and v == 0,
        "rightly_released": lambda t, v: t >= least and v > 0,
        "phantom": lambda t, v: t == 0 and v > 0,
    }
    for name, which in outcomes.items():
        share = getattr(exact.outcomes, name)
        assert share.cells == pytest.approx(chance(which), rel=1e-9, abs=1e-12), name
        if name != "phantom":
            assert share.trips == pytest.approx(trips(which), rel=1e-9, abs=1e-12), name
    invented = sum(plain.mean_of(lambda v: v, pmf) for t, pmf in cells if t == 0)
    assert exact.outcomes.phantom.trips == pytest.approx(invented, rel=1e-9)

    for population, floor in (("all", 0), ("travelled", 1), ("large", least)):
        chosen = [(t, pmf) for t, pmf in cells if t >= floor]
        absolute = np.mean([plain.mean_of(lambda v, t=t: abs(v - t), pmf) for t, pmf in chosen])
        bounded = np.mean(
            [plain.mean_of(lambda v, t=t: abs(v - t) / max(t, 1), pmf) for t, pmf in chosen]
        )
        assert exact.cell_weights(population).sum() == len(chosen)
        assert exact.mean_error(population) == pytest.approx(absolute, rel=1e-9)
        assert exact.relative_error(population) == pytest.approx(bounded, rel=1e-9)
        for x in (0, 1, 5, 20):
            within = np.mean(
                [plain.mean_of(lambda v, t=t, x=x: abs(v - t) <= x, pmf) for t, pmf in chosen]
            )
            assert exact.absolute_error_within(x, population) == pytest.approx(within, rel=1e-9)
        median = exact.median_error(population)
        assert exact.absolute_error_within(median, population) >= 0.5
        assert median == 0 or exact.absolute_error_within(median - 1, population) < 0.5

    out = [[plain.mean_of(lambda v: v, pmf), t] for t, pmf in cells]
    square = [plain.mean_of(lambda v: v * v, pmf) for _, pmf in cells]
    variance = [s - e[0] ** 2 for s, e in zip(square, out, strict=True)]
    bias = exact.released_trips - exact.histogram.total_trips
    assert bias == pytest.approx(sum(e - t for e, t in out), rel=1e-9, abs=1e-9)
    counted = exact.histogram
    spread = bias_and_variance(exact.law, counted.truncated_counts, threshold)[1]
    assert counted.cell_counts @ spread == pytest.approx(sum(variance), rel=1e-9)
    noise_only = sum(
        p * abs(m + z - t)
        for day in range(DAYS)
        for a in range(ZONES)
        for b in range(ZONES)
        if a != b
        for m, t in [(kept[day][a][b], true[day][a][b])]
        for z, p in plain.noise_pmf(epsilon / limit, law, 400).items()
    )
    total = sum(plain.mean_of(lambda v, t=t: abs(v - t), pmf) for t, pmf in cells)
    assert exact.error_decomposition.truncation_error == np.sum(true) - np.sum(kept)
    assert exact.error_decomposition.noise_error == pytest.approx(
        noise_only - exact.error_decomposition.truncation_error, rel=1e-9
    )
    assert exact.error_decomposition.suppression_error == pytest.approx(
        total - noise_only, rel=1e-9, abs=1e-9
    )
    assert exact.error_decomposition.total == pytest.approx(total, rel=1e-9)
    for count in (1, 4, 9, 15):
        below = sum(plain.mean_of(lambda v, n=count: v < n, pmf) for _, pmf in cells) / len(cells)
        assert exact.share_below(count) == (
            pytest.approx(np.mean([t < count for t, _ in cells])),
            pytest.approx(below, rel=1e-9),
        )

"""What the noise alone allows: against sums over the law, and draws of the release's own noise."""

import math

import numpy as np
import pytest
from scipy import stats

from engine import datasets, origin_destination as od, report
from engine.parameters import ODParameters
from engine.release import Product, bars, noise
from engine.release.density import zone_variances
from engine.usability import usable_flows
from tests.support.releases import ours, visits, zoom

DRAWS = 100_000


def chances(scale, most):
    """P(Z = z) ∝ e^(−|z|/scale), divided by its own sum, by z from −most to most."""
    terms = [math.exp(-abs(z) / scale) for z in range(-most, most + 1)]
    whole = math.fsum(terms)
    return [term / whole for term in terms]


def brute(scale, least, most=400):
    """Probability that an empty one is shown, and the least size after which every one is near."""
    law = dict(zip(range(-most, most + 1), chances(scale, most), strict=True))
    shown = math.fsum(chance for z, chance in law.items() if z >= least)
    last_far = 0
    for size in range(1, most):
        near = math.fsum(
            chance
            for z, chance in law.items()
            if size + z >= least and 4 * abs(z) <= size  # within a quarter
        )
        if near < 0.95:
            last_far = size
    return shown, last_far + 1


@pytest.mark.parametrize(("scale", "least"), [(4.0, 15), (0.7, 15), (8.0, 1), (2.5, 60), (0.1, 1)])
def test_whole_counts_equal_the_sum_of_the_law(scale, least):
    allowed = bars.of_counts("", "", scale, least)
    shown, near_from = brute(scale, least)
    assert allowed.empty_shown == pytest.approx(shown, rel=1e-9)
    assert allowed.near_from == near_from
    assert brute(0.8 * scale, least) != (shown, near_from)


def test_draws_of_the_release_show_empty_ones_as_often_as_stated():
    allowed = bars.of_counts("", "", 40.0, 15)
    drawn = noise.discrete_laplace(np.zeros(DRAWS, dtype=np.int64), 40.0)
    wrong = noise.discrete_laplace(np.zeros(DRAWS, dtype=np.int64), 32.0)
    spread = 5 * np.sqrt(allowed.empty_shown * (1 - allowed.empty_shown) / DRAWS)
    assert abs((drawn >= 15).mean() - allowed.empty_shown) < spread
    assert abs((wrong >= 15).mean() - allowed.empty_shown) > spread
    near = (np.abs(drawn) <= allowed.near_from // 4) & (allowed.near_from + drawn >= 15)
    assert abs(near.mean() - 0.95) < 0.006
    assert abs((np.abs(wrong) <= allowed.near_from // 4).mean() - 0.95) > 0.006


@pytest.mark.parametrize("shares", [(1.0,), (0.5, 0.3, 0.9), (0.02, 1.0, 1.0, 0.4)])
def test_shares_of_noisy_counts_equal_draws_of_them(shares):
    allowed = bars.of_shares("", "", 30.0, np.array(shares))
    drawn = np.array(
        [noise.discrete_laplace(np.zeros(DRAWS, dtype=np.int64), 30.0) for _ in shares]
    )
    read = np.floor(np.array(shares) @ drawn + 0.5)
    assert (read >= 1).mean() == pytest.approx(allowed.empty_shown, abs=0.008)
    size = allowed.near_from
    within = (np.abs(read) <= size / 4).mean()
    assert within == pytest.approx(0.95, abs=0.004)
    assert (np.abs(np.rint(read * 0.8)) <= size / 4).mean() > 0.96
    assert (np.abs(read * 1.25) <= size / 4).mean() < 0.94


@pytest.mark.parametrize("scale", [0.8, 1.5, 3.0, 7.0])
@pytest.mark.parametrize("shares", [(0.5, 1.0), (0.25, 0.75), (0.3, 0.9)])
def test_two_shares_equal_the_sum_over_both_laws(shares, scale):
    """Also where sums of shares are halves, which are rounded up."""
    most = int(30 * scale)
    law, z = np.array(chances(scale, most)), np.arange(-most, most + 1)
    both = np.outer(law, law)
    read = np.floor(np.add.outer(shares[0] * z, shares[1] * z) + 0.5 + 1e-9)
    far = next(far for far in range(most) if both[np.abs(read) <= far].sum() >= 0.95)
    allowed = bars.of_shares("", "", scale, np.array(shares))
    assert allowed.near_from == 4 * far
    assert 0 <= allowed.empty_shown - both[read >= 1].sum() + 1e-9 < 0.003


def test_a_single_share_is_the_law_of_whole_counts():
    for scale in (3.0, 40.0, 700.0):
        one = bars.of_shares("", "", scale, np.ones(1))
        whole = bars.of_counts("", "", scale)
        assert one.empty_shown == pytest.approx(whole.empty_shown, rel=0.01)
        assert one.near_from == pytest.approx(whole.near_from, rel=0.02, abs=4)


def test_normal_noise():
    allowed = bars.of_normal("", "", 10.0)
    assert allowed.empty_shown == pytest.approx(1 - stats.norm.cdf(0.1))
    holds = [
        2 * stats.norm.cdf(size / 4 / 10) - 1 for size in (allowed.near_from - 1, allowed.near_from)
    ]
    assert holds[0] < 0.95 <= holds[1]


def test_a_flow_reads_near_from_the_size_at_which_home_calls_it_usable():
    """With home's noise, which differs by its rounding, and every trip kept."""
    for epsilon, trips, threshold in ((0.1, 1, 15), (1.0, 4, 15), (0.5, 4, 0)):
        settings = ODParameters(
            epsilon=epsilon, max_trips_per_user=trips, suppression_threshold=threshold
        )
        (allowed,) = Product(settings).outlook(datasets.load("demo-city"))
        sizes = np.arange(1.0, 4 * allowed.near_from)
        far = sizes[~usable_flows(sizes, sizes, settings)]
        assert abs(far.max() + 1 - allowed.near_from) <= 4
        assert allowed.least == max(threshold, 1)


def test_every_product_has_an_outlook_by_its_own_noise(demo):
    parameters = od.ODParameters(epsilon=1.0, max_trips_per_user=4)
    rwanda = datasets.load("rwanda-districts")  # where a part of ε buys the number of trips
    scale = ours(parameters).plan(rwanda).scale
    assert scale > 4.01
    (measured,) = ours(parameters).outlook(rwanda)
    assert measured == bars.of_counts(measured.what, measured.empty, scale)
    (hour,) = visits(epsilon=1.0).outlook(demo)
    deviation = np.sqrt(2 * np.median(zone_variances(demo))) * 30
    assert hour.near_from == pytest.approx(4 * 2.05 * deviation, rel=0.07)
    hours, week = zoom(epsilon=1.0).outlook(demo)
    # 95% in place of 90%, and four times that for a quarter
    for allowed, row in zip((hours, week), zoom().plan(demo).accuracy, strict=False):
        assert allowed.near_from == pytest.approx(4 * row.half_width * 1.95996 / 1.64485, abs=1)
    parameters = report.ReportParameters(epsilon=1.0)
    bins = Product(parameters).outlook(demo)
    stages = report.ledger(parameters).stages
    for allowed, stage in zip(bins, stages, strict=True):
        assert stage.name in allowed.what
        assert allowed.near_from == brute_tail(stage.sensitivity / stage.epsilon)


def brute_tail(scale):
    """Four times the least z with P(|Z| > z) ≤ 5%."""
    z = np.arange(0, int(30 * scale))
    tail = 2 * np.exp(-(z + 1) / scale) / (1 + np.exp(-1 / scale))
    return 4 * int(z[tail <= 0.05][0])

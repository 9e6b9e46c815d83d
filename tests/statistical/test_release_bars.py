"""Bars, means and sums of a release hold as often as its statement says, by drawing them."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from engine import datasets, origin_destination as od
from engine.origin_destination.matrices import truncated_counts
from engine.origin_destination.mechanism import discrete_laplace
from engine.origin_destination.noise_bounds import noise_variance
from engine.release import opendp_noise, plan
from engine.release.density_writer import HOUR_BAR, WEEK_BAR, zone_error_bars, zone_noise_factors
from engine.release.flowmap import shown_sum_bars, simultaneous_bar
from tests.support.releases import ONE_DAY, flows, items, ours, seen, statement_of, visits, written
from tests.support.trips import save_trips

ZONES, DAYS, EPSILON = 60, 28, 0.06
FOUR = seen(od.ODParameters(epsilon=1.0, max_trips_per_user=4, unit="person-day"))
CLEAR = 60
"""Kept trips far above τ = 15 at scale 4: shown in every release, so picked in advance."""


@pytest.fixture(scope="module")
def rwanda():
    return datasets.load("rwanda-districts")


@pytest.fixture
def law(monkeypatch):
    """The same law from a generator of the test, or one of another scale: many draws, repeated."""

    def use(factor=1.0, seed=8):
        rng = np.random.default_rng(seed)

        def draw(counts, scale):
            return counts + discrete_laplace(rng.laplace(0, 1, counts.shape), 1 / (factor * scale))

        monkeypatch.setattr(opendp_noise, "discrete_laplace", draw)

    return use


def coverage(dataset, folder):
    """Share of bars that hold the kept trips, and the true ones, of flows chosen by kept trips."""
    written(FOUR, dataset, folder, sums_before_suppression=True)
    table = pd.read_csv(folder / "flows.csv")
    pairs = ~np.eye(len(dataset.zones), dtype=bool)
    kept = truncated_counts(dataset, "person-day", 4, tuple(range(7)))[:, pairs].ravel()
    true = od.truth(dataset)[:, pairs].ravel()
    picked = kept >= CLEAR
    assert picked.sum() > 1_000
    assert not table.loc[picked, "suppressed"].any()
    zones = pd.read_parquet(folder / "zones.parquet")
    out = truncated_counts(dataset, "person-day", 4, tuple(range(7))).sum(axis=(0, 2))
    held = (zones["out_trips_low_95"] <= out) & (out <= zones["out_trips_high_95"])
    assert held.mean() > 0.7  # of 30 zones: 21 or fewer once in 100,000
    low, high = table.loc[picked, "low_95"], table.loc[picked, "high_95"]
    return tuple(
        ((low <= count) & (count <= high)).mean() for count in (kept[picked], true[picked])
    )


def test_bars_of_a_trimmed_release_hold_kept_flows_and_say_so(rwanda, tmp_path):
    planned = plan(FOUR, rwanda)
    of_kept, of_true = coverage(rwanda, tmp_path)
    q, z = np.exp(-1 / planned.stages[0].scale), planned.bar
    exact = 1 - 2 * q ** (z + 1) / (1 + q)
    assert exact >= 0.95
    # 1,440 flows: four standard errors of 0.0055
    assert of_kept == pytest.approx(exact, abs=0.022)
    assert of_true < 0.4
    said = statement_of(rwanda, planned)["counted"]["kept"]
    assert said == "the counted trips between zones: at most 4 per person and day"


@pytest.mark.parametrize("factor", [0.8, 1.25])
def test_bars_of_another_noise_are_noticed(rwanda, tmp_path, law, factor):
    law(factor, seed=5)
    of_kept, _ = coverage(rwanda, tmp_path)
    assert abs(of_kept - 0.954) > 0.014  # two and a half standard errors


def test_our_intervals_hold(demo, tmp_path):
    setting = ours(flows(**ONE_DAY))
    written(setting, demo, tmp_path)
    table = pd.read_csv(tmp_path / "flows.csv")
    for name in ("measured_low_95", "kept_low_95"):
        assert (table[name] <= table[name.replace("low", "high")]).all()
    pairs = ~np.eye(len(demo.zones), dtype=bool)
    kept = od.truncated_matrices(demo, setting.parameters, days=(0,))[0][pairs]
    assert ((table["kept_low_95"] <= kept) & (kept <= table["kept_high_95"])).mean() > 0.94
    said = items(demo, setting)
    assert "(columns measured_low_95 and measured_high_95)" in said["accuracy"]
    assert (
        "kept_low_95 to kept_high_95 is a second 95% interval of the same counted trips"
        in said["accuracy"]
    )


@pytest.mark.parametrize("epsilon", [1.0, 60.0])
def test_what_a_quiet_hour_reads_is_bounded_by_the_law_of_the_noise(demo, epsilon):
    """The mean of what is written where nothing was counted, in the median zone, by drawing it."""
    setting, draws = visits(epsilon), 10_000
    planned = plan(setting, demo)
    scale, deviations = planned.stages[0].scale, zone_noise_factors(demo)
    median = np.argsort(deviations, kind="stable")[len(deviations) // 2]
    shares = demo.tessellation.overlap[:, [median]].toarray().ravel()
    shares = shares[shares > 0]
    empty = np.zeros((len(shares), draws), dtype=np.int64)
    read = np.floor(np.maximum(shares @ opendp_noise.discrete_laplace(empty, scale), 0) + 0.5)
    error = read.std() / np.sqrt(draws)
    assert read.mean() - 4 * error <= planned.empty_count_bias <= 1.1 * read.mean() + 0.3
    bias = planned.empty_count_bias
    assert f"shows at most {bias:.3g} visits on average" in items(demo, setting)["bias"]


@pytest.mark.parametrize("scale", [0.3, 0.5, 2.0, 30.0])
@pytest.mark.parametrize(("hours", "reach"), [(1, HOUR_BAR), (168, WEEK_BAR)])
def test_bars_of_rounded_shares_hold_whatever_the_data(demo, scale, hours, reach):
    """The worst zone, and the worst fraction of a visit that area leaves there before noise."""
    draws, rng = 4_000, np.random.default_rng(8)
    drawn = rng.negative_binomial(hours, 1 - np.exp(-1 / scale), (2, len(demo.towers), draws))
    moved = demo.tessellation.overlap.T @ (drawn[0] - drawn[1])  # two-sided geometric
    deviations = np.sqrt(noise_variance(1 / scale)) * zone_noise_factors(demo)
    widths = zone_error_bars(deviations, reach)[:, None]
    for kept in np.arange(0, 1, 0.1):
        off = np.abs(np.floor(kept + moved + 0.5 + 1e-9) - kept)
        held = (off <= widths + 1e-9).mean(axis=1).min()
        # also where all noise is a single tower's, with heavier tails than the normal law's
        assert held >= 0.95 - 2.5 * np.sqrt(0.05 * 0.95 / draws)


def sparse(folder, flows, zones=ZONES):
    """Save a dataset of some flows, (origin, destination): trips on every day."""
    rows = [(day, *pair, 1, n) for day in range(DAYS) for pair, n in flows.items()]
    return save_trips(folder / "sparse", rows, zones=zones, days=DAYS)


def drawn(kind, dataset, folder):
    setting = seen(od.ODParameters(epsilon=EPSILON, max_trips_per_user=1, unit="person-day"))
    setting = ours(setting) if kind == "ours" else setting
    written(setting, dataset, folder, sums_before_suppression=kind == "sums")
    flows = pd.read_csv(folder / "flowmap" / "flows.csv")
    totals = pd.read_csv(folder / "flowmap" / "totals.csv", index_col="flows")
    return flows, totals


def test_the_file_does_not_read_two_thousand_times_the_trips(tmp_path, law):
    """Sums of what is suppressed day by day read 2,000 times the trips here; these are unbiased."""
    law()
    dataset = sparse(tmp_path, {(a, a + 1): 1 for a in range(12)})
    kept, read, old = 12 * DAYS, [], 0
    for number in range(6):
        folder = tmp_path / str(number)
        flows, totals = drawn("sums", dataset, folder)
        assert flows["count"].sum() < 3 * kept
        assert totals.loc[["in flows.csv", "left out"], "count"].sum() == totals.loc["all", "count"]
        assert totals.loc["in flows.csv", "number"] == len(flows)
        read.append(totals.loc["all", "count"])
        if not number:
            old = pd.read_csv(folder / "flows.csv")["flow"].sum()
            assert totals.loc["all", "low_95"] < kept < totals.loc["all", "high_95"]
    assert 1_500 < old / kept < 2_500
    sd = np.sqrt(2 * DAYS * ZONES * (ZONES - 1)) / EPSILON
    assert abs(np.mean(read) - kept) < 4 * sd / np.sqrt(len(read))
    assert 0.4 * sd < np.std(read) < 1.8 * sd


def test_the_file_shows_no_flow_below_the_threshold_however_clear(tmp_path):
    dataset = sparse(tmp_path, {(0, 1): 10, (1, 2): 40})
    for one, shown in ((flows, [40]), (lambda **given: ours(flows(**given)), [10, 40])):
        folder = tmp_path / f"{len(shown)}"
        written(one(epsilon=40.0, unit="trip", last=0), dataset, folder)
        counts = pd.read_csv(folder / "flowmap" / "flows.csv")["count"]
        assert sorted(counts) == pytest.approx(shown, abs=4)


def summed(folder, column):
    """Return sums over the days of a column of ``flows.csv``, and on how many it is not empty."""
    table = pd.read_csv(folder / "flows.csv").groupby(["origin", "destination"])[column]
    return table.sum(), table.count()


@pytest.mark.parametrize(("kind", "draws"), [("sums", 6), ("shown", 10)])
def test_flows_in_the_file_are_all_in_their_bars(tmp_path, law, kind, draws):
    law()
    large = {(a, a + 1): 60 for a in range(20)}
    dataset = sparse(tmp_path, large)
    every, held, pairs = [], 0, ZONES * (ZONES - 1)
    for number in range(draws):
        flows, totals = drawn(kind, dataset, tmp_path / str(number))
        ends = [*zip(flows["origin"], flows["dest"], strict=True)]
        daily = np.array([large.get((int(a[1:]), int(b[1:])), 0) for a, b in ends])
        by_pair = summed(tmp_path / str(number), "flow")
        sums, days = (each.loc[ends].to_numpy() for each in by_pair)
        bars = np.full(len(ends), simultaneous_bar(1 / EPSILON, DAYS, pairs))
        if kind == "shown":
            assert flows["count"].tolist() == sums.tolist()
            assert list(totals.columns) == ["number", "count"]
            assert totals.loc["all", "count"] == by_pair[0].sum()
            bars = shown_sum_bars(1 / EPSILON, DAYS, pairs)[days]
        kept = daily * (days if kind == "shown" else DAYS)
        held += bool(((flows["low_95"] <= kept) & (kept <= flows["high_95"])).all())
        assert (flows["high_95"] - flows["count"]).tolist() == bars.tolist()
        assert (flows["count"] - flows["low_95"]).tolist() == bars.tolist()
        assert (flows["low_95"] > 0).all()
        assert (kept > 0).sum() == len(large)  # far above the bar: none is left out
        every.append((flows["count"] - kept)[kept > 0])
    error = np.concatenate(every)
    sd = np.sqrt(2 * DAYS) / EPSILON
    biased = error.mean() > 4 * sd / np.sqrt(len(error))
    assert biased == (kind == "shown")  # what is hidden is small by its noise
    assert held >= stats.binom.ppf(0.001, draws, 0.95)  # one run in a thousand may hold less


def test_the_file_has_the_estimate_of_every_clear_flow(tmp_path, law):
    law()
    zones = 30
    dataset = sparse(tmp_path, {(a, a + 1): 60 for a in range(20)}, zones)
    flows, totals = drawn("ours", dataset, tmp_path / "0")
    ends = [*zip(flows["origin"], flows["dest"], strict=True)]
    estimates, measured = (summed(tmp_path / "0", name)[0] for name in ("trips", "measured"))
    assert flows["count"].to_numpy() == pytest.approx(estimates.loc[ends].to_numpy(), abs=0.01)
    bar = simultaneous_bar(1 / (0.97 * EPSILON), DAYS, zones * (zones - 1))
    assert len(flows) == (measured > bar).sum() >= 20
    assert list(flows.columns) == ["origin", "dest", "count"]
    assert totals.loc["all", "count"] == pytest.approx(estimates.sum(), abs=1)
    assert totals.loc["all", "measured"] == measured.sum()


@pytest.mark.parametrize(("matrices", "scale"), [(2, 1.0), (7, 4.0), (28, 17.0), (60, 80.0)])
def test_bars_of_shown_matrices_hold_for_every_choice_of_them(matrices, scale):
    """By the law of each sum, term by term: every number of matrices gets its share of 5%."""
    flows = 870
    bars = shown_sum_bars(scale, matrices, flows)
    for number in range(1, matrices + 1):
        share, bar = 0.05 / (flows * matrices * comb(matrices, number)), bars[number]
        assert beyond(scale, number, bar) <= share < beyond(scale, number, int(0.7 * bar))


def beyond(scale, number, bar):
    """Return P(|S| > bar) of a sum S of noises, the difference of two negative binomials."""
    law = stats.nbinom(number, -np.expm1(-1 / scale))
    below = np.arange(int(law.ppf(1 - 1e-12)) + 1)
    return 2 * (law.pmf(below) * law.sf(bar + below)).sum()


@pytest.mark.parametrize("setting", [flows(epsilon=0.25), ours(flows(last=2))])
def test_bars_of_sums_are_the_least_that_hold_for_all_such_sums_at_once(demo, setting):
    planned = plan(setting, demo, sums_before_suppression=True)
    scale, zones, days = planned.stages[0].scale, planned.zone_count, planned.matrix_count
    sums = {"a flow picked because it is large": (1, days * zones * (zones - 1))}
    if planned.has_estimates:
        sums["difference of one flow between two days"] = (2, 1)
        sums["sum of trips out of one zone (or into it) in one day"] = (zones - 1, 1)
        sums["sum of all flows of one day"] = (zones * (zones - 1), 1)
    sums["sum of trips out of one zone (or into it) over all released days"] = (
        days * (zones - 1),
        1,
    )
    sums["the largest such sum of all zones"] = (days * (zones - 1), 2 * zones)
    rows = planned.error_bars[-len(sums) :]
    for row, (name, (number, picked)) in zip(rows, sums.items(), strict=True):
        assert row.quantity.removesuffix(", as measured") == name
        bar, share = row.half_width, 0.05 / picked
        assert beyond(scale, number, bar) <= share < beyond(scale, number, bar - 1)
    said = statement_of(demo, planned)["may_not_conclude"]
    assert (
        f"'measured': its error bar is ± {rows[1].half_width:g} " in said
    ) == planned.has_estimates

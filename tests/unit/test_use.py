"""The one measure of use: exact against draws, by draws against a plain loop, its limits."""

import itertools
import math

import geopandas as gpd
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.vq import kmeans2
from scipy.spatial.distance import cdist

from engine import datasets, density, metrics, origin_destination as od
from engine.contract import Seen, Setting, When
from engine.origin_destination.estimate import measurement
from engine.parameters import EPSILON_STOPS, DensityParameters, ODParameters
from engine.resolution import look_at
from engine.steps import level_of, step
from engine.use import DENSITY_LIMITS, Use, drawn_uses, exact_uses, readable_from, use
from tests.reference.od_reference import noise_pmf
from tests.support.bicycles import REAL, read_month
from tests.support.trips import save_trips

WHOLE = When(step="whole")


def flows(epsilon, limit, threshold=0, unit="person", method="published"):
    return ODParameters(
        epsilon=epsilon,
        max_trips_per_user=limit,
        suppression_threshold=threshold,
        unit=unit,
        method=method,
    )


def at(dataset, parameters, zones="zones", when=WHOLE):
    return Setting(seen=Seen(dataset=dataset.id, zones=zones, when=when), parameters=parameters)


def common(true, private):
    """Sørensen's index from its definition, twice the smaller of each over both sums."""
    return 2 * np.minimum(true, private).sum() / (true.sum() + private.sum())


@pytest.mark.parametrize(
    ("parameters", "when", "share"),
    [(flows(1.0, 4, 15, "person-day"), When(), 0.894), (flows(1.0, 30), WHOLE, 0.968)],
)
def test_districts_of_rwanda(parameters, when, share):
    dataset = datasets.load("rwanda-districts")
    known = use(at(dataset, parameters, when=when), dataset)
    assert known.share == pytest.approx(share, abs=0.003)
    assert (known.error, known.crossing) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("limit", "threshold", "epsilon"), [(4, 15, 1.0), (30, 0, 0.3), (30, 30, 0.1)]
)
def test_the_ratio_of_expectations_is_the_mean_of_the_ratios(limit, threshold, epsilon):
    dataset = datasets.load("rwanda-districts")
    parameters = flows(epsilon, limit, threshold)
    true = od.truth(dataset, sum_days=True)
    drawn = [
        common(true, od.release(dataset, parameters, rng=rng, sum_days=True).counts)
        for rng in map(np.random.default_rng, range(60))
    ]
    spread = np.std(drawn) / math.sqrt(len(drawn))
    exact = use(at(dataset, parameters), dataset).share
    assert exact == pytest.approx(np.mean(drawn), abs=0.0004 + 3 * spread)


@pytest.mark.parametrize("when", [When(), When(step="week"), WHOLE, When(first=2, last=4)], ids=str)
def test_coarse_zones_and_days_are_added_up(when):
    dataset = datasets.load("demo-city")
    parameters = flows(1.0, 4, 5, "person-day")
    known = use(at(dataset, parameters, "clusters-10", when), dataset)
    view = look_at(dataset, "clusters-10", when)
    days = list(when.positions(7))
    true = od.truth(view)
    drawn = [
        common(true, od.release(view, parameters, rng=np.random.default_rng(seed)).counts)
        for seed in range(20)
    ]
    assert known.share == pytest.approx(np.mean(drawn), abs=0.002)
    every = od.truth(dataset, days=days).sum()
    assert known.crossing == pytest.approx(true.sum() / every)
    assert known.of_all == pytest.approx(known.share * known.crossing)
    ours = flows(1.0, 4, 5, "person-day", method="estimate")
    (by_draws,) = drawn_uses(dataset, at(dataset, ours, "clusters-10", when).seen, [ours], draws=2)
    assert by_draws.crossing == pytest.approx(known.crossing)


@pytest.mark.parametrize(
    ("name", "figures"), [("demo-city", {0.3: 0.92, 1.0: 0.93, 3.0: 0.94}), ("paris", {0.3: 0.96})]
)
def test_densities(name, figures):
    dataset = datasets.load(name)
    settings = [DensityParameters(epsilon=epsilon) for epsilon in figures]
    found = drawn_uses(dataset, Seen(dataset=dataset.id), settings, draws=10)
    for known, share in zip(found, figures.values(), strict=True):
        assert known.share == pytest.approx(share, abs=0.01)
        assert known.limits == DENSITY_LIMITS
        assert 0 <= known.error < 0.01


def test_a_flat_week_is_never_usable_and_the_citys_rhythm_is_in_part():
    true = density.truth(datasets.load("demo-city"))
    totals = true.sum(axis=1, keepdims=True)
    flat = np.repeat(totals / 168, 168, axis=1)
    rhythm = totals * true.sum(axis=0) / true.sum()
    levels = [Use(share=common(true, one), limits=DENSITY_LIMITS).level for one in (flat, rhythm)]
    assert levels == ["noisy", "partly"]
    assert common(true, rhythm) == pytest.approx(0.93, abs=0.01)


def test_draws_of_ours_are_those_of_a_plain_loop_whatever_is_asked_with_them():
    dataset = datasets.load("rwanda-districts")
    seen = Seen(dataset=dataset.id, when=WHOLE)
    settings = [flows(epsilon, 30, method="estimate") for epsilon in (0.3, 1.0)]
    both = drawn_uses(dataset, seen, settings)
    assert both == [use(Setting(seen=seen, parameters=one), dataset) for one in settings]
    other = use(Setting(seen=seen, parameters=settings[0]), dataset, seed=1)
    assert other != both[0]
    assert other.share == pytest.approx(both[0].share, abs=0.005)
    true = od.truth(dataset, sum_days=True)
    plain = [
        common(true, od.release(dataset, settings[1], rng=rng, sum_days=True).typical)
        for rng in map(np.random.default_rng, range(5))
    ]
    assert both[1].share == pytest.approx(np.mean(plain), abs=0.005)


@pytest.fixture(scope="module")
def sparse(tmp_path_factory):
    """Few trips over many pairs: noise decides what is released."""
    rows = [(0, i % 20, (i * 7 + 1) % 20, 1, 1) for i in range(60)]
    return save_trips(tmp_path_factory.mktemp("use") / "sparse", rows, zones=20, days=1)


def test_what_our_noise_invents_is_in_no_common_part(sparse):
    parameters = flows(1.0, 4, unit="person-day", method="estimate")
    true = od.truth(sparse, days=0)
    plain = [
        common(true, np.maximum(od.release(sparse, parameters, rng=rng, days=0).typical, 0))
        for rng in map(np.random.default_rng, range(40))
    ]
    known = use(at(sparse, parameters, when=When()), sparse, draws=40)
    assert known.share == pytest.approx(np.mean(plain), abs=0.02)


def test_nothing_released_and_more_noise_than_trips_are_never_usable(sparse):
    seen = Seen(dataset=sparse.id)
    seen_levels = set()
    for grid in exact_uses(sparse, seen, "person-day", (1, 30), EPSILON_STOPS, (0, 30)):
        for known in itertools.chain(*grid):
            if known.released < 0.05 or known.released > 2:
                assert known.level == "noisy"
            seen_levels.add(known.level)
    assert len(seen_levels) > 1


def test_without_trips_there_is_nothing_to_hold(tmp_path):
    empty = save_trips(tmp_path / "none", [], zones=3, days=1)
    known = use(at(empty, flows(1.0, 4, unit="person-day"), when=When()), empty)
    assert math.isnan(known.share)
    assert known.level == "noisy"
    assert np.isnan(metrics.common_part(1.0, 1.0, 0.0))


@pytest.mark.parametrize(("limit", "threshold"), [(30, 0), (20, 0), (30, 900)])
def test_a_flow_can_be_read_from_a_size_on(limit, threshold):
    dataset, parameters = datasets.load("rwanda-districts"), flows(1.0, limit, threshold)
    true = od.truth(dataset, sum_days=True).ravel()
    kept, true = od.kept(dataset, parameters, sum_days=True).ravel()[true > 0], true[true > 0]
    noise = noise_pmf(1 / limit, "rounded_laplace", 40 * limit)
    z, chance = np.array(list(noise)), np.array(list(noise.values()))
    drawn = kept[:, None] + z
    near = (np.abs(drawn - true[:, None]) <= true[:, None] / 4) & (drawn >= max(threshold, 1))
    good = near @ chance >= 0.95 - 1e-9
    enough = [
        size
        for size in np.unique(true)
        for large in [true >= size]
        if good[large].mean() >= 0.9 and good[large] @ true[large] >= 0.9 * true[large].sum()
    ]
    assert readable_from(at(dataset, parameters), dataset) == enough[0]
    assert readable_from(at(dataset, flows(0.01, 1)), dataset) is None


@pytest.fixture(scope="module")
def bicycles(tmp_path_factory):
    """A month of MiBici among 30 groups of stations, by k-means from stations far apart."""
    if not REAL.exists():
        pytest.skip("the real data are not at ../shared/data/mibici")
    folder = tmp_path_factory.mktemp("real")
    stations = pd.read_csv(REAL / "stations.csv", index_col="id")
    points = gpd.GeoSeries(gpd.points_from_xy(stations.longitude, stations.latitude), crs=4326)
    at = points.to_crs(32613).get_coordinates().to_numpy()
    first = [np.argmin(((at - at.mean(axis=0)) ** 2).sum(axis=1))]
    while len(first) < 30:
        first.append(np.argmax(cdist(at, at[first]).min(axis=1)))
    stations["group"] = kmeans2(at, at[first], 100, minit="matrix")[1]
    centres = stations.groupby("group")[["latitude", "longitude"]].mean()
    centres.rename_axis("id").assign(name=centres.index).to_csv(folder / "stations.csv")
    trips = pd.read_csv(REAL / "trips_2015_09.csv")
    for column in ("Origen_Id", "Destino_Id"):
        trips[column] = trips[column].map(stations["group"])
    trips.to_csv(folder / "trips_2015_09.csv", index=False)
    read_month(folder, folder / "bicycles")
    dataset = datasets.load(folder / "bicycles")
    assert od.truth(dataset).sum() == 32_425
    return dataset


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("parameters", "share", "level"),
    [
        (flows(1.0, 100, 30), 0.56, "noisy"),
        (flows(0.3, 100, 30), 0.25, "noisy"),
        (flows(1.0, 1, 30), 0.10, "noisy"),
        (flows(1.0, 30, 15), 0.76, "partly"),
    ],
)
def test_bicycles_of_a_month_by_the_papers_method(bicycles, parameters, share, level):
    known = use(at(bicycles, parameters), bicycles)
    assert known.share == pytest.approx(share, abs=0.01)
    assert known.level == level


@pytest.mark.real_data
def test_the_trips_beyond_t_make_ours_better_on_bicycles(bicycles, monkeypatch):
    """Without them the common part is .87; with them the error of a flow falls by a quarter."""
    ours = flows(1.0, 30, method="estimate")
    with_them = use(at(bicycles, ours), bicycles, draws=40)
    assert with_them.share > 0.9
    assert with_them.level == "good"
    view = look_at(bicycles, "zones", WHOLE)
    true = od.truth(view)

    def error():
        drawn = (od.release(view, ours, rng=np.random.default_rng(seed)) for seed in range(40))
        return np.mean([np.abs(one.typical - true).mean() for one in drawn])

    scaled = error()
    monkeypatch.setattr(measurement, "COUNTED_TO", {})
    assert scaled < 0.75 * error()
    without = [
        common(true, od.release(view, ours, rng=np.random.default_rng(seed)).typical)
        for seed in range(40)
    ]
    assert np.mean(without) == pytest.approx(0.87, abs=0.01)


def test_a_limit_belongs_to_the_better_step_whichever_way_is_better():
    use = [level_of(share) for share in (1.0, 0.9, 0.899, 0.5, 0.499, 0.0)]
    assert use == ["good", "good", "partly", "partly", "noisy", "noisy"]


@pytest.mark.parametrize("share", [0.89949, 0.8995, 0.89951, 0.90049, 0.49949, 0.49951])
def test_what_is_judged_is_the_figure_as_it_is_written(share):
    written = float(f"{100 * share:.1f}")
    assert level_of(share) == level_of(written / 100)
    assert (level_of(share) == "good") == (written >= 90.0)
    assert (level_of(share) == "noisy") == (written < 50.0)


def test_what_has_no_value_is_too_noisy():
    assert step(float("nan"), good=0.9, partly=0.5) == "noisy"
    assert step(float("nan"), good=0.75, partly=0.95) == "noisy"

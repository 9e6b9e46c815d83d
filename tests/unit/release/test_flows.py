"""Files hold the counts that were kept, in their places, and what they add up is unbiased."""

import io
import tracemalloc
from dataclasses import replace

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from engine import datasets, density, origin_destination as od
from engine.geography import centre_distances_m
from engine.origin_destination import estimate
from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.release import WAYS, flows as way, noise, plan, words
from engine.release.files import clear_bar
from engine.resolution import look_at
from tests.reference import estimate_reference as plain
from tests.support.releases import fourier, ours, report, seen, view_of, visits, zoom
from tests.support.trips import save_trips

ZONES, DAYS, EPSILON = 60, 28, 0.06
FOUR = od.ODParameters(epsilon=1.0, max_trips_per_user=4)


@pytest.fixture
def silent(monkeypatch):
    for name in ("discrete_laplace", "discrete_gaussian"):
        monkeypatch.setattr(noise, name, lambda counts, *_, **__: np.array(counts))


@pytest.fixture
def fast(monkeypatch):
    """The same law from a generator of the test: many draws, the same every time."""
    rng = np.random.default_rng(8)

    def draw(counts, scale):
        return counts + discrete_laplace(rng.laplace(0, 1, counts.shape), 1 / scale)

    monkeypatch.setattr(noise, "discrete_laplace", draw)


def written(setting, dataset, folder):
    """Write a product's files without a ledger; return the plan and the shares of progress."""
    shares, planned = [], plan(setting, dataset)
    one = WAYS[setting.parameters.method]
    view = view_of(setting, dataset)
    one.prepare(planned, view)
    folder.mkdir(exist_ok=True)
    one.write(planned, view, folder, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    return planned


def files(setting, dataset, folder, table):
    written(setting, dataset, folder)
    rows = pd.read_csv(folder / table)
    beside = (folder / table).with_suffix(".parquet")
    as_text = io.StringIO(pd.read_parquet(beside).to_csv(index=False))
    pd.testing.assert_frame_equal(pd.read_csv(as_text), rows, check_dtype=False)
    return rows, gpd.read_parquet(folder / "zones.parquet")


@pytest.mark.parametrize("unit", ["trip", "person-day", "person"])
@pytest.mark.parametrize(
    ("kind", "column", "total"), [(seen, "flow", "trips"), (ours, "measured", "measured")]
)
@pytest.mark.parametrize("step", ["day", "whole"])
@pytest.mark.usefixtures("silent")
def test_flows_stand_by_time_origin_and_destination(
    demo, tmp_path, kind, column, total, unit, step
):
    limit = 1 if unit == "trip" else 2
    parameters = od.ODParameters(
        epsilon=1.0, max_trips_per_user=limit, unit=unit, suppression_threshold=3
    )
    setting = seen(parameters, step=step, first=1, last=3)
    setting = ours(setting) if kind is ours else setting
    flows, zones = files(setting, demo, tmp_path, "flows.csv")
    kept = od.kept(demo, parameters, days=(1, 2, 3), sum_days=step == "whole")
    key = "date" if step == "day" else "period_from"
    starts = [demo.metadata.days[day].isoformat() for day in (1, 2, 3)][: len(kept)]
    ids = list(demo.zones["zone_id"])
    off = ~np.eye(len(ids), dtype=bool)
    for day, true in zip(starts, kept, strict=True):
        one = flows[flows[key] == day].set_index(["origin", "destination"])[column]
        wide = one.unstack().reindex(index=ids, columns=ids).to_numpy()
        wanted = np.where(true >= 3, true, np.nan) if column == "flow" else true
        assert np.array_equal(wide[off], wanted[off], equal_nan=True)
    whole = kept.sum(axis=0)
    assert list(zones.zone_id) == ids
    assert np.array_equal(zones[f"out_{total}"], whole.sum(axis=1))
    assert np.array_equal(zones[f"in_{total}"], whole.sum(axis=0))


@pytest.mark.parametrize(
    ("setting", "column"), [(visits(1.0, 5), "visits"), (zoom(1.0), "measured")]
)
@pytest.mark.usefixtures("silent")
def test_visits_stand_by_zone_and_hour(demo, tmp_path, setting, column):
    hours, zones = files(setting, demo, tmp_path, "density.csv")
    ids = list(demo.zones["zone_id"])
    wide = hours.pivot_table(index="zone_id", columns="hour", values=column).reindex(ids)
    if column == "visits":
        kept = density.presampled(demo, 5)
        assert np.abs(wide.to_numpy() - kept).max() <= 0.5
        assert np.abs(zones.visits - kept.sum(axis=1)).max() <= 0.5
    else:
        tables, to_zones = demo.zoom_tables, demo.tessellation.overlap.T
        kept, weeks = to_zones @ (tables.towers / 1024), to_zones @ (tables.weeks / 1024)
        assert np.abs(wide.to_numpy() - kept).max() <= 0.005 + 1e-9
        assert np.abs(zones.measured - weeks).max() <= 0.5
    low, high = (f"{'' if column == 'visits' else 'measured_'}{end}_95" for end in ("low", "high"))
    assert (hours[low] <= hours[column]).all()
    assert (hours[high] >= hours[column]).all()


@pytest.mark.parametrize(
    "setting",
    [
        seen(FOUR.at(0.7), first=1, last=2),
        ours(seen(FOUR.at(7.0), step="whole", zones="clusters-20")),
        visits(0.7, 5),
        zoom(0.7),
        fourier(0.7),
        report(epsilon=0.7),
    ],
    ids=lambda setting: setting.parameters.method,
)
def test_noise_is_drawn_at_the_scales_that_the_plan_states_for_its_cells(
    demo, tmp_path, monkeypatch, setting
):
    """The statement's scales are those of the draws, and every noisy number is counted once."""
    asked = []

    def record(counts, scale):
        asked.append((float(scale), np.size(counts)))
        return np.array(counts)

    monkeypatch.setattr(noise, "discrete_laplace", record)
    monkeypatch.setattr(noise, "discrete_gaussian", record)
    least = noise.least
    monkeypatch.setattr(noise, "least", lambda s, scale: asked.append((scale, 0)) or least(s, 1e-3))
    planned = written(setting, demo, tmp_path)
    drawn = sum(size for _, size in asked)
    assert (
        drawn <= planned.cells
        if setting.parameters.method == "efpag_joint"
        else drawn == planned.cells
    )
    stated = np.array([stage.scale * stage.step for stage in planned.stages])
    scales = np.unique([scale for scale, _ in asked])
    other = [scale for scale in scales if np.abs(stated / scale - 1).min() > 1e-9]
    # the city's clip, and so its scale, is chosen from noise
    assert len(other) <= (setting.parameters.method == "zoom")
    assert len(scales) == len({stage.scale * stage.step for stage in planned.stages})


def test_published_flows_take_the_memory_of_a_day_however_many_days(demo, tmp_path):
    peaks = []
    for days in (4, 7):
        setting = seen(replace(FOUR, suppression_threshold=0), last=days - 1)
        planned, folder = plan(setting, demo), tmp_path / str(days)
        folder.mkdir()
        view = view_of(setting, demo)
        way.prepare(planned, view)
        pool, before = pa.proxy_memory_pool(pa.system_memory_pool()), pa.default_memory_pool()
        pa.set_memory_pool(pool)
        tracemalloc.start()
        try:
            way.write(planned, view, folder, lambda _: None)
            peaks.append(tracemalloc.get_traced_memory()[1] + pool.max_memory())
        finally:
            tracemalloc.stop()
            pa.set_memory_pool(before)
    day = pq.ParquetFile(tmp_path / "7" / "flows.parquet").read_row_group(0).nbytes
    assert peaks[1] < 1.1 * peaks[0]
    assert peaks[1] < 6 * day


def test_all_matrices_of_ours_are_read_together_and_noisy_cells_wait_in_a_file(
    demo, tmp_path, monkeypatch
):
    """So that flows are named certain by one rule over all of them."""
    measured, read_days = [], estimate.read_days
    monkeypatch.setattr(
        estimate, "read_days", lambda cells, far: measured.append(cells) or read_days(cells, far)
    )
    written(ours(seen(FOUR, step="week", zones="clusters-9")), demo, tmp_path)
    (one,) = measured
    assert isinstance(one.cells.base, np.memmap)
    table = pq.read_table(tmp_path / "flows.parquet")["measured"].to_numpy()
    off = ~np.eye(9, dtype=bool)
    assert table.tolist() == one.cells[:, off].ravel().tolist()
    assert len(list(tmp_path.iterdir())) == 5, "that file has no name"
    # totals of zones are the measured ones, scaled up for the trips beyond T
    far = centre_distances_m(look_at(demo, "clusters-9").zones)
    factor = np.array([day.factor[0] for day in read_days(one, far)])
    assert factor.max() > 1
    zones = pq.read_table(tmp_path / "zones.parquet", columns=["out_trips", "in_trips"])
    for name, axis in (("out_trips", 2), ("in_trips", 1)):
        scaled = np.maximum(factor @ one.cells.sum(axis=axis), 0)
        assert zones[name].to_numpy() == pytest.approx(scaled, abs=0.51)


def test_the_tables_of_zoom_add_up_to_what_is_charged(demo, tmp_path, monkeypatch):
    """By OpenDP's own maps, from the σ that were drawn with; with noise × 0.8 they would not."""
    drawn: list[tuple[int, float]] = []

    def record(counts, sigma):
        drawn.append((counts.size, sigma))
        return counts

    monkeypatch.setattr(noise, "discrete_gaussian", record)
    written(zoom(epsilon=1.0, delta=1e-7), demo, tmp_path)
    tables = demo.zoom_tables
    sizes = [1, tables.towers.size, tables.districts.size, tables.city[0].size, tables.weeks.size]
    assert [size for size, _ in drawn] == sizes
    strength, bearable = noise.zcdp_strength(1.0, 1e-7), 0.02 * tables.visits / 168
    clips = np.sqrt(tables.clips.city)
    city = float(clips[clips / (strength * 0.11**0.5) <= bearable].max(initial=clips[0]))
    clips = [1024 * c for c in (10**0.5, 10**0.5, city, 10**0.5)]
    for number in (1, 84, 420, 840):
        room = (1 - 63 / 64 * (number / 840) ** 2) ** 0.5
        moved = [number, *(clip * room for clip in clips)]
        rho = sum(noise.gaussian_rho(by, s) for by, (_, s) in zip(moved, drawn, strict=True))
        assert noise.zcdp_epsilon(rho * (1 - 1e-12), 1e-7) <= 1.0
        assert rho == pytest.approx(strength**2 / 2, rel=1e-9)
        assert noise.zcdp_epsilon(rho / 0.8**2, 1e-7) > 1.2


def test_the_two_measurements_of_estimate_add_up_to_what_is_charged(tmp_path, monkeypatch):
    scales: list[float] = []
    monkeypatch.setattr(
        noise, "discrete_laplace", lambda counts, scale: scales.append(scale) or counts
    )
    written(ours(seen(FOUR, first=0, last=0)), datasets.load("rwanda-districts"), tmp_path)
    cells, count = scales
    stated = noise.laplace_epsilon(4, cells) + noise.laplace_epsilon(16, count)
    assert stated <= 1.0
    assert stated == pytest.approx(1.0, rel=1e-9)


def sparse(folder, flows):
    """Save a dataset of some flows, (origin, destination): trips on every day."""
    rows = [(day, *pair, 1, n) for day in range(DAYS) for pair, n in flows.items()]
    return save_trips(folder / "sparse", rows, zones=ZONES, days=DAYS)


def drawn(kind, dataset, folder):
    setting = seen(od.ODParameters(epsilon=EPSILON, max_trips_per_user=1, unit="person-day"))
    written(ours(setting) if kind == "ours" else setting, dataset, folder)
    flows = pd.read_csv(folder / "flowmap" / "flows.csv")
    totals = pd.read_csv(folder / "flowmap" / "totals.csv", index_col="flows")
    return flows, totals


@pytest.mark.usefixtures("fast")
def test_the_file_does_not_read_two_thousand_times_the_trips(tmp_path):
    """Sums of what is suppressed day by day read 2,000 times the trips here; these are unbiased."""
    dataset = sparse(tmp_path, {(a, a + 1): 1 for a in range(12)})
    kept, read, old = 12 * DAYS, [], 0
    for number in range(6):
        folder = tmp_path / str(number)
        flows, totals = drawn("published", dataset, folder)
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


@pytest.mark.parametrize(("kind", "draws"), [("published", 10), ("ours", 1)])
@pytest.mark.usefixtures("fast")
def test_flows_in_the_file_are_unbiased_and_all_in_their_bars(tmp_path, kind, draws):
    large = {(a, a + 1): 60 for a in range(20)}
    dataset = sparse(tmp_path, large)
    every, held, scale = [], 0, 1 / EPSILON
    if kind == "ours":  # 2% of ε counts the trips beyond T
        scale /= 0.98
    for number in range(draws):
        flows, _ = drawn(kind, dataset, tmp_path / str(number))
        ends = zip(flows["origin"], flows["dest"], strict=True)
        kept = np.array([DAYS * large.get((int(a[1:]), int(b[1:])), 0) for a, b in ends])
        held += bool(((flows["low_95"] <= kept) & (kept <= flows["high_95"])).all())
        bar = clear_bar(scale, DAYS, ZONES * (ZONES - 1))
        assert set(flows["high_95"] - flows["count"]) == {bar}
        assert set(flows["count"] - flows["low_95"]) == {bar}
        assert (flows["low_95"] > 0).all()
        assert (kept > 0).sum() == len(large)  # far above the bar: none is left out
        every.append((flows["count"] - kept)[kept > 0])
    error = np.concatenate(every)
    sd = np.sqrt(2 * DAYS) / EPSILON
    assert abs(error.mean()) < 4 * sd / np.sqrt(len(error))
    assert held >= stats.binom.ppf(0.001, draws, 0.95)  # one run in a thousand may hold less


@pytest.mark.parametrize(("scale", "days", "flows"), [(4.0, 7, 90), (10.0, 3, 1), (2.5, 1, 500)])
def test_the_bar_of_all_flows_at_once_is_the_convolutions(scale, days, flows):
    level = 1 - 0.05 / flows
    expected = plain.total_reach(1 / scale, days, level, support=int(40 * scale) + 3)
    assert clear_bar(scale, days, flows) == expected


@pytest.mark.usefixtures("fast")
def test_flows_by_time_are_the_released_cells_that_stand_clear(tmp_path):
    large = {(a, a + 1): 900 for a in range(20)}
    folder = tmp_path / "bundle"
    drawn("published", sparse(tmp_path, large), folder)
    shown = pd.read_csv(folder / "flowmap" / "flows_by_time.csv")
    assert list(shown.columns) == ["origin", "dest", "count", "time"]
    assert len(shown) == len(large) * DAYS  # no cell of noise alone is above the bar
    cells = pd.read_csv(folder / "flows.csv").set_index(["origin", "destination", "date"])["flow"]
    named = shown.set_index(["origin", "dest", "time"])["count"]
    assert (cells.loc[named.index].to_numpy() == named.to_numpy()).all()
    assert named.min() > clear_bar(1 / EPSILON, 1, ZONES * (ZONES - 1) * DAYS)


@pytest.mark.parametrize("kind", [seen, ours])
def test_two_days_at_one_charge_are_compared_by_noisy_cells_alone(demo, tmp_path, kind, fast):
    setting = seen(replace(FOUR, suppression_threshold=3), zones="clusters-20", first=1, last=2)
    flows, zones = files(kind(setting) if kind is ours else setting, demo, tmp_path, "flows.csv")
    told = pd.read_csv(tmp_path / "change.csv").set_index("of")
    key, column = ["origin", "destination"], "measured" if kind is ours else "flow"
    before, after = (day.set_index(key)[column] for _, day in flows.groupby("date"))
    moved, one = after - before, told.loc["flow"].set_index(key)
    assert moved.equals(one["change"].astype(moved.dtype))
    assert (one["low_95"] + one["high_95"])[moved.notna()].equals(2 * moved.dropna())
    if kind is seen:
        neither = before.isna() & after.isna()
        assert neither.any()
        assert set(one["verdict"][neither]) == {"cannot tell"}
    rises = one["low_95"] > 0
    assert ((one["verdict"] == "rise") == rises)[moved.notna()].all()
    assert len(told.loc["out"]) == len(told.loc["in"]) == len(zones)
    out = told.loc["out"].set_index("origin")["change"]
    assert out.sum() == told.loc["in"]["change"].sum() == told.loc["all", "change"]
    if kind is ours:
        assert out.sort_index().equals(moved.groupby("origin").sum().sort_index())
    assert "change.csv compares both days" in words(plan(setting, demo), "accuracy")[0]


def test_one_matrix_or_three_are_not_compared(demo, tmp_path):
    for last in (1, 3):
        written(seen(FOUR, zones="clusters-20", first=1, last=last), demo, tmp_path / str(last))
        assert not (tmp_path / str(last) / "change.csv").exists()

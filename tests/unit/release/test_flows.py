"""Files hold the counts that were kept, in their places, and what they add up is unbiased."""

import gc
import io
import tracemalloc
from dataclasses import replace
from itertools import product

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine import datasets, density, origin_destination as od
from engine.errors import ParameterError
from engine.geography import centre_distances_m
from engine.origin_destination import NoiseDistribution, change, empirical_bayes
from engine.release import budget_cost, flow_writer as way, opendp_noise, plan, render_words
from engine.resolution import make_view
from engine.utility import compute_utility
from tests.support.releases import fourier, ours, report, seen, view_of, visits, written, zoom

FOUR = od.ODParameters(epsilon=1.0, max_trips_per_user=4)


@pytest.fixture
def silent(monkeypatch):
    for name in ("discrete_laplace", "discrete_gaussian"):
        monkeypatch.setattr(opendp_noise, name, lambda counts, *_, **__: np.array(counts))


def files(setting, dataset, folder, table, **rest):
    planned = written(setting, dataset, folder, **rest)
    rows = pd.read_csv(folder / table)
    beside = (folder / table).with_suffix(".parquet")
    as_text = io.StringIO(pd.read_parquet(beside).to_csv(index=False))
    pd.testing.assert_frame_equal(pd.read_csv(as_text), rows, check_dtype=False)
    rows.attrs["plan"] = planned
    return rows, gpd.read_parquet(folder / "zones.parquet")


@pytest.mark.parametrize(
    ("unit", "step"),
    [
        *product(("trip", "person-day", "person"), ["day"]),
        ("person-day", "week"),
        ("person", "whole"),
    ],
)
@pytest.mark.parametrize(("kind", "column"), [(seen, "flow"), (ours, "measured")])
@pytest.mark.usefixtures("silent")
def test_flows_stand_by_time_and_coarse_zones(demo, tmp_path, kind, column, unit, step):
    limit = 1 if unit == "trip" else 2
    parameters = od.ODParameters(
        epsilon=1.0, max_trips_per_user=limit, unit=unit, suppression_threshold=3
    )
    setting = seen(parameters, zones="clusters-12", step=step, first=1, last=3)
    setting = ours(setting) if kind is ours else setting
    flows, zones = files(setting, demo, tmp_path, "flows.csv", sums_before_suppression=True)
    days = [day.isoformat() for day in demo.metadata.days[1:4]]
    times = {"date": days} if step == "day" else {"period_from": days[:1], "period_to": days[2:]}
    assert {name: list(flows[name].unique()) for name in times} == times
    coarse = make_view(demo, "clusters-12")
    kept = od.truncated_matrices(coarse, parameters, days=(1, 2, 3), sum_days=step != "day")
    ids, off = list(coarse.zones["zone_id"]), ~np.eye(12, dtype=bool)
    for (_, one), true in zip(flows.groupby([*times]), kept, strict=True):
        wide = one.set_index(["origin", "destination"])[column].unstack()
        wanted = np.where(true >= 3, true, np.nan) if column == "flow" else true
        assert np.array_equal(
            wide.reindex(index=ids, columns=ids).to_numpy()[off], wanted[off], True
        )
    whole, total = kept.sum(axis=0), "trips" if kind is seen else "measured"
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
        kept = density.presampled_counts(demo, 5)
        assert np.abs(wide.to_numpy() - kept).max() <= 0.5
        assert np.abs(zones.visits - kept.sum(axis=1)).max() <= 0.5
    else:
        tables, to_zones = demo.multiscale_tables, demo.tessellation.overlap.T
        kept, weeks = to_zones @ (tables.towers / 1024), to_zones @ (tables.tower_totals / 1024)
        assert np.abs(wide.to_numpy() - kept).max() <= 0.005 + 1e-9
        assert np.abs(zones.measured - weeks).max() <= 0.5
    low, high = (f"{'' if column == 'visits' else 'measured_'}{end}_95" for end in ("low", "high"))
    assert (hours[low] <= hours[column]).all()
    for table, stated in zip((hours, zones), hours.attrs["plan"].error_bars, strict=False):
        bar = np.median(table[f"{column}_high_95" if table is zones else high] - table[column])
        assert bar == pytest.approx(stated.half_width, abs=1)
        assert stated.half_width <= plan(setting, demo).error_bars[table is zones].half_width


@pytest.mark.usefixtures("silent")
def test_hours_of_towers_that_were_not_counted_are_not_in_a_release(demo, tmp_path):
    """At ε = 0.05 too few visits are found: 15 a tower, in units of noise, of the 25 needed."""
    hours, zones = files(zoom(0.05), demo, tmp_path, "density.csv")
    drawn = hours.attrs["plan"]
    assert list(hours) == ["zone_id", "hour", "visits"]
    shares = hours.pivot_table(index="zone_id", columns="hour", values="visits")
    assert np.ptp(shares.div(shares.sum(axis=1), axis=0), axis=0).max() < 1e-4
    assert {"measured", "measured_low_95", "visits"} <= set(zones)
    (week, _), planned = drawn.error_bars, plan(zoom(0.05), demo)
    assert week.half_width == pytest.approx(planned.error_bars[1].half_width * (0.28 / 0.8) ** 0.5)
    assert [round(stage.rho / drawn.rho, 9) for stage in drawn.stages] == [0.2, 0.8, 0.0]
    assert (drawn.cell_count, drawn.rho) == (168 + 200 + 1, planned.rho)
    assert planned.cell_count == (200 + 16 + 1) * 168 + 200 + 1
    said, before = (" ".join(render_words(each, "bias", "cells")) for each in (drawn, planned))
    assert "Too few visits were found to count towers by hour" in said
    assert "towers, 16 districts" not in said
    assert "If density.csv has no column 'measured', too few visits were found" in before


@pytest.mark.parametrize("epsilon", [0.7, 0.05])
@pytest.mark.usefixtures("silent")
def test_bins_of_a_report_stand_in_the_bars_that_are_stated(demo, tmp_path, epsilon):
    """The same whole number in file and statement; of sums of days a bar of their own."""
    planned = written(report(epsilon=epsilon), demo, tmp_path)
    parts = pd.read_csv(tmp_path / "report.csv").groupby("analysis", sort=False)
    assert len(parts) == len(planned.error_bars)
    for (_, rows), stated in zip(parts, planned.error_bars, strict=True):
        above, below = rows["high_95"] - rows["count"], rows["count"] - rows["low_95"]
        assert above.min() == stated.half_width
        assert below.equals(np.minimum(above, rows["count"]))
        assert (above.max() == stated.half_width) == ("Trips and people" not in stated.quantity)


@pytest.mark.parametrize(
    "setting",
    [
        seen(FOUR.with_epsilon(0.7), first=1, last=2),
        ours(seen(FOUR.with_epsilon(7.0), step="whole", zones="clusters-20")),
        visits(0.7, 5),
        *(zoom(epsilon) for epsilon in (0.05, 0.1, 0.7)),
        fourier(0.7),
        report(epsilon=0.7),
    ],
    ids=lambda setting: setting.parameters.method,
)
def test_noise_is_drawn_at_the_scales_that_are_stated(demo, tmp_path, monkeypatch, setting):
    """The statement's scales are those of the draws, and every noisy number is counted once."""
    asked = []

    def record(counts, scale):
        asked.append((float(scale), np.size(counts)))
        return np.array(counts)

    monkeypatch.setattr(opendp_noise, "discrete_laplace", record)
    monkeypatch.setattr(opendp_noise, "discrete_gaussian", record)
    least = opendp_noise.noisy_min
    monkeypatch.setattr(
        opendp_noise, "noisy_min", lambda s, scale: asked.append((scale, 0)) or least(s, 1e-3)
    )
    planned = written(setting, demo, tmp_path)
    drawn = sum(size for _, size in asked)
    assert drawn <= planned.cell_count
    assert drawn == planned.cell_count or setting.parameters.method == "efpag_joint"
    stated = np.array([stage.scale * stage.units_per_count for stage in planned.stages])
    scales = np.unique([scale for scale, _ in asked])
    other = [scale for scale in scales if np.abs(stated / scale - 1).min() > 1e-9]
    assert not other
    assert len(scales) == len({stage.scale * stage.units_per_count for stage in planned.stages})


def test_published_flows_take_the_memory_of_a_day_however_many_days(demo, tmp_path):
    peaks = []
    for days in (2, 5):
        setting = seen(replace(FOUR, suppression_threshold=0), last=days - 1)
        planned, folder = plan(setting, demo), tmp_path / str(days)
        folder.mkdir()
        view = view_of(setting, demo)
        way.load_counts(planned, view)
        pool, before = pa.proxy_memory_pool(pa.system_memory_pool()), pa.default_memory_pool()
        pa.set_memory_pool(pool)
        tracemalloc.start()
        try:
            way.write(planned, view, folder, lambda _: gc.collect())  # OpenDP leaves cycles
            peaks.append(tracemalloc.get_traced_memory()[1] + pool.max_memory())
        finally:
            tracemalloc.stop()
            pa.set_memory_pool(before)
    day = pq.ParquetFile(tmp_path / "5" / "flows.parquet").read_row_group(0).nbytes
    assert peaks[1] < 1.1 * peaks[0]
    assert peaks[1] < 6 * day


def test_all_matrices_of_ours_are_read_together(demo, tmp_path, monkeypatch):
    """So that flows are marked as detected by one rule over all of them."""
    measured, read_days = [], empirical_bayes.estimate_days
    monkeypatch.setattr(
        empirical_bayes,
        "estimate_days",
        lambda cells, far: measured.append(cells) or read_days(cells, far),
    )
    written(ours(seen(FOUR, step="week", zones="clusters-9")), demo, tmp_path)
    (one,) = measured
    table = pq.read_table(tmp_path / "flows.parquet")["measured"].to_numpy()
    off = ~np.eye(9, dtype=bool)
    assert table.tolist() == one.cells[:, off].ravel().tolist()
    # totals of zones are sums of what is read, and of what is measured
    far = centre_distances_m(make_view(demo, "clusters-9").zones)
    sums = {"trips": sum(day.counts[0] for day in read_days(one, far))}
    sums["measured"] = one.cells.sum(axis=0)
    zones = pq.read_table(tmp_path / "zones.parquet")
    for what, (end, axis) in product(sums, (("out", 1), ("in", 0))):
        wanted = sums[what].sum(axis=axis)
        assert zones[f"{end}_{what}"].to_numpy() == pytest.approx(wanted, abs=0.6)


@pytest.mark.parametrize("step", ["day", "whole"])
@pytest.mark.usefixtures("silent")
def test_a_release_scales_up_as_exploring_does_and_says_by_how_much(demo, tmp_path, step):
    """By the trips of all its matrices; the statement's range holds the factor without noise."""
    setting = ours(seen(replace(FOUR, max_trips_per_user=1), zones="clusters-9", step=step))
    view, planned = view_of(setting, demo), plan(setting, demo)
    way.load_counts(planned, view)
    stated = way.write(planned, view, tmp_path, lambda _: None).scale_up
    counted = replace(setting.parameters, max_trips_per_user=20)
    kept, more = (od.truncated_matrices(view, each).sum() for each in (setting.parameters, counted))
    deviation = np.sqrt(2 * planned.matrix_count) * 19 / 0.03
    beyond = more - kept
    believed = (1 - 4 * deviation**2 / beyond**2) * beyond
    assert stated.factor == pytest.approx(1 + believed / kept, rel=1e-6)
    assert stated.low_95 < 1 + beyond / kept < stated.high_95
    noiseless = np.zeros((planned.matrix_count, 9, 9))
    explored = od.release(view, setting.parameters, noise=noiseless)
    assert empirical_bayes.scale_up(explored.measurement) == pytest.approx(stated.factor)
    trips = pq.read_table(tmp_path / "flows.parquet")["trips"].to_numpy()
    off = ~np.eye(9, dtype=bool)
    assert trips == pytest.approx(explored.counts[:, off].ravel(), abs=0.006)


@pytest.mark.parametrize("kind", [seen, ours])
@pytest.mark.usefixtures("silent")
def test_two_days_at_one_charge_are_compared_by_noisy_cells_alone(demo, tmp_path, kind):
    setting = seen(replace(FOUR, suppression_threshold=3), zones="clusters-20", first=4, last=5)
    setting = kind(setting) if kind is ours else setting
    flows, zones = files(setting, demo, tmp_path, "flows.csv", sums_before_suppression=True)
    told = pd.read_csv(tmp_path / "change.csv").set_index("of")
    key, column = ["origin", "destination"], "measured" if kind is ours else "flow"
    before, after = (day.set_index(key)[column] for _, day in flows.groupby("date"))
    moved, one = after - before, told.loc["flow"].set_index(key)
    assert moved.equals(one["change"].astype(moved.dtype))
    if kind is seen:
        neither = before.isna() & after.isna()
        assert neither.any()
        assert set(one["verdict"][neither]) == {"cannot tell"}
    assert ((one["verdict"] == "rise") == (one["low_95"] > 0))[moved.notna()].all()
    cells, off = np.zeros((2, len(zones), len(zones)), np.int64), ~np.eye(len(zones), dtype=bool)
    cells[:, off] = before.fillna(0), after.fillna(0)
    law = NoiseDistribution(1 / plan(setting, demo).stages[0].scale, "discrete_laplace")
    flows = change.find_changes(*cells, law, least_shown=3 if kind is seen else -np.inf).flows
    assert one["beyond_chance"].tolist() == (flows.signs_beyond_chance[off] != 0).tolist()
    assert 0 < one["beyond_chance"].sum() < (one["verdict"] != "cannot tell").sum()
    assert list(told)[2:] == ["verdict", "change", "low_95", "high_95", "beyond_chance"]
    out = told.loc["out"].set_index("origin")["change"]
    assert len(out) == len(told.loc["in"]) == len(zones)
    assert out.sum() == told.loc["in"]["change"].sum() == told.loc["all", "change"]
    one_day = plan(seen(FOUR, last=0), demo)
    assert (plan(setting, demo).compares_periods, one_day.compares_periods) == (True, False)


@pytest.mark.parametrize(("unit", "due"), [("person-day", 2.0), ("person", 0.5)])
@pytest.mark.usefixtures("silent")
def test_two_spans_apart_are_one_charge_of_the_days_that_are_seen(demo, tmp_path, unit, due):
    """Days 1 and 2 against 5 and 6: nobody pays for, nor is counted on, the days between."""
    parameters = replace(FOUR, epsilon=0.5, unit=unit, suppression_threshold=0)
    setting = seen(parameters, step="whole", first=1, last=6, span=2)
    flows, _ = files(setting, demo, tmp_path, "flows.csv")
    planned, days = plan(setting, demo), demo.metadata.days
    assert (planned.days, planned.matrix_count) == (4, 2)
    assert budget_cost(planned, "person").epsilon == due
    assert f"{days[1]} to {days[2]} and {days[5]} to {days[6]}" in render_words(planned, "seen")[0]
    assert "compares both periods" in render_words(planned, "accuracy")[0]
    pairs, spans = ~np.eye(len(demo.zones), dtype=bool), flows.groupby(["period_from", "period_to"])
    for at, (span, rows) in zip((1, 5), spans, strict=True):
        assert span == (f"{days[at]}", f"{days[at + 1]}")
        kept = od.truncated_matrices(demo, parameters, days=(at, at + 1)).sum(axis=0)
        assert rows["flow"].fillna(0).tolist() == kept[pairs].tolist()
    assert (tmp_path / "change.csv").exists()


@pytest.mark.parametrize("wrong", [{"last": 5}, {"last": None}, {"step": "day"}, {"span": 0}])
def test_spans_that_share_a_day_or_have_none_are_refused(wrong):
    with pytest.raises(ParameterError, match=r"compared_days|aggregation"):
        seen(FOUR, **{"step": "whole", "first": 1, "last": 6, "span": 3} | wrong)


@pytest.mark.parametrize(
    ("method", "column", "apart"),
    [("laplace_suppression", "flow", 0.009), ("empirical_bayes", "trips", 0.02)],
)
def test_both_numbers_of_a_page_are_those_of_the_files(tmp_path, method, column, apart):
    """Retained and genuine are of the column that a bundle names first, over all its rows."""
    city = datasets.load("demo-city")
    parameters = od.ODParameters(
        epsilon=0.5, max_trips_per_user=30, unit="person", method=method, suppression_threshold=15
    )
    setting = seen(parameters, dataset=city.id, zones="clusters-30", step="whole")
    utility = compute_utility(setting, city, draws=20)
    view = make_view(city, setting.zone_level, setting.time)
    names = view.zones["zone_id"]
    true = pd.DataFrame(od.truth(view)[0], index=names, columns=names).stack()
    shares = []
    for repeat in range(8):
        rows, _ = files(setting, city, tmp_path / f"{repeat}", "flows.csv")
        released = rows.set_index(["origin", "destination"])[column].fillna(0).clip(lower=0)
        common = np.minimum(released, true.reindex(released.index)).sum()
        shares.append((common / true.sum(), common / released.sum()))
    assert (utility.retained, utility.genuine) == pytest.approx(np.mean(shares, axis=0), abs=apart)

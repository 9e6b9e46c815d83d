"""Where noise adds nothing, a product's files hold the counts that were kept, in their places."""

import io
import tracemalloc

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine import density, origin_destination as od
from engine.release import Product, noise
from tests.support.releases import ours, report, visits, zoom

DAYS = (1, 4)


@pytest.fixture(autouse=True)
def silent(monkeypatch):
    for name in ("discrete_laplace", "discrete_gaussian"):
        monkeypatch.setattr(noise, name, lambda counts, _=0, **__: np.array(counts))


def files(product, dataset, folder, table):
    shares = []
    product.prepare(dataset)
    product.write(dataset, folder, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    rows = pd.read_csv(folder / table)
    beside = (folder / table).with_suffix(".parquet")
    as_text = io.StringIO(pd.read_parquet(beside).to_csv(index=False))
    pd.testing.assert_frame_equal(pd.read_csv(as_text), rows, check_dtype=False)
    assert pq.read_metadata(beside).num_row_groups == (
        rows["date"].nunique() if "date" in rows else 1
    )
    return rows, gpd.read_parquet(folder / "zones.parquet")


@pytest.mark.parametrize("unit", ["trip", "person-day", "person"])
@pytest.mark.parametrize(
    ("kind", "column", "total"), [(Product, "flow", "trips"), (ours, "measured", "measured")]
)
def test_flows_stand_by_day_origin_and_destination(demo, tmp_path, kind, column, total, unit):
    limit = 1 if unit == "trip" else 2
    parameters = od.ODParameters(
        epsilon=1.0, max_trips_per_user=limit, unit=unit, suppression_threshold=3
    )
    days = None if unit == "person" else DAYS
    flows, zones = files(kind(parameters, days=days), demo, tmp_path, "flows.csv")
    kept = od.kept(demo, parameters, days=days, sum_days=unit == "person")
    periods = [demo.metadata.days[day].isoformat() for day in (DAYS if days else (0,))]
    ids = list(demo.zones["zone_id"])
    for day, true in zip(periods, kept, strict=True):
        one = flows[flows.date == day].set_index(["origin", "destination"])[column]
        wide = one.unstack().reindex(index=ids, columns=ids).to_numpy()
        off = ~np.eye(len(ids), dtype=bool)
        wanted = np.where(true >= 3, true, np.nan) if column == "flow" else true
        assert np.array_equal(wide[off], wanted[off], equal_nan=True)
    whole = kept.sum(axis=0)
    assert list(zones.zone_id) == ids
    assert np.array_equal(zones[f"out_{total}"], whole.sum(axis=1))
    assert np.array_equal(zones[f"in_{total}"], whole.sum(axis=0))
    widths = zones[f"out_{total}_high_90"] - zones[f"out_{total}_low_90"]
    assert widths.nunique() == 1
    assert widths[0] > 0
    if kind is ours and unit == "person":  # nothing is scaled up: the model keeps what is certain
        assert zones["out_trips"].corr(zones["out_measured"]) > 0.99
        assert zones["in_trips"].corr(zones["in_measured"]) > 0.99


@pytest.mark.parametrize(
    ("product", "column"), [(visits(1.0, 5), "visits"), (zoom(1.0), "measured")]
)
def test_visits_stand_by_zone_and_hour(demo, tmp_path, product, column):
    hours, zones = files(product, demo, tmp_path, "density.csv")
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
    low, high = (f"{'' if column == 'visits' else 'measured_'}{end}_90" for end in ("low", "high"))
    assert (hours[low] <= hours[column]).all()
    assert (hours[high] >= hours[column]).all()


@pytest.mark.parametrize(
    "product",
    [
        Product(od.ODParameters(epsilon=0.7, max_trips_per_user=4), days=DAYS),
        ours(od.ODParameters(epsilon=7.0, max_trips_per_user=4), days=DAYS),
        visits(0.7, 5),
        zoom(0.7),
        report(epsilon=0.7),
    ],
    ids=lambda product: f"{type(product.parameters).__name__} {product.parameters.method}",
)
def test_noise_is_drawn_at_the_scales_that_the_plan_states_for_its_cells(
    demo, tmp_path, monkeypatch, product
):
    """The statement's scales are those of the draws, and every noisy number is counted once."""
    asked = []

    def record(counts, scale):
        asked.append((float(scale), np.size(counts)))
        return np.array(counts)

    monkeypatch.setattr(noise, "discrete_laplace", record)
    monkeypatch.setattr(noise, "discrete_gaussian", record)
    product.write(demo, tmp_path, lambda _: None)
    plan = product.plan(demo)
    assert sum(size for _, size in asked) == plan.cells
    five_tables = product.parameters.method == "zoom"  # four of them in units of 1/1024 visit
    units = (1, 1024) if five_tables else (1,)
    stated = np.array([stage.scale * unit for stage in plan.stages for unit in units])
    drawn = np.unique([scale for scale, _ in asked])
    other = [scale for scale in drawn if np.abs(stated / scale - 1).min() > 1e-9]
    assert len(other) <= five_tables  # the city's clip, and so its scale, is chosen from noise
    assert len(drawn) == len({stage.scale for stage in plan.stages})


def peak(product, dataset, folder):
    """Return the most that a release held at once, of NumPy's and Python's memory and Arrow's."""
    product.prepare(dataset)
    pool, before = pa.proxy_memory_pool(pa.system_memory_pool()), pa.default_memory_pool()
    pa.set_memory_pool(pool)
    tracemalloc.start()
    try:
        product.write(dataset, folder, lambda _: None)
        return tracemalloc.get_traced_memory()[1] + pool.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(before)


def test_published_flows_take_the_memory_of_a_day_however_many_days(demo, tmp_path):
    peaks = []
    for days in ((0, 1), tuple(range(7))):
        (folder := tmp_path / str(len(days))).mkdir()
        product = Product(od.ODParameters(epsilon=1.0, suppression_threshold=0), days=days)
        peaks.append(peak(product, demo, folder))
    day = pq.ParquetFile(tmp_path / "7" / "flows.parquet").read_row_group(0).nbytes
    assert peaks[1] < 1.05 * peaks[0]
    assert peaks[1] < 6 * day

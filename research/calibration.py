"""Hold the simulated datasets against published marginals: ``python -m research calibration``.

Sources: P1 (Acs & Castelluccia, KDD 2014, §4.1 and §5.2) and P2 (Kohli, Aiken & Blumenstock,
Tables 1, 3, S2, S3 and the text on Kabul and Hirat).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import geopandas as gpd
import numpy as np
import shapely

from engine import datasets
from engine.arrays import Floats, Integers
from engine.datasets import Dataset
from engine.errors import DatasetError
from engine.geography import projected_crs
from engine.synthetic.catalogue import COUNTRIES, ON_FIRST_USE
from research.rows import Row, row

BOUNDARIES = Path(__file__).parents[2] / "shared" / "data" / "boundaries"

TOUCHING_M = 15.0
"""Zones this near are neighbours; real boundaries, drawn by hand, do not meet exactly."""

_PAIRS = (
    ("rwanda-sectors", "rwanda_sectors.geojson", "Rwandan sectors"),
    ("rwanda-districts", "rwanda_districts.geojson", "Rwandan districts"),
    ("paris", "paris_iris_992.geojson", "Paris IRIS"),
)
_QUANTILES = (5, 25, 50, 75, 95)

RELATIVE_TOLERANCE = 0.05
SHARE_TOLERANCE = 0.03
SMALL_COUNT = 15


def met(target: float, got: float, kind: str) -> bool | None:
    """Return whether ours is within its tolerance; None where there is none.

    `kind` is ``count`` (within 5%), ``share`` (within 3 points) or ``reported`` (no bound).
    """
    if kind == "reported":
        return None
    tolerance = SHARE_TOLERANCE if kind == "share" else RELATIVE_TOLERANCE * abs(target)
    return abs(got - target) <= tolerance


def figure(
    dataset: str, what: str, target: float, got: float, kind: str = "count", note: str = ""
) -> Row:
    """Return one published figure beside ours."""
    return Row(
        table=dataset,
        what=what,
        setting=kind,
        ours=float(got),
        published=float(target),
        within=met(target, float(got), kind),
        source=note,
    )


@dataclass(frozen=True)
class _Published:
    """P2's figures of one dataset and level."""

    people: int
    zones: int
    mean: float
    percentile_95: float
    share_small: float
    daily_percentiles: tuple[int, int, int] | None = None
    out_migration: int | None = None


_P2 = {
    "rwanda-districts": _Published(541_000, 30, 1.53, 10, 0.493, (6, 8, 14), 32_627),
    "rwanda-sectors": _Published(541_000, 416, 2.88, 20, 0.781, (9, 11, 20), 51_102),
    "afghanistan-provinces": _Published(2_790_000, 34, 0.26, 2, 0.759, (3, 4, 6), 49_994),
    "afghanistan-districts": _Published(2_790_000, 421, 1.73, 9, 0.967, (4, 6, 10), 87_007),
    "afghanistan-2020": _Published(7_120_000, 34, 14, 52, 0.736),
    "afghanistan-2020-districts": _Published(7_120_000, 421, 52, 251, 0.978),
}
_CANNOT_BE_MET = "cannot be met: the mean alone puts at least 91.4% of cells under 15 (O6)"


def rows() -> Iterator[Row]:
    """Yield every published figure beside ours, for the datasets that are there; then shapes."""
    for name in ("paris", *COUNTRIES, *ON_FIRST_USE):
        try:
            dataset = datasets.load(name)
        except DatasetError:
            if name in ON_FIRST_USE:
                continue
            raise
        yield from _paris(dataset) if name == "paris" else _country(dataset, _P2[name])
    yield from shapes()


def _paris(dataset: Dataset) -> Iterator[Row]:
    got: dict[str, Any] = dataset.metadata.scenario["marginals"]
    truth, zones = dataset.truth_by_tower, len(dataset.zones)
    cover, people = dataset.tessellation.cover_size, float(dataset.single_visit_by_tower.sum())
    presampled = float(dataset.presampled_by_tower(30).sum())
    hourly = truth.sum(axis=0).reshape(7, 24)
    falls = np.all(np.diff(hourly[:, :5]) < 0, axis=1)
    rhythm = falls & np.all(np.diff(hourly[:, 4:7]) > 0, axis=1)
    unlike = "P1's figure does not fit its own N × mean, which is 162.5 (D7)"
    before, sampled = "before sampling", "at most 30 visits"
    cells = f"our cover has {cover} cells"
    zone, cell = "mean count per zone and hour", "mean count per cover cell and hour"
    for one in (
        ("people (N)", 1_992_846, people),
        ("towers", 1303, len(dataset.towers)),
        ("zones", 989, zones),
        ("visits per person, mean", 13.55, truth.sum() / people),
        ("visits per person, standard deviation", 18.33, got["visits_standard_deviation"]),
        ("visits per person, maximum", 732, got["visits_maximum"]),
        ("days that fall from 00:00 to 04:00 and rise to 06:00", 7, rhythm.sum()),
        (f"{zone}, {before}", 91, truth.sum() / zones / 168, "reported", unlike),
        (f"{zone}, {sampled}", 91, presampled / zones / 168, "reported"),
        (f"{cell}, {sampled}", 120, presampled / cover / 168, "reported", cells),
    ):
        yield figure("paris", *one)


def _country(dataset: Dataset, published: _Published) -> Iterator[Row]:
    got: dict[str, Any] = dataset.metadata.scenario["marginals"]
    origins, share_small = daily_totals(dataset)
    people = 0.0 if dataset.homes is None else float(dataset.homes.sum())
    percentiles = got["trips_percentiles"]
    small = "share of daily cells under 15", published.share_small, share_small
    fine_rwanda = dataset.id == "rwanda-sectors"
    figures: list[tuple[Any, ...]] = [
        ("people", published.people, people),
        ("zones", published.zones, len(dataset.zones)),
        ("trips per person, mean", published.mean, origins.sum() / people),
        ("trips per person, 5th percentile", 0, percentiles["5"]),
        ("trips per person, 95th percentile", published.percentile_95, percentiles["95"]),
        (*small, "reported", _CANNOT_BE_MET) if fine_rwanda else (*small, "share"),
    ]
    for q, target in zip((90, 95, 99), published.daily_percentiles or (), strict=False):
        what, ours = f"trips on a day with any, {q}th percentile", got["daily_trips_percentiles"]
        figures.append((what, target, ours[str(q)], "reported"))
    zone_ids: list[str] = dataset.zones["zone_id"].astype(str).tolist()
    if published.out_migration is not None:
        area = [zone_ids.index(i) for i in dataset.metadata.scenario["shock"]["zone_ids"]]
        what = "out-migration from the shock's area in 7 days"
        figures.append((what, published.out_migration, origins[:, area].sum()))
    if dataset.id == "afghanistan-2020":
        for code, name, target in (("AFG-1767", "Kabul", 18_602), ("AFG-1742", "Hirat", 3_733)):
            ours = origins[:, zone_ids.index(code)].mean()
            what = f"trips from {name} on an average day"
            figures.append((what, target, ours, "count", "level not stated"))
    for one in figures:
        yield figure(dataset.id, *one)


class DailyTotals(NamedTuple):
    """Trips by day and origin, shape (days, zones), and the share of small cells."""

    origins: Floats
    share_small: float


def daily_totals(dataset: Dataset) -> DailyTotals:
    """Sum trips over ranks: by day and origin, and cell by cell for the share under 15."""
    trips, zones, days = dataset.trips.whole, len(dataset.zones), len(dataset.metadata.days)
    cell = (trips.day.astype(np.int64) * zones + trips.origin) * zones + trips.destination
    starts = np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]])  # rows are sorted by cell
    counts = np.add.reduceat(trips.n, starts)
    large = int((counts >= SMALL_COUNT).sum())
    origin = trips.day.astype(np.int64) * zones + trips.origin
    sums = np.bincount(origin, weights=trips.n, minlength=days * zones)
    return DailyTotals(
        origins=sums.reshape(days, zones).astype(np.float64),
        share_small=1.0 - large / (days * zones * (zones - 1)),
    )


# -- Shapes of zones -------------------------------------------------------------------------------


def shapes() -> Iterator[Row]:
    """Yield areas and neighbours of simulated zones and, where they are at hand, of real ones."""
    for name, file, real_name in _PAIRS:
        yield from _shape(f"{name} (simulated)", datasets.load(name).zones)
        if (BOUNDARIES / file).is_file():
            yield from _shape(f"{real_name} (real)", gpd.read_file(BOUNDARIES / file))


def relative_areas(zones: gpd.GeoDataFrame) -> Floats:
    """Return the areas of `zones` divided by their mean."""
    areas = zones.geometry.to_crs(projected_crs(zones)).area.to_numpy()
    return areas / areas.mean()


def neighbour_counts(zones: gpd.GeoDataFrame) -> Integers:
    """Return how many other zones lie within `TOUCHING_M` of each."""
    polygons = zones.geometry.to_crs(projected_crs(zones)).to_numpy()
    left, right = shapely.STRtree(polygons).query(
        polygons, predicate="dwithin", distance=TOUCHING_M
    )
    return np.bincount(left[left != right], minlength=len(polygons)).astype(np.int64)


def _shape(name: str, zones: gpd.GeoDataFrame) -> Iterator[Row]:
    areas, neighbours = relative_areas(zones), neighbour_counts(zones)
    table = "shapes of zones"
    yield row(table, "zones", name, len(zones))
    yield row(table, "area, sd over mean", name, float(areas.std()))
    for quantile, value in zip(_QUANTILES, np.percentile(areas, _QUANTILES), strict=True):
        yield row(table, f"area over the mean, {quantile}%", name, float(value))
    yield row(table, f"neighbours within {TOUCHING_M:g} m, mean", name, float(neighbours.mean()))
    yield row(table, f"neighbours within {TOUCHING_M:g} m, sd", name, float(neighbours.std()))

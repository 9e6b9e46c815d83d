"""Time to make the shipped datasets and a large twin from nothing, and to load each of them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import Row, bounded, child, cpu_seconds, median_seconds
from engine import datasets, synthetic

MAKING_LIMIT_S = 600.0
MAKING_LIMIT_GB = 4.0
LOADING_LIMIT_S = 1.0
TWIN_LIMIT_S, TWIN_LIMIT_GB = 60.0, 4.0
_TWIN = """
import numpy as np, shapely, geopandas as gpd
from pathlib import Path
from engine.synthetic.twin import twin
from engine.synthetic.twininputs import TwinInputs
squares = [shapely.box(i % 20 / 10, i // 20 / 10, i % 20 / 10 + 0.1, i // 20 / 10 + 0.1)
           for i in range(300)]
ids = ["Z%03d" % i for i in range(300)]
columns = dict(zone_id=ids, name=ids, residents=np.arange(1, 301))
zones = gpd.GeoDataFrame(columns, geometry=squares, crs=4326)
twin(zones, TwinInputs(people=1_000_000), Path("{folder}") / "twin")
"""
_REFERENCE_PEOPLE = 300


def rows() -> Iterator[Row]:
    for name in synthetic.shipped():
        size = datasets.load(name).size_bytes / 1e6
        took = median_seconds(lambda name=name: read_everything(name), repeats=5)
        yield bounded(f"load {name}, all tables", took, LOADING_LIMIT_S, f"{size:.1f} MB")
    yield making_twin()
    yield making()


def read_everything(name: str) -> None:
    """Load a dataset anew and read every table that a page or a mechanism reads."""
    dataset = datasets.load(name)
    _ = dataset.zones, dataset.homes
    if dataset.has_density:
        dataset.presampled_by_tower(30)
        _ = dataset.towers, dataset.truth_by_tower, dataset.single_visit_by_tower
    if dataset.has_trips:
        _ = dataset.trips
    if dataset.has_trips_by_person:
        _ = dataset.trips_by_person


def making_twin() -> Row:
    """Make a twin of 300 zones, a million people and 7 days, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        process = child(_TWIN.format(folder=folder))
    peak_gb = process.peak_mb / 1000
    plain = cpu_seconds(lambda: plain_people(_REFERENCE_PEOPLE), repeats=3)
    return Row(
        "make a twin, 300 zones × a million people × 7 days",
        process.cpu,
        plain * 1_000_000 / _REFERENCE_PEOPLE,
        f"≤ {TWIN_LIMIT_S:g} s and {TWIN_LIMIT_GB:g} GB",
        process.cpu <= TWIN_LIMIT_S and peak_gb <= TWIN_LIMIT_GB,
        f"of one core ({process.seconds:.0f} s by the clock), {peak_gb:.1f} GB at most; the "
        f"reference is a loop over {_REFERENCE_PEOPLE} people, scaled, of trips alone",
    )


def plain_people(people: int) -> int:
    """Walk people through their week one draw at a time and count trips by pair and rank."""
    rng = np.random.default_rng(0)
    pull = rng.random((300, 300)).cumsum(axis=1)
    counts: dict[tuple[int, int, int, int], int] = {}
    for _ in range(people):
        home = int(rng.integers(300))
        rate = rng.lognormal(-0.5, 1.0)
        for day in range(7):
            if rng.random() >= min(0.8 * rate / 2.2, 0.95):
                continue
            trips, place = [], home
            for _ in range(rng.geometric(1 / 2.2)):
                leaves = place == home or rng.random() < 0.5
                there = int(np.searchsorted(pull[place], rng.random() * pull[place, -1]))
                trips.append((place, there if leaves else home))
                place = trips[-1][1]
            for rank, trip in enumerate(rng.permutation(trips)):
                key = (day, int(trip[0]), int(trip[1]), rank)
                counts[key] = counts.get(key, 0) + 1
    return sum(counts.values())


def making() -> Row:
    """Make all shipped datasets in an empty folder, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        process = child(
            "from engine.synthetic.__main__ import main\n"
            f"assert main(['all', '--root', {folder!r}]) == 0"
        )
        same = all(
            (Path(folder) / name / "current").read_text()
            == (datasets.data_root() / name / "current").read_text()
            for name in synthetic.shipped()
        )
    peak_gb = process.peak_mb / 1000
    return Row(
        "make all shipped datasets",
        process.seconds,
        limit=f"≤ {MAKING_LIMIT_S:g} s and {MAKING_LIMIT_GB:g} GB",
        met=process.seconds <= MAKING_LIMIT_S and peak_gb <= MAKING_LIMIT_GB,
        note=f"{process.cpu:.0f} s of one core, {peak_gb:.1f} GB at most; "
        f"{'the same files as shipped' if same else 'other files'}",
    )

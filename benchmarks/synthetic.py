"""Time to make the shipped datasets from nothing, and to load each of them."""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, median_seconds
from engine import datasets, synthetic

MAKING_LIMIT_S = 600.0
MAKING_LIMIT_GB = 4.0
LOADING_LIMIT_S = 1.0


def rows() -> Iterator[Row]:
    for name in synthetic.shipped():
        size = datasets.load(name).size_bytes / 1e6
        took = median_seconds(lambda name=name: read_everything(name), repeats=5)
        yield Row(
            f"load {name}, all tables",
            took,
            None,
            f"≤ {LOADING_LIMIT_S:g} s",
            took <= LOADING_LIMIT_S,
            f"{size:.1f} MB",
        )
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


def making() -> Row:
    """Make all shipped datasets in an empty folder, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "engine.synthetic", "all", "--root", folder],
            check=True,
            capture_output=True,
            cwd=Path(__file__).parents[1],
        )
        took = time.perf_counter() - start
        same = all(
            (Path(folder) / name / "current").read_text()
            == (datasets.data_root() / name / "current").read_text()
            for name in synthetic.shipped()
        )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    peak_gb = used.ru_maxrss * 1024 / 1e9
    computing = used.ru_utime + used.ru_stime
    return Row(
        "make all shipped datasets",
        took,
        None,
        f"≤ {MAKING_LIMIT_S:g} s and {MAKING_LIMIT_GB:g} GB",
        took <= MAKING_LIMIT_S and peak_gb <= MAKING_LIMIT_GB,
        f"{computing:.0f} s of one core, {peak_gb:.1f} GB at most; "
        f"{'the same files as shipped' if same else 'other files'}",
    )

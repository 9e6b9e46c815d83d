"""A release against its sampler alone: how much of the time is not OpenDP's."""

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.measure import Row
from engine import datasets
from engine import origin_destination as od
from engine.origin_destination.matrices import trimmed_counts
from engine.release import Ledger, ODProduct, noise, release

DATASET = "afghanistan-districts"


def rows() -> list[Row]:
    """Release 421² × 7 days and draw the same noise with OpenDP alone, in one run."""
    dataset = datasets.load(DATASET)
    zones = len(dataset.zones)
    parameters = od.ODParameters(epsilon=0.5, max_trips_per_user=4)
    product = ODProduct(parameters=parameters)
    pairs = ~np.eye(zones, dtype=bool)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ledger = Ledger(folder / "ledger.sqlite")
        ledger.declare("people", datasets=[DATASET], unit="person", epsilon=1e6, by="benchmark")
        begun = time.perf_counter()
        release(dataset, product, folder / "out", ledger=ledger, tuning="simulated")
        ours = time.perf_counter() - begun
    days = [trimmed_counts(dataset, "person-day", 4, (day,))[0][pairs] for day in range(7)]
    begun = time.perf_counter()
    for counts in days:
        noise.discrete_laplace(counts, 8.0)
    alone = time.perf_counter() - begun
    return [
        Row(
            "release of 7 × 421² flows, bundle and ledger, against OpenDP's draws alone",
            ours,
            alone,
            "≤ 1.2 ×",
            ours <= 1.2 * alone,
        )
    ]

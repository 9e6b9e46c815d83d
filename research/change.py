"""Changes between two spans, told and missed: the table of docs/flows.md, under a minute."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from engine import datasets, origin_destination as od
from engine.contract import When
from engine.datasets import Dataset
from engine.ingest.command import main as ingest
from engine.origin_destination import change
from engine.resolution import look_at
from research.rows import Row, row

REAL = Path(__file__).parents[2] / "shared" / "data" / "mibici"
EASTER = "2015-03-22", "2015-04-04"
EPSILONS, SETTINGS = (0.1, 0.5, 1.0, 2.0), od.ODParameters(epsilon=1.0, max_trips_per_user=4)


def rows() -> Iterator[Row]:
    """Yield the days of the shock against the days after, and Easter against the week before."""
    for name in ("rwanda-districts", "afghanistan-provinces"):
        yield from told(name, datasets.load(name), 3, 4, size=100)
    if REAL.exists():
        with TemporaryDirectory() as folder:
            out = str(Path(folder) / "bicycles")
            typed = ["trips", str(REAL / "trips_*.csv"), "--locations", str(REAL / "stations.csv")]
            typed += ["--map", "uid=Usuario_Id", "datetime=Inicio_del_viaje"]
            typed += ["end_datetime=Fin_del_viaje", "origin=Origen_Id", "destination=Destino_Id"]
            typed += ["--timezone", "America/Mexico_City", "--out", out]
            ingest([*typed, "--from", EASTER[0], "--to", EASTER[1]])
            yield from told("MiBici", datasets.load(out), 7, 7, size=20, zones="clusters-30")


def told(
    name: str, dataset: Dataset, length: int, second: int, *, size: int, zones: str = "zones"
) -> Iterator[Row]:
    """Yield what is told of two spans of so many days, and of changes by a fifth, by ε."""
    spans = [
        look_at(dataset, zones, When(step="whole", first=first, last=first + length - 1))
        for first in (0, second)
    ]
    true = [od.truth(span, days=0)[0] for span in spans]
    yield row("Change", "trips before", name, float(true[0].sum()))
    yield row("Change", "trips after", name, float(true[1].sum()))
    for epsilon in EPSILONS:
        at = replace(SETTINGS, epsilon=epsilon)
        kept = [od.kept(span, at, days=0)[0] for span in spans]
        known = change.power(
            (kept[0], kept[1]),
            (true[0], true[1]),
            change.noise_law(at),
            rng=np.random.default_rng(0),
            least_shown=at.least_shown,
            size=size,
        )
        for what in ("told", "found", "missed", "invented"):
            yield row("Change", what, f"{name}, ε = {epsilon:g}", getattr(known, what))

"""People with at most two visits a week, such as riders of shared bikes: a look-alike, ingested."""

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from engine.datasets import Dataset
from engine.ingest import IngestOptions, ingest
from engine.parameters import HOURS_PER_WEEK
from tests.support.ingests import MONDAY, write_csv

HOURS = np.arange(HOURS_PER_WEEK)
MONDAY_S = 1_441_584_000  # in UTC
_FOLDER = TemporaryDirectory()  # until the tests end


def weeks(rng: np.random.Generator, stations: int) -> np.ndarray:
    """Each station's week, of sum 1: commuters' peaks, leisure, or in between."""
    hour, weekend = HOURS % 24, HOURS // 24 >= 5
    peaks = np.exp(-((hour - 8.0) ** 2) / 3) + 1.2 * np.exp(-((hour - 18.0) ** 2) / 5)
    work = np.where(weekend, 0.15, 1.0) * (peaks + 0.15)
    play = np.where(weekend, 1.5, 0.6) * (np.exp(-((hour - 15.0) ** 2) / 18) + 0.05)
    share = rng.beta(1.5, 1.5, (stations, 1))
    own = np.exp(0.25 * rng.standard_normal((stations, 24)))
    shape = (share * work / work.sum() + (1 - share) * play / play.sum()) * np.tile(own, 7)
    return shape / shape.sum(axis=1, keepdims=True)


def riders(stations: int, people: int, cap: int, mean: float | None, seed: int = 0) -> Dataset:
    """Ingest a week of riders; each station is a zone.

    `cap` is K_max, `mean` the public mean number of visits of a person, None where nothing is said.
    """
    rng = np.random.default_rng(seed)
    positions = rng.normal(0, 1, (stations, 2)) * (0.04, 0.03) + (2.35, 48.85)
    middle = np.exp(-(((positions - (2.35, 48.85)) / 0.04) ** 2).sum(axis=1))
    size = middle * np.exp(0.7 * rng.standard_normal(stations)) + 0.02
    cells = (size[:, None] * weeks(rng, stations)).ravel()
    picks = rng.choice(cells.size, size=(people, 2), p=cells / cells.sum())
    picks[rng.random(people) < 0.25, 1] = -1  # a quarter is seen once
    person, second = np.nonzero(picks >= 0)
    station, hour = np.divmod(picks[person, second], HOURS_PER_WEEK)
    names = np.array([f"s{i:04}" for i in range(stations)])
    folder = Path(mkdtemp(dir=_FOLDER.name))
    places = [(name, lat, lng) for name, (lng, lat) in zip(names, positions, strict=True)]
    visits = {"uid": person, "datetime": MONDAY_S + 3_600 * hour, "location_id": names[station]}
    pq.write_table(pa.table(visits), folder / "visits.parquet")
    asked = IngestOptions(
        kind="visits",
        inputs=(str(folder / "visits.parquet"),),
        locations=write_csv(folder / "places.csv", ("location_id", "lat", "lng"), places),
        out=folder / "riders",
        time_zone="UTC",
        first_day=MONDAY,
        last_day=MONDAY + timedelta(days=6),
        parts=("density",),
        max_visits_cap=cap,
        mean_visits_public=mean,
        salt="riders",
    )
    return ingest(asked)[0]

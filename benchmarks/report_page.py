"""The page Report: from a move of M, ε or a weight to the page's answer.

A session speaks Streamlit's websocket as a browser does. What it times is the server: from the
message of a moved slider to the word that the whole page has been sent. One view after the other is
open; no setting comes twice in it, so that no cache of settings answers.
"""

import asyncio
import os
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import duckdb
import geopandas as gpd
import numpy as np
import shapely

from benchmarks._session import opened
from benchmarks.load import processor_s, served
from benchmarks.measure import Row, bounded, quantile
from engine import datasets
from engine.ingest.command import main as ingest

ZONES_A_SIDE, PEOPLE, TRIPS_A_PERSON = 32, 50_000, 8
MOVES, LIMIT_S = 20, 0.1
VIEWS = {
    "When": "when",
    "Where": "where",
    "Flows": "flows",
    "How far, how long": "how-far-how-long",
    "People": "people",
    "Errors and M": "errors-and-m",
}
PAGE = "Report"
PERIOD = ("--timezone", "Europe/Paris", "--from", "2026-06-01", "--to", "2026-06-07")
_SETTLE_S, _PAUSE_S = 4.0, 0.4
_STOPS = {
    "Trips kept per person (M)": ("1", "2", "3", "5", "10", "30", "50", "100", "256"),
    "Privacy loss (ε)": ("0.1", "0.2", "0.3", "0.5", "0.7", "1.5", "2", "3", "5"),
    "Weight in the budget": ("0.5", "2", "3", "5", "10"),
}
"""Sliders by label, and stops of theirs."""


def rows() -> Iterator[Row]:
    """Measure every view of the page, with the shipped city and with a large one."""
    with TemporaryDirectory(prefix="bench-report-") as name:
        folder = Path(name)
        large = write_large(folder)
        for words, dataset in (
            ("demo-city", datasets.data_root() / "demo-city"),
            (f"{ZONES_A_SIDE**2:,} zones × {PEOPLE:,} people", large),
        ):
            with served(dataset.parent) as (address, process):
                for view, text in VIEWS.items():
                    times, worked = asyncio.run(_moves(address, process.pid, dataset.name, text))
                    yield _row(f"{words}, {view}", times, worked)


def write_large(folder: Path) -> Path:
    """Ingest simulated trips of many people between the squares of a grid; return the dataset."""
    trips, zones = folder / "trips.parquet", ZONES_A_SIDE**2
    row, column = np.divmod(np.arange(zones), ZONES_A_SIDE)
    south, west = 48.7 + 0.009 * row, 2.1 + 0.013 * column  # of squares of about one kilometre
    ids = [f"Z{number}" for number in range(zones)]
    squares = shapely.box(west, south, west + 0.013, south + 0.009)
    places = gpd.GeoDataFrame({"zone_id": ids, "name": ids}, geometry=squares, crs=4326)
    places.to_file(folder / "zones.geojson", driver="GeoJSON")
    home = f"(person * 7919 % {zones})"

    def place(salt: int) -> str:
        far = f"(hash(i * 5 + {salt}) % {zones})"
        return f"'Z' || CASE WHEN hash(i * 5 + {salt + 1}) % 5 < 2 THEN {home} ELSE {far} END"

    duckdb.sql(
        f"""
        COPY (SELECT 'p' || person AS uid, begin AS datetime,
                begin + to_seconds((300 + hash(i * 7 + 1) % 3000)::BIGINT) AS end_datetime,
                {place(1)} AS origin, {place(3)} AS destination
              FROM (SELECT i, hash(i * 3 + 1) % {PEOPLE} AS person,
                      TIMESTAMP '2026-06-01' + to_seconds((hash(i * 5) % 601200)::BIGINT) AS begin
                    FROM range({PEOPLE * TRIPS_A_PERSON}) t(i)))
        TO '{trips}' (FORMAT parquet)
        """
    )
    out = folder / "data" / "large"
    with redirect_stdout(StringIO()):
        code = ingest(
            [
                *("trips", str(trips), "--zones", str(folder / "zones.geojson")),
                *("--out", str(out), "--parts", "trips", "--salt", "bench", *PERIOD),
            ]
        )
    if code != 0:
        raise RuntimeError("the large dataset could not be built")
    return out


def _row(what: str, times: list[float], worked: float) -> Row:
    note = (
        f"95th percentile {1000 * quantile(times, 0.95):.0f} ms; processor time of the server, "
        f"with what follows a move, {1000 * worked:.0f} ms; load of the machine "
        f"{os.getloadavg()[0]:.1f}"
    )
    work = f"{what}: a move of M, ε or a weight, median of {MOVES}"
    return bounded(work, quantile(times, 0.5), LIMIT_S, note)


async def _moves(address: str, process: int, dataset: str, view: str) -> tuple[list[float], float]:
    """Return how long each move took, and the processor time of one, in seconds."""
    query = urlencode({"od_data": dataset, "report_view": view})
    async with opened(address, query, page=PAGE) as page:
        await page.ask()
        await asyncio.sleep(_SETTLE_S)
        before = processor_s(process)
        times: list[float] = []
        for number in range(MOVES):
            label = list(_STOPS)[number % len(_STOPS)]
            stops = _STOPS[label]
            page.states = {label: [stops[number // len(_STOPS) % len(stops)]]}
            times.append(await page.ask())
            await asyncio.sleep(_PAUSE_S)
        worked = (processor_s(process) - before) / MOVES
    return times, worked

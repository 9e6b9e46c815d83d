"""Tables as the packages of the field write them are read without renaming a column."""

from datetime import date, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from engine import report
from engine.ingest import ingest
from engine.ingest.inputs import mapping
from engine.ingest.report import Reason
from engine.report import Measure
from pages._ui.data import guesses
from tests.reference.ingest_inputs import TOWERS, options, table, table_bytes, write_csv
from tests.support.ingests import ON_SPARK, built, refused

POINTS = ("uid", "tid", "datetime", "lat", "lng")
"""Trips of dp_mobility_report and scikit-mobility: rows are points, a trip has a `tid`."""
MOBILITY_DATA = ("date", "hour", "id_origin", "id_destination", "distance", "n_trips")
FLOWMAP = ("origin", "dest", "count")
PLACE = {name: (lat, lng) for name, lat, lng in TOWERS}
Point = tuple[str, int, str, float, float]


def journeys(count: int = 120) -> list[tuple[str, int, datetime, list[str]]]:
    """Trips of a few people by way of two to four places; numbers of trips are a person's own."""
    rng = np.random.default_rng(3)
    return [
        (
            f"p{i % 9}",
            i // 9,
            datetime(2015, 9, 1) + timedelta(minutes=int(rng.integers(0, 30 * 1_440 - 60))),
            [str(name) for name in rng.choice(list(PLACE), int(rng.integers(2, 5)))],
        )
        for i in range(count)
    ]


def points() -> list[Point]:
    """The points of all trips, in no order."""
    rows = [
        (uid, tid, str(start + timedelta(minutes=7 * n)), *PLACE[name])
        for uid, tid, start, way in journeys()
        for n, name in enumerate(way)
    ]
    return [rows[i] for i in np.random.default_rng(4).permutation(len(rows))]


@pytest.mark.parametrize("engine", ["duckdb", ON_SPARK])
def test_a_trip_is_its_first_and_its_last_point(tmp_path: Path, engine: str) -> None:
    """The same tables as from a table of trips with the ends written out."""
    how = {"kind": "visits", "header": POINTS, "engine": engine, "memory": "1GB"}
    dataset, summary = built(tmp_path, points(), **how)
    ends = [
        (uid, start, start + timedelta(minutes=7 * (len(way) - 1)), way[0], way[-1])
        for uid, _, start, way in journeys()
    ]
    header = ("uid", "datetime", "end_datetime", "origin", "destination")
    expected, _ = built(tmp_path, ends, header=header, out=tmp_path / "trips")
    for name in ("trips", "trips_person", "report"):
        assert table_bytes(dataset.folder, name) == table_bytes(expected.folder, name), name
    assert any("first to the last point" in note for note in summary.notes)
    assert summary.trips is not None
    assert summary.trips.unused[Reason.SELF_TRIP] == sum(w[0] == w[-1] for *_, w in journeys())
    assert report.truth(dataset).counts(Measure.TRAVEL_TIME, None).sum() > 0
    assert summary.rows.used == len(set(points()))


def test_every_point_of_a_trip_is_a_visit(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "p.csv", POINTS, points())
    with_trips, _ = ingest(options(tmp_path, "visits", [path], parts=("density",)))
    absent = options(tmp_path, "visits", [path], parts=("density",), mapping={"tid": ""})
    without, _ = ingest(absent)
    assert table(with_trips.folder, "truth") == table(without.folder, "truth")


def test_national_and_flowmap_tables_of_flows_are_read(tmp_path: Path) -> None:
    rows = [("20150901", 7, "A", "B", "2-10", 5), ("20150901", 8, "A", "B", "2-10", 7)]
    dataset, _ = built(tmp_path, rows, kind="flows", header=MOBILITY_DATA)
    assert table(dataset.folder, "trips") == {(date(2015, 9, 1), "A", "B", 1): 12}
    rows = [("A", "B", 5), ("B", "C", 2)]
    dataset, _ = built(tmp_path, rows, kind="flows", header=FLOWMAP, out=tmp_path / "flowmap")
    assert sorted(table(dataset.folder, "trips").values()) == [2, 5]


@pytest.mark.parametrize(
    ("columns", "kind"),
    [
        (POINTS, "points"),
        (MOBILITY_DATA, "flows"),
        (FLOWMAP, "flows"),
        ((*FLOWMAP, "time"), "flows"),
    ],
)
def test_the_data_page_guesses_what_they_hold(columns: tuple[str, ...], kind: str) -> None:
    assert guesses.kind(columns) == kind
    guessed = mapping.guess("visits" if kind == "points" else kind, columns)
    assert set(mapping.REQUIRED["visits" if kind == "points" else kind]) <= guessed.keys()
    assert ("tid" in guessed) == (kind == "points")
    assert ("date" in guessed) == bool({"time", "date"} & set(columns) and kind == "flows")


WRONG = {
    "a point without a trip": (
        "visits",
        POINTS,
        [("p", "", "2015-09-07", 20.67, -103.35), ("p", "1", "2015-09-07", 20.67, -103.35)],
        r"'tid' \(for tid\) cannot be read in 1 of 2 rows, the first in row 1; give every row its",
    ),
    "swapped coordinates": (
        "visits",
        ("uid", "tid", "datetime", "lng", "lat"),
        [("p", "1", "2015-09-07", 20.67, -103.35)],
        "'lat' .* the other way round if they are swapped",
    ),
    "no destinations": ("flows", ("id_origin", "n_trips"), [("A", 1)], "no column for destination"),
    "negative counts": ("flows", FLOWMAP, [("A", "B", -1)], "'count' .* in 1 of 1 rows"),
}


@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_twin_gets_one_clear_message(tmp_path: Path, fault: str) -> None:
    kind, header, rows, words = WRONG[fault]
    refused(tmp_path, rf"t\.csv: .*{words}", rows, kind=kind, header=header)

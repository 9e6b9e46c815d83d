"""Odd but real inputs: NaN in Parquet, folders that look like columns, times of every type."""

import gzip
import json
import math
import signal
import subprocess
import sys
import time
import zipfile
from decimal import Decimal
from functools import partial
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely

from engine.errors import InputError
from engine.ingest import ingest
from engine.ingest.command import main
from engine.ingest.inputs.zones import read_zones
from engine.ingest.report import Reason
from tests.reference.ingest_inputs import TOWERS, write_csv, write_towers
from tests.reference.ingest_inputs import trip_options as options

A, B = TOWERS[0][0], TOWERS[1][0]
START = 1_441_612_800  # 2015-09-07 08:00 UTC
HEADER = ("uid", "datetime", "origin", "destination")


def write_trips(path: Path, **columns: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = len(next(iter(columns.values())))
    given = {"origin": [A] * rows, "destination": [B] * rows, **columns}
    pq.write_table(pa.table(given), path)
    return path


def test_a_folder_named_like_a_column_does_not_overrule_it(tmp_path: Path) -> None:
    path = write_trips(
        tmp_path / "uid=bob" / "x.parquet",
        uid=["a", "b", "c"],
        datetime=[START, START + 60, START + 120],
    )
    _, report = ingest(options(tmp_path, "trips", [path]))
    assert report.rows.used == 3
    assert report.people_with_trips == 3


@pytest.mark.parametrize(
    "bad",
    [math.nan, *(pytest.param(x, marks=pytest.mark.long) for x in (math.inf, -math.inf, 1e300))],
)
def test_what_is_no_number_in_parquet_is_unparsable(tmp_path: Path, bad: float) -> None:
    times = [float(START), START + 60.9, START + 120.0, START + 180.0]
    people = [1.0, 2.0, 3.0, 4.0]
    for name in ("uid", "datetime"):
        columns = {"uid": list(people), "datetime": list(times)}
        columns[name][1] = bad
        path = write_trips(tmp_path / f"{name}.parquet", **columns)
        with pytest.raises(InputError, match="in 1 of 4 rows, the first in row 2"):
            ingest(options(tmp_path, "trips", [path]))
        _, report = ingest(options(tmp_path, "trips", [path], skip_unparsable=True))
        assert report.rows.unused[Reason.UNPARSABLE] == 1
        assert report.people_with_trips == 3


def test_fractions_of_a_second_are_cut_off_before_and_after_1970(tmp_path: Path) -> None:
    times = [START + 0.2, START + 0.9, START + 59.999]
    path = write_trips(tmp_path / "t.parquet", uid=["a", "a", "a"], datetime=times)
    _, report = ingest(options(tmp_path, "trips", [path]))
    assert (report.rows.used, report.rows.unused[Reason.DUPLICATE]) == (2, 1)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([Decimal("1441612800.50"), Decimal("1441612860.00")]),
        pa.array([START, START + 60], pa.uint64()),
        pa.array([START, START + 60], pa.timestamp("s", "UTC")),
    ],
    ids=["decimal", "uint64", "timestamp"],
)
def test_times_of_every_numeric_type_are_read(tmp_path: Path, column: pa.Array) -> None:
    path = write_trips(tmp_path / "t.parquet", uid=["a", "b"], datetime=column)
    _, report = ingest(options(tmp_path, "trips", [path]))
    assert report.rows.used == 2


def test_times_out_of_all_range_are_unparsable_or_outside(tmp_path: Path) -> None:
    late = pa.array([START, 2**63 + 1], pa.uint64())
    path = write_trips(tmp_path / "t.parquet", uid=["a", "b"], datetime=late)
    with pytest.raises(InputError, match="in 1 of 2 rows, the first in row 2"):
        ingest(options(tmp_path, "trips", [path]))
    far = pa.array([START, 400_000_000_000], pa.timestamp("s"))  # year 14645
    path = write_trips(tmp_path / "far.parquet", uid=["a", "b"], datetime=far)
    _, report = ingest(options(tmp_path, "trips", [path]))
    assert report.rows.unused[Reason.OUTSIDE_PERIOD] == 1


@pytest.mark.parametrize("bad", [math.nan, pytest.param(math.inf, marks=pytest.mark.long)])
def test_coordinates_that_are_no_numbers_are_unparsable(tmp_path: Path, bad: float) -> None:
    _, lat, lng = TOWERS[0]
    table = pa.table(
        {
            "uid": ["a", "b", "c"],
            "datetime": [START, START, START],
            "lat": [float(lat), bad, float(lat)],
            "lng": [float(lng), float(lng), float(lng)],
        }
    )
    pq.write_table(table, tmp_path / "v.parquet")
    chosen = options(tmp_path, "visits", [tmp_path / "v.parquet"], skip_unparsable=True)
    _, report = ingest(chosen)
    assert report.rows.unused[Reason.UNPARSABLE] == 1
    assert report.rows.used == 2


@pytest.mark.parametrize(
    "lines",
    [
        "CANARY1,2015-09-07 08:00:00,1,2\nCANARY2,2015-09-07 09:00:00,1,2\n",
        "CANARY1,1441612800,CANARYplace,x\nCANARY2,1441612900,a,b\n",
        "77,88,1,2\n78,88,1,2\n",
        "77,88,1,1\n78,88,1,2\n",
    ],
)
def test_a_first_line_of_data_is_refused_and_not_quoted(tmp_path: Path, lines: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(InputError, match="the first line looks like data") as caught:
        ingest(options(tmp_path, "trips", [path]))
    assert "CANARY" not in str(caught.value)
    assert "77" not in str(caught.value)


def test_years_as_column_names_are_names(tmp_path: Path) -> None:
    rows = [("a", "2015-09-07 08:00:00", A, B, "1", "2")]
    path = write_csv(tmp_path / "t.csv", (*HEADER, "2014", "2015"), rows)
    _, report = ingest(options(tmp_path, "trips", [path]))
    assert report.rows.used == 1


def test_a_folder_may_hold_the_locations_too(tmp_path: Path) -> None:
    folder = tmp_path / "raw"
    folder.mkdir()
    write_csv(folder / "t.csv", HEADER, [("a", "2015-09-07 08:00:00", A, B)])
    chosen = options(tmp_path, "trips", [folder / "t.csv"])
    places = folder / "stations.csv"
    places.write_bytes(Path(chosen.locations).read_bytes())
    _, report = ingest(options(tmp_path, "trips", [folder], locations=places))
    assert report.rows.used == 1


def test_locations_may_have_spaces_in_their_header_and_any_numbers_as_ids(tmp_path: Path) -> None:
    places = tmp_path / "l.csv"
    lines = [f"{name}, {lat}, {lng}" for name, lat, lng in TOWERS]
    places.write_text("\n".join(["id, latitude, longitude", *lines]) + "\n", encoding="utf-8")
    path = write_csv(tmp_path / "t.csv", HEADER, [("a", "2015-09-07 08:00:00", A, B)])
    _, report = ingest(options(tmp_path, "trips", [path], locations=places))
    assert report.rows.used == 1
    numbered = tmp_path / "l.parquet"
    frame = pd.DataFrame(TOWERS, columns=["id", "lat", "lng"]).astype({"lat": float, "lng": float})
    frame["id"] = np.arange(len(frame)) + 0.5
    frame.to_parquet(numbered)
    path = write_csv(tmp_path / "h.csv", HEADER, [("a", "2015-09-07 08:00:00", "0.5", "1.5")])
    _, report = ingest(options(tmp_path, "trips", [path], locations=numbered))
    assert report.rows.used == 1


def test_too_many_locations_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", HEADER, [("a", "2015-09-07 08:00:00", A, B)])
    many = tmp_path / "many.parquet"
    count = 3_000_000
    pq.write_table(
        pa.table({"id": np.arange(count), "lat": np.zeros(count), "lng": np.zeros(count)}), many
    )
    bomb = tmp_path / "bomb.csv.gz"
    with gzip.open(bomb, "wb") as packed:
        packed.write(b"id,lat,lng\n" + b"1,20.0,20.0\n" * 3_000_000)
    for places, text in ((many, "more than 1,000,000 locations"), (bomb, "times its size")):
        begin = time.monotonic()
        with pytest.raises(InputError, match=text):
            ingest(options(tmp_path, "trips", [path], locations=places))
        assert time.monotonic() - begin < 20


def test_zones_on_top_of_one_another_are_refused_before_pairs_are_compared(tmp_path: Path) -> None:
    squares = [shapely.box(0, 0, 1 + i / 1e6, 1) for i in range(20_000)]
    zones = gpd.GeoDataFrame({"id": range(len(squares))}, geometry=squares, crs="EPSG:4326")
    zones.to_parquet(tmp_path / "z.parquet")
    with pytest.raises(InputError, match="many of them overlap"):
        read_zones(tmp_path / "z.parquet", {})


@pytest.mark.long
def test_long_names_in_a_small_geoparquet_are_a_bomb(tmp_path: Path) -> None:
    count = 30_000
    squares = [
        shapely.box(i % 300, i // 300 / 2, i % 300 + 0.9, i // 300 / 2 + 0.4) for i in range(300)
    ]
    zones = gpd.GeoDataFrame(
        {"id": range(count), "name": pd.Categorical(["x" * 40_000] * count).astype(object)},
        geometry=[squares[i % 300] for i in range(count)],
        crs="EPSG:4326",
    )
    zones.to_parquet(tmp_path / "z.parquet", compression="zstd")
    assert (tmp_path / "z.parquet").stat().st_size < 5e6
    with pytest.raises(InputError, match="unpack to"):
        read_zones(tmp_path / "z.parquet", {})


def test_what_macos_adds_to_a_zip_is_passed_over(tmp_path: Path) -> None:
    zones = gpd.GeoDataFrame(
        {"id": ["a", "b"]},
        geometry=[shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)],
        crs="EPSG:4326",
    )
    zones.to_file(tmp_path / "zones.shp")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        for part in tmp_path.glob("zones.*"):
            archive.write(part, part.name)
            archive.writestr(f"__MACOSX/._{part.name}", b"\0")
    assert list(read_zones(tmp_path / "z.zip", {})[0]["zone_id"]) == ["a", "b"]


def test_visits_at_places_in_no_zone_give_no_trips_and_are_told(tmp_path: Path) -> None:
    name, lat, lng = TOWERS[0]
    box = shapely.box(float(lng) - 1e-4, float(lat) - 1e-4, float(lng) + 1e-4, float(lat) + 1e-4)
    zones = gpd.GeoDataFrame({"id": ["z"]}, geometry=[box], crs="EPSG:4326")
    zones.to_parquet(tmp_path / "z.parquet")
    rows = [("a", "2015-09-07 08:00:00", name)] + [
        ("a", f"2015-09-07 {hour:02d}:00:00", B) for hour in (9, 10, 11)
    ]
    path = write_csv(tmp_path / "v.csv", ("uid", "datetime", "location_id"), rows)
    chosen = options(
        tmp_path,
        "visits",
        [path],
        zones=tmp_path / "z.parquet",
        locations=write_towers(tmp_path),
        parts=("trips",),
    )
    _, report = ingest(chosen)
    assert report.rows.unused[Reason.OUTSIDE_AREA] == 3
    assert report.rows.used == 1


def test_a_density_that_cannot_be_is_refused(tmp_path: Path) -> None:
    from datetime import date

    path = write_csv(tmp_path / "t.csv", HEADER, [("a", "2015-09-08 08:00:00", A, B)])
    days = {"first_day": date(2015, 9, 8), "last_day": date(2015, 9, 11)}
    with pytest.raises(InputError, match="no full week"):
        ingest(options(tmp_path, "trips", [path], parts=("density",), **days))
    with pytest.raises(InputError, match="flows give no density"):
        ingest(options(tmp_path, "flows", [path], parts=("density",)))


def test_a_name_mapped_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    asked = ["trips", "x.csv", "--map", "uid=A", "uid=B", "--timezone", "UTC"]
    asked += ["--from", "2015-09-01", "--to", "2015-09-30", "--out", str(tmp_path / "o")]
    assert main(asked) == 2
    assert "uid is mapped twice" in capsys.readouterr().err


def test_the_columns_that_were_read_are_named(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "t.csv", HEADER, [("a", "2015-09-07 08:00:00", A, B)])
    dataset, report = ingest(options(tmp_path, "trips", [path], mapping={"uid": "uid"}))
    assert report.summary()[0].startswith("columns: ")
    assert "destination = destination (guessed)" in report.summary()[0]
    assert report.summary()[0].endswith("uid = uid")
    kept = json.loads((dataset.folder / "ingest.json").read_text(encoding="utf-8"))
    assert kept["files"][0]["columns"]["origin"] == "origin"


@pytest.mark.parametrize(
    "how",
    [
        signal.SIGTERM,
        *(pytest.param(one, marks=pytest.mark.long) for one in (signal.SIGINT, signal.SIGHUP)),
    ],
)
def test_a_signal_leaves_nothing_behind(tmp_path: Path, how: signal.Signals) -> None:
    rng = np.random.default_rng(0)
    count = 2_000_000
    table = pa.table(
        {
            "uid": rng.integers(0, 200_000, count),
            "datetime": START + rng.integers(0, 600_000, count),
            "location_id": np.array([name for name, _, _ in TOWERS])[
                rng.integers(0, len(TOWERS), count)
            ],
        }
    )
    pq.write_table(table, tmp_path / "v.parquet")
    chosen = options(tmp_path, "visits", [tmp_path / "v.parquet"])
    spill, out = tmp_path / "spill", tmp_path / "out"
    spill.mkdir()
    command = [sys.executable, "-m", "engine.ingest", "visits", str(tmp_path / "v.parquet")]
    command += ["--locations", str(chosen.locations), "--timezone", "UTC", "--from", "2015-09-01"]
    command += ["--to", "2015-09-30", "--out", str(out), "--spill", str(spill)]
    # a shell starts what runs in the background with Ctrl-C ignored, and children inherit that
    reset = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=reset) as process:
        until = time.monotonic() + 60
        while not list(spill.iterdir()) and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.4)
        spilled = [path.stat().st_mode & 0o077 for path in spill.rglob("*")]
        process.send_signal(how)
        text = process.communicate(timeout=60)[1]
    assert process.returncode == 130, text
    assert "stopped; nothing was written" in text
    assert not any(spilled)  # raw ids are for their owner alone
    assert not list(spill.iterdir())
    assert not (out / "current").exists()

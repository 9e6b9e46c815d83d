"""Folders and zips of tracks, GeoLife or GPX, are read like a table of their points."""

import shutil
import zipfile
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from engine.ingest.inputs import tracks
from tests.reference.ingest_inputs import table
from tests.support.ingests import built, refused
from tests.unit.ingest.test_ingest_formats import PLACE, POINTS, Point, journeys


def plt(points: Iterable[tuple[datetime, float, float]]) -> str:
    head = "Geolife trajectory\nWGS 84\nAltitude is in Feet\nReserved 3\n0,2,255,My Track\n0\n"
    lines = (f"{lat},{lng},0,492,39744.1,{at:%Y-%m-%d},{at:%H:%M:%S}\n" for at, lat, lng in points)
    return head + "".join(lines)


def gpx(points: Iterable[tuple[datetime, float, float]]) -> str:
    inside = "".join(
        f'<trkpt lat="{lat}" lon="{lng}"><ele>4</ele><time>{at:%Y-%m-%dT%H:%M:%SZ}</time></trkpt>'
        for at, lat, lng in points
    )
    return (
        '<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">'
        f"<trk><trkseg>{inside}</trkseg></trk></gpx>"
    )


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(("write", "inside"), [(plt, "Trajectory/t.plt"), (gpx, "t.gpx")])
def test_folders_of_tracks_give_the_same_as_a_table_of_their_points(
    tmp_path: Path, write: Callable[..., str], inside: str, packed: bool
) -> None:
    ways = [(uid, tid, start, way) for uid, tid, start, way in journeys() if tid < 4]
    rows: list[Point] = []
    for uid, tid, start, way in ways:
        track = [(start + timedelta(minutes=7 * n), *PLACE[name]) for n, name in enumerate(way)]
        rows += [(uid, tid, f"{at.isoformat()}Z", lat, lng) for at, lat, lng in track]
        path = tmp_path / "tracks" / uid / inside.replace("t.", f"{tid}.")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write(track), encoding="utf-8")
    named = tmp_path / "tracks"
    if packed:
        named = Path(shutil.make_archive(str(named), "zip", tmp_path, "tracks"))
        shutil.rmtree(tmp_path / "tracks")
    dataset, summary = built(tmp_path, named, kind="visits")
    expected, _ = built(tmp_path, rows, kind="visits", header=POINTS, out=tmp_path / "table")
    assert table(dataset.folder, "trips") == table(expected.folder, "trips")
    assert summary.people_with_trips == len({uid for uid, *_ in ways})


TRACK = [(datetime(2015, 9, 1, 8), 20.67, -103.35), (datetime(2015, 9, 1, 9), 20.68, -103.36)]
SWAPPED = [(at, lng, lat) for at, lat, lng in TRACK]
WRONG_TRACKS = {
    "a.plt": (plt(TRACK).replace(",0,492", ""), r"a\.plt: line 7 has 5 columns"),
    "b.gpx": (gpx(TRACK)[:-9], r"b\.gpx: is no GPX file"),
    "c.gpx": ("<!DOCTYPE x [<!ENTITY e 'e'>]>" + gpx(TRACK), "defines a document type"),
    "d.gpx": (gpx([]), "holds no point"),
    "e.plt": (plt(SWAPPED), "'lat' .* the other way round if they are swapped"),
    "f.gpx": (gpx(TRACK).replace("time>", "when>"), "'datetime' .* cannot be read in 2 of"),
}


@pytest.mark.parametrize("name", WRONG_TRACKS)
def test_a_wrong_track_gets_one_clear_message(tmp_path: Path, name: str) -> None:
    text, words = WRONG_TRACKS[name]
    for person, file, contents in (("p", "z.gpx", gpx(TRACK)), ("q", name, text)):
        path = tmp_path / "tracks" / person / file
        path.parent.mkdir(parents=True)
        path.write_text(contents, encoding="utf-8")
    refused(tmp_path, words, tmp_path / "tracks", kind="visits")


def archive(path: Path, **files: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name.replace("_", "/", 1) + ".gpx", text)
    return path


def test_a_wrong_zip_gets_one_clear_message(tmp_path: Path) -> None:
    good = {"p_a": gpx(TRACK), "q_a": gpx(TRACK)}
    cut = archive(tmp_path / "cut.zip", **good)
    cut.write_bytes(cut.read_bytes()[:-30])
    spoilt = archive(tmp_path / "spoilt.zip", **good)
    data = bytearray(spoilt.read_bytes())
    data[60:70] = bytes(10)
    spoilt.write_bytes(data)
    locked = archive(tmp_path / "locked.zip", **good)
    data = bytearray(locked.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    locked.write_bytes(data)
    bomb = archive(tmp_path / "bomb.zip", p_a=" " * (tracks.LARGEST_FILE + 1), q_a=gpx(TRACK))
    for path, words in {
        cut: r"cut\.zip: the zip is damaged",
        spoilt: r"a\.gpx: is damaged in the zip",
        locked: "the zip is encrypted",
        bomb: r"a\.gpx: is larger than 200 MB",
        archive(tmp_path / "table.zip"): "holds no track .* unpack tables first",
        archive(tmp_path / "one.zip", p_a=gpx(TRACK)): "a folder of their own",
    }.items():
        refused(tmp_path, words, path, kind="visits")
    two = [archive(tmp_path / f"{name}.zip", **good) for name in "ab"]
    refused(tmp_path, "tracks come in one zip", *two, kind="visits")


def test_tracks_in_one_folder_are_not_taken_for_one_person(tmp_path: Path) -> None:
    for name in ("a.gpx", "b.gpx"):
        (tmp_path / name).write_text(gpx(TRACK), encoding="utf-8")
    refused(tmp_path, "a folder of their own", tmp_path / "?.gpx", kind="visits")

"""Folders of tracks: GeoLife's ``.plt`` and ``.gpx`` files become one table of points.

A person is a folder: in GeoLife the one above ``Trajectory``, else the one that lies directly in
the folder that is named. A trip is a ``.plt`` file, or a track (``trk``) of a GPX file.
"""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError
from .sources import TRACKS, shown

COLUMNS = ("uid", "tid", "datetime", "lat", "lng")
LARGEST_FILE = 200_000_000
_HEAD_LINES = 6
_FIELDS = 7
_DOCTYPE = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
Points = list[tuple[str, str, str, str, str]]


def as_tables(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Return `paths`, with one table in `folder` in the place of all tracks among them.

    Raises
    ------
    InputError
        If a track is damaged or holds no point, or all lie in one person's folder.
    """
    tracks = [path for path in paths if path.suffix.lower() in TRACKS]
    if not tracks:
        return list(paths)
    root = Path(os.path.commonpath([path.parent for path in tracks]))
    people = {path: _person(path, root) for path in tracks}
    if len(set(people.values())) == 1:
        raise InputError(
            f"{len(tracks):,} tracks lie in one folder, so that they are one person's",
            remedy="put each person's tracks into a folder of their own and name the folder above",
            code="one-person",
            settings=("inputs",),
        )
    table = folder / "tracks.parquet"
    schema = pa.schema([(name, pa.string()) for name in COLUMNS])
    with pq.ParquetWriter(table, schema) as writer:
        for path in tracks:
            if path.stat().st_size > LARGEST_FILE:
                raise _bad(path, f"is larger than {LARGEST_FILE / 1e6:.0f} MB")
            read = _plt if path.suffix.lower() == ".plt" else _gpx
            own = str(path.relative_to(root))
            points = [
                (people[path], own + track, *point)
                for track, point in read(path, path.read_bytes())
            ]
            if not points:
                raise _bad(path, "holds no point")
            columns = [pa.array(column, pa.string()) for column in zip(*points, strict=True)]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    return [*(path for path in paths if path not in people), table]


def _person(path: Path, root: Path) -> str:
    if path.parent.name == "Trajectory":
        return os.path.relpath(path.parent.parent, root)
    inside = path.relative_to(root).parts
    return inside[0] if len(inside) > 1 else ""


def _plt(path: Path, data: bytes) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Yield time, latitude and longitude of each line under the head; times are UTC."""
    text = data.decode("latin-1")
    for number, line in enumerate(text.splitlines()[_HEAD_LINES:], start=_HEAD_LINES + 1):
        fields = [field.strip() for field in line.split(",")]
        if fields == [""]:
            continue
        if len(fields) != _FIELDS:
            fault = f"line {number} has {len(fields)} columns; GeoLife's have {_FIELDS}: latitude, "
            raise _bad(path, fault + "longitude, 0, altitude, days, date and time")
        yield "", (f"{fields[5]}T{fields[6]}Z", fields[0], fields[1])


def _gpx(path: Path, data: bytes) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Yield the track's number, time, latitude and longitude of each point."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise _bad(path, "is not UTF-8") from None
    if _DOCTYPE.search(data):  # what entities grow to is not known beforehand
        raise _bad(path, "defines a document type, which no track needs")
    try:
        tree = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        raise _bad(path, "is no GPX file, or is cut short") from None
    for number, track in enumerate(tree.iterfind("{*}trk")):
        for point in track.iterfind("{*}trkseg/{*}trkpt"):
            time = point.findtext("{*}time", "").strip()
            yield f"#{number}", (time, point.get("lat", ""), point.get("lon", ""))


def _bad(path: Path, fault: str) -> InputError:
    return InputError(
        f"{shown(path.name)}: {fault}",
        remedy="export the track again, or take the file out of the folder",
        code="track",
        settings=("inputs",),
    )

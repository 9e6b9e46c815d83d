"""Folders of tracks, or a zip of them: GeoLife's ``.plt`` and ``.gpx`` become one table of points.

A person is a folder: in GeoLife the one above ``Trajectory``, else the one that lies directly in
the folder (or zip) that is named. A trip is a ``.plt`` file, or a track (``trk``) of a GPX file.
"""

import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import InputError
from .bombs import LARGEST_RATIO, MOST_UNPACKED
from .sources import PACKED_TRACKS, TRACKS, shown

COLUMNS = ("uid", "tid", "datetime", "lat", "lng")
LARGEST_FILE = 200_000_000
_HEAD_LINES = 6
_FIELDS = 7
_DOCTYPE = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)


@dataclass(frozen=True)
class _Track:
    """One file of tracks: where it lies below what was named, its bytes and how to read them."""

    path: PurePosixPath
    size: int
    read: Callable[[], bytes]


def among(paths: Sequence[Path]) -> list[Path]:
    """Return those of `paths` that are tracks, or may be a zip of them."""
    return [path for path in paths if path.suffix.lower() in (*TRACKS, PACKED_TRACKS)]


def as_tables(paths: Sequence[Path], folder: Path) -> list[Path]:
    """Return `paths`, with one table in `folder` in the place of all tracks among them.

    Raises
    ------
    InputError
        If a track is damaged or holds no point, or all lie in one person's folder.
    """
    named = among(paths)
    if not named:
        return list(paths)
    packed = [path for path in named if path.suffix.lower() == PACKED_TRACKS]
    if packed and len(named) > 1:
        raise _bad(packed[0].name, "tracks come in one zip", "pack all people's folders together")
    tracks = (
        _packed(packed[0])
        if packed
        else [_Track(PurePosixPath(p), p.stat().st_size, p.read_bytes) for p in named]
    )
    root = os.path.commonpath([track.path.parent for track in tracks])
    people = [_person(track.path, root) for track in tracks]
    if len(set(people)) == 1:
        raise InputError(
            f"{len(tracks):,} tracks lie in one folder, so that they are one person's",
            remedy="put each person's tracks into a folder of their own and name the folder above",
            code="one-person",
            settings=("inputs",),
        )
    table = folder / f"{packed[0].stem if packed else 'tracks'}.parquet"
    schema = pa.schema([(name, pa.string()) for name in COLUMNS])
    with pq.ParquetWriter(table, schema) as writer:
        for person, track in zip(people, tracks, strict=True):
            if track.size > LARGEST_FILE:
                raise _bad(track.path.name, f"is larger than {LARGEST_FILE / 1e6:.0f} MB")
            read = _plt if track.path.suffix.lower() == ".plt" else _gpx
            own = str(track.path.relative_to(root))
            points = [
                (person, own + number, *point)
                for number, point in read(track.path.name, track.read())
            ]
            if not points:
                raise _bad(track.path.name, "holds no point")
            columns = [pa.array(column, pa.string()) for column in zip(*points, strict=True)]
            writer.write_batch(pa.record_batch(columns, schema=schema))
    return [*(path for path in paths if path not in named), table]


def _packed(path: Path) -> list[_Track]:
    """Return the tracks in a zip; nothing is unpacked to the disk."""
    name = path.name
    try:
        with zipfile.ZipFile(path) as archive:
            inside = [entry for entry in archive.infolist() if _is_track(entry)]
    except (zipfile.BadZipFile, OSError, ValueError):
        raise _bad(name, "the zip is damaged", "pack the folders again") from None
    if not inside:
        remedy = "unpack tables first; folders of GeoLife or GPX files are read from a zip"
        raise _bad(name, "the zip holds no track (.plt, .gpx)", remedy)
    if any(entry.flag_bits & 1 for entry in inside):
        raise _bad(name, "the zip is encrypted", "pack the folders without a password")
    if sum(e.file_size for e in inside) > max(MOST_UNPACKED, LARGEST_RATIO * path.stat().st_size):
        raise _bad(name, "unpacks to more than any tracks hold", "pack the folders again")
    return [
        _Track(PurePosixPath("/", entry.filename), entry.file_size, partial(_bytes, path, entry))
        for entry in inside
    ]


def _is_track(entry: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(entry.filename)
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return path.suffix.lower() in TRACKS and not hidden


def _bytes(path: Path, entry: zipfile.ZipInfo) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(entry) as handle:
            return handle.read(LARGEST_FILE)  # never more than the size that was looked at
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, RuntimeError):
        raise _bad(PurePosixPath(entry.filename).name, "is damaged in the zip") from None


def _person(path: PurePosixPath, root: str) -> str:
    if path.parent.name == "Trajectory":
        return os.path.relpath(path.parent.parent, root)
    inside = path.relative_to(root).parts
    return inside[0] if len(inside) > 1 else ""


def _plt(name: str, data: bytes) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Yield time, latitude and longitude of each line under the head; times are UTC."""
    text = data.decode("latin-1")
    for number, line in enumerate(text.splitlines()[_HEAD_LINES:], start=_HEAD_LINES + 1):
        fields = [field.strip() for field in line.split(",")]
        if fields == [""]:
            continue
        if len(fields) != _FIELDS:
            fault = f"line {number} has {len(fields)} columns; GeoLife's have {_FIELDS}: latitude, "
            raise _bad(name, fault + "longitude, 0, altitude, days, date and time")
        yield "", (f"{fields[5]}T{fields[6]}Z", fields[0], fields[1])


def _gpx(name: str, data: bytes) -> Iterator[tuple[str, tuple[str, str, str]]]:
    """Yield the track's number, time, latitude and longitude of each point."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise _bad(name, "is not UTF-8") from None
    if _DOCTYPE.search(data):  # what entities grow to is not known beforehand
        raise _bad(name, "defines a document type, which no track needs")
    try:
        tree = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        raise _bad(name, "is no GPX file, or is cut short") from None
    for number, track in enumerate(tree.iterfind("{*}trk")):
        for point in track.iterfind("{*}trkseg/{*}trkpt"):
            time = point.findtext("{*}time", "").strip()
            yield f"#{number}", (time, point.get("lat", ""), point.get("lon", ""))


def _bad(
    name: str, fault: str, remedy: str = "export the track again, or take it out of the folder"
) -> InputError:
    return InputError(f"{shown(name)}: {fault}", remedy=remedy, code="track", settings=("inputs",))

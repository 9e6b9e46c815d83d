"""Opening a zone file of any kind, within limits that hold before it is read."""

import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import geopandas as gpd
import pyarrow as pa
import pyarrow.parquet as pq
import shapely
from pyproj.exceptions import CRSError, ProjError

from ...errors import InputError
from . import bombs, geojson, geopackage
from .sources import shown

MOST_ZONES = 50_000
MOST_BYTES = 100_000_000
MOST_UNPACKED_BYTES = 300_000_000
MOST_VERTICES = 800_000
MOST_MEMBERS = 100
LARGEST_RATIO = 100
_CHUNK = 1 << 20
_SHAPEFILE_PARTS = (".shp", ".shx", ".dbf", ".prj", ".cpg")
_SHX_HEADER, _SHX_RECORD = 100, 8


def read_shapes(path: Path, refuse: Callable[[int], None] | None = None) -> gpd.GeoDataFrame:
    """Read the zones of one file, whatever its kind, in EPSG:4326 where its CRS is known.

    `refuse` is told the number of zones before they are read; it may refuse them.

    Raises
    ------
    InputError
        If it is missing, too large, none of the four kinds, or not what it claims to be.
    """
    name = shown(path.name)

    def check_zones(zones: int) -> None:
        if zones > MOST_ZONES:
            raise InputError(f"{name}: {zones:,} zones, more than {MOST_ZONES:,}; merge them first")
        if refuse is not None:
            refuse(zones)

    if not path.is_file():
        raise InputError(f"{name}: no such file of zones; check the path")
    size = path.stat().st_size
    if size == 0:
        raise InputError(f"{name}: the file is empty (0 zones); name a file of zones")
    if size > MOST_BYTES:
        raise InputError(
            f"{name}: {size:,} bytes, more than {MOST_BYTES:,}; simplify the zones first"
        )
    with path.open("rb") as handle:
        head = handle.read(4096)
    if head.startswith(b"PAR1"):
        frame = _read_parquet(path, check_zones)
    elif head.startswith(b"PK\x03\x04"):
        frame = _read_zip(path, check_zones)
    elif head.startswith(b"SQLite format 3"):
        table, zones = geopackage.layer(path, check_zones)
        frame = _read_gdal(path, name, zones, layer=table, where="1 = 1")
    elif head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        frame = geojson.read(path, check_zones)
    else:
        raise InputError(
            f"{name}: not a file of zones; GeoJSON, GeoPackage, a zipped Shapefile (.zip) or "
            "GeoParquet are read"
        )
    vertices = int(shapely.get_num_coordinates(frame.geometry.to_numpy()).sum())
    if vertices > MOST_VERTICES:
        raise InputError(
            f"{name}: more than {MOST_VERTICES:,} vertices; simplify the zones (a "
            "tolerance of 10 m is plenty)"
        )
    return _in_degrees(name, frame)


def _in_degrees(name: str, frame: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Return `frame` in EPSG:4326, or as it is where its CRS is not told."""
    if frame.crs is None:
        return frame
    try:
        return frame.to_crs("EPSG:4326")
    except (ProjError, CRSError):
        raise InputError(
            f"{name}: its coordinate reference system cannot be turned into longitude and latitude",
            remedy="save it in EPSG:4326",
            code="foreign-crs",
            settings=("zones",),
        ) from None


def _read_parquet(path: Path, check_zones: Callable[[int], None]) -> gpd.GeoDataFrame:
    name = shown(path.name)
    try:
        metadata = pq.read_metadata(path)
        check_zones(metadata.num_rows)
        groups = (metadata.row_group(i) for i in range(metadata.num_row_groups))
        unpacked = sum(int(group.total_byte_size) for group in groups)
        if unpacked > MOST_UNPACKED_BYTES or metadata.num_rows > MOST_VERTICES:
            raise InputError(
                f"{name}: unpacks to {unpacked:,} bytes in {metadata.num_rows:,} rows, more than a "
                "file of zones may hold; simplify the zones first"
            )
        bombs.check_unpacked(name, path, metadata)
        _check_texts(path)
        return gpd.read_parquet(path)
    except InputError:
        raise
    except (ProjError, CRSError):
        raise InputError(
            f"{name}: its coordinate reference system is unknown; save it in EPSG:4326"
        ) from None
    except _DAMAGED:
        if _is_parquet_without_shapes(path):
            raise InputError(f"{name}: Parquet without geometry; save it as GeoParquet") from None
        raise InputError(f"{name}: the GeoParquet file is damaged; export it again") from None


_DAMAGED = (
    pa.ArrowException,
    shapely.errors.ShapelyError,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RecursionError,
)


def _check_texts(path: Path) -> None:
    """Refuse texts that unpack to far more than the file tells: a dictionary names each once."""
    name = shown(path.name)
    with pq.ParquetFile(path) as file:
        texts = [
            field.name
            for field in file.schema_arrow
            if pa.types.is_string(field.type) or pa.types.is_large_string(field.type)
        ]
        size = 0
        for batch in file.iter_batches(1_000, columns=texts) if texts else ():
            size += batch.nbytes
            if size > MOST_UNPACKED_BYTES:
                raise InputError(
                    f"{name}: its texts unpack to more than {MOST_UNPACKED_BYTES:,} bytes, more "
                    "than a file of zones may hold; keep ids and names alone"
                )


def _is_parquet_without_shapes(path: Path) -> bool:
    try:
        return b"geo" not in (pq.read_metadata(path).metadata or {})
    except (pa.ArrowException, OSError, ValueError):
        return False


def _read_zip(path: Path, check_zones: Callable[[int], None]) -> gpd.GeoDataFrame:
    """Read a zipped Shapefile: its parts are copied out under names of our own."""
    name = shown(path.name)
    folder = Path(tempfile.mkdtemp(prefix="zones-"))
    try:
        with zipfile.ZipFile(path) as archive:
            members = _shapefile_members(name, archive)
            for member in members:
                ending = PurePosixPath(member.filename).suffix.lower()
                with archive.open(member) as packed, (folder / f"zones{ending}").open("wb") as out:
                    shutil.copyfileobj(packed, out, _CHUNK)
        index = folder / "zones.shx"
        size = index.stat().st_size if index.is_file() else _SHX_HEADER
        zones = (size - _SHX_HEADER) // _SHX_RECORD
        check_zones(zones)
        return _read_gdal(folder / "zones.shp", name, zones)
    except (zipfile.BadZipFile, RuntimeError, EOFError):
        raise InputError(f"{name}: the zip archive is damaged or encrypted; zip it again") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _shapefile_members(name: str, archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        # what macOS adds
        and not member.filename.startswith("__MACOSX/")
        and not PurePosixPath(member.filename).name.startswith("._")
    ]
    unpacked = sum(member.file_size for member in members)
    packed = max(sum(member.compress_size for member in members), 1)
    if (
        len(members) > MOST_MEMBERS
        or unpacked > MOST_UNPACKED_BYTES
        or (unpacked > _CHUNK and unpacked / packed > LARGEST_RATIO)
    ):
        raise InputError(
            f"{name}: the archive unpacks to {unpacked:,} bytes in {len(members)} files, more "
            "than a file of zones may; zip one Shapefile alone"
        )
    for member in members:
        parts = PurePosixPath(member.filename.replace("\\", "/")).parts
        if ".." in parts or member.filename.startswith(("/", "\\")) or ":" in member.filename:
            raise InputError(
                f"{name}: the archive holds a path that leads outside it; zip the Shapefile again"
            )
    shapes = [m for m in members if m.filename.lower().endswith(".shp")]
    if len(shapes) != 1:
        raise InputError(
            f"{name}: the archive holds {len(shapes)} Shapefiles (.shp); zip exactly one"
        )
    stem = shapes[0].filename[:-4].lower()
    wanted = {stem + ending for ending in _SHAPEFILE_PARTS}
    return [member for member in members if member.filename.lower() in wanted]


def _read_gdal(path: Path, name: str, zones: int, **how: Any) -> gpd.GeoDataFrame:
    """Read a Shapefile or GeoPackage of `zones` zones, none of which may be left out."""
    try:
        with warnings.catch_warnings():  # what GDAL grumbles about is refused below or harmless
            warnings.simplefilter("ignore")
            # a condition makes GDAL count the rows itself
            frame: Any = gpd.read_file(path, engine="pyogrio", **how)
    except (ValueError, RuntimeError, OSError, IndexError):
        raise InputError(
            f"{name}: the file of zones cannot be read, or lacks a part; export it again"
        ) from None
    if not isinstance(frame, gpd.GeoDataFrame):
        raise InputError(f"{name}: the file holds a table without shapes; export the zones again")
    if len(frame) != zones:
        raise InputError(
            f"{name}: {zones:,} zones are there, but {len(frame):,} can be read",
            remedy="export the zones again",
            code="zones-left-out",
            settings=("zones",),
        )
    return frame

"""Cached aggregates: the only data that mechanisms read.

A dataset is a folder of small Parquet tables (see `engine.datasets.storage`). It holds no ids of
people, but its counts are true: it remains confidential personal data unless they are simulated.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import geopandas as gpd
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from .. import validation
from ..arrays import Integers
from ..errors import DatasetError
from ..parameters import HOURS_PER_WEEK, MAX_VISITS_LIMIT
from . import storage, trip_files
from .installed import available
from .metadata import Metadata
from .multiscale_tables import MULTISCALE_TABLE_NAMES, MultiscaleTables, fill_counts, from_tables
from .trip_counts import Trips

if TYPE_CHECKING:
    from ..geography import Tessellation

_ID_COLUMNS = ("location_id", "zone_id")
_ROWS_PER_SLICE = 2**20


class _Slice(NamedTuple):
    cell: NDArray[np.int32]  # tower · 168 + hour, by ascending rank
    visits: NDArray[np.int32]
    prefix_ends: NDArray[np.intp]  # number of rows of rank ≤ r, r = 0 … 255


class Dataset:
    """One version of a dataset, its tables read on first use.

    Parameters
    ----------
    version : Path
        The folder of one version. Use `load` to get the current version.

    Raises
    ------
    DatasetError
        If a file is missing, cut short or changed since it was written.
    """

    def __init__(self, version: Path) -> None:
        self.folder = version
        self.id = version.parent.name
        document = storage.read_metadata(version)
        self.metadata = Metadata.from_json(document, self.id)
        storage.verify(version, document.get("checksums"))

    def __repr__(self) -> str:
        return f"Dataset({self.id!r}, version={self.folder.name!r})"

    @property
    def has_density(self) -> bool:
        """Whether the dataset has the tables of the density mechanism."""
        return (self.folder / "presampled.parquet").is_file()

    @property
    def has_trips(self) -> bool:
        """Whether the dataset has the tables of the origin–destination mechanism."""
        return (self.folder / "trips.parquet").is_file()

    @property
    def has_person_ranks(self) -> bool:
        """Whether trips have a random rank in their person over all days, by which T drops them."""
        return (self.folder / "trips_person.parquet").is_file()

    @property
    def size_bytes(self) -> int:
        """Size of this version on disk, in bytes."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    @cached_property
    def zones(self) -> gpd.GeoDataFrame:
        """Zones in a fixed order: ``zone_id``, ``name``, ``geometry`` (EPSG:4326)."""
        return gpd.read_parquet(self.folder / "zones.parquet")

    @cached_property
    def towers(self) -> gpd.GeoDataFrame:
        """Towers in a fixed order: ``location_id``, ``name``, ``geometry`` (points, EPSG:4326)."""
        with self._readable("towers.parquet", "density"):
            return gpd.read_parquet(self.folder / "towers.parquet")

    @cached_property
    def tessellation(self) -> "Tessellation":
        """Overlaps, minimum cover and centres; public geometry only."""
        from ..geography import tessellate  # geography reads no dataset; imported late

        return tessellate(self.towers, self.zones)

    @cached_property
    def truth_by_tower(self) -> Integers:
        """True visits X, (towers, 168): distinct (person, tower, hour), at most K_max a person."""
        table = self._read("truth.parquet")
        cells = self._tower_index(table["location_id"]), table["hour"].to_numpy()
        return fill_counts((len(self.towers), HOURS_PER_WEEK), cells, table["n"])

    @cached_property
    def single_visit_by_tower(self) -> Integers:
        """One visit of each person at random (H̃), shape (towers,); sums to the number of people."""
        table = self._read("single_visit.parquet")
        towers = self._tower_index(table["location_id"])
        return fill_counts((len(self.towers),), towers, table["n"])

    def presampled_by_tower(self, max_visits_per_user: int) -> Integers:
        """Return one visit per person and hour, at most ℓ of a person, shape (towers, 168).

        A person's visits have random ranks, and those of rank ≤ ℓ count: removing a person changes
        the counts by at most ℓ in L₁, by 1 in an hour.
        """
        limit = validation.check_whole_number(
            "max_visits_per_user", max_visits_per_user, 1, MAX_VISITS_LIMIT, remedy="30 is usual"
        )
        counts = np.zeros(len(self.towers) * HOURS_PER_WEEK)
        for cell, n, ends in self._read_presampled_slices:
            end = ends[limit]
            counts += np.bincount(cell[:end], weights=n[:end], minlength=len(counts))
        return counts.astype(np.int64).reshape(-1, HOURS_PER_WEEK)

    @cached_property
    def multiscale_tables(self) -> MultiscaleTables:
        """Clipped sums of ``multiscale``; one person changes each table by at most its clip."""
        tables = {name: self._read(f"{name}.parquet") for name in MULTISCALE_TABLE_NAMES}
        return from_tables(
            tables, self._tower_index, len(self.towers), self.metadata.multiscale_clips
        )

    @cached_property
    def trips(self) -> Trips:
        """Trips ranked within the person-day, read a day at a time."""
        return self._open_trips("trips")

    @cached_property
    def trips_by_person(self) -> Trips:
        """Trips ranked within the person over the whole period, read a day at a time."""
        return self._open_trips("trips_person")

    @cached_property
    def homes(self) -> Integers | None:
        """People by home zone, shape (zones,); None without homes."""
        if not (self.folder / "homes.parquet").is_file():
            return None
        table = pq.read_table(self.folder / "homes.parquet")
        return fill_counts((len(self.zones),), self._zone_index(table["zone_id"]), table["n"])

    @cached_property
    def _read_presampled_slices(self) -> list[_Slice]:
        table, slices = self._read("presampled.parquet"), list[_Slice]()
        for start in range(0, len(table), _ROWS_PER_SLICE):
            part = table.slice(start, _ROWS_PER_SLICE)
            rank = part["rank"].to_numpy().astype(np.uint8)
            order = np.argsort(rank, kind="stable")
            cell = self._tower_index(part["location_id"]) * HOURS_PER_WEEK + part["hour"].to_numpy()
            ends = np.searchsorted(rank[order], np.arange(256), side="right")
            n = part["n"].to_numpy()[order].astype(np.int32)
            slices.append(_Slice(cell[order].astype(np.int32), n, ends))
        del table
        pa.default_memory_pool().release_unused()
        return slices

    def _open_trips(self, name: str) -> Trips:
        file = f"{name}.parquet"
        with self._readable(file, "trip"):
            return trip_files.open_trips(
                self.folder, name, self._zone_index, len(self.zones), self.metadata.days
            )

    def _tower_index(self, ids: pa.ChunkedArray) -> Integers:
        return self._find_positions(ids, self.towers["location_id"], "tower")

    def _zone_index(self, ids: pa.ChunkedArray) -> Integers:
        return self._find_positions(ids, self.zones["zone_id"], "zone")

    def _find_positions(self, ids: pa.ChunkedArray, listed_ids: Any, place_kind: str) -> Integers:
        rows = trip_files.find_positions(ids, pa.array(listed_ids.astype(str), pa.string()))
        if unknown := int((rows < 0).sum()):
            raise DatasetError(
                f"dataset '{self.id}': {unknown} rows name a {place_kind} not listed",
                remedy="build it again",
            )
        return rows

    def _read(self, name: str) -> pa.Table:
        with self._readable(name, "density"):
            return pq.read_table(self.folder / name, read_dictionary=list(_ID_COLUMNS))

    @contextmanager
    def _readable(self, name: str, part: str) -> Generator[None]:
        if not (self.folder / name).is_file():
            raise DatasetError(
                f"dataset '{self.id}' has no {part} data ({name})",
                remedy="choose a dataset that has it",
            )
        try:
            yield
        except (pa.ArrowInvalid, OSError) as error:
            raise DatasetError(
                f"dataset '{self.id}': {name} cannot be read", remedy="build the dataset again"
            ) from error


def load(name_or_path: str | Path) -> Dataset:
    """Return the dataset of a name or a path, as `find_folder`; raise `DatasetError` if damaged."""
    return Dataset(storage.current_version(find_folder(name_or_path)))


def find_folder(name_or_path: str | Path) -> Path:
    """Return the folder of a dataset by its name (shipped or installed here) or by its path.

    The folder has the dataset's name. Raises `DatasetError`, which lists `available` names, if
    there is none.
    """
    folders, folder = available(), Path(name_or_path)
    if str(name_or_path) in folders:
        return folders[str(name_or_path)]
    try:
        there = folder.is_dir()
    except (OSError, ValueError):  # longer than any path, or with a NUL
        there = False
    if there:
        return folder.resolve()
    name = str(name_or_path)
    raise DatasetError(
        f"there is no dataset '{name if len(name) <= 60 else name[:59] + '…'}'",
        remedy=f"name one of {', '.join(folders) or 'none'}, or give the path of a dataset folder",
    )


def dataset_name(name_or_path: str) -> str:
    """Return the name of a dataset by its name, also an unknown one, or by its path."""
    folder = _known_folder(name_or_path)
    return name_or_path if folder is None else folder.name


def has_people(name_or_path: str) -> bool:
    """Return whether trips of a dataset have people; so they have if it is unknown."""
    folder = _known_folder(name_or_path)
    return True if folder is None else _load_metadata(folder).trips_have_people


def find_same_people(name: str, same_people_as: str | None = None) -> set[str]:
    """Return the names of all datasets of the people of one, its own among them.

    Installed datasets name each other by `Metadata.same_people_as`; a dataset that is not installed
    is looked up with its own.
    """
    links = [{name, same_people_as or name}]
    for sibling, folder in available().items():
        with suppress(DatasetError):  # of a damaged dataset nothing can be released
            links.append({sibling, _load_metadata(folder).same_people_as or sibling})
    names = {name}
    for _ in links:
        names.update(*(link for link in links if link & names))
    return names


def _known_folder(name_or_path: str) -> Path | None:
    with suppress(DatasetError):
        folder = find_folder(name_or_path.strip())
        return folder if (folder / "current").is_file() else None
    return None


def _load_metadata(folder: Path) -> Metadata:
    return Metadata.from_json(storage.read_metadata(storage.current_version(folder)), folder.name)


def save(
    folder: Path,
    metadata: Metadata,
    *,
    zones: gpd.GeoDataFrame,
    towers: gpd.GeoDataFrame | None = None,
    tables: Mapping[str, pa.Table],
    texts: Mapping[str, str] | None = None,
) -> Dataset:
    """Write a dataset as a new version of `folder`, whose name it takes, and return it.

    Parameters
    ----------
    zones, towers : GeoDataFrame, EPSG:4326
        Their order is the order of all arrays.
    tables : mapping of str to pyarrow.Table
        By name without ending: ``truth``, ``presampled``, ``single_visit``, ``zoom_…``, ``homes``,
        ``trips``, ``trips_person``. They are sorted by key, so the order of rows never matters.
    texts : mapping of str to str
        Further files of the version, by name.
    """

    def write(version: Path) -> None:
        for name, places in (("zones", zones), ("towers", towers)):
            if places is not None:
                places.to_parquet(version / f"{name}.parquet", index=False, compression="zstd")
        for name, table in tables.items():
            if name in trip_files.TRIP_TABLE_NAMES:
                ids = list(map(str, zones["zone_id"]))
                trip_files.write_trips(version, name, table, ids, metadata.days)
                continue
            path = version / f"{name}.parquet"
            pq.write_table(_sort_by_keys(table), path, compression="zstd", compression_level=9)

    return Dataset(storage.write_version(folder, metadata.to_json(), write, texts))


def _sort_by_keys(table: pa.Table) -> pa.Table:
    keys: list[Any] = []
    for name in table.column_names:
        column: Any = table[name].combine_chunks()
        if pa.types.is_string(column.type):
            encoded = column.dictionary_encode()
            column = pc.rank(encoded.dictionary).take(encoded.indices)
        if name != "n":
            keys.append(column.to_numpy(zero_copy_only=False))
    return table.take(np.lexsort(keys[::-1]))

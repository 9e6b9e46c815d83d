"""A dataset with more days, or in the present format: a new version that shares its files.

Files of earlier days are linked, not copied; ``current`` moves last, so that a crash, a full disk
or a cancel leaves the version before.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import geopandas as gpd
import pyarrow as pa

from . import daily, storage
from .dataset import Dataset, load, write_places, write_week
from .metadata import FORMAT_VERSION, Metadata


def grown(
    dataset: Dataset,
    metadata: Metadata,
    *,
    added: pa.Table | None = None,
    days: Sequence[date] = (),
    weeks: Mapping[date, Mapping[str, pa.Table]] | None = None,
    towers: gpd.GeoDataFrame | None = None,
    leave: Collection[str] = (),
    texts: Mapping[str, str] | None = None,
) -> Dataset:
    """Write a new version of a dataset: its files as they are, trips by day, and further days.

    Parameters
    ----------
    dataset : Dataset
        The current version.
    metadata : Metadata
        Of the new one.
    added : pyarrow.Table, optional
        ``date, origin, destination, rank, n`` of `days`.
    days : sequence of date
        Days that are added, also those without a trip.
    weeks : mapping of date to mapping
        Tables of the density of weeks that are added, by their Mondays; the one of `metadata` is
        the dataset's own.
    towers : GeoDataFrame, optional
        Where there was no density before.
    leave : collection of str
        Tables that are not taken over.
    texts : mapping of str to str
        Further files, by name.
    """
    old, ids = dataset.folder, dataset.zones["zone_id"].astype(str).tolist()
    trips = {"trips": "trips", "trips_person": "trips_by_person"}

    def write(version: Path) -> None:
        for path in old.iterdir():
            kept = path.stem.removesuffix("_days") not in (*daily.NAMES, *leave)
            if path.is_file() and kept and path.name not in (storage.METADATA_FILE, *(texts or {})):
                daily.link(path, version / path.name)
        for path in old.glob(f"{storage.WEEKS}/*/*"):
            (version / path.relative_to(old)).parent.mkdir(parents=True, exist_ok=True)
            daily.link(path, version / path.relative_to(old))
        if towers is not None:
            write_places(towers, version / "towers.parquet")
        for monday, tables in (weeks or {}).items():
            write_week(version, metadata, monday, tables)
        for name, attribute in trips.items():
            if name in leave or not storage.has_table(old, name):
                continue
            writer, known = daily.Writer(version, name, ids), getattr(dataset, attribute)
            if (old / name).is_dir():
                writer.take(old, known)
            else:
                for number, day in enumerate(dataset.metadata.days):
                    writer.add(day, known.day(number))
            if added is not None and name == "trips":
                for day, counts in daily.by_day(added, ids, days):
                    writer.add(day, counts)
            writer.close()

    document = replace(metadata, format_version=FORMAT_VERSION).to_json()
    return Dataset(storage.write_version(old.parent, document, write, texts))


def upgrade(folder: Path) -> Dataset:
    """Rewrite a dataset in the present format, with the same counts; one that is stays as it is.

    Raises
    ------
    DatasetError
        If it is damaged, or being built by another process.
    """
    with storage.only_writer(folder):
        dataset = load(folder)
        if dataset.metadata.format_version == FORMAT_VERSION:
            return dataset
        return grown(dataset, dataset.metadata)

"""The datasets a person can pick: shipped ones, those kept on this computer, this session's own."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from engine import datasets
from engine.contract import Selection, Setting
from engine.datasets import Metadata, storage
from engine.errors import DatasetError, ExplorerError
from pages._ui.app.origin import is_public
from pages._ui.app.session import session

_TABLES = {"density": "presampled.parquet", "trips": "trips.parquet"}
"""A table that a dataset has of each part."""


@dataclass(frozen=True)
class Entry:
    """One dataset as the pickers and wrappers know it."""

    name: str
    key: Selection
    shipped: bool
    metadata: Metadata
    parts: tuple[str, ...]
    has_person_ranks: bool

    @property
    def is_twin(self) -> bool:
        """Whether it is made of public facts, in zones of one's own."""
        return "twin" in self.metadata.scenario


def entries() -> dict[str, Entry]:
    """Return every dataset that this session can open, by name; damaged ones are left out."""
    memo = session()
    installed = shared_entries() if memo.shared_entries is None else memo.shared_entries
    return {**installed, **({} if is_public() else _open_all(memo.datasets)[0])}


def shared_entries() -> dict[str, Entry]:
    """Return the datasets that every session can open; shipped ones only where all may come."""
    opened, _ = _open_all(datasets.available())
    return {name: e for name, e in opened.items() if e.shipped} if is_public() else opened


def has_upload(*key: object) -> bool:
    """Whether any dataset named in what is asked lies outside what all sessions share."""
    return any(_is_outside(id_, os.environ.get("MOBILITY_DATA")) for id_ in dataset_ids(key))


def dataset_ids(key: Iterable[object]) -> set[str]:
    """Return the ids of the datasets that a question names anywhere."""
    ids: set[str] = set()
    for part in key:
        if isinstance(part, Selection | Setting):
            ids.add(part.dataset_id)
        elif isinstance(part, tuple):
            ids |= dataset_ids(part)
    return ids


def damaged_datasets() -> dict[str, tuple[Path, str]]:
    """Return the datasets that cannot be opened, by name: folder, reason and remedy."""
    return _open_all(datasets.available())[1]


def _open_all(folders: Mapping[str, Path]) -> tuple[dict[str, Entry], dict[str, tuple[Path, str]]]:
    """Return the datasets that open, by name, and those that do not: folder, reason, remedy."""
    entries: dict[str, Entry] = {}
    problems: dict[str, tuple[Path, str]] = {}
    for name, folder in folders.items():
        try:
            if not name.isprintable():  # half a character cannot even be sent to a browser
                remedy = "rename its folder, or delete it"
                raise DatasetError("its name cannot be printed", remedy=remedy)
            version = storage.current_version(folder)
            entries[name] = _load_entry(name, folder, version, datasets.data_roots())
        except ExplorerError as error:
            problems[name] = (folder, str(error))
    return entries, problems


@lru_cache(maxsize=1024)
def _is_outside(version: str, data: str | None) -> bool:
    del data  # where it points to, the folders below do
    folder = Path(version).resolve()
    return not any(folder.is_relative_to(root.resolve()) for root in datasets.data_roots())


@lru_cache(maxsize=256)
def _load_entry(name: str, folder: Path, version: Path, roots: tuple[Path, ...]) -> Entry:
    """Return one version of a dataset; a version never changes, and every run asks for all."""
    metadata = Metadata.from_json(storage.read_metadata(version), name)
    return Entry(
        name=name,
        key=Selection(dataset_id=str(version), people_once=metadata.people_once),
        shipped=metadata.simulated and folder.parent in roots,
        metadata=metadata,
        parts=tuple(part for part, name in _TABLES.items() if (version / name).is_file()),
        has_person_ranks=(version / "trips_person.parquet").is_file(),
    )

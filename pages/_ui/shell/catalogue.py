"""The datasets a person can pick: shipped ones, those kept on this computer, this session's own."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from engine import datasets
from engine.datasets import Metadata, storage
from engine.errors import DatasetError, ExplorerError
from engine.resolution import Resolution, coarse_metadata, folder_of, resolution_of, view_key
from pages._ui.shell.public import public
from pages._ui.shell.session import session

"""Session-state key: name → folder of datasets built in this session and seen by nobody else."""


@dataclass(frozen=True)
class Entry:
    """One dataset as the pickers and wrappers know it.

    Attributes
    ----------
    key : str
        Folder of the current version and the resolution it is seen at; what the wrappers of
        `pages._ui.cache` take.
    shipped : bool
        Whether it comes with the product: only then its name may stand in a share link.
    """

    name: str
    key: str
    shipped: bool
    metadata: Metadata
    has_density: bool
    has_zoom: bool
    has_trips: bool
    has_trips_by_person: bool

    @property
    def resolution(self) -> Resolution:
        """The resolution it is seen at."""
        return resolution_of(self.key)

    def at(self, resolution: Resolution) -> "Entry":
        """Return the same dataset seen at a resolution."""
        folder = folder_of(self.key)
        return replace(
            self,
            key=view_key(folder, resolution),
            metadata=coarse_metadata(self.metadata, resolution),
        )


def entries() -> dict[str, Entry]:
    """Return every dataset that this session can open, by name; damaged ones are left out.

    Examples
    --------
    >>> "demo-city" in entries()
    True
    """
    if public():
        return shared()
    return {**shared(), **_opened(session().datasets)}


def shared() -> dict[str, Entry]:
    """Return the datasets that every session can open; shipped ones only where all may come."""
    opened = _opened(datasets.available())
    return {name: one for name, one in opened.items() if one.shipped} if public() else opened


def shipped(key: str) -> bool:
    """Whether a dataset comes with the product, so that names from it may stand in a link."""
    return any(entry.key == folder_of(key) and entry.shipped for entry in shared().values())


def in_session(key: str) -> bool:
    """Whether a dataset lies outside the folder that all sessions share."""
    return _outside(key, str(datasets.data_root()))


def damaged() -> dict[str, tuple[Path, str]]:
    """Return the datasets that cannot be opened, by name: folder, reason and remedy."""
    problems: dict[str, tuple[Path, str]] = {}
    for name, folder in datasets.available().items():
        try:
            _opened_version(name, folder)
        except ExplorerError as error:
            problems[name] = (folder, str(error))
    return problems


def _opened(folders: Mapping[str, Path]) -> dict[str, Entry]:
    entries = {name: _entry(name, Path(folder)) for name, folder in folders.items()}
    return {name: entry for name, entry in entries.items() if entry is not None}


def _entry(name: str, folder: Path) -> Entry | None:
    try:
        return _opened_version(name, folder)
    except ExplorerError:
        return None


def _opened_version(name: str, folder: Path) -> Entry:
    if not name.isprintable():  # half a character cannot even be sent to a browser
        raise DatasetError("its name cannot be printed", remedy="rename its folder, or delete it")
    return _version(name, folder, storage.current_version(folder), datasets.data_root())


@lru_cache(maxsize=1024)
def _outside(key: str, root: str) -> bool:
    return not Path(key).resolve().is_relative_to(Path(root).resolve())


@lru_cache(maxsize=256)
def _version(name: str, folder: Path, version: Path, root: Path) -> Entry:
    """Return one version of a dataset; a version never changes, and every run asks for all."""
    metadata = Metadata.from_json(storage.read_metadata(version), name)
    return Entry(
        name=name,
        key=str(version),
        shipped=metadata.simulated and folder.parent == root,
        metadata=metadata,
        has_density=(version / "presampled.parquet").is_file(),
        has_zoom=(version / "zoom_towers.parquet").is_file(),
        has_trips=(version / "trips.parquet").is_file(),
        has_trips_by_person=(version / "trips_person.parquet").is_file(),
    )

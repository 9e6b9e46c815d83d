"""Which datasets are installed, and where."""

import os
from contextlib import suppress
from pathlib import Path

from ..errors import DatasetError
from . import storage
from .metadata import Metadata


def data_root() -> Path:
    """Return the folder of all datasets: ``MOBILITY_DATA`` or ``data/`` beside this package."""
    return Path(os.environ.get("MOBILITY_DATA") or Path(__file__).parents[2] / "data")


def available() -> dict[str, Path]:
    """Return the folders of all installed datasets by name: shipped ones first, then local."""
    root = data_root()
    folders = {path.parent.name: path.parent for path in sorted(root.glob("*/current"))}
    for pointer in sorted((root / "local").glob("*/current")):
        folders.setdefault(pointer.parent.name, pointer.parent)
    return folders


def describe(name: str) -> Metadata:
    """Return the metadata of an installed dataset without reading its tables."""
    version = storage.current_version(available()[name])
    return Metadata.from_json(storage.read_metadata(version), name)


def having(file: str) -> list[str]:
    """Return the names of the installed datasets that hold a file; damaged ones do not."""
    names: list[str] = []
    for name, folder in available().items():
        with suppress(DatasetError):
            if (storage.current_version(folder) / file).is_file():
                names.append(name)
    return names

"""Finished days of a long simulation, kept on disk until the dataset is complete."""

import errno
import hashlib
import os
import shutil
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from ..arrays import Integers
from ..datasets import storage
from ..errors import DatasetError


class DayStore:
    """A folder ``<dataset>.days`` beside a dataset that holds its finished days.

    Leaving it normally removes it. Leaving it by an interruption keeps it, and the next run with
    the same settings (`key`) finds its days. A full disk removes it and says so.
    """

    def __init__(self, dataset: Path, key: str) -> None:
        self._name = dataset.name
        self._folder = dataset.with_name(f".{dataset.name}.days")
        self._key = hashlib.sha256(key.encode()).hexdigest()

    def __enter__(self) -> "DayStore":
        key_file = self._folder / "key"
        if not key_file.is_file() or key_file.read_text(encoding="utf-8") != self._key:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)
            storage.make_owner_only(self._folder)
            key_file.write_text(self._key, encoding="utf-8")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        if error is None or full:
            shutil.rmtree(self._folder, ignore_errors=True)
        if full:
            raise DatasetError(
                f"the disk is full: '{self._name}' was not made and its unfinished days were "
                "removed; free some space and start again"
            ) from error

    def has(self, day: int) -> bool:
        """Whether `day` is finished."""
        return self._path(day).is_file()

    def put(self, day: int, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Keep the outcome of `day`; all of it or nothing."""
        path = self._path(day)
        unfinished = path.with_suffix(".unfinished")
        try:
            with unfinished.open("wb") as handle:
                np.savez_compressed(handle, allow_pickle=False, **arrays)
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)

    def get(self, day: int) -> dict[str, Integers]:
        """Return the outcome of `day`."""
        try:
            with self._path(day).open("rb") as handle, np.load(handle) as arrays:
                return {name: arrays[name] for name in arrays.files}
        except (zipfile.BadZipFile, ValueError, EOFError) as error:
            self._path(day).unlink()
            raise DatasetError(
                f"day {day + 1} of '{self._name}' was cut short on disk and has been removed; "
                "start again to go on from there"
            ) from error

    def _path(self, day: int) -> Path:
        return self._folder / f"day-{day:03d}.npz"

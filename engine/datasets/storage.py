"""Dataset folders on disk: versions, checksums, atomic replacement, owner-only files.

Layout (``spec``: cached aggregates)::

    <dataset>/current               name of the current version, replaced atomically
    <dataset>/<version>/            dataset.json and the Parquet tables

A new version is written beside the old one and ``current`` is replaced last; a dataset is copied or
deleted under a hidden name first. So a crash, a full disk or a cancel leaves a whole dataset or
none that is listed, and the next start deletes hidden remains. The last two versions stay.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from ..errors import DatasetError

METADATA_FILE = "dataset.json"
MAX_METADATA_BYTES = 16_000_000
RETAINED_VERSIONS = 2
_VERSION = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_PARTIAL_SUFFIX = ".partial"
_HIDDEN = ".leaving-"


def write_version(
    folder: Path,
    metadata: dict[str, Any],
    write_tables: Callable[[Path], None],
    texts: Mapping[str, str] | None = None,
) -> Path:
    """Write a new version of the dataset in `folder`, make it current and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with _partial_folder(folder) as partial:
        write_tables(partial)
        for path in partial.iterdir():
            _protect_and_flush(path)
        for name, contents in (texts or {}).items():
            (partial / name).write_text(contents, encoding="utf-8")
            _protect_and_flush(partial / name)
        described = {**metadata, "checksums": checksums(partial)}
        text = json.dumps(described, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        (partial / METADATA_FILE).write_text(text, encoding="utf-8")
        _protect_and_flush(partial / METADATA_FILE)
        version = folder / hashlib.sha256(text.encode()).hexdigest()[:12]
        if not _is_complete(version, described["checksums"]):
            shutil.rmtree(version, ignore_errors=True)
            os.replace(partial, version)
        else:
            for name, contents in (texts or {}).items():
                write_text_atomically(version / name, contents)
    write_text_atomically(folder / "current", version.name + "\n")
    _remove_old_versions(folder, version.name)
    return version


def current_version(folder: Path) -> Path:
    """Return the folder of the current version; raise `DatasetError` where there is none."""
    try:
        name = _read_bounded_text(folder / "current", 1_000).strip()
    except (OSError, ValueError) as error:
        raise DatasetError(
            f"'{folder.name}' is not a dataset folder: its file 'current' cannot be read",
            remedy="name a folder written by an ingest or the command twin",
        ) from error
    if not _VERSION.fullmatch(name) or not (folder / name / METADATA_FILE).is_file():
        raise DatasetError(
            f"dataset '{folder.name}' is damaged: 'current' does not name a complete version",
            remedy="build the dataset again or restore it from a copy",
        )
    return folder / name


def read_metadata(version: Path) -> dict[str, Any]:
    """Return the contents of ``dataset.json``; raise `DatasetError` if it cannot be read."""
    try:
        document = json.loads(_read_bounded_text(version / METADATA_FILE, MAX_METADATA_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        raise _corruption_error(version, "dataset.json cannot be read") from error
    if not isinstance(document, dict):
        raise _corruption_error(version, "dataset.json holds no object")
    return cast("dict[str, Any]", document)


def checksums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every Parquet file in `folder`, by file name."""
    return {path.name: sha256(path) for path in sorted(folder.glob("*.parquet"))}


def verify(version: Path, expected: object) -> None:
    """Raise `DatasetError` unless the files of `version` have the `expected` checksums."""
    if not isinstance(expected, dict):
        raise _corruption_error(version, "dataset.json holds no checksums")
    expected = cast("dict[str, object]", expected)
    try:
        actual = checksums(version)
    except OSError as error:
        raise DatasetError(
            f"dataset '{version.parent.name}': its files cannot be read "
            f"({error.strerror or type(error).__name__})",
            remedy="check that the folder is yours",
        ) from error
    for name in sorted(expected.keys() | actual.keys()):
        if name not in actual:
            problem = "is missing"
        elif name not in expected:
            problem = "is not listed in dataset.json"
        elif actual[name] != expected[name]:
            problem = "does not match its checksum"
        else:
            continue
        raise _corruption_error(version, f"{name} {problem}: it was changed or truncated")


def copy_dataset(folder: Path, target: Path) -> None:
    """Copy a dataset's folder to `target`, whole or not at all, readable by its owner alone."""
    hidden = target.with_name(f"{_HIDDEN}{os.getpid()}-{target.name}")
    try:
        hidden.mkdir(mode=0o700)  # a copy is open to all until it has the rights of its original
        shutil.copytree(folder, hidden, dirs_exist_ok=True)
        for path in (hidden, *hidden.rglob("*")):
            make_owner_only(path)
        os.rename(hidden, target)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def delete(folder: Path) -> None:
    """Delete a dataset, under a hidden name first; raise `DatasetError` if a part is left."""
    if folder.is_symlink():
        folder.unlink()
        return
    hidden = folder.with_name(f"{_HIDDEN}{os.getpid()}-{folder.name}")
    try:
        os.rename(folder, hidden)
    except OSError:
        hidden = folder
    shutil.rmtree(hidden, ignore_errors=True)
    if hidden.exists():
        raise DatasetError(
            f"'{folder.name}' cannot be deleted as a whole", remedy="delete its folder by hand"
        )


def remove_abandoned(root: Path, prefix: str = _HIDDEN, *, starting: bool = False) -> None:
    """Delete this user's folders with a prefix and the number of a process that no longer runs.

    By default these are interrupted copies and deletions. A process that is `starting` may have the
    number of an earlier one: in a container all have one.
    """
    for folder in root.glob(f"{prefix}*"):
        pid = folder.name.removeprefix(prefix).partition("-")[0]
        ended = pid.isdigit() and (
            not _is_running(int(pid)) or (starting and int(pid) == os.getpid())
        )
        with suppress(OSError):
            if ended and folder.lstat().st_uid == os.getuid() and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)


def make_owner_only(path: Path) -> None:
    """Let only the owner read `path`."""
    path.chmod(0o700 if path.is_dir() else 0o600)


def flush_to_disk(path: Path) -> None:
    """Make the contents of a file or folder durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_text_atomically(path: Path, text: str) -> None:
    """Write an owner-only text file whole or not at all, replacing an older one."""
    descriptor, name = tempfile.mkstemp(suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def lock_for_writing(folder: Path) -> Generator[None]:
    """Lock `folder` for one building process, and delete the remains of killed ones."""
    lock = folder / ".lock"
    if folder.name.startswith("."):  # hidden folders are swept
        raise DatasetError(
            "a dataset's name must not begin with a dot",
            value=folder.name,
            remedy="name another folder",
            settings=("out",),
        )
    was_killed = lock.exists()
    is_new = was_killed or not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not os.path.samestat(os.fstat(descriptor), lock.stat()):
                raise BlockingIOError  # the owner has removed it, and another has made a new one
        except OSError:
            raise DatasetError(
                f"dataset '{folder.name}' is being built by another process",
                remedy="wait until that has finished, or choose another folder",
                code="locked",
                settings=("out",),
            ) from None
        unused = _list_unused_versions(folder) if was_killed else []
        for leftover in {*_list_leftovers(folder), *unused}:
            if leftover.is_dir():
                shutil.rmtree(leftover, ignore_errors=True)
            elif leftover != lock:
                leftover.unlink()
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
            if is_new and folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
    finally:
        os.close(descriptor)


def remove_unfinished(root: Path) -> None:
    """Delete what killed builds have left in folders of datasets, and the names they hold."""
    for folder in root.glob("[!.]*/"):
        with suppress(OSError, DatasetError):
            if folder.stat().st_uid == os.getuid() and _list_leftovers(folder):
                with lock_for_writing(folder):
                    pass


def _list_leftovers(folder: Path) -> list[Path]:
    """Return what a running or killed build has made; temporary files by names of `tempfile`."""
    patterns = (f"*{_PARTIAL_SUFFIX}", "tmp????????.tmp", ".lock")
    return [path for pattern in patterns for path in folder.glob(pattern)]


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _list_unused_versions(folder: Path) -> list[Path]:
    """Return versions newer than ``current``: a build was killed before it named them."""
    pointer, versions = folder / "current", [p.parent for p in folder.glob(f"*/{METADATA_FILE}")]
    if not pointer.exists():
        return versions
    name, named_ns = pointer.read_text("utf-8").strip(), pointer.stat().st_mtime_ns
    return [v for v in versions if v.name != name and v.stat().st_mtime_ns > named_ns]


@contextmanager
def _partial_folder(folder: Path) -> Generator[Path]:
    partial = Path(tempfile.mkdtemp(suffix=_PARTIAL_SUFFIX, dir=folder))
    try:
        make_owner_only(partial)
        yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if not any(folder.iterdir()):
            folder.rmdir()


def _read_bounded_text(path: Path, max_bytes: int) -> str:
    if not path.is_file():  # a pipe would never end
        raise ValueError("no file")
    with path.open("rb") as handle:
        contents = handle.read(max_bytes + 1)
    if len(contents) > max_bytes:
        raise ValueError("too long")
    return contents.decode("utf-8")


def _protect_and_flush(path: Path) -> None:
    make_owner_only(path)
    flush_to_disk(path)


def _is_complete(version: Path, expected: dict[str, str]) -> bool:
    try:
        verify(version, expected)
    except DatasetError:
        return False
    return (version / METADATA_FILE).is_file()


def _remove_old_versions(folder: Path, current: str) -> None:
    versions = [path for path in folder.iterdir() if (path / METADATA_FILE).is_file()]
    versions.sort(key=lambda path: (path.name == current, path.stat().st_mtime), reverse=True)
    for old in versions[RETAINED_VERSIONS:]:
        shutil.rmtree(old, ignore_errors=True)


def _corruption_error(version: Path, fault: str) -> DatasetError:
    return DatasetError(
        f"dataset '{version.parent.name}': {fault}",
        remedy="build the dataset again or restore it from a copy",
    )


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True

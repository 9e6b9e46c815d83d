"""What a session has done on the page: its files, in an owner-only folder, and its build.

Uploads, spills and the datasets built from them stay in the folder, which goes with the session.
"""

import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from engine import datasets
from engine.datasets import storage
from engine.errors import ExplorerError, InputError
from engine.ingest import IngestOptions, Progress, ingest
from engine.text.numbers import format_wait
from pages._ui.app import shutdown
from pages._ui.app.background import LongJob, Tell
from pages._ui.app.origin import is_served_locally as is_served_locally
from pages._ui.app.session import page_state, session
from pages._ui.app.streamlit_internals import UploadedFile, session_id
from pages._ui.data import messages

MAX_NAME_BYTES, MAX_CACHED = 100, 20
_STOP_S = 3.0
_UNFORESEEN = (
    "The build stopped because of an unexpected error ({}). Nothing was written. Check the file, "
    "or export it again."
)


@dataclass
class DataState:
    """The form of the page Data, and what the session has made with it."""

    round: int = 0  # how often the form was emptied: each round's widgets have keys of their own
    caches: dict[str, dict[Any, Any]] = field(default_factory=dict)  # what was read, once, by kind
    leave_out: set[str] = field(default_factory=set)  # choices made beside refusals
    accepted: set[str] = field(default_factory=set)  # codes of questions answered with yes
    error_code: str = ""  # the code of the last refusal that has a choice
    time_zone: str | None = None
    workspace: "Workspace | None" = None
    build: LongJob | None = None

    def cache_of(self, kind: str) -> dict[Any, Any]:
        """Return the rows read of a kind; many rows are read anew."""
        cache = self.caches.setdefault(kind, {})
        if len(cache) > MAX_CACHED:
            cache.clear()
        return cache


def data_state() -> DataState:
    """Return the page's memory in this session."""
    return page_state(DataState)


class Workspace:
    """The temporary folder of one session; use `workspace` to get this session's."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{shutdown.FOLDER_PREFIX}{os.getpid()}-"))
        self.datasets = self.folder / "datasets"
        self.spill = self.folder / "spill"
        for folder in (self.folder, self.datasets, self.spill):
            folder.mkdir(mode=0o700, exist_ok=True)
            storage.make_owner_only(folder)
        self.build: LongJob | None = None  # the last one, which may be under way
        self.uploads: dict[str, dict[str, Path]] = {}  # by uploader where its files lie, by id
        self._writing = threading.RLock()  # a rerun may begin while the last one still writes

    def store_files(self, name: str, files: Sequence[UploadedFile]) -> list[Path]:
        """Return where the files of an uploader lie, each written once; others of it are deleted.

        What can be read of a file's name is made safe.
        """
        with self._writing:
            old_paths, paths = self.uploads.get(name, {}), dict[str, Path]()
            for gone in old_paths.keys() - {file.file_id for file in files}:
                shutil.rmtree(old_paths[gone].parent, ignore_errors=True)
            self.uploads[name] = paths
            for file in files:
                paths[file.file_id] = old_paths.get(file.file_id) or self._write_file(file)
            return list(paths.values())

    def _write_file(self, file: UploadedFile) -> Path:
        path = Path(tempfile.mkdtemp(dir=self.folder)) / safe_name(file.name)
        path.touch(mode=0o600, exist_ok=False)
        try:
            path.write_bytes(file.getbuffer())
        except OSError:  # no space: what is there of it goes
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return path

    def delete_uploads(self) -> None:
        """Delete the copies of all uploads."""
        for name in list(self.uploads):
            self.store_files(name, ())

    def remove(self) -> None:
        """Stop what is being built and delete everything."""
        if self.build is not None:
            self.build.cancel()
            self.build.wait(_STOP_S)
        shutil.rmtree(self.folder, ignore_errors=True)


def workspace() -> Workspace:
    """Return this session's workspace, made on first use."""
    space = data_state().workspace
    if space is not None and space.folder.is_dir():
        return space
    shutdown.sweep_folders()
    data_state().workspace = opened = Workspace()
    if (owner := session_id()) is not None:
        shutdown.cleanups[owner] = opened.remove
    return opened


def safe_name(name: str) -> str:
    """Return the last part of a file's name, printable and short; its ending is kept."""
    last = PurePosixPath(name.replace("\\", "/")).name
    printable = "".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in last)
    while len(printable.encode()) > MAX_NAME_BYTES:
        printable = printable[1:]
    return printable if printable.strip(". ") else "upload"


def keep_dataset(name: str) -> None:
    """Move a session's dataset to this computer's own; raise `InputError` where that fails."""
    folder = session().datasets[name]
    local = datasets.data_root() / "local"
    if name in datasets.available() or (local / name).exists():
        raise InputError(
            f"the name '{name}' is taken on this computer", remedy="build it under another"
        )
    try:
        local.mkdir(parents=True, exist_ok=True)
        storage.make_owner_only(local)
        storage.copy_dataset(folder, local / name)
    except OSError as error:
        raise InputError(
            f"'{name}' cannot be kept ({error.strerror or type(error).__name__})",
            remedy="free some space and check that the folder data/local is yours",
        ) from None
    storage.delete(session().datasets.pop(name))


def is_local(folder: Path) -> bool:
    """Whether a dataset's folder is one kept on this computer."""
    return folder.parent == datasets.data_root() / "local"


def is_building() -> bool:
    """Whether this session builds a dataset right now."""
    build = data_state().build
    return build is not None and build.state == "running"


def show_failure(title: str) -> bool:
    """Draw the reason why the last build failed, if it did."""
    build = data_state().build
    if build is None or build.state != "failed":
        return False
    messages.show_error(title, build.error)
    return True


def dismiss_build() -> None:
    """Forget the last build and empty the form (a callback); its dataset stays."""
    state = data_state()
    if state.workspace is not None:
        state.workspace.delete_uploads()
    state.build, state.round = None, state.round + 1
    state.caches, state.leave_out, state.accepted, state.error_code = {}, set(), set(), ""


def start_ingest(options: IngestOptions) -> None:
    """Begin an ingest in this session's folder, unless a build is under way."""
    space = workspace()

    def task(folder: Path, tell: Tell, cancel: threading.Event) -> dict[str, Any]:
        _, report = ingest(replace(options, spill=space.spill, out=folder), tell, cancel)
        return report.to_json()

    start_build(options.out.name, task)


def start_build(name: str, task: Callable[[Path, Tell, threading.Event], dict[str, Any]]) -> None:
    """Begin making a dataset in this session's folder; what `task` returns has ``seconds``."""
    if is_building():
        return
    space, folders, state = workspace(), session().datasets, data_state()
    folder, state.error_code = space.datasets / name, ""

    def run(tell: Tell, cancel: threading.Event) -> dict[str, Any]:
        report = task(folder, tell, cancel)
        folders[name] = folder  # in the pickers at once, whatever page is open
        space.delete_uploads()  # the raw uploads have done their duty, as has what was read
        state.caches = {}
        return report

    def explain(refusal: ExplorerError) -> str:
        state.error_code = refusal.code
        return messages.format_error(refusal)

    state.build = space.build = LongJob(name, run, describe=explain, fallback=_UNFORESEEN)


def describe_progress(progress: Progress | None) -> tuple[float, str]:
    """Return the share done and where a build stands, in words."""
    if progress is None:
        return 0.0, "starting …"
    seconds = progress.seconds_left if progress.fraction < 1 else None
    rest = "" if seconds is None else f" · {format_wait(seconds)} left"
    return min(max(progress.fraction, 0.0), 1.0), f"{progress.stage} …{rest}"

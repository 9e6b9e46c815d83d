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

from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from engine import datasets
from engine.datasets import storage
from engine.errors import ExplorerError, InputError
from engine.ingest import IngestOptions, Progress, ingest
from pages._ui.data import wording as data_wording
from pages._ui.jobs.kept import Kept, Tell
from pages._ui.shell import ended
from pages._ui.shell.local import served_locally as served_locally
from pages._ui.shell.session import session, state

LONGEST_NAME, MOST_KNOWN = 100, 20
_STOP_S = 3.0
_UNFORESEEN = (
    "The build stopped for a reason that was not foreseen ({}); nothing was written. Check the "
    "file, or export it again."
)


@dataclass
class OwnData:
    """The form of the page Data, and what the session has made with it."""

    round: int = 0  # how often the form was emptied: each round's widgets have keys of their own
    known: dict[str, dict[Any, Any]] = field(default_factory=dict)  # what was read, once, by kind
    leave_out: set[str] = field(default_factory=set)  # choices made beside refusals
    refused: str = ""  # the code of the last refusal that has a choice
    time_zone: str | None = None
    workspace: "Workspace | None" = None
    build: Kept | None = None

    def read(self, kind: str) -> dict[Any, Any]:
        """Return what has been read of a kind; where that is much, it is read anew."""
        known = self.known.setdefault(kind, {})
        if len(known) > MOST_KNOWN:
            known.clear()
        return known


def own() -> OwnData:
    """Return what this session has done on the page."""
    return state(OwnData)


class Workspace:
    """The temporary folder of one session; use `workspace` to get this session's."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"{ended.PREFIX}{os.getpid()}-"))
        self.datasets = self.folder / "datasets"
        self.spill = self.folder / "spill"
        for folder in (self.folder, self.datasets, self.spill):
            folder.mkdir(mode=0o700, exist_ok=True)
            storage.make_owner_only(folder)
        self.build: Kept | None = None  # the last one, which may be under way
        self.uploads: dict[str, dict[str, Path]] = {}  # by uploader where its files lie, by id
        self._writing = threading.RLock()  # a rerun may begin while the last one still writes

    def hold(self, name: str, files: Sequence[UploadedFile]) -> list[Path]:
        """Return where the files of an uploader lie, each written once; others of it are deleted.

        What can be read of a file's name is made safe.
        """
        with self._writing:
            before, held = self.uploads.get(name, {}), dict[str, Path]()
            for gone in before.keys() - {file.file_id for file in files}:
                shutil.rmtree(before[gone].parent, ignore_errors=True)
            self.uploads[name] = held
            for file in files:
                held[file.file_id] = before.get(file.file_id) or self._written(file)
            return list(held.values())

    def _written(self, file: UploadedFile) -> Path:
        path = Path(tempfile.mkdtemp(dir=self.folder)) / safe_name(file.name)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as handle:
                handle.write(file.getbuffer())
        except OSError:  # no space: what is there of it goes
            shutil.rmtree(path.parent, ignore_errors=True)
            raise
        return path

    def let_go(self) -> None:
        """Delete the copies of all uploads."""
        for name in list(self.uploads):
            self.hold(name, ())

    def remove(self) -> None:
        """Stop what is being built and delete everything."""
        if self.build is not None:
            self.build.cancel()
            self.build.wait(_STOP_S)
        shutil.rmtree(self.folder, ignore_errors=True)


def workspace() -> Workspace:
    """Return this session's workspace, made on first use."""
    known = own().workspace
    if known is not None and known.folder.is_dir():
        return known
    ended.sweep()
    own().workspace = opened = Workspace()
    if (context := get_script_run_ctx()) is not None:
        ended.last[context.session_id] = opened.remove
    return opened


def safe_name(name: str) -> str:
    """Return the last part of a file's name, printable and short; its ending is kept."""
    last = PurePosixPath(name.replace("\\", "/")).name
    printable = "".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in last)
    while len(printable.encode()) > LONGEST_NAME:
        printable = printable[1:]
    return printable if printable.strip(". ") else "upload"


def keep(name: str) -> None:
    """Move a session's dataset to this computer's own; raise `InputError` where that fails."""
    folder = session().datasets[name]
    local = datasets.data_root() / "local"
    if name in datasets.available() or (local / name).exists():
        raise InputError(f"the name '{name}' is taken on this computer; build it under another")
    try:
        local.mkdir(parents=True, exist_ok=True)
        storage.make_owner_only(local)
        storage.copy_dataset(folder, local / name)
    except OSError as error:
        raise InputError(
            f"'{name}' cannot be kept ({error.strerror or type(error).__name__}); free some space "
            "and check that the folder data/local is yours"
        ) from None
    storage.delete(session().datasets.pop(name))


def is_local(folder: Path) -> bool:
    """Whether a dataset's folder is one kept on this computer."""
    return folder.parent == datasets.data_root() / "local"


def running() -> bool:
    """Whether this session builds a dataset right now."""
    build = own().build
    return build is not None and build.state == "running"


def failed(title: str) -> bool:
    """Say why the last build failed, if it has."""
    build = own().build
    if build is None or build.state != "failed":
        return False
    data_wording.problem(title, build.error)
    return True


def dismiss() -> None:
    """Forget the last build and empty the form (a callback); its dataset stays."""
    held = own()
    if held.workspace is not None:
        held.workspace.let_go()
    held.build, held.round = None, held.round + 1
    held.known, held.leave_out, held.refused = {}, set(), ""


def start(options: IngestOptions) -> None:
    """Begin an ingest in this session's folder, unless a build is under way."""
    space = workspace()

    def task(folder: Path, tell: Tell, cancel: threading.Event) -> dict[str, Any]:
        _, report = ingest(replace(options, spill=space.spill, out=folder), tell, cancel)
        return report.to_json()

    begin(options.out.name, task)


def begin(name: str, task: Callable[[Path, Tell, threading.Event], dict[str, Any]]) -> None:
    """Begin making a dataset in this session's folder; what `task` returns has ``seconds``."""
    if running():
        return
    space, known, held = workspace(), session().datasets, own()
    folder, held.refused = space.datasets / name, ""

    def whole(tell: Tell, cancel: threading.Event) -> dict[str, Any]:
        report = task(folder, tell, cancel)
        known[name] = folder  # in the pickers at once, whatever page is open
        space.let_go()  # the raw uploads have done their duty, and so has what was read of them
        held.known = {}
        return report

    def said(refusal: ExplorerError) -> str:
        held.refused = refusal.code
        return data_wording.on_page(refusal)

    held.build = space.build = Kept(name, whole, said=said, unforeseen=_UNFORESEEN)


def share(now: Progress | None) -> tuple[float, str]:
    """Return the share done and where a build stands, in words."""
    if now is None:
        return 0.0, "starting …"
    left = now.seconds_left if now.fraction < 1 else None
    more = "" if left is None else f" · about {data_wording.duration(left)} left"
    return min(max(now.fraction, 0.0), 1.0), f"{now.stage} …{more}"

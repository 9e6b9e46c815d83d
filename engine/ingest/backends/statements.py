"""Running one statement of an engine under watch: progress, stop signal, faults retold.

An engine quotes the offending line in its messages. Nothing of a row may be shown or logged, so
its message is read for what kind of fault it is and dropped.
"""

import errno
import re
import shutil
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import ExplorerError, InputError
from ..inputs.sources import Source, shown
from ..progress import Monitor

_POLL_SECONDS = 0.1
_SMALL_DISK = 64_000_000
_LINE = re.compile(r"Line: (\d+)")
_QUOTE = "has a quote that is not closed, or lines that end in two ways"
_KINDS: tuple[tuple[str, str, str], ...] = (
    ("unicode", "is not in the encoding it seemed", "name its encoding, or save it as UTF-8"),
    ("not valid utf8", "holds text that is not UTF-8", "export it again as UTF-8"),
    ("utf-8", "is not in the encoding it seemed", "name its encoding, or save it as UTF-8"),
    ("line size", "has a line longer than 1,000,000 bytes", "check that it is a table"),
    ("expected number of columns", "has a row with too many or too few columns", "export it again"),
    ("unterminated", _QUOTE, "export it again"),
    ("quote", _QUOTE, "export it again"),
    ("gzip", "is a damaged gzip file", "export it again"),
    ("parquet", "is a damaged Parquet file", "export it again"),
)


_OF_A_CLUSTER: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        r"expired.?token|invalid.?token|token (is|has) expired|access.?denied|forbidden|kerberos|"
        r"accesscontrol|permission denied|status code: 40[13]|unauthenticated|invalidaccesskey",
        "was refused: a token, key or ticket is wrong or has expired",
        "renew it and start again; days that were added before are kept",
        ("conf",),
    ),
    (
        r"executor ?lost|lost executor|heartbeat timed out|fetchfailed|worker lost|lost task|"
        r"masters are unresponsive|sparkcontext (was|has been) (stopped|shut down)|unavailable|"
        r"cannot call methods on a stopped|connection (refused|reset)|failed to connect",
        "could not be counted: the cluster lost a worker, or can no longer be reached",
        "start again; days that were added before are kept",
        ("master",),
    ),
    (
        r"modulenotfounderror|no module named|cannot run program|python_version_mismatch",
        "has coordinates that the workers cannot place: their Python lacks this package",
        "install the same version of it there, and name their Python (PYSPARK_PYTHON)",
        (),
    ),
    (
        r"path_not_found|path does not exist|table_or_view_not_found|filenotfound|"
        r"no filesystem for scheme|unsupported ?filesystem|unknownhost",
        "is not there, or Spark knows no such file system or catalogue",
        "check the name, and the packages and settings of the cluster",
        ("conf",),
    ),
)
"""Faults of a cluster, by what its messages say."""


def watched(
    work: Callable[[], Any],
    monitor: Monitor,
    sources: Sequence[Source],
    share: Callable[[], float],
    interrupt: Callable[[], None],
    spill: Path | None = None,
) -> Any:
    """Do `work` in a thread of its own and return its result.

    Meanwhile the monitor hears of the `share` done. If it raises (cancelled, Ctrl-C), `interrupt`
    stops the engine before the exception goes on.
    """
    outcome: dict[str, Any] = {}
    # an event, not the thread's own state: that is wrong after a Ctrl-C during a join
    ended = threading.Event()

    def run() -> None:
        try:
            outcome["result"] = work()
        except BaseException as error:
            outcome["error"] = error
        finally:
            ended.set()

    threading.Thread(target=run, name="ingest-statement").start()
    try:
        over = False
        while not over:
            over = ended.wait(_POLL_SECONDS)
            monitor.update(share())
    except BaseException:
        while not ended.wait(_POLL_SECONDS):
            interrupt()
        raise
    if "error" in outcome:
        raise of_engine(outcome["error"], sources, spill) from None
    return outcome["result"]


def of_engine(
    error: BaseException, sources: Sequence[Source], spill: Path | None = None
) -> ExplorerError:
    """Return what `error` means for the person, naming the file where it can be told."""
    message = str(error)
    lowered = message.lower()
    if "no space left" in lowered or is_disk_full(error):
        return disk_full()
    if "max_temp_directory_size" in lowered or "temp directory" in lowered:
        if spill is not None and shutil.disk_usage(spill).free < _SMALL_DISK:
            return disk_full()
        return InputError(
            "the spill folder reached its limit",
            remedy="allow it, or the memory, more",
            code="spill-limit",
            settings=("spill_limit", "memory"),
        )
    if "out of memory" in lowered or "could not allocate" in lowered:
        return InputError(
            "the memory limit is too small for this table",
            remedy="raise it, or name a spill folder with space",
            code="memory-limit",
            settings=("memory", "spill"),
        )
    file = next((s.name for s in sources if str(s.path) in message), None)
    place = file or (sources[0].name if len(sources) == 1 else f"one of {len(sources)} inputs")
    if type(error).__module__.split(".")[0] in ("pyspark", "py4j", "grpc"):
        for words, fault, remedy, settings in _OF_A_CLUSTER:
            if re.search(words, lowered):
                return InputError(
                    f"{place} {fault}", remedy=remedy, code="cluster", settings=settings
                )
    line = _LINE.search(message)
    where = f" (line {int(line.group(1)):,})" if line else ""
    for word, fault, remedy in _KINDS:
        if word in lowered:
            return InputError(f"{place} {fault}{where}; {remedy}")
    return InputError(
        f"{place} cannot be read{where} ({type(error).__name__}); check the file, or export it "
        "again"
    )


def disk_full() -> ExplorerError:
    """Return the error of a full disk."""
    return InputError(
        "the disk is full; nothing was written",
        remedy="free some space, or name folders on another disk",
        code="disk-full",
        settings=("out", "spill"),
    )


def is_disk_full(error: BaseException) -> bool:
    """Whether `error` says that no space is left."""
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def of_files() -> Generator[None]:
    """Turn errors of the file system into messages: a full disk, a folder that is not ours."""
    try:
        yield
    except OSError as error:
        if is_disk_full(error):
            raise disk_full() from None
        place = shown(Path(str(error.filename)).name) if error.filename else "a file"
        raise InputError(
            f"'{place}' cannot be read or written ({error.strerror or type(error).__name__}); "
            "check that the path exists and is yours"
        ) from None

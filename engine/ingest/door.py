"""One door for whatever a reader or an engine raises.

A message of a library may quote the offending line: it is read for what kind of fault it is, and
dropped.
"""

import errno
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..errors import ExplorerError, InputError

_LINE = re.compile(r"Line: (\d+)")
_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"unicode|not valid utf8|utf-8", "is not in the encoding it seemed", "name its encoding"),
    (r"line size", "has a line that is far too long", "check that it is a table"),
    (r"expected number of columns", "has a row with too many or too few columns", "mend it"),
    (r"quote|unterminated", "has a quote that is not closed", "export it again"),
    (
        r"gzip|parquet|compressed file|crc check|zip file",
        "is a damaged gzip, zip or Parquet file",
        "export it again",
    ),
)
_FAULTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (r"no space left", "the disk is full", "free some space", ("out", "spill")),
    (
        r"max_temp_directory_size|temp directory",
        "the spill folder reached its limit",
        "allow the memory more",
        ("memory",),
    ),
    (
        r"out of memory|could not allocate|outofmemory",
        "the memory limit is too small for this table",
        "raise it, or name a spill folder with space",
        ("memory", "spill"),
    ),
)
_OF_A_CLUSTER: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        r"executor ?lost|lost (executor|task)|fetchfailed|sparkcontext (was|has been)|refused|"
        r"masters are unresponsive|connection reset",
        "the cluster lost its workers, or cannot be reached",
        "start again",
        ("master",),
    ),
    (
        r"path_not_found|table_or_view_not_found|filenotfound|no filesystem|unsupported ?filesystem"
        r"|access ?denied|forbidden|accesscontrol|status code: 40",
        "Spark knows no such file or table, or was refused it",
        "check the name and the settings of the cluster",
        ("conf",),
    ),
)


@contextmanager
def door(file: str = "") -> Generator[None]:
    """Let nothing out but errors fit for a person: whatever a library raises names its kind."""
    try:
        yield
    except (ExplorerError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise told(error, file) from None


def told(error: BaseException, file: str, names: Mapping[str, str] | None = None) -> ExplorerError:
    """Return what an error of a library means for a person, without a word of its own."""
    message = str(error)
    for path, name in (names or {}).items():
        if path in message:
            file, message = name, message.replace(path, "")
    message = message.lower()
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        message = "no space left"
    of_spark = type(error).__module__.split(".")[0] in ("pyspark", "py4j")
    for words, fault, remedy, settings in (*_FAULTS, *(_OF_A_CLUSTER if of_spark else ())):
        if re.search(words, message):
            return InputError(f"{fault}; nothing was written", remedy=remedy, settings=settings)
    if isinstance(error, OSError) and error.filename:
        return InputError(
            f"'{Path(str(error.filename)).name}' cannot be read or written "
            f"({error.strerror or type(error).__name__})",
            remedy="check that the path exists and is yours",
        )
    line = _LINE.search(str(error))
    where = f" (line {int(line.group(1)):,})" if line else ""
    name = file or "the input"
    for words, fault, remedy in _KINDS:
        if re.search(words, message):
            return InputError(f"{name} {fault}{where}; {remedy}")
    return InputError(
        f"{name} cannot be read{where} ({type(error).__name__}); check it, or export it again"
    )

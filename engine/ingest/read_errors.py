"""Errors of readers and engines, translated to the kind of fault.

A message of a library may quote the offending line: only its kind of fault is used, the rest is
dropped.
"""

import errno
import json
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..errors import ExplorerError, InputError

_LINE = re.compile(r"Line: (\d+)")
_TOLD = json.loads(Path(__file__).with_name("faults.json").read_text("utf-8"))
"""Meanings of words in a message, in the order of the search."""


@contextmanager
def translate_errors(file: str = "") -> Generator[None]:
    """Replace any error of a library by one fit for a person, which names its kind."""
    try:
        yield
    except (ExplorerError, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:
        raise explain_error(error, file) from None


def explain_error(
    error: BaseException, file: str, names: Mapping[str, str] | None = None
) -> ExplorerError:
    """Return the error of a library in words for a person, without its own text."""
    message = str(error)
    for path, name in (names or {}).items():
        if path in message:
            file, message = name, message.replace(path, "")
    message = message.lower()
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT):
        message = "no space left"
    if isinstance(error, MemoryError):
        message = "out of memory"
    of_spark = type(error).__module__.split(".")[0] in ("pyspark", "py4j")
    for meant in (*_TOLD["faults"], *(_TOLD["of_a_cluster"] if of_spark else ())):
        if re.search("|".join(meant["words"]), message):
            fault, settings = f"{meant['fault']}; nothing was written", tuple(meant["settings"])
            return InputError(fault, remedy=meant["remedy"], settings=settings)
    if isinstance(error, OSError) and error.filename:
        return InputError(
            f"'{Path(str(error.filename)).name}' cannot be read or written "
            f"({error.strerror or type(error).__name__})",
            remedy="check that the path exists and is yours",
        )
    line = _LINE.search(str(error))
    where = f" (line {int(line.group(1)):,})" if line else ""
    name = file or "the input"
    for meant in _TOLD["of_a_file"]:
        if re.search("|".join(meant["words"]), message):
            return InputError(f"{name} {meant['fault']}{where}", remedy=meant["remedy"])
    return InputError(
        f"{name} cannot be read{where} ({type(error).__name__})",
        remedy="check it, or export it again",
    )

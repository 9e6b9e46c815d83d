"""What a person sees when a page fails: what happened and what to do, never a word of the data.

Streamlit's own box for errors offers to ask a search engine about them, and its log repeats the
message, in which a library may quote what it was given.
"""

import logging
import traceback
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import streamlit as st

from engine.errors import ExplorerError
from engine.text.numbers import make_inert
from pages._ui.app.streamlit_internals import ERROR_LOGGER, DeltaGenerator

_log = logging.getLogger(__name__)

_UNEXPECTED = (
    "**This part could not be drawn.** Nothing was changed or published. Change a setting, "
    "choose another dataset or press Reset. If the error stays, the server's log names the place "
    "({where})."
)
_NO_MEMORY = (
    "**Not enough memory.** Choose a dataset with fewer zones, or rebuild yours with coarser "
    "zones on the Data page."
)


@contextmanager
def catch_errors(place: DeltaGenerator | None = None) -> Generator[None]:
    """Draw what stands inside; where it fails say so, at `place` if given, and go on after it.

    As a decorator it guards a fragment, which runs by itself.
    """
    try:
        yield
    except Exception as error:
        show_error(error, place)


def run_action(act: Callable[..., None], *arguments: Any) -> None:
    """Do what a button says, and draw the page anew; where it cannot be done say so."""
    try:
        act(*arguments)
    except ExplorerError as problem:
        st.error(make_inert(str(problem), None))
    else:
        st.rerun()


def handle_uncaught(error: Exception) -> bool:
    """Show an error that no page caught, such as one of a pressed button.

    Streamlit asks this before its own box, which then stays away.
    """
    show_error(error)
    return True


def silence_streamlit() -> None:
    """Keep Streamlit from writing such an error into the log, with its message; `log` writes."""
    logging.getLogger(ERROR_LOGGER).addFilter(lambda record: not record.exc_info)


def log(error: Exception) -> str:
    """Write into the log where an error happened, but not its message, and return the place."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    where = type(error).__name__ + (f", {Path(last.filename).name}:{last.lineno}" if last else "")
    _log.error("drawing failed with %s\n%s", where, "".join(traceback.format_list(frames)))
    return where


def show_error(error: Exception, place: DeltaGenerator | None = None) -> None:
    """Show an error and its remedy, and log its place without the message."""
    if isinstance(error, ExplorerError):
        message = make_inert(str(error), None)  # says rule, value and remedy, no row of data
        words = f"**This cannot be shown.** {message}"
    elif isinstance(error, MemoryError):
        words = _NO_MEMORY
    else:
        words = _UNEXPECTED.format(where=log(error))  # neither page nor log repeat the message
    (st if place is None else place).error(words, icon=":material/error:")

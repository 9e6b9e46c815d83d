"""Long work on a page: a session's jobs by name, drawn again until they have ended."""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._ui.jobs.pool import Job, pool
from pages._ui.jobs.work import Ask, Step
from pages._ui.shell.catalogue import in_session
from pages._ui.shell.problems import guarded
from pages._ui.shell.session import session

RESTED_S = 0.4
"""How long a slider has rested before work starts that only adds to what is shown already."""

QUIET_S = 4.0
"""How long a page is left alone before it is run again only to end the asking."""

POLL_S, _LONGEST_POLL_S = 0.7, 5.0
"""How often a page asks a running job, alone and with very many others."""

_SESSIONS_AT_EASE = 6
"""With more sessions that wait at once, each asks less often: asking takes the pages' time."""

_AT_ONCE_S = 0.2
"""A job done within this time is drawn without any sign of progress."""


def job(
    name: str, function: Callable[..., Iterator[Step]], *arguments: Hashable, delay_s: float = 0.0
) -> Job:
    """Return this session's job of that name; other arguments leave it and ask for another.

    Parameters
    ----------
    name : str
        One job of a name runs at a time.
    function : callable
        At the top of a module; called in another process, it yields `Step`. It reads datasets by
        their keys and calls none of Streamlit's elements.
    *arguments : hashable
        Keys of datasets, settings and seed. Whoever asks the same gets the same.
    delay_s : float
        How long to leave the processor to the page before the first step.
    """
    ask = Ask(function, arguments)
    known = named(name)
    if known is not None and known.signature == ask and not known.left:
        return known
    context = get_script_run_ctx(suppress_warning=True)
    session_id = "" if context is None else context.session_id
    shared = not in_session(*arguments)
    asked = pool().join(ask, session_id, context, shared=shared, delay_s=delay_s)
    if known is not None:
        known.leave()
    session().jobs[name] = asked
    if not delay_s:
        asked.wait(_AT_ONCE_S)
    return asked


def named(name: str) -> Job | None:
    """Return this session's job of that name, None where there is none yet."""
    return session().jobs.get(name)


def poll_s() -> float:
    """Return how often a page should ask now, in seconds."""
    return min(POLL_S * max(1.0, pool().sessions / _SESSIONS_AT_EASE), _LONGEST_POLL_S)


def live(name: str, work: Job, draw: Callable[[Job], None]) -> None:
    """Draw a job here, again and again until it has ended; the rest of the page stays free.

    Streamlit ends the asking with a run of the whole page alone. It waits until nobody moves
    anything: else it would come just when the next numbers are wanted, which end it as well.
    """
    polling, since = work.running, time.monotonic()

    def part() -> None:
        # the key lets the style keep what is shown from fading at each asking
        with st.container(key=f"job_live_{name}"):
            draw(work)
        resumed = work.running and not polling
        rested = time.monotonic() - since > QUIET_S
        if resumed or (polling and not work.running and rested):
            st.rerun()  # a part cannot change how often it runs

    st.fragment(guarded(part), run_every=poll_s() if polling else None)()


def follow(name: str, work: Job, draw: Callable[[Job], None]) -> None:
    """Draw a job here again and again while it runs; afterwards as any other part of the page.

    A part of its own would be sent again by every move of a slider.
    """
    if work.running:
        live(name, work, draw)
    else:
        draw(work)


def progress(work: Job, what: str, name: str) -> None:
    """Draw progress and a cancel button while the job runs, or how it ended if it was cut short."""
    if work.state == "failed":
        st.error(work.error)
        return
    if work.state == "finished":
        return
    share = work.step.done / work.step.total if work.step and work.step.total else 0.0
    done = f"{work.step.done:,} of {work.step.total:,}" if work.step else "starting"
    if work.running:
        press = Press("Cancel", f"job_cancel_{name}", work.cancel)
        bar(share, f"{what}: {done} …", press)
    else:
        press = Press("Continue", f"job_continue_{name}", work.resume)
        bar(share, f"{what}: stopped at {done}; partial results shown.", press)


@dataclass(frozen=True)
class Press:
    """A button beside a bar of progress."""

    label: str
    key: str
    on_click: Callable[[], None]
    disabled: bool = False


def bar(share: float, text: str, press: Press) -> None:
    """Draw how far some work is, and the button beside it: alike for all long work."""
    left, right = st.columns([7, 1], vertical_alignment="bottom")
    left.progress(share, text=text)
    right.button(
        press.label,
        key=press.key,
        on_click=press.on_click,
        disabled=press.disabled,
        width="stretch",
    )

"""Long work on a page: a session's jobs by name, drawn again until they have ended.

Streamlit's own timer of a part ends only with a run of the whole page, which comes in the way of
whoever moves a slider just then: here the browser asks for the part alone, and stops by itself.
"""

from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._ui.jobs.pool import Job, pool
from pages._ui.jobs.work import Ask, Step
from pages._ui.shell.catalogue import in_session
from pages._ui.shell.problems import guarded
from pages._ui.shell.session import session

RESTED_S = 0.4
"""How long a slider has rested before work starts that only adds to what is shown already."""

POLL_S, _LONGEST_POLL_S = 0.7, 5.0
"""How often a page asks a running job, alone and with very many others."""

_SESSIONS_AT_EASE = 6
"""With more sessions that wait at once, each asks less often: asking takes the pages' time."""

_AT_ONCE_S = 0.2
"""A job done within this time is drawn without any sign of progress."""

_JOBS, _ASKED = "jobs", "jobs_asked"
_SCRIPT = """
export default function ({ data, setTriggerValue }) {
  // of two parts that ask in the same moment one is answered: the other asks again
  const ask = () => setTriggerValue("again", data.turn);
  const timer = setInterval(ask, data.ms * (0.9 + 0.2 * Math.random()));
  return () => clearInterval(timer);
}
"""


def job(
    name: str,
    function: Callable[..., Iterator[Step]],
    *arguments: Hashable,
    delay_s: float = 0.0,
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
        The dataset's key first, then settings and seed. Whoever asks the same gets the same.
    delay_s : float
        How long to leave the processor to the page before the first step.
    """
    ask = Ask(function, arguments)
    known = named(name)
    if known is not None and known.signature == ask and not known.left:
        return known
    context = get_script_run_ctx(suppress_warning=True)
    session = "" if context is None else context.session_id
    shared = not (arguments and isinstance(arguments[0], str) and in_session(arguments[0]))
    asked = pool().join(ask, session, context, shared=shared, delay_s=delay_s)
    if known is not None:
        known.leave()
    st.session_state.setdefault(_JOBS, {})[name] = asked
    if not delay_s:
        asked.wait(_AT_ONCE_S)
    return asked


def named(name: str) -> Job | None:
    """Return this session's job of that name, None where there is none yet."""
    return st.session_state.get(_JOBS, {}).get(name)


def poll_s() -> float:
    """Return how often a page should ask now, in seconds."""
    return min(POLL_S * max(1.0, pool().sessions / _SESSIONS_AT_EASE), _LONGEST_POLL_S)


def live(name: str, work: Job, draw: Callable[[Job], None]) -> None:
    """Draw a job here, again and again until it has ended; the rest of the page is left alone."""
    before = session().changes

    def part() -> None:
        if session().changes != before:
            st.rerun()  # a slider moved in the moment of asking: the browser sent both as one
        # the key lets the style keep what is shown from fading at each asking
        with st.container(key=f"job_live_{name}"):
            draw(work)
        if work.running:
            _ask_again(name)

    st.fragment(guarded(part))()


def _ask_again(name: str) -> None:
    """Have the browser ask for the part at hand once more, in a moment."""
    turn = st.session_state.get(_ASKED, 0) + 1
    st.session_state[_ASKED] = turn
    _asking()(
        key=f"job_ask_{name}",
        height=0,
        on_again_change=lambda: None,  # without one the browser's word does not come back
        data={"turn": turn, "ms": round(1000 * poll_s())},
    )


@cache
def _asking() -> Any:
    return st.components.v2.component("mobility_job", html="<i></i>", js=_SCRIPT)


def progress(work: Job, what: str, name: str) -> None:
    """Draw progress and a cancel button while the job runs, or how it ended if it was cut short."""
    if work.state == "failed":
        st.error(work.error)
        return
    if work.state == "finished":
        return
    share = work.step.done / work.step.total if work.step and work.step.total else 0.0
    done = f"{work.step.done:,} of {work.step.total:,}" if work.step else "starting"
    bar, button = st.columns([7, 1], vertical_alignment="bottom")
    if work.running:
        bar.progress(share, text=f"{what}: {done} …")
        button.button("Cancel", key=f"job_cancel_{name}", on_click=work.cancel, width="stretch")
    else:
        bar.progress(share, text=f"{what}: stopped at {done}; partial results shown.")
        button.button("Continue", key=f"job_continue_{name}", on_click=work.resume, width="stretch")

"""Simulated datasets that are too large to ship: made on this computer when first asked for."""

import threading
import time
from dataclasses import dataclass
from datetime import timedelta

import streamlit as st

from engine import datasets, synthetic
from engine.ingest import Cancelled
from engine.synthetic.catalogue import ON_FIRST_USE
from pages._ui.data import store as data_store, table as data_table, wording as data_wording
from pages._ui.jobs.kept import Kept, Tell, follow_kept
from pages._ui.wording.numbers import file_size

_HEADING = "Simulated, made on first use"
_LICENCE = "MIT; outlines from Natural Earth, public domain"
_ESTIMATE_FROM = 0.02


@dataclass(frozen=True)
class Cost:
    """What making a dataset was measured to take on two cores."""

    minutes: int
    size_bytes: float


COSTS = {"afghanistan-2020-districts": Cost(minutes=7, size_bytes=41e6)}

_works: dict[str, Kept] = {}  # of this computer, not of a session: nobody makes one twice at once
_lock = threading.Lock()


def draw() -> None:
    """Draw the datasets that can be made; only where the page is served to this computer alone."""
    there = datasets.available()
    absent = [name for name in ON_FIRST_USE if name not in there]
    if not absent or not data_store.served_locally():
        return
    st.subheader(_HEADING, anchor=False)
    for name in absent:
        with st.container(border=True):
            _offer(name)


def start(name: str) -> None:
    """Begin to make a dataset, unless somebody has (a callback)."""

    def task(tell: Tell, cancel: threading.Event) -> None:
        began: list[tuple[float, float]] = []

        def progress(share: float) -> None:
            if cancel.is_set():  # finished days are kept, the next run goes on from there
                raise Cancelled("making the dataset was stopped; finished days are kept")
            began[:1] = began[:1] or [(share, time.monotonic())]
            tell((share, _seconds_left(share, *began[0])))

        synthetic.ensure(name, progress)

    with _lock:
        known = _works.get(name)
        if known is None or known.state != "running":
            _works[name] = Kept(
                name, task, said=data_wording.on_page, unforeseen=data_wording.unexpected
            )


def _offer(name: str) -> None:
    st.html(data_table.table_html([_cells(name)]))
    work = _works.get(name)
    if work is not None and work.state == "running":
        follow_kept(work, _progress, title=f"Making {name}", stop="Stop", key=f"data_make_{name}")
        st.caption("It goes on while you look at other pages. What is done is kept if you stop it.")
        return
    if work is not None and work.state == "failed":
        data_wording.problem("Cannot be made", work.error)
    if work is not None and work.state == "cancelled":
        st.caption("Stopped; it will go on from where it was.")
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.button(
            "Make it",
            icon=":material/play_arrow:",
            key=f"data_make_{name}",
            on_click=start,
            args=(name,),
        )
        st.caption(
            f"About {COSTS[name].minutes} minutes and "
            f"{file_size(COSTS[name].size_bytes)} on this computer, once."
        )


def _cells(name: str) -> list[str]:
    spec, _level = ON_FIRST_USE[name]  # the fine one: coarse levels are small enough to ship
    last_day = spec.first_day + timedelta(days=spec.days - 1)
    return [
        data_table.named(name, spec.description, spec.source, _LICENCE),
        data_table.cell(f"{spec.people:,}", "simulated"),
        data_table.cell(
            f"{spec.days:,}",
            f"{data_table.day(spec.first_day)} to {data_table.day(last_day)}, {spec.time_zone}",
        ),
        data_table.cell(f"{spec.plan.fine:,}", f"{spec.plan.fine_word}s"),
        data_table.cell("trips", ""),
        data_table.cell(file_size(COSTS[name].size_bytes), "about"),
    ]


def _progress(state: tuple[float, float | None] | None) -> tuple[float, str]:
    share, left = state or (0.0, None)
    words = f"{share:.0%} done" if state else "placing people …"
    if left is not None and share < 1:
        words += f" · about {data_wording.duration(left)} left"
    return min(max(share, 0.0), 1.0), words


def _seconds_left(share: float, first_share: float, began: float) -> float | None:
    """Estimate from what this run did, not from what an earlier one had left."""
    done = share - first_share
    if done < _ESTIMATE_FROM:
        return None
    return (time.monotonic() - began) * (1 - share) / done

"""Density page: which zones can be used, against ε, at the time that is set."""

from collections.abc import Sequence

import streamlit as st

from engine.resolution import Detail, finest_usable, folder_of, resolution_of
from engine.steps import GOOD_SHARE
from pages._ui import jobs
from pages._ui.cache import details as cached_details
from pages._ui.cache.details import DENSITY_EPSILONS
from pages._ui.density.settings import Chosen
from pages._ui.drawing.details import detail_chart
from pages._ui.jobs import Job
from pages._ui.shell.session import picked, session
from pages._ui.shell.setting import nearest_stop
from pages._ui.shell.settings import use_settings
from pages._ui.wording.labels import HOUR_STEPS
from pages._ui.wording.places import counted_words, detail_words

_KEY, _JOB = "density_detail", "density_details"


def draw(chosen: Chosen) -> None:
    """Draw the sentence and the picture; a click sets zones and ε."""
    now = resolution_of(chosen.key)
    fixed = chosen.vary(epsilon=1.0)
    work = jobs.job(
        _JOB, cached_details.density, folder_of(chosen.key), fixed, now.hours, chosen.seed
    )

    def show(running: Job) -> None:
        jobs.progress(running, "Releases judged", _JOB)
        judged: Sequence[Detail] = running.result or ()
        if not judged:
            return
        stop = nearest_stop(chosen.epsilon, DENSITY_EPSILONS)
        at = DENSITY_EPSILONS.index(stop)
        known = [one for one in judged if len(one.usable) > at]
        best = finest_usable(known, at)
        finer = [one for one in known if best is None or one.zones > best.zones]
        st.markdown(
            f"At ε = {stop:g}, **{HOUR_STEPS[now.hours].lower()}** – {detail_words(best, finer)}."
        )
        names = {counted_words(one): one.resolution.zones for one in judged}
        session().details[_KEY] = dict(names)
        detail_chart(
            [(counted_words(one), one.shares, one.usable) for one in judged],
            DENSITY_EPSILONS,
            (next((name for name, zones in names.items() if zones == now.zones), ""), stop),
            what="Usable zones",
            key=_KEY,
            alt_text="Share of usable zones by detail and epsilon",
            on_select=_take,
        )
        st.caption(
            f"Blue: at least {GOOD_SHARE:.0%} of the zones with visits are usable in the draw on "
            "the page. Red frame: the nearest to where you are. Click a cell to set zones and ε; "
            "the time is set in the sidebar. The picture is made from the confidential data: "
            "choosing a resolution here leaks a little about the data."
        )

    jobs.live(_JOB, work, show)


def _take() -> None:
    """Set what was clicked (the chart's callback)."""
    clicked = picked(_KEY, "detail")
    if clicked:
        zones = session().details[_KEY][clicked[0]["detail"]]
        use_settings(epsilon=float(clicked[0]["value"]), density_zones=zones)

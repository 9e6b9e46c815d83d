"""What is released: the setting as home judged it, its plan, and what stands against it."""

from dataclasses import replace

import streamlit as st

from engine import report, use as engine_use
from engine.contract import Seen, Setting, When
from engine.errors import ExplorerError
from engine.release import WAYS, Plan, plan as planned_of, warnings, words
from engine.release.bars import LEVEL
from engine.release.statement import bar
from engine.report import Budget, ReportParameters
from pages._ui.cache import datasets as cached_datasets, scope as cached_scope, verbs
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.drawing.tables import table_html
from pages._ui.release.words import LEAK
from pages._ui.shell import dates, setting as settings_of, sidebar
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session
from pages._ui.shell.settings import current, has_part, use_settings

FLOWS, DENSITY, REPORT = "Origin–destination", "Density", "Mobility report"
DAYS = "release_days"
TRIPS = settings_of.stop("report_trips", report.STOPS, 20)
_STEPS = {"day": "day", "week": "week", "period": "whole"}


def ask() -> tuple[Setting, Entry] | None:
    """Draw the choice of a product; return its setting, or say what the dataset lacks for it."""
    name = settings_of.views("release_product", [FLOWS, DENSITY, REPORT], label="What to release")
    part = "density" if name == DENSITY else "trips"
    sidebar.draw(
        density=part == "density",
        trips=part == "trips",
        epsilon=True,
        noise=False,
        od_method=name == FLOWS,
        resolution=True,
    )
    now = current(resolution=True)
    entry = now.density_data if part == "density" else now.od_data
    if entry is None or not has_part(entry, part):
        st.info("This dataset has nothing of the kind to release: choose another in the sidebar.")
        return None
    zones = "zones" if name == REPORT else entry.resolution.zones
    seen = Seen(dataset=entry.key.version, zones=zones)
    if name == DENSITY:
        return Setting(seen=seen, parameters=now.density()), entry
    if name == REPORT:
        return _report(seen, now.epsilon, entry)
    when = When(step=_STEPS["period" if now.unit == "person" else now.od_time], **_days(entry))
    parameters = now.trips(method=now.od_method)
    return Setting(seen=replace(seen, when=when), parameters=parameters), entry


def _days(entry: Entry) -> dict[str, int]:
    every = entry.key.finest
    last = len(cached_datasets.dataset(every).metadata.days) - 1
    fine = entry.at(every.resolution)
    first, end = dates.day_range(st, "Days to release", DAYS, fine, (0, last))
    return {} if (first, end) == (0, last) else {"first": first, "last": end}


def _report(seen: Seen, epsilon: float, entry: Entry) -> tuple[Setting, Entry] | None:
    key = entry.key.finest
    if not verbs.of(report.available, key):
        st.info(f"The dataset {entry.name} was made without the tables of a mobility report.")
        return None
    kept = settings_of.value(TRIPS)
    parameters = ReportParameters(
        epsilon=epsilon,
        max_trips_per_user=int(kept),
        budget=Budget.fitting(verbs.of(report.truth, key)),
    )
    return Setting(seen=seen, parameters=parameters), entry


def planned(setting: Setting, entry: Entry) -> Plan | None:
    """Return the plan; say what of the setting cannot be released, with what mends it."""
    if setting.parameters.method not in WAYS:
        st.error(
            f"The method {setting.parameters.method} adds noise that is no whole number: it is for "
            "exploring alone."
        )
        st.button(
            "Release the papers' scheme, one choice for all clusters",
            key="release_mend",
            on_click=use_settings,
            kwargs={"variant": "efpag_joint"},
        )
        return None
    try:
        return planned_of(setting, cached_datasets.dataset(entry.key.finest))
    except ExplorerError as problem:
        st.error(str(problem), icon=":material/error:")
        if not entry.resolution.finest:
            part = "density_zones" if setting.parameters.method in _DENSITY else "od_zones"
            st.button(
                "Take the dataset's own zones",
                key="release_mend",
                on_click=use_settings,
                kwargs={part: "zones"},
            )
        return None


_DENSITY = ("towers_laplace", "zoom", "efpag_joint")


def draw(plan: Plan, entry: Entry) -> None:
    """Draw what will be released, as home showed it, and what a reader would be misled by."""
    title, seen = words(plan, "title", "seen")
    simulated = " · simulated people: every file says so" if entry.metadata.simulated else ""
    st.markdown(f"**{title}** of **{entry.name}** · {seen}{simulated}")
    first, stage = plan.accuracy[0], plan.stages[0]
    cards.row(
        [
            Card("Noisy numbers", f"{plan.cells:,}", "", words(plan, "cells")[0]),
            Card(
                f"Error bar ({LEVEL:.0%})",
                f"± {bar(first.half_width)}",
                "by the law of the noise",
                f"Of {first.what}, after trimming.",
            ),
            Card("Noise", f"scale {stage.scale:.4g}", stage.noise, words(plan, "contribution")[0]),
        ]
    )
    _judge(plan, entry)
    with st.expander("Expected accuracy and bias", icon=":material/straighten:"):
        st.caption("From the noise alone: nothing in your data was looked at for this table.")
        rows = plan.accuracy
        columns = {
            "Number": [row.what for row in rows],
            "Kept size": ["" if row.size is None else f"{row.size:,}" for row in rows],
            f"{LEVEL:.0%} error bar": [f"± {bar(row.half_width)}" for row in rows],
            "Shown": [f"{row.shown:.1%}" for row in rows],
            "If shown, the bar holds it": [f"{min(row.holds, LEVEL):.1%}" for row in rows],
        }
        st.html(table_html(columns))
        st.markdown(words(plan, "bias")[0])


def warn(plan: Plan) -> None:
    """Draw the warnings that follow from the law of the noise, in full."""
    for text in warnings(plan):
        st.warning(text, icon=":material/warning:")


def _judge(plan: Plan, entry: Entry) -> None:
    """Say of 100 trips or visits how many are where they were: of real people when it is asked."""
    if plan.product == "report":
        return
    name = entry.name
    if not entry.metadata.simulated and not st.toggle(
        "Judge it by the data, as home does",
        key=f"release_judge_{name}",  # off for every other dataset
        help=LEAK,
        on_change=session().judged.add,  # before what the statement says of it is drawn
        args=(name,),
    ):
        return
    known = use_of(plan.setting, entry.key.finest)
    what = "trips" if plan.of_flows else "visits"
    st.markdown(
        f"Of 100 {what}{_crossing(known)}, **{100 * known.share:.0f}** are where they really were."
    )
    if not entry.metadata.simulated:
        st.warning(LEAK, icon=":material/policy:")


def _crossing(known: engine_use.Use) -> str:
    return (
        "" if known.crossing == 1 else f" that cross zones ({100 * known.crossing:.0f} in 100 do)"
    )


@cached_scope.resource(max_entries=16, show_spinner="Reading the data …")
def use_of(setting: Setting, key: object) -> engine_use.Use:
    """Return the use of a setting, the same number as on home."""
    dataset = cached_datasets.dataset(key)
    return engine_use.use(setting, dataset, seed=0 if dataset.metadata.simulated else None)


def with_trips(plan: Plan, trips: int | None) -> Plan:
    """Return the plan with the number of trips that the custodian states."""
    return replace(plan, trips=trips)

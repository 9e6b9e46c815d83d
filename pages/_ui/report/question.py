"""What a person asks of a report: its dataset, who is protected, the budget and the bins."""

from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from engine import report as engine_report
from engine.errors import ParameterError
from engine.report import (
    HISTOGRAMS,
    STOPS,
    USER_ANALYSES,
    Analysis,
    Bins,
    Budget,
    ReportParameters,
    ReportTable,
    numbers,
)
from engine.report.bins import default_bins
from engine.report.measures import WINDOWS
from engine.resolution import Key
from pages._ui.cache import verbs
from pages._ui.report.wording import INSTEAD, LOSSES, METHODS, NO_REPORT, UNITS
from pages._ui.shell import catalogue, setting
from pages._ui.shell.catalogue import Entry
from pages._ui.shell.session import session, state
from pages._ui.shell.setting import Setting
from pages._ui.shell.settings import use_settings
from pages._ui.views.context import Context, of
from pages._ui.wording.numbers import inert

UNIT = setting.choice("report_unit", UNITS, "user")
TRIPS_KEPT = setting.stop("report_trips", STOPS, 20, label="M")
METHOD = setting.choice("report_preset", METHODS, "derived")
EXTREMES = setting.switch("report_extremes", default=False)
HOURS = Setting(key="report_hours", default=", ".join(map(str, WINDOWS)), read=str)
_SHOWN = list(LOSSES)
SHOWN_LOSSES: Setting[list[str]] = Setting(
    key="report_losses",
    default=["smape", "js_divergence"],
    read=lambda text: [_SHOWN[int(digit)] for digit in text],
    write=lambda names: "".join(str(_SHOWN.index(name)) for name in names),
)

WEIGHTS = (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)


def read() -> None:
    """Read what the link asks for, so that the sidebar can say what cannot be set."""
    setting.value(TRIPS_KEPT)


def ask(
    entry: Entry, epsilon: float
) -> tuple[Context[ReportParameters], Context[ReportParameters] | None]:
    """Draw the page's own settings in one row; return the report they make and the pinned one.

    Settings that do not work out are said and give way to the usual ones.
    """
    table = verbs.of(engine_report.truth, entry.key)
    place = st.grid(3, min_column_width=230, gap="medium")
    with place.cell():
        unit = setting.draw(
            st.selectbox,
            "Who is protected",
            UNIT,
            UNITS,
            help="One person with all trips of the period, or a single trip. Counts of people need "
            "the first: protecting single trips puts no bound on what a person with many reveals.",
        )
    with place.cell():
        kept = setting.draw(
            st.select_slider,
            "Trips kept per person (M)",
            TRIPS_KEPT,
            STOPS,
            disabled=unit == "item",
            help="At random, over the whole period. Noise grows with M, and what is left out "
            "shrinks. Choose it from public knowledge, never from the data.",
        )
    with place.cell():
        method = setting.draw(
            st.selectbox,
            "Budget",
            METHOD,
            METHODS,
            help="Weekdays are sums of days and totals are sums of bins: asking for them again "
            "spends twice. The package DpMobilityReport gives all fifteen analyses a share.",
        )
    parameters, problem = _parameters(table, epsilon, unit, int(kept), method)
    if problem:
        st.error(problem, icon=":material/error:")
    losses = partial(
        st.pills, options=_SHOWN, selection_mode="multi", format_func=LOSSES.__getitem__
    )
    setting.draw(losses, "Loss shown as", SHOWN_LOSSES)
    context, pinned = of(entry, parameters), _pinned(entry.key, parameters)
    return context, None if pinned is None else replace(context, parameters=pinned)


def weight_setting(analysis: Analysis, usual: float) -> Setting[float]:
    """Return the setting of an analysis's weight."""
    return setting.stop(f"report_weight_{analysis}", WEIGHTS, usual)


def lock_setting(analysis: Analysis) -> Setting[float]:
    """Return the setting of an analysis's locked share; 0 is not locked."""
    return setting.number(f"report_lock_{analysis}", 0.0, 0.0, 1.0)


def bins_setting(analysis: Analysis, kept: int) -> Setting[str]:
    """Return the setting of a histogram's bins, written ``from:to:width``."""
    usual = default_bins(analysis, kept)
    return Setting(key=f"report_bins_{analysis}", default=_written(usual), read=str)


def usual_weight(analysis: Analysis, unit: str, method: str, table: ReportTable) -> float:
    """Return the weight that an analysis has until a person changes it."""
    return Budget.fitting(table, "item" if unit == "item" else "user", method).weight(analysis)


def _parameters(
    table: ReportTable, epsilon: float, unit: str, kept: int, method: str
) -> tuple[ReportParameters, str]:
    usual = ReportParameters(
        epsilon=epsilon,
        max_trips_per_user=kept,
        unit=unit,
        method=method,
        budget=Budget.fitting(table, unit, method),
        ends="extremes" if setting.value(EXTREMES) else "percentiles",
    )
    try:
        weights = {
            str(a): setting.value(weight_setting(a, usual_weight(a, unit, method, table)))
            for a in Analysis
            if not (unit == "item" and a in USER_ANALYSES)
            and (table.has_travel_times or a is not Analysis.TRAVEL_TIME)
        }
        off = {str(a): 0.0 for a in Analysis if str(a) not in weights}
        held = {str(a): setting.value(lock_setting(a)) for a in Analysis}
        asked = usual.plan.asked
        locked = {name: share for name, share in held.items() if share > 0 and name in asked}
        budget = Budget.of(weights={**weights, **off}, locked=locked)
        chosen = replace(usual, budget=budget, bins=_bins(kept), windows=_windows())
        numbers(table, Analysis.ZONE_WINDOWS, chosen)  # older tables have the usual windows alone
        return chosen, ""
    except ParameterError as problem:
        return usual, f"{problem}. The usual settings are shown."


def _windows() -> tuple[int, ...]:
    text = setting.value(HOURS)
    try:
        return tuple(int(hour) for hour in text.split(","))
    except ValueError:
        raise ParameterError(
            f"time windows must be hours of the day, got {text!r}; write them as {HOURS.default}"
        ) from None


def _bins(kept: int) -> tuple[tuple[Analysis, Bins], ...]:
    chosen: list[tuple[Analysis, Bins]] = []
    for analysis in HISTOGRAMS:
        one = bins_setting(analysis, kept)
        text = setting.value(one)
        if text == one.default or not text.strip():
            continue
        try:
            low, high, width = (float(part) for part in text.split(":"))
        except ValueError:
            raise ParameterError(
                f"the bins of {analysis.label.lower()} must be three numbers, got {text!r}; "
                f"write them as {one.default}"
            ) from None
        chosen.append((analysis, Bins(minimum=low, maximum=high, width=width)))
    return tuple(chosen)


def _written(bins: Bins) -> str:
    return f"{bins.minimum:g}:{bins.maximum:g}:{bins.width:g}"


@dataclass
class Pinned:
    """The setting that others are compared with, behind the key of its dataset."""

    setting: tuple[Key, ReportParameters] | None = None


def _pinned(key: Key, parameters: ReportParameters) -> ReportParameters | None:
    held = state(Pinned).setting
    pinned = held[1] if held and held[0] == key else None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if pinned is None:
            st.button(
                "Pin this setting and compare",
                icon=":material/push_pin:",
                key="report_pin",
                on_click=_pin,
                args=(key, parameters),
                help="Keep these numbers in orange beside those of the next setting.",
            )
            return None
        unit = "a person" if pinned.unit == "user" else "a trip"
        m = f", M = {pinned.max_trips_per_user}" if pinned.unit == "user" else ""
        words = f"ε = {pinned.epsilon:g} for {unit}{m}, {METHODS[pinned.method].lower()}"
        st.button("Unpin", icon=":material/close:", key="report_unpin", on_click=_unpin)
        st.caption(f"Compared with the pinned setting (orange): {words}")
    return pinned


def _pin(key: Key, parameters: ReportParameters) -> None:
    state(Pinned).setting = (key, parameters)


def _unpin() -> None:
    state(Pinned).setting = None


def instead(entry: Entry) -> Entry | None:
    """Say that a dataset has no report and return a shipped one to show; None if it must stop.

    Simulated people of another place stand in for simulated people, and the page says so; the
    numbers of one's own data are never replaced by others.
    """
    able = [
        other
        for other in catalogue.entries().values()
        if other.has_trips and verbs.of(engine_report.available, other.key)
    ]
    offer = next((other for other in able if other.shipped), able[0] if able else None)
    stands_in = offer is not None and entry.metadata.simulated and offer.metadata.simulated
    text = NO_REPORT.format(name=inert(entry.name))
    if offer is not None and stands_in:
        text += INSTEAD.format(name=inert(offer.name))
    st.info(text)
    if offer is not None:
        st.button(
            f"Use {offer.name} on every page",
            key="report_use_offer",
            on_click=use_settings,
            kwargs={"od_data": offer.name},
        )
    if offer is None or not stands_in:
        return None
    session().stands_in = offer.name
    return offer

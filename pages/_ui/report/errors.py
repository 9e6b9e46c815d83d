"""Losses over repeated draws, the split of errors, and the M for a public guess."""

from collections.abc import Iterator

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

from engine.report import STOPS, Analysis, ReportParameters, TripsGuess, balance, summarised
from pages._ui import jobs
from pages._ui.cache import report as cached_report
from pages._ui.cache.draws import REPEATS
from pages._ui.drawing import tables
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE
from pages._ui.jobs import Job, Step
from pages._ui.report import controls
from pages._ui.report.block import Report
from pages._ui.report.wording import LOSSES, SHORT, small
from pages._ui.shell import setting
from pages._ui.shell.settings import Seed
from pages._ui.wording.numbers import number

_Drawn = dict[Analysis, cached_report.Losses]

_PEOPLE = setting.number("report_people", 50_000.0, 1.0, 1e9)
_MEAN = setting.number("report_mean_trips", 10.0, 0.1, 1e4)
_SPREAD = setting.number("report_spread_trips", 12.0, 0.1, 1e5)
_BALANCED = (Analysis.DAYS, Analysis.HOURS, Analysis.ZONES, Analysis.ZONE_WINDOWS, Analysis.FLOWS)


def draw(report: Report) -> None:
    """Draw the three tables of errors."""
    _losses(report)
    if report.chosen.parameters.unit == "user":
        places = st.grid(2, min_column_width=380, gap="large")
        with places.cell():
            _split(report)
        with places.cell():
            _guess(report)


def _losses(report: Report) -> None:
    st.markdown(f"**Losses over {REPEATS} draws**: median (5% to 95%)")
    chosen = report.chosen
    settings = tuple(one for one in (chosen.parameters, chosen.pinned) if one is not None)
    work = jobs.job("report", _steps, chosen.key, settings, chosen.seed, delay_s=jobs.RESTED_S)

    def part(job: Job) -> None:
        jobs.progress(job, "Draws", "report")
        if job.result:
            st.html(tables.table_html(_table(job.result)))

    jobs.live("report", work, part)


def _steps(key: str, settings: tuple[ReportParameters, ...], seed: Seed) -> Iterator[Step]:
    repeats: list[list[_Drawn]] = [[] for _ in settings]
    for repeat in range(REPEATS):
        for place, parameters in enumerate(settings):
            repeats[place].append(cached_report.repeated_losses(key, parameters, seed, repeat))
        yield Step(repeat + 1, REPEATS, [list(one) for one in repeats])


def _table(repeats: list[list[_Drawn]]) -> dict[str, list[str]]:
    shown = setting.value(controls.SHOWN_LOSSES)
    rows: list[dict[str, str]] = []
    for analysis in repeats[0][0]:
        row = {"Analysis": analysis.label}
        for words, drawn in zip(("", " (pinned)"), repeats, strict=False):
            if any(analysis not in one for one in drawn):
                continue
            summary = summarised([one[analysis] for one in drawn])
            for name in shown:
                if name in summary:
                    middle, low, high = summary[name]
                    row[LOSSES[name] + words] = _range(middle, low, high)
            if "relative_error" in summary and not words:
                row["Relative error of totals"] = _range(*summary["relative_error"])
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: [row.get(name, "–") for row in rows] for name in names}


def _range(middle: float, low: float, high: float) -> str:
    if middle != middle or middle == float("inf"):
        return small(middle)
    return f"{small(middle)} ({small(low)} to {small(high)})"


def _split(report: Report) -> None:
    st.markdown("**Where the error comes from**")
    chosen = report.chosen
    parts = cached_report.error_parts(chosen.key, chosen.parameters, chosen.seed)
    rows = [
        {"analysis": SHORT[a], "part": name, "share": value / max(one.together, 1e-12), "n": value}
        for a, one in parts.items()
        for name, value in (("left out (M)", one.bounding), ("noise", one.noise))
    ]
    chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_bar()
        .encode(
            y=alt.Y("analysis:N", sort=[SHORT[a] for a in parts], title=None),
            x=alt.X(
                "share:Q",
                title="Share of the mean absolute error",
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            color=alt.Color(
                "part:N",
                title=None,
                scale=alt.Scale(domain=["left out (M)", "noise"], range=[OTHER, PRIVATE]),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=[
                alt.Tooltip("analysis:N", title="Analysis"),
                alt.Tooltip("part:N", title="Part"),
                alt.Tooltip("n:Q", title="mean absolute error", format=",.1f"),
            ],
        )
        .properties(height=27 * len(parts) + 80)
    )
    st.altair_chart(chart, key="report_split", alt="Share of bounding and noise in each error")


def _guess(report: Report) -> None:
    st.markdown("**Which M?** A public guess is enough, and nothing is read from the data.")
    asked = [a for a in _BALANCED if a in report.chosen.parameters.plan.asked]
    if not asked:
        st.caption("No count of trips is asked.")
        return
    columns = st.columns(3)
    people = setting.draw(
        columns[0].number_input, "People", _PEOPLE, min_value=1.0, step=1000.0, format="%.0f"
    )
    mean = setting.draw(
        columns[1].number_input, "Trips a person", _MEAN, min_value=0.1, step=1.0, format="%.1f"
    )
    spread = setting.draw(
        columns[2].number_input, "Spread (sd)", _SPREAD, min_value=0.1, step=1.0, format="%.1f"
    )
    names = [str(a) for a in asked]
    name = setting.draw(
        st.selectbox,
        "For",
        setting.choice("report_balance", names, names[0]),
        names,
        format_func=lambda one: Analysis(one).label,
    )
    analysis = Analysis(name)
    params = report.chosen.parameters
    guess = TripsGuess(people=int(people), mean=float(mean), standard_deviation=float(spread))
    result = report.release.results[analysis]
    curve = balance(guess, result, params.max_trips_per_user)
    table = pd.DataFrame(
        {
            "M": list(curve.stops) * 3,
            "part": np.repeat(["left out", "noise", "together"], len(curve.stops)),
            "trips": [*curve.bounding, *curve.noise, *(curve.bounding + curve.noise)],
        }
    )
    lines = (
        alt.Chart(table)
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "M:Q",
                scale=alt.Scale(type="log", domain=[1, STOPS[-1]], nice=False),
                axis=alt.Axis(values=[1, 2, 5, 10, 20, 50, 100, 256], grid=False),
                title="Trips kept per person (M), log scale",
            ),
            y=alt.Y("trips:Q", title="Sum of absolute errors, trips", axis=alt.Axis(format="~s")),
            color=alt.Color(
                "part:N",
                title=None,
                scale=alt.Scale(
                    domain=["left out", "noise", "together"], range=[OTHER, PRIVATE, HERE]
                ),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=["M:Q", "part:N", alt.Tooltip("trips:Q", format=",.0f")],
        )
        .properties(height=300)
    )
    st.altair_chart(lines, key="report_guess", alt="Error left out and noise over M")
    st.caption(
        f"Least error over its {number(len(result.noisy))} numbers at **M = {curve.best}**; now "
        f"M = {params.max_trips_per_user}. Trips per person are taken as lognormal."
    )

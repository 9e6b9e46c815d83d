"""Losses over repeated draws, the split of errors, and the M for a public guess."""

from collections.abc import Iterator

import streamlit as st

from engine.report import STOPS, Analysis, ReportParameters
from engine.report.bounding import TripsGuess, balance
from engine.report.loss import summarised
from engine.resolution import Key
from pages._ui import jobs
from pages._ui.cache import report as cached_report, verbs
from pages._ui.cache.draws import REPEATS
from pages._ui.drawing import charts, tables
from pages._ui.drawing.charts import Axis, Mark
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE
from pages._ui.jobs import Job, Step
from pages._ui.report import question
from pages._ui.report.block import Report
from pages._ui.report.wording import LOSSES, SHORT, small
from pages._ui.shell import setting
from pages._ui.shell.settings import Seed
from pages._ui.wording.numbers import number

_Drawn = verbs.Losses

_PEOPLE = setting.number("report_people", 50_000.0, 1.0, 1e9)
_MEAN = setting.number("report_mean_trips", 10.0, 0.1, 1e4)
_SPREAD = setting.number("report_spread_trips", 12.0, 0.1, 1e5)
_BALANCED = (Analysis.DAYS, Analysis.HOURS, Analysis.ZONES, Analysis.ZONE_WINDOWS, Analysis.FLOWS)


def draw(report: Report) -> None:
    """Draw the three tables of errors."""
    _losses(report)
    if report.context.parameters.unit == "user":
        places = st.grid(2, min_column_width=380, gap="large")
        with places.cell():
            _split(report)
        with places.cell():
            _guess(report)


def _losses(report: Report) -> None:
    st.markdown(f"**Losses over {REPEATS} draws**: median (5% to 95%)")
    asked = report.context
    settings = tuple(one.parameters for one in (asked, report.pinned) if one is not None)
    work = jobs.job("report", _steps, asked.key, settings, asked.seed, delay_s=jobs.RESTED_S)

    def part(job: Job) -> None:
        jobs.progress(job, "Draws", "report")
        if job.result:
            st.html(tables.table_html(_table(job.result)))

    jobs.live("report", work, part)


def _steps(key: Key, settings: tuple[ReportParameters, ...], seed: Seed) -> Iterator[Step]:
    repeats: list[list[_Drawn]] = [[] for _ in settings]
    for repeat in range(REPEATS):
        for place, parameters in enumerate(settings):
            repeats[place].append(verbs.scores(key, parameters, seed, repeat=repeat))
        yield Step(repeat + 1, REPEATS, [list(one) for one in repeats])


def _table(repeats: list[list[_Drawn]]) -> dict[str, list[str]]:
    shown = setting.value(question.SHOWN_LOSSES)
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
    asked = report.context
    parts = cached_report.error_parts(asked.key, asked.parameters, asked.seed)
    together = [max(one.together, 1e-12) for one in parts.values()]
    marks = [
        Mark(
            name=name,
            values=[value / whole for value, whole in zip(values, together, strict=True)],
            colour=colour,
            written=[f"{value:,.1f} mean absolute error" for value in values],
        )
        for name, values, colour in (
            ("left out (M)", [one.bounding for one in parts.values()], OTHER),
            ("noise", [one.noise for one in parts.values()], PRIVATE),
        )
    ]
    charts.bars(
        [SHORT[analysis] for analysis in parts],
        charts.stacked(marks),
        of=charts.share("Share of the mean absolute error"),
        key="report_split",
        alt="Share of bounding and noise in each error",
    )


def _guess(report: Report) -> None:
    st.markdown("**Which M?** A public guess is enough, and nothing is read from the data.")
    asked = [a for a in _BALANCED if a in report.context.parameters.plan.asked]
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
    params = report.context.parameters
    guess = TripsGuess(people=int(people), mean=float(mean), standard_deviation=float(spread))
    result = report.release.results[analysis]
    curve = balance(guess, result, params.max_trips_per_user)
    charts.curve(
        charts.lines(
            {
                "left out": curve.bounding,
                "noise": curve.noise,
                "together": curve.bounding + curve.noise,
            },
            (OTHER, PRIVATE, HERE),
        ),
        x=curve.stops,
        at=Axis(
            title="Trips kept per person (M), log scale",
            kind="log",
            form="d",
            tip="d",
            domain=(1, STOPS[-1]),
            ticks=(1, 2, 5, 10, 20, 50, 100, 256),
        ),
        of=Axis(title="Sum of absolute errors, trips", tip=",.0f"),
        dots=True,
        key="report_guess",
        alt="Error left out and noise over M",
    )
    st.caption(
        f"Least error over its {number(len(result.noisy))} numbers at **M = {curve.best}**; now "
        f"M = {params.max_trips_per_user}. Trips per person are taken as lognormal."
    )

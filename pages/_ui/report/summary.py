"""What a report says in numbers: its size, what each analysis costs and loses, and M."""

import numpy as np
import streamlit as st

from engine.report import STOPS, Analysis
from engine.report.contribution_bounding import TripAssumption, compute_bounding_curve
from engine.report.scores import error_measures
from engine.text.numbers import number, percent
from pages._ui.components import charts, tables
from pages._ui.components.charts import Axis
from pages._ui.components.colours import HERE, OTHER, PRIVATE
from pages._ui.report.report_form import Report
from pages._ui.settings import fields

_MEASURES = {
    "common_part": "Common part",
    "relative_error": "Relative error",
    "smape": "SMAPE (0 to 2)",
    "js_divergence": "Jensen–Shannon",
    "earth_movers_distance": "Earth mover's distance",
    "top_10_coverage": "Found among the ten largest",
}


def draw(report: Report) -> None:
    """Draw the single numbers with their ranges, the truth beside them, and what is spent."""
    result = report.release.results.get(Analysis.SIZE)
    if result is not None:
        true, truncated = (report.count(Analysis.SIZE, is_truncated=cut) for cut in (False, True))
        reach = result.half_widths().round().astype(np.int64)
        names = ("Trips",) if len(result.noisy) == 1 else ("People who travel", "Trips")
        low, high = (
            [number(max(end, 0)) for end in ends]
            for ends in (result.noisy - reach, result.noisy + reach)
        )
        columns = {
            "": names,
            "With noise": [number(int(count)) for count in result.shown_numbers],
            "Range (95%)": [f"{a} to {b}" for a, b in zip(low, high, strict=True)],
            "True": [number(count) for count in true],
            "Kept": [number(count) for count in truncated],
        }
        tables.draw(columns)
    epsilon, shares = report.parameters.epsilon, report.parameters.charged_shares
    share = max(shares.values())
    st.caption(
        f"ε = {epsilon:g} for {report.release.cost.unit}, shared by {len(shares)} analyses: "
        f"{share * epsilon:.3g} each. Ranges cover the noise alone, in 95 of 100 draws. Trips "
        "beyond the limit M are the distance between true and kept."
    )


def draw_errors(report: Report) -> None:
    """Draw what each analysis loses in this draw, where it comes from, and which M."""
    heads = (
        "Analysis",
        "ε",
        "Noise (95%)",
        "Error from the limit M, mean",
        "Error from noise, mean",
        *_MEASURES.values(),
    )
    lines: list[tuple[str, ...]] = []
    for analysis, result in report.release.results.items():
        true, truncated = (report.count(analysis, is_truncated=cut) for cut in (False, True))
        means = np.abs(truncated - true).mean(), result.mean_absolute_noise().mean()
        bars = dict.fromkeys(number(float(bar)) for bar in result.half_widths())
        noise = f"± {' or '.join(bars) if len(bars) < 3 else 'by bin'}", *map(number, means)
        measures = error_measures(true, result.shown_numbers, analysis)
        lost = (_format_measure(key, measures.get(key)) for key in _MEASURES)
        price = f"{result.epsilon:.3g}" if result.epsilon else "derived from others"
        lines.append((analysis.label, price, *noise, *lost))
    tables.draw_rows(heads, lines)
    st.caption(
        "Common part (CPC): the harmonic mean of retained and genuine. Left out: mean "
        "|kept − true| of a number. Noise: its mean size by its law."
    )
    if report.parameters.unit == "user":
        _draw_limit_choice(report)


def _format_measure(name: str, value: float | None) -> str:
    if value is None or np.isnan(value):
        return "–"
    shares = "common_part", "relative_error", "top_10_coverage"
    return percent(value) if name in shares else f"{value:.3g}"


def _draw_limit_choice(report: Report) -> None:
    st.markdown("**Which M?** A public guess is enough. Nothing is read from the data.")
    counts = (Analysis.DAYS, Analysis.HOURS, Analysis.VISITS, Analysis.FLOWS)
    names = [str(analysis) for analysis in counts if analysis in report.release.results]
    if not names:
        st.caption("The report has no count of trips.")
        return
    columns = st.columns(4)
    people = columns[0].number_input(
        "People", 1, 10**9, 50_000, key="report_people", **fields.LINKED
    )
    numbers = (("Trips a person", 10.0, "report_mean_trips"), ("Spread", 12.0, "report_spread"))
    mean, spread = (
        column.number_input(name, 0.1, 1e5, start, key=key, **fields.LINKED)
        for column, (name, start, key) in zip(columns[1:3], numbers, strict=True)
    )
    name = columns[3].selectbox(
        "For", names, format_func=lambda text: Analysis(text).label, key="report_balance"
    )
    limit = report.parameters.max_trips_per_user
    guess = TripAssumption(people=people, mean=mean, standard_deviation=spread)
    curve = compute_bounding_curve(guess, report.release.results[Analysis(name)], limit)
    series = {"left out": curve.truncation_error, "noise": curve.noise_error}
    charts.draw_curve(
        charts.make_lines(
            series | {"together": curve.truncation_error + curve.noise_error},
            (OTHER, PRIVATE, HERE),
        ),
        x=STOPS,
        x_axis=Axis(title="Trips kept per person (M), log scale", kind="log", form="d", tip="d"),
        y_axis=Axis(title="Sum of absolute errors, trips", tip=",.0f"),
        key="report_guess",
        alt="Error left out and noise over M",
    )
    st.caption(
        f"Smallest error at **M = {curve.best_limit}**; current M = {limit}. Assumes that "
        "trips per person are lognormal."
    )

"""What a report says in numbers: its size, what each analysis costs and loses, and M."""

import numpy as np
import streamlit as st

from engine.report import STOPS, Analysis
from engine.report.contribution_bounding import TripAssumption, compute_bounding_curve
from engine.report.scores import error_measures
from pages._ui import state
from pages._ui.drawing import cards, charts, tables
from pages._ui.drawing.cards import Card
from pages._ui.drawing.charts import Axis
from pages._ui.drawing.colours import HERE, OTHER, PRIVATE
from pages._ui.report.question import Report
from pages._ui.wording.numbers import number, percent

_NAMES = {
    "common_part": "Common part",
    "relative_error": "Relative error",
    "smape": "SMAPE (0 to 2)",
    "js_divergence": "Jensen–Shannon",
    "earth_movers_distance": "Earth mover's distance",
    "top_10_coverage": "Of the ten largest",
}


def draw(report: Report) -> None:
    """Draw the single numbers with their ranges, the truth beside them, and what is spent."""
    result = report.release.results.get(Analysis.SIZE)
    if result is not None:
        true, kept = (report.numbers(Analysis.SIZE, kept=each) for each in (False, True))
        reach = result.half_widths()
        names = ("Trips",) if len(result.noisy) == 1 else ("People who travel", "Trips")
        cards.row(
            [
                Card(
                    name,
                    number(int(result.shown_numbers[i])),
                    f"{number(max(result.noisy[i] - round(reach[i]), 0))} to "
                    f"{number(max(result.noisy[i] + round(reach[i]), 0))} (95%)",
                    f"True {number(true[i])}, kept {number(kept[i])}.",
                )
                for i, name in enumerate(names)
            ]
        )
    whole, asked = report.parameters.epsilon, report.parameters.charged_shares
    share = max(asked.values())
    st.caption(
        f"ε = {whole:g} for {report.release.cost.unit}, shared by {len(asked)} analyses: "
        f"{share * whole:.3g} each. Ranges hold the noise alone, in 95 of 100 draws; what keeping "
        "at most M trips leaves out is the distance between true and kept."
    )


def errors(report: Report) -> None:
    """Draw what each analysis loses in this draw, where it comes from, and which M."""
    heads = ("Analysis", "ε", "Noise (95%)", "Left out, mean", "Noise, mean", *_NAMES.values())
    lines: list[tuple[str, ...]] = []
    for analysis, result in report.release.results.items():
        true, kept = (report.numbers(analysis, kept=each) for each in (False, True))
        means = np.abs(kept - true).mean(), result.mean_absolute_noise().mean()
        noise = f"± {number(float(np.median(result.half_widths())))}", *map(number, means)
        found = error_measures(true, result.shown_numbers, analysis)
        lost = (_written(key, found.get(key)) for key in _NAMES)
        price = f"{result.epsilon:.3g}" if result.epsilon else "read off others"
        lines.append((analysis.label, price, *noise, *lost))
    tables.rows(heads, lines)
    st.caption(
        "Common part: of 100 trips or points, so many are where they really were. Left out: mean "
        "|kept − true| of a number; noise: its mean size by its law."
    )
    if report.parameters.unit == "user":
        _which_m(report)


def _written(name: str, value: float | None) -> str:
    if value is None or np.isnan(value):
        return "–"
    shares = "common_part", "relative_error", "top_10_coverage"
    return percent(value) if name in shares else f"{value:.3g}"


def _which_m(report: Report) -> None:
    st.markdown("**Which M?** A public guess is enough, and nothing is read from the data.")
    counts = (Analysis.DAYS, Analysis.HOURS, Analysis.VISITS, Analysis.FLOWS)
    names = [str(one) for one in counts if one in report.release.results]
    if not names:
        st.caption("No count of trips is asked.")
        return
    columns = st.columns(4)
    people = columns[0].number_input(
        "People", 1, 10**9, 50_000, key="report_people", **state.LINKED
    )
    fields = (("Trips a person", 10.0, "report_mean_trips"), ("Spread", 12.0, "report_spread"))
    mean, spread = (
        column.number_input(name, 0.1, 1e5, start, key=key, **state.LINKED)
        for column, (name, start, key) in zip(columns[1:3], fields, strict=True)
    )
    name = columns[3].selectbox(
        "For", names, format_func=lambda text: Analysis(text).label, key="report_balance"
    )
    most = report.parameters.max_trips_per_user
    guess = TripAssumption(people=people, mean=mean, standard_deviation=spread)
    curve = compute_bounding_curve(guess, report.release.results[Analysis(name)], most)
    series = {"left out": curve.truncation_error, "noise": curve.noise_error}
    charts.curve(
        charts.lines(
            series | {"together": curve.truncation_error + curve.noise_error},
            (OTHER, PRIVATE, HERE),
        ),
        x=STOPS,
        at=Axis(title="Trips kept per person (M), log scale", kind="log", form="d", tip="d"),
        of=Axis(title="Sum of absolute errors, trips", tip=",.0f"),
        key="report_guess",
        alt="Error left out and noise over M",
    )
    st.caption(
        f"Least error at **M = {curve.best_limit}**; now M = {most}. Trips taken as lognormal."
    )

"""All settings of a dataset by risk and utility: one picture."""

import streamlit as st

from engine.contract import Setting
from engine.frontier import Candidate, EvaluatedSettings
from engine.privacy import round_up_percent
from engine.text import setting_text as words
from engine.text.dataset_text import count_zones
from engine.text.numbers import percent
from pages._ui.answers import assessments, recommendation
from pages._ui.answers.recommendation import Recommendation
from pages._ui.components import charts, colours
from pages._ui.components.charts import STROKES, Line, Note
from pages._ui.settings import fields, widgets

_SHADES = ("#b8860b", "#2a9d6f", "#2a7fb8", "#8e5bc9", "#b0479f")
"""Of zones, coarse to fine; legible on light and dark, and by lightness for the colour-blind."""

Detail = tuple[int, str, str]
"""Number of zones, their level and the step of time: a line of the picture."""


def draw(setting: Setting) -> None:
    """Draw every setting of a dataset, and what to choose among them for what `setting` asks."""
    st.subheader("All settings by risk and utility", anchor=False)
    widgets.draw(
        fields.RISK,
        help="A coin gets 50%, and up to 75% is called strong. The recommendation keeps to it.",
    )
    recommendation.draw(setting, key="all", add=_draw_chart)


def frontier_lines(frontier: EvaluatedSettings) -> dict[Detail, list[Candidate]]:
    """Return the settings of each detail that give ever more utility for more risk."""
    lines: dict[Detail, list[Candidate]] = {}
    for point in sorted(
        frontier.pareto_front, key=lambda point: (point.risk, -point.utility.overall_common_part)
    ):
        place = point.zone_count, point.setting.zone_level, point.setting.time.aggregation
        line = lines.setdefault(place, [])
        if not line or point.utility.overall_common_part > line[-1].utility.overall_common_part:
            line.append(point)
    return dict(sorted(lines.items()))


def _draw_chart(advice: Recommendation, setting: Setting) -> None:
    frontier, best, _ = advice
    lines, limit = frontier_lines(frontier), fields.value(fields.RISK)
    levels = sorted({place[:2] for place in lines})
    curves = [
        Line(
            name=f"{count_zones(place[1], place[0])}, {words.describe_time(line[0].setting)}",
            x=[*(round_up_percent(point.risk, 1) / 100 for point in line), 1.0],
            y=[point.utility.overall_common_part for point in (*line, line[-1])],
            colour=_SHADES[levels.index(place[:2]) % len(_SHADES)],
            dash=STROKES[("whole", "week", "day").index(place[2])],
        )
        for place, line in lines.items()
    ]
    here = assessments.assess_setting(setting)
    notes = [
        Note(x=limit, words=f"your limit, {limit:.0%}", colour=colours.TRUE),
        Note(
            x=here.risk.max_guess_rate, y=here.utility.overall_common_part, words="current setting"
        ),
    ]
    if best is not None:
        colour = colours.SERIES[2]
        label = "recommended" if best.is_usable else "highest available, poor"
        text = "" if best.setting == setting else label
        y = best.utility.overall_common_part
        notes.append(Note(x=best.risk, y=y, words=text, colour=colour, ring=True))
    charts.draw_curve(
        curves,
        x_axis=charts.share_axis(
            "Privacy risk: correct guesses of an attacker, at most", domain=(0.5, 1.0)
        ),
        y_axis=charts.share_axis(
            "Utility (common part): mean of retained and genuine × trips that cross"
        ),
        notes=notes,
        step=True,
        key="frontier_chart",
        alt=f"Utility of {len(frontier.candidates):,} settings by risk, one line for each level of "
        f"zones and span of time; here {percent(here.utility.overall_common_part)}",
        height=400,
    )
    st.caption(
        "Each line is the highest utility of a level of zones and a span of time at each risk. It "
        "is the harmonic mean of retained and genuine (CPC), times the share of trips that cross "
        f"the zones. τ stays at {frontier.requirements.suppression_threshold}. Where a method has "
        "no exact law, a few settings are evaluated from simulated releases."
    )

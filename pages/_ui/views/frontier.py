"""All settings of a dataset by risk and utility: one picture."""

import streamlit as st

from engine.contract import Setting
from engine.frontier import Candidate, EvaluatedSettings
from engine.privacy import round_up_percent
from engine.text.zones import count_zones
from pages._ui import state
from pages._ui.drawing import charts, colours
from pages._ui.drawing.charts import STROKES, Line, Note
from pages._ui.views import answer as answers, recommend
from pages._ui.views.recommend import Known
from pages._ui.wording import use as words
from pages._ui.wording.numbers import percent

_SHADES = ("#b8860b", "#2a9d6f", "#2a7fb8", "#8e5bc9", "#b0479f")
"""Of zones, coarse to fine; legible on light and dark, and by lightness for the colour-blind."""

Place = tuple[int, str, str]
"""Number of zones, their level and the step of time: a line of the picture."""


def draw(setting: Setting) -> None:
    """Draw every setting of a dataset, and what to choose among them for what `setting` asks."""
    st.subheader("All settings by risk and utility", anchor=False)
    state.draw(
        state.RISK,
        help="A coin gets 50%; up to 75% is called strong. What is recommended keeps to it.",
    )
    recommend.draw(setting, key="all", beside=_picture)


def lines_of(every: EvaluatedSettings) -> dict[Place, list[Candidate]]:
    """Return the settings of each detail that give ever more utility for more risk."""
    lines: dict[Place, list[Candidate]] = {}
    for one in sorted(
        every.pareto_front, key=lambda one: (one.risk, -one.utility.overall_common_part)
    ):
        place = one.zone_count, one.setting.zone_level, one.setting.time.aggregation
        line = lines.setdefault(place, [])
        if not line or one.utility.overall_common_part > line[-1].utility.overall_common_part:
            line.append(one)
    return dict(sorted(lines.items()))


def _picture(judged: Known, setting: Setting) -> None:
    every, best, _ = judged
    lines, limit = lines_of(every), state.value(state.RISK)
    levels = sorted({place[:2] for place in lines})
    drawn = [
        Line(
            name=_name(place, line[0]),
            x=[*(round_up_percent(one.risk, 1) / 100 for one in line), 1.0],
            y=[one.utility.overall_common_part for one in (*line, line[-1])],
            colour=_SHADES[levels.index(place[:2]) % len(_SHADES)],
            dash=STROKES[("whole", "week", "day").index(place[2])],
        )
        for place, line in lines.items()
    ]
    here = answers.of(setting)
    notes = [
        Note(x=limit, words=f"your limit, {limit:.0%}", colour=colours.TRUE),
        Note(x=here.risk.max_guess_rate, y=here.utility.overall_common_part, words="you are here"),
    ]
    if best is not None:
        colour = colours.SERIES[2]
        named = "recommended" if best.is_usable else "highest as asked, poor"
        said = "" if best.setting == setting else named
        at = {"x": best.risk, "y": best.utility.overall_common_part, "words": said}
        notes.append(Note(**at, colour=colour, ring=True))
    charts.curve(
        drawn,
        at=charts.share("Privacy risk: correct guesses of an attacker, at most", domain=(0.5, 1.0)),
        of=charts.share("Utility (common part): mean of retained and genuine × trips that cross"),
        notes=notes,
        step=True,
        key="frontier_chart",
        alt=f"Utility of {len(every.candidates):,} settings by risk, one line for each level of "
        f"zones and span of time; here {percent(here.utility.overall_common_part)}",
        height=400,
    )
    st.caption(
        "Each line is the highest utility that a level of zones and a span of time allow at each "
        "risk: the harmonic mean of retained and genuine (CPC), times the share of trips that "
        f"cross the zones. τ stays at {every.requirements.suppression_threshold}. Where a method "
        "has no exact law, a few settings are judged by draws."
    )


def _name(place: Place, one: Candidate) -> str:
    zones, level, _ = place
    return f"{count_zones(level, zones)}, {words.when(one.setting)}"

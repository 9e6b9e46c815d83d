"""The large numbers on top of a report: people, trips, points and what is missing."""

import streamlit as st

from engine.report import Analysis, Result, parts
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.report import block
from pages._ui.report.block import Report
from pages._ui.report.wording import RANGES
from pages._ui.wording.numbers import number

_MEANING = {
    "people": "with at least one trip in the declared period.",
    "trips": "all kept trips; the truth counts all of them.",
    "points": "starts and ends, two of every trip.",
    "trips without an end time": "trips of which only the start is timed.",
    "points at no known place": "starts and ends outside every zone.",
}


def draw(report: Report) -> None:
    """Draw the single numbers with their exact ranges, the truth beside them."""
    columns = st.columns([3, 2], gap="medium")
    for column, analysis in zip(columns, (Analysis.STATISTICS, Analysis.MISSING), strict=True):
        with column:
            result = block.head(report, analysis)
            if result is not None:
                cards.row(_cards(report, result))
    st.caption(RANGES)


def _cards(report: Report, result: Result) -> list[Card]:
    other = report.compared(result.analysis)
    halves = result.half_widths()
    shown: list[Card] = []
    for place, (name, _) in enumerate(parts(result.analysis, report.chosen.parameters.unit)):
        low, high = (max(result.noisy[place] + side * halves[place], 0) for side in (-1, 1))
        pinned = f"; pinned {number(other.shown[place])}" if other is not None else ""
        shown.append(
            Card(
                name[0].upper() + name[1:],
                number(int(result.shown[place])),
                f"{number(round(low))} to {number(round(high))}",
                f"True {number(result.truth[place])}, kept {number(result.kept[place])}"
                f"{pinned}: {_MEANING[name]}",
            )
        )
    return shown

"""What stands on top of a report: the budget to scale, and its single numbers."""

import html

import streamlit as st

from engine.report import Analysis, ReportRelease, Result
from engine.report.analyses import parts
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.report import block
from pages._ui.report.block import Report
from pages._ui.report.wording import RANGES, SHORT, shares, spent
from pages._ui.wording.numbers import number, percent

_SHADES = ("#2a8fbd", "#3d7ea6", "#1d6f95", "#4a93b8")
_MEANING = {
    "people": "with at least one trip in the declared period.",
    "trips": "all kept trips; the truth counts all of them.",
    "points": "starts and ends, two of every trip.",
    "trips without an end time": "trips of which only the start is timed.",
    "points at no known place": "starts and ends outside every zone.",
}


def draw(report: Report) -> None:
    """Draw the budget, then the single numbers with their exact ranges, the truth beside them."""
    _bar(report.release)
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
    true, kept = (report.numbers(result.analysis, kept=each) for each in (False, True))
    shown: list[Card] = []
    for place, (name, _) in enumerate(parts(result.analysis, report.context.parameters.unit)):
        low, high = (max(result.noisy[place] + side * halves[place], 0) for side in (-1, 1))
        pinned = f"; pinned {number(other.shown[place])}" if other is not None else ""
        shown.append(
            Card(
                name[0].upper() + name[1:],
                number(int(result.shown[place])),
                f"{number(round(low))} to {number(round(high))}",
                f"True {number(true[place])}, kept {number(kept[place])}{pinned}: {_MEANING[name]}",
            )
        )
    return shown


def _bar(release: ReportRelease) -> None:
    """Draw the shares of all analyses that are asked, to scale, and what follows from them."""
    params = release.parameters
    asked = params.plan.asked
    left = params.plan.unspent if params.plan.unspent > 5e-4 else 0.0
    pieces = [
        _piece(SHORT[analysis], share, _SHADES[number % len(_SHADES)])
        for number, (analysis, share) in enumerate(asked.items())
    ]
    if left:
        pieces.append(_piece("Not spent", left, "transparent"))
    free = [SHORT[analysis].lower() for analysis in params.plan.derived]
    note = f" Free, because they follow from the others: {', '.join(free)}." if free else ""
    st.html(
        '<div class="budget" role="img" aria-label="Shares of the privacy loss">'
        + "".join(pieces)
        + f'</div><div class="budgetnote narrow">{html.escape(shares(asked))}</div>'
        + f'<div class="budgetnote">{html.escape(spent(release) + note)}</div>'
    )


def _piece(name: str, share: float, colour: str) -> str:
    text = html.escape(name)
    shown = f"<i>{text} </i><i>{percent(share)}</i>" if share >= 0.03 else ""
    return (
        f'<span style="width:{100 * share:.2f}%;background:{colour}" '
        f'title="{text}: {share:.1%} of ε">{shown}</span>'
    )

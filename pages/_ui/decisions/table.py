"""Every origin side by side, and what P2 printed in its Tables 2 and 3 behind a switch."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from engine import decisions
from engine.decisions import published
from engine.decisions.scoring import OverZones, one_origin
from pages._ui.decisions.work import Seen
from pages._ui.drawing import tables
from pages._ui.shell import setting
from pages._ui.wording.numbers import counted, percent

TABLE_2_NOTE = (
    "P2, Table 2: Afghanistan 2020, trip level, τ = 15; mean and standard deviation over zones. "
    "Measured on confidential data of real people; ours are simulated, so the numbers need not "
    "agree. P2 does not print the accuracy of never acting."
)
TABLE_3_NOTE = (
    "P2, Table 3: trip level, τ = 15, seven days; one draw (every accuracy of the top 3 is a "
    "multiple of 1/21). Measured on confidential data of real people; ours are simulated. The "
    "printed totals do not follow from Algorithm 1, whose phantom flows add trips at ε = 0.1 "
    "(erratum E2)."
)


def origins(seen: Seen) -> None:
    """Draw accuracy, precision and recall from every origin, by cause."""
    st.subheader("From every origin", anchor=False)
    outbreak, drawn = seen.outbreak, seen.drawn
    without = decisions.compare(seen.true, seen.quiet, outbreak.threshold)
    rows = []
    for place, zone in enumerate(outbreak.origins):
        for run, comparison in (
            ("releases", one_origin(drawn.comparison, place)),
            ("without noise", one_origin(without, place)),
        ):
            rows.append(
                {
                    "Epidemic starts in": seen.names[zone],
                    "Run": "estimate" if run == "releases" and drawn.estimate else run,
                    "Accuracy": _figure(comparison.accuracy),
                    "Precision": _figure(comparison.precision),
                    "Recall": _figure(comparison.recall),
                    "Never acting": percent(float(comparison.never_acting_accuracy)),
                    "Zone-days missed": f"{comparison.missed.sum(axis=-1).mean():,.0f}",
                    "Zone-days needless": f"{comparison.needless.sum(axis=-1).mean():,.0f}",
                }
            )
    st.html(tables.table_html(pd.DataFrame(rows).to_dict("list")))
    st.caption(
        "Mean and, in brackets, standard deviation over zones. Zones for which precision or "
        "recall is undefined, because they never act or never should, are left out and counted."
    )
    _printed("decisions_p2_epidemic", 2, _table_2, TABLE_2_NOTE)


def migration() -> None:
    """Offer what P2 printed of aid after a shock."""
    _printed("decisions_p2_aid", 3, _table_3, TABLE_3_NOTE)


def _printed(key: str, number: int, table: Callable[[], pd.DataFrame], note: str) -> None:
    about = setting.switch(key, default=False)
    if setting.draw(st.toggle, f"Show what P2 printed (Table {number})", about):
        st.html(tables.table_html(table().to_dict("list")))
        st.caption(note)


def _figure(figure: OverZones) -> str:
    mean = float(np.mean(figure.mean))
    deviation = float(np.mean(figure.standard_deviation))
    without = float(np.mean(figure.undefined))
    text = f"{percent(mean)} ({percent(deviation)})"
    return text + (f", {counted(round(without), 'zone')} without" if without >= 0.5 else "")


def _table_2() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "Epidemic starts in": published.ORIGINS[origin],
                "Zones": level,
                "ε": f"{epsilon:g}",
                **{name.capitalize(): f"{m}% ({sd}%)" for name, (m, sd) in vars(scores).items()},
            }
            for (origin, level, epsilon), scores in published.TABLE_2.items()
        ]
    )


def _table_3() -> pd.DataFrame:
    rows: list[dict[str, str]] = []
    for name, columns in published.TABLE_3.items():
        event = published.EVENTS[name]
        rows.append(_row(event, "not private", f"{published.TRUE_TOTALS[name]:,}", "", ""))
        for epsilon, column in zip(published.EPSILONS, columns, strict=True):
            top, error = f"{column.top:.2f}%", f"{column.error:.2f}%"
            if column.corrected is not None:
                error += f" (misprint for {column.corrected:.2f}%)"
            rows.append(_row(event, f"ε = {epsilon:g}", f"{column.total:,}", error, top))
    return pd.DataFrame(rows)


def _row(event: str, setting: str, total: str, error: str, top: str) -> dict[str, str]:
    return {
        "Event": event,
        "Setting": setting,
        "Total out-migration": total,
        "Error of the total": error,
        "Accuracy of the top 3": top,
    }

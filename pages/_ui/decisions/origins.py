"""Every origin side by side, and P2's printed numbers beside ours."""

import numpy as np
import pandas as pd
import streamlit as st

from engine import decisions
from engine.arrays import Floats
from engine.decisions import OverZones
from engine.parameters import ODParameters
from pages._ui.cache import decisions as cached_decisions
from pages._ui.cache.decisions import Outbreak
from pages._ui.decisions import places, published, work
from pages._ui.decisions.work import Epidemics
from pages._ui.drawing import tables
from pages._ui.shell import setting
from pages._ui.shell.catalogue import Entry
from pages._ui.wording.numbers import counted, percent


def draw(
    entry: Entry, outbreak: Outbreak, parameters: ODParameters, true: Floats, drawn: Epidemics
) -> None:
    """Draw accuracy, precision and recall from every origin, by cause."""
    st.subheader("From every origin", anchor=False)
    names = places.names(entry.key)
    quiet = cached_decisions.quiet(entry.key, outbreak, work.at(parameters, epsilon=1.0))
    without = decisions.compare(true, quiet, outbreak.threshold)
    rows = []
    for place, zone in enumerate(outbreak.origins):
        for run, comparison in (
            ("releases", decisions.one_origin(drawn.comparison, place)),
            ("without noise", decisions.one_origin(without, place)),
        ):
            rows.append(
                {
                    "Epidemic starts in": names[zone],
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
    if setting.draw(
        st.toggle,
        "Show what P2 printed (Table 2)",
        setting.switch("decisions_p2_epidemic", default=False),
    ):
        st.html(tables.table_html(published.table_2().to_dict("list")))
        st.caption(published.TABLE_2_NOTE)


def _figure(figure: OverZones) -> str:
    mean = float(np.mean(figure.mean))
    deviation = float(np.mean(figure.standard_deviation))
    without = float(np.mean(figure.undefined))
    text = f"{percent(mean)} ({percent(deviation)})"
    return text + (f", {counted(round(without), 'zone')} without" if without >= 0.5 else "")

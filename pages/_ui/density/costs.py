"""What a density release costs: ledger, three totals, every method beside it, the errata."""

import html

import pandas as pd
import streamlit as st

from engine.ledger import Ledger, Notion
from pages._ui.cache import density as cached_density
from pages._ui.density import wording as density_wording
from pages._ui.density.settings import Chosen
from pages._ui.wording.labels import SHORT_METHODS
from pages._ui.wording.numbers import number, scientific

_FREE = ("after the noise", "nothing", "–", "clustering, scaling back, smoothing, mapping", "–")
_FREE_OF_ZOOM = ("after the noise", "nothing", "–", "reading by statistics, mapping", "–")


def draw(chosen: Chosen, ledger: Ledger) -> None:
    """Draw the ledger of the release on the page and the totals of every method."""
    st.markdown(f"**What is read and what it costs** – protected: {ledger.unit.words}")
    ours = chosen.parameters.method == "zoom"
    st.table(_stages(ledger, ours=ours), hide_index=True, border="horizontal")
    st.caption(
        "Cutting the region into cells reads public geometry only, and whatever happens after the "
        "noise reads nothing, so both are free. Sensitivity: how much one person can change what "
        "is read, as a sum (L1) or a root of squares (L2)."
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Three totals of this release**")
        st.table(_totals(ledger, chosen.epsilon), hide_index=True, border="horizontal")
        st.caption(
            "Published is what the paper charges, simple composition what its own argument can "
            "prove, best proved the strictest total shown in docs/density.md (D1)."
        )
    with right:
        st.markdown("**Every method at this setting**")
        st.table(_methods(chosen), hide_index=True, border="horizontal")
        st.caption(density_wording.MARK)


def errata() -> None:
    """Draw the seven places where the paper is wrong or open, one sentence each."""
    st.markdown("**Where the paper is wrong or leaves something open**, and what is done instead")
    blocks = [
        f'<div class="erratum"><b>{html.escape(name)}</b><strong>{html.escape(about)}</strong>'
        f"<div>{html.escape(sentence)}</div><small>{html.escape(source)}</small></div>"
        for name, about, sentence, source in density_wording.ERRATA
    ]
    st.html("".join(blocks))
    st.caption(density_wording.PAPER)


def _stages(ledger: Ledger, *, ours: bool) -> pd.DataFrame:
    public = "tree over the masts" if ours else "minimum cover"
    rows = [("cells", "public geometry", "–", public, "–", "0", "–")]
    rows += [
        (
            stage.name,
            stage.reads,
            f"{number(stage.sensitivity, 3)} ({stage.norm})",
            stage.mechanism,
            "–" if stage.noise_scale is None else number(stage.noise_scale, 3),
            f"{stage.epsilon:.3g}",
            scientific(stage.delta) if stage.delta else "–",
        )
        for stage in ledger.stages
    ]
    rows.append((*(_FREE_OF_ZOOM if ours else _FREE), "0", "–"))
    names = ("Stage", "What is read", "Sensitivity", "Mechanism", "Noise scale", "ε share", "δ")
    return pd.DataFrame(rows, columns=names)


def _totals(ledger: Ledger, epsilon: float) -> pd.DataFrame:
    totals = (
        ("Published", ledger.published_epsilon, ledger.published_notion),
        ("Simple composition", ledger.pure_epsilon, ledger.pure_notion),
        (density_wording.PROVED, ledger.proved_epsilon, ledger.proved_notion),
    )
    return pd.DataFrame(
        [
            (
                name,
                density_wording.marked(total, epsilon),
                "–" if notion is Notion.PURE else scientific(ledger.delta),
                notion,
            )
            for name, total, notion in totals
        ],
        columns=("Total", "ε", "δ", "In the sense of"),
    )


def _methods(chosen: Chosen) -> pd.DataFrame:
    rows = []
    for method, name in SHORT_METHODS.items():
        parameters = chosen.vary(method=method)
        ledger = cached_density.ledger(chosen.key, parameters)
        mark = " ●" if method == chosen.parameters.method else ""
        rows.append(
            (
                name + mark,
                f"{ledger.published_epsilon:.3g}",
                f"{ledger.pure_epsilon:.3g}",
                density_wording.marked(ledger.proved_epsilon, chosen.epsilon),
            )
        )
    return pd.DataFrame(rows, columns=("Method", "Published", "Simple", density_wording.PROVED))

"""What a density release costs: ledger, three totals, every method beside it, the errata."""

import streamlit as st

from engine import density
from engine.ledger import Ledger, Notion
from pages._ui.cache import verbs
from pages._ui.density import wording as density_wording
from pages._ui.drawing import tables
from pages._ui.views.context import Density
from pages._ui.wording.numbers import number, scientific

_FREE = ("after the noise", "nothing", "–", "clustering, scaling back, smoothing, mapping", "–")
_FREE_OF_ZOOM = ("after the noise", "nothing", "–", "reading by statistics, mapping", "–")


def draw(context: Density) -> None:
    """Draw the ledger of the release on the page and the totals of every method."""
    ledger = verbs.release(*context.asked).ledger
    st.markdown(f"**What is read and what it costs** – protected: {ledger.unit.words}")
    tables.rows(*_stages(ledger, ours=context.method.ours))
    st.caption(
        "Cutting the region into cells reads public geometry only, and whatever happens after the "
        "noise reads nothing, so both are free. Sensitivity: how much one person can change what "
        "is read, as a sum (L1) or a root of squares (L2)."
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Three totals of this release**")
        tables.rows(*_totals(ledger, context.epsilon))
        st.caption(
            "Published is what the paper charges, simple composition what its own argument can "
            "prove, best proved the strictest total shown in docs/density.md (D1)."
        )
    with right:
        st.markdown("**Every method at this setting**")
        tables.rows(*_methods(context))
        st.caption(density_wording.MARK)


def _stages(ledger: Ledger, *, ours: bool) -> tables.Lines:
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
    return names, rows


def _totals(ledger: Ledger, epsilon: float) -> tables.Lines:
    totals = (
        ("Published", ledger.published_epsilon, ledger.published_notion),
        ("Simple composition", ledger.pure_epsilon, ledger.pure_notion),
        (density_wording.PROVED, ledger.proved_epsilon, ledger.proved_notion),
    )
    return ("Total", "ε", "δ", "In the sense of"), [
        (
            name,
            density_wording.marked(total, epsilon),
            "–" if notion is Notion.PURE else scientific(ledger.delta),
            notion,
        )
        for name, total, notion in totals
    ]


def _methods(context: Density) -> tables.Lines:
    rows = []
    for method, row in density.METHODS.items():
        ledger = verbs.ledger(*context.vary(method=method).exact)
        mark = " ●" if row is context.method else ""
        rows.append(
            (
                row.short + mark,
                f"{ledger.published_epsilon:.3g}",
                f"{ledger.pure_epsilon:.3g}",
                density_wording.marked(ledger.proved_epsilon, context.epsilon),
            )
        )
    return ("Method", "Published", "Simple", density_wording.PROVED), rows

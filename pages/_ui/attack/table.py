"""Attack: what each stage of a density tells, and what published attacks measure."""

import streamlit as st

from engine.attack.published import PUBLISHED_AREAS, RECORDED_CONTROL
from engine.attack.visits import StageLoss
from engine.risk import Guarantee
from pages._ui.drawing import tables
from pages._ui.wording.numbers import number

_MATRICES = {"raw": "true matrices", "target removed": "the same, target removed"}


_SIZES = {
    "laplace": "change of the number over the noise's scale (Δ/b)",
    "gaussian": "change of the coefficients over the noise's deviation (Δ₂/σ)",
    "choice": "range of the log-odds of the choice (η)",
}


def stages(losses: tuple[StageLoss, ...]) -> None:
    """List what each stage of the ledger says about the target at worst."""
    tables.draw(
        {
            "Stage": [each.stage.name for each in losses],
            "Draws that read the target": [f"{each.times}" for each in losses],
            "Size": [number(each.size, 2) for each in losses],
            "Size is": [_SIZES[each.mechanism] for each in losses],
        }
    )
    st.caption("The larger the size, the more the stage tells; 0 would tell nothing.")


def published() -> None:
    """Say what P2's classifiers found, what the control finds, and what it does not mean."""
    with st.expander("What does an AUC of 0.62 mean?", icon=":material/help:"):
        low, high = PUBLISHED_AREAS
        one, three = (Guarantee(epsilon=0.1 * trips).area for trips in (1, 3))
        st.markdown(
            "Kohli, Aiken and Blumenstock train classifiers on whole daily matrices and report a "
            f"mean AUC of {low:.3f} to {high:.3f}, with noise or without (Table S1). An AUC of "
            "0.62 does **not** mean that somebody's trips were found in the matrix: at ε = 0.1 no "
            "test can tell a matrix with one trip of the target from the same matrix without it "
            f"at an AUC above {one:.3f}, and with three trips above {three:.3f}. The classifiers "
            "recognise the kind of day on which people like the target travel."
        )
        tables.draw(
            {
                "Mean AUC on simulated people": [
                    _MATRICES.get(row.matrices, f"private, {row.matrices}")
                    for row in RECORDED_CONTROL
                ],
                "Logistic regression": [row.text("logistic") for row in RECORDED_CONTROL],
                "Random forest": [row.text("forest") for row in RECORDED_CONTROL],
            }
        )
        st.caption(
            "The control that the paper lacks: with the target's own trips taken out of every "
            "matrix the classifiers do as well. From `python -m research attack`, in "
            "docs/attack.md; ± is the standard error over simulated countries."
        )

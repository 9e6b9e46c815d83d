"""A published method and ours at the same proved ε, side by side: numbers, maps, curves, losses."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from pages._ui.cache import verbs
from pages._ui.density import sweeps, wording as density_wording
from pages._ui.views import beside
from pages._ui.views.context import Density, Side
from pages._ui.wording.labels import no_zoom
from pages._ui.wording.numbers import percent


def pair(context: Density) -> list[Density]:
    """Return a published method and ours, both with the slider's ε as their proved total."""
    fair = context.at_equal_proved()
    every = fair.methods
    return [every[0] if context.method.ours else fair, *(one for one in every if one.method.ours)]


def teaser(context: Density) -> None:
    """Say in one line, under the page's numbers, what the other method gives at the same ε."""
    errors = [verbs.scores(*one.asked).mean_error for one in pair(context)]
    if len(errors) > 1 and np.isfinite(errors).all():
        published, ours = errors
        st.caption(
            f":material/compare: At the same proved ε of {context.epsilon:g}: relative error "
            f"{percent(published)} by the published method, {percent(ours)} by ours. "
            "See *Published | ours* under *Look deeper*."
        )


def draw(context: Density) -> None:
    """Draw both methods side by side, or say why ours is not there."""
    st.markdown(f"**What does our method give at the same proved ε of {context.epsilon:g}?**")
    compared = pair(context)
    if len(compared) < 2:
        st.info(no_zoom(context.entry.metadata.made_by))
        return
    if not context.method.ours:  # else the page has said it already
        st.caption(density_wording.ZOOM)

    def over(sides: Sequence[Side]) -> None:
        curves = [sweeps.Curve(side.name, "", side.context) for side in sides]
        sweeps.draw("ours", compared[0], curves, density_wording.LOOK["ours"])

    beside.draw(compared, key="density_ours", over=over)

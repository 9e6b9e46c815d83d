"""Choose ε: where the paper as printed is wrong or silent, one sentence each, in figures."""

import streamlit as st

from engine.origin_destination import calculators
from engine.parameters import ODParameters
from pages._ui.drawing import tables
from pages._ui.wording.numbers import trip_count

PAPER = (
    "Kohli, Aiken and Blumenstock, *Privacy Guarantees for Personal Mobility Data in Humanitarian "
    "Response*"
)
ERRATA = (
    (
        "O1",
        "Theorem 3 is printed with the wrong sign of ½",
        "A value is shown when count plus noise rounds to τ or more, so half a trip helps it; the "
        "printed formula lets it hurt.",
        "Supplement, Theorem 3",
    ),
    (
        "O2",
        "Theorems 5 and 7 understate the error of a change",
        "Both numbers are rounded before they are subtracted, which adds an error that the printed "
        "formulas leave out; this page answers with the exact ε.",
        "Supplement, Theorems 5 and 7",
    ),
    (
        "O3",
        "Theorems 4 and 5 speak of visible flows, their proofs of all",
        "Near τ a flow is seen only when its noise is not too negative, so the error of visible "
        "flows differs; both are offered.",
        "Supplement, Theorems 4 and 5",
    ),
    (
        "O4",
        "τ or T read from the data is not covered by the guarantee",
        "Theorem 1 wants both chosen independently of the data; a percentile of people's trips is "
        "read from confidential data, and a release must say so.",
        "Theorem 1 against Table S3",
    ),
    (
        "O5",
        "Rounded continuous noise is not safe in floating point",
        "Fine for exploring; a release that leaves the building draws whole-number (discrete "
        "Laplace) noise from a vetted library, whose law the calculators offer.",
        "Algorithm 1",
    ),
    (
        "O6",
        "Table S2 cannot be what Algorithm 1 gives",
        "With 1.29 trips a cell on average at least 91% of daily cells lie under 15, where the "
        "table says 78%: it must count something else, which the paper does not say.",
        "Supplement, Table S2",
    ),
)
_ALPHAS = (0, 1, 2, 5, 10, 50)


def draw(parameters: ODParameters) -> None:
    """Draw the six points, then the table of Theorem 7 and Theorem 3 at the sliders' setting."""
    st.caption(f"Source: {PAPER}. Each point has a test that shows it.")
    columns = st.columns(3, gap="medium")
    for i, (mark, title, sentence, source) in enumerate(ERRATA):
        with columns[i % 3].container(border=True, height="stretch"):
            st.markdown(f"**{mark} · {title}**")
            st.markdown(sentence)
            st.caption(source)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("O2 in figures: a change, 95% sure, T = 1", anchor=False)
        tables.draw(_changes())
    with right:
        st.subheader("O1 in figures: is a flow shown?", anchor=False)
        tables.draw(_shown(parameters))
        st.caption(
            f"At ε = {parameters.epsilon:g}, T = {parameters.max_trips_per_user} and "
            f"τ = {parameters.suppression_threshold} (the sliders)."
        )


def _changes() -> dict[str, list[str]]:
    published = calculators.epsilon_for_change(_ALPHAS, 0.05, method="published")
    exact = calculators.epsilon_for_change(_ALPHAS, 0.05)
    really = 1 - calculators.change_error_probability(_ALPHAS, published)
    return {
        "Error tolerated": [trip_count(alpha) for alpha in _ALPHAS],
        "Published ε": [f"{value:.4g}" for value in published],
        "really gives": [f"{value:.1%}" for value in really],
        "Exact ε for 95%": [f"{value:.4g}" for value in exact],
    }


def _shown(parameters: ODParameters) -> dict[str, list[str]]:
    threshold = parameters.least_shown
    counts = [threshold + extra for extra in (0, 1, 2, 5, 10, 20)]
    setting = (threshold, parameters.epsilon, parameters.max_trips_per_user)
    printed = calculators.stays_released_probability(counts, *setting, method="published")
    exact = calculators.stays_released_probability(counts, *setting)
    return {
        "Count": [trip_count(count) for count in counts],
        "Printed": [f"{value:.1%}" if value >= 0 else "below 0" for value in printed],
        "Exact": [f"{value:.1%}" for value in exact],
    }

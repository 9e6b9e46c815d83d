"""Choose ε: what ε means for one person, and what others have used."""

import streamlit as st

from engine.privacy import GROUP, PRECEDENTS, Guarantee
from pages._ui.choose import curves
from pages._ui.drawing import cards
from pages._ui.drawing.cards import Card
from pages._ui.wording.numbers import number
from pages._ui.wording.privacy import PROTECTED, UNITS, guess


def draw(epsilon: float, unit: str, days: int | None) -> None:
    """Draw the odds and the best guess, the guess over ε, and the deployments on one axis.

    Parameters
    ----------
    epsilon : float
        The slider's ε.
    unit : str
        The unit of protection chosen for the flows.
    days : int or None
        Days of the dataset chosen, for the sum over days at person-day.
    """
    guarantee = Guarantee(epsilon=epsilon)
    odds, group = guarantee.odds_factor, guarantee.together(GROUP)
    are = "is" if unit == "trip" else "are"
    cards.row(
        [
            Card(
                "Odds change by at most (e^ε)",
                f"× {odds:.2f}" if odds < 100 else f"× {odds:,.0f}",
                f"at ε = {epsilon:g}",
                f"Whatever is published is at most {number(odds, 3)} times as likely with "
                f"{UNITS[unit]} in the data as without.",
            ),
            Card(
                "Best possible guess",
                guess(guarantee.best_guess, 1),
                "50% is a coin toss",
                "An attacker who knows all other records and starts from even odds is right at "
                "most this often: e^ε / (1 + e^ε).",
            ),
            Card(
                "From a suspicion of 10%",
                guess(guarantee.suspicion(0.1), 1),
                "at most",
                f"How far a suspicion that {PROTECTED[unit]} {are} in the data can grow, of an "
                "attacker who knows the others or believes them independent.",
            ),
            Card(
                f"{GROUP} who travel together",
                guess(group.suspicion(0.1), 1),
                f"from 10%, at {GROUP} × ε = {number(group.epsilon)}",
                "What the same suspicion can grow to where a household or a bus is believed to "
                "travel together or not at all: k of them have k·ε.",
            ),
        ]
    )
    if unit == "person-day" and days is not None and days > 1:
        st.caption(
            f"This is for one day. All {days} days of the chosen dataset add up to at most "
            f"ε = {days * epsilon:g} for a person who travels on every one of them."
        )
    elif unit == "trip":
        st.caption(
            "This is for one trip. The trips of a person add up: somebody with 30 of them may lose "
            f"up to ε = {30 * epsilon:g}."
        )
    left, right = st.columns([1, 1.55], gap="large")
    with left:
        st.subheader("How good a guess can get", anchor=False)
        curves.best_guess(epsilon)
        st.caption("Below ε = 0.1 the curve is flat: a guess stays close to a coin toss.")
    with right:
        st.subheader("What others have used", anchor=False)
        curves.deployments(epsilon)
        st.caption(
            "The dashed line is your ε. Compare the unit before the number: the same ε for a day "
            "protects far less than for a person. A used value is no proof that it is a good one."
        )
    with st.expander("Sources"):
        for known in PRECEDENTS:
            st.markdown(
                f"- {known.name}: ε = {known.epsilon:g} per {known.unit} – "
                f"[{known.source}](https://{known.source})"
            )

"""Attack: the sentence, a hundred dots, and the figures behind them."""

import html
from pathlib import Path

import streamlit as st

from engine.attack import Attack
from pages._ui.attack import wording
from pages._ui.drawing.cards import Card, cards_html
from pages._ui.drawing.colours import HERE, PRIVATE

_COLUMNS, _STEP, _RADIUS = 20, 22, 8
_STYLE = Path(__file__).with_name("attack.css")


def draw(attack: Attack, *notes: str) -> None:
    """Draw the sentence with its dots beside four cards, then the notes."""
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        st.html(_STYLE)
        st.html(
            f'<div class="attack-answer" role="status">'
            f"{html.escape(wording.sentence(attack))}</div>{dots(attack)}"
        )
    with right:
        st.html(cards_html(_cards(attack)))
    for note in notes:
        st.markdown(note)


def dots(attack: Attack) -> str:
    """Return 100 guesses as dots: a coin's 50, what the attack adds, what may be added at most."""
    right = round(100 * attack.roc.best_guess)
    allowed = max(round(100 * attack.limit.best_guess), right)
    shapes = {
        "coin": 'fill="currentColor" fill-opacity="0.45"',
        "extra": f'fill="{HERE}"',
        "allowed": f'fill="none" stroke="{PRIVATE}" stroke-width="2.5"',
        "wrong": 'fill="none" stroke="currentColor" stroke-opacity="0.28" stroke-width="1.2"',
    }

    def kind(place: int) -> str:
        if place < 50:
            return "coin"
        return "extra" if place < right else "allowed" if place < allowed else "wrong"

    circles = "".join(
        f'<circle cx="{_STEP * (place % _COLUMNS + 0.5):g}" '
        f'cy="{_STEP * (place // _COLUMNS + 0.5):g}" r="{_RADIUS}" {shapes[kind(place)]}/>'
        for place in range(100)
    )
    size = f"0 0 {_STEP * _COLUMNS} {_STEP * 100 // _COLUMNS}"
    label = f"100 guesses: 50 right by chance, {right} by the best attack, at most {allowed}"
    key = "".join(
        f'<span><svg width="14" height="14" viewBox="-9 -9 18 18" aria-hidden="true">'
        f'<circle r="7" {shapes[name]}/></svg>{text}</span>'
        for name, text in (
            ("coin", "right by tossing a coin: 50"),
            ("extra", f"right as well by the best attack: {right - 50}"),
            ("allowed", f"the guarantee would allow more: {allowed - right}"),
            ("wrong", f"wrong in any case: {100 - allowed}"),
        )
    )
    return (
        f'<svg class="attack-dots" viewBox="{size}" role="img" aria-label="{label}">{circles}</svg>'
        f'<div class="attack-key">{key}</div>'
    )


def _cards(attack: Attack) -> list[Card]:
    factor = attack.guarantee.odds_factor
    times = f"× {factor:.3g}" if factor < 1e6 else "× more than a million"
    return [
        Card(
            "Best guess",
            f"{100 * attack.roc.best_guess:.1f}%",
            f"at most {100 * attack.limit.best_guess:.1f}%",
            "Right guesses where the target is in the data half the time.",
        ),
        Card(
            "Advantage",
            f"{attack.roc.advantage:.3f}",
            f"at most {attack.limit.advantage:.3f}",
            "Share of the present who are found, less the absent who are accused.",
        ),
        Card(
            "Area under the ROC curve (AUC)",
            f"{attack.roc.area:.3f}",
            f"at most {attack.limit.area:.3f}",
            "How often a present target looks likelier than an absent one; a coin: 0.5.",
        ),
        Card(
            "Odds change by at most (e^ε)",
            times,
            f"at ε = {attack.guarantee.epsilon:.3g}"
            + (f", δ = {attack.guarantee.delta:.0e}" if attack.guarantee.delta else ""),
            "No set of results is more than e^ε times as likely, plus δ, with the target as "
            "without."
            if attack.guarantee.delta
            else "After any result, the odds that the target is in the data grow by no more.",
        ),
    ]

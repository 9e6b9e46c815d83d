"""Attack: the sentence, a hundred dots, and the figures behind them."""

import html
from pathlib import Path

import streamlit as st

from engine.attack import Attack
from pages._ui.attack import wording
from pages._ui.drawing.cards import Card, cards_html
from pages._ui.wording.numbers import scientific
from pages._ui.wording.privacy import guess, guess_at_most

_STYLE = Path(__file__).with_name("attack.css")


def draw(attack: Attack, *notes: str, bound: bool = False) -> None:
    """Draw the sentence with its dots beside four cards, then the notes.

    `bound` says that the attack is an upper bound, not computed exactly.
    """
    left, right = st.columns([1.25, 1], gap="large")
    with left:
        st.html(_STYLE)
        st.html(
            f'<div class="attack-answer" role="status">'
            f"{html.escape(wording.sentence(attack, bound=bound))}</div>{dots(attack, bound=bound)}"
        )
    with right:
        st.html(cards_html(_cards(attack, bound=bound)))
    for note in notes:
        st.markdown(note)


def dots(attack: Attack, *, bound: bool = False) -> str:
    """Return 100 guesses as dots: a coin's 50, what the attack adds, what may be added at most."""
    right = round(100 * attack.roc.best_guess)
    allowed = max(round(100 * attack.limit.best_guess), right)
    kinds = (
        ("coin", 50, "right by tossing a coin"),
        ("extra", right - 50, f"right as well by the best attack{', at most' if bound else ''}"),
        ("allowed", allowed - right, "allowed by the guarantee, not reached"),
        ("wrong", 100 - allowed, "wrong in any case"),
    )
    drawn = "".join(f'<i class="{kind}"></i>' * count for kind, count, _ in kinds)
    key = "".join(
        f'<span><i class="{kind}"></i>{words}: {count}</span>' for kind, count, words in kinds
    )
    label = f"100 guesses: 50 right by chance, {right} by the best attack, at most {allowed}"
    return (
        f'<div class="attack-dots" role="img" aria-label="{label}">{drawn}</div>'
        f'<div class="attack-key">{key}</div>'
    )


def _cards(attack: Attack, *, bound: bool) -> list[Card]:
    factor, most = attack.guarantee.odds_factor, "≤ " if bound else ""
    times = f"× {factor:.3g}" if factor < 100 else f"× {factor:,.0f}"
    if factor > 1e6:
        times = "over a million"
    return [
        Card(
            "Best guess",
            f"{most}{guess(attack.roc.best_guess, 1)}",
            f"guarantee: {guess_at_most(attack.limit.best_guess, 1)}",
            "Right guesses where the target is in the data half the time.",
        ),
        Card(
            "Advantage",
            f"{most}{attack.roc.advantage:.3f}",
            f"guarantee: at most {attack.limit.advantage:.3f}",
            "Share of present targets found minus share of absent targets accused.",
        ),
        Card(
            "Area under the ROC curve (AUC)",
            f"{most}{attack.roc.area:.3f}",
            f"guarantee: at most {attack.limit.area:.3f}",
            "How often a present target looks likelier than an absent one; a coin: 0.5.",
        ),
        Card(
            "Odds change by at most (e^ε)",
            times,
            f"at ε = {attack.guarantee.epsilon:.3g}"
            + (f", δ = {scientific(attack.guarantee.delta)}" if attack.guarantee.delta else ""),
            "No set of results is more than e^ε times as likely, plus δ, with the target as "
            "without."
            if attack.guarantee.delta
            else "After any result, the odds that the target is in the data grow by no more.",
        ),
    ]

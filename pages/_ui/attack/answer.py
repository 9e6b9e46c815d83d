"""Attack: the sentence, a hundred dots, the figures behind them, and what stands below."""

import html
from dataclasses import replace
from pathlib import Path

import streamlit as st

from engine.attack import (
    Attack,
    Scenario,
    flows_to_show,
    over_days,
    over_epsilons,
    over_flows,
    stage_losses,
    strongest_on_density,
    suppression_alone,
)
from engine.origin_destination import suppresses
from engine.parameters import EPSILON_STOPS
from engine.risk import Guarantee
from pages._ui.attack import curves, table, wording
from pages._ui.attack.question import OnDensity, OnFlows
from pages._ui.cache import attack as cached, verbs
from pages._ui.drawing.cards import Card, cards_html
from pages._ui.shell import frame, setting
from pages._ui.wording.numbers import number, percent, scientific
from pages._ui.wording.privacy import guess, guess_at_most

_STYLE = Path(__file__).with_name("attack.css")
_DAYS = (1, 7, 30)
_READ = setting.switch("attack_read", default=False)


def flows(question: OnFlows) -> None:
    """Draw the attack on flows; the dataset gives its number of days and, if asked, its trips."""
    scenario, parameters = question.scenario, question.parameters
    attack = verbs.computed(Scenario.attack, scenario, parameters)
    _draw(
        attack,
        wording.attacker(scenario),
        f"{wording.protected(attack, parameters, question.trips)} "
        f"{wording.suppressed(scenario, parameters)}",
        wording.together(Guarantee(epsilon=parameters.epsilon), parameters.unit),
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Found against accused (ROC)", anchor=False)
        curves.roc(attack, key="attack_roc")
    with right:
        st.subheader("Right guesses and privacy loss", anchor=False)
        # at one ε, so that the slider does not compute the curve anew
        reached = verbs.computed(
            over_epsilons, scenario, replace(parameters, epsilon=1.0), EPSILON_STOPS
        )
        curves.over_epsilon(EPSILON_STOPS, reached, parameters.epsilon, attack.roc.best_guess)
        st.caption("More noise to the left. Red: the slider's ε.")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("How busy is the route?", anchor=False)
        sizes = flows_to_show(parameters, scenario.trips, scenario.knows)
        curves.over_flow(
            sizes,
            verbs.computed(over_flows, scenario, parameters, sizes),
            None
            if not suppresses(parameters)
            else verbs.computed(
                suppression_alone, scenario, parameters.suppression_threshold, sizes
            ).tolist(),
            current=scenario.flow,
            threshold=parameters.suppression_threshold,
        )
        st.caption(f"Red: the flow entered above. {wording.busy(scenario, parameters)}")
    with right:
        st.subheader("Several days", anchor=False)
        _days(question)
    _own_trips(question)
    table.published()


def density(question: OnDensity) -> None:
    """Draw the attack on one release of the density under the present settings."""
    asked, facts = (question.target, question.parameters), cached.public(question.entry.key)
    attack = verbs.computed(strongest_on_density, *asked, **facts)
    _draw(
        attack,
        wording.density_attacker(question.parameters),
        f"The guarantee is the best proved one, ε = {number(attack.guarantee.epsilon, 3)}"
        + (f" at δ = {scientific(attack.guarantee.delta)}." if attack.guarantee.delta else ".")
        + " It holds for everybody, whatever the visits; most people are further from it.",
        wording.together(attack.guarantee, "person"),
        bound=True,
    )
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Found against accused (ROC)", anchor=False)
        curves.roc(attack, key="attack_density_roc")
    with right:
        st.subheader("What each stage tells", anchor=False)
        table.stages(verbs.computed(stage_losses, *asked, **facts))


def _days(question: OnFlows) -> None:
    parameters, entry = question.parameters, question.entry
    if parameters.unit == "person":
        st.info(wording.days_note(parameters, 1))
        return
    days = tuple(sorted({*_DAYS, 30 if entry is None else len(entry.metadata.days)}))
    curves.over_days(days, verbs.computed(over_days, question.scenario, parameters, days))
    whole = "" if entry is None else f" {entry.name} has {len(entry.metadata.days):,} days."
    st.caption(wording.days_note(parameters, days[-1]) + whole)


def _own_trips(question: OnFlows) -> None:
    scenario, parameters, entry = question.scenario, question.parameters, question.entry
    st.subheader("The trips of a dataset", anchor=False)
    if entry is None or not entry.has_trips:
        st.caption("Choose a dataset with trips to see how exposed its trips are on average.")
        return
    whose = "simulated people" if entry.metadata.simulated else "confidential data"
    if not setting.draw(
        st.toggle,
        f"Read the flows of {entry.name} ({whose})",
        _READ,
        help="All that stands above needs no data. This reads how many trips every flow has, and "
        "averages over all of them; no single trip or person is picked.",
    ):
        return
    frame.banners([entry])
    shares = cached.averages(entry.key, parameters, scenario.law)
    right, most = 100 * shares.typical_guess, 100 * shares.most_exposed_guess
    st.markdown(
        f"Against the **average trip** of {entry.name} the strongest attacker gets "
        f"**{right:.1f}** of 100 guesses right, against the **most exposed** one **{most:.1f}** "
        f"(one trip, ε = {parameters.epsilon:g}, read from {number(shares.trips)} trips"
        + (")." if parameters.unit == "trip" else " kept after trimming).")
        + (
            ""
            if not suppresses(parameters)
            else " Suppression without noise would prove "
            f"**{percent(shares.proven_without_noise)}** of "
            "these trips with certainty: that is why there is noise."
        )
    )


def _draw(attack: Attack, *notes: str, bound: bool = False) -> None:
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

"""Sentences of the page Attack."""

from engine.attack import Attack, Scenario
from engine.attack.visits import by_cluster
from engine.origin_destination import suppresses
from engine.parameters import DensityParameters, ODParameters
from engine.risk import GROUP, Guarantee
from pages._ui.wording.numbers import number, trip_count
from pages._ui.wording.privacy import PROTECTED

LEAD = (
    "An attacker asks whether one person's data is in what was published. Here is what the best "
    "possible attack gets right beside what the guarantee allows: exactly for flows, as an upper "
    "bound for density. No attack is simulated, and no real person is ever picked."
)
KNOWLEDGE = {"everything": "all other trips", "habits": "the route and the usual flow"}


def guesses(share: float) -> str:
    """Write a share of right guesses as a number out of 100.

    Examples
    --------
    >>> guesses(0.6106), guesses(0.5023), guesses(0.9991), guesses(0.5)
    ('61', '50.2', 'more than 99', '50')
    """
    right = 100 * share
    if right >= 99.5:
        return "more than 99"
    if right < 50.05:
        return "50"
    return f"{right:.1f}" if right < 51.5 else f"{right:.0f}"


def sentence(attack: Attack, *, bound: bool = False) -> str:
    """Say what the attack gets right, exactly or as an upper bound, and what is allowed."""
    return (
        "Of 100 guesses where a coin gets 50 right, the best possible attack gets "
        f"{'at most ' if bound else ''}{guesses(attack.roc.best_guess)}, and the guarantee allows "
        f"{guesses(attack.limit.best_guess)}."
    )


def attacker(scenario: Scenario) -> str:
    """Say who the attacker is and whom he is after."""
    routes = "one route" if scenario.cells == 1 else f"{scenario.cells} routes"
    trips = trip_count(scenario.trips * scenario.cells)
    target = f"a target with {trips} on {routes}"
    if scenario.knows == "everything":
        return (
            f"The attacker knows every trip of everybody else ({scenario.flow:,} on each route), "
            f"and would recognise {target}. Nobody can do better; hardly anybody can do as well."
        )
    return (
        f"The attacker knows the route and that about {max(scenario.flow, 1):,} others usually "
        f"travel on it, not how many did that day; he looks for {target}. The others' ordinary "
        "variation hides the target too, but nothing guarantees it."
    )


def protected(attack: Attack, parameters: ODParameters, trips: int) -> str:
    """Say what the guarantee covers for this target."""
    loss = number(attack.guarantee.epsilon, 3)
    if parameters.unit == "trip" and trips > 1:
        return (
            f"Single trips are protected at ε = {parameters.epsilon:g}. {trips} trips of one "
            f"person together are protected only at {trips} × {parameters.epsilon:g} = {loss}."
        )
    return f"ε = {loss} protects {PROTECTED[parameters.unit]}."


def together(guarantee: Guarantee, unit: str) -> str:
    """Say what is left of the promise to one unit where several are in or out together."""
    group = guarantee.together(GROUP)
    whom = "trips made" if unit == "trip" else "people who travel"
    return (
        f"**{GROUP} {whom} together**, such as a household or a bus, are protected only at "
        f"{GROUP} × ε = {number(group.epsilon, 3)} in one release: of 100 guesses whether they are "
        f"in the data, up to {guesses(group.best_guess)} can be right, and so can guesses about "
        "one of them, by an attacker who believes that all travelled or none did. The guarantee "
        "for one holds against an attacker who knows the others or believes them independent."
    )


def suppressed(scenario: Scenario, parameters: ODParameters) -> str:
    """Say what suppression alone would do for this target, or that there is none."""
    if not suppresses(parameters):
        return (
            "Nothing is suppressed: a quiet route is as exposed as a busy one. The attacker is "
            "given the noisy numbers themselves, with all of ε in them; whoever sees only what is "
            "read from them can do no better."
        )
    shown = parameters.least_shown
    if scenario.flow + scenario.trips >= shown:
        return (
            f"Without noise, a flow of {scenario.flow + scenario.trips:,} is published as it is: "
            "an attacker who knows the others' trips is right 100 times out of 100. Suppression "
            "alone protects nobody here."
        )
    return (
        f"Flows below {shown} are set to 0, so this target is hidden as long as few others travel "
        "there: suppression does more here than noise."
    )


def busy(scenario: Scenario, parameters: ODParameters) -> str:
    """Say what the size of a flow changes."""
    if scenario.knows == "everything" and not suppresses(parameters):
        return "Noise protects every route equally, and nothing else protects a quiet one."
    if scenario.knows == "everything":
        return (
            "Noise protects every route that is shown equally; suppression protects quiet routes "
            "only."
        )
    return "The busier the route, the more the others' ordinary variation hides by itself."


def days_note(parameters: ODParameters, days: int) -> str:
    """Say how several daily matrices add up."""
    if parameters.unit == "person":
        return "One release covers the whole period, so there are no days to add up."
    same = "The same trips on each of these days, and the attacker knows which days. "
    return same + (
        f"The guarantee's line counts what {days} releases allow together; it is lower than the "
        f"plain sum of their losses, ε = {number(days * parameters.epsilon, 4)}."
        if parameters.unit == "person-day"
        else "Trips are protected one by one, so days add up without limit."
    )


def density_attacker(parameters: DensityParameters) -> str:
    """Say whom the attack on a density is the strongest on."""
    placed = (
        "if all their visits lie in one cluster; spread over several they can betray more"
        if by_cluster(parameters)
        else "wherever their visits lie"
    )
    return (
        "The attacker knows all visits of everybody else. Every stage that reads people is taken "
        "at its worst for this target, and all stages are composed: an upper bound, which a real "
        f"target need not reach. It holds {placed}."
    )

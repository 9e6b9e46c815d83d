"""Sentences of home: who is protected, what both columns cost, what the calculator says."""

from engine.ledger import Ledger, is_above
from engine.privacy import Guarantee
from pages._ui.shell.settings import Settings
from pages._ui.wording.numbers import scientific
from pages._ui.wording.privacy import ANALYTIC_NOTE, PROTECTED, aim, delta_warning, odds, up_to


def warnings(settings: Settings) -> list[str]:
    """Return what a person must know before reading the numbers: δ too large for the data."""
    visits = settings.density_data
    people = None if visits is None else visits.metadata.people_public
    warning = delta_warning(settings.delta, people)
    return [warning] if warning else []


def notes(settings: Settings, ledger: Ledger | None, *, flows: bool) -> list[str]:
    """Return who is protected against what, and what both columns cost.

    Parameters
    ----------
    ledger : Ledger or None
        Of the density shown.
    flows : bool
        Whether a matrix is shown.
    """
    visits, trips = settings.density_data, settings.od_data
    sentences = []
    above = ledger if ledger is not None and ledger.proved_exceeds_published else None
    shown = ledger is not None and above is None
    if flows or shown:
        delta = ledger.delta if ledger is not None and shown else 0.0
        sentences.append(
            risk(settings.epsilon, settings.unit, visits=shown, flows=flows, delta=delta)
        )
    if above is not None:
        factor, guess = odds(Guarantee(epsilon=above.proved_epsilon, delta=above.delta))
        sentences.append(
            "For a person's week of visits the proven privacy loss exceeds the stated ε: the odds "
            f"can shift by a factor of up to {factor}, and the best guess is right {guess} "
            "of the time" + (f"; {up_to(above.delta)}." if above.delta else ".")
        )
    if ledger is not None and flows and visits and trips and visits.name == trips.name:
        days = len(trips.metadata.days)
        sentences.append(same_people(ledger, settings.epsilon, settings.unit, days))
    if ledger is not None and settings.needs_analytic:
        sentences.append(ANALYTIC_NOTE)
    return sentences


def risk(
    epsilon: float, unit: str, *, visits: bool = True, flows: bool = True, delta: float = 1e-7
) -> str:
    """Say what ε means for what each column protects: odds and the best guess of membership.

    Parameters
    ----------
    visits, flows : bool
        Which columns it is said of.
    delta : float
        What the density spends; 0 where it spends none.
    """
    factor, guess = odds(Guarantee(epsilon=epsilon, delta=delta))
    protected = (("a person's week of visits", visits), (PROTECTED[unit], flows))
    held = " or ".join(what for what, shown in protected if shown)
    spent = f" For visits {up_to(delta)}." if visits and delta else ""
    more = (
        ""
        if not flows
        else {
            "person-day": " Every further day of a person that is published adds to it.",
            "trip": " For all trips of a person together the odds can shift by far more.",
        }.get(unit, "")
    )
    return (
        f"Even an attacker who knows all other records can shift the odds that {held} is in the "
        f"data by at most a factor of {factor} (e^ε), and can guess it right {guess} of "
        f"the time, where a coin toss gets 50%.{spent}{more}"
    )


def same_people(ledger: Ledger, epsilon: float, unit: str, days: int) -> str:
    """State the sum at person level where both mechanisms read the same people.

    The density counts with what it can be shown to cost where that exceeds the published ε; trip
    level protects another thing and is never added.

    Parameters
    ----------
    ledger : Ledger
        Of the density.
    epsilon : float
        The slider's ε, in full for each mechanism.
    """
    above = ledger.exceeds(epsilon)
    papers = is_above(epsilon, ledger.proved_epsilon)
    visits = float(f"{ledger.proved_epsilon:.3g}") if above else epsilon
    spent = f" with δ = {scientific(ledger.delta)}" if ledger.delta else ""
    if unit == "trip":
        return (
            f"Both columns read the same people. The density costs each person ε = {visits:g}"
            f"{spent}; trip level protects single trips and cannot be added to it."
        )
    trips = epsilon * days if unit == "person-day" else epsilon
    how = (
        f"{days} daily matrices at ε = {epsilon:g} each cost {trips:g}"
        if unit == "person-day"
        else f"the whole period costs {trips:g}"
    )
    return (
        f"Both columns read the same people. Publishing both would cost each person "
        f"ε = {visits + trips:g}{spent} in all"
        + (", as the papers count" if papers else "")
        + f": the density {visits:g}"
        + (" (best proved, more than is published)" if above else "")
        + f", and {how}."
    )


def calculator(
    alpha: int,
    confidence: float,
    max_trips: int,
    unit: str,
    *,
    flow: float,
    exact: float,
    published: float,
) -> str:
    """Say in one sentence what the calculator's numbers mean."""
    trips = "1 trip is" if max_trips == 1 else f"{max_trips} trips are"
    return (
        f"If {trips} kept per unit of protection, a published flow is within {alpha:,} of "
        f"{aim(unit)} {confidence:.0%} of the time from ε = {flow:.3g} on, and a change between "
        f"two days from ε = {exact:.3g} on, before small ones are suppressed. The published "
        f"formula for changes says {published:.3g}: it ignores rounding."
    )

"""Sentences of home: who is protected, what both columns cost, what the calculator says."""

import math

from engine.ledger import Ledger
from pages._ui.shell.settings import Settings
from pages._ui.wording.privacy import ANALYTIC_NOTE, PROTECTED, aim, delta_warning
from pages._ui.wording.ranges import RANGES

LEAD = (
    "Move a slider and see at once what privacy costs: how far private counts of visits and trips "
    "stray from the truth."
)


def warnings(settings: Settings) -> list[str]:
    """Return what a person must know before reading the numbers: δ too large for the data."""
    visits = settings.density_data
    people = None if visits is None else visits.metadata.people_public
    warning = delta_warning(settings.delta, people)
    return [warning] if warning else []


def notes(settings: Settings, limits: str, book: Ledger | None, *, flows: bool) -> list[str]:
    """Return who is protected against what, what both columns cost and what counts as usable.

    Parameters
    ----------
    book : Ledger or None
        Of the density shown.
    flows : bool
        Whether a matrix is shown.
    """
    visits, trips = settings.density_data, settings.od_data
    told = []
    above = book is not None and book.proved_exceeds_published
    if flows or (book is not None and not above):
        delta = 0.0 if book is None else book.delta
        shown = book is not None and not above
        told.append(risk(settings.epsilon, settings.unit, visits=shown, flows=flows, delta=delta))
    if book is not None and above:
        factor, guess = _odds(book.proved_epsilon)
        told.append(
            "For a person's week of visits less protection is proved than its ε promises: the odds "
            f"can shift by a factor of up to {factor}, and the best guess is right {guess} of the "
            "time" + (", but for a probability δ." if book.delta else ".")
        )
    told.append(f"{RANGES} {limits}")
    same = visits is not None and trips is not None and visits.name == trips.name
    if book is not None and flows and same:
        days = len(trips.metadata.days)
        told.append(same_people(settings.epsilon, settings.unit, days, book.proved_epsilon))
    if book is not None and settings.needs_analytic:
        told.append(ANALYTIC_NOTE)
    return told


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
    factor, guess = _odds(epsilon)
    protected = (("a person's week of visits", visits), (PROTECTED[unit], flows))
    held = ", ".join(what for what, shown in protected if shown)
    failing = " For visits this may fail with probability δ." if visits and delta else ""
    more = (
        ""
        if not flows
        else {
            "person-day": " Every further day of a person that is published adds to it.",
            "trip": " For all trips of a person together the odds can shift by far more.",
        }.get(unit, "")
    )
    return (
        f"Whoever knows everything else can shift the odds that the data holds what is protected – "
        f"{held} – by a factor of at most {factor} (e^ε): starting from a coin toss, the best "
        f"guess is right {guess} of the time.{failing}{more}"
    )


def _odds(epsilon: float) -> tuple[str, str]:
    """Return e^ε and the best possible guess at even odds, in words."""
    odds = math.exp(epsilon)
    guess = odds / (1 + odds)
    factor = f"{odds:.2f}" if odds < 10 else f"{odds:,.0f}"
    told = f"{100 * guess:.0f}%" if guess < 0.99 else f"{100 * guess:.2f}%"
    return factor, "more than 99.99%" if told == "100.00%" else told


def same_people(epsilon: float, unit: str, days: int, proved: float) -> str:
    """State the sum at person level where both mechanisms read the same people.

    The density counts with what it can be shown to cost where that exceeds the published ε; trip
    level protects another thing and is never added.

    Parameters
    ----------
    epsilon : float
        The slider's ε, in full for each mechanism.
    proved : float
        The best proved total of the density.
    """
    above = proved > epsilon * (1 + 1e-9)
    visits = float(f"{proved:.3g}") if above else epsilon
    if unit == "trip":
        return (
            f"Both columns read the same people. The density costs each person ε = {visits:g}; "
            "trip level protects single trips and cannot be added to it."
        )
    trips = epsilon * days if unit == "person-day" else epsilon
    how = (
        f"{days} daily matrices at ε = {epsilon:g} each cost {trips:g}"
        if unit == "person-day"
        else f"the whole period costs {trips:g}"
    )
    return (
        f"Both columns read the same people. Publishing both would cost each person "
        f"ε = {visits + trips:g} in all"
        + ("" if above else ", as the papers count")
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
        f"formula for changes says {published:.3g}: it forgets that both numbers are rounded."
    )

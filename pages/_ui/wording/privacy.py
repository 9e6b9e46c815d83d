"""What is protected, by what, and what it costs: sentences used on more than one page."""

from datetime import timedelta

from engine.datasets import Metadata
from engine.density import delta_is_large
from engine.ledger import Ledger
from engine.parameters import ODParameters
from engine.privacy import Guarantee
from pages._ui.wording.numbers import number, scientific, trip_count

UNITS = {
    "person-day": "one person's day",
    "person": "one person, whole period",
    "trip": "one single trip",
}
PROTECTED = {
    "person-day": "a person's trips of one day",
    "person": "a person's trips of the whole period",
    "trip": "one trip",
}
SUPPRESSION_ALONE = (
    "The least number that others show. A threshold alone protects nobody in a flow that is shown: "
    "whoever knows all its other trips learns whether one more is in it. The noise hides that."
)
_NEARLY, _CERTAIN = 0.985, 0.9995
"""Right guesses from which on a digit more is written, and from which on no more is said."""


def protection(unit: str, max_trips: int) -> str:
    """Say who is protected by the origin–destination noise."""
    if unit == "trip":
        return "each single trip (a person with many trips is protected less)"
    if unit == "person":
        return f"each person over the whole period, up to {trip_count(max_trips)}"
    return f"each person's day, up to {trip_count(max_trips)}"


def trip_level_reason(*, has_people: bool) -> str:
    """Say why T cannot be set at trip level."""
    if not has_people:
        return (
            "These flows name no people, so only single trips can be protected; T is 1 because "
            "nobody's trips can be counted."
        )
    return "Each trip is protected by itself and nobody is trimmed, so T is 1 and cannot be set."


def composition(parameters: ODParameters, about: Metadata) -> str:
    """Say what all days would cost beside the matrix that is shown.

    Days that are added up cost a person who travels on all of them as much as one by one.
    """
    days, matrices = len(about.days), len(about.periods)
    if days == 1:
        return "there is one day, and its release is all that is spent"
    if parameters.unit == "person":
        return f"one release of all {days} days together, spent once"
    if parameters.unit == "trip":
        return f"a trip lies on one day, so all {days} days together cost it no more"
    total = number(days * parameters.epsilon, 4)
    if matrices < days:
        return (
            f"all {days} days, added up to {matrices} {'matrix' if matrices == 1 else 'matrices'}, "
            f"cost a person who travels every day {days} × {parameters.epsilon:g} = {total}"
        )
    return f"all {days} days are {days} releases and cost a person {total} in all"


def trips_protection(parameters: ODParameters, about: Metadata) -> str:
    """Say who is protected, which trips are shown and what more of them would cost."""
    protected = protection(parameters.unit, parameters.max_trips_per_user)
    shown = "the whole period"
    if parameters.unit != "person":
        shown = period_names(about)[0]
        shown = f"the first {'day' if len(about.periods) == len(about.days) else 'matrix'}, {shown}"
    return f"Protects **{protected}**. Shown: {shown}; {composition(parameters, about)}."


def period_names(about: Metadata) -> list[str]:
    """Return what the matrices of a dataset are called: days, weeks or the whole period."""
    days, starts = about.days, about.periods
    if len(starts) == len(days):
        return [f"{day.day} {day:%B %Y}" for day in days]
    ends = [*(start - timedelta(days=1) for start in starts[1:]), days[-1]]
    return [
        f"{start.day} {start:%B} to {end.day} {end:%B %Y}"
        for start, end in zip(starts, ends, strict=True)
    ]


ANALYTIC_NOTE = (
    "Above a total ε of 4 the paper's theorem for Gaussian noise ends; this page uses the "
    "analytic Gaussian (Balle & Wang 2018), which is (ε, δ)-DP for every ε."
)


def odds(guarantee: Guarantee) -> tuple[str, str]:
    """Return e^ε and the best possible guess at even odds, in words.

    Examples
    --------
    >>> odds(Guarantee(epsilon=1.0)), odds(Guarantee(epsilon=10.0))
    (('2.72', 'at most 73%'), ('22,026', 'over 99.9%'))
    """
    factor = guarantee.odds_factor
    return (
        f"{factor:.2f}" if factor < 10 else f"{factor:,.0f}",
        guess_at_most(guarantee.best_guess),
    )


def guess(share: float, digits: int = 0) -> str:
    """Write a share of right guesses; near certainty with more digits, and never as certainty.

    Examples
    --------
    >>> guess(0.7311), guess(0.7311, 1), guess(0.99484), guess(0.99999)
    ('73%', '73.1%', '99.5%', 'over 99.9%')
    """
    if share >= _CERTAIN:
        return "over 99.9%"
    return f"{100 * share:.{max(digits, 1) if share >= _NEARLY else digits}f}%"


def guess_at_most(share: float, digits: int = 0) -> str:
    """Write the most right guesses that a guarantee allows.

    Examples
    --------
    >>> guess_at_most(0.7311), guess_at_most(0.99999)
    ('at most 73%', 'over 99.9%')
    """
    written = guess(share, digits)
    return written if share >= _CERTAIN else f"at most {written}"


def up_to(delta: float) -> str:
    """Say what (ε, δ)-DP of released counts means: the one sentence on δ."""
    return (
        "no attack succeeds more often than ε allows by more than "
        f"δ = {scientific(delta)}, which is what (ε, δ)-DP states"
    )


def delta_warning(delta: float, people: int | None) -> str | None:
    """Warn when δ exceeds one over the public estimate of people (erratum D7)."""
    if people is None or not delta_is_large(delta, people):
        return None
    return (
        f"δ = {scientific(delta)} is above one in {people:,} people: it would even allow the "
        f"records of about {number(delta * people)} of them to be published as they are. Choose a "
        "smaller δ."
    )


def ledger_line(ledger: Ledger) -> str:
    """State the published and the best proved total of a density release (erratum D1)."""
    spent = f" at δ = {scientific(ledger.delta)}" if ledger.delta else ""
    above = ", **more than is published**" if ledger.proved_exceeds_published else ""
    return (
        f"Privacy loss for each person, whole week: published ε = {ledger.published_epsilon:.3g}, "
        f"best proved ε = {ledger.proved_epsilon:.3g}{spent}{above}."
    )


def aim(unit: str, *, several: bool = False) -> str:
    """Name what noise leaves a flow, or several, near: not the truth where trimming comes first."""
    if unit == "trip":
        return "the truth"
    return "their counts after trimming" if several else "its count after trimming"

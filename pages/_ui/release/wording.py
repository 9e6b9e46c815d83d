"""Sentences of the Release page."""

from collections.abc import Sequence

from engine.release import Budget, Cost, Plan, Undercharged
from engine.release.entries import exact
from pages._ui.wording.numbers import counted

LEAD = (
    "Draw once with vetted noise, enter the cost in a ledger that survives, and pack the numbers "
    "with what a reader must know. Everything else in this tool is for exploring."
)
NOT_HERE = (
    "Releases are made on the custodian's own computer only. This page is served to others: start "
    "it there, or add -- --allow-release to the command that starts it."
)
FOURIER = (
    "The Fourier methods of the Density page add noise to real numbers and choose with "
    "floating-point weights. They stay in exploration; a release counts visits at towers in whole "
    "numbers."
)
READ = {
    "Origin–destination": "Every pair of zones is counted with whole-number noise, and a model "
    "reads all of them together. The bundle holds both: what was measured, with bars that hold "
    "whatever your data, and what was read.",
    "Density": "Visits are counted at five zoom levels with whole-number noise, and a model reads "
    "them together. The bundle holds what was measured beside what was read. This method costs δ "
    "as well: the budget must hold some.",
}
TRIP = (
    "Trip level hides single trips and protects no person who made several. It is marked so on "
    "every file, and needs your consent in words."
)
NO_BUDGET = (
    "No budget has been declared for the people in this dataset. Declare it once: it is the most "
    "that being in the data may ever add to what all releases together tell about one of them."
)
WHOSE = {
    "new": "People of whom nothing was released yet",
    "same": "People who have a budget already: what several datasets tell about them adds up",
}
TUNED = {
    "public": "By a public rule, without looking at data",
    "simulated": "On simulated data of similar size",
    "other period": "On another period of the same source",
    "these data": "On these very data (a leak that no theorem covers)",
}
UNIT_WORDS = {"trip": "trip", "person-day": "person and day", "person": "person"}


def cost(plan: Plan, budget: Budget, charged: Cost) -> str:
    """Say what the release costs and what is left after it.

    Examples
    --------
    >>> from types import SimpleNamespace as some
    >>> cost(some(epsilon=0.1, unit="person-day", days=7, delta=0),
    ...      some(unit="person", left_epsilon=2.0), Cost(epsilon=0.7))
    'Privacy loss (ε) of 0.1 per person and day on 7 days costs a person 0.7; 1.3 is left after it.'
    """
    words = UNIT_WORDS[plan.unit]
    days = f" on {plan.days} days" if plan.unit == "person-day" and plan.days > 1 else ""
    left = float(exact(budget.left_epsilon) - exact(charged.epsilon))
    delta = f" (and δ = {charged.delta:.3g})" if charged.delta else ""
    finer = _FINER.get((plan.unit, budget.unit), "")
    return (
        f"Privacy loss (ε) of {plan.epsilon:g} per {words}{days} costs a "
        f"{UNIT_WORDS[budget.unit]} {charged.epsilon:.6g}{delta}; {left:.6g} is left after it."
        f"{finer}"
    )


_DAY = (
    " A budget per person and day pays for two changes: without one day a person is still there, "
    "and other trips or visits move into the freed places."
)
_TRIP = (
    " A budget per trip pays for two changes: without one trip another of the same person may take "
    "its place."
)
_FINER = {
    ("person", "person-day"): _DAY,
    ("person", "trip"): _TRIP,
    ("person-day", "trip"): _TRIP,
}


def undercharged_words(releases: Sequence[Undercharged]) -> str:
    """Name the releases that an older rule charged too little."""
    return (
        "An older rule charged too little. Nothing was rewritten; what is missing counts as spent "
        "when the next release is checked: " + "; ".join(one.words for one in releases) + "."
    )


def budget_line(budget: Budget) -> str:
    """Say how much of a budget is spent."""
    delta = f", δ = {budget.spent_delta:g} of {budget.delta:g}" if budget.delta else ""
    return (
        f"**{budget.people}**: ε = {budget.spent_epsilon:g} of {budget.epsilon:g}{delta} spent per "
        f"{UNIT_WORDS[budget.unit]} in {counted(budget.releases, 'release')}. May be raised by "
        f"{', '.join(budget.raised_by)}, on the command line."
    )

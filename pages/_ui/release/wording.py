"""Sentences of the Release page."""

from engine.release import Budget, Cost, Outlook, Plan
from engine.release.ledger import exact
from engine.usability import CONFIDENCE
from pages._ui.wording.numbers import counted, percent

LEAD = (
    "Draw once with vetted noise, enter the cost in a ledger that survives, and pack the numbers "
    "with what a reader must know. Everything else in this tool is for exploring."
)
NOT_HERE = (
    "Releases are made on the custodian's own computer only. This page is served to others: start "
    "it there, or add -- --allow-release to the command that starts it."
)
NO_NOISE = (
    "A release takes its noise from OpenDP, which is not installed here. Install it with "
    'pip install "mobility-privacy-explorer[release]", and start the explorer again.'
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
    "that being in the data may ever add to what all releases together reveal about one of them."
)
WHOSE = {
    "new": "People about whom nothing has been released yet",
    "same": "People who have a budget already: what several datasets reveal about them adds up",
}
NOISE_ALONE = (
    "Exact, from the law of the noise: your data were not looked at. Sizes are kept counts: "
    "trips dropped by trimming are not in them."
)
LEAK = (
    "This reads the data that would be released. Whoever changes a setting after seeing it has "
    "chosen it on these very data: a leak that no theorem covers, and that the statement must name."
)
JUDGED = (
    "You have looked at the verdict by these data. If it moved any setting, they are what the "
    "settings were chosen on."
)
TUNED = {
    "public": "By a public rule, without looking at data",
    "simulated": "On simulated data of similar size",
    "twin": "On a twin, made of public facts alone",
    "other period": "On another period, with other people in it",
    "same people": "On another period, with the same people in it (a leak about them)",
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
_FINER = {("person", "person-day"): _DAY, ("person", "trip"): _TRIP, ("person-day", "trip"): _TRIP}


def noise_alone(outlook: Outlook) -> str:
    """Say what the noise alone allows of one kind of number.

    Examples
    --------
    >>> noise_alone(Outlook(what="a flow", empty="an empty pair of zones", least=15,
    ...                     empty_shown=0.4, near_from=480))[:76]
    'At these settings an empty pair of zones is shown, as 15 or more, in 40.0% o'
    """
    reads = "reads 1 or more" if outlook.least == 1 else f"is shown, as {outlook.least} or more,"
    what = outlook.what
    return (
        f"At these settings {outlook.empty} {reads} in {percent(outlook.empty_shown)} of cases; "
        f"{what} reads within a quarter of its kept size (in {CONFIDENCE:.0%} of releases) only "
        f"from a kept count of **{outlook.near_from:,}** on."
    )


def budget_line(budget: Budget) -> str:
    """Say how much of a budget is spent."""
    delta = f", δ = {budget.spent_delta:g} of {budget.delta:g}" if budget.delta else ""
    return (
        f"**{budget.people}**: ε = {budget.spent_epsilon:g} of {budget.epsilon:g}{delta} spent per "
        f"{UNIT_WORDS[budget.unit]} in {counted(budget.releases, 'release')}. "
        "May be raised by "
        f"{', '.join(budget.raised_by)}, on the command line."
    )

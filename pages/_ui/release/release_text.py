"""Sentences of the Release page."""

from engine.privacy import Guarantee, format_guess_rate
from engine.release import Budget, BudgetCost, ReleasePlan
from engine.release.budget_ledger import BudgetUnit, to_decimal_fraction
from engine.text.numbers import count_noun, make_inert

NOT_HERE = (
    "Releases are made on the custodian's own computer only. This page is served to others: start "
    "it there, or add -- --allow-release to the command that starts it."
)
NOTHING_YET = "Nothing leaves this computer, and nothing is spent, before you confirm below."
NO_BUDGET = (
    "The {} in this dataset have no budget yet. The person who answers for their data declares it "
    "once, for all releases together. It limits an attacker who knows all others' data and guesses "
    "whether one is in them. If all is spent at once, at "
    + ", at ".join(
        f"ε {eps} {format_guess_rate(Guarantee(epsilon=eps).max_guess_rate)}" for eps in (1, 2, 4)
    )
    + " are correct. A coin gets 50."
)
SEE_BIAS = (
    "The statement in the bundle says under *Bias* how sums are biased and which column to add up."
)
SUMS = (
    "Totals of zones and of all trips are unbiased only before suppression. Suppressed counts can "
    "be computed back from such totals: τ is then for reading, not for secrecy."
)
WHOSE = {
    "new": "People about whom nothing has been released yet",
    "same": "People who have a budget already: what several datasets reveal about them adds up",
}
LEAK = (
    "This uses the data that would be released. A setting that you change after seeing it was "
    "chosen on these very data. No theorem covers that leak, and the statement must name it."
)
JUDGED = (
    "You have looked at the verdict by these data. If it moved any setting, they are what the "
    "settings were chosen on."
)
TUNING_CHOICES = {
    "public": "By a public rule, without looking at data",
    "simulated": "On simulated data of similar size",
    "twin": "On a twin, made of public facts alone",
    "other period": "On another period, with other people in it",
    "same people": "On another period, with the same people in it (a leak about them)",
    "these data": "On these very data (a leak that no theorem covers)",
}
_START_S, _NUMBER_S, _ESTIMATE_S = 1.0, 7e-6, 16e-6
"""Seconds on an idle core: of any release, of each noisy number, and of each that is estimated.

Measured on 156,450 to 2,873,700 numbers; a secure draw of noise takes most of them.
"""
UNITS: dict[BudgetUnit, str] = {"trip": "trip", "person-day": "person and day", "person": "person"}
_FINER_NOTES = {
    "person-day": " A budget per person and day pays for two changes. Without one day a person is "
    "still there, and other trips or visits move into the freed places.",
    "trip": " A budget per trip pays for two changes: without one trip another of the same person "
    "may take its place.",
}


def estimate_release_s(plan: ReleasePlan) -> float:
    """Return the seconds that a release takes on an idle computer, from its size alone."""
    return _START_S + plan.cell_count * (_ESTIMATE_S if plan.has_estimates else _NUMBER_S)


def describe_cost(plan: ReleasePlan, budget: Budget, charged: BudgetCost) -> str:
    """Return the cost of the release and the budget left after it, in words."""
    days = f" on {plan.days} days" if plan.unit == "person-day" and plan.days > 1 else ""
    rest = float(
        to_decimal_fraction(budget.remaining_epsilon) - to_decimal_fraction(charged.epsilon)
    )
    delta = f" (and δ = {charged.delta:.3g})" if charged.delta else ""
    coarser = list(UNITS).index(plan.unit) > list(UNITS).index(budget.unit)
    return (
        f"Privacy loss (ε) of {plan.epsilon:g} per {UNITS[plan.unit]}{days} costs a "
        f"{UNITS[budget.unit]} ε = {charged.epsilon:.6g}{delta}; {rest:.6g} is left after it."
        + _FINER_NOTES.get(budget.unit, "")
        * coarser
    )


def describe_budget(budget: Budget) -> str:
    """Return how much of a budget is spent, in words."""
    delta = f", δ = {budget.spent_delta:g} of {budget.delta:g}" if budget.delta else ""
    people = make_inert(budget.people)
    return (
        f"**{people}**: ε = {budget.spent_epsilon:g} of {budget.epsilon:g}{delta} spent per "
        f"{UNITS[budget.unit]} in {count_noun(budget.release_count, 'release')}. "
        f"May be raised by {', '.join(map(make_inert, budget.managers))}, on the command line."
    )

"""Sentences of the Release page."""

from engine.privacy import Guarantee, format_guess_rate
from engine.release import Budget, BudgetCost, ReleasePlan
from engine.release.budget_ledger import BudgetUnit, to_decimal_fraction
from engine.text.numbers import count_noun, make_inert

NOT_HERE = (
    "Releases are made on the custodian's own computer only, but this page is served to others. "
    "Start the explorer on that computer, or start it with -- --allow-release."
)
NOTHING_YET = "Nothing is published and no budget is spent until you confirm below."
NO_BUDGET = (
    "The {} in this dataset have no budget yet. The person who answers for their data declares it "
    "once, for all releases together. It limits an attacker who knows all others' data and guesses "
    "whether one is in them. If one release spends all at once, at "
    + ", at ".join(
        f"ε {eps} {format_guess_rate(Guarantee(epsilon=eps).max_guess_rate)}" for eps in (1, 2, 4)
    )
    + " are correct. A coin gets 50. The same ε in parts, such as a part each day with noise "
    "of its own, allows fewer."
)
SEE_BIAS = (
    "The statement in the bundle says under *Bias* how sums are biased and which column to add up."
)
SUMS = (
    "Totals of zones and of all trips are unbiased only before suppression. Suppressed noisy "
    "counts can be computed from such totals, true counts cannot: the noise protects, not τ."
)
WHOSE = {
    "new": "New people: nothing about them has been released before",
    "same": "People with an existing budget: losses from several datasets add up",
}
LEAK = (
    "This uses the data that would be released. A setting that you change after seeing it was "
    "chosen on these very data. No theorem covers that leak, and the statement must name it."
)
JUDGED = (
    "You have seen the utility computed from these data. If that changed any setting, answer “On "
    "these very data”."
)
TUNING_CHOICES = {
    "public": "By a public rule, without looking at data",
    "simulated": "On simulated data of similar size",
    "twin": "On a twin (simulated people from public facts only)",
    "other period": "On another period, with other people in it",
    "same people": "On another period with the same people (reveals something about them)",
    "these data": "On these very data (reveals something that no theorem covers)",
}
_START_S, _NUMBER_S, _ESTIMATE_S = 1.0, 7e-6, 16e-6
"""Seconds on an idle core: of any release, of each noisy number, and of each that is estimated.

Measured on 156,450 to 2,873,700 numbers; a secure draw of noise takes most of them.
"""
UNITS: dict[BudgetUnit, str] = {"trip": "trip", "person-day": "person and day", "person": "person"}
_FINER_NOTES = {
    "person-day": " A budget per person and day pays for two changes. Without one day a person is "
    "still there, and other trips or visits move into the freed places.",
    "trip": " A budget per trip is charged for two changes. If one trip is removed, another trip "
    "of the same person may take its place.",
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
        f"This release has ε = {plan.epsilon:g} per {UNITS[plan.unit]}{days}. It costs ε = "
        f"{charged.epsilon:.6g}{delta} per {UNITS[budget.unit]}, and {rest:.6g} of the budget "
        "remains." + _FINER_NOTES.get(budget.unit, "") * coarser
    )


def describe_budget(budget: Budget) -> str:
    """Return how much of a budget is spent, in words."""
    delta = f", δ = {budget.spent_delta:g} of {budget.delta:g}" if budget.delta else ""
    people = make_inert(budget.people)
    return (
        f"**{people}**: ε = {budget.spent_epsilon:g} of {budget.epsilon:g}{delta} spent per "
        f"{UNITS[budget.unit]} in {count_noun(budget.release_count, 'release')}. "
        f"{', '.join(map(make_inert, budget.managers))} may raise the budget on the command line."
    )

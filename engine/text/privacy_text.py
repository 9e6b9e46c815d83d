"""What is protected, by what, and what it costs: sentences used on more than one page."""

from ..density import is_delta_large
from ..origin_destination.suppression_alone import SubtractionAttack
from ..privacy import GROUP_SIZE, Risk, format_guess_limit
from .numbers import number, scientific

UNIT_LABELS = {
    "person-day": "one person's day",
    "person": "one person, whole period",
    "trip": "one single trip",
}


TRIP_LEVEL = "Each trip is protected by itself. Nobody's trips are left out, so T is fixed at 1."

PAIR_ONLY = "one pair a person"
PEOPLE_ONCE = (
    "Each person counts once over the whole period, from home to work. So T is 1, one matrix holds "
    "the period, and a person is protected."
)

ANALYTIC_NOTE = (
    "The paper's theorem for Gaussian noise ends at a total ε of 4. Above it, this page uses the "
    "analytic Gaussian (Balle & Wang 2018), which is (ε, δ)-DP for every ε."
)


def describe_gauge_guesses(risk: Risk, *, mark: str = "") -> str:
    """Return how often an attacker is right at most; `mark` encloses the number."""
    words, count = format_guess_limit(risk.max_guess_rate).rsplit(" ", 1)
    return f"{words} {mark}{count} of 100{mark} guesses are right"


def describe_gauge_note(risk: Risk, one_day_guess_rate: float | None) -> str:
    """Return the attacker's question, and the limits of one day, a coin and other questions."""
    data = "the data" if risk.releases == 1 else f"these {risk.releases} days"
    others = "Coin: 50."
    if one_day_guess_rate is not None:
        count = format_guess_limit(one_day_guess_rate).rsplit(" ", 1)[1]
        others = f"One day: {count}; coin: 50."
    homes = "homes" if risk.covers_person else "routes"
    versions = format_guess_limit(risk.max_version_guess_rate).rsplit(" ", 1)[1]
    family = format_guess_limit(risk.max_group_guess_rate).rsplit(" ", 1)[1]
    return (
        f"Is {name_subject(risk)} in {data}? {others} "
        f"Not graded: which of two {homes}: {versions}; family of {GROUP_SIZE}: {family}"
    )


def name_versions(risk: Risk) -> str:
    """Return what an attacker may have to tell apart, of which two are possible."""
    return "homes a person has" if risk.covers_person else "routes a trip took"


def name_subject(risk: Risk) -> str:
    """Return who or what an attacker's guess is about."""
    return "a person" if risk.covers_person else "a trip"


SUPPRESSION_ALONE = "No noise, flows suppressed below"


def describe_subtraction(attack: SubtractionAttack, last_day: str) -> str:
    """Return what two tables that both obey the rule give away.

    >>> describe_subtraction(SubtractionAttack(7, 394, 306, 18), "7 March")  # doctest: +ELLIPSIS
    'Two tables that both obey this rule, of 7 days and of the first 6, differ by the flows of 7...'
    """
    tables = (
        f"Two tables that both obey this rule, of {attack.days} days and of the first "
        f"{attack.days - 1}, differ by the flows of {last_day}"
    )
    if not attack.hidden_flows:
        return f"{tables}. The rule hides no flow of that day."
    return (
        f"{tables}: of {attack.hidden_flows:,} flows that it hides that day "
        f"{attack.read_flows:,} can be read exactly, {attack.single_flows:,} of them a single trip."
    )


def delta_warning(delta: float, people: int | None) -> str | None:
    """Warn when δ exceeds one over the public estimate of people (erratum D7)."""
    if people is None or not is_delta_large(delta, people):
        return None
    return (
        f"δ = {scientific(delta)} is larger than 1 in {people:,} people. Such a δ would even "
        f"allow the records of about {number(delta * people)} people to be published unprotected. "
        "Choose a smaller δ."
    )


def name_noise_centre(unit: str) -> str:
    """Name what noise leaves a flow near: not the truth where trimming comes first."""
    return "the truth" if unit == "trip" else "its count within the contribution limit"

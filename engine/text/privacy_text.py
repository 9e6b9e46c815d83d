"""What is protected, by what, and what it costs: sentences used on more than one page."""

from ..density import is_delta_large
from .numbers import number, scientific

UNIT_LABELS = {
    "person-day": "one person's day",
    "person": "one person, whole period",
    "trip": "one single trip",
}


TRIP_LEVEL = "Each trip is protected by itself and nobody is trimmed, so T is 1 and cannot be set."

PAIR_ONLY = "one pair a person"
PEOPLE_ONCE = (
    "Each person counts once over the whole period, from home to work. So T is 1, one matrix holds "
    "the period, and a person is protected."
)

ANALYTIC_NOTE = (
    "Above a total ε of 4 the paper's theorem for Gaussian noise ends; this page uses the "
    "analytic Gaussian (Balle & Wang 2018), which is (ε, δ)-DP for every ε."
)


def delta_warning(delta: float, people: int | None) -> str | None:
    """Warn when δ exceeds one over the public estimate of people (erratum D7)."""
    if people is None or not is_delta_large(delta, people):
        return None
    return (
        f"δ = {scientific(delta)} is above one in {people:,} people: it would even allow the "
        f"records of about {number(delta * people)} of them to be published as they are. Choose a "
        "smaller δ."
    )


def name_noise_centre(unit: str) -> str:
    """Name what noise leaves a flow near: not the truth where trimming comes first."""
    return "the truth" if unit == "trip" else "its count after trimming"

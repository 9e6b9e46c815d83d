"""Words of the report page: short sentences, plain first."""

from collections.abc import Mapping

from engine import report
from engine.arrays import Integers
from engine.report import Analysis, ReportRelease, Result
from pages._ui.wording.numbers import joined, number, percent

LEAD = (
    "What is in these data? How many trips, when, where, how far and how regular – all under one "
    "privacy loss."
)
UNITS = {"user": "A person with all trips", "item": "A single trip"}
METHODS = {key: method.name for key, method in report.METHODS.items()}
LOSSES = {
    "smape": "SMAPE",
    "js_divergence": "Jensen–Shannon",
    "kl_divergence": "Kullback–Leibler",
    "earth_movers_distance": "Earth mover's",
    "mean_relative_error": "Relative error",
    "pearson": "Pearson",
    "kendall_tau": "Kendall's τ",
    "top_10_coverage": "Top 10 found",
}
SHORT = {
    Analysis.STATISTICS: "Size",
    Analysis.MISSING: "Missing",
    Analysis.DAYS: "Days",
    Analysis.WEEKDAYS: "Weekdays",
    Analysis.HOURS: "Hours",
    Analysis.ZONES: "Zones",
    Analysis.ZONE_WINDOWS: "Zones by time",
    Analysis.FLOWS: "Flows",
    Analysis.TRAVEL_TIME: "Travel time",
    Analysis.JUMP_LENGTH: "Jumps",
    Analysis.TRIPS_PER_USER: "Trips a person",
    Analysis.TIME_BETWEEN: "Time between",
    Analysis.GYRATION: "Gyration",
    Analysis.ZONES_PER_USER: "Zones a person",
    Analysis.ENTROPY: "Entropy",
}
NO_REPORT = (
    "The dataset {name} has no mobility report. A report is built from people's trips when a "
    "table is read: build the dataset again on the Data page, or choose one that has a report."
)
INSTEAD = " **Shown below: {name}.**"
OFF = {
    "unit": "Counts of people need a person as the unit of protection.",
    "travel": "These trips were found between sightings: how long a trip took is not known.",
    "empty": "With one trip per person there is no time between trips.",
    "weight": "Switched off: its share goes to the others.",
}
RANGES = (
    "Small beside each private number: a range around it that holds the kept number nine times in "
    "ten. Trips beyond M are not in this range."
)
KEPT = (
    "Light grey: all trips. Dark line: the kept ones. Blue: private, with the range that noise "
    "leaves nine times in ten."
)


def cost(result: Result, *, locked: bool) -> str:
    """Say what an analysis costs, or what it follows from."""
    if result.sources:
        return "free: derived"
    return f"ε = {result.epsilon:.3g}{', locked' if locked else ''}"


def derived(result: Result) -> str:
    """Say what an analysis follows from."""
    names = joined([SHORT[source].lower() for source in result.sources])
    return f"Follows from {names}: it is not asked again and costs nothing."


def clear(result: Result, kept: Integers) -> str:
    """Say how many numbers clearly exceed the noise."""
    share = result.clear_share(kept)
    if share != share:
        return ""
    return f"{percent(share)} of its numbers above 0 clearly exceed the noise."


def small(value: float) -> str:
    """Write a loss with three decimals.

    Examples
    --------
    >>> small(0.25), small(0.0002), small(float("nan")), small(float("inf"))
    ('0.250', '<0.001', '–', '∞')
    """
    if value != value:
        return "–"
    if value == float("inf"):
        return "∞"
    return "<0.001" if 0 < value < 0.0005 else f"{value:.3f}".replace("-", "−")


def loss(name: str, value: float, unit: str) -> str:
    """Say one loss with its name."""
    shown = f"{number(value)} {unit}" if name == "earth_movers_distance" else small(value)
    return f"{LOSSES[name]} {shown}"


def shares(asked: Mapping[Analysis, float]) -> str:
    """Say the shares of ε where the bar is too narrow for their names."""
    text = joined([f"{SHORT[what].lower()} {percent(share)}" for what, share in asked.items()])
    return f"Shares of ε: {text}."


def spent(release: ReportRelease) -> str:
    """Say what the whole report costs and what is left."""
    params = release.parameters
    left = params.plan.unspent
    rest = f"; {left:.1%} of ε is not spent" if left > 5e-4 else ""
    whom = "person" if params.unit == "user" else "trip"
    return (
        f"All analyses together cost each {whom} ε = {release.ledger.proved_epsilon:.4g} of "
        f"{params.epsilon:g}{rest}."
    )

"""All sentences a person reads more than once: plain words first, the symbol in brackets."""

import math
from collections.abc import Sequence

from engine.parameters import ODParameters

PARTS = {"density": "visits", "trips": "trips"}

VARIANTS = {
    "efpag_joint": "Fourier, one joint choice (recommended)",
    "efpag": "Fourier with Gaussian noise (P1's EFPAG)",
    "efpa": "Fourier with Laplace noise (EFPA)",
    "lpa": "Laplace on every count (LPA)",
    "towers_laplace": "Naive: Laplace on tower counts",
    "zones_laplace": "Naive: Laplace on zone counts",
}
SHORT_VARIANTS = {
    "efpag_joint": "EFPAG, joint",
    "efpag": "EFPAG",
    "efpa": "EFPA",
    "lpa": "LPA",
    "towers_laplace": "Laplace, towers",
    "zones_laplace": "Laplace, zones",
}
UNITS = {
    "person-day": "one person's day",
    "person": "one person, whole period",
    "trip": "one single trip",
}

HELP = {
    "epsilon": "How much one person's data may change what is published. At ε = 0.1 an attacker's "
    "odds change by at most 11%, at ε = 1 by a factor of 2.7, at ε = 4 by a factor of 55.",
    "delta": "The guarantee may fail with this probability. It should stay well below one over "
    "the number of people.",
    "max_visits": "At most this many visits of a person are counted in the week, chosen at random. "
    "Fewer means less noise, but heavier sampling.",
    "cluster_minimum": "Cells are joined until a group has this many visits. 0 makes every cell "
    "its own group; empty takes the paper's formula.",
    "variant": "How noise is added to the density. The recommended method keeps the published "
    "budget by a simple proof.",
    "unit": "Whose trace is hidden. One trip protects least, the whole period of a person most.",
    "max_trips": "At most this many trips of a person are counted per day (or over the whole "
    "period). More trips kept means more noise: its scale is T/ε.",
    "threshold": "Published flows below this number are set to 0.",
    "density_data": "Whose visits the density is computed from.",
    "od_data": "Whose trips the flows are computed from.",
}

SIMULATED_BANNER = "Simulated people: nobody real is in this data."
CONFIDENTIAL_BANNER = (
    "**Computed from confidential data** – for the data's custodians, not for publication."
)
NOT_A_RELEASE = (
    "Everything on this page is exploration, **not a release**: it compares with the truth and "
    "may be drawn again."
)
NO_DATASET = (
    "No dataset is installed. Make the demonstration city with `python -m engine.synthetic` or "
    "build one from your own files with `python -m engine.ingest`."
)


def scientific(value: float) -> str:
    """Write a small number as ``2e-6`` (also what stands in the URL)."""
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def number(value: float, digits: int = 2) -> str:
    """Write a number for people: thousands with commas, small ones with `digits` figures.

    A value that does not exist (NaN) is a dash.

    Examples
    --------
    >>> number(12345.6), number(0.12345), number(float("nan"))
    ('12,346', '0.12', '–')
    """
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.{digits}g}" if abs(value) < 10 else f"{value:.1f}"


def percent(share: float) -> str:
    """Write a share as a percentage: one decimal below 100%, none above.

    Examples
    --------
    >>> percent(0.0456), percent(12.34), percent(0.0001), percent(float("nan"))
    ('4.6%', '1,234%', 'under 0.1%', '–')
    """
    if not math.isfinite(share):
        return "–"
    value = 100 * share
    if 0 < abs(value) < 0.05:
        return "under 0.1%"
    return f"{value:.1f}%" if abs(value) < 99.95 else f"{value:,.0f}%"


def metres(value: float) -> str:
    """Write a distance: metres below one kilometre, else kilometres."""
    if not math.isfinite(value):
        return "–"
    return f"{value:.0f} m" if value < 999.5 else f"{value / 1000:.1f} km"


def joined(parts: Sequence[str]) -> str:
    """Join words with commas and a last *and*."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def protection(unit: str, max_trips: int) -> str:
    """Say who is protected by the origin–destination noise."""
    if unit == "trip":
        return "each single trip (a person with many trips is protected less)"
    if unit == "person":
        return f"each person over the whole period, up to {max_trips} trips"
    return f"each person's day, up to {max_trips} trips"


def risk(epsilon: float) -> str:
    """Say what ε means for one person: odds and the best guess of membership."""
    odds = math.exp(epsilon)
    guess = odds / (1 + odds)
    factor = f"{odds:.2f}" if odds < 10 else f"{odds:,.0f}"
    guess_text = f"{100 * guess:.0f}%" if guess < 0.99 else f"{100 * guess:.2f}%"
    return (
        f"Whoever knows everything else can shift the odds that a person is in the data by a "
        f"factor of at most {factor} (e^ε): starting from a coin toss, the best guess is right "
        f"{guess_text} of the time."
    )


def trip_level_reason(*, has_people: bool) -> str:
    """Say why T cannot be set at trip level."""
    if not has_people:
        return (
            "These flows name no people, so only single trips can be protected; T is 1 because "
            "nobody's trips can be counted."
        )
    return "Each trip is protected by itself and nobody is trimmed, so T is 1 and cannot be set."


def same_people(epsilon: float, unit: str, days: int) -> str | None:
    """State the sum at person level where both mechanisms read the same people, else None.

    Trip level protects another thing and is never added.
    """
    if unit == "trip":
        return (
            f"Both columns read the same people. The density costs each person ε = {epsilon:g}; "
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
        f"ε = {epsilon + trips:g} in all: the density {epsilon:g}, and {how}."
    )


def composition(parameters: ODParameters, days: int) -> str:
    """Say what the matrix on the page costs and what all days would."""
    if parameters.unit == "person":
        return "One release covers the whole period; it is spent once."
    if parameters.unit == "trip":
        return "Every trip lies on one day, so all days together cost a trip no more than one."
    return (
        f"The first day is shown. All {days} days are {days} releases and cost a person "
        f"{days} × {parameters.epsilon:g} = {days * parameters.epsilon:g}."
    )


ANALYTIC_NOTE = (
    "Above a total ε of 4 the paper's theorem for Gaussian noise ends; this page uses the "
    "analytic Gaussian (Balle & Wang 2018), which is (ε, δ)-DP for every ε."
)


def delta_warning(delta: float, people: int | None) -> str | None:
    """Warn when δ exceeds one over the public estimate of people (erratum D7)."""
    if people is None or delta * people <= 1:
        return None
    return (
        f"δ = {scientific(delta)} is above one in {people:,} people: about "
        f"{number(delta * people)} of them may be left without the guarantee. Choose a smaller δ."
    )


def ledger_line(published: float, proved: float, delta: float) -> str:
    """State the published and the best proved total of a density release (erratum D1)."""
    return (
        f"Privacy loss for each person, whole week: published ε = {published:.3g}, best proved "
        f"ε = {proved:.3g} at δ = {scientific(delta)}."
    )


def usual_range(flow: int, error: float, threshold: int) -> str:
    """Say how a flow will usually read, from the error held in 95% of cases."""
    low, high = math.floor(flow - error), math.ceil(flow + error)
    shown = f"0 (suppressed) and {high:,}" if low < max(threshold, 1) else f"{low:,} and {high:,}"
    return f"a flow of {flow:,} will usually read between {shown}"


def fixed(value: float) -> str:
    """Write a correlation with three decimals; a dash where there is none."""
    return f"{value:.3f}" if math.isfinite(value) else "–"


def density_error(error: float) -> str:
    """Say what a mean relative error means."""
    if not math.isfinite(error):
        return "There is no zone with visits to compare."
    if error > 1:
        return "A zone's hourly count is typically wrong by more than its own size."
    return f"A zone's hourly count of 100 is typically off by {100 * error:.0f}."


def density_rhythm(correlation: float) -> str:
    """Say what a mean correlation over the week means."""
    if not math.isfinite(correlation):
        return "No rhythm is left: the private series do not vary."
    if correlation >= 0.95:
        return "Peaks and nights of a zone are kept almost exactly."
    if correlation >= 0.8:
        return "Peaks and nights of a zone are kept, details blur."
    return "The rhythm is blurred." if correlation >= 0.4 else "The rhythm of most zones is lost."


def density_displacement(distance_m: float) -> str:
    """Say what an earth mover's distance means."""
    if not math.isfinite(distance_m):
        return "The private map is empty: nothing to compare."
    return f"As if every visit had moved by {metres(distance_m)} on average."

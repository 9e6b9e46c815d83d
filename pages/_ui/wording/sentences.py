"""All sentences a person reads more than once: plain words first, the symbol in brackets."""

import math
import re
from collections.abc import Sequence
from datetime import date

from engine.origin_destination import reading
from engine.parameters import ODParameters

SHARE = (
    "The address of this page holds these settings: copy it to share the view. Data, noise and the "
    "name of a dataset of your own are never in it."
)
WORD_JOINER = "\u2060"
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
PROTECTED = {
    "person-day": "a person's trips of one day",
    "person": "a person's trips of the whole period",
    "trip": "one trip",
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

SIMULATED_BANNER = "Simulated people"
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
    """Write a share as a percentage: one decimal below 100%, none above, and no more than 100 fold.

    Examples
    --------
    >>> percent(0.0456), percent(12.34), percent(0.0001), percent(float("nan")), percent(1e6)
    ('4.6%', '1,234%', '<0.1%', '–', '>10,000%')
    """
    if not math.isfinite(share):
        return "–"
    value = 100 * share
    if 0 < abs(value) < 0.05:
        return "<0.1%"
    if value > 10_000:
        return ">10,000%"
    return f"{value:.1f}%" if abs(value) < 99.95 else f"{value:,.0f}%"


def metres(value: float) -> str:
    """Write a distance: metres below one kilometre, else kilometres."""
    if not math.isfinite(value):
        return "–"
    return f"{value:.0f} m" if value < 999.5 else f"{value / 1000:.1f} km"


def joined(parts: Sequence[str]) -> str:
    """Join words with commas and a last *and*."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def inert(name: str) -> str:
    r"""Return a name that markdown shows as it is: no link, picture, formula or colour.

    Examples
    --------
    >>> print(inert("![x](http://a.b)").replace(WORD_JOINER, ""))
    \!\[x\]\(http\:\/\/a\.b\)
    """
    escaped = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(name.split()))
    # addresses become links even so, unless something invisible stands in them
    return re.sub(r"(?i)(\\:\\/|www(?=\\\.)|\\@)", f"\\1{WORD_JOINER}", escaped)


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


def composition(parameters: ODParameters, days: int) -> str:
    """Say what all days would cost beside the matrix that is shown."""
    if parameters.unit == "person":
        return f"one release of all {days} days together, spent once"
    if parameters.unit == "trip":
        return f"a trip lies on one day, so all {days} days together cost it no more"
    total = number(days * parameters.epsilon, 4)
    return f"all {days} days are {days} releases and cost a person {total} in all"


def trips_protection(parameters: ODParameters, days: Sequence[date]) -> str:
    """Say who is protected, which trips are shown and what more of them would cost."""
    protected = protection(parameters.unit, parameters.max_trips_per_user)
    first = f"{days[0].day} {days[0]:%B %Y}"
    shown = "the whole period" if parameters.unit == "person" else f"the first day, {first}"
    return f"Protects **{protected}**. Shown: {shown}; {composition(parameters, len(days))}."


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
    failing = f" at δ = {scientific(delta)}" if delta else ""
    above = proved > published * (1 + 1e-9)
    return (
        f"Privacy loss for each person, whole week: published ε = {published:.3g}, best proved "
        f"ε = {proved:.3g}{failing}" + (", **more than is published**." if above else ".")
    )


def flow_reading(parameters: ODParameters) -> str:
    """Say how a flow, 40 or one large enough to be shown, will usually read."""
    flow = max(40, 2 * parameters.suppression_threshold)
    usual = reading(flow, parameters)
    told = f"{flow:,}" if parameters.unit == "trip" else f"{flow:,} after trimming"
    if usual.high == 0:
        return f"A flow of {told} is usually suppressed."
    low = f"{usual.low:,}" if usual.low else "0 (suppressed)"
    return f"A flow of {told} will usually read between {low} and {usual.high:,}."


def fixed(value: float) -> str:
    """Write a correlation with three decimals; a dash where there is none."""
    return f"{value:.3f}".replace("-", "−") if math.isfinite(value) else "–"


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


def aim(unit: str) -> str:
    """Name what noise leaves a flow near: not the truth where trimming comes first."""
    return "the truth" if unit == "trip" else "its count after trimming"


def signed_percent(share: float) -> str:
    """Write a change as a percentage with its sign.

    Examples
    --------
    >>> signed_percent(-0.5), signed_percent(0.021)
    ('−50%', '+2.1%')
    """
    if not math.isfinite(share):
        return "–"
    value = 100 * share
    shown = f"{abs(value):.1f}" if abs(value) < 9.95 else f"{abs(value):,.0f}"
    return f"{'−' if value < 0 else '+'}{shown}%"


def trip_count(value: float) -> str:
    """Write a number of trips with its unit."""
    if not math.isfinite(value):
        return number(value)
    return f"{number(value)} trip" if value == 1 else f"{number(value)} trips"


def flow_error(error: float) -> str:
    """Say what the relative error of flows means."""
    if not math.isfinite(error):
        return "There are no flows to compare."
    if error > 1:
        return "Flows are off by more than their own size on average."
    return f"These flows are off by {100 * error:.0f} in 100 on average, suppressed ones included."

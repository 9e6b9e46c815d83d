"""The verdict in words: for what the private numbers can be used, and for what they cannot.

A zone is *usable* when its hourly counts are off by at most 30% on average and its rhythm is kept
(correlation of at least 0.8). A flow is *usable* when it is off by at most a quarter in 95% of
draws and is not suppressed. The limits are stated on the page; they are conventions, not theorems.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.origin_destination import calculators
from engine.parameters import ODParameters
from pages._ui.wording import number, percent

Floats = NDArray[np.float64]
Level = Literal["good", "partly", "noisy"]

USABLE_ERROR = 0.3
USABLE_CORRELATION = 0.8
USABLE_FLOW_ERROR = 0.25
CONFIDENCE = 0.95
LIMITS = (
    f"A zone counts as usable when its hourly counts are off by at most {USABLE_ERROR:.0%} on "
    f"average and correlate with the truth at {USABLE_CORRELATION} or more; a flow when it is off "
    f"by at most {USABLE_FLOW_ERROR:.0%} in {CONFIDENCE:.0%} of draws and is not suppressed."
)


@dataclass(frozen=True)
class Finding:
    """What one column says: how good, usable for what, not for what, and what would help."""

    level: Level
    usable: str
    lost: str
    remedy: str = ""


def density(
    error: Floats, correlation: Floats, visits: Floats, *, epsilon: float, exceeded: bool
) -> Finding:
    """Judge a density release.

    Parameters
    ----------
    error, correlation, visits : arrays, shape (zones,)
        Mean relative error, Pearson correlation and true visits an hour of each zone.
    epsilon : float
        The setting, for the remedy.
    exceeded : bool
        Whether the release is flagged "the noise exceeds the data".
    """
    known = np.isfinite(error) & (visits > 0)
    total = int(known.sum())
    if exceeded or total == 0:
        return Finding(
            "noisy",
            "",
            "density: the noise exceeds the data",
            _more_people("For the density", 10, epsilon),
        )
    usable = known & (error <= USABLE_ERROR) & (np.nan_to_num(correlation) >= USABLE_CORRELATION)
    share = usable.sum() / total
    count = f"{int(usable.sum())} of {total} zones"
    if share >= 0.9:
        return Finding("good", f"density in {count}", "")
    factor = float(np.median(error[known])) / USABLE_ERROR
    what = "For the density" if share < 0.1 else "For the quieter zones too"
    remedy = _more_people(what, max(factor, 1.5), epsilon)
    if share < 0.1:
        return Finding(
            "noisy", "", f"density in {total - int(usable.sum())} of {total} zones", remedy
        )
    return Finding("partly", f"density in {count}", _quiet_zones(visits, usable, known), remedy)


def trips(flows: Floats, counts: Floats, parameters: ODParameters) -> Finding:
    """Judge an origin–destination release from its law alone.

    Parameters
    ----------
    flows, counts : arrays, shape (distinct,)
        Distinct true flows above 0, and how many pairs of zones have each.
    """
    smallest = usable_flow(parameters)
    total = float(flows @ counts)
    if total == 0:
        return Finding("noisy", "", "flows: there are no trips in the data")
    carried = usable_share(flows, counts, parameters)
    usable = f"flows of {smallest:,} trips or more ({percent(carried)} of all trips)"
    if carried >= 0.6:
        return Finding("good", usable, f"flows below {smallest:,}")
    # the flow that half of all trips exceed: errors shrink as 1/ε
    order = np.argsort(flows)
    half = flows[order][np.searchsorted(np.cumsum((flows * counts)[order]), total / 2)]
    factor = smallest / max(float(half), 1.0)
    remedy = _more_people("For half of all trips", max(factor, 1.5), parameters.epsilon)
    if carried >= 0.1:
        return Finding(
            "partly", usable, f"the smaller flows ({percent(1 - carried)} of trips)", remedy
        )
    lost = f"flows below {smallest:,} trips ({percent(1 - carried)} of all trips)"
    return Finding("noisy", "", lost, remedy)


def usable_share(flows: Floats, counts: Floats, parameters: ODParameters) -> float:
    """Return the share of all trips that lies in usable flows; NaN without trips.

    Examples
    --------
    >>> settings = ODParameters(epsilon=1.0, suppression_threshold=0)
    >>> usable_share(np.array([1.0, 30.0]), np.array([70.0, 1.0]), settings)
    0.3
    """
    total = float(flows @ counts)
    if total == 0:
        return math.nan
    return float((flows * counts)[flows >= usable_flow(parameters)].sum()) / total


def flow_error(parameters: ODParameters, confidence: float = CONFIDENCE) -> int:
    """Return α, the error of one flow that is not exceeded with this confidence (Theorem 6)."""
    return int(
        calculators.largest_cell_error(
            parameters.epsilon, 1 - confidence, parameters.max_trips_per_user
        )
    )


def usable_flow(parameters: ODParameters) -> int:
    """Return the smallest flow that is off by at most a quarter and stays above the threshold."""
    error = flow_error(parameters)
    kept = parameters.suppression_threshold + error if parameters.suppression_threshold else 1
    return max(math.ceil(error / USABLE_FLOW_ERROR), math.ceil(kept), 1)


def headline(findings: list[Finding]) -> tuple[Level, str]:
    """Join the columns' findings into one sentence and its level."""
    usable = [finding.usable for finding in findings if finding.usable]
    lost = [finding.lost for finding in findings if finding.lost]
    if not findings:
        return "noisy", "There is nothing to judge yet."
    if not usable:
        return "noisy", f"Too noisy to use – {'; '.join(lost)}."
    level: Level = "good" if all(finding.level == "good" for finding in findings) else "partly"
    sentence = f"Usable for {' and for '.join(usable)}"
    return level, f"{sentence}; not for {' or '.join(lost)}." if lost else f"{sentence}."


def remedies(findings: list[Finding]) -> str:
    """Say what would help where something is lost."""
    return " ".join(finding.remedy for finding in findings if finding.remedy)


def _quiet_zones(visits: Floats, usable: NDArray[np.bool_], known: NDArray[np.bool_]) -> str:
    """Name the zones that are not usable by how busy they are, where that describes them."""
    order = np.argsort(-visits[known])
    good = usable[known][order]
    share = np.cumsum(good) / np.arange(1, len(good) + 1)
    busy = np.flatnonzero(share >= 0.9)
    if not len(busy) or busy[-1] + 1 >= len(good):
        return "the others"
    limit = visits[known][order][busy[-1]]
    return f"zones with fewer than about {number(float(limit))} visits an hour"


def _more_people(what: str, factor: float, epsilon: float) -> str:
    """Say roughly what would be needed: the error shrinks as one over ε and over the people."""
    times = f"{factor:.1f}" if factor < 3 else f"{factor:,.0f}"
    needed = number(epsilon * factor)
    return f"{what} it would take about {times} times as many people, or ε near {needed}."

"""The verdict in words: for what the private numbers can be used, and for what they cannot.

A zone is *usable* when its hourly counts are off by at most 30% on average and its rhythm is kept
(correlation of at least 0.8). A flow is *usable* when it is off by at most a quarter in 95% of
draws and is not suppressed. The limits are stated on the page; they are conventions, not theorems.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.origin_destination import calculators, laws
from engine.origin_destination.laws import NoiseLaw
from engine.parameters import EPSILON_STOPS, ODParameters
from pages._ui.wording.numbers import number, percent

Floats = NDArray[np.float64]
Level = Literal["good", "partly", "noisy"]

USABLE_ERROR = 0.3
USABLE_CORRELATION = 0.8
USABLE_FLOW_ERROR = 0.25
CONFIDENCE = 0.95
QUIETER = (
    "More people or a larger ε would help the quieter zones; curves over ε show how far that goes."
)
_NEARLY_ALL, _HALF = 0.9, 0.5
_EPSILONS = (*EPSILON_STOPS, 15.0, 20.0, 30.0, 50.0, 100.0, 300.0, 1000.0, 1e6)
"""Where ε is looked for; at the last one noise is gone, whatever T is."""
_FEW = 0.01
"""Trimming is named from this share of trips on."""
_ROUNDING = 1e-9
LIMITS = (
    f"A zone counts as usable when its hourly counts are off by at most {USABLE_ERROR:.0%} on "
    f"average and correlate with the truth at {USABLE_CORRELATION} or more; a flow when it is off "
    f"by at most {USABLE_FLOW_ERROR:.0%} in {CONFIDENCE:.0%} of draws, trimming included, and is "
    "not suppressed."
)


@dataclass(frozen=True)
class Finding:
    """What one column says: how good, usable for what, not for what, and what would help."""

    level: Level
    usable: str
    lost: str
    remedy: str = ""


def density(
    error: Floats,
    correlation: Floats,
    visits: Floats,
    *,
    epsilon: float,
    exceeded: bool,
    needed: str = "",
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
    needed : str
        What it would take then, in words.
    """
    known = np.isfinite(error) & (visits > 0)
    total = int(known.sum())
    if exceeded or total == 0:
        return Finding(
            "noisy",
            "",
            "density, where the noise exceeds the data",
            needed or "For the density it would take far more people or a far larger ε.",
        )
    usable = known & (error <= USABLE_ERROR) & (np.nan_to_num(correlation) >= USABLE_CORRELATION)
    share = usable.sum() / total
    empty = int((visits <= 0).sum())
    apart = f" ({empty} more have no visits)" if empty else ""
    count = f"{int(usable.sum())} of {total} zones{apart}"
    if share >= 0.9:
        return Finding("good", f"density in {count}", "")
    if share < 0.1:
        # errors shrink at best as 1/ε: what clusters and dropped coefficients blur stays
        factor = max(float(np.median(error[known])) / USABLE_ERROR, 1.5)
        return Finding(
            "noisy",
            "",
            f"density in {total - int(usable.sum())} of {total} zones{apart}",
            f"For the density it would take at least about {_times(factor)} times as many people, "
            f"or ε near {number(epsilon * factor)} at the least; the curve over ε shows how far "
            "that goes.",
        )
    return Finding("partly", f"density in {count}", _quiet_zones(visits, usable, known), QUIETER)


def trips(kept: Floats, true: Floats, counts: Floats, parameters: ODParameters) -> Finding:
    """Judge an origin–destination release from its law alone.

    Parameters
    ----------
    kept, true, counts : arrays, shape (distinct,)
        Distinct pairs of a flow after trimming and the true flow, above 0, and how many pairs of
        zones have each.
    """
    total = float(true @ counts)
    if total == 0:
        return Finding("noisy", "", "flows, of which the data have none")
    trimming = _trimming(float((true - kept) @ counts) / total, parameters)
    good = usable_flows(kept, true, parameters)
    carried = float((true * counts)[good].sum()) / total
    smallest = _smallest(good, true, counts, parameters)
    which = (
        f"some flows of {usable_flow(parameters):,} trips or more"
        if smallest is None
        else f"flows of {smallest:,} trips or more"
    )
    usable = f"{which} ({percent(carried)} of all trips)"
    if carried >= 0.6:
        lost = "the other flows" if smallest is None else f"flows below {smallest:,}"
        return Finding("good", usable, lost, trimming)
    told = f"{_for_half(kept, true, counts, parameters)} {trimming}".strip()
    others = percent(1 - carried)
    if carried >= 0.1:
        small = "most" if smallest is None else "the smaller"
        return Finding("partly", usable, f"{small} flows ({others} of trips)", told)
    lost = "of any size" if smallest is None else f"below {smallest:,} trips"
    return Finding("noisy", "", f"flows {lost} ({others} of all trips)", told)


def usable_share(kept: Floats, true: Floats, counts: Floats, parameters: ODParameters) -> float:
    """Return the share of all trips that lies in usable flows; NaN without trips.

    Examples
    --------
    >>> settings = ODParameters(epsilon=1.0, suppression_threshold=0)
    >>> flows = np.array([1.0, 30.0])
    >>> usable_share(flows, flows, np.array([70.0, 1.0]), settings)
    0.3
    """
    total = float(true @ counts)
    if total == 0:
        return math.nan
    return float((true * counts)[usable_flows(kept, true, parameters)].sum()) / total


def usable_flows(kept: Floats, true: Floats, parameters: ODParameters) -> NDArray[np.bool_]:
    """Return which flows are usable, exactly: trimming, noise and suppression together.

    Examples
    --------
    >>> settings = ODParameters(epsilon=1.0, suppression_threshold=15)
    >>> usable_flows(np.array([100.0, 80.0, 70.0]), np.full(3, 100.0), settings)
    array([ True,  True, False])
    """
    law = NoiseLaw(1 / parameters.noise_scale)
    least = laws.effective_threshold(parameters.suppression_threshold)
    low = np.maximum(np.ceil(true * (1 - USABLE_FLOW_ERROR)), least)
    high = np.floor(true * (1 + USABLE_FLOW_ERROR))
    within = law.tail(low - kept) - law.tail(high + 1 - kept)
    return (true >= usable_flow(parameters)) & (within >= CONFIDENCE - _ROUNDING)


def flow_error(parameters: ODParameters, confidence: float = CONFIDENCE) -> int:
    """Return α, the error of one flow that is not exceeded with this confidence (Theorem 6)."""
    return int(
        calculators.largest_cell_error(
            parameters.epsilon, 1 - confidence, parameters.max_trips_per_user
        )
    )


def usable_flow(parameters: ODParameters) -> int:
    """Return the smallest flow that noise alone leaves usable, if trimming drops none of it."""
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
    return level, f"{sentence}; not for {' nor for '.join(lost)}." if lost else f"{sentence}."


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


def _smallest(
    good: NDArray[np.bool_], true: Floats, counts: Floats, parameters: ODParameters
) -> int | None:
    """Return the flow from which on nearly all flows are usable; None if there is none."""
    large = true >= usable_flow(parameters)
    if good[large].all():
        return usable_flow(parameters)
    sizes, size = np.unique(true[large], return_inverse=True)
    every = np.bincount(size, weights=counts[large])[::-1].cumsum()[::-1]
    fine = np.bincount(size, weights=(counts * good)[large])[::-1].cumsum()[::-1]
    from_here = np.flatnonzero(fine >= _NEARLY_ALL * every)
    return int(sizes[from_here[0]]) if len(from_here) else None


def _trimming(dropped: float, parameters: ODParameters) -> str:
    """Say what trimming drops, where that is more than a few trips."""
    if dropped <= _FEW:
        return ""
    return (
        f"Trimming to T = {parameters.max_trips_per_user} drops {percent(dropped)} of trips, "
        "which neither more people nor a larger ε brings back; a larger T does, with more noise."
    )


def _for_half(kept: Floats, true: Floats, counts: Floats, parameters: ODParameters) -> str:
    """Say what would make half of all trips usable, or why no ε does; nothing where they are."""

    def reached(among: Floats, epsilon: float) -> bool:
        changed = replace(parameters, epsilon=epsilon)
        return usable_share(among, true, counts, changed) >= _HALF

    if reached(kept, parameters.epsilon):
        return ""
    larger = [stop for stop in _EPSILONS if stop > parameters.epsilon]
    enough = next((stop for stop in larger if reached(kept, stop)), None)
    if enough is not None:
        times = _times(enough / parameters.epsilon)
        if enough > EPSILON_STOPS[-1]:
            people = (
                "" if enough == _EPSILONS[-1] else f"; about {times} times as many people would"
            )
            return f"No ε up to {EPSILON_STOPS[-1]:g} makes half of all trips usable{people}."
        return (
            f"For half of all trips it would take ε near {number(enough)}, or about {times} times "
            "as many people."
        )
    if not reached(true, _EPSILONS[-1]):
        return (
            f"Half of all trips lie in flows below τ = {parameters.suppression_threshold}: no ε "
            "shows those, a smaller τ does."
        )
    return f"With T = {parameters.max_trips_per_user} no ε makes half of all trips usable."


def _times(factor: float) -> str:
    return f"{factor:.1f}" if factor < 3 else f"{factor:,.0f}"

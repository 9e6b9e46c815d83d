"""The verdict in words: what `engine.usability` has judged, and what would help."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.origin_destination.scores import TripScores
from engine.parameters import EPSILON_STOPS, ODParameters
from engine.steps import GOOD_SHARE, SOME_SHARE, Level
from engine.usability import (
    CONFIDENCE,
    NEARLY_ALL,
    USABLE_CORRELATION,
    USABLE_ERROR,
    USABLE_FLOW_ERROR,
    DensityUsability,
    ForHalf,
    TripsUsability,
)
from pages._ui.wording.numbers import counted, number, percent, trip_count

QUIETER = (
    "More people or a larger ε would help the quieter zones; the curve over ε shows how far a "
    "larger ε goes."
)
NOISY_ZONES = (
    "Density needs more people or a larger ε; the curve over ε shows how far a larger ε goes."
)
USE_RULE = (
    f"A result is called good where at least {GOOD_SHARE:.0%} of it is usable or right – of trips, "
    f"of zones, of decisions –, good in part from {SOME_SHARE:.0%}, and not usable below."
)
LIMITS = (
    f"A zone counts as usable if its counts over the week are off by at most {USABLE_ERROR:.0%} on "
    f"average and correlate with the truth at {USABLE_CORRELATION} or more; a flow if the release "
    f"shows it and is off by at most {USABLE_FLOW_ERROR:.0%} in {CONFIDENCE:.0%} of draws, "
    "trimming included. Flows from a size on count as usable if at least "
    f"{NEARLY_ALL:.0%} of them and of their trips are. These limits are conventions."
)
_FEW = 0.01
"""Trimming, and usable flows among small ones, are named from this share of trips on."""


@dataclass(frozen=True)
class Finding:
    """What one column says: how good, usable for what, not for what, and what would help."""

    level: Level
    usable: str
    lost: str
    remedy: str = ""


def density(judged: DensityUsability) -> Finding:
    """Put the judgement of a density release into words."""
    apart = f" ({judged.empty_zones:,} more have no visits)" if judged.empty_zones else ""
    if judged.exceeded:
        return Finding("noisy", "", "density, where the noise exceeds the data")
    if not judged.zones:
        return Finding("noisy", "", "density, of which the data have none")
    if judged.level == "noisy":
        lost = judged.zones - judged.usable_zones
        noisy = f"density in {lost:,} of {judged.zones:,} zones in this draw"
        return Finding("noisy", "", noisy + apart, NOISY_ZONES)
    usable = f"density in {judged.usable_zones:,} of {judged.zones:,} zones in this draw{apart}"
    if judged.level == "good":
        return Finding("good", usable, "")
    lost = (
        "the others"
        if judged.busy_limit is None
        else f"zones with fewer than about {counted(judged.busy_limit, 'visit')} an hour"
    )
    return Finding("partly", usable, lost, QUIETER)


def trips(judged: TripsUsability, parameters: ODParameters) -> Finding:
    """Put the judgement of an origin–destination release into words."""
    if not judged.trips:
        return Finding("noisy", "", "flows, of which the data have none")
    parts = (_for_half(judged.for_half, parameters), _trimming(judged.trimmed_share, parameters))
    remedy = " ".join(part for part in parts if part)
    share = percent(judged.usable_share)
    if judged.level == "noisy":
        carried = f"flows (usable ones carry {share} of all trips)"
        return Finding("noisy", "", carried if judged.usable_share else "flows of any size", remedy)
    if judged.usable_share == 1:
        return Finding(judged.level, "all flows", "", remedy)
    usable = f"some flows ({share} of all trips)"
    if judged.smallest_flow is not None:
        usable = f"flows that carry {share} of all trips (nearly all of "
        few = judged.usable_below_smallest <= _FEW
        usable += f"{trip_count(judged.smallest_flow)} or more"
        usable += ")" if few else ", and some smaller ones)"
    lost = f"the other flows ({percent(1 - judged.usable_share)} of all trips)"
    return Finding(judged.level, usable, lost, remedy)


def drawn_trips(
    judged: TripsUsability,
    parameters: ODParameters,
    published: Sequence[TripScores],
    ours: Sequence[TripScores],
) -> Finding:
    """Put the judgement of a method without a law, made of repeated draws, into words."""
    finding = trips(judged, parameters)
    if not judged.trips:
        return finding

    def common(draws: Sequence[TripScores]) -> str:
        return percent(sum(draw.common_part for draw in draws) / len(draws))

    count = "one draw" if len(ours) == 1 else f"{len(ours)} draws"
    return replace(
        finding,
        remedy=f"Judged by {count} of the noise: the method has no exact expectation. "
        f"Common part with the truth: {common(ours)}, {common(published)} with the published one.",
    )


def headline(findings: list[Finding]) -> tuple[Level, str]:
    """Join the columns' findings into one sentence and its level."""
    usable = [finding.usable for finding in findings if finding.usable]
    lost = [finding.lost for finding in findings if finding.lost]
    if not findings:
        return "noisy", "There is nothing to judge yet."
    if not usable:
        return "noisy", f"Not usable for {' nor for '.join(lost)}."
    level: Level = "good" if all(finding.level == "good" for finding in findings) else "partly"
    sentence = f"Usable for {' and for '.join(usable)}"
    return level, f"{sentence}; not for {' nor for '.join(lost)}." if lost else f"{sentence}."


def remedies(findings: list[Finding]) -> str:
    """Say what would help where something is lost."""
    return " ".join(finding.remedy for finding in findings if finding.remedy)


def _trimming(dropped: float, parameters: ODParameters) -> str:
    """Say what trimming drops, where that is more than a few trips."""
    if dropped <= _FEW:
        return ""
    return (
        f"Trimming to T = {parameters.max_trips_per_user} drops {percent(dropped)} of trips, "
        "which neither more people nor a larger ε brings back; a larger T does, with more noise."
    )


def _for_half(for_half: ForHalf | None, parameters: ODParameters) -> str:
    """Say what would make half of all trips usable, or why no ε does; nothing where they are."""
    if for_half is None:
        return ""
    people = (
        "" if for_half.people is None else f"about {_times(for_half.people)} times as many people"
    )
    if for_half.epsilon is not None and for_half.epsilon <= EPSILON_STOPS[-1]:
        either = f", or {people} who travel alike" if people else ""
        return f"For half of all trips it would take ε near {number(for_half.epsilon)}{either}."
    would = f"; {people} would" if people else ""
    if for_half.epsilon is not None:
        return f"No ε up to {EPSILON_STOPS[-1]:g} makes half of all trips usable{would}."
    if for_half.below_threshold:
        return (
            "At least half of all trips lie in flows below "
            f"τ = {parameters.suppression_threshold}: no ε shows those, a smaller τ does{would}."
        )
    return f"With T = {parameters.max_trips_per_user} no ε makes half of all trips usable."


def _times(factor: float) -> str:
    return f"{factor:.1f}" if factor < 10 else f"{factor:,.0f}"

"""The three marks of empirical Bayes, and one of its flows in words, wherever they stand."""

from typing import Any

import numpy as np

from engine.arrays import Floats, Integers
from engine.origin_destination.empirical_bayes import EmpiricalBayesRelease
from engine.privacy_cost import PrivacyUnit
from engine.text.numbers import number
from pages._ui.components import colours as colour, picture
from pages._ui.components.maps import Scale

LIKELY_OPACITY = 125
CERTAIN_MEANING = (
    "detected: on average at most 5% of all flows so marked are empty, whatever the model"
)
LIKELY_MEANING = "likely: the model gives an empty flow less than 5% probability"
UNCERTAIN_NOTE = f"The other flows are {picture.UNCERTAIN}, but they count in all sums."


def has_ranges(release: Any) -> bool:
    """Whether a release says of its flows which are detected, and in which ranges they lie."""
    return hasattr(release, "is_detected")


def flow_colours(
    release: EmpiricalBayesRelease, pairs: tuple[Integers, Integers], scale: Scale, values: Floats
) -> Integers:
    """Return the colours of flows on a map, shape (flows, 4): those not detected are lighter."""
    shades = scale.colours(values)
    shades[:, 3] = np.where(release.is_detected[0][pairs], shades[:, 3], LIKELY_OPACITY)
    return shades


def name_mark(release: EmpiricalBayesRelease, origin: int, destination: int) -> str:
    """Return the mark of a flow in one word."""
    if release.is_detected[0, origin, destination]:
        return "detected"
    return "likely" if release.is_likely[0, origin, destination] else picture.UNCERTAIN


def texts(release: EmpiricalBayesRelease, pairs: tuple[Integers, Integers]) -> list[str]:
    """Return flows with their bars: ``42 (95%: 31–55; 12–72 for all flows at once)``.

    Of people the bars are of the trips counted within T, in a line of their own: the estimate is of
    all trips.
    """
    limit = release.parameters.max_trips_per_user
    is_trip = release.measurement.cost.unit is PrivacyUnit.TRIP
    counted = " (95%: {})" if is_trip else f"\nof these counted (T = {limit}), 95%: {{}}"
    return [
        flow + counted.format(f"{single}; {joint} for all flows at once")
        for flow, single, joint in zip(
            format_shown(release, pairs), *format_ranges(release, pairs), strict=True
        )
    ]


def format_shown(release: EmpiricalBayesRelease, pairs: tuple[Integers, Integers]) -> list[str]:
    """Return the estimate of each flow that is shown by itself, and in words that one is not."""
    flows = zip(release.point_estimates[0][pairs].tolist(), release.is_shown[0][pairs], strict=True)
    return [format_estimate(count) if is_shown else picture.UNCERTAIN for count, is_shown in flows]


def format_ranges(
    release: EmpiricalBayesRelease, pairs: tuple[Integers, Integers]
) -> tuple[list[str], list[str]]:
    """Return the ranges of flows in words: 95% for each by itself, and for all at once."""
    texts: list[list[str]] = []
    for low, high in (release.interval, release.exact_interval()):
        ends = zip(low[0][pairs], high[0][pairs], strict=True)
        texts.append([f"{a:,}–{b:,}" for a, b in ends])
    return texts[0], texts[1]


ONE_BY_ONE = "Counted trips, 95% interval for one flow"
ALL_AT_ONCE = "Counted trips, 95% intervals for all flows at once"


def key_html() -> list[str]:
    """Return the marks with their meaning, for the key of a map."""
    shades = (CERTAIN_MEANING, colour.TRUE), (LIKELY_MEANING, f"{colour.TRUE}{LIKELY_OPACITY:02x}")
    return [
        *(picture.swatch_html("", meaning, shade) for meaning, shade in shades),
        f"<span>{UNCERTAIN_NOTE}</span>",
    ]


def format_estimate(count: float) -> str:
    """Write an estimate: whole trips, but for small ones."""
    return f"{count:,.0f}" if count >= 9.5 else number(count)

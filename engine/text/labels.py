"""Names and help of the settings, the same on every page."""

from collections.abc import Mapping
from typing import Any

from .. import density, origin_destination
from ..contract import Method
from ..origin_destination import NoiseName

SHARE_NOTE = (
    "The address of this page holds these settings: copy it to share the view. Data, noise and the "
    "name of a dataset of your own are never in it."
)
DRAWS_NOTE = (
    "Publish one setting and one draw, never several: two settings drawn with the same "
    "noise reveal the true counts."
)

METHODS = {key: method.name for key, method in density.METHODS.items()}
OD_METHOD_NAMES = {key: method.name for key, method in origin_destination.METHODS.items()}
REPORT_UNITS = {"user": "A person, at most M trips", "item": "A single trip"}
REPORT_METHODS = {"derived": "Ask nothing twice", "package": "As DpMobilityReport"}
LAWS: dict[NoiseName, str] = {"rounded_laplace": "exploring", "discrete_laplace": "a release"}


def _describe_methods(methods: Mapping[Any, Method[Any]]) -> str:
    described = (method for method in methods.values() if method.description)
    return " ".join(f"**{method.short_name}**: {method.description}" for method in described)


HELP = {
    "epsilon": "How much one protected unit may change one release. A unit is a person's day (the "
    "default), a person's whole period, or one trip; in a density a person's week. Without δ, an "
    "attacker's odds of one unit change by at most 11% at ε = 0.1. At ε = 1 they change by at most "
    "a factor of 2.7, at ε = 4 of 55. Units add up: 7 days of a person at ε = 0.1 allow a factor "
    "of 2 (e^0.7). At trip level nothing bounds a person. k people who travel together are "
    "protected only by k·ε.",
    "delta": "The success of any attack exceeds what ε allows by at most this. Keep it well below "
    "one over the number of people.",
    "max_visits": "At most this many visits of a person are counted in the week, chosen at random. "
    "Fewer means less noise, but heavier sampling.",
    "variant": f"How noise is added to the density. {_describe_methods(density.METHODS)}",
    "unit": "Whose trace is hidden. One trip protects least, the whole period of a person most.",
    "max_trips": "At most this many trips of a person are counted per day (or over the whole "
    "period). More trips kept means more noise: its scale is T/ε.",
    "od_method": f"All cost the same ε. {_describe_methods(origin_destination.METHODS)}",
    "threshold": "Flows with a noisy count below τ are set to 0. That alone protects nobody in a "
    "flow that is shown; the noise does.",
    "zones": "Fewer, larger zones: parents that the dataset names, or clusters of neighbouring "
    "zones of similar area, made from the map alone. They cost no privacy; counts are larger, so "
    "the same noise matters less.",
    "od_time": "Sums days into one matrix with one noise. If a person's day is protected, the "
    "person still pays ε for every day of travel: up to 7 ε for a week.",
    "density_scaling": "Totals from one visit of each person, scaled to all visits (P1 §5.4.1).",
    "density_smoothing": "Hours 0 to 6 are fitted exponentials (P1 §5.4.2), which costs nothing.",
    "density_gaussian": "The least Gaussian noise that is (ε, δ)-DP, for every ε (Balle & Wang "
    "2018). Off: that of P1's Theorem 3, up to a total ε of 4.",
    "report_unit": "If single trips are protected, nothing limits what a person with many reveals.",
    "report_trips": "At random, over the whole period. Noise grows with M, and what is left out "
    "shrinks. Choose it from public knowledge, never from the data.",
    "report_preset": "Trips are sums of days and five numbers can be read off noisy bins: asking "
    "for them again spends twice, as the package does.",
    "report_off": "The others share ε evenly.",
}

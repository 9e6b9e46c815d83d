"""Names and help of the settings, the same on every page."""

from collections.abc import Mapping
from typing import Any

from .. import density, origin_destination
from ..contract import Method
from ..origin_destination import NoiseName

SHARE_NOTE = (
    "The address of this page contains these settings: copy it to share the view. It never "
    "contains data, noise or the names of your own datasets."
)
DRAWS_NOTE = (
    "Trying settings publishes nothing. Publish by the page Release alone, one setting and one "
    "draw: two settings drawn with the same noise can reveal the true counts."
)

METHODS = {key: method.name for key, method in density.METHODS.items()}
OD_METHOD_NAMES = {key: method.name for key, method in origin_destination.METHODS.items()}
REPORT_UNITS = {"user": "A person, at most M trips", "item": "A single trip"}
REPORT_METHODS = {"derived": "Derived numbers cost nothing", "package": "As DpMobilityReport"}
LAWS: dict[NoiseName, str] = {"rounded_laplace": "exploring", "discrete_laplace": "a release"}


def _describe_methods(methods: Mapping[Any, Method[Any]]) -> str:
    described = (method for method in methods.values() if method.description)
    return " ".join(f"**{method.short_name}**: {method.description}" for method in described)


HELP = {
    "epsilon": "How much one protected unit may change one release. A unit is a person's day (the "
    "default), a person's whole period, or one trip; in a density a person's week. Without δ, the "
    "odds that a unit is in the data change for an attacker by at most 11% at ε = 0.1. At ε = 1 "
    "they change by at most a factor of 2.7, at ε = 4 of 55. Units add up: 7 days of a person at "
    "ε = 0.1 allow a factor of 2 (e^0.7) at most. Which of two homes a person has counts twice "
    "(2·ε), and k people who travel together k times. At trip level nothing bounds a person.",
    "delta": "By how much any attack may succeed more often than ε allows. Keep it far below 1 / "
    "number of people.",
    "max_visits": "The most visits of a person that are counted in the week, chosen at random. A "
    "smaller limit needs less noise but drops more visits.",
    "variant": f"How noise is added to the density. {_describe_methods(density.METHODS)}",
    "unit": (
        "What ε protects. One trip is the weakest unit, a person over the whole period "
        "the strongest."
    ),
    "max_trips": "The most trips of a person that are counted per day (or over the whole "
    "period). A larger limit needs more noise: its scale is T/ε.",
    "od_method": f"All cost the same ε. {_describe_methods(origin_destination.METHODS)}",
    "threshold": "Flows with a noisy count below τ are not shown. That alone protects nobody in a "
    "flow that is shown; the noise does.",
    "zones": "Fewer, larger zones: parent zones named in the dataset, or clusters of "
    "neighbouring zones made from the map alone. They cost no privacy. Counts are "
    "larger, so the same noise matters less. Flows then leave out trips within a zone.",
    "od_time": "Days: each day is one matrix with noise of its own. Longer times sum days into one "
    "matrix with one noise. If a person's day is protected, the person pays ε for every day of "
    "travel either way: up to 7 ε for a week.",
    "density_scaling": (
        "Scales totals from one visit per person up to all visits (Acs & Castelluccia, §5.4.1)."
    ),
    "density_smoothing": (
        "Replaces hours 0 to 6 by a fitted exponential curve (Acs & Castelluccia, §5.4.2). "
        "This costs no privacy."
    ),
    "density_gaussian": "Uses the smallest Gaussian noise that is (ε, δ)-DP, for every ε (Balle "
    "& Wang 2018). If off, the noise of Theorem 3 of Acs & Castelluccia, up to a total ε of 4.",
    "report_unit": "If single trips are protected, nothing limits what a person with many reveals.",
    "report_trips": "Chosen at random over the whole period. A larger M needs more noise but "
    "drops fewer trips. Choose it from public knowledge, never from the data.",
    "report_preset": "Derived from noisy counts at no further ε: all trips (the sum of the days), "
    "and minimum, quartiles and maximum (from the bins). The package DpMobilityReport asks the "
    "data for them again, which takes ε from the other analyses.",
    "report_off": "The other analyses share ε equally.",
}

"""The utility of a setting in words: retained, genuine and the verdict."""

import math
from typing import Any

from .. import density, origin_destination as od
from ..contract import Setting
from ..parameters import ODParameters
from ..resolution import FINEST
from ..utility import DENSITY_LIMITS, FLOWS_LIMITS, ReliableFlows, Share, Utility
from ..verdict import Verdict, rate_value
from .dataset_text import name_level

VERDICTS: dict[Verdict, str] = {"good": "good", "partly": "fair", "noisy": "poor"}
SHORTFALLS = {"retained": "too few retained", "genuine": "too many invented"}
UTILITY_RULE = (
    "Utility is the smaller of two shares. Retained: of 100 trips between the zones shown "
    "(visits), so many are still in their flow (zone and hour). Genuine: of 100 trips shown, so "
    "many are in the data; the others are invented. "
    f"Flows are called good from {FLOWS_LIMITS[0]:.0%} and fair from {FLOWS_LIMITS[1]:.0%}, "
    f"densities from {DENSITY_LIMITS[0]:.0%} and {DENSITY_LIMITS[1]:.0%}. A density without any "
    "weekly rhythm already reaches about 74%, one with the city's rhythm in each zone about 93%. "
    "The limits are conventions."
)
MOSTLY_NOISE = 0.5
"""Genuine share below which a sentence first says that the release is mostly noise."""


def format_hundred(share: float) -> str:
    """Return a share as a whole number of a hundred.

    >>> [format_hundred(share) for share in (0.894, 0.9996, 0.002, 1.0, 0.0, float("nan"))]
    ['89', 'over 99', 'under 1', '100', '0', '–']
    """
    if math.isnan(share):
        return "–"
    if 0 < share < 0.005:
        return "under 1"
    return "over 99" if 0.995 <= share < 1 else f"{100 * share:.0f}"


def format_share(share: float, limits: tuple[float, float]) -> str:
    """Return a share as so many of a hundred, never rounded up to a better verdict.

    >>> format_share(0.896, FLOWS_LIMITS), format_share(0.976, FLOWS_LIMITS)
    ('89', '98')
    """
    good, fair = limits
    rounded = rate_value(round(share, 2), good=good, fair=fair) if share == share else "noisy"
    same = rounded == rate_value(share, good=good, fair=fair)
    return format_hundred(share if same else math.floor(100 * share) / 100)


def format_retained(utility: Utility) -> str:
    """Return how many of 100 true trips are retained."""
    return format_share(utility.retained, utility.verdict_limits)


def format_genuine(utility: Utility) -> str:
    """Return how many of 100 shown trips are genuine; a dash if nothing is shown."""
    return format_share(utility.genuine, utility.verdict_limits)


def describe_verdict(utility: Utility) -> str:
    """Return the verdict and the share that falls short.

    >>> describe_verdict(Utility(common=81, true=100, released=82))
    'fair, too few retained'
    >>> describe_verdict(Utility(common=95, true=100, released=100))
    'good'
    """
    word = VERDICTS[utility.verdict]
    if utility.true <= 0:
        return word
    return word if utility.verdict == "good" else f"{word}, {SHORTFALLS[utility.shortfall]}"


def describe_utility(utility: Utility, setting: Setting) -> str:
    """Return both shares as sentences.

    >>> from engine.contract import Selection
    >>> selection = Selection(dataset_id="demo-city", zone_level="clusters-30")
    >>> coarse = Setting(selection=selection, parameters=ODParameters(epsilon=1.0))
    >>> describe_utility(Utility(common=89, true=100, released=95.7, crossing_share=0.9), coarse)
    '89 of 100 trips between clusters are retained. 93 of 100 trips shown are genuine.'
    >>> preview = Utility(common=89, true=100, released=95.7, matrices=(1, 7))
    >>> describe_utility(preview, coarse).partition(" are")[0]
    '89 of 100 trips between clusters of the first of 7 matrices'
    >>> describe_utility(Utility(common=60, true=100, released=2000), coarse)
    'Mostly noise: 97 of 100 trips shown are invented.'
    """
    genuine = describe_genuine(utility, setting)
    if utility.true > 0 and utility.genuine < MOSTLY_NOISE:
        return f"Mostly noise: {describe_invented(utility, setting)}."
    retained = f"{describe_retained(utility, setting)}."
    return retained if utility.true <= 0 else f"{retained} {to_sentence(genuine)}"


def describe_retained(utility: Utility, setting: Setting, *, mark: str = "") -> str:
    """Return the share of true trips or visits that is retained; `mark` encloses its number."""
    noun = "visits"
    if isinstance(setting.parameters, ODParameters):
        counted = "commuters" if setting.selection.people_once else "trips"
        noun = f"{counted} between {_name_zones(setting)}"
    if utility.matrices[0] < utility.matrices[1]:
        noun += _name_matrices(utility)
    if utility.true <= 0:
        return f"There are no {noun} to retain"
    is_estimate = find_method(setting).number_kind == "estimated"
    fate = "matched" if is_estimate else "retained"
    return f"{mark}{format_retained(utility)} of 100{mark} {noun} are {fate}"


def describe_genuine(utility: Utility, setting: Setting, *, mark: str = "") -> str:
    """Return the share of what is shown that is genuine; `mark` encloses its number."""
    if utility.shows_nothing:
        return "nothing is shown"
    is_estimate = find_method(setting).number_kind == "estimated"
    fate = "match the data" if is_estimate else "are genuine"
    return f"{mark}{format_genuine(utility)} of 100{mark} {_name_shown(setting)} {fate}"


def describe_invented(utility: Utility, setting: Setting) -> str:
    """Return the share of what is shown that is invented."""
    return f"{format_hundred(1 - utility.genuine)} of 100 {_name_shown(setting)} are invented"


def _name_shown(setting: Setting) -> str:
    """Return what is shown or estimated: trips, commuters or visits."""
    noun = setting.say_counts("trips" if isinstance(setting.parameters, ODParameters) else "visits")
    return f"{noun} {find_method(setting).number_kind}"


def describe_both_shares(utility: Utility) -> str:
    """Return both shares in percent with their precision, for a hover or a table."""
    shares = utility.retained, utility.genuine
    retained, genuine = (f"{share:.1%}" if share == share else "–" for share in shares)
    return f"{retained} retained, {genuine} genuine ({describe_precision(utility)})"


def describe_precision(utility: Utility, share: Share | None = None) -> str:
    """Return the precision of a share, or of the smaller: exact, or a mean with standard error.

    >>> describe_precision(Utility(common=9, true=10, released=10))
    'exact expected value'
    >>> describe_precision(
    ...     Utility(common=9, true=10, released=10, draws=5, standard_errors=(0.002, 0.003))
    ... )
    'mean of 5 draws, standard error 0.2%'
    """
    error = utility.standard_errors[(share or utility.shortfall) == "genuine"]
    if not utility.draws:
        return "exact expected value"
    draws = f"{utility.draws} draws{_name_matrices(utility)}"
    return f"mean of {draws}, standard error {error:.1%}"


def describe_crossing(utility: Utility, setting: Setting) -> str:
    """Return the share of trips inside coarse zones; empty for the dataset's own zones."""
    if utility.crossing_share >= 1:
        return ""
    share, zones = format_hundred(1 - utility.crossing_share), _name_zones(setting)
    return setting.say_counts(f"{share}% of trips between zones stay inside {zones}")


def _name_zones(setting: Setting) -> str:
    """Return what the zones of a setting are called, without their number."""
    if setting.zone_level == FINEST:
        return "zones"
    number = f"{setting.zone_level.removeprefix('clusters-')} "
    return name_level(setting.zone_level).removeprefix(number)


def describe_reliable(reliable: ReliableFlows) -> str:
    """Return how many flows are reliable by themselves, and from which size nearly all are.

    >>> describe_reliable(ReliableFlows(count=1053, numbers=6090, trips=0.842, min_trips=80))
    '1,053 of the 6,090 numbers are reliable (within ± 25%); of flows of 80+ trips, nine in ten'
    >>> describe_reliable(ReliableFlows(count=0, numbers=870, trips=0.0, min_trips=None))
    'None of the 870 numbers is reliable (within ± 25%)'
    """
    numbers = f"{reliable.numbers:,} numbers"
    if not reliable.count:
        return f"None of the {numbers} is reliable (within ± 25%)"
    verb = "is" if reliable.count == 1 else "are"
    words = f"{reliable.count:,} of the {numbers} {verb} reliable (within ± 25%)"
    if reliable.min_trips is None:
        return words
    return f"{words}; of flows of {reliable.min_trips:,}+ trips, nine in ten"


def describe_accurate_size(utility: Utility) -> str:
    """Return from which size drawn flows are mostly close to the truth.

    >>> describe_accurate_size(Utility(common=9, true=10, released=10, draws=2, accurate_from=60))
    'Of flows of 60+ trips, 95 in 100 are within ± 25%.'
    """
    if utility.accurate_from is None:
        return "Of no size are 95 in 100 flows within ± 25%."
    return f"Of flows of {utility.accurate_from:,}+ trips, 95 in 100 are within ± 25%."


def explain_reliable(reliable: ReliableFlows) -> str:
    """Return the definition of reliable and the share of trips that reliable flows carry."""
    rule = "Reliable: shown, and within a quarter of the truth, in 95 of 100 releases."
    share = format_hundred(reliable.trips)
    return f"{rule} Reliable flows carry {share}% of the trips." if reliable.count else rule


def _name_matrices(utility: Utility) -> str:
    """Return which of several matrices were judged; empty if there is one."""
    judged, count = utility.matrices
    if judged == count:
        return f" of all {count} matrices" if count > 1 else ""
    return f" of the first{'' if judged == 1 else f' {judged}'} of {count} matrices"


def to_sentence(words: str) -> str:
    """Return words with a capital and a full stop."""
    return f"{words[0].upper()}{words[1:]}."


def scales_up(setting: Setting) -> bool:
    """Whether a setting's numbers also stand for trips or visits beyond the contribution limit."""
    once = setting.selection.people_once
    return not once and find_method(setting).scales_up(setting.parameters)


def find_method(setting: Setting) -> Any:
    """Return the row of a setting's method of flows or density."""
    methods: Any = od.METHODS if isinstance(setting.parameters, ODParameters) else density.METHODS
    return methods[setting.parameters.method]

"""A setting, its utility and its risk in words: the same on every page and the handout."""

from .. import privacy
from ..contract import Setting
from ..frontier import Alternative, Candidate
from ..parameters import ODParameters
from ..utility import Utility
from .dataset_text import count_zones
from .utility_text import (
    describe_utility,
    find_method,
    format_genuine,
    format_hundred,
    format_retained,
    scales_up,
    to_sentence,
)

TIMES = {"day": "by day", "week": "by week", "whole": "once for the whole period"}
WHO = {"person-day": "a person's day", "person": "a person", "trip": "a single trip"}
CONTROL_SIGNS = {
    "max_trips_per_user": "T {}",
    "suppression_threshold": "τ {}",
    "max_visits_per_user": "ℓ {}",
}
_LIMIT_PHRASES = {
    "person-day": "at most T = {} trips per person and day",
    "person": "at most T = {} trips per person",
    "trip": "every trip counted",
}
THRESHOLD_NOTE = (
    "Each person counts once, so the noise has scale 1/ε only. Where flows are small, τ can lose "
    "more than the noise does: a smaller τ or empirical Bayes can then retain more."
)
LEAK_NOTE = (
    "A setting chosen on confidential data reveals something about them that no ε covers. A "
    "release must state it. Choose on simulated people, or on a period of other people, instead."
)


def is_flows(setting: Setting) -> bool:
    """Whether a setting is of flows."""
    return isinstance(setting.parameters, ODParameters)


def describe_guesses(max_guess_rate: float, setting: Setting) -> str:
    """Return what an attacker guesses, and the largest rate of right guesses, in words."""
    words = privacy.format_guess_limit(max_guess_rate)
    whose = "one trip's " * (getattr(setting.parameters, "unit", "") == "trip")
    return f"{whose}presence is guessed correctly {words} times in 100"


def format_controls(setting: Setting) -> str:
    """Return the method and what its sliders stand at: ``Laplace with suppression, T 4, ε 1``."""
    epsilon = f"ε {setting.parameters.epsilon:g}"
    name = find_method(setting).short_name
    return ", ".join([name, *_format_values(setting, CONTROL_SIGNS), epsilon])


def describe_method(setting: Setting) -> str:
    """Return the method by its name and what its sliders mean, as a sentence."""
    parameters, limit = setting.parameters, "each person counted once"
    if not setting.selection.people_once:
        limit = _LIMIT_PHRASES.get(getattr(parameters, "unit", ""), "")
    scaled = ", scaled up for {}" if scales_up(setting) else ""
    meanings = {
        "max_trips_per_user": limit + scaled.format("trips beyond T"),
        "suppression_threshold": "flows below τ = {} suppressed",
        "max_visits_per_user": "at most ℓ = {} visits per person"
        + scaled.format("visits beyond ℓ"),
    }
    parts = [*_format_values(setting, meanings), f"ε = {parameters.epsilon:g}"]
    words = f"{find_method(setting).name}: {', '.join(parts)}."
    return words.replace("T = 1 trips", "T = 1 trip")


def _format_values(setting: Setting, texts: dict[str, str]) -> list[str]:
    """Return the texts by field, with their values, of the fields that the method uses."""
    used = find_method(setting).used_fields
    parameters = setting.parameters
    return [t.format(getattr(parameters, name)) for name, t in texts.items() if name in used]


def describe_time(setting: Setting) -> str:
    """Return the times of the published numbers, in words."""
    return TIMES[setting.time.aggregation] if is_flows(setting) else "for every hour of the week"


def describe_candidate(option: Candidate) -> str:
    """Return a recommendation as sentences: what would be published, and who is protected."""
    setting = option.setting
    return (
        f"Publish {describe_product(setting, option.zone_count)} {describe_time(setting)}, "
        f"protecting {WHO[option.unit]}. {describe_method(setting)} "
        f"Expected: {describe_utility(option.utility, setting)} "
        f"{to_sentence(describe_guesses(option.risk, setting))} {describe_threshold_loss(setting)}"
    ).strip()


def describe_threshold_loss(setting: Setting) -> str:
    """Return that τ is the larger loss where people count once; empty where it suppresses none."""
    uses_threshold = "suppression_threshold" in find_method(setting).used_fields
    is_high = uses_threshold and setting.parameters.suppression_threshold > 1
    return THRESHOLD_NOTE if is_high and setting.selection.people_once else ""


def describe_product(setting: Setting, zones: int) -> str:
    """Return the published quantity: flows between zones, or visits to them."""
    between = "flows between" if is_flows(setting) else "visits to"
    if setting.selection.people_once:
        between = "home–work flows between"
    return f"{between} {count_zones(setting.zone_level, zones)}"


def describe_choice(utility: Utility, setting: Setting) -> str:
    """Return the method and its settings as a sentence, beside what says utility and risk."""
    notes = describe_excess(utility, setting), describe_threshold_loss(setting)
    return " ".join(filter(None, (describe_method(setting), *notes)))


def describe_excess(utility: Utility, setting: Setting) -> str:
    """Return how many times the true number is shown, where it is far more; else nothing."""
    if utility.released_ratio <= 1.5:
        return ""
    noun = setting.say_counts("trips" if is_flows(setting) else "visits")
    return f"The release shows {utility.released_ratio:.1f} times as many {noun} as there are."


def button_label(option: Alternative) -> str:
    """Return the label of an alternative's button: the change and its utility and risk."""
    setting, risk = option.candidate.setting, option.candidate.risk
    time = setting.time.aggregation
    change = {
        "zones": count_zones(setting.zone_level, option.candidate.zone_count),
        "time": "the whole period" if time == "whole" else f"{time}s",
        "threshold": f"τ {getattr(setting.parameters, 'suppression_threshold', 0)}",
        "risk": f"ε {setting.parameters.epsilon:g}, more risk",
    }[option.control]
    utility = option.candidate.utility
    crossing = ""
    if utility.crossing_share < 1:
        share = format_hundred(utility.crossing_share)
        crossing = f"; {share}% of trips are between these zones"
        crossing = setting.say_counts(crossing)
    shares = f"{format_retained(utility)} retained, {format_genuine(utility)} genuine"
    limit = privacy.format_guess_limit(risk)
    return f"Use {change}: {shares} of 100{crossing}; attacker {limit} of 100"

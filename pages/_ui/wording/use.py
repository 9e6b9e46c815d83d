"""A setting, its use and its risk in words: the same sentences on every page and the handout."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from engine import density, origin_destination as od, privacy
from engine.contract import Setting
from engine.frontier import Candidate, WayOut
from engine.parameters import ODParameters
from engine.resolution import FINEST
from engine.steps import Level
from engine.use import DENSITY_LIMITS, FLOWS_LIMITS, Use
from pages._ui.wording.datasets import level_words, zones_words

SPANS = {"day": "by day", "week": "by week", "whole": "once for the whole period"}
WHO = {"person-day": "a person's day", "person": "a person", "trip": "a single trip"}
USE: dict[Level, str] = {"good": "good", "partly": "in part", "noisy": "too little"}
USE_RULE = (
    "Use is the common part: of 100 trips (visits), so many are where they really were. Flows are "
    f"called good from {FLOWS_LIMITS[0]:.0%}, usable in part from {FLOWS_LIMITS[1]:.0%}; a density "
    f"from {DENSITY_LIMITS[0]:.0%} and {DENSITY_LIMITS[1]:.0%}, for a week without any rhythm has "
    "74%. These limits are conventions."
)
SIGNS = {
    "max_trips_per_user": "T {}",
    "suppression_threshold": "τ {}",
    "max_visits_per_user": "ℓ {}",
}
MUCH_MORE = 1.5
"""Times the true number, from which on what is released says so."""

_KEPT = {
    "person-day": "{} trips kept per person and day (T)",
    "person": "{} trips kept per person (T)",
    "trip": "every trip kept",
}
LEAK = (
    "Choosing by confidential data leaks a little about them, which no ε accounts for; Release "
    "records it."
)


def is_flows(setting: Setting) -> bool:
    """Whether a setting is of flows."""
    return isinstance(setting.parameters, ODParameters)


def hundred(share: float) -> str:
    """Write how many of a hundred.

    Examples
    --------
    >>> hundred(0.894), hundred(0.9996), hundred(float("nan"))
    ('89', 'over 99', 'none')
    """
    if share != share:
        return "none"
    return "over 99" if 0.995 <= share < 1 else f"{100 * share:.0f}"


def right(use: Use) -> str:
    """Write how many of a hundred are right, never rounded up to a better level.

    Examples
    --------
    >>> right(Use(share=0.896)), right(Use(share=0.976))
    ('89', '98')
    """
    rounds = replace(use, share=round(use.share, 2)).level == use.level
    return hundred(use.share if rounds else math.floor(100 * use.share) / 100)


def held(use: Use, setting: Setting) -> str:
    """Say what a release holds of the truth, and of which trips.

    Examples
    --------
    >>> from engine.contract import Seen
    >>> seen = Seen(dataset="demo-city", zones="clusters-10")
    >>> coarse = Setting(seen=seen, parameters=ODParameters(epsilon=1.0))
    >>> held(Use(share=0.93, crossing=0.57), coarse)
    'of the 57 in 100 trips that cross 10 clusters, 93 in 100 are where they were'
    """
    if not is_flows(setting):
        return f"of 100 visits in all {right(use)} are where and when they were"
    if setting.zones == FINEST:
        return f"of 100 trips between zones {right(use)} are where they were"
    cross = f"of the {hundred(use.crossing)} in 100 trips that cross {level_words(setting.zones)}"
    return f"{cross}, {right(use)} in 100 are where they were"


def guessed(best_guess: float, setting: Setting) -> str:
    """Say how often an attacker is right at most, as every page does."""
    words = privacy.guesses(best_guess).removesuffix(" of 100 guesses")
    trip = " about one trip" * (getattr(setting.parameters, "unit", "") == "trip")
    return f"an attacker guesses right {words} times in 100{trip}"


def levers(setting: Setting, signs: Mapping[str, str] = SIGNS) -> str:
    """Return the method and what its sliders stand at, such as ``the papers' method, T 4, ε 1``."""
    asked: Any = setting.parameters
    methods: Any = od.METHODS if is_flows(setting) else density.METHODS
    row = methods[asked.method]
    theirs = "the papers' method" if is_flows(setting) else row.name
    parts = ["our method" if row.ours else theirs]
    parts += [text.format(getattr(asked, name)) for name, text in signs.items() if name in row.uses]
    return ", ".join([*parts, f"ε {asked.epsilon:g}"])


def spelt(setting: Setting) -> str:
    """Return `levers` with what the signs mean, as a sentence."""
    signs = {
        "max_trips_per_user": _KEPT.get(getattr(setting.parameters, "unit", ""), ""),
        "suppression_threshold": "flows under {} hidden (τ)",
        "max_visits_per_user": "{} visits kept per person (ℓ)",
    }
    return f"With {levers(setting, signs)}."


def when(setting: Setting) -> str:
    """Say for which times numbers are published."""
    return SPANS[setting.when.step] if is_flows(setting) else "for every hour of the week"


def sentence(one: Candidate) -> str:
    """Return a recommendation as one sentence: what would be published, and who is protected."""
    setting = one.setting
    return (
        f"Publish {zones_words(setting.zones, one.zones)} {when(setting)}, protecting "
        f"{WHO[one.unit]}: {held(one.use, setting)}; {guessed(one.risk, setting)}. {spelt(setting)}"
    )


def as_set(use: Use, setting: Setting, best_guess: float) -> str:
    """Return the verdict on what is set as a sentence, and what it is set to."""
    words = f"{held(use, setting)}; {guessed(best_guess, setting)}. {set_to(use, setting)}"
    return f"{words[0].upper()}{words[1:]}"


def set_to(use: Use, setting: Setting) -> str:
    """Return the method and its settings as a sentence, beside what says use and risk."""
    words = spelt(setting)
    if use.released > MUCH_MORE:
        words += f" What is released adds up to {use.released:.1f} times the true number."
    return words


def way(one: WayOut) -> str:
    """Return what one other thing would bring, as the label of a button."""
    setting, risk = one.candidate.setting, one.candidate.risk
    given = {
        "zones": zones_words(setting.zones, one.candidate.zones),
        "time": SPANS[setting.when.step],
        "threshold": f"τ {getattr(setting.parameters, 'suppression_threshold', 0)}",
        "risk": f"more risk, ε {setting.parameters.epsilon:g}",
    }[one.lever]
    use = one.candidate.use
    of = f", of the {hundred(use.crossing)} that cross" if use.crossing < 1 else ""
    head = given if one.lever == "threshold" else f"{given[0].upper()}{given[1:]}"
    return f"{head}: {right(use)} in 100 right{of}; risk {privacy.round_up_percent(risk):.0f}"


def estimated(bar: int) -> str:
    """Say up to which size our method's reading of a single flow is more model than measurement."""
    return f"Single flows below {bar:,} trips are mostly estimated from all others."


def readable(least: int | None, use: Use) -> str:
    """Say which flows can be read by themselves."""
    if least is None:
        sums = ", and so may sums" if use.released > MUCH_MORE else ": read sums"
        return f"Hardly any single flow can be read by itself, most may be far off{sums}."
    return (
        f"Nine in ten single flows of {least:,} trips or more are within a quarter of the truth; "
        "smaller ones may be far off."
    )

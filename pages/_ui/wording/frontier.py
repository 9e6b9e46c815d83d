"""A setting in words, what it risks and what can be used of it, and why it is recommended."""

from engine.frontier import Candidate, WayOut
from engine.resolution import FINEST
from pages._ui.wording.labels import SHORT_METHODS
from pages._ui.wording.numbers import percent
from pages._ui.wording.places import level_words
from pages._ui.wording.privacy import guess

SPANS = {"day": "every day", "week": "every week", "whole": "the whole period"}
UNITS = {"person-day": "a person's day", "person": "a person", "trip": "a single trip"}
LEAK = (
    "A setting chosen by looking at confidential data leaks a little about them, which no ε "
    "accounts for. Release will record it as tuned on these data."
)


def zones_words(one: Candidate) -> str:
    """Return how many zones a setting has, and of which level."""
    level = one.seen.zones
    return f"{one.zones:,} zones" if level == FINEST else _counted(level, one.zones)


def _counted(level: str, zones: int) -> str:
    words = level_words(level)
    return words if level.startswith("clusters-") else f"{zones:,} {words}"


def is_flows(one: Candidate) -> bool:
    """Whether a setting releases flows."""
    return "T" in one.levers


def span_words(one: Candidate) -> str:
    """Return how long one matrix, or one block of the week, is."""
    return SPANS[one.seen.when.step] if is_flows(one) else "every hour"


def levers_words(one: Candidate) -> str:
    """Return what the sliders of a setting stand at, such as ``T 30, τ 0, ε 1``."""
    return ", ".join(
        SHORT_METHODS[value] if name == "method" else f"{name} {value:g}"
        for name, value in one.levers.items()
        if name != "unit"
    )


def setting_words(one: Candidate) -> str:
    """Return a setting in words."""
    return f"{zones_words(one)}, {span_words(one)}, {UNITS[one.unit]}, {levers_words(one)}"


def axes_words(one: Candidate) -> str:
    """Return a setting's two axes, such as ``93.2% at 73.1%``: use, and the best guess."""
    return f"{use_words(one)} at {guess(one.risk, 1)}"


def use_words(one: Candidate) -> str:
    """Return the share that is usable, with its standard error where it is made of draws."""
    return f"{percent(one.use)} ± {100 * one.use_error:.0f}" if one.use_error else percent(one.use)


def counted_words(*, flows: bool) -> str:
    """Return what use is a share of."""
    return "trips" if flows else "zones"


def because(one: Candidate, *, use: float, risk: float, limit: float) -> str:
    """Say why a setting is recommended, beside what is set now."""
    of = counted_words(flows=is_flows(one))
    return (
        f"because no setting that meets this need and keeps the best guess within {guess(limit)} "
        f"has more use: {use_words(one)} of {of} at a best guess of {guess(one.risk, 1)} "
        f"(now {percent(use)} at {guess(risk, 1)})."
    )


def way_words(way: WayOut) -> str:
    """Return a way out as the label of a button: what it is instead, and both axes."""
    one = way.candidate
    given = {
        "zones": zones_words(one),
        "time": span_words(one),
        "days": f"only {one.days} {'day' if one.days == 1 else 'days'}",
        "unit": f"protect {UNITS[one.unit]}",
        "risk": f"ε {one.parameters.epsilon:g}, more risk",
    }[way.lever]
    return f"{capital(given)}: {axes_words(one)}"


def finer_words(one: Candidate, least_zones: int) -> str:
    """Return what more detail costs as the label of a button."""
    more = zones_words(one) if one.zones > least_zones else f"{span_words(one)}, {UNITS[one.unit]}"
    return f"{capital(more)}: {axes_words(one)}"


def lever_words(name: str) -> str:
    """Return what a lever of `engine.frontier` is called."""
    return {
        "zones": "Zones: fewer, more",
        "time": "Matrices: longer time, shorter",
        "unit": "Protected: a person's day, a person",
        "method": "Method",
        "T": "Trips kept (T)",
        "ℓ": "Visits kept (ℓ)",
        "τ": "Suppressed below (τ)",
        "ε": "Privacy loss (ε)",
    }[name]


def capital(text: str) -> str:
    """Return a text with a capital; a Greek symbol stays as it is."""
    return text[0].upper() + text[1:] if text[0].isascii() else text

"""The settings that stand side by side, those pinned and the one of the sidebar; their numbers."""

from dataclasses import dataclass
from typing import Any

from engine.parameters import DensityParameters
from pages._ui.cache import (
    attack as cached_attack,
    density as cached_density,
    trips as cached_trips,
    verbs,
)
from pages._ui.shell import pins
from pages._ui.shell.settings import Settings
from pages._ui.views import context as contexts
from pages._ui.views.context import Context, Density, Flows, Side
from pages._ui.wording.measures import MEAN_ERROR, trip_labels
from pages._ui.wording.numbers import fixed, number, percent, trip_count
from pages._ui.wording.privacy import guess

NOW = "Now"
COLOURS = ("#2a8fbd", "#c9782f", "#8e6bbd", "#2a9d6f")
"""Told apart by colour-blind readers, on light and dark."""


@dataclass(frozen=True)
class Column:
    """One setting on the page.

    Attributes
    ----------
    name : str
        A, B, … for a pinned one, `NOW` for that of the sidebar.
    letter : str
        Of a pinned one; empty for that of the sidebar.
    colour : str
    settings : Settings
    context : Context or None
        None where it cannot be shown, which `problems` says.
    problems : tuple of str
    """

    name: str
    letter: str
    colour: str
    settings: Settings
    context: Context[Any] | None
    problems: tuple[str, ...]


def columns(now: Settings, part: str) -> list[Column]:
    """Return what stands side by side for a part, ``density`` or ``trips``."""
    asked = [(letter.upper(), letter, *pins.settings(pin)) for letter, pin in pins.pinned().items()]
    if len(asked) < len(pins.LETTERS):
        asked.append((NOW, "", now, []))
    return [
        _column(name, letter, colour, settings, problems, part)
        for (name, letter, settings, problems), colour in zip(asked, COLOURS, strict=False)
    ]


def sides(shown: list[Column]) -> list[Side]:
    """Return the columns that can be shown, as views take them."""
    return [Side(one.name, one.colour, one.context) for one in shown if one.context is not None]


def _column(
    name: str, letter: str, colour: str, settings: Settings, problems: list[str], part: str
) -> Column:
    density = part == "density"
    entry = settings.density_data if density else settings.od_data
    context = contexts.of_density(settings) if density else contexts.of_trips(settings)
    if entry is None:
        problems = problems or ["Its dataset is not on this computer."]
    elif context is None:
        what = "visits" if density else "trips"
        problems = [*problems, f"The dataset {entry.name} has no {what}."]
    return Column(name, letter, colour, settings, context, tuple(problems))


def numbers(context: Context[Any]) -> dict[str, str]:
    """Return the numbers of one setting, by name."""
    return (
        _visits(context) if isinstance(context.parameters, DensityParameters) else _trips(context)
    )


def _visits(context: Density) -> dict[str, str]:
    scores = verbs.scores(*context.asked)
    judged = cached_density.judged(*context.asked)
    worth = cached_attack.worth_of_density(*context.exact)
    return {
        "Usable zones": f"{judged.usable_zones:,} of {judged.zones:,}",
        "Relative error (MRE)": "–" if scores.exceeded else percent(scores.mean_error),
        "Rhythm kept (Pearson r)": fixed(scores.mean_correlation),
        "Error of the total": percent(scores.total_error),
        "Best guess about a person": guess(worth.best_guess, 1),
        "ε of a person in all": number(worth.total_epsilon, 4),
    }


def _trips(context: Flows) -> dict[str, str]:
    """Return the numbers of one matrix, and what all of them cost a person."""
    about, parameters = context.entry.metadata, context.parameters
    added_up = len(about.periods) < len(about.days)
    worth = cached_attack.worth_of_trips(parameters, len(about.days), added_up=added_up)
    unbounded = parameters.unit == "trip"
    return {
        **(_drawn(context) if context.method.expected is None else _expected(context)),
        "True trips between zones": f"{int(context.truth.sum()):,}",
        "Best guess, all released": guess(worth.best_guess, 1),
        "ε of a person in all": "not bounded" if unbounded else number(worth.total_epsilon, 4),
    }


def _expected(context: Flows) -> dict[str, str]:
    exact = cached_trips.numbers(*context.exact)
    labels = trip_labels("τ or more")
    return {
        "Trips in usable flows": percent(exact.judged.usable_share),
        labels["median_error"]: trip_count(exact.scores.median_error),
        labels["relative_error"]: percent(exact.scores.relative_error),
        labels["visible_share"]: percent(exact.scores.visible_share),
        labels["zero_share"]: percent(exact.scores.zero_share),
    }


def _drawn(context: Flows) -> dict[str, str]:
    """Return what one draw says of a method without an exact law."""
    errors = cached_trips.agreed(*context.asked).agreement
    return {
        f"{MEAN_ERROR} (this draw)": trip_count(errors.mean_error),
        "Error of totals leaving zones (this draw)": percent(errors.outgoing_error),
        "Common part of commuters (this draw)": percent(errors.common_part),
    }

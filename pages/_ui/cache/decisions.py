"""Cached wrappers of the Decisions page: dataset key, settings and seed, never arrays."""

from dataclasses import dataclass
from typing import Any

from engine import decisions
from engine.arrays import Floats
from engine.contract import Seen
from engine.decisions import choice, populations as people_by_zone
from engine.decisions.choice import Remedy
from engine.decisions.epidemic import expected_epidemic, suppressed_epidemic
from engine.parameters import ODParameters
from pages._ui.cache import scope as cached_scope
from pages._ui.cache.datasets import dataset, frozen

People = tuple[tuple[str, float], ...] | float | None
"""A table of populations by zone id, one number for every zone, or None for the homes."""


@dataclass(frozen=True)
class Outbreak:
    """The epidemics that are looked at.

    Attributes
    ----------
    origins : tuple of str
        Zone ids; the first is the one in view.
    threshold : float
        Prevalence from which a zone acts.
    days : tuple of int
        Positions of the first and the last day.
    people : People
    """

    origins: tuple[str, ...]
    model: decisions.EpidemicParameters
    threshold: float
    days: tuple[int, int]
    people: People

    @property
    def span(self) -> slice:
        """The days as the engine takes them."""
        return slice(self.days[0], self.days[1] + 1)


@dataclass(frozen=True)
class Emergency:
    """The shock that is looked at: affected zone ids and days (positions)."""

    zones: tuple[str, ...]
    days: tuple[int, int]


@cached_scope.resource(max_entries=16, show_spinner=False)
def populations(key: Seen, people: People) -> decisions.Populations:
    """Return the people by zone: from homes, or as given."""
    if people is None:
        return decisions.home_populations(dataset(key))
    given = dict(people) if isinstance(people, tuple) else people
    return people_by_zone.given_populations(dataset(key), given)


@cached_scope.data(max_entries=64, show_spinner=False)
def empty_zones(key: Seen) -> int:
    """Return in how many zones nobody lives (confidential)."""
    return people_by_zone.empty_zones(dataset(key))


def arguments(key: Seen, outbreak: Outbreak) -> dict[str, Any]:
    """Return what every epidemic of an outbreak takes by name."""
    return {"populations": populations(key, outbreak.people), "days": outbreak.span}


@cached_scope.resource(max_entries=16, show_spinner=False)  # also called by work beside a page
def true(key: Seen, outbreak: Outbreak) -> Floats:
    """Return the true prevalence, shape (origins, days, zones), read-only (confidential)."""
    run = decisions.true_epidemic(
        dataset(key), outbreak.origins, outbreak.model, **arguments(key, outbreak)
    )
    return frozen(run.prevalence)


@cached_scope.resource(max_entries=16, show_spinner="Suppressing small flows …")
def quiet(key: Seen, outbreak: Outbreak, parameters: ODParameters) -> Floats:
    """Return the prevalence with trimming and suppression, without noise; ε plays no part.

    The ε of `parameters` should be a fixed one, so that moving its slider finds the same run.
    """
    run = suppressed_epidemic(
        dataset(key), outbreak.origins, outbreak.model, parameters, **arguments(key, outbreak)
    )
    return frozen(run.prevalence)


def expected(key: Seen, outbreak: Outbreak, parameters: ODParameters) -> Floats:
    """Return the prevalence with the exact expected matrices: a first estimate."""
    return expected_epidemic(
        dataset(key), outbreak.origins, outbreak.model, parameters, **arguments(key, outbreak)
    ).prevalence


@cached_scope.data(max_entries=64, show_spinner="Looking for what would help …")
def epidemic_remedies(
    key: Seen, outbreak: Outbreak, parameters: ODParameters, target: decisions.EpidemicTarget
) -> list[Remedy]:
    """Return what trimming and suppression alone allow, with other τ and T beside."""
    return choice.epidemic_remedies(
        dataset(key),
        outbreak.origins[:1],
        outbreak.model,
        parameters,
        target,
        threshold=outbreak.threshold,
        **arguments(key, outbreak),
    )


@cached_scope.resource(max_entries=32, show_spinner=False)
def outflow(
    key: Seen, emergency: Emergency, unit: str, max_trips_per_user: int
) -> decisions.Outflow:
    """Return the trips out of the affected area; they depend on the unit and T only."""
    event = decisions.shock(
        dataset(key), emergency.zones, days=slice(emergency.days[0], emergency.days[1] + 1)
    )
    settings = ODParameters(epsilon=1.0, unit=unit, max_trips_per_user=max_trips_per_user)
    return decisions.outflow(dataset(key), event, settings)


def leaving(key: Seen, emergency: Emergency, parameters: ODParameters) -> decisions.Outflow:
    """Return the trips out of the affected area as `parameters` trims them."""
    return outflow(key, emergency, parameters.unit, parameters.max_trips_per_user)


@cached_scope.data(max_entries=256, show_spinner=False)
def totals(key: Seen, emergency: Emergency, parameters: ODParameters) -> decisions.ShockTotals:
    """Return the exact totals of the out-migration."""
    return decisions.shock_totals(leaving(key, emergency, parameters), parameters)


@cached_scope.data(max_entries=64, show_spinner="Looking for what would help …")
def aid_remedies(
    key: Seen, emergency: Emergency, parameters: ODParameters, target: decisions.AidTarget, k: int
) -> list[Remedy]:
    """Return what trimming and suppression alone allow, with other τ and T beside."""
    event = decisions.shock(
        dataset(key), emergency.zones, days=slice(emergency.days[0], emergency.days[1] + 1)
    )
    return choice.aid_remedies(dataset(key), event, parameters, target, k)

"""Public facts that a twin is made of, and what no public source tells."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from typing import Any

from .. import validation
from ..errors import ParameterError

MOST_ZONES = 5_000
MOST_TRIPS_A_DAY = 50.0
MOST_PEOPLE = 100_000_000
FIRST_DAY = date(2026, 6, 1)
"""A Monday."""
TRAVELLERS = 0.9
"""Share of people who travel where none is stated."""


@dataclass(frozen=True, kw_only=True)
class Unknowns:
    """What no public source tells of the flows; the middle of what other places show."""

    unevenness: float = 1.0  # log standard deviation of a zone's pull beyond its residents
    affinity: float = 1.5  # of how far pairs of zones belong together
    commuting: float = 0.6  # share of trips to a person's fixed other place or back
    spread: float = 1.0  # log standard deviation of the trips of those who travel
    outing: float = 2.2  # mean number of trips on a day with any

    def __post_init__(self) -> None:
        for name in ("unevenness", "affinity", "spread"):
            validation.finite_within(name, getattr(self, name), (0.0, 3.0), "1 is usual")
        validation.finite_within("commuting", self.commuting, (0.0, 1.0), "it is a share of trips")
        validation.finite_within("outing", self.outing, (1.0, 50.0), "out and back are 2")


@dataclass(frozen=True, kw_only=True)
class TwinInputs:
    """Public facts that a twin is made of; no number here may come from the data at hand.

    Attributes
    ----------
    people : int
        People in the data to come: subscribers, riders.
    trips_a_day : float
        Trips between zones per person and day, on average over all people.
    travellers : float, optional
        Share of people who ever travel in the period; None where it is not known.
    days, first_day, time_zone
        The period.
    friction_km : float or None
        Distance over which flows fall by a factor e; None takes a third of the area's radius.
    visits_a_week : float
        Records per person for the density of visits; 0 makes none. They need a whole week from
        Monday to Sunday.
    weekdays : tuple of float, optional
        Relative numbers of trips from Monday to Sunday; None takes those of the shipped week.
    unknowns : Unknowns
    seed : int
        Decides everything; the same inputs make the same bytes.
    sources : mapping
        Where each fact is printed, in words; stands in the dataset and in a statement.
    """

    people: int
    trips_a_day: float = 0.8
    travellers: float | None = None
    days: int = 7
    first_day: date = FIRST_DAY
    time_zone: str = "UTC"
    friction_km: float | None = None
    visits_a_week: float = 15.0
    weekdays: tuple[float, ...] | None = None
    unknowns: Unknowns = field(default_factory=Unknowns)
    seed: int = 1
    sources: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        validation.whole_number(
            "people", self.people, 1, MOST_PEOPLE, remedy="state how many people"
        )
        validation.whole_number("days", self.days, 1, 366, remedy="a week is usual")
        for name, limits, remedy in (
            ("trips_a_day", (0.0, MOST_TRIPS_A_DAY), "trips per person and day, such as 0.8"),
            ("visits_a_week", (0.0, 300.0), "15 is usual"),
        ):
            validation.finite_within(name, getattr(self, name), limits, remedy)
        if self.travellers is not None:
            remedy = "it is a share of people"
            validation.finite_within("travellers", self.travellers, (0.001, 1.0), remedy)
        if self.friction_km is not None:
            validation.finite_within("friction_km", self.friction_km, (0.001, 1e5), "5 in a city")
        for day in self.weekdays or ():
            validation.finite_within("weekdays", day, (0.0, 1e9), "relative numbers of trips")
        week = self.weekdays
        if week and (len(week) != 7 or not any(week[day] for day in self.days_of_week())):
            raise ParameterError(
                "weekdays must be seven numbers, from Monday to Sunday, above 0 on some day",
                value=f"{self.weekdays}",
                remedy="1,1,1,1,1,0.8,0.7 is usual",
            )

    def days_of_week(self) -> list[int]:
        """Return the weekday of each day of the period, 0 for Monday."""
        return [(self.first_day.weekday() + day) % 7 for day in range(self.days)]

    @property
    def monday(self) -> date | None:
        """First day of the week of visits; None where the period has no whole week."""
        monday = self.first_day + timedelta(days=-self.first_day.weekday() % 7)
        ends = monday + timedelta(days=6)
        return monday if ends <= self.first_day + timedelta(days=self.days - 1) else None

    def described(self, **facts: object) -> dict[str, Any]:
        """Return the inputs as they stand in the metadata and in a statement."""
        return asdict(self) | {"first_day": self.first_day.isoformat()} | facts


def read_weekdays(text: str) -> tuple[float, ...]:
    """Return the relative trips from Monday to Sunday that a text states."""
    try:
        return tuple(float(part) for part in re.split(r"[\s,;]+", text.strip(" ,;")))
    except ValueError:
        raise ParameterError(
            "weekdays must be numbers, from Monday to Sunday",
            value=repr(text[:40]),
            remedy="1,1,1,1,1,0.8,0.7 is usual",
        ) from None


_NO_FRICTION = "friction of a third of the area's radius"


def in_words(described: Mapping[str, Any]) -> str:
    """Return inputs as `TwinInputs.described` gives them, in the words of a statement."""
    known, sources = described.get, described["sources"]
    friction, residents = described["friction_km"], known("residents")
    facts = {
        "zones": f"{known('zones')} zones",
        "residents": f"{residents:,.0f} residents" if residents else "people live by area",
        "people": f"{described['people']:,} people",
        "trips_a_day": f"{described['trips_a_day']:g} trips a person and day between zones",
        "travellers": f"{described['travellers'] or TRAVELLERS:.0%} of people travel",
        "days": f"{described['days']} days from {described['first_day']}, {described['time_zone']}",
        "friction_km": f"friction of {friction:g} km" if friction else _NO_FRICTION,
        "visits_a_week": f"{described['visits_a_week']:g} records a person and week",
        "weekdays": f"trips from Monday to Sunday as {known('weekdays')}",
        "public_flows": "flows as in a public table of another source",
    }
    absent = [key for key in ("zones", "residents") if key not in described]
    absent += [key for key in ("weekdays", "public_flows") if not known(key)]
    facts = {key: text for key, text in facts.items() if key not in absent}
    unknowns = ", ".join(f"{name} {value:g}" for name, value in described["unknowns"].items())
    parts = [f"{text} ({sources[key]})" if key in sources else text for key, text in facts.items()]
    others = [f"{key}: {text}" for key, text in sources.items() if key not in facts]
    return "; ".join([*parts, *others, unknowns, f"seed {described['seed']}"])

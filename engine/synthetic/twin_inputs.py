"""Public facts behind a simulated dataset, and assumptions without a public source."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from typing import Any

from .. import validation

MAX_ZONES = 5_000
MAX_TRIPS_PER_DAY = 50.0
MAX_PEOPLE = 100_000_000
MAX_VISITS = 50.0
"""Maximum records per person and week: one place an hour, and people differ."""
FIRST_DAY = date(2026, 6, 1)
"""A Monday."""
TRAVELLERS = 0.9


ASSUMED_FACTS = {
    "unevenness": 1.0,  # log standard deviation of a zone's pull beyond its residents
    "affinity": 1.5,  # of the affinity of pairs of zones
    "commuting": 0.6,  # share of trips to a person's fixed other place or back
    "spread": 1.0,  # log standard deviation of the trips of those who travel
    "outing": 2.2,  # mean number of trips on a day with any
}
"""Assumed parameters of flows without a public source; the middle of other places' values."""


@dataclass(frozen=True, kw_only=True)
class TwinInputs:
    """Public facts of a simulated dataset; no number here may come from the confidential data."""

    people: int  # in the confidential data: subscribers, riders
    trips_a_day: float = 0.8  # between zones per person and day, on average over all people
    one_trip: bool = False  # everybody makes exactly one trip in the period, whatever `trips_a_day`
    travellers: float | None = None  # share of people who ever travel in the period
    days: int = 7
    first_day: date = FIRST_DAY
    time_zone: str = "UTC"
    friction_km: float | None = None  # over which flows fall by e; None: a third of the radius
    visits_a_week: float = 15.0  # records per person; 0, or no whole week, makes no density
    seed: int = 1  # fixes all draws: the same inputs make the same bytes
    sources: Mapping[str, str] = field(default_factory=dict[str, str])  # source of each fact

    def __post_init__(self) -> None:
        check_whole, check_finite = validation.check_whole_number, validation.check_within
        check_whole("people", self.people, 1, MAX_PEOPLE, remedy="state how many people")
        check_whole("days", self.days, 1, 366, remedy="a week is usual")
        check_whole("seed", self.seed, 0, None, remedy="1 is usual")
        validation.check_time_zone("time_zone", self.time_zone)
        holds = self.first_day <= date.max - timedelta(days=self.days)
        rule, remedy = "the period must end before the year 10000", "name an earlier day"
        validation.check_rule(holds, rule, f"{self.first_day}", remedy, "first_day")
        remedy = "trips per person and day, such as 0.8"
        check_finite("trips_a_day", self.trips_a_day, (0.0, MAX_TRIPS_PER_DAY), remedy)
        check_finite("visits_a_week", self.visits_a_week, (0.0, MAX_VISITS), "15 is usual")
        if self.travellers is not None:
            least = 1.0 if self.one_trip else 0.001
            check_finite("travellers", self.travellers, (least, 1.0), "it is a share of people")
        if self.friction_km is not None:
            check_finite("friction_km", self.friction_km, (0.001, 1e5), "5 in a city")

    @property
    def monday(self) -> date | None:
        """First day of the week of visits; None where the period has no whole week."""
        monday = self.first_day + timedelta(days=-self.first_day.weekday() % 7)
        ends = monday + timedelta(days=6)
        return monday if ends <= self.first_day + timedelta(days=self.days - 1) else None

    def to_json(self, zones: int, residents: float | None) -> dict[str, Any]:
        """Return the inputs as stored in the metadata and in a statement."""
        facts = {"first_day": self.first_day.isoformat(), "zones": zones, "residents": residents}
        inputs = asdict(self)
        if not self.one_trip:  # as older twins have it
            del inputs["one_trip"]
        return inputs | facts | {"unknowns": dict(ASSUMED_FACTS)}


def count_trips(inputs: Mapping[str, Any]) -> float:
    """Return the trips of all people in the period by inputs of `TwinInputs.to_json`."""
    per_person = inputs["days"] * inputs["trips_a_day"]
    return inputs["people"] * (1 if inputs.get("one_trip") else per_person)


def format_inputs(inputs: Mapping[str, Any]) -> str:
    """Return inputs of `TwinInputs.to_json` as text of a statement."""
    of, sources = inputs, inputs["sources"]
    friction, residents, one_trip = of["friction_km"], of["residents"], of.get("one_trip")
    facts = {
        "zones": f"{of['zones']} zones",
        "residents": f"{residents:,.0f} residents" if residents else "people live by area",
        "people": f"{of['people']:,} people",
        "trips_a_day": "everybody makes one trip"
        if one_trip
        else f"{of['trips_a_day']:g} trips a person and day between zones",
        "travellers": f"{1 if one_trip else of['travellers'] or TRAVELLERS:.0%} of people travel",
        "days": f"{of['days']} days from {of['first_day']}, {of['time_zone']}",
        "friction_km": f"friction of {friction:g} km"
        if friction
        else "friction of a third of the area's radius",
        "visits_a_week": f"{of['visits_a_week']:g} records a person and week",
    }
    unknowns = ", ".join(f"{name} {value:g}" for name, value in of["unknowns"].items())
    parts = [f"{text} ({sources[key]})" if key in sources else text for key, text in facts.items()]
    other_sources = [f"{key}: {text}" for key, text in sources.items() if key not in facts]
    return "; ".join([*parts, *other_sources, unknowns, f"seed {of['seed']}"])

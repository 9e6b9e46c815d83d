"""The numbers of a mobility report from people's trips, straight from their definitions."""

import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta

EARTH_RADIUS_KM = 6371.009


@dataclass(frozen=True)
class Place:
    lat: float
    lng: float
    zone: int | None


@dataclass(frozen=True)
class Trip:
    """One trip; places are numbers of a list, None where unknown; local wall clock."""

    start: datetime
    finish: datetime | None
    origin: int | None
    destination: int | None


def haversine_km(a: Place, b: Place) -> float:
    phi, psi = math.radians(a.lat), math.radians(b.lat)
    h = (
        math.sin((psi - phi) / 2) ** 2
        + math.cos(phi) * math.cos(psi) * math.sin(math.radians(b.lng - a.lng) / 2) ** 2
    )
    return 2 * EARTH_RADIUS_KM * math.asin(math.sqrt(h))


class Report:
    """All numbers of the trips of people, each list in order of the person's random rank."""

    def __init__(
        self,
        people: list[list[Trip]],
        places: list[Place],
        zones: int,
        first_day: date,
        days: int,
        kept: int | None,
    ) -> None:
        self.places, self.zones = places, zones
        self.first_day, self.days = first_day, days
        end = first_day + timedelta(days=days)
        ordered = [
            sorted(trips, key=lambda t: not first_day <= t.start.date() < end) for trips in people
        ]  # a stable sort: trips outside the period come after the others
        self.all = [trips[:kept] for trips in ordered]
        self.people = [
            [t for t in trips if first_day <= t.start.date() < end] for trips in self.all
        ]
        self.trips = [trip for trips in self.people for trip in trips]

    def zone(self, place: int | None) -> int | None:
        return None if place is None else self.places[place].zone

    def by_day(self) -> list[int]:
        """Outside the period, then by day."""
        counts = [0] * (self.days + 1)
        for trips in self.all:
            for trip in trips:
                day = (trip.start.date() - self.first_day).days
                counts[day + 1 if 0 <= day < self.days else 0] += 1
        return counts

    def points(self) -> list[tuple[datetime | None, int | None]]:
        starts = [(t.start, t.origin) for t in self.trips]
        return starts + [(t.finish, t.destination) for t in self.trips]

    def by_hour(self) -> list[int]:
        counts = [0] * 96
        for number, (moment, _) in enumerate(self.points()):
            if moment is not None:
                end = number >= len(self.trips)
                counts[(end * 2 + (moment.weekday() >= 5)) * 24 + moment.hour] += 1
        return counts

    def by_zone(self) -> list[int]:
        counts = [0] * (self.zones + 1)
        for _, place in self.points():
            zone = self.zone(place)
            counts[self.zones if zone is None else zone] += 1
        return counts

    def flows(self) -> list[int]:
        counts = [0] * self.zones**2
        for trip in self.trips:
            origin, destination = self.zone(trip.origin), self.zone(trip.destination)
            if origin is not None and destination is not None:
                counts[origin * self.zones + destination] += 1
        return counts

    def travel_minutes(self) -> list[float]:
        ended = [t for t in self.trips if t.finish is not None]
        return [(t.finish - t.start).total_seconds() / 60 for t in ended]

    def jumps_km(self) -> list[float]:
        placed = [t for t in self.trips if t.origin is not None and t.destination is not None]
        return [haversine_km(self.places[t.origin], self.places[t.destination]) for t in placed]

    def number_of_people(self) -> int:
        return sum(bool(trips) for trips in self.people)

    def _visited(self, trips: list[Trip]) -> list[Place]:
        ends = [end for trip in trips for end in (trip.origin, trip.destination)]
        return [self.places[end] for end in ends if end is not None]

    def gyrations_km(self) -> list[float]:
        radii: list[float] = []
        for places in filter(None, map(self._visited, self.people)):
            middle = Place(
                sum(p.lat for p in places) / len(places),
                sum(p.lng for p in places) / len(places),
                None,
            )
            squares = [haversine_km(place, middle) ** 2 for place in places]
            radii.append(math.sqrt(sum(squares) / len(squares)))
        return radii


def histogram(values: list[float], edges: list[float]) -> list[int]:
    """Counts below, in each left-closed bin, and above."""
    counts = [0] * (len(edges) + 1)
    for value in values:
        counts[sum(value >= edge for edge in edges)] += 1
    return counts

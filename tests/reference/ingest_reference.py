"""The ingest in plain Python and pandas, straight from the specification of the data."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise

HOUR = "one visit within an hour"
RANK = "rank of an hour within a person"
SINGLE = "one visit of a person"
CAP = "visits of a person beyond the cap"
TRIP_DAY = "rank of a trip within a person-day"
TRIP_PERSON = "rank of a trip within a person"
NIGHT = {20, 21, 22, 23, 0, 1, 2, 3, 4, 5}
BUCKET = 257


@dataclass(frozen=True)
class Visit:
    uid: str
    at: datetime  # local wall clock
    location: int | None


@dataclass(frozen=True)
class Trip:
    uid: str
    start: datetime
    finish: datetime | None
    origin: int
    destination: int


def digest(salt: str, purpose: str, *parts: object) -> str:
    key = hashlib.sha256(f"{salt}|{purpose}".encode()).hexdigest()[:16]
    text = "|".join([key, *[str(part) for part in parts]])
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def hour_of_week(at: datetime, monday: date) -> int | None:
    hour = int((at - datetime.combine(monday, datetime.min.time())) // timedelta(hours=1))
    return hour if 0 <= hour < 168 else None


def records_by_person(visits: Iterable[Visit], monday: date) -> dict[str, set[tuple[int, int]]]:
    """(hour, location) of each person in the week, each once."""
    records: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for visit in visits:
        hour = hour_of_week(visit.at, monday)
        if hour is not None and visit.location is not None:
            records[visit.uid].add((hour, visit.location))
    return records


def density(visits: Iterable[Visit], monday: date, salt: str, cap: int) -> dict[str, Counter]:
    truth: Counter = Counter()
    presampled: Counter = Counter()
    single: Counter = Counter()
    for uid, records in records_by_person(visits, monday).items():
        kept = sorted(records, key=lambda r: digest(salt, CAP, uid, *r))[:cap]
        truth.update((location, hour) for hour, location in kept)
        first = min(records, key=lambda r: digest(salt, SINGLE, uid, *r))
        single[first[1]] += 1
        chosen: dict[int, int] = {}
        for hour in {hour for hour, _ in records}:
            inside = [r for r in records if r[0] == hour]
            chosen[hour] = min(inside, key=lambda r: digest(salt, HOUR, uid, *r))[1]
        order = sorted(chosen, key=lambda hour: digest(salt, RANK, uid, hour))
        presampled.update((chosen[hour], hour, rank + 1) for rank, hour in enumerate(order))
    return {"truth": truth, "presampled": presampled, "single_visit": single}


def homes(visits: Iterable[Visit], monday: date, zone_of: dict[int, int]) -> Counter:
    people: Counter = Counter()
    for records in records_by_person(visits, monday).values():
        night = Counter(zone_of[loc] for hour, loc in records if hour % 24 in NIGHT)
        if night:
            most = max(night.values())
            people[min(zone for zone, n in night.items() if n == most)] += 1
    return people


def seconds(at: datetime | None) -> int:
    return -1 if at is None else int((at - datetime(1970, 1, 1)).total_seconds())


def trip_counts(
    trips: Iterable[Trip], zone_of: dict[int, int], salt: str, *, by_person: bool
) -> Counter:
    """(date, origin zone, destination zone, rank) → n; self-trips and duplicates dropped first."""
    groups: dict[tuple[str, date | None], list[Trip]] = defaultdict(list)
    for trip in set(trips):
        if zone_of[trip.origin] != zone_of[trip.destination]:
            groups[trip.uid, None if by_person else trip.start.date()].append(trip)
    purpose = TRIP_PERSON if by_person else TRIP_DAY
    counts: Counter = Counter()
    for members in groups.values():
        members.sort(
            key=lambda t: digest(
                salt, purpose, t.uid, seconds(t.start), seconds(t.finish), t.origin, t.destination
            )
        )
        for rank, trip in enumerate(members, start=1):
            ends = zone_of[trip.origin], zone_of[trip.destination]
            counts[trip.start.date(), *ends, min(rank, BUCKET)] += 1
    return counts


def trips_between(visits: Iterable[Visit], zone_of: dict[int, int]) -> list[Trip]:
    """A visit and the person's next one, in another zone, on the same local day."""
    days: dict[tuple[str, date], list[Visit]] = defaultdict(list)
    for visit in visits:
        if visit.location is not None and visit.location in zone_of:
            days[visit.uid, visit.at.date()].append(visit)
    trips: list[Trip] = []
    for (uid, _), members in days.items():
        members.sort(key=lambda v: (v.at, v.location))
        zones = defaultdict(set)
        for visit in members:
            zones[visit.at].add(zone_of[visit.location])
        for before, after in pairwise(members):
            origin, end = zones[before.at], zones[after.at]
            if len(origin) == len(end) == 1 and origin != end:  # else the order is not known
                trips.append(Trip(uid, before.at, after.at, before.location, after.location))
    return trips

"""From people's trips in arrays to the rows of ``report.parquet``.

Ingest counts the same rows with its own engines; this is for trips that fit in memory, such as
those of simulated people.
"""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..arrays import Integers
from .measures import BEYOND, FINE_EDGES, HOUR_CLASSES, STOPS, UNKNOWN_TIME, Extent, Measure, cap_of
from .places import entropy_bin, great_circle_m, length_bin, logarithm_table

UNKNOWN = -1
"""A place or zone that is not known."""
NO_END = np.iinfo(np.int64).min
"""The end of a trip of which only the start is known."""

_CAPS = np.array((*STOPS, BEYOND))
_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60
_GAP_S = 900
_NO_VALUE = -2
_SATURDAY = 5
_THURSDAY = 3  # 1970-01-01


@dataclass(frozen=True, eq=False, kw_only=True)
class PeopleTrips:
    """Trips of people within the declared period; arrays of int64, one entry a trip.

    Attributes
    ----------
    person : array
        Number of the person, from 0.
    rank : array
        Random rank 1, 2, … within the person.
    start, finish : array
        Local seconds since 1970-01-01 00:00 on the wall clock; `NO_END` where unknown.
    origin, destination : array
        Number of the place, `UNKNOWN` where there is none.
    origin_zone, destination_zone : array
        Number of the zone, `UNKNOWN` outside all.
    outside_period : array
        The person of each trip before or after the period; they take ranks after the others.
    """

    person: Integers
    rank: Integers
    start: Integers
    finish: Integers
    origin: Integers
    destination: Integers
    origin_zone: Integers
    destination_zone: Integers
    outside_period: Integers


class _Rows:
    """Rows of the table under way, added up by key."""

    def __init__(self) -> None:
        self._parts: list[tuple[str, Integers, Integers, Integers]] = []

    def add(self, measure: Measure, cap: Integers, number: Integers, n: Integers | int = 1) -> None:
        """Count `n` in bin `number` from the stop `cap` on."""
        weights = np.broadcast_to(np.asarray(n, dtype=np.int64), cap.shape)
        lowest = number.min(initial=0)
        width = number.max(initial=0) - lowest + 1
        key = cap * width + number - lowest
        if key.max(initial=0) < 4 * len(key) + 1_000_000:  # few gaps: counting needs no sorting
            keys = np.flatnonzero(np.bincount(key))
            total = np.bincount(key, weights=weights)[keys]
        else:
            keys, inverse = np.unique(key, return_inverse=True)
            total = np.bincount(inverse, weights=weights, minlength=len(keys))
        caps, numbers = np.divmod(keys, width)
        self._parts.append((str(measure), caps, numbers + lowest, total.astype(np.int64)))

    def table(self) -> pa.Table:
        """Return the rows that count anything."""
        columns = {
            "measure": pa.concat_arrays(
                [pa.array(np.full(len(part[1]), part[0])) for part in self._parts]
            ).cast(pa.string()),
            "cap": pa.array(np.concatenate([part[1] for part in self._parts]).astype(np.int16)),
            "bin": pa.array(np.concatenate([part[2] for part in self._parts]).astype(np.int32)),
            "n": pa.array(np.concatenate([part[3] for part in self._parts])),
        }
        rows = pa.table(columns).group_by(["measure", "cap", "bin"]).aggregate([("n", "sum")])
        rows = rows.rename_columns(["measure", "cap", "bin", "n"])
        measured = pc.equal(rows["measure"], str(Measure.TRAVEL_TIME))
        rows = rows.filter(pc.or_(pc.not_equal(rows["n"], 0), measured))
        return rows.sort_by([(name, "ascending") for name in ("measure", "cap", "bin")])


def tabulate(
    trips: PeopleTrips, metres: Integers, extent: Extent, *, travel_times: bool = True
) -> pa.Table:
    """Count people's trips for every M at once.

    Parameters
    ----------
    trips : PeopleTrips
        All trips.
    metres : array, shape (places, 3)
        Places in whole metres, see `engine.report.places.metres_in_space`.
    extent : Extent
        The declared period and the number of zones.
    travel_times : bool
        Off where trips were found between sightings: what lies between is no travel time.

    Returns
    -------
    pyarrow.Table
        ``measure, cap, bin, n``; see `engine.report.measures`.
    """
    rows = _Rows()
    cap = cap_of(trips.rank)
    _count_trips(rows, trips, cap, metres, extent, travel_times=travel_times)
    _count_points(rows, trips, cap, extent)
    _count_people(rows, trips, cap, metres)
    _count_gaps(rows, trips, cap)
    if travel_times:  # a row of 0 marks that travel times are measured, were there none
        rows.add(Measure.TRAVEL_TIME, np.array([1]), np.array([-1]), 0)
    return rows.table()


def _count_trips(
    rows: _Rows,
    trips: PeopleTrips,
    cap: Integers,
    metres: Integers,
    extent: Extent,
    *,
    travel_times: bool,
) -> None:
    start_of_period = (extent.first_day.toordinal() - _EPOCH) * _DAY
    rows.add(Measure.DAY, cap, (trips.start - start_of_period) // _DAY)
    rows.add(Measure.DAY, *_outside_period(trips))
    within = (trips.origin_zone != UNKNOWN) & (trips.destination_zone != UNKNOWN)
    flow = trips.origin_zone * extent.zones + trips.destination_zone
    rows.add(Measure.FLOW, cap[within], flow[within])
    ended = trips.finish != NO_END
    rows.add(Measure.NO_END, cap[~ended], np.zeros(int((~ended).sum()), dtype=np.int64))
    if travel_times:
        minutes = (trips.finish[ended] - trips.start[ended]) // _MINUTE
        rows.add(Measure.TRAVEL_TIME, cap[ended], _limited(Measure.TRAVEL_TIME, minutes))
    placed = (trips.origin != UNKNOWN) & (trips.destination != UNKNOWN)
    step = metres[trips.origin[placed]] - metres[trips.destination[placed]]
    length = length_bin(great_circle_m((step**2).sum(axis=1)))
    rows.add(Measure.JUMP_LENGTH, cap[placed], _limited(Measure.JUMP_LENGTH, length))


def _outside_period(trips: PeopleTrips) -> tuple[Integers, Integers]:
    """Return cap and bin −1 of trips outside the period, ranked after those inside."""
    person = np.sort(trips.outside_period)
    size = int(max(trips.person.max(initial=-1), person.max(initial=-1))) + 1
    inside = np.bincount(trips.person, minlength=size)
    first = np.searchsorted(person, person)
    rank = inside[person] + np.arange(len(person)) - first + 1
    return cap_of(rank), np.full(len(person), -1, dtype=np.int64)


def _count_points(rows: _Rows, trips: PeopleTrips, cap: Integers, extent: Extent) -> None:
    ended = trips.finish != NO_END
    for end, moment, zone in (
        (0, trips.start, trips.origin_zone),
        (1, trips.finish, trips.destination_zone),
    ):
        known = np.ones(len(cap), dtype=bool) if end == 0 else ended
        moment = np.where(known, moment, 0)
        hour = moment % _DAY // _HOUR
        weekend = ((moment // _DAY + _THURSDAY) % 7 >= _SATURDAY).astype(np.int64)
        number = (end * 2 + weekend) * 24 + hour
        rows.add(Measure.HOUR, cap[known], number[known])
        kind = np.where(known, weekend * 24 + hour, UNKNOWN_TIME)
        place = np.where(zone == UNKNOWN, extent.zones, zone)
        rows.add(Measure.ZONE_HOUR, cap, place * HOUR_CLASSES + kind)


def _count_people(rows: _Rows, trips: PeopleTrips, cap: Integers, metres: Integers) -> None:
    block = np.searchsorted(_CAPS, cap)
    stage = trips.person * len(_CAPS) + block
    stages, inverse = np.unique(stage, return_inverse=True)
    size = len(stages)
    person = stages // len(_CAPS)
    number = _running(person, np.bincount(inverse, minlength=size))
    _emit(rows, Measure.TRIPS_PER_USER, stages, number)

    ends = [(trips.origin, trips.origin_zone), (trips.destination, trips.destination_zone)]
    points = np.zeros(size, dtype=np.int64)
    sums = np.zeros((size, 4), dtype=np.int64)
    for place, _zone in ends:
        known = place != UNKNOWN
        where = inverse[known]
        points += np.bincount(where, minlength=size)
        from_centre = from_middle(metres)[place[known]]
        for axis in range(3):
            np.add.at(sums[:, axis], where, from_centre[:, axis])
        np.add.at(sums[:, 3], where, (from_centre**2).sum(axis=1))
    points = _running(person, points)
    n = np.maximum(points, 1).astype(np.float64)
    means = np.stack([_running(person, sums[:, axis]) / n for axis in range(4)])
    squared = means[3] - means[0] * means[0] - means[1] * means[1] - means[2] * means[2]
    length = length_bin(np.sqrt(np.maximum(squared, 0.0)))
    _emit(rows, Measure.GYRATION, stages, np.where(points > 0, length, _NO_VALUE))
    _count_zones(rows, trips, stages, inverse, person)


def _count_zones(
    rows: _Rows, trips: PeopleTrips, stages: Integers, inverse: Integers, person: Integers
) -> None:
    zone = np.concatenate([trips.origin_zone, trips.destination_zone])
    where = np.concatenate([inverse, inverse])[zone != UNKNOWN]
    zone = zone[zone != UNKNOWN]
    size, zones = len(stages), int(zone.max(initial=0)) + 1
    # points of one person in one zone, stage by stage
    key = (person[where] * zones + zone) * len(_CAPS) + stages[where] % len(_CAPS)
    keys, counts = np.unique(key, return_counts=True)
    of_zone = keys // len(_CAPS)
    after = _running(of_zone, counts)
    before = after - counts
    table = logarithm_table(int(2 * np.bincount(trips.person).max(initial=1)))
    at = np.searchsorted(stages, of_zone // zones * len(_CAPS) + keys % len(_CAPS))
    points = np.bincount(at, weights=counts, minlength=size).astype(np.int64)
    fresh = np.bincount(at, weights=before == 0, minlength=size).astype(np.int64)
    growth = np.zeros(size, dtype=np.int64)
    np.add.at(growth, at, table[after] - table[before])
    points, fresh, growth = (_running(person, values) for values in (points, fresh, growth))
    _emit(rows, Measure.ZONES_PER_USER, stages, _limited(Measure.ZONES_PER_USER, fresh))
    share = entropy_bin(np.maximum(points, 1), growth, fresh, table)
    _emit(rows, Measure.ENTROPY, stages, np.where(points > 0, share, _NO_VALUE))


def _count_gaps(rows: _Rows, trips: PeopleTrips, cap: Integers) -> None:
    """Count gaps for every stop: each trip stands once for every stop that keeps it."""
    block = np.searchsorted(_CAPS, cap)
    last = np.zeros(int(trips.person.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(last, trips.person, block)
    timed = (trips.destination, trips.origin, trips.finish, trips.start, trips.person)
    order = np.lexsort(timed)
    for stop in range(len(_CAPS)):
        kept = order[(block[order] <= stop) & (last[trips.person[order]] >= stop)]
        person, start = trips.person[kept], trips.start[kept]
        finish = np.where(trips.finish[kept] == NO_END, start, trips.finish[kept])
        same = person[1:] == person[:-1]
        gap = ((start[1:] - finish[:-1]) // _GAP_S)[same]
        gap = _limited(Measure.TIME_BETWEEN, gap)
        rows.add(Measure.TIME_BETWEEN, np.full(len(gap), _CAPS[stop]), gap)
        goes_on = last[person[1:][same]] > stop
        if stop + 1 < len(_CAPS):
            later = np.full(int(goes_on.sum()), _CAPS[stop + 1])
            rows.add(Measure.TIME_BETWEEN, later, gap[goes_on], -1)


def _emit(rows: _Rows, measure: Measure, stages: Integers, number: Integers) -> None:
    """Count every person in the bin of each stop, and out of the bin of the stop before."""
    number = _limited(measure, number) if measure is Measure.TRIPS_PER_USER else number
    cap = _CAPS[stages % len(_CAPS)]
    there = number != _NO_VALUE
    rows.add(measure, cap[there], number[there])
    same = stages[1:] // len(_CAPS) == stages[:-1] // len(_CAPS)
    before, now = number[:-1][same], cap[1:][same]
    there = before != _NO_VALUE
    rows.add(measure, now[there], before[there], -1)


def _running(group: Integers, values: Integers) -> Integers:
    """Return running sums within runs of equal `group`."""
    if len(values) == 0:
        return values
    total = np.cumsum(values)
    first = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    before = np.repeat(total[first] - values[first], np.diff(np.r_[first, len(group)]))
    return total - before


def _limited(measure: Measure, number: Integers) -> Integers:
    """Return bins with all below in −1 and all above in the one after the last."""
    return np.clip(number, -1, len(FINE_EDGES[measure]) - 1)


def from_middle(metres: Integers) -> Integers:
    """Return places relative to a place in their middle: smaller squares lose fewer digits."""
    if len(metres) == 0:
        return metres
    return metres - (metres.min(axis=0) + metres.max(axis=0)) // 2


_EPOCH = 719_163  # 1970-01-01 as a proleptic ordinal

"""People of a country and their trips, day by day.

A person travels between coarse zones and moves within them, by two processes that share a
heavy-tailed level of activity. Each day stands for itself: it starts at home and draws from a
generator of its own, so days can be made in any order, and again after an interruption. The
coarse trips of the fine level are exactly the trips of the coarse level.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Integers, Singles
from .countryplaces import CountryPlaces, gravity
from .sampling import cumulative, draw, draw_by_row

_PEOPLE, _PLACES, _TRAVEL, _LOCAL = range(4)  # what a stream of random numbers is for
_MOST_TRIPS_A_DAY = 120
_BUSIEST = 0.95


@dataclass(frozen=True, kw_only=True)
class Habits:
    """How people of a country travel; rates per person over the whole period.

    Attributes
    ----------
    coarse_trips, fine_trips : float
        Mean trips per person between coarse and between fine zones.
    movers : float
        Share of people who move at all.
    spread : float
        Standard deviation of the logarithm of movers' activity: the heavy tail.
    travel_shape : float
        Shape of the gamma law by which people differ in how much of their activity is travel.
    coarse_outing, fine_outing : float
        Mean number of trips on a day with any, at least 1 (geometric).
    coarse_decay, fine_decay : float
        How flows fall with distance.
    coarse_scatter, fine_scatter : float
        How pairs of places scatter around that.
    arrival_focus : float
        Power of the number of residents by which travellers choose where in a zone to arrive.
    return_home : float
        Probability that a trip away from home leads home.
    """

    coarse_trips: float
    fine_trips: float
    movers: float
    spread: float
    travel_shape: float
    coarse_outing: float
    fine_outing: float
    coarse_decay: float
    fine_decay: float
    coarse_scatter: float
    fine_scatter: float
    arrival_focus: float = 1.5
    return_home: float = 0.45


@dataclass(frozen=True)
class Shock:
    """Raised out-migration from one coarse zone, fading over the days after it."""

    zone: int
    factor: float
    fading_days: float


@dataclass(frozen=True, eq=False)
class Trips:
    """Trips of one day; `person` sorted, a person's trips in the order they are made."""

    person: Integers
    origin: Integers
    destination: Integers


@dataclass(frozen=True, eq=False)
class _Outings:
    """People out on one day: who, how many trips, and the flat index of each one's first trip."""

    person: Integers
    size: Integers

    @property
    def start(self) -> Integers:
        return np.cumsum(self.size) - self.size


class Population:
    """Everyone's home and rates of travel, and the tables that trips are drawn from.

    `outflow` and `bustle`, shape (coarse,), are relative numbers of trips out of each coarse zone
    and within it.
    """

    def __init__(
        self,
        places: CountryPlaces,
        people: int,
        days: int,
        habits: Habits,
        outflow: Floats,
        bustle: Floats,
        shock: Shock | None,
        seed: int,
    ) -> None:
        self._seed, self._habits, self._shock = seed, habits, shock
        self._coarse_of_fine = places.coarse_of_fine
        self._set_tables(places, outflow)
        rng = self._generator(_PEOPLE, 0)
        self.home = draw(cumulative(places.residents), rng, people).astype(np.int16)
        activity = rng.lognormal(-(habits.spread**2) / 2, habits.spread, people)
        activity = np.where(rng.random(people) < habits.movers, activity / habits.movers, 0.0)
        travel = rng.gamma(habits.travel_shape, 1 / habits.travel_shape, people) * activity
        home_zone = places.coarse_of_fine[self.home]
        leaving = outflow.copy()
        if shock is not None:
            leaving[shock.zone] *= shock.factor
        residents = places.coarse_residents
        by_zone = leaving / residents / leaving.sum()
        self._travel = (habits.coarse_trips / days * travel * by_zone[home_zone]).astype(np.float32)
        moves = (habits.fine_trips - habits.coarse_trips) / days
        local = bustle / (residents @ bustle)
        self._moves = (moves * activity * local[home_zone]).astype(np.float32)
        self._rhythm = self._day_factors(days)

    @property
    def people(self) -> int:
        """Number of people."""
        return len(self.home)

    def coarse_day(self, day: int) -> Trips:
        """Simulate the trips between coarse zones on `day` (0 is the first)."""
        rng = self._generator(_TRAVEL, day)
        outings = self._outings(self._travel, self._habits.coarse_outing, day, rng)
        return self._travel_between(outings, rng)

    def fine_day(self, day: int) -> Trips:
        """Simulate the trips between fine zones on `day`.

        Those of them that leave a coarse zone are the trips of `coarse_day`.
        """
        between = self.coarse_day(day)
        rng = self._generator(_LOCAL, day)
        local = self._outings(self._moves, self._habits.fine_outing, day, rng)
        person = np.unique(np.concatenate([between.person, local.person]))
        travels = _count(person, between.person)
        moves = np.zeros_like(travels)
        moves[np.searchsorted(person, local.person)] = local.size
        return self._mix(person, between, travels, moves, rng)

    def _generator(self, stream: int, day: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence([self._seed, stream, day]))

    def _set_tables(self, places: CountryPlaces, outflow: Floats) -> None:
        habits = self._habits
        rng = self._generator(_PLACES, 0)
        flows = gravity(
            outflow, places.coarse_distances_km, habits.coarse_decay, habits.coarse_scatter, rng
        )
        self._coarse_choice = cumulative(flows)
        owner = places.coarse_of_fine
        ties = np.triu(rng.standard_normal(places.fine_distances_km.shape), 1)
        near = (1 + places.fine_distances_km / 20.0) ** -habits.fine_decay
        pull = places.residents[None, :] * near * np.exp(habits.fine_scatter * (ties + ties.T))
        np.fill_diagonal(pull, 0.0)
        self._move_choice = cumulative(np.where(owner[:, None] == owner[None, :], pull, 0.0))
        # Where in a coarse zone people from another one arrive: by residents, near the way in.
        zones = int(owner.max()) + 1
        first = np.searchsorted(owner, np.arange(zones + 1)).astype(np.int64)
        arrival = places.residents[None, :] ** habits.arrival_focus * np.stack(
            [near[first[zone] : first[zone + 1]].mean(axis=0) for zone in range(zones)]
        )
        running = np.cumsum(arrival, axis=1)
        self._arrival = np.concatenate([np.zeros((len(running), 1)), running], axis=1)
        self._first_fine = first

    def _day_factors(self, days: int) -> Floats:
        """Days differ: a slow wave over the period, a quieter day a week, and chance."""
        rng = self._generator(_PLACES, 1)
        day = np.arange(days)
        factor = rng.lognormal(0.0, 0.04, days) * (1 + 0.08 * np.sin(day / 40.0))
        factor[day % 7 == 5] *= 0.85
        return factor / factor.mean()

    def _outings(
        self, rate: Singles, outing: float, day: int, rng: np.random.Generator
    ) -> _Outings:
        """Decide who goes out on `day` and how many trips each makes (geometric)."""
        factor = np.full(int(self._coarse_of_fine.max()) + 1, self._rhythm[day])
        if self._shock is not None:
            fading = np.exp(-np.arange(len(self._rhythm)) / self._shock.fading_days)
            factor[self._shock.zone] = fading[day] / fading.mean()
        out = rng.random(self.people, dtype=np.float32)
        today = rate * factor.astype(np.float32)[self._coarse_of_fine][self.home]
        person = np.flatnonzero(out < np.minimum(today / np.float32(outing), _BUSIEST))
        mean = np.maximum(outing, today[person].astype(np.float64) / _BUSIEST)
        size = np.minimum(rng.geometric(1.0 / mean), _MOST_TRIPS_A_DAY)
        return _Outings(person=person, size=size.astype(np.int64))

    def _travel_between(self, outings: _Outings, rng: np.random.Generator) -> Trips:
        home = self._coarse_of_fine[self.home[outings.person]]
        total, start = int(outings.size.sum()), outings.start
        origin = np.empty(total, dtype=np.int64)
        destination = np.empty(total, dtype=np.int64)
        current = home.copy()
        out = np.arange(len(home))
        step = 0
        while len(out):
            back = rng.random(len(out)) < self._habits.return_home
            there = draw_by_row(self._coarse_choice, current[out], rng)
            there = np.where(back & (current[out] != home[out]), home[out], there)
            origin[start[out] + step] = current[out]
            destination[start[out] + step] = there
            current[out] = there
            step += 1
            out = out[outings.size[out] > step]
        return Trips(np.repeat(outings.person, outings.size), origin, destination)

    def _mix(
        self,
        person: Integers,
        between: Trips,
        travels: Integers,
        moves: Integers,
        rng: np.random.Generator,
    ) -> Trips:
        """Put each person's travels and local moves into a random order and give them places."""
        size = travels + moves
        start = np.cumsum(size) - size
        next_travel = np.cumsum(travels) - travels
        travels, moves = travels.copy(), moves.copy()
        origin = np.empty(int(size.sum()), dtype=np.int64)
        destination = np.empty_like(origin)
        home = self.home[person].astype(np.int64)
        current = home.copy()
        out = np.arange(len(person))
        step = 0
        while len(out):
            left = travels[out] + moves[out]
            leaves = rng.random(len(out)) * left < travels[out]
            there = draw_by_row(self._move_choice, current[out], rng)
            back = rng.random(len(out)) < self._habits.return_home
            can_return = (current[out] != home[out]) & (
                self._coarse_of_fine[current[out]] == self._coarse_of_fine[home[out]]
            )
            there = np.where(back & can_return, home[out], there)
            goes = out[leaves]
            there[leaves] = self._arrive(
                between.origin[next_travel[goes]],
                between.destination[next_travel[goes]],
                home[goes],
                rng,
            )
            next_travel[goes] += 1
            travels[goes] -= 1
            moves[out[~leaves]] -= 1
            origin[start[out] + step] = current[out]
            destination[start[out] + step] = there
            current[out] = there
            step += 1
            out = out[travels[out] + moves[out] > 0]
        return Trips(np.repeat(person, size), origin, destination)

    def _arrive(
        self, origin: Integers, zone: Integers, home: Integers, rng: np.random.Generator
    ) -> Integers:
        """Choose the fine zone of arrival in coarse `zone`: home if it lies there."""
        low = self._arrival[origin, self._first_fine[zone]]
        high = self._arrival[origin, self._first_fine[zone + 1]]
        level = low + rng.random(len(zone)) * (high - low)
        place = np.empty(len(zone), dtype=np.int64)
        for coarse in np.unique(origin):
            those = np.flatnonzero(origin == coarse)
            place[those] = np.searchsorted(self._arrival[coarse], level[those], side="right") - 1
        place = np.clip(place, self._first_fine[zone], self._first_fine[zone + 1] - 1)
        return np.where(self._coarse_of_fine[home] == zone, home, place)


def _count(values: Integers, among: Integers) -> Integers:
    """Return how often each of sorted `values` occurs in sorted `among`."""
    return np.searchsorted(among, values, "right") - np.searchsorted(among, values, "left")

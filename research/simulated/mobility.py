"""People of a country and their trips, day by day.

A person travels between coarse zones and moves within them, by two processes that share a
heavy-tailed level of activity. Each day stands for itself: it starts at home and draws from a
generator of its own, so days can be made in any order, and again after an interruption. The
coarse trips of the fine level are exactly the trips of the coarse level.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from engine.arrays import Float32s, Floats, Integers
from engine.synthetic.sampling import RowDistributions, draw_indices, simulate_walk, to_cumulative

from .countryplaces import CountryOutline, CountryPlaces, gravity

_PEOPLE, _PLACES, _TRAVEL, _LOCAL = range(4)  # what a stream of random numbers is for
_MOST_TRIPS_A_DAY = 120
_BUSIEST = 0.95


@dataclass(frozen=True, kw_only=True)
class Habits:
    """How people of a country travel; rates per person over the whole period."""

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


@dataclass(frozen=True, kw_only=True)
class Shock:
    """Raised out-migration from one coarse zone (its id), fading over the days after it."""

    zone_id: str
    factor: float
    fading_days: float


@dataclass(frozen=True, kw_only=True)
class CountrySpec:
    """What a simulated country is to be like; both levels share the same people."""

    description: str
    source: str
    plan: CountryOutline
    people: int
    first_day: date
    days: int
    time_zone: str
    habits: Habits
    outflow_shares: Mapping[str, float] = field(default_factory=dict[str, float])
    bustle_factors: Mapping[str, float] = field(default_factory=dict[str, float])
    shock: Shock | None = None
    mid_size_zone_id: str
    with_person_ranks: bool
    seed: int


@dataclass(frozen=True, eq=False)
class Trips:
    """Trips of one day; `person` sorted, a person's trips in the order they are made."""

    person: Integers
    origin: Integers
    destination: Integers


class Population:
    """Everyone's home and rates of travel, and the tables that trips are drawn from."""

    def __init__(self, spec: CountrySpec, places: CountryPlaces) -> None:
        habits, people, days, shock = spec.habits, spec.people, spec.days, spec.shock
        self._spec, self._habits = spec, habits
        ids = list(places.coarse["zone_id"])
        outflow = places.coarse_residents**0.75
        fixed = np.array([spec.outflow_shares.get(zone, 0.0) for zone in ids])
        free = fixed == 0
        outflow = np.where(free, outflow / outflow[free].sum() * (1 - fixed.sum()), fixed)
        bustle = np.array([spec.bustle_factors.get(zone, 1.0) for zone in ids])
        self._coarse_of_fine = places.coarse_of_fine
        self._set_tables(places, outflow)
        rng = self._generator(_PEOPLE, 0)
        self.home = draw_indices(to_cumulative(places.residents), rng, people).astype(np.int16)
        activity = rng.lognormal(-(habits.spread**2) / 2, habits.spread, people)
        activity = np.where(rng.random(people) < habits.movers, activity / habits.movers, 0.0)
        travel = rng.gamma(habits.travel_shape, 1 / habits.travel_shape, people) * activity
        home_zone = places.coarse_of_fine[self.home]
        if shock is not None:
            self._shocked = ids.index(shock.zone_id)
            outflow[self._shocked] *= shock.factor
        residents = places.coarse_residents
        by_zone = outflow / residents / outflow.sum()
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
        person, size = self._outings(self._travel, self._habits.coarse_outing, day, rng)
        home = self._coarse_of_fine[self.home[person]]

        def choose(out: Integers, current: Integers) -> Integers:
            back = rng.random(len(out)) < self._habits.return_home
            there = self._coarse_choice.draw(current, rng)
            return np.where(back & (current != home[out]), home[out], there)

        return Trips(np.repeat(person, size), *simulate_walk(home, size, choose))

    def fine_day(self, day: int) -> Trips:
        """Simulate the trips between fine zones on `day`."""
        between = self.coarse_day(day)
        rng = self._generator(_LOCAL, day)
        local, size = self._outings(self._moves, self._habits.fine_outing, day, rng)
        person = np.unique(np.concatenate([between.person, local]))
        travels = np.bincount(np.searchsorted(person, between.person), minlength=len(person))
        moves = np.zeros_like(travels)
        moves[np.searchsorted(person, local)] = size
        return self._mix(person, between, travels, moves, rng)

    def _generator(self, stream: int, day: int) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence([self._spec.seed, stream, day]))

    def _set_tables(self, places: CountryPlaces, outflow: Floats) -> None:
        habits = self._habits
        rng = self._generator(_PLACES, 0)
        flows = gravity(
            outflow, places.coarse_distances_km, habits.coarse_decay, habits.coarse_scatter, rng
        )
        self._coarse_choice = RowDistributions(flows)
        owner = places.coarse_of_fine
        ties = np.triu(rng.standard_normal(places.fine_distances_km.shape), 1)
        near = (1 + places.fine_distances_km / 20.0) ** -habits.fine_decay
        pull = places.residents[None, :] * near * np.exp(habits.fine_scatter * (ties + ties.T))
        np.fill_diagonal(pull, 0.0)
        self._move_choice = RowDistributions(np.where(owner[:, None] == owner[None, :], pull, 0.0))
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
        self, rate: Float32s, outing: float, day: int, rng: np.random.Generator
    ) -> tuple[Integers, Integers]:
        """Decide who goes out on `day` and how many trips each makes (geometric)."""
        factor = np.full(int(self._coarse_of_fine.max()) + 1, self._rhythm[day])
        if self._spec.shock is not None:
            fading = np.exp(-np.arange(len(self._rhythm)) / self._spec.shock.fading_days)
            factor[self._shocked] = fading[day] / fading.mean()
        out = rng.random(self.people, dtype=np.float32)
        today = rate * factor.astype(np.float32)[self._coarse_of_fine][self.home]
        person = np.flatnonzero(out < np.minimum(today / np.float32(outing), _BUSIEST))
        mean = np.maximum(outing, today[person].astype(np.float64) / _BUSIEST)
        size = np.minimum(rng.geometric(1.0 / mean), _MOST_TRIPS_A_DAY)
        return person, size.astype(np.int64)

    def _mix(
        self,
        person: Integers,
        between: Trips,
        travels: Integers,
        moves: Integers,
        rng: np.random.Generator,
    ) -> Trips:
        """Put each person's travels and local moves into a random order and give them places."""
        next_travel = np.cumsum(travels) - travels
        left = travels.copy()
        size, home = travels + moves, self.home[person].astype(np.int64)
        moves = moves.copy()

        def choose(out: Integers, current: Integers) -> Integers:
            leaves = rng.random(len(out)) * (left[out] + moves[out]) < left[out]
            there = self._move_choice.draw(current, rng)
            back = rng.random(len(out)) < self._habits.return_home
            can_return = (current != home[out]) & (
                self._coarse_of_fine[current] == self._coarse_of_fine[home[out]]
            )
            there = np.where(back & can_return, home[out], there)
            goes = out[leaves]
            trip = next_travel[goes]
            there[leaves] = self._arrive(
                between.origin[trip], between.destination[trip], home[goes], rng
            )
            next_travel[goes] += 1
            left[goes] -= 1
            moves[out[~leaves]] -= 1
            return there

        return Trips(np.repeat(person, size), *simulate_walk(home, size, choose))

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

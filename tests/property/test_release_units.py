"""What one trip, one person's day and one person change in a release, and what a budget pays.

Each neighbour comes of taking rows out of the raw table and ingesting it again; each product
writes its real tables of both. OpenDP is replaced by somebody who keeps what would get noise, and
who answers the second dataset with what the first was answered: that is the loss of one outcome,
also where a later scale follows from earlier noisy numbers.
"""

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from engine import origin_destination as od
from engine.contract import Setting
from engine.datasets import Dataset
from engine.ingest import ingest
from engine.release import WRITERS, ReleaseError, budget_cost, opendp_noise, plan
from engine.release.opendp_noise import zcdp_epsilon
from engine.report import Analysis, ReportParameters, release as release_report
from engine.resolution import make_view
from tests.support.ingests import MONDAY, options, write_trips
from tests.support.releases import fourier, ours, report, seen, visits, zoom

Trip = tuple[str, int, int | None, str, str]
"""Person, start, length in seconds or None, origin, destination."""


def ingested(trips: list[Trip], folder: Path, name: str, **changes: Any) -> Dataset:
    """The dataset that the real ingest makes of one week of raw trips."""
    asked_for = options(
        folder,
        "trips",
        [write_trips(folder / f"{name}.parquet", trips)],
        first_day=MONDAY,
        last_day=MONDAY.replace(day=MONDAY.day + 6),
        people_public=10**6,
        **{"out": folder / name} | changes,
    )
    return ingest(asked_for)[0]


class Asked:
    """What a product asks noise for: arrays of whole numbers, their scales and the law."""

    def __init__(self, answers: "Asked | None" = None) -> None:
        self.stages: list[tuple[str, np.ndarray, np.ndarray]] = []
        self._answers = answers

    def take(self, law: str, counts: np.ndarray, scales: Any) -> np.ndarray:
        kept = np.array(counts, dtype=np.int64)
        self.stages.append((law, kept, np.broadcast_to(scales, kept.shape)))
        return kept if self._answers is None else self._answers.stages[len(self.stages) - 1][1]

    def choose(self, scores: list[int], scale: float) -> int:
        """Keep the scores; answer with the least of the first dataset's."""
        answer = self.take("choice", np.array(scores), scale)
        return int(np.argmin(answer))

    def counts(self, _analysis: Any, scales: np.ndarray, /) -> np.ndarray:
        """Noise of a report: none; its counts are taken from the result."""
        return np.zeros(len(scales), dtype=np.int64)


def asked(
    setting: Setting, dataset: Dataset, folder: Path, patch: Any, answers: Asked | None = None
) -> Asked:
    """What a setting asks noise for when it writes its tables of `dataset`."""
    recorded = Asked(answers)
    if isinstance(setting.parameters, ReportParameters):
        drawn = release_report(dataset, setting.parameters, noise=recorded)
        for result in drawn.results.values():
            own = result.variates == 1  # others are sums of noisy numbers
            recorded.take("laplace", result.noisy[own], result.scales[own])
        return recorded
    with patch.context() as inside:
        inside.setattr(
            opendp_noise, "discrete_laplace", lambda n, scale: recorded.take("laplace", n, scale)
        )
        inside.setattr(
            opendp_noise, "discrete_gaussian", lambda n, s: recorded.take("gaussian", n, s)
        )
        inside.setattr(opendp_noise, "noisy_min", recorded.choose)
        folder.mkdir()
        view = make_view(dataset, setting.zone_level, setting.time)
        way = WRITERS[setting.parameters.method]
        way.write(plan(setting, dataset), view, folder, lambda _share: None)
    return recorded


def changes(one: Asked, other: Asked) -> list[tuple[str, float, float]]:
    """By stage: the law; |Δ|₁/scale or the range's, ρ of Gaussian noise; |Δ| in the law's norm."""
    by_stage = []
    for (law, a, scales), (same_law, b, same_scales) in zip(one.stages, other.stages, strict=True):
        assert law == same_law
        assert (scales == same_scales).all()
        moved = np.abs(a - b).astype(np.float64)
        if law == "choice":  # what is added to all scores changes no choice
            apart = float(np.ptp(a.astype(float) - b.astype(float)))
            by_stage.append((law, apart / float(scales.flat[0]), apart))
        elif law == "laplace":
            by_stage.append((law, float((moved / scales).sum()), float(moved.sum())))
        else:
            rho = float((moved**2 / (2 * scales**2)).sum())
            by_stage.append((law, rho, float(np.sqrt((moved**2).sum()))))
    return by_stage


def loss(one: Asked, other: Asked, delta: float) -> float:
    """ε at δ by which two datasets can be told apart, at most."""
    total = {"laplace": 0.0, "choice": 0.0, "gaussian": 0.0}
    for law, size, _ in changes(one, other):
        total[law] += size
    pure = total["laplace"] + total["choice"]
    if total["gaussian"] == 0:
        return pure
    return pure + zcdp_epsilon(total["gaussian"], delta)


DAY, HOUR, START = 86_400, 3_600, 1_441_602_000  # Monday 2015-09-07 00:00 in Guadalajara
EPSILON = 0.5
UNITS = ("trip", "person-day", "person")


def flows(kind, unit, limit, **how) -> Setting:
    parameters = od.ODParameters(epsilon=EPSILON, max_trips_per_user=limit, unit=unit)
    setting = seen(parameters, **how)
    return ours(setting) if kind is ours else setting


def reported(unit, limit=20):
    return report(epsilon=EPSILON, unit=unit, max_trips_per_user=limit)


PRODUCTS = MappingProxyType(
    {
        "od trip": flows(seen, "trip", 1),
        "od person-day 4": flows(seen, "person-day", 4),
        "od person-day 1": flows(seen, "person-day", 1),
        "od person 4": flows(seen, "person", 4, step="whole"),
        "od person 1": flows(seen, "person", 1, step="whole"),
        "od person-day 4 of two clusters": flows(seen, "person-day", 4, zones="clusters-2"),
        "od person 4 of two clusters": flows(
            seen, "person", 4, zones="clusters-2", step="whole", first=0, last=3
        ),
        "ours person-day 4 in weeks": flows(ours, "person-day", 4, step="week"),
        "od person 4 daily": flows(seen, "person", 4, step="day"),
        "ours trip": flows(ours, "trip", 1),
        "ours person-day 4": flows(ours, "person-day", 4),
        "ours person-day 1": flows(ours, "person-day", 1),
        "ours person 4": flows(ours, "person", 4, step="whole"),
        "density 5": visits(epsilon=EPSILON, max_visits_per_user=5),
        "density 1": visits(epsilon=EPSILON, max_visits_per_user=1),
        "density 5 of two clusters": visits(EPSILON, 5, zones="clusters-2"),
        "fourier": fourier(epsilon=EPSILON, max_visits_per_user=5),
        "fourier of two clusters": fourier(epsilon=EPSILON, zones="clusters-2"),
        "zoom": zoom(epsilon=EPSILON, delta=1e-7),
        "report user 4": reported("user", 4),
        "report user 1": reported("user", 1),
        "report item": reported("item"),
    }
)


@dataclass(frozen=True, eq=False)
class City:
    """A dataset and, by unit, one that lacks one of it; `asked` is by product and dataset."""

    whole: Dataset
    without: dict[str, Dataset]
    asked: dict[tuple[str, str], Asked]

    def pair(self, name: str, unit: str) -> tuple[Asked, Asked]:
        return self.asked[name, "whole"], self.asked[name, unit]


def city(folder: Path, trips: list[Trip], gone: dict[str, Any], **options: Any) -> City:
    """Ingest `trips` whole, and without those that `gone` says are gone."""
    whole = ingested(trips, folder, "whole", **options)
    without = {
        unit: ingested([one for one in trips if not lost(one)], folder, unit, **options)
        for unit, lost in gone.items()
    }
    by_product = {}
    with pytest.MonkeyPatch.context() as patch:
        for name, product in PRODUCTS.items():
            (folder / name).mkdir()
            first = asked(product, whole, folder / name / "whole", patch)
            by_product[name, "whole"] = first
            for unit, other in without.items():
                by_product[name, unit] = asked(product, other, folder / name / unit, patch, first)
    return City(whole, without, by_product)


def trips_of(person, day, number, pairs, first=0, every=HOUR, length=HOUR // 2):
    """`number` trips of a day, going round the given pairs of places."""
    return [
        (person, START + day * DAY + first + i * every, length, *pairs[i % len(pairs)])
        for i in range(number)
    ]


# the names are such that, at the salt below, everything that these two move is moved at once
HEAVY = trips_of("v4", 0, 60, ["AB", "BA"], every=23 * 60, length=300)
LIGHT = trips_of("v4", 1, 4, ["CD", "DC"], first=8 * HOUR + 3_000, every=3 * HOUR, length=1_200)
FIVE = trips_of("w9", 3, 5, ["AB", "BC", "CD", "DA", "AC"], 8 * HOUR, every=2 * HOUR, length=300)
CROWD = [
    trip
    for number in range(6)
    for trip in trips_of(f"q{number}", number, 3, ["AB", "BC", "CD"], first=7 * HOUR)
]


def random_city(folder, seed: int) -> City:
    """Light and heavy travellers, repeated rows, trips without an end or outside the week."""
    rng = np.random.default_rng(seed)
    places = list("ABCD")

    def trips(person: str) -> list[Trip]:
        mean, days = rng.choice([2, 8, 40]), rng.choice(7, rng.integers(2, 4), replace=False)
        own = []
        for day in days:
            home, work = rng.choice(places, 2, replace=False)
            for _ in range(rng.poisson(mean)):
                far = rng.random() < 0.3
                ends = rng.choice(places, 2) if far else (home, work)
                start = START + int(day) * DAY + int(rng.integers(DAY))
                length = None if rng.random() < 0.1 else int(rng.integers(60, 3 * HOUR))
                own.append((person, start, length, str(ends[0]), str(ends[1])))
        return own

    victim = trips("v") or trips_of("v", 0, 1, ["AB"])
    day = (victim[0][1] - START) // DAY
    others = [trip for number in range(4) for trip in trips(f"q{number}")]
    outside = [("v", START - DAY, 600, "A", "B"), *others[:2]]
    gone = {
        "trip": lambda trip: trip == victim[0],
        "person-day": lambda trip: trip[0] == "v" and (trip[1] - START) // DAY == day,
        "person": lambda trip: trip[0] == "v",
    }
    rows = [*victim, *others, *outside, *CROWD]
    return city(folder, rows, gone, salt=f"s{seed}", max_visits_cap=int(rng.choice([20, 840])))


def overspent(some: City) -> set[tuple[str, str]]:
    """Products and budgets whose units may lose more than they are charged."""
    beyond = set()
    for name, product in PRODUCTS.items():
        promised = plan(product, some.whole)
        for unit in UNITS:
            if promised.unit == "trip" and unit != "trip":
                with pytest.raises(ReleaseError, match="cannot be charged"):
                    budget_cost(promised, unit)
                continue
            charged = budget_cost(promised, unit)
            if loss(*some.pair(name, unit), charged.delta) > charged.epsilon * (1 + 1e-9):
                beyond.add((name, unit))
    return beyond


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 25))]
)
def test_random_people_lose_no_more_than_a_budget_pays(tmp_path, seed):
    assert overspent(random_city(tmp_path, seed)) == set()


def sizes(some: City, name: str, unit: str) -> list[float]:
    """|Δ| of every stage, in its norm."""
    return [size for *_, size in changes(*some.pair(name, unit))]


def test_a_unit_loses_no_more_than_its_budget_pays_where_trips_move_into_freed_places(tmp_path):
    """One person with 60 trips on Monday and 4 on Tuesday; another with 5 on Thursday.

    Sizes are the figures of the specification: more than what each is scaled to.
    """
    gone = {
        "trip": lambda trip: trip == FIVE[0],
        "person-day": lambda trip: trip in HEAVY,
        "person": lambda trip: trip[0] == "v4",
    }
    example = city(tmp_path, [*HEAVY, *LIGHT, *FIVE, *CROWD], gone, salt="units")
    assert overspent(example) == set()
    assert sizes(example, "od person 4", "person-day") == [8]
    for name in ("od person-day 1", "od person 1"):
        assert sum(sizes(example, name, "trip")) == 2
    for name in ("od person-day 4", "od person 4"):
        assert sum(sizes(example, name, "trip")) == 2
    assert sizes(example, "density 5", "person-day") == [6]
    product = PRODUCTS["report user 4"]
    moved = dict(
        zip(
            product.parameters.charged_shares,
            sizes(example, "report user 4", "person-day"),
            strict=True,
        )
    )
    for analysis in (Analysis.DAYS, Analysis.FLOWS, Analysis.JUMP_LENGTH):
        assert moved[analysis] == 8
    assert moved[Analysis.GYRATION] == 2


def test_the_number_beyond_t_may_move_on_two_days_and_is_paid_for(tmp_path, monkeypatch):
    """Of a person's trips in days of their own: 2ε/T would not pay where it counts fewer than T."""
    pairs = ["AB", "BC", "CD", "DA", "AC", "BD", "DB"]
    trips = [
        trip for day in range(7) for trip in trips_of("v", day, 10, [pairs[day]], every=2 * HOUR)
    ]
    whole = ingested([*trips, *CROWD], tmp_path, "whole", salt="beyond")
    others = []
    for number in range(2):
        rows = [trip for trip in [*trips, *CROWD] if trip != trips[11 * number]]
        others.append(ingested(rows, tmp_path, f"without{number}", salt="beyond"))
    for limit, beyond in ((33, 17), (20, 30)):
        product = flows(ours, "person", limit, step="day")
        first, lost, moved = asked(product, whole, tmp_path / f"{limit}", monkeypatch), [], []
        for number, other in enumerate(others):
            folder = tmp_path / f"{limit} without {number}"
            second = asked(product, other, folder, monkeypatch, first)
            lost.append(loss(first, second, 0.0))
            moved.append(changes(first, second)[-1][2])
        promised = plan(product, whole)
        assert max(moved) == 2
        assert promised.trip_cost_divisor == (None if beyond < limit else limit)
        assert max(lost) <= budget_cost(promised, "trip").epsilon
        assert (max(lost) > 2 * EPSILON / limit) == (beyond < limit)

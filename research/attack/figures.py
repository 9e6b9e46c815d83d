"""What the best tests reach, exactly."""

from collections.abc import Iterator

from engine import attack, datasets, origin_destination as od
from engine.attack import Corridor, UsualFlow, Visitor
from engine.density import DensityParameters
from engine.parameters import ODParameters
from engine.risk import Guarantee
from research.rows import Row, row

EPSILONS = (0.1, 0.5, 1.0)
LARGE = 10**6
TARGETS = {
    "one trip in a large flow": [Corridor(trips=1, rest=LARGE)],
    "one trip, nobody else on that route": [Corridor(trips=1, rest=0)],
    "14 trips in 14 large flows": [Corridor(trips=1, rest=LARGE, cells=14)],
    "14 trips in one large flow": [Corridor(trips=14, rest=LARGE)],
}
HABITS = {
    "one trip": UsualFlow(trips=1, mean=50),
    "14 trips in 14 cells": UsualFlow(trips=1, mean=50, cells=14),
}
DATASETS = ("afghanistan-2020", "rwanda-districts", "rwanda-sectors", "demo-city")


def trip_level(epsilon: float) -> ODParameters:
    return ODParameters(epsilon=epsilon, unit="trip")


def rows() -> Iterator[Row]:
    """Yield advantage and AUC of every attacker and target."""
    yield from _strongest()
    yield from _habits()
    yield from _averages()
    yield from _density()


def _both(table: str, setting: str, advantage: float, area: float) -> Iterator[Row]:
    yield row(table, "advantage", setting, advantage)
    yield row(table, "AUC", setting, area)


def _strongest() -> Iterator[Row]:
    table = "strongest attacker, trip level"
    for epsilon in EPSILONS:
        for label, target in TARGETS.items():
            roc = attack.strongest(target, trip_level(epsilon)).roc
            yield from _both(table, f"{label}, ε = {epsilon:g}", roc.advantage, roc.area)
        for trips in (1, 14):
            limit = Guarantee(epsilon=trips * epsilon)
            setting = f"the most for {trips} trips, ε = {epsilon:g}"
            yield from _both(table, setting, limit.advantage, limit.area)
    two = attack.strongest([Corridor(trips=1, rest=LARGE, cells=2)], trip_level(0.1))
    yield row(table, "AUC", "one trip there and one back, ε = 0.1", two.roc.area)
    yield row(table, "AUC", "the most for two trips, ε = 0.1", two.limit.area)


def _habits() -> Iterator[Row]:
    table = "knows habits, usual flow 50"
    for label, usual in HABITS.items():
        bare = attack.without_noise([usual], suppression_threshold=15).advantage
        yield row(table, "advantage", f"{label}, without noise", bare)
        for epsilon in EPSILONS:
            roc = attack.knowing_habits([usual], trip_level(epsilon)).roc
            yield row(table, "advantage", f"{label}, ε = {epsilon:g}", roc.advantage)


def _averages() -> Iterator[Row]:
    table = "over all trips, daily matrices"
    for name in DATASETS:
        result = attack.over_trips(od.histogram(datasets.load(name)), trip_level(0.5))
        what = "share of trips exposed with certainty by suppression alone"
        yield row(table, what, name, result.proven_without_noise)
        yield row(table, "advantage, typical trip, ε = 0.5", name, result.typical)
        yield row(table, "advantage, most exposed trip, ε = 0.5", name, result.most_exposed)


def _density() -> Iterator[Row]:
    targets = {
        "30 visits, all kept": Visitor(visits=30),
        "30 visits kept of 840 made": Visitor(visits=30, all_visits=840),
        "one visit": Visitor(visits=1),
    }
    table = "density, efpag_joint, ℓ = 30, 934 cells"
    for epsilon in (0.3, 1.0, 4.0):
        parameters = DensityParameters(epsilon=epsilon, delta=1e-7)
        for label, target in targets.items():
            result = attack.strongest_on_density(
                target, parameters, cover_size=934, max_visits_cap=840
            )
            yield row(table, "advantage", f"{label}, ε = {epsilon:g}", result.roc.advantage)
            if label == "one visit":
                setting = f"the most that is proved, ε = {epsilon:g}"
                yield row(table, "advantage", setting, result.limit.advantage)

"""The exact figures of the report: tables of what the best tests reach."""

from collections.abc import Iterator

from engine import attack, datasets
from engine import origin_destination as od
from engine.attack import Attack, Corridor, UsualFlow, Visitor
from engine.density import DensityParameters
from engine.parameters import ODParameters
from engine.risk import Guarantee

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


def row(label: str, cells: Iterator[str]) -> str:
    return f"| {label} | " + " | ".join(cells) + " |"


def header(first: str, columns: tuple[str, ...]) -> list[str]:
    return [row(first, iter(columns)), "| --- |" + " ---: |" * len(columns)]


def strongest_table() -> Iterator[str]:
    yield from header("advantage (AUC)", tuple(f"ε = {epsilon:g}" for epsilon in EPSILONS))
    for label, target in TARGETS.items():
        result = [attack.strongest(target, trip_level(epsilon)) for epsilon in EPSILONS]
        yield row(label, (both(each) for each in result))
    for label, trips in (("the most that ε allows", 1), ("the most that 14ε allows", 14)):
        limits = [Guarantee(epsilon=trips * epsilon) for epsilon in EPSILONS]
        yield row(label, (f"{each.advantage:.4f} ({each.area:.4f})" for each in limits))


def both(result: Attack) -> str:
    return f"{result.roc.advantage:.4f} ({result.roc.area:.4f})"


def habits_table() -> Iterator[str]:
    columns = ("without noise", *(f"ε = {epsilon:g}" for epsilon in EPSILONS))
    yield from header("advantage", columns)
    for label, usual in HABITS.items():
        bare = attack.without_noise([usual], suppression_threshold=15).advantage
        noisy = [
            attack.knowing_habits([usual], trip_level(epsilon)).roc.advantage
            for epsilon in EPSILONS
        ]
        yield row(label, (f"{value:.3f}" for value in (bare, *noisy)))


def averages_table() -> Iterator[str]:
    columns = (
        "exposed with certainty by suppression alone",
        "typical trip, ε = 0.5",
        "most exposed trip, ε = 0.5",
    )
    yield from header("dataset (simulated people), daily matrices", columns)
    for name in DATASETS:
        counted = od.histogram(datasets.load(name))
        result = attack.over_trips(counted, trip_level(0.5))
        cells = (
            f"{result.proven_without_noise:.1%} of trips",
            f"{result.typical:.3f}",
            f"{result.most_exposed:.3f}",
        )
        yield row(name, iter(cells))


def density_table() -> Iterator[str]:
    yield from header("advantage", ("ε = 0.3", "ε = 1", "ε = 4"))
    targets = {
        "30 visits, all kept": Visitor(visits=30),
        "30 visits kept of 840 made": Visitor(visits=30, all_visits=840),
        "one visit": Visitor(visits=1),
    }
    for label, target in targets.items():
        result = [density_attack(target, epsilon) for epsilon in (0.3, 1.0, 4.0)]
        yield row(label, (f"{each.roc.advantage:.3f}" for each in result))
    limits = [density_attack(Visitor(visits=30), epsilon) for epsilon in (0.3, 1.0, 4.0)]
    yield row("the most that is proved", (f"{each.limit.advantage:.3f}" for each in limits))


def density_attack(target: Visitor, epsilon: float) -> Attack:
    parameters = DensityParameters(epsilon=epsilon, delta=1e-7)
    return attack.strongest_on_density(target, parameters, cover_size=934, max_visits_cap=840)

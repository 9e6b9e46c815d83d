"""Attack: one ROC, and all curves of the page, against plain sums over all results."""

import math

from benchmarks.measure import Row, bounded, cpu_seconds
from engine.attack import Scenario, flows_to_show, over_days, over_epsilons, over_flows
from engine.parameters import EPSILON_STOPS, ODParameters

SETTINGS = ODParameters(epsilon=0.5, unit="trip")
DAYS = (1, 7, 30, 305)
PAGE_LIMIT = 0.3
KNOWLEDGE = {"everything": "strongest attacker", "habits": "habits known"}


def rows() -> list[Row]:
    table: list[Row] = []
    for knows, who in KNOWLEDGE.items():
        for trips, cells in ((1, 1), (1, 14), (14, 1)):
            scenario = Scenario(knows=knows, trips=trips, cells=cells, flow=100)
            what = f"{who}, {trips * cells} trips on {cells} routes"
            plainly = None
            if knows == "everything":
                plainly = cpu_seconds(lambda s=scenario: plain_advantage(s), 3)
            one = cpu_seconds(lambda s=scenario: s.attack(SETTINGS))
            page = cpu_seconds(lambda s=scenario: _page(s), 3)
            table += [
                Row(f"ROC: {what}", one, plainly, "≤ 0.005 s", one <= 0.005, "CPU"),
                bounded(f"all curves: {what}", page, PAGE_LIMIT, "CPU"),
            ]
    return table


def _page(scenario: Scenario) -> None:
    scenario.attack(SETTINGS)
    over_epsilons(scenario, SETTINGS, EPSILON_STOPS)
    over_flows(scenario, SETTINGS, flows_to_show(SETTINGS, scenario.trips, scenario.knows))
    over_days(scenario, SETTINGS, DAYS)


def plain_advantage(scenario: Scenario) -> float:
    """Return the strongest attacker's advantage by loops over all results, for ε = 0.5, T = 1."""
    rate, reach = SETTINGS.epsilon, 120

    def chance(z: int) -> float:  # rounded Laplace
        if z == 0:
            return -math.expm1(-rate / 2)
        return math.sinh(rate / 2) * math.exp(-rate * abs(z))

    joint = {0.0: (1.0, 1.0)}
    for _ in range(scenario.cells):
        grown: dict[float, tuple[float, float]] = {}
        for loss, (p, q) in joint.items():
            for z in range(-reach, reach + scenario.trips):
                one_p, one_q = chance(z - scenario.trips), chance(z)
                key = round(loss + math.log(one_p / one_q), 8)
                held_p, held_q = grown.get(key, (0.0, 0.0))
                grown[key] = held_p + p * one_p, held_q + q * one_q
        joint = grown
    return math.fsum(abs(p - q) for p, q in joint.values()) / 2

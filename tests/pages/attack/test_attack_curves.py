"""Curves of Attack: the bound is the guarantee's by its closed form, the attack stays below it."""

from math import comb

import numpy as np
import pytest

from engine.attack import Visitor, strongest_on_density
from engine.parameters import DensityParameters
from engine.risk import Guarantee
from pages._ui.attack import curves
from tests.support.charts import drawn as drawn, rows

EPSILON = 0.5
BOUND, ATTACK = "guarantee allows", "best attack"


def composed(epsilon, releases):
    """Return the best guess from k randomised responses, the worst k releases there are."""
    right, wrong = np.exp(epsilon) / (1 + np.exp(epsilon)), 1 / (1 + np.exp(epsilon))
    terms = [
        comb(releases, j)
        * abs(right**j * wrong ** (releases - j) - wrong**j * right ** (releases - j))
        for j in range(releases + 1)
    ]
    return 0.5 + sum(terms) / 4


def test_the_bound_of_every_curve_is_the_guarantee_and_not_the_attack(open_page, drawn):
    open_page("pages/5_Attack.py", unit="trip", epsilon=str(EPSILON))
    bound = {row["x"]: row["y"] for row in rows(drawn["attack_epsilon"], BOUND)}
    reached = {row["x"]: row["y"] for row in rows(drawn["attack_epsilon"], ATTACK)}
    assert len(bound) > 10
    for epsilon, right in bound.items():
        assert right == pytest.approx(100 / (1 + np.exp(-epsilon)))
        # a trip in a busy flow: Laplace noise, rounded, of one trip more or less
        assert 50 < reached[epsilon] < right - 1e-6 * (right - 50)
    flows = {row["x"]: row["y"] for row in rows(drawn["attack_flow"], BOUND)}
    assert set(np.round(list(flows.values()), 9)) == {round(100 / (1 + np.exp(-EPSILON)), 9)}
    attacked = {row["x"]: row["y"] for row in rows(drawn["attack_flow"], ATTACK)}
    assert all(attacked[flow] < right for flow, right in flows.items())
    days = {row["x"]: row["y"] for row in rows(drawn["attack_days"], BOUND)}
    attacked = {row["x"]: row["y"] for row in rows(drawn["attack_days"], ATTACK)}
    for name, right in days.items():
        assert right == pytest.approx(100 * composed(EPSILON, int(name.split()[0])))
        assert attacked[name] < right


@pytest.mark.parametrize("delta", [0.0, 1e-3])
def test_the_region_of_the_roc_is_what_the_guarantee_leaves(drawn, delta):
    variant = "efpag_joint" if delta else "lpa"
    parameters = DensityParameters(epsilon=1.0, delta=delta or 1e-7, method=variant)
    attack = strongest_on_density(Visitor(visits=5), parameters, cover_size=50, max_visits_cap=840)
    assert attack.guarantee.delta == delta
    curves.roc(attack, key="roc")
    region, curve = rows(drawn["roc"], BOUND), rows(drawn["roc"], ATTACK)
    kept = Guarantee(epsilon=attack.guarantee.epsilon, delta=delta)
    by_wrong = {row["x"]: row["high"] for row in region}  # the last of a vertical stretch
    for wrong, right in by_wrong.items():
        assert right == pytest.approx(kept.most_detected(wrong), abs=1e-9)
    assert max(row["y"] - row["x"] for row in region) == pytest.approx(kept.advantage)
    best = max(row["y"] - row["x"] for row in curve)
    assert best == pytest.approx(attack.roc.advantage, abs=2e-3)
    assert best < 0.9 * kept.advantage

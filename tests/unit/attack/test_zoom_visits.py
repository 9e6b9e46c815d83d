import math

import pytest

from engine.attack import Visitor, strongest_on_density
from engine.attack.visits import stage_losses
from engine.density import DensityParameters
from engine.density.gaussian import gaussian_delta, gaussian_strength

PARAMETERS = DensityParameters(epsilon=1.0, delta=1e-5, variant="zoom")
PLACES = {"cover_size": 100, "max_visits_cap": 840}


def test_the_heaviest_person_meets_the_guarantee_and_nobody_exceeds_it() -> None:
    strength = gaussian_strength(1.0, 1e-5)
    for visits in (1, 3, 10, 100, 840):
        losses = stage_losses(Visitor(visits=1, all_visits=visits), PARAMETERS, **PLACES)
        assert {loss.mechanism for loss in losses} == {"gaussian"}
        together = math.hypot(*(loss.size for loss in losses))
        assert together <= strength * (1 + 1e-12)
    assert together == pytest.approx(strength)


def test_the_attack_on_the_heaviest_person_is_that_of_one_gaussian() -> None:
    attack = strongest_on_density(Visitor(visits=1, all_visits=840), PARAMETERS, **PLACES)
    advantage = gaussian_delta(0.0, gaussian_strength(1.0, 1e-5))
    assert attack.roc.advantage == pytest.approx(advantage, rel=1e-2)
    light = strongest_on_density(Visitor(visits=1, all_visits=1), PARAMETERS, **PLACES)
    assert light.roc.advantage < 0.5 * advantage

import math

import numpy as np
import pytest

from engine.density import DensityParameters
from engine.density.gaussian import gaussian_delta, gaussian_strength
from engine.density.zoom import SHARES
from engine.privacy import Visitor, strongest_on_density
from engine.privacy.attack import stage_losses

PARAMETERS = DensityParameters(epsilon=1.0, delta=1e-5, method="zoom")
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
    assert attack.losses.advantage == pytest.approx(advantage, rel=1e-2)
    light = strongest_on_density(Visitor(visits=1, all_visits=1), PARAMETERS, **PLACES)
    assert light.losses.advantage < 0.5 * advantage


@pytest.mark.parametrize("visits", [1, 4, 9, 40, 200, 840])
def test_each_table_says_what_the_worst_placement_of_the_visits_changes(visits: int) -> None:
    """Rows of one person, written out: apart where every visit has a cell, else all in one."""
    apart, one_cell = np.ones(visits), np.array([float(visits)])
    # a tower and hour hold one visit of a person; a district, the city and a week hold several
    rows = {"towers": (apart, 10**0.5), "districts": (one_cell, 10**0.5)}
    rows |= {"city": (one_cell, 29.0), "weeks": (one_cell, 10**0.5)}
    mu = gaussian_strength(1.0, 1e-5)
    room = math.sqrt(1 - 63 / 64 * (visits / 840) ** 2)
    sizes = []
    for name, (row, clip) in rows.items():
        # a smaller clip of the city can be chosen: a light person is then at it sooner
        clips = [10**0.5, clip] if name == "city" else [clip]
        changes = [
            np.linalg.norm(row * min(1.0, c * room / np.linalg.norm(row))) / c for c in clips
        ]
        sizes.append(max(changes) * mu * math.sqrt(SHARES[name]))
    sizes.append(visits / 840 * mu * math.sqrt(63 / 64))
    losses = stage_losses(Visitor(visits=1, all_visits=visits), PARAMETERS, **PLACES)
    assert [loss.size for loss in losses] == pytest.approx(sizes)

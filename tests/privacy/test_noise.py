"""No two draws share noise: not of two mechanisms, repeats or days, whatever the page."""

from itertools import combinations

import numpy as np

from engine.contract import Selection, Setting
from engine.datasets import load
from engine.parameters import DensityParameters, ODParameters
from pages._ui.answers import cached
from pages._ui.state import SIMULATED_SEED

SEED = (SIMULATED_SEED, 0)
FLOWS = ODParameters(epsilon=0.05, max_trips_per_user=1, suppression_threshold=0)
VISITS = DensityParameters(epsilon=0.05, method="zones_laplace")


def noise_shown() -> dict[str, np.ndarray]:
    """Return what the pages show less the truth, cell by cell, for several draws of one dataset."""
    seen = Selection(dataset_id=str(load("demo-city").folder))
    visits, flows = (Setting(selection=seen, parameters=one) for one in (VISITS, FLOWS))
    shown = {
        f"density, repeat {repeat}": cached.release(visits, SEED, repeat).counts
        - cached.truth(visits)
        for repeat in (0, 1)
    }
    for day in range(3):
        drawn = cached.release(flows, SEED, day=day).counts[0]
        shown[f"flows, day {day}"] = drawn - cached.truth(flows, day)
    return {name: values.ravel() for name, values in shown.items()}


def test_what_the_pages_show_of_one_dataset_shares_no_noise():
    shown = noise_shown()
    assert len(shown) == 5
    for (first, one), (second, other) in combinations(shown.items(), 2):
        size = min(len(one), len(other))
        # what is cut off at 0 does not say what its noise was
        known = (one[:size] != 0) & (other[:size] != 0)
        assert known.sum() > 100
        correlation = np.corrcoef(one[:size][known], other[:size][known])[0, 1]
        assert abs(correlation) < 5 / np.sqrt(known.sum()), (first, second)

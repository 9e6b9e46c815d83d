"""The large numbers and what is said beside them, built once for every page."""

import numpy as np
import pytest

from engine import origin_destination as od
from engine.origin_destination import ODParameters
from engine.origin_destination.exact import expectation_of_matrix
from engine.origin_destination.scores import drawn_scores, expected_scores
from pages._ui.cache.draws import REPEATS
from pages._ui.wording.cards import trip_cards

RNG = np.random.default_rng(3)
TRUE = np.where(RNG.random((30, 30)) < 0.6, RNG.geometric(0.04, (30, 30)), 0)
np.fill_diagonal(TRUE, 0)
KEPT = RNG.binomial(TRUE, 0.8)


def test_the_numbers_of_flows_are_those_of_400_releases():
    settings = ODParameters(epsilon=0.5, max_trips_per_user=2)
    expected = expected_scores(expectation_of_matrix(TRUE, settings, kept=KEPT))
    figures = trip_cards([], settings, expected)
    rng, off = np.random.default_rng(0), ~np.eye(30, dtype=bool)
    drawn = np.array([od.release_matrix(KEPT, settings, rng=rng) for _ in range(400)])
    large = TRUE >= 15
    error = np.abs(drawn - TRUE)
    common = 1 - error.sum() / (drawn.sum() + 400 * TRUE.sum())
    wanted = {
        "Common part": common,
        "Relative error (MRE), flows of 15+": (error[:, large] / TRUE[large]).mean(),
        "Pairs that read 0": (drawn == 0)[:, off].mean(),
    }
    shown = {card.label: card.value for card in figures[1:]}
    assert {name: float(one[:-1]) / 100 for name, one in shown.items()} == pytest.approx(
        wanted, abs=0.005
    )
    assert float(figures[0].value.split()[0]) == pytest.approx(error[:, off].mean(), rel=0.03)
    draws = [drawn_scores(TRUE, one, 15) for one in drawn[:REPEATS]]
    means = trip_cards(draws, settings)
    assert " to " in means[1].interval
    assert float(means[1].value[:-1]) / 100 == pytest.approx(common, abs=0.01)

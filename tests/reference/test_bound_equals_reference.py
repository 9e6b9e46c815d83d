"""No attack on a tiny world beats the stated bound: every result of every attack is enumerated."""

from collections import Counter
from itertools import combinations_with_replacement

import numpy as np
import pytest

from engine import density, origin_destination as od, privacy
from engine.parameters import DensityParameters, ODParameters
from engine.privacy_cost import Query
from tests.reference.losses_reference import advantage, released_cell, several

OTHERS = {"quiet": 0, "busy": 60}
"""Trips of all others on two routes, each day."""
TRIPS = [(day, route) for day in (0, 1) for route in OTHERS]
TARGETS = [trips for count in (1, 2, 3, 4) for trips in combinations_with_replacement(TRIPS, count)]
TARGETS.append((TRIPS[1],) * 30)


def changed_counts(trips, parameters, stages, spans):
    """What a person adds to each released number: at most T trips, by day or in all."""
    most, counts = parameters.max_trips_per_user, Counter()
    for bounded in ((0, 1),) if parameters.unit == "person" else ((0,), (1,)):
        made = [trip for trip in trips if trip[0] in bounded]
        for day, route in made[:most]:
            counts[day % len(spans), route] += 1
        if Query.TRIPS_BEYOND in stages and len(made) > most:
            counted = min(len(made) - most, int(stages[Query.TRIPS_BEYOND].sensitivity))
            counts[bounded[0] % len(spans), "beyond"] += counted
    return counts


def success(trips, parameters, spans, law, scale=1.0, people=1):
    """Share of right guesses by the likelihood ratio of all that is released."""
    stages = {stage.query: stage for stage in od.METHODS[parameters.method].cost(parameters).stages}
    cells = []
    for (matrix, route), added in changed_counts(trips, parameters, stages, spans).items():
        stage = stages[Query.TRIPS_BEYOND if route == "beyond" else Query.FLOWS]
        hides = route != "beyond" and od.has_suppression(parameters)
        others = OTHERS[route] * spans[matrix] if hides else 1000
        threshold = parameters.suppression_threshold if hides else 0
        rate = 1 / (scale * stage.noise_scale)
        cells.append(several([released_cell(people * added, others, rate, threshold, law)]))
    return (1 + advantage(several(cells))) / 2


@pytest.mark.parametrize(
    ("unit", "method", "most", "spans", "law", "less"),
    [
        ("trip", "laplace_suppression", 1, [1], "rounded_laplace", 0.75),
        ("person", "laplace_suppression", 1, [2], "rounded_laplace", 0.75),
        ("person", "empirical_bayes", 1, [2], "discrete_laplace", 0.9),
        ("person-day", "laplace_suppression", 2, [2], "discrete_laplace", 0.6),
        ("person-day", "laplace_suppression", 2, [1, 1], "rounded_laplace", 0.9),
        ("person-day", "laplace_suppression", 1, [1, 1], "discrete_laplace", 0.98),
        ("person-day", "empirical_bayes", 2, [1, 1], "discrete_laplace", 0.9),
    ],
)
def test_no_attack_on_flows_beats_the_bound_but_with_less_noise(
    unit, method, most, spans, law, less
):
    parameters = ODParameters(epsilon=1.0, unit=unit, method=method, max_trips_per_user=most)
    risk = privacy.flow_release_risk(parameters, spans)

    def strongest(**changed):
        targets = [trips for trips in TARGETS if unit != "trip" or len(trips) == 1]
        return max(success(trips, parameters, spans, law, **changed) for trips in targets)

    assert strongest() <= risk.max_guess_rate + 1e-9
    assert strongest(people=privacy.GROUP_SIZE) <= risk.max_group_guess_rate + 1e-9
    assert strongest(scale=less) > risk.max_guess_rate + 1e-3


@pytest.mark.parametrize("method", ["zones_laplace", "towers_laplace", "lpa"])
def test_no_attack_on_counts_of_visits_beats_the_bound_but_with_less_noise(method):
    """Strips of the noise stand for its values: no attack on them beats one on the values."""
    parameters = DensityParameters(epsilon=1.0, max_visits_per_user=2, method=method)
    stated = density.METHODS[parameters.method].cost(parameters, cover_size=3, max_visits_cap=10)
    (stage,) = stated.stages
    risk = privacy.cost_risk(stated, parameters.epsilon)

    def strongest(scale=1.0):
        # both visits in one cell and hour, or each in its own
        placements = [[laplace_strips(2 / (stage.noise_scale * scale))]]
        placements.append([laplace_strips(1 / (stage.noise_scale * scale))] * 2)
        return max((1 + advantage(several(cells))) / 2 for cells in placements)

    assert strongest() <= risk.max_guess_rate
    assert strongest(0.75) > risk.max_guess_rate


def laplace_strips(shift, strips=400):
    """Return the chances of narrow strips of Laplace noise of scale 1, moved by `shift` and not."""
    cuts = np.linspace(0, shift, strips + 1)
    inside = np.diff(np.r_[0.0, np.exp(cuts - shift) / 2, 1.0])
    return list(zip(inside, inside[::-1], strict=True))

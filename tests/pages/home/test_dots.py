"""Home's dots: 25 draws of one number, each where its value puts it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from engine import datasets, density, origin_destination as od
from engine.density import DensityParameters
from engine.metrics import earth_movers_distance
from engine.origin_destination import ODParameters
from engine.origin_destination.scoring import sampled_scores
from engine.parameters import gaussian_for
from pages._ui.cache.draws import generator
from pages._ui.drawing.svg.dots import DOTS, places
from pages._ui.shell.settings import SIMULATED_SEED
from pages._ui.wording.numbers import metres, trip_count

SEED = (SIMULATED_SEED, 0)


def test_dots_are_25_draws_and_stand_where_they_should(open_home, settled):
    app = settled(open_home(epsilon="0.5", home_sure="true"))
    (element,) = (e for e in app.get("bidi_component") if e.proto.component_name == "dot_plot")
    data = json.loads(element.proto.json)
    assert len(data["dots"]) == DOTS
    demo = datasets.load("demo-city")
    settings = ODParameters(epsilon=0.5, max_trips_per_user=4, suppression_threshold=15)
    true = od.truth(demo, days=0)[0]
    some = true >= 15
    # the first draw is the release on the page, the others are drawn from its exact law
    noise = od.ODNoise.draw(generator(SEED, "trips", 0, 1), demo, days=0)
    private = od.release(demo, settings, noise=noise, days=0).counts[0]
    errors = {0: (np.abs(private - true)[some] / true[some]).mean()}
    exact = od.expected(demo, settings, days=0)
    for repeat in (13, 24):
        rng = generator(SEED, "trips", repeat, 1)
        errors[repeat] = sampled_scores(exact, rng=rng).relative_error
    for repeat, error in errors.items():
        assert data["dots"][repeat][2] == f"{100 * error:.1f}%"


def test_every_dot_has_a_place_of_its_own_and_order_is_kept():
    values = np.random.default_rng(1).normal(size=25).tolist()
    dots = places(values)
    assert len(set(dots)) == 25
    by_value = [dots[i][0] for i in np.argsort(values)]
    assert by_value == sorted(by_value)
    assert places([2.0, 2.0]) == [(0.0, 0), (0.0, 1)]


@pytest.mark.parametrize(
    ("link", "label", "method"),
    [
        ({"home_shown": "density"}, "Displacement (EMD), takes longer", "density"),
        ({"od_method": "estimate"}, "Ours: mean error, all pairs of zones", "ours"),
    ],
)
def test_slow_numbers_and_our_own_method_have_dots_too(open_home, settled, link, label, method):
    app = open_home(home_sure="true", **link)
    settled(app.selectbox(key=f"home_sure_{method}").set_value(label).run())
    (element,) = (e for e in app.get("bidi_component") if e.proto.component_name == "dot_plot")
    data = json.loads(element.proto.json)
    assert len(data["dots"]) == DOTS
    demo = datasets.load("demo-city")
    said = data["dots"][3][2]
    if method == "density":
        settings = DensityParameters(epsilon=1.0, delta=1e-7, max_visits_per_user=30)
        settings = replace(settings, gaussian=gaussian_for(settings.method, 1.0))
        release = density.release(demo, settings, rng=generator(SEED, "density", 3))
        metres_by_hour = earth_movers_distance(
            density.truth(demo), np.maximum(release.counts, 0.0), demo.tessellation.zone_distances_m
        )
        assert said == metres(float(np.nanmean(metres_by_hour)))
        return
    settings = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=0)
    noise = od.ODNoise.draw(generator(SEED, "trips", 3, 1), demo, days=0)
    read = od.estimate.release(demo, settings, noise=noise, days=0).counts[0]
    pairs = ~np.eye(len(read), dtype=bool)
    error = np.abs(read - od.truth(demo, days=0)[0])[pairs].mean()
    assert said == trip_count(float(error))

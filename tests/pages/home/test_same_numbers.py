"""A number that stands on two pages is the same number, with the same range."""

import itertools
import re
import time

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from engine.density import DensityNoise
from pages._ui.cache.draws import generator

_CARD = re.compile(
    r'<div class="label">(.*?)</div>.*?<span class="value">(.*?)</span> '
    r'<span class="range">(.*?)</span>.*?<div class="meaning">(.*?)</div>',
    re.DOTALL,
)


def cards(app):
    """Return label → value, range and meaning of all cards, once nothing is being computed."""
    until = time.monotonic() + 180
    while True:
        values = {
            label: rest
            for element in app.get("html")
            for label, *rest in _CARD.findall(element.proto.body)
        }
        if not any("calculating" in rest[1] or "computed" in rest[1] for rest in values.values()):
            return values
        assert time.monotonic() < until
        time.sleep(0.3)
        app.run()


@pytest.mark.parametrize("epsilon", ["0.02", "1"])
def test_density_reads_alike_on_home_and_on_its_page(open_home, epsilon):
    app = open_home(epsilon=epsilon)
    home = cards(app)
    app.switch_page("pages/1_Density.py").run()
    page = cards(app)
    labels = ["Relative error (MRE)", "Rhythm kept (Pearson r)", "Displacement (EMD)"]
    for label in [*labels, "Error of the total"]:
        assert page[label] == home[label]


@pytest.mark.parametrize("unit", ["person-day", "person"])
def test_flows_read_alike_on_home_and_on_their_page(open_home, unit):
    app = open_home(unit=unit, epsilon="0.5")
    home = cards(app)
    app.switch_page("pages/2_Origin_Destination.py").run()
    for key, value in {"unit": unit, "epsilon": 0.5}.items():
        app.session_state[key] = value  # a test's browser forgets them at the switch
    app.run()
    page = cards(app)
    shared = set(home) & set(page)
    assert len(shared) == 4
    for label in shared:
        assert page[label] == home[label]


def test_no_two_draws_share_any_noise(data_root):
    """Density and trips, repeats and days: whoever subtracts one from another learns nothing."""
    dataset = datasets.load("demo-city")
    drawn = {}
    for repeat in (0, 1):
        rng = generator((7, 0), "density", repeat)
        noise = DensityNoise.draw(rng, dataset, "zones_laplace")
        values = np.concatenate([noise.histogram, [noise.visits], noise.counts.ravel()])
        drawn["density", repeat] = values[:900]
        for layer in (0, 1, 2):
            rng = generator((7, 0), "trips", repeat, layer)
            cells = od.ODNoise.draw(rng, dataset, days=0).cells
            drawn["trips", repeat, layer] = cells.ravel()[:900]
    drawn["redrawn"] = generator((7, 1), "density").laplace(size=900)
    for one, other in itertools.combinations(drawn.values(), 2):
        assert not np.isin(one, other).any()
        assert abs(np.corrcoef(one, other)[0, 1]) < 5 / np.sqrt(900)

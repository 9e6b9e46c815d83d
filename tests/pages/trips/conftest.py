"""The Origin–Destination page, opened with settings; every method on one known draw."""

import json
from typing import get_args

import pytest

from engine import datasets, origin_destination as od
from engine.parameters import ODMethod, ODParameters
from pages._ui.answers import cached
from pages._ui.settings.seeds import SIMULATED_SEED
from tests.support.releases import seen

OPENED = {"od_data": "demo-city", "od_zones": "zones", "max_trips": 4}
PAGE = "pages/2_Origin_Destination.py"


def show(app, view):
    if view != "Map":
        app.button_group(key="od_view").set_value(view).run()
    assert not app.exception, app.exception
    return app


def deck(app):
    return json.loads(app.get("deck_gl_json_chart")[0].proto.json)


@pytest.fixture
def open_od(open_set):
    """Return a function that opens a view of the page with settings."""
    return lambda view="Map", **settings: show(open_set(PAGE, **{**OPENED, **settings}), view)


@pytest.fixture(params=get_args(ODMethod))
def method(request):
    """Each method of the engine's table."""
    return request.param


@pytest.fixture
def draw_of_page(method):
    """Return a function that draws as the page does, by the engine alone: truth and release."""

    def run(day=0, **changes):
        city = datasets.load("demo-city")
        settings = {"max_trips_per_user": 4, "suppression_threshold": 15, **changes}
        parameters = ODParameters(**{"epsilon": 1.0, "method": method, **settings})
        setting = seen(parameters, dataset=city.folder)
        noise = cached.flow_noise(setting, (SIMULATED_SEED, 0), day=day)
        release = od.release(city, setting.parameters, noise=noise, days=day)
        return od.truth(city, days=day)[0], release

    return run

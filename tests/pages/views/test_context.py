"""A context: the parameters, the noise and the days that every view of a page is drawn from."""

from dataclasses import replace
from typing import get_args

import pytest

from engine import datasets, density
from engine.parameters import DensityMethod, ODMethod
from pages._ui.cache.window import Window
from pages._ui.shell import catalogue
from pages._ui.shell.settings import SIMULATED_SEED
from pages._ui.views import context


@pytest.mark.parametrize("method", get_args(DensityMethod))
def test_the_wanted_epsilon_is_what_a_method_proves_where_methods_compare(set_to, method):
    chosen = context.of_density(replace(set_to, variant=method), equal=True)
    for fair in (
        chosen,
        chosen.vary(epsilon=0.7),
        chosen.vary(method="lpa"),
        chosen.vary(epsilon=6.0),
    ):
        size = datasets.load("demo-city").tessellation.cover_size
        assert density.proved_epsilon(fair.parameters, size) == pytest.approx(fair.epsilon)
    assert chosen.vary(epsilon=0.7).epsilon == 0.7
    assert chosen.epsilon == chosen.vary(method="lpa").epsilon == 2.0


def test_the_calibration_that_is_wanted_comes_back_where_the_classical_one_reaches(set_to):
    beyond = context.of_density(replace(set_to, epsilon=5.0))
    assert beyond.parameters.gaussian == "analytic"
    assert beyond.vary(epsilon=1.0).parameters.gaussian == "classical"
    assert beyond.vary(method="lpa").parameters.gaussian == "classical"
    wanted = context.of_density(set_to, gaussian="analytic")
    assert wanted.parameters.gaussian == "analytic"
    assert wanted.vary(epsilon=0.5).parameters.gaussian == "analytic"


@pytest.mark.parametrize("method", get_args(ODMethod))
def test_flows_have_the_method_and_the_declared_day(set_to, method):
    chosen = context.of_trips(replace(set_to, od_method=method))
    assert chosen.parameters.method == method
    assert chosen.when == {"days": 0, "sum_days": False}
    assert chosen.seed == (SIMULATED_SEED, 0)
    assert chosen.at_equal_proved() == chosen
    person = context.of_trips(replace(set_to, unit="person"))
    assert person.when == {"days": None, "sum_days": True}
    third = context.of_trips(set_to, Window(3))
    assert third.when == {"days": 3, "sum_days": False}


def test_the_product_answers_for_the_parameters(set_to):
    visits, trips = context.of_density(set_to), context.of_trips(set_to)
    assert visits.when == {}
    assert [one.product.__name__ for one in (visits, trips)] == [
        "engine.density",
        "engine.origin_destination",
    ]


def test_a_dataset_without_the_part_has_no_context(set_to):
    other = catalogue.shared()
    assert context.of_density(replace(set_to, density_data=other["only-trips"])) is None
    assert context.of_trips(replace(set_to, od_data=other["only-visits"])) is None
    assert context.of_density(replace(set_to, density_data=None)) is None

"""The Density page: settings in, honest numbers, ledger and figures out."""

import re
from functools import partial
from typing import get_args

import numpy as np
import pytest

from engine import density, metrics, release
from engine.datasets import load
from engine.geography import centre_distances_m
from engine.parameters import DensityMethod, DensityParameters
from engine.text.numbers import metres, number, percent
from engine.text.privacy_text import ANALYTIC_NOTE
from engine.text.utility_text import describe_genuine, describe_retained
from engine.utility import compute_utility
from pages._ui.answers import cached
from pages._ui.components import charts
from pages._ui.settings import fields, seeds
from tests.support.charts import drawn as drawn
from tests.support.page import numbers, tables, text
from tests.support.releases import seen

PAGE = "pages/1_Density.py"
UNDEFINED = re.compile(r"\bnan\b|\binf\b|\bNone\b", re.IGNORECASE)


@pytest.fixture
def open_density(open_set):
    return partial(open_set, PAGE, density_zones="zones")


def drawn_by_the_engine(parameters: DensityParameters) -> list[density.DensityRelease]:
    """Return five draws as the page makes them, by the engine alone."""
    seed = seeds.SIMULATED_SEED, 0
    rngs = [cached.generator(seed, "density", repeat, 1) for repeat in range(5)]
    return [density.release(load("demo-city"), parameters, rng=rng) for rng in rngs]


@pytest.mark.parametrize("method", ["lpa", "efpa", "efpag_joint", "multiscale"])
def test_first_screen_shows_the_engines_numbers(open_density, method):
    app = open_density(variant=method, epsilon=0.5)
    truth = density.truth(load("demo-city"))
    release, *others = drawn_by_the_engine(DensityParameters(epsilon=0.5, method=method))
    counts = [one.counts for one in (release, *others)]
    totals = [abs(one.sum() - truth.sum()) / truth.sum() for one in counts]
    errors = [float(np.nanmean(metrics.mean_relative_error(truth, one))) for one in counts]
    shown = {label: cells[0] for label, cells in numbers(app).items()}
    assert shown["Error of the total"] == percent(np.mean(totals))
    assert shown["Relative error (MRE)"] == percent(np.mean(errors))
    off = np.mean([np.abs(one - truth).mean() for one in counts])
    assert shown["Mean error"] == f"{number(off)} visits"
    proved = f"{release.cost.proved_epsilon:.3g} charged: 0.5"
    assert shown["Proved privacy loss (ε)"] == proved
    uses = density.METHODS[method].used_fields
    assert app.toggle(key="density_scaling").disabled == ("scaling" not in uses)
    assert app.select_slider(key="max_visits").disabled == ("max_visits_per_user" not in uses)
    assert app.select_slider(key="delta").disabled == ("delta" not in uses)
    said = text(app)
    parameters = DensityParameters(epsilon=0.5, method=method)
    setting = seen(parameters, dataset="demo-city")
    utility = compute_utility(setting, load("demo-city"))
    plain = said.replace("<b>", "").replace("</b>", "")
    assert describe_retained(utility, setting) in plain
    assert describe_genuine(utility, setting) in plain
    assert "Simulated people" in said
    assert "not a release" in said


def test_the_displacement_is_the_mean_over_draws_at_every_hour_of_a_day(open_density, settled):
    app = settled(open_density(epsilon=0.5))
    truth = density.truth(load("demo-city"))[:, ::7]
    assert sorted({hour % 24 for hour in range(0, 168, 7)}) == list(range(24))
    between = centre_distances_m(load("demo-city").zones)
    each = [
        np.nanmean(metrics.earth_movers_distance(truth, np.maximum(one.counts[:, ::7], 0), between))
        for one in drawn_by_the_engine(DensityParameters(epsilon=0.5))
    ]
    assert numbers(app)["Displacement (EMD)"] == [f"{metres(np.mean(each))} of visits"]
    assert not UNDEFINED.search(text(app))


def test_ledger_lists_every_stage_and_the_three_totals(open_density):
    app = open_density(epsilon=0.3, variant="efpag", density_view="Cost")
    stages, methods = tables(app)
    data = load("demo-city")

    def ledger(method):
        return density.compute_cost(data, DensityParameters(epsilon=0.3, method=method))

    expected = ledger("efpag")
    assert [stage.name for stage in expected.stages] == list(stages["Stage"])
    assert sum(float(share) for share in stages["ε share"]) == pytest.approx(0.3)
    assert len(methods) == len(density.METHODS)
    for row, method in zip(methods.to_dict("records"), density.METHODS, strict=True):
        own = ledger(method)
        totals = [str(row[total]).split(", ", 1) for total in list(row)[1:]]
        shown = [float(total) for total, _ in totals]
        wanted = [own.paper_epsilon, own.composed_epsilon, own.proved_epsilon]
        assert shown == pytest.approx(wanted, rel=0.01)
        senses = [own.paper_definition, own.paper_definition, own.proved_definition]
        assert [sense.removesuffix(" ▲") for _, sense in totals] == senses


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("efpag_joint", "has the noise of ε = 1.147 in this ledger: in its first stage 12.8% less"),
        ("multiscale", "has the noise of ε = 0.9364 in this ledger: in its first stage 6.4% more"),
        ("lpa", ""),
    ],
)
def test_the_cost_names_the_noise_that_a_release_has(open_density, variant, said):
    """By the release's own plan: the scale of what OpenDP draws."""
    shown = text(open_density(variant=variant, density_view="Cost"))
    assert said in shown
    assert ("A release that is charged" in shown) == bool(said)
    if said:
        data, parameters = load("demo-city"), DensityParameters(epsilon=1.0, method=variant)
        drawn = release.plan(seen(parameters), data).stages[0].scale
        here = density.compute_cost(data, parameters).stages[0].noise_scale
        apart = float(re.search(r"stage ([\d.]+)%", said)[1]) * (1 if "more" in said else -1)
        assert 100 * (drawn / here - 1) == pytest.approx(apart, abs=0.05)


def test_more_proved_than_charged_is_said(open_density):
    assert "ε is not proved for this method" in text(
        open_density(epsilon=10.0, variant="efpa", max_visits=168)
    )


def test_above_four_the_analytic_gaussian_is_used_and_said(open_density):
    app = open_density(epsilon=5.0, density_view="Cost")
    assert ANALYTIC_NOTE in text(app)
    assert "Gaussian, analytic" in text(app)
    assert app.toggle(key="density_gaussian").disabled


def test_stage_switches_change_the_release(open_density):
    app = open_density(epsilon=0.5, density_view="Cost")
    first = numbers(app)["Relative error (MRE)"]
    app.toggle(key="density_scaling").set_value(False).run()
    assert numbers(app)["Relative error (MRE)"] != first
    assert "pre-sampled totals of the cover" in text(app)
    app.toggle(key="density_gaussian").set_value(True).run()
    assert "Gaussian, analytic" in text(app)


def test_a_move_brings_a_chart_new_data_and_leaves_its_specification(open_density, drawn):
    """Of another specification the browser makes the whole chart anew."""
    app = open_density(epsilon=0.5)
    before = dict(drawn["density_week"])
    app.select_slider(key="epsilon").set_value(0.4).run()
    after = dict(drawn["density_week"])
    assert after.pop("datasets") != before.pop("datasets")
    assert after == before


def test_the_chosen_zone_stays_and_the_error_map_is_signed(open_density):
    assert fields.HOUR.read("20") == fields.HOUR.read("Mon 20:00") == 20  # as links had it before
    app = open_density(density_hour=20)
    assert "Mon 20:00–21:00" in text(app)
    zones = load("demo-city").zones
    app.selectbox(key="density_zone").select(zones["zone_id"].iloc[3]).run()
    assert f"{zones['name'].iloc[3]}, in this draw: relative error" in text(app)
    app.session_state["second_map"] = "difference"
    app.run()
    few, many = (
        int(re.search(f"{word}: (\\d+) of {len(zones)} zones", text(app))[1])
        for word in ("striped", "solid")
    )
    assert few + many == len(zones)
    assert app.selectbox(key="density_zone").value == zones["zone_id"].iloc[3]


def test_no_two_curves_look_alike():
    drawn = charts.make_lines({method: [0.0] for method in (*get_args(DensityMethod), "no stages")})
    assert len({(one.colour, one.dash) for one in drawn}) == len(drawn)


def test_curves_are_means_of_the_draws_of_the_engine(open_density, settled):
    app = settled(open_density(epsilon=1.0, max_visits=10, density_view="Methods and ℓ"))
    (table,) = tables(app)
    truth = density.truth(load("demo-city"))
    drawn = drawn_by_the_engine(
        DensityParameters(epsilon=1.0, max_visits_per_user=10, method="lpa")
    )
    errors = [np.nanmean(metrics.mean_relative_error(truth, one.counts)) for one in drawn]
    row = table[table.iloc[:, 0] == "Laplace, cells"].iloc[0]
    assert row.iloc[1] == percent(np.mean(errors))
    assert len(table) == len(density.METHODS) + 1
    assert not UNDEFINED.search(text(app))

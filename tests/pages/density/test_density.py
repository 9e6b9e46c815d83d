"""The Density page: settings in, honest numbers, ledger and figures out."""

import json
import re
import time
from typing import get_args

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from engine import density, metrics
from engine.datasets import load
from engine.ledger import Ledger
from engine.parameters import DensityMethod, DensityParameters
from pages._ui.cache import verbs
from pages._ui.cache.draws import generator
from pages._ui.density import wording as density_wording
from pages._ui.density.map import Week
from pages._ui.density.views import VIEWS
from pages._ui.shell.settings import SIMULATED_SEED
from pages._ui.wording.datasets import CONFIDENTIAL_BANNER
from pages._ui.wording.labels import METHODS, NOBODY_SAMPLED, SHORT_METHODS
from pages._ui.wording.numbers import percent
from pages._ui.wording.privacy import ANALYTIC_NOTE
from tests.support.link import held
from tests.support.page import bodies, text
from tests.support.tables import shown as shown_tables

PAGE = "pages/1_Density.py"
DEFAULTS = {
    "epsilon": 1.0,
    "delta": 1e-7,
    "max_visits": 30,
    "cluster_minimum": None,
    "variant": "efpag_joint",
    "density_scaling": True,
    "density_smoothing": True,
}


@pytest.fixture
def open_density(open_home):
    """Open the page with settings: the first run after a change of page does not know them."""

    def run(*, query: dict[str, str] | None = None, **settings: object) -> AppTest:
        app = open_home(**(query or {}))
        app.switch_page(PAGE)
        for key, value in (query or {}).items():
            app.query_params[key] = value
        app.run()
        assert not app.exception, app.exception
        for key, value in {**DEFAULTS, **settings}.items():
            if key not in (query or {}):
                app.session_state[key] = value
        app.run()
        assert not app.exception, app.exception
        return app

    return run


def card(app: AppTest, label: str) -> str:
    """Return the value of one large number."""
    cards = next(part for part in bodies(app) if 'class="cards' in part)
    after = cards.split(label, 1)[1]
    return re.search(r'class="value">([^<]*)<', after)[1]


def view(app: AppTest, name: str) -> AppTest:
    app.session_state["density_view"] = name
    app.run()
    assert not app.exception, app.exception
    return app


def finish(app: AppTest, name: str, seconds: float = 240.0) -> AppTest:
    """Run the page until its job has ended, as a browser would by asking again."""
    until = time.monotonic() + seconds
    while app.session_state["session"].jobs[name].running:
        assert time.monotonic() < until, f"{name} did not end"
        time.sleep(0.05)
    return app.run()


@pytest.mark.parametrize("method", get_args(DensityMethod))
def test_first_screen_shows_the_engines_numbers(open_density, method):
    app = open_density(query={"variant": method}, epsilon=0.5)
    data = load("demo-city")
    parameters = DensityParameters(epsilon=0.5, method=method)
    rng = generator((SIMULATED_SEED, 0), "density")
    release = density.release(data, parameters, rng=rng)
    truth = density.truth(data)
    assert card(app, "Error of the total") == percent(
        abs(release.counts.sum() - truth.sum()) / truth.sum()
    )
    error = metrics.mean_relative_error(truth, release.counts)
    assert card(app, "Relative error (MRE)") == percent(float(np.nanmean(error)))
    assert card(app, "Proved privacy loss") == f"{release.ledger.proved_epsilon:.3g}"
    uses = density.METHODS[method].uses
    assert app.toggle(key="density_scaling").disabled == ("scaling" not in uses)
    assert (density_wording.NO_STAGES in text(app)) == (
        "scaling" not in uses and not density.METHODS[method].ours
    )
    kept = next(one for one in app.sidebar.slider if "ℓ" in one.label)
    assert kept.disabled == ("max_visits_per_user" not in uses)
    assert any(NOBODY_SAMPLED in one.value for one in app.caption) == kept.disabled
    assert "Simulated people" in text(app)
    assert "not a release" in text(app)


# the sweep of all methods takes longest: its own test looks at its words, too
def test_each_view_draws_without_undefined_numbers(open_density):
    app = open_density(epsilon=0.5)
    for name in VIEWS:
        if name == "methods":
            continue
        view(app, name)
        if name in app.session_state["session"].jobs:
            finish(app, name)
        reads_without_undefined_numbers(app)


def reads_without_undefined_numbers(app: AppTest) -> None:
    assert not app.exception, app.exception
    assert not re.search(r"\bnan\b|\binf\b|\bNone\b", text(app), re.IGNORECASE)


def test_ledger_lists_every_stage_and_the_three_totals(open_density):
    app = view(open_density(epsilon=0.3, variant="efpag"), "cost")
    stages, totals, methods = shown_tables(app)
    expected = ledger("demo-city", DensityParameters(epsilon=0.3, method="efpag"))
    assert [stage.name for stage in expected.stages] == list(stages["Stage"])[1:-1]
    assert sum(float(share) for share in stages["ε share"]) == pytest.approx(0.3)
    shown = [float(value.split()[0]) for value in totals["ε"]]
    wanted = [expected.published_epsilon, expected.pure_epsilon, expected.proved_epsilon]
    assert shown == pytest.approx(wanted, rel=0.01)
    assert list(totals["In the sense of"])[2] == expected.proved_notion
    assert len(methods) == len(METHODS)
    for row in methods.to_dict("records"):
        name = str(row["Method"]).removesuffix(" ●")
        (method,) = (one for one, said in SHORT_METHODS.items() if said == name)
        own = ledger("demo-city", DensityParameters(epsilon=0.3, method=method))
        shown = [float(str(row[total]).split()[0]) for total in list(row)[1:]]
        wanted = [own.published_epsilon, own.pure_epsilon, own.proved_epsilon]
        assert shown == pytest.approx(wanted, rel=0.01)


def test_equal_proved_epsilon_rescales_the_release_and_ends_the_warning(open_density):
    app = open_density(epsilon=10.0, variant="efpa", max_visits=168)
    parameters = DensityParameters(epsilon=10, method="efpa", max_visits_per_user=168)
    assert ledger("demo-city", parameters).proved_exceeds_published
    assert "above the 10 on the slider" in text(app)
    app.toggle(key="density_equal").set_value(True).run()
    assert "above the 10 on the slider" not in text(app)
    assert card(app, "Proved privacy loss") == "10"
    app = open_density(epsilon=0.3, variant="efpag")
    assert float(card(app, "Proved privacy loss")) < 0.3
    app.toggle(key="density_equal").set_value(True).run()
    assert card(app, "Proved privacy loss") == "0.3"
    assert "the method runs with ε = 0.3" in text(app)


def test_above_four_the_analytic_gaussian_is_used_and_said(open_density):
    app = view(open_density(epsilon=5.0), "cost")
    assert ANALYTIC_NOTE in text(app)
    assert "Gaussian, analytic" in text(app)
    assert app.toggle(key="density_gaussian").disabled


def test_stage_switches_change_the_release(open_density):
    app = view(open_density(epsilon=0.5), "cost")
    first = card(app, "Relative error (MRE)")
    app.toggle(key="density_scaling").set_value(False).run()
    assert card(app, "Relative error (MRE)") != first
    assert "pre-sampled totals of the cover" in text(app)
    app.toggle(key="density_gaussian").set_value(True).run()
    assert "Gaussian, analytic" in text(app)


def test_noise_above_the_data_is_obvious(open_density):
    app = open_density(epsilon=0.01)
    for _ in range(6):  # other draws, until the noisy totals are not above zero
        if app.error:
            break
        next(button for button in app.button if button.label == "Redraw").click().run()
    assert "The noise exceeds the data" in app.error[0].value
    assert "Not usable" in text(app)


def test_one_cluster_is_said(open_density):
    app = open_density(epsilon=1.0, cluster_minimum=100000000.0)
    assert "All cells form one cluster" in text(app)


def test_the_chosen_zone_stays_and_the_error_map_is_signed(open_density):
    app = open_density()
    zone = load("demo-city").zones["zone_id"].iloc[3]
    app.selectbox(key="density_zone").select(zone).run()
    name = load("demo-city").zones["name"].iloc[3]
    assert f"{name}: relative error" in text(app)
    app.session_state["density_map_view"] = "error"
    app.run()
    assert any("too few" in part and "too many" in part for part in bodies(app))
    assert app.selectbox(key="density_zone").value == zone


def test_a_zone_says_its_range_once_releases_are_drawn(open_density, open_home, settled):
    app = settled(open_density(epsilon=0.5))
    layers = json.loads(app.get("deck_gl_json_chart")[0].proto.json)["layers"]
    zones = next(layer for layer in layers if layer["id"] == "zones")["data"]["features"]
    demo, hour = load("demo-city"), app.session_state["density_hour"]
    drawn = [
        density.release(
            demo,
            DensityParameters(epsilon=0.5),
            rng=generator((SIMULATED_SEED, 0), "density", repeat),
        ).counts[:, hour]
        for repeat in range(20)
    ]
    ends = np.quantile(drawn, (0.05, 0.95), axis=0)
    for zone, low, high in zip(zones, *ends, strict=True):
        said = zone["properties"]["t3"].replace(",", "").split("–")
        assert [float(end) for end in said] == pytest.approx([low, high], rel=0.06, abs=0.51)
    app = settled(open_home(home_shown="density", epsilon="0.5"))  # the same hour
    (picture,) = (e for e in app.get("bidi_component") if e.proto.component_name == "stage")
    for zone, words in zip(zones, json.loads(picture.proto.json)["private"]["words"], strict=True):
        assert words.endswith(f"90% of draws: {zone['properties']['t3']}")


def test_playing_moves_the_hour(open_density):
    app = open_density()
    before = app.session_state["density_hour"]
    held(app, Week).playing = True
    app.run()
    assert app.session_state["density_hour"] == before + 1


def test_methods_are_swept_by_the_engine(open_density):
    app = view(open_density(epsilon=1.0, max_visits=10), "methods")
    app = finish(app, "methods")
    reads_without_undefined_numbers(app)
    curves = len(get_args(DensityMethod)) + 1  # and one without scaling and smoothing
    assert app.session_state["session"].jobs["methods"].step.total == 20 * 10 * curves
    shown = shown_tables(app)[0]
    # the curve's points are means of the very draws whose errors the cards show
    settings = DensityParameters(epsilon=1.0, max_visits_per_user=10, method="lpa")
    (key,) = {job.signature.arguments[0] for job in app.session_state["session"].jobs.values()}
    errors = [
        np.nanmean(verbs.scores(key, settings, (SIMULATED_SEED, 0), repeat=repeat).error)
        for repeat in range(20)
    ]
    row = shown[shown.iloc[:, 0] == "LPA"].iloc[0]
    assert row.iloc[1] == f"{percent(np.mean(errors))} ± {percent(np.std(errors, ddof=1))}"


def test_a_cancelled_sweep_keeps_what_it_has_and_goes_on(open_density):
    app = open_density()
    app.session_state["density_sweep"] = "kept"
    app = view(app, "methods")
    work = app.session_state["session"].jobs["kept"]
    while work.step is None:
        time.sleep(0.01)
    work.cancel()
    work.wait(10)
    assert work.state == "cancelled"
    done = work.step.done
    app.run()
    assert 0 < done < work.step.total
    app.button(key="job_continue_kept").click().run()
    until = time.monotonic() + 30
    while work.step.done <= done and time.monotonic() < until:
        time.sleep(0.02)
    assert work.state in ("running", "finished")
    assert work.step.done > done
    work.cancel()


@pytest.mark.parametrize(
    "query",
    [
        {"epsilon": "-1", "variant": "no such", "density_view": "<script>"},
        {"epsilon": "nan", "density_equal": "maybe", "density_data": "town"},
        {"max_visits": "1000", "cluster_minimum": "-5"},
    ],
)
def test_bad_query_parameters_are_dropped(open_density, query):
    app = open_density(query=query)
    assert app.session_state["density_view"] == "map"
    assert app.session_state["density_data"] == "demo-city"
    assert 0 < app.session_state["epsilon"] <= 10
    assert card(app, "Relative error (MRE)").endswith("%")


def test_a_dataset_without_visits_offers_one_and_confidential_data_say_so(open_density):
    app = open_density(density_data="only-trips")
    assert "has no visits" in text(app)
    assert not shown_tables(app)
    app.session_state["density_data"] = "town"
    app.run()
    assert not app.exception, app.exception
    assert CONFIDENTIAL_BANNER in text(app)
    assert "town" not in str(app.query_params)


def ledger(name: str, parameters: DensityParameters) -> Ledger:
    data = load(name)
    return density.ledger(
        parameters,
        cover_size=data.tessellation.cover_size,
        max_visits_cap=data.metadata.max_visits_cap,
    )

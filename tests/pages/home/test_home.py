"""Home, without a browser: settings, verdict, banners, budget and bad links."""

import pytest

from engine.parameters import EPSILON_STOPS
from tests.support.page import figures


def texts(app) -> str:
    """Return all text of the page that a person reads in the main column."""
    parts = [element.value for element in (*app.caption, *app.warning, *app.info)]
    parts += [element.proto.body for element in app.get("html")]
    return "\n".join(str(part) for part in parts)


def tables(app) -> list[str]:
    """Return the tables of the page, as HTML."""
    return [e.proto.body for e in app.get("html") if 'class="plain"' in e.proto.body]


def test_home_shows_a_verdict_one_picture_and_eight_numbers(open_home, settled):
    app = settled(open_home())
    shown = figures(app)
    assert len(shown) == 8
    assert "–" not in shown
    kinds = [element.proto.component_name for element in app.get("bidi_component")]
    assert sorted(kinds) == ["mobility_address", "stage"]
    assert texts(app).count('class="gauge ') == 2
    assert texts(app).count('class="verdict ') == 3
    assert " to " in texts(app)
    assert "calculating" not in texts(app)
    assert "computed last" not in texts(app)


def test_moving_epsilon_changes_numbers_and_the_same_epsilon_brings_them_back(open_home, settled):
    app = settled(open_home())
    before = figures(app)
    moved = figures(settled(app.select_slider(key="epsilon").set_value(0.1).run()))
    assert sum(a != b for a, b in zip(before, moved, strict=True)) >= 6
    assert figures(settled(app.select_slider(key="epsilon").set_value(1.0).run())) == before


def test_redraw_changes_the_density_and_not_the_expectation_of_flows(open_home, settled):
    app = settled(open_home())
    before = figures(app)
    redraw = next(button for button in app.button if button.label == "Redraw")
    after = figures(settled(redraw.click().run()))
    assert after[:4] != before[:4]
    assert after[4:] == before[4:]


def test_bad_query_parameters_are_dropped(open_home, settled):
    usual = figures(settled(open_home()))
    for query in (
        {"epsilon": "nan"},
        {"epsilon": "-1"},
        {"epsilon": "0"},
        {"epsilon": "inf"},
        {"epsilon": "1e9", "delta": "1", "max_visits": "0", "threshold": "-1"},
        {"max_visits": "169", "max_trips": "257", "threshold": "x", "delta": "nan"},
        {"unit": "household", "variant": "<script>", "density_data": "nowhere", "od_data": "../x"},
        {"cluster_minimum": "-5"},
        {"cluster_minimum": "nan"},
    ):
        assert figures(settled(open_home(**query))) == usual, query


def test_good_query_parameters_are_taken(open_home):
    app = open_home(epsilon="0.3", max_visits="10", variant="lpa", unit="trip", threshold="5")
    assert app.select_slider(key="epsilon").value == 0.3
    assert app.slider(key="max_visits").value == 10
    assert app.slider(key="threshold").value == 5
    assert app.selectbox(key="variant").value == "lpa"
    assert app.selectbox(key="unit").value == "trip"


def test_trip_level_disables_the_trip_limit_and_says_why(open_home):
    app = open_home()
    assert not app.select_slider(key="max_trips").disabled
    app.selectbox(key="unit").set_value("trip").run()
    assert app.select_slider(key="max_trips").disabled
    assert "nobody is trimmed" in texts(app)
    assert "cannot be added" in texts(app)


def test_flows_without_people_offer_trip_level_only(open_home):
    app = open_home()
    app.selectbox(key="od_data").set_value("flows").run()
    assert app.selectbox(key="unit").value == "trip"
    assert len(app.selectbox(key="unit").options) == 1
    assert "name no people" in texts(app)
    assert not app.exception


def test_budget_of_the_same_people_is_summed_and_of_others_is_not(open_home):
    app = open_home()
    assert "ε = 8 with δ = 1e-7 in all" in texts(app)
    app.selectbox(key="unit").set_value("person").run()
    assert "ε = 2 with δ = 1e-7 in all" in texts(app)
    app.selectbox(key="variant").set_value("efpa").run()
    assert "the density 1.84 (best proved, more than is published)" in texts(app)
    app.selectbox(key="od_data").set_value("only-trips").run()
    assert "read the same people" not in texts(app)


def test_a_column_without_data_says_so_and_offers_a_dataset(open_home):
    app = open_home()
    app.selectbox(key="density_data").set_value("only-trips").run()
    assert "only-trips has no visits" in texts(app)
    assert len(figures(app)) == 4
    app.button(key="missing_density_data").click().run()
    assert len(figures(app)) == 8


@pytest.mark.parametrize("epsilon", [EPSILON_STOPS[0], 4.0, 5.0, EPSILON_STOPS[-1]])
@pytest.mark.parametrize("variant", ["efpag_joint", "lpa", "zones_laplace"])
def test_every_epsilon_works_and_the_analytic_gaussian_is_named_above_four(
    open_home, epsilon, variant
):
    app = open_home(epsilon=f"{epsilon:g}", variant=variant)
    assert len(figures(app)) == 8
    assert ("analytic Gaussian" in texts(app)) == (epsilon > 4 and variant == "efpag_joint")


def test_delta_above_one_over_people_is_warned_of(open_home):
    warned = open_home(delta="2e-6", density_data="only-visits")
    assert "about 4 of them" in texts(warned)
    assert "Choose a smaller δ" in texts(warned)
    assert "Choose a smaller δ" not in texts(open_home(density_data="only-visits"))


def test_too_little_data_is_called_not_usable_on_the_stage_and_in_the_columns(open_home):
    app = open_home(epsilon="0.01")
    bodies = [e.proto.body for e in app.get("html") if 'class="verdict' in e.proto.body]
    assert len(bodies) == 3
    assert all('class="verdict noisy"' in body for body in bodies)
    assert all("Not usable for " in body for body in bodies[1:])
    assert "times as many people" in bodies[2]


def test_calculator_moves_the_slider_to_a_stop_that_keeps_the_promise(open_home):
    app = open_home(unit="trip")
    assert any("<td>0.2853</td>" in table for table in tables(app))
    app.button(key="home_use_epsilon").click().run()
    assert app.select_slider(key="epsilon").value == 0.3


def test_reset_brings_every_default_back(open_home, settled):
    app = open_home(epsilon="0.3", variant="lpa", threshold="5")
    next(button for button in app.button if button.label == "Reset").click().run()
    assert app.select_slider(key="epsilon").value == 1.0
    assert app.selectbox(key="variant").value == "efpag_joint"
    assert app.slider(key="threshold").value == 15
    assert figures(settled(app)) == figures(settled(open_home()))

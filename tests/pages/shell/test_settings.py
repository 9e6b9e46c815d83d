"""Settings outlive pages, stand whole in the link and come back from it."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.support.link import link_of

PAGES = (
    "pages/1_Density.py",
    "pages/2_Origin_Destination.py",
    "pages/3_Choose_Epsilon.py",
    "pages/8_Data.py",
    "app.py",
)


def changed(open_home) -> AppTest:
    """Return home with each kind of setting away from its default."""
    app = open_home()
    app.select_slider(key="epsilon").set_value(0.5)
    app.slider(key="threshold").set_value(7)
    app.selectbox(key="unit").set_value("person")
    app.selectbox(key="variant").set_value("lpa")
    app.number_input(key="cluster_minimum").set_value(2000.0)
    app.selectbox(key="density_data").set_value("only-visits")
    return app.run()


LINK = {
    "epsilon": "0.5",
    "threshold": "7",
    "unit": "person",
    "variant": "lpa",
    "cluster_minimum": "2000",
    "density_data": "only-visits",
}


def test_every_setting_outlives_every_page_and_stays_in_the_link(open_home):
    app = changed(open_home)
    assert link_of(app) == LINK
    for path in PAGES:
        app.switch_page(path).run()
        assert not app.exception, app.exception
        assert link_of(app) == LINK, path
    assert app.select_slider(key="epsilon").value == 0.5
    assert app.selectbox(key="unit").value == "person"
    assert app.number_input(key="cluster_minimum").value == 2000


def test_a_page_draws_only_the_settings_it_uses(open_page):
    app = open_page("pages/1_Density.py")
    keys = {widget.key for widget in (*app.selectbox, *app.select_slider, *app.slider)}
    assert {"epsilon", "delta", "max_visits", "density_data", "variant"} <= keys
    assert not keys & {"od_data", "unit", "max_trips", "threshold"}
    app = open_page("pages/8_Data.py")
    keys = {widget.key for widget in (*app.selectbox, *app.select_slider, *app.slider)}
    assert not keys & {"epsilon", "density_data", "od_data"}


def test_the_link_brings_back_every_page_of_it(open_home):
    app = open_home(
        **LINK, od_view="matrix", density_hour="5", density_map_view="error", od_day="all"
    )
    assert app.slider(key="threshold").value == 7
    assert {"od_view": "matrix", "density_hour": "5"}.items() <= link_of(app).items()
    app.switch_page("pages/1_Density.py").run()
    assert app.select_slider(key="density_hour").value == 5
    assert app.button_group(key="density_map_view").value == "error"
    app.switch_page("pages/2_Origin_Destination.py").run()
    assert app.button_group(key="od_view").value == "Matrix"


def test_a_number_between_two_stops_takes_the_nearer_and_says_so(open_home):
    app = open_home(epsilon="0.37", max_trips="7")
    assert app.select_slider(key="epsilon").value == pytest.approx(0.37, rel=0.2)
    said = " ".join(toast.value for toast in app.toast)
    assert "ε = 0.37" in said
    assert "T = 7" in said
    assert not app.run().toast


def test_a_number_that_cannot_be_set_is_said_to_be_left_out(open_home):
    app = open_home(epsilon="1e9")
    assert app.select_slider(key="epsilon").value == 1.0
    assert "cannot be set" in app.toast[0].value
    assert not open_home(epsilon="0.5", delta="1e-07").toast


def test_reset_puts_back_datasets_and_the_switches_of_every_page(open_home):
    app = changed(open_home)
    app.switch_page("pages/1_Density.py").run()
    app.toggle(key="density_equal").set_value(True)
    app.select_slider(key="density_hour").set_value(3).run()
    app.switch_page("app.py").run()
    assert {"density_equal", "density_hour"} <= set(link_of(app))
    next(one for one in app.button if one.label == "Reset").click().run()
    assert link_of(app) == {}
    assert app.selectbox(key="density_data").value == "demo-city"
    assert app.select_slider(key="epsilon").value == 1.0
    app.switch_page("pages/1_Density.py").run()
    assert not app.toggle(key="density_equal").value


def test_a_standard_of_others_sets_the_threshold_and_says_what_it_does_not_protect(open_page):
    app = open_page("pages/2_Origin_Destination.py")
    for least in (10, 16, 15):
        app.button(key=f"standard_{least}").click().run()
        assert app.slider(key="threshold").value == least
    assert any("alone protects nobody" in caption.value for caption in app.caption)

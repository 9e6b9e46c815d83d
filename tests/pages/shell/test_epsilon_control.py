"""ε has three controls; what a person moves counts, also while the others lag behind."""

import pytest

DENSITY = "pages/1_Density.py"


@pytest.fixture
def density(open_home):
    return open_home().switch_page(DENSITY).run()


def test_the_control_that_is_moved_quickly_counts_and_not_those_that_lag(density):
    density.select_slider(key="epsilon").set_value(0.9).run()
    density.select_slider(key="epsilon").set_value(0.8)
    density.text_input(key="epsilon_typed").set_value("1")  # as the browser still has them
    density.select_slider(key="epsilon_narrow").set_value(1.0)
    density.run()
    assert density.select_slider(key="epsilon").value == 0.8
    assert density.text_input(key="epsilon_typed").value == "0.8"
    assert density.select_slider(key="epsilon_narrow").value == 0.8


def test_another_control_takes_over_when_it_is_moved(density):
    density.select_slider(key="epsilon").set_value(0.9).run()
    density.select_slider(key="epsilon_narrow").set_value(0.5).run()
    assert density.select_slider(key="epsilon").value == 0.5
    density.select_slider(key="epsilon_narrow").set_value(0.4)
    density.select_slider(key="epsilon").set_value(0.9).run()
    assert density.select_slider(key="epsilon").value == 0.4
    density.text_input(key="epsilon_typed").set_value("0,37").run()
    assert density.select_slider(key="epsilon").value in (0.35, 0.4)
    assert "The nearest stop to ε = 0.37 is" in density.toast[0].value
    density.text_input(key="epsilon_typed").set_value("much").run()
    assert "ε is a number from 0.01 to 10." in density.toast[0].value

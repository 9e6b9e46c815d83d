"""Whatever fails, a page says so in words and no page shows Streamlit's own error box."""

import pytest

from engine.errors import DatasetError
from pages._ui.answers import cached, measures
from tests.support.page import plain


@pytest.fixture(autouse=True)
def unforeseen_errors_are_raised() -> None:
    """Here a page shows them as a person sees them, unlike in the other tests."""


def fail_with(monkeypatch, module, name, error):
    def broken(*_arguments, **_named):
        raise error

    monkeypatch.setattr(module, name, broken)


def test_an_error_of_the_engine_is_said_with_its_remedy(open_page, monkeypatch):
    words = "this dataset has too many zones; build it again with coarser ones"
    fail_with(monkeypatch, cached, "truth", DatasetError(words))
    app = open_page("pages/2_Origin_Destination.py")
    assert words in plain(app.error[0].value)


def test_numbers_of_home_that_fail_leave_the_gauges(open_home, monkeypatch):
    fail_with(monkeypatch, measures, "score_expectation", MemoryError())
    app = open_home()
    (error,) = app.error
    assert "coarser zones" in error.value
    assert 'class="gauges"' in "".join(element.proto.body for element in app.get("html"))


def test_a_verdict_names_the_one_dataset_that_it_speaks_of(open_home):
    app = open_home()
    app.selectbox(key="od_data").set_value("only-trips").run()
    shown = "".join(element.proto.body for element in app.get("html"))
    assert shown.count('aria-label="Verdict on only-trips"') == 1
    assert "Verdict on demo-city" not in shown
    app.segmented_control(key="home_shown").set_value("Density").run()
    shown = "".join(element.proto.body for element in app.get("html"))
    assert shown.count('aria-label="Verdict on demo-city"') == 1
    assert "Verdict on only-trips" not in shown


def test_a_banner_names_the_dataset_it_belongs_to(open_home):
    app = open_home()
    app.selectbox(key="od_data").set_value("town").run()
    assert "Dataset: town." in app.warning[0].value
    assert "demo-city" not in app.warning[0].value

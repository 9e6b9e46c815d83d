"""Home–work flows on pages: people, not trips; why what is fixed is; from a file to a bundle."""

import json
import re
from pathlib import Path

import pytest

from engine.release import BudgetLedger
from engine.text.privacy_text import PAIR_ONLY, PEOPLE_ONCE
from pages._ui.release import release_job, release_page
from tests.pages.release.test_release import finished
from tests.support.data_page import HEADER, built, button, html_of, upload_all, widget, zone
from tests.support.page import bodies, plain, text

SHIPPED = Path(__file__).parents[2] / "data" / "demo-city-commutes"
GENERAL = (
    "Trips beyond T are|trips within T|If single trips|however many trips|single trips add up|"
    "n trips lose n × ε|A user.{1,6}s trip"
)
"""What is said of a method, or of other units."""
FLOWS = "pages/2_Origin_Destination.py"
ROWS = [
    f"{person},2015-09-{day:02d} {start},2015-09-{day:02d} {end},{ends[0]},{ends[1]}"
    for person in range(40)
    for day in (7, 8)
    for start, end, ends in (("05:40:00", "09:10:00", "AB"), ("17:30:00", "20:10:00", "BA"))
]


@pytest.fixture(autouse=True)
def _local(own_root, monkeypatch, local):
    (own_root / SHIPPED.name).symlink_to(SHIPPED)
    monkeypatch.setattr(release_job, "is_served_locally", lambda: True)
    yield
    release_job._latest.clear()


@pytest.mark.parametrize(
    ("page", "method"),
    [
        ("pages/0_Home.py", "laplace_suppression"),
        ("pages/3_Choose.py", "laplace_suppression"),
        (FLOWS, "laplace_suppression"),
        (FLOWS, "empirical_bayes"),
    ],
)
def test_pages_say_people_and_not_trips(open_page, page, method):
    app = open_page(page, od_data=SHIPPED.name, od_method=method, max_trips="4")
    views = [one for one in app.button_group if one.key in ("od_view", "choose_view")]
    for view in views[0].options if views else [""]:
        app = app if not view else app.button_group(key=views[0].key).set_value(view).run()
        words = re.sub(r"<[^>]*>", " ", "\n".join([text(app), *bodies(app)]))
        words = re.sub(GENERAL, "", words)
        assert not re.findall(r".{0,60}\b[Tt]rips?\b.{0,40}", words), view
        assert view != "Calculators" or "a person by Laplace with suppression; T = 1" in words
    assert app.select_slider(key="max_trips").label == f"T: {PAIR_ONLY}"
    fixed = [one for one in app.selectbox if one.key in ("od_time_person", "unit_once")]
    assert [(one.disabled, one.help) for one in fixed] == [(True, PEOPLE_ONCE)] * 2


def test_people_who_have_a_budget_are_offered_it_first(open_page):
    BudgetLedger().declare(
        "townspeople", datasets=["demo-city"], unit="person", epsilon=2.0, manager="me"
    )
    app = open_page("pages/6_Release.py", od_data=SHIPPED.name, epsilon="0.5")
    assert [one.value for one in app.radio] == ["same"]
    next(one for one in app.button if one.label == "Share their budget").click().run()  # by nobody
    assert "a budget may be changed only by me" in " ".join(plain(one.value) for one in app.error)
    next(one for one in app.text_input if "raise their" in one.label).set_value("me")
    next(one for one in app.button if one.label == "Share their budget").click().run()
    assert BudgetLedger().budget("townspeople").datasets == ["demo-city", SHIPPED.name]
    app.number_input(key=f"release_trips_{SHIPPED.name}").set_value(10**9).run()
    assert "costs ε = 0.5 per person, and 1.5 of the budget remains" in text(app)


def test_a_file_becomes_a_bundle_of_people(open_data):
    app = zone(upload_all(open_data(), "\n".join([HEADER, *ROWS]).encode()), "America/Mexico_City")
    widget(app.selectbox, "data_parts").set_value(True).run()
    app = built(app)
    assert "with a home and a work zone" in html_of(app)
    button(app, "data_keep_trips-2015-09").click().run()
    name, ledger = "trips-2015-09", BudgetLedger()
    ledger.declare("riders", datasets=[name], unit="person", epsilon=1.0, manager="me")
    app.query_params["od_data"] = name
    app.session_state["od_data"] = name
    app = app.switch_page("pages/6_Release.py").run()
    app.number_input(key=f"release_trips_{name}").set_value(10**9).run()
    app.text_input(key="release_confirm").set_value(name).run()
    app.button(key="release_start").click().run()
    assert not finished(app).exception
    (bundle,) = (path for path in release_page.bundle_folder().iterdir() if path.is_dir())
    statement = json.loads((bundle / "statement.json").read_text("utf-8"))
    assert (
        statement["title"]
        == "People by home and work zone: Laplace with suppression (Kohli et al. 2024)"
    )
    assert statement["seen"].endswith("2015-09-01 to 2015-09-30, each person once")
    assert ledger.budget("riders").remaining_epsilon == 0.0

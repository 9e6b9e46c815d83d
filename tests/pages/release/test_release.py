"""The Release page: only on this computer, nothing before confirming, once, and listed after."""

import json
import threading
from pathlib import Path

import pytest

from engine import datasets
from engine.release import BudgetLedger
from pages._ui.release import confirm, question, work
from tests.support.release_page import TUNED, confirmed, declared, errors, filled, finished, texts


def test_refused_where_others_are_served(own_data, open_page, monkeypatch):
    monkeypatch.setattr(work, "served_locally", lambda: False)
    app = open_page("pages/7_Release.py")
    assert "Releases are made on the custodian's own computer only" in errors(app)[0]
    monkeypatch.setattr("sys.argv", ["streamlit", work.SWITCH])
    assert not errors(app.run())


def test_a_budget_is_asked_for_first(page):
    assert "No budget has been declared" in texts(page)
    assert not [one for one in page.button if one.key == "release_start"]
    assert not BudgetLedger().path.exists()
    (form,) = page.get("form")
    assert not form.proto.form.enter_to_submit  # Enter in a field declares nothing


def test_the_cost_and_what_is_left_are_said_before_confirming(page):
    app = declared(page)
    assert "on 7 days costs a person 7; 3 is left after it." in texts(app)
    assert filled(app) == ("these data", "")
    assert app.button(key="release_start").disabled
    app.text_input(key="release_confirm").set_value("demo").run()
    assert app.button(key="release_start").disabled
    assert not confirmed(app).disabled
    assert BudgetLedger().budget("people").releases == 0


def test_a_release_is_made_once_and_listed(page, own_data):
    app = declared(page, epsilon=20.0)
    confirmed(app).click().run()
    app = finished(app)
    assert not app.exception
    assert [one.value for one in app.success]
    assert BudgetLedger().budget("people").spent_epsilon == 7.0
    (bundle,) = (path for path in confirm.folder().iterdir() if path.is_dir())
    assert (bundle / "statement.html").is_file()
    app.run()  # a refresh repeats nothing
    assert BudgetLedger().budget("people").releases == 1
    assert "hashes unbroken" in texts(app)
    assert not [one for one in app.button if one.key == "release_start"]
    app.button(key="release_again").click().run()
    assert app.button(key="release_start").disabled  # the name must be typed anew


def test_a_second_session_cannot_release_at_the_same_time(page, monkeypatch):
    app = declared(page)
    hold = threading.Event()
    assert work.start("other", lambda report: hold.wait(30) and datasets.data_root())
    app.run()
    assert not [one for one in app.button if one.key == "release_start"]
    assert not work.start("mine", lambda report: pytest.fail("both ran"))
    hold.set()
    assert BudgetLedger().budget("people").releases == 0


def test_a_release_that_another_session_begins_while_the_page_is_drawn_is_followed(
    page, monkeypatch
):
    app = declared(page)
    hold, planned = threading.Event(), question.planned

    def begun_meanwhile(product, entry):
        work.start("other", lambda report: hold.wait(30) and datasets.data_root())
        return planned(product, entry)

    monkeypatch.setattr(question, "planned", begun_meanwhile)
    app.run()
    assert not [one for one in app.button if one.key == "release_start"]
    hold.set()


def test_own_data_are_released_as_simulated_ones_are(own_data, data_root, open_page, monkeypatch):
    (own_data / "local").mkdir()
    (own_data / "local" / "town").symlink_to(data_root / "local" / "town")
    monkeypatch.setattr(work, "served_locally", lambda: True)
    app = open_page("pages/7_Release.py", density_data="demo-city")
    BudgetLedger().declare("townspeople", datasets=["town"], unit="person", epsilon=20.0, by="me")
    app.selectbox(key="od_data").set_value("town").run()
    assert not app.exception
    assert "Dataset **town**" in texts(app)
    assert "simulated people: every file says so" not in texts(app)
    app.text_input(key="release_confirm").set_value("town").run()
    app.button(key="release_start").click().run()
    app = finished(app)
    assert [one.value for one in app.success]
    assert BudgetLedger().budget("townspeople").releases == 1


def test_what_epsilon_was_tuned_on_travels_from_decisions_into_the_statement(page):
    page.session_state["session"].tuned_on = TUNED
    app = declared(page, epsilon=20.0)
    how, note = filled(app)
    assert how == "simulated"
    assert "an overlap of 90% in 90% of releases, tuned on rwanda-districts, 01 Jan 2012" in note
    assert "correct it freely" in texts(app)
    app.text_input(key="release_note").set_value(f"{note}; seen by the board").run()
    confirmed(app).click().run()
    finished(app)
    (entry,) = (one for one in BudgetLedger().entries() if one.kind == "release")
    assert (entry.body["tuning"], entry.body["tuning_note"]) == (how, f"{note}; seen by the board")
    (bundle,) = (path for path in confirm.folder().iterdir() if path.is_dir())
    statement = json.loads((bundle / "statement.json").read_text(encoding="utf-8"))
    assert "on simulated data of similar size (ε = 1: the smallest" in statement["items"]["bounds"]


def test_tuning_on_the_released_data_is_said_and_another_epsilon_is_not_that_choice(page):
    first, last = (datasets.load("demo-city").metadata.days[day].isoformat() for day in (0, 2))
    on_these = TUNED | {"dataset": "demo-city", "period": (first, last)}
    page.session_state["session"].tuned_on = on_these
    app = declared(page, epsilon=20.0)
    assert filled(app)[0] == "these data"
    app.session_state["session"].tuned_on = TUNED | {"epsilon": 0.5}
    app.run()
    assert filled(app) == ("these data", "")  # nothing better is claimed unasked
    assert "On the page Decisions ε = 0.5 was chosen; it is 1 now." in texts(app)


@pytest.mark.parametrize(
    ("product", "method", "said"),
    [
        ("Density", "Published", "a release counts visits at towers"),
        ("Density", "Ours", "nothing was charged"),
        ("Origin–destination", "Ours", "what was measured, with bars that hold"),
        ("Mobility report", None, "costs a person 1; 9 is left after it."),
    ],
)
def test_other_products_plan_without_an_error(page, product, method, said):
    app = declared(page)
    app.button_group(key="release_product").set_value(product).run()
    if method:
        app.button_group(key="release_method").set_value(method).run()
    assert not app.exception
    assert said in texts(app) + " ".join(errors(app))
    fits = [one for one in app.button if one.key == "release_start"]
    assert bool(fits) == ("nothing" not in said)


@pytest.mark.parametrize(
    ("link", "product", "shown"),
    [
        ({}, "Origin–destination", "Published"),
        ({"od_method": "estimate"}, "Origin–destination", "Ours"),
        (
            {"od_method": "estimate", "release_method": "published"},
            "Origin–destination",
            "Published",
        ),
        ({"od_method": "published", "release_method": "ours"}, "Origin–destination", "Ours"),
        ({"variant": "zoom"}, "Density", "Ours"),
        ({"variant": "efpag", "od_method": "estimate"}, "Density", "Published"),
    ],
)
def test_the_method_is_the_one_set_elsewhere_until_it_is_chosen_here(
    own_data, open_page, monkeypatch, link, product, shown
):
    monkeypatch.setattr(work, "served_locally", lambda: True)
    app = open_page("pages/7_Release.py", od_data="demo-city", density_data="demo-city", **link)
    app.button_group(key="release_product").set_value(product).run()
    assert app.button_group(key="release_method").value == shown
    numbers = "at five zoom levels" if product == "Density" else "a model reads all of them"
    assert (numbers in texts(app)) == (shown == "Ours")


def test_a_dataset_without_a_report_is_told_one_that_has_it(
    own_data, data_root, open_page, monkeypatch
):
    (own_data / "flows").symlink_to(data_root / "flows")
    monkeypatch.setattr(work, "served_locally", lambda: True)
    link = {"release_product": "mobility-report", "od_data": "flows"}
    app = open_page("pages/7_Release.py", **link)
    assert "was made without the tables of a mobility report" in texts(app)
    app.button(key="release_use_offer").click().run()
    assert app.selectbox(key="od_data").value == "demo-city"
    assert "Dataset **demo-city**" in texts(app)


def test_another_period_is_told_by_whose_people_are_in_it(page):
    app = declared(page, epsilon=20.0)
    for record, how in (
        ({"period": ("2001-01-01", "2001-01-07"), "same_people": "yes"}, "same people"),
        ({"period": ("2001-01-01", "2001-01-07"), "same_people": "no"}, "other period"),
        ({"period": ("2001-01-01", "2001-01-07"), "same_people": ""}, "these data"),
        ({"period": ("2001-01-01", "2101-01-07"), "same_people": "no"}, "these data"),
        ({"dataset": "last year", "simulated": False, "same_people": "no"}, "other period"),
        ({"dataset": "last year", "simulated": False, "same_people": "yes"}, "same people"),
        ({"dataset": "last year", "simulated": False, "same_people": ""}, "these data"),
        ({"dataset": "a model town", "same_people": ""}, "simulated"),
    ):
        app.session_state["session"].tuned_on = TUNED | {"dataset": "demo-city"} | record
        app.run()
        assert filled(app)[0] == how
        assert "the smallest tried" in filled(app)[1]


def test_a_finer_budget_pays_for_two_changes_and_is_told_why(page):
    people = {"datasets": ["demo-city"], "epsilon": 10.0, "delta": 1e-6, "by": "custodian"}
    BudgetLedger().declare("people", unit="person-day", **people)
    app = page.run()
    assert "on 7 days costs a person and day 1; 9 is left after it." in texts(app)
    app.button_group(key="release_product").set_value("Density").run()
    app.button_group(key="release_method").set_value("Ours").run()
    assert "of 1 per person costs a person and day 1.4449 (and δ = 1e-07); 8.5551 is left" in texts(
        app
    )
    assert "other trips or visits move into the freed places" in texts(app)


def test_a_second_dataset_of_the_same_people_shares_their_budget(page):
    BudgetLedger().declare("town", datasets=["other"], unit="person", epsilon=9.0, by="custodian")
    app = page.run()
    app.radio[0].set_value("same").run()
    same = next(one for one in app.selectbox if one.label == "The same people as")
    assert same.options == ["town"]
    share = next(one for one in app.button if one.label == "Share their budget")
    share.click().run()  # by nobody
    assert "a change of a budget must come from custodian" in " ".join(errors(app))
    assert BudgetLedger().budget("town").datasets == ["other"]
    next(one for one in app.text_input if "Who says so" in one.label).set_value("custodian")
    next(one for one in app.button if one.label == "Share their budget").click().run()
    assert sorted(BudgetLedger().budget("town").datasets) == ["demo-city", "other"]
    assert "costs a person 7; 2 is left after it." in texts(app)


def test_no_archive_is_read_before_it_is_asked_for(page, monkeypatch):
    app = declared(page, epsilon=20.0)
    confirmed(app).click().run()
    app = finished(app)
    read = []
    whole = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path.name) or whole(path))
    app.run()
    assert len(app.get("download_button")) == 4  # of the new bundle, and in the list
    assert not [name for name in read if name.endswith((".zip", ".html"))]

"""The Release page: only on this computer, nothing before confirming, once, and listed after."""

import json
import math
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from scipy import stats

from engine import datasets
from engine.contract import TimeSelection
from engine.release import NOISE_CONSENT, BudgetLedger, ReleaseError
from engine.release.statement import format_error_bar
from engine.text.setting_text import describe_guesses
from engine.text.utility_text import describe_utility
from pages._ui.answers import cached
from pages._ui.app import catalogue
from pages._ui.release import release_form, release_job, release_page as release_page
from tests.support.page import bodies, html_of, plain, text


def errors(app):
    return [plain(one.value) for one in app.error]


def declared(app, epsilon=10.0, trips=10**9):
    """Declare a budget, and say that so many trips were made."""
    BudgetLedger().declare(
        "people", datasets=["demo-city"], unit="person", epsilon=epsilon, manager="custodian"
    )
    app.run()
    fields = [one for one in app.number_input if str(one.key).startswith("release_trips")]
    return fields[0].set_value(trips).run() if fields else app


def confirmed(app):
    app.text_input(key="release_confirm").set_value("demo-city").run()
    return app.button(key="release_start")


def finished(app):
    release_job.latest().wait(60)
    return app.run()


def filled(app):
    return app.selectbox(key="release_tuned").value, app.text_input(key="release_note").value


@pytest.fixture
def own_data(own_root):
    """A data folder of the test's own, since releases write a ledger into it."""
    yield own_root
    if (latest := release_job.latest()) is not None:
        latest.wait(60)
    release_job._latest.clear()


@pytest.fixture
def page(own_data, open_page, monkeypatch):
    monkeypatch.setattr(release_job, "is_served_locally", lambda: True)
    return open_page("pages/6_Release.py", od_data="demo-city", density_data="demo-city")


@pytest.fixture
def own_town(own_data, data_root, monkeypatch):
    """Real people among the test's own data, on this computer."""
    (own_data / "local").mkdir()
    (own_data / "local" / "town").symlink_to(data_root / "local" / "town")
    monkeypatch.setattr(release_job, "is_served_locally", lambda: True)


def test_refused_where_others_are_served(own_data, open_page, monkeypatch):
    monkeypatch.setattr(release_job, "is_served_locally", lambda: False)
    app = open_page("pages/6_Release.py")
    assert "Releases are made on the custodian's own computer only" in errors(app)[0]
    monkeypatch.setattr("sys.argv", ["streamlit", release_job.RELEASE_FLAG])
    assert not errors(app.run())


def test_a_budget_is_asked_for_first(page):
    assert "The people in this dataset have no budget yet" in html_of(page)
    assert "This release costs ε = 7 per person." in text(page)
    assert not [one for one in page.button if one.key == "release_start"]
    assert not BudgetLedger().path.exists()
    (form,) = page.get("form")
    assert not form.proto.form.enter_to_submit  # Enter in a field declares nothing
    assert "ε 2 at most 89 of 100 guesses" in html_of(page)
    next(one for one in page.text_input if one.label.startswith("Your name")).set_value("me")
    app = next(one for one in page.button if one.label == "Declare the budget").click().run()
    assert "Only you can decide" in errors(app)[0]  # how much is nobody's default
    assert not BudgetLedger().path.exists()


def test_cost_and_warnings_are_said_in_full_before_confirming(page):
    app = declared(page)
    assert "on 7 days. It costs ε = 7 per person, and 3 of the budget remains." in text(app)
    assert "<summary>Noise is shown as flows</summary>A flow without a counted trip" in html_of(app)
    assert "The release takes about 2 s." in text(app)
    assert filled(app) == ("these data", "")
    assert app.button(key="release_start").disabled
    app.text_input(key="release_confirm").set_value("demo").run()
    assert app.button(key="release_start").disabled
    assert not confirmed(app).disabled
    assert BudgetLedger().budget("people").release_count == 0
    app.text_input(key="release_withdraw_people_owner").set_value("custodian").run()
    app.button(key="release_withdraw_people").click().run()
    assert BudgetLedger().budgets() == {}


def test_a_release_is_made_once_and_listed_and_the_page_opens_on_what_is_set(
    page, open_page, monkeypatch
):
    app = declared(page, epsilon=20.0)
    confirmed(app).click().run()
    app = finished(app)
    assert not app.exception
    assert [one.value for one in app.success]
    assert BudgetLedger().budget("people").spent_epsilon == 7.0
    (bundle,) = (path for path in release_page.bundle_folder().iterdir() if path.is_dir())
    assert (bundle / "statement.html").is_file()
    read, whole = [], Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path.name) or whole(path))
    app.run()  # a refresh repeats nothing, and reads no archive before it is asked for
    assert len(app.get("download_button")) == 4  # of the new bundle, and in the list
    assert not [name for name in read if name.endswith((".zip", ".html"))]
    assert BudgetLedger().budget("people").release_count == 1
    assert "chain of hashes is intact" in text(app)
    assert "ε = 7 of 20 spent per person in 1 release" in text(app)
    assert not [one for one in app.button if one.key == "release_start"]
    other = open_page("pages/6_Release.py", od_data="demo-city", epsilon="0.5")
    assert not [one.value for one in other.success]  # of another session of this computer
    other.number_input(key="release_trips_demo-city").set_value(10**9).run()
    assert "costs ε = 3.5 per person, and 9.5 of the budget remains." in text(other)
    app.switch_page("pages/0_Home.py").run()
    app = app.switch_page("pages/6_Release.py").run()
    assert not [one.value for one in app.success]
    assert app.button(key="release_start").disabled  # the name must be typed anew
    (bundle,) = (one for one in app.selectbox if one.key == "release_bundle")
    assert bundle.options  # and it is not lost


def progress(app):
    """What stands beside the bar of a release that runs."""
    return " ".join(plain(one.proto.text) for one in app.get("progress"))


def test_a_session_that_watches_a_release_sees_how_it_ends(page, open_page):
    hold, key = threading.Event(), catalogue.entries()["demo-city"].key.dataset_id

    def make(_report):
        hold.wait(30)
        raise ReleaseError("too little room", value="0", remedy="make some")

    assert release_job.start("demo-city-od-20260101-000000", key, make)
    app = page.run()
    assert "Releasing demo-city-od-20260101-000000" in progress(app)
    hold.set()
    assert "too little room" in errors(finished(app))[0]
    assert not errors(open_page("pages/6_Release.py", od_data="demo-city"))


def test_no_session_reads_the_name_of_what_another_has_uploaded(page, own_data, tmp_path):
    """Neither while it is released, nor in the ledger and among the bundles afterwards."""
    app, ledger = declared(page, epsilon=20.0), BudgetLedger()
    ledger.declare(
        "strangers", datasets=["secret"], unit="person", epsilon=9.0, manager="custodian"
    )
    with ledger._transaction() as (append, _):
        body = {"dataset": "secret", "epsilon": 1.0, "delta": 0.0, "product": "od"}
        append("release", "strangers", body)
    confirmed(app).click().run()
    finished(app)
    (made,) = (path for path in release_page.bundle_folder().iterdir() if path.is_dir())
    other = shutil.copytree(made, made.parent / "secret-od-estimate-20260101-000000")
    stated = json.loads((other / "statement.json").read_text(encoding="utf-8"))
    stated["setting"]["dataset"] = "secret"
    (other / "statement.json").write_text(json.dumps(stated), encoding="utf-8")
    hold = threading.Event()
    release_job.start("secret-od-20260102-000000", str(tmp_path), lambda _report: hold.wait(30))
    app.switch_page("pages/0_Home.py").run()
    app = app.switch_page("pages/6_Release.py").run()
    words = [text(app), progress(app), *map(str, app.get("html"))]
    words += [option for one in app.selectbox for option in one.options]
    assert made.name in words
    assert not [one for one in words if "secret" in one or "strangers" in one]
    assert "1 release of datasets that are not available here. The command lists all." in text(app)
    hold.set()


def test_the_name_of_what_a_session_has_uploaded_is_offered_to_no_other(page):
    """The people of a budget are named to all who declare one on this computer."""
    (named,) = (one for one in page.text_input if one.label.startswith("Name for these people"))
    assert named.value == "demo-city"
    page.session_state["session"].datasets["demo-city"] = datasets.load("demo-city").folder.parent
    (named,) = (
        one for one in page.run().text_input if one.label.startswith("Name for these people")
    )
    assert named.value == ""


def test_sums_before_suppression_are_written_where_the_switch_is_on(page):
    """It is off at first, changes neither noise nor cost, and warns before anybody confirms."""
    app = declared(page, epsilon=20.0)
    assert "noisy counts can be computed</summary>" not in html_of(app)
    assert not app.toggle(key="release_sums").value
    app.toggle(key="release_sums").set_value(True).run()
    assert "Suppressed noisy counts can be computed" in html_of(app)
    assert "on 7 days. It costs ε = 7 per person, and 13 of the budget remains." in text(app)
    confirmed(app).click().run()
    assert [one.value for one in finished(app).success]
    (bundle,) = (path for path in release_page.bundle_folder().iterdir() if path.is_dir())
    said = json.loads((bundle / "statement.json").read_text(encoding="utf-8"))
    assert said["sums_before_suppression"] is True
    app.button(key="release_again").click().run()
    app.session_state["threshold"] = 0
    assert not [one for one in app.run().toggle if one.key == "release_sums"]


def test_a_second_session_cannot_release_at_the_same_time(page, monkeypatch):
    app = declared(page)
    hold, planned = threading.Event(), release_form.make_plan

    def begun_meanwhile(setting):
        release_job.start(
            "other", "elsewhere", lambda report: hold.wait(30) and datasets.data_root()
        )
        return planned(setting)

    monkeypatch.setattr(release_form, "make_plan", begun_meanwhile)
    app.run()
    assert not [one for one in app.button if one.key == "release_start"]
    assert not release_job.start("mine", "demo-city", lambda report: pytest.fail("both ran"))
    assert "A release is being made on this computer" in progress(app)
    assert "other" not in progress(app)
    hold.set()
    assert BudgetLedger().budget("people").release_count == 0


def test_what_is_released_is_what_is_set_and_judged_elsewhere(own_data, open_page, monkeypatch):
    """Zones, time and parameters travel; the use is the number of every other page."""
    monkeypatch.setattr(release_job, "is_served_locally", lambda: True)
    link = {"epsilon": 2, "unit": "person", "max_trips": 6, "threshold": 3}
    link |= {"od_data": "demo-city", "od_zones": "clusters-5", "od_time": "week"}
    app = declared(open_page("pages/6_Release.py", **link), epsilon=20.0)
    entry = catalogue.entries()["demo-city"]
    asked, utility = [], cached.utility
    monkeypatch.setattr(cached, "utility", lambda *of: asked.append(of[0]) or utility(*of))
    app.run()
    (setting,) = asked
    assert (setting.zone_level, setting.time.aggregation, setting.dataset_id) == (
        "clusters-5",
        "whole",
        entry.key.dataset_id,
    )
    said_of_it = describe_utility(cached.utility(setting, 0), setting)
    risk = describe_guesses(cached.risk(setting).max_guess_rate, setting)
    said, planned = text(app), html_of(app)
    about = "(a coin: 50), from this release alone"
    assert f"{said_of_it} After publication, {risk} {about}" in said
    confirmed(app).click().run()
    app = finished(app)
    assert not app.exception
    (bundle,) = (path for path in release_page.bundle_folder().iterdir() if path.is_dir())
    statement = json.loads((bundle / "statement.json").read_text(encoding="utf-8"))
    said, bar = statement["setting"], statement["accuracy"][0]["half_width"]
    assert f"± {format_error_bar(bar)}, computed from the noise" in planned
    assert (said["dataset"], said["zones"], said["time"]) == ("demo-city", "clusters-5", "whole")
    parameters = said["parameters"]
    assert (parameters["epsilon"], parameters["max_trips_per_user"]) == (2, 6)
    assert (parameters["suppression_threshold"], parameters["unit"]) == (3, "person")


def test_both_spans_of_a_change_are_released_as_the_page_shows_them(page, monkeypatch):
    """One setting on both pages, and the price that Change names."""
    page.session_state["unit"] = "person"
    app = declared(page)
    app.switch_page("pages/2_Origin_Destination.py").run()
    app.button_group(key="od_view").set_value("Change").run()
    (days,) = (one for one in app.select_slider if "day after" in one.label)
    app = days.set_value((1, 6)).run()
    (length,) = (one for one in app.number_input if one.label == "Days in each period")
    app = length.set_value(2).run()
    assert "a person pays ε = 1 for both spans" in text(app)
    links = {one.proto.label: one.proto.query_string for one in app.get("page_link")}
    assert parse_qs(links["Release both spans"])["release_product"] == ["Change of flows"]
    asked, plan = [], release_form.planned_of
    monkeypatch.setattr(
        release_form, "planned_of", lambda *of, **more: asked.append(of[0]) or plan(*of, **more)
    )
    app = app.switch_page("pages/6_Release.py").run()
    app = app.button_group(key="release_product").set_value("Change of flows").run()
    assert not app.exception, app.exception
    assert asked[-1].time == TimeSelection(
        aggregation="whole", first_position=1, last_position=6, compared_days=2
    )
    assert asked[-1].parameters.unit == "person"
    assert "costs ε = 1 per person, and 9 of the budget remains." in text(app)
    days = datasets.load("demo-city").metadata.days
    assert f"{days[1]} to {days[2]} and {days[5]} to {days[6]}, one matrix for each" in text(app)


def test_real_people_are_judged_on_request_alone_and_that_is_stated(own_town, open_page, settled):
    app = open_page("pages/6_Release.py", density_data="demo-city")
    BudgetLedger().declare(
        "townspeople", datasets=["town"], unit="person", epsilon=20, manager="me"
    )
    app.selectbox(key="od_data").set_value("town").run()
    app.number_input(key="release_trips_town").set_value(10**9).run()
    assert not app.exception
    assert "· **town**" in text(app)
    assert "are retained" not in text(app)
    assert not [one for one in bodies(settled(app)) if 'class="advice' in one]
    app.selectbox(key="release_tuned").set_value("public").run()
    app.toggle(key="release_judge_town").set_value(True).run()
    assert "are retained" in text(app)
    assert "You have seen the utility computed from these data" in text(app)
    assert [one for one in bodies(settled(app)) if 'class="advice' in one]
    app.text_input(key="release_confirm").set_value("town").run()
    app.button(key="release_start").click().run()
    app = finished(app)
    assert [one.value for one in app.success]
    assert BudgetLedger().budget("townspeople").release_count == 1


def test_days_of_real_people_open_on_those_within_the_risk_limit(own_town, open_page):
    def opened(**query):
        app = open_page("pages/6_Release.py", density_data="demo-city", **query)
        app.selectbox(key="od_data").set_value("town").run()
        return app.select_slider(key="release_days_town").value, text(app)

    def guessed(epsilon, count):  # the majority of as many randomized responses; half the ties
        right = stats.binom(count, 1 / (1 + math.exp(-epsilon)))
        return right.sf(count / 2) + right.pmf(count / 2) / 2

    days, words = opened(epsilon="0.5", v="2")
    within = max(count for count in range(1, 8) if guessed(0.5, count) <= 0.75)
    assert days == (0, within - 1) == (0, 5)
    assert "At ε = 0.5 a day, at most 6 days of 7 can be released within your risk limit" in words
    assert opened(epsilon="0.1", v="2")[0] == (0, 6)
    days, words = opened(epsilon="2", v="2")
    assert days == (0, 0)
    assert "At ε = 2 a day, not one day of 7 can be released within your risk limit (75" in words


def test_a_release_that_is_mostly_noise_takes_a_second_typed_yes(page):
    app = declared(page, epsilon=20.0, trips=1)
    assert "<summary>Too little signal" in html_of(app)
    assert list(app.session_state["session"].trips_per_day.values()) == [1 / 7]
    assert "more than were made" in " ".join(one.value for one in app.info)
    app.text_input(key="release_noise_consent").set_value("yes").run()
    assert "more than were made" in " ".join(errors(app))
    assert not [one for one in app.button if one.key == "release_start"]
    app.text_input(key="release_noise_consent").set_value(NOISE_CONSENT).run()
    assert not confirmed(app).disabled


@pytest.mark.parametrize(
    ("variant", "said"),
    [
        ("efpag_joint", "exceeds δ by 1e-07"),
        ("towers_laplace", "costs ε = 1 per person, and 9 of the budget remains."),
        ("efpag", "are for exploring"),
    ],
)
def test_methods_of_the_density_are_released_or_said_to_be_for_exploring(page, variant, said):
    app = declared(page)
    app.session_state["variant"] = variant
    app.button_group(key="release_product").set_value(release_form.DENSITY).run()
    assert not app.exception
    assert said in text(app) + " ".join(errors(app))
    if variant == "efpag":
        app.button(key="release_mend").click().run()
        assert app.session_state["variant"] == "efpag_joint"
        assert "are for exploring" not in " ".join(errors(app))


def test_a_budget_is_offered_with_the_delta_that_the_setting_takes(page):
    page.button_group(key="release_product").set_value(release_form.DENSITY).run()
    assert next(one for one in page.number_input if "Total δ" in one.label).value == 1e-7
    next(one for one in page.text_input if one.label.startswith("Your name")).set_value("me")
    next(one for one in page.number_input if "Total ε" in one.label).set_value(2.0)
    app = next(one for one in page.button if one.label == "Declare the budget").click().run()
    assert "costs ε = 1 (and δ = 1e-07) per person, and 1 of the budget remains." in text(app)


def test_the_largest_epsilon_that_fits_is_one_press(page):
    app = declared(page, epsilon=2.0)
    assert "exceeds ε by 5" in " ".join(errors(app))
    app.button(key="release_most").click().run()
    assert app.session_state["epsilon"] == 0.28
    assert "costs ε = 1.96 per person, and 0.04 of the budget remains." in text(app)


def test_a_twin_is_named_only_where_the_whole_setting_is_the_recommended_one(
    page, own_data, data_root, monkeypatch
):
    (own_data / "elsewhere").symlink_to(data_root / "demo-city")  # where the setting was taken
    app = declared(page, epsilon=20.0)
    asked, utility = [], cached.utility
    monkeypatch.setattr(cached, "utility", lambda *of: asked.append(of[0]) or utility(*of))
    app.run()
    taken = replace(asked[0], selection=replace(asked[0].selection, dataset_id="elsewhere"))
    for one, how in (
        (taken, "twin"),
        (taken.with_epsilon(2.0), "these data"),
        (replace(taken, selection=replace(taken.selection, zone_level="clusters-5")), "these data"),
    ):
        app.session_state["session"].twin_choice = ("elsewhere", one)
        app.run()
        assert filled(app)[0] == how
    app.session_state["session"].twin_choice = ("elsewhere", taken)
    app.session_state["session"].judged_names.add("demo-city")
    app.run()
    assert filled(app)[0] == "these data"


def test_of_trips_without_people_a_budget_is_per_trip(page, own_data, data_root):
    shutil.copytree(data_root / "flows", own_data / "flows")
    app = page.run().selectbox(key="od_data").set_value("flows").run()
    assert "The trips in this dataset have no budget yet" in html_of(app)
    (unit,) = (one for one in app.selectbox if one.label == "Budget per")
    assert unit.options == ["trip"]

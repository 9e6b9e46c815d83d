"""The Choose page answers with the paper's figures, corrects them, and says what ε means."""

import html
import math

import pytest

from engine import privacy
from engine.origin_destination.calculators import cell_error_probability, change_error_probability
from engine.parameters import ODParameters
from engine.privacy import Guarantee, format_guess_rate
from engine.text.numbers import percent
from pages._ui.choose import meaning
from pages._ui.settings.fields import EPSILON_SLIDER
from tests.support.page import advice, bodies, tables, text
from tests.support.releases import ROOT

PAGE = "pages/3_Choose.py"
CALCULATORS, MEANING = "Calculators", "What ε means"


@pytest.fixture
def open_choose(open_page):
    """Return a function that opens a view of the page with settings as of a link."""

    return lambda view=CALCULATORS, **query: open_page(
        PAGE, choose_view=view, **{key: str(value) for key, value in query.items()}
    )


def ask(app, **values):
    for key, value in values.items():
        app.number_input(key=f"choose_{key}").set_value(value)
    app.run()
    assert not app.exception
    return text(app)


def test_the_papers_example_is_answered_published_and_exact_side_by_side(open_choose):
    app = open_choose(unit="trip")
    shown = text(app)
    for figure in ("0.2853", "0.3922", "0.3739 (true confidence 94.1%)"):  # Theorems 6 and 7
        assert figure in shown
    assert "0.02828" not in shown
    assert "0.05706" in ask(app, alpha=52)
    app.selectbox(key="choose_law").set_value("discrete_laplace").run()
    published, exact = (table["ε by the theorem"][0] for table in tables(app)[:1]), text(app)
    assert next(published) == "0.05706"
    assert exact.count("0.05706") == 1  # whole-number noise has an answer of its own


def test_use_sets_epsilon_to_a_stop_that_keeps_the_promise(open_choose):
    app = open_choose(max_trips=2)
    app.button(key="choose_use_flow").click().run()
    assert app.session_state["epsilon"] == min(s for s in EPSILON_SLIDER if s >= 2 * 0.2853)
    assert app.session_state["max_trips"] == 2
    ask(app, alpha=0, confidence=99.9)
    assert app.button(key="choose_use_flow").disabled


def test_shares_beyond_an_error_are_those_of_the_calculators(open_choose):
    alpha, trips, epsilon = 25, 4, 0.5
    app = open_choose(epsilon=epsilon, max_trips=trips, threshold=0)
    ask(app, alpha=alpha)
    rows = tables(app)[1]
    exact = dict(zip(rows.iloc[:, 0], rows["Exact"], strict=True))
    flow = cell_error_probability(alpha, epsilon, trips)
    change = change_error_probability(alpha, epsilon, trips)
    assert exact[f"A flow is off by more than {alpha} trips (Theorem 4)"] == percent(flow)
    assert exact[f"A change is off by more than {alpha} trips (Theorem 5)"] == percent(change)


@pytest.mark.parametrize(("alpha", "confidence"), [("-3", "nan"), ("ten", "200")])
def test_bad_links_are_ignored(open_choose, alpha, confidence):
    wrong = {"unit": "nobody", "od_data": "../../secret", "threshold": "many", "epsilon": "nan"}
    app = open_choose(choose_alpha=alpha, choose_confidence=confidence, **wrong)
    assert app.number_input(key="choose_alpha").value == 10
    assert app.number_input(key="choose_confidence").value == 95.0


@pytest.mark.parametrize("unit", ["person-day", "person", "trip"])
def test_what_is_left_is_said_of_all_that_is_released(open_choose, unit):
    app, days = open_choose(MEANING, epsilon=0.5, unit=unit), 7
    shown, whose = list(tables(app)[0]["Number"]), "a trip" if unit == "trip" else "a person"
    spent = "3.5 in all, over 7 days" if unit == "person-day" else "0.5 in all"
    assert (
        f"guesses whether {whose} is in it, if both are equally likely; ε = {spent}."
        in html.unescape(text(app))
    )
    risk = privacy.flow_release_risk(ODParameters(epsilon=0.5, unit=unit), [1] * days)
    assert shown[0] == format_guess_rate(risk.max_guess_rate)
    assert shown[2] == format_guess_rate(risk.max_group_guess_rate)
    loss = 0.5 * (days if unit == "person-day" else 1)
    odds = 0.1 / 0.9 * math.exp(loss)
    assert shown[1] == f"{math.ceil(1000 * odds / (1 + odds)) / 10:.1f}%"


def test_the_base_rate_can_be_set_and_a_density_with_delta_has_no_such_limit(open_choose):
    app = open_choose(MEANING, epsilon=0.5, unit="person", variant="efpag_joint")
    app.slider(key="choose_prior").set_value(40).run()
    grown = Guarantee(epsilon=0.5).max_posterior_belief(0.4)
    flows, visits = (table["Number"][1] for table in tables(app)[:2])
    assert flows == f"{math.ceil(1000 * grown) / 10:.1f}%"
    assert visits == "–"
    assert "no limit if δ &gt; 0" in text(app)
    assert "knows everyone else, or considers them independent" in text(app)


def test_what_is_recommended_there_is_what_home_recommends(open_home, settled):
    app = settled(open_home(od_data="demo-city", unit="person", od_time="whole"))
    at_home = advice(app)
    app.switch_page(PAGE).run()
    app.segmented_control(key="choose_view").set_value("All settings").run()
    settled(app)
    assert advice(app) == at_home
    settled(app.button(key="way_all_use").click().run())
    assert "your current setting" in "\n".join(bodies(app))


def test_real_people_stand_under_their_banner_there(open_home, settled):
    app = open_home()
    app.selectbox(key="od_data").set_value("town").run()
    app.switch_page(PAGE).run()
    assert not any("confidential" in one.value for one in app.warning), "nothing is read yet"
    for view in (MEANING, "All settings"):
        app.segmented_control(key="choose_view").set_value(view).run()
        settled(app)
        assert any("confidential" in one.value for one in app.warning)
        assert not app.get("download_button")


def test_published_releases_stand_with_their_unit_first_as_in_the_documents(open_choose):
    app = open_choose(MEANING)
    document = (ROOT / "docs" / "attack-and-report.md").read_text(encoding="utf-8")
    rows = tables(app)[-1].to_numpy().tolist()
    assert not [row for row in rows if f"| {' | '.join(row)} |\n" not in document]
    assert meaning.RANKING_NOTE in document.replace("\n", " ")


def test_suppression_without_noise_stands_beside_both_methods(open_choose):
    app = open_choose(MEANING, threshold=5, epsilon=0.5)
    risks, _, compared, *_ = tables(app)
    *methods, alone = compared.to_numpy().tolist()
    assert alone[::4] == [
        "No noise, flows suppressed below 5",
        "no guarantee: up to 100 of 100 guesses",
    ]
    assert {row[4] for row in methods} == {risks["Number"][0]}  # both spend the same
    assert "Two tables that both obey this rule, of 7 days and of the first 6" in text(app)

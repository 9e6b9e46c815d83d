"""The Choose ε page answers with the paper's figures, corrects them, and sets the sliders."""

import math
import re

import numpy as np
import pytest

from engine.privacy import PRECEDENTS
from pages._ui.shell.settings import EPSILON_SLIDER
from tests.support import tables
from tests.support.page import text as words

PAGE = "pages/3_Choose_Epsilon.py"
VIEWS = ("From accuracy to ε", "From ε to accuracy", "What ε means", "Where the paper is corrected")


@pytest.fixture
def open_choose(open_page):
    """Return a function that opens the page with settings, as if they had been set before."""

    def run(**settings):
        app = open_page(PAGE)
        for key, value in settings.items():
            app.session_state[key] = value
        app.run()  # the first run after a switch does not know the settings yet
        assert not app.exception
        return app

    return run


def text(app):
    return "\n".join([words(app), *(str(table.value.to_dict()) for table in app.table)])


def at(app, view):
    return app.button_group(key="choose_view").set_value(view).run()


def ask(app, alpha=10, confidence=95.0, trips=1):
    app.number_input(key="choose_alpha").set_value(alpha)
    app.number_input(key="choose_confidence").set_value(confidence)
    app.selectbox(key="choose_trips").set_value(trips)
    app.run()
    assert not app.exception
    return text(app)


def test_paper_example_is_answered_published_and_exact(open_choose):
    app = open_choose()
    shown = ask(app)
    assert "0.2853" in shown  # Theorem 6
    assert "0.3922" in shown  # exact, change
    assert "0.3739" in shown  # Theorem 7 as printed
    assert "94.1%" in shown  # what it really gives
    assert "0.1414" in shown  # heuristic
    assert "0.02828" in ask(app, alpha=50)


def test_examples_fill_in_the_question(open_choose):
    app = open_choose()
    app.button(key="choose_example_50_95").click().run()
    assert app.number_input(key="choose_alpha").value == 50
    assert app.selectbox(key="choose_trips").value == 1


def test_use_sets_epsilon_to_a_stop_that_keeps_the_promise_and_t(open_choose):
    app = open_choose()
    ask(app, trips=2)
    app.button(key="choose_use_flow").click().run()
    assert not app.exception
    assert app.session_state["epsilon"] == min(s for s in EPSILON_SLIDER if s >= 2 * 0.2853)
    assert app.session_state["max_trips"] == 2


def test_out_of_reach_is_said_and_disabled(open_choose):
    app = open_choose()
    ask(app, alpha=0, confidence=99.9, trips=256)
    assert app.button(key="choose_use_flow").disabled
    assert "Beyond the slider" in app.button(key="choose_use_flow").label
    assert not [button for button in app.button if button.key == "choose_use_heuristic"]


def test_release_noise_has_its_own_answer(open_choose):
    app = open_choose()
    before = ask(app, alpha=1)
    app.selectbox(key="choose_law").set_value("discrete_laplace").run()
    assert not app.exception
    assert text(app) != before
    assert "exact for whole-number noise" in text(app)


@pytest.mark.parametrize("epsilon", [0.01, 10.0])
def test_no_view_shows_nan_or_fails(open_choose, epsilon):
    app = open_choose(epsilon=epsilon)
    for view in VIEWS:
        at(app, view)
        assert not app.exception, view
        assert "nan" not in text(app).lower().replace("anan", "")
        assert len(text(app)) > 100


def test_flow_near_the_threshold(open_choose):
    app = at(open_choose(), VIEWS[1])
    for count in (0, 14, 15, 16, 1_000_000):
        app.number_input(key="choose_count").set_value(count).run()
        assert not app.exception, count
        assert ("Theorem 2" if count < 15 else "Theorem 3") in text(app)
        assert "nan" not in text(app).lower()


def test_threshold_heuristic_and_conditional_error_are_explained(open_choose):
    app = at(open_choose(epsilon=0.5, max_trips=1), VIEWS[1])
    shown = text(app)
    (thresholds,) = (one for one in tables.shown(app) if "τ" in one.columns)
    assert thresholds["τ"].tolist() == ["12", "15", "18"]  # 15 ± √2/0.5
    assert "takes ε = 0.2738" in shown  # a flow of 15 at τ 15, when shown
    assert "0.2853 for flows far above" in shown
    app.number_input(key="choose_count").set_value(0).run()
    assert "No ε keeps it" in text(app)


def test_meaning_states_odds_guess_and_the_sum_over_days(open_choose):
    shown = text(at(open_choose(epsilon=2.0), VIEWS[2]))
    assert f"{math.exp(2):.2f}" in shown
    assert "88.1%" in shown
    assert "ε = 14" in shown  # 7 days
    assert "ε = 14" not in text(at(open_choose(epsilon=2.0, unit="person"), VIEWS[2]))


def test_meaning_of_trip_level_is_of_one_trip_not_of_somebody(open_choose):
    shown = text(at(open_choose(epsilon=2.0, unit="trip"), VIEWS[2]))
    assert "suspicion that one trip is in the data can grow" in shown
    assert "up to ε = 60" in shown  # 30 trips


def test_every_deployment_has_unit_and_source():
    for known in PRECEDENTS:
        assert known.unit
        assert "/" in known.source
        assert known.epsilon > 0


def test_all_errata_are_explained_with_the_table_of_changes(open_choose):
    shown = text(at(open_choose(), VIEWS[3]))
    assert all(f"O{i} ·" in shown for i in range(1, 7))
    for figure in ("7.339", "2.854", "1.676", "0.7511", "0.3922", "0.08145", "76.8%"):
        assert figure in shown


def test_trip_level_fixes_t_at_one(open_choose):
    app = open_choose(unit="trip")
    assert app.selectbox(key="choose_one_trip").disabled
    assert app.selectbox(key="choose_one_trip").value == 1
    app.button(key="choose_use_flow").click().run()
    assert app.session_state["epsilon"] == 0.3
    assert app.session_state["max_trips"] == 4


@pytest.mark.parametrize(
    "query",
    [
        {"choose_alpha": "-3", "choose_confidence": "200"},
        {"choose_alpha": "ten", "choose_confidence": "nan"},
        {"epsilon": "nan", "unit": "nobody", "max_trips": "7", "od_data": "../../secret"},
    ],
)
def test_bad_links_are_ignored(open_home, query):
    app = open_home()
    app.switch_page(PAGE)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    assert app.number_input(key="choose_alpha").value == 10
    assert app.number_input(key="choose_confidence").value == 95.0
    assert app.session_state["unit"] == "person-day"


def test_a_flow_that_reads_zero_is_suppressed_and_never_visible_too(open_choose):
    """At τ = 0 a released 0 reads as suppressed, as everywhere else."""
    app = at(open_choose(threshold=0, max_trips=1, epsilon=0.5), VIEWS[1])
    app.number_input(key="choose_count").set_value(0).run()
    rows = next(table for table in tables.shown(app) if "Exact" in table.columns)
    first = rows.iloc[0]
    chance = 1 - 0.5 * math.exp(-0.5 * 0.5)  # P(Z ≤ 0)
    assert "Stays suppressed" in first.iloc[0]
    assert first["Exact"] == f"{100 * chance:.1f}%"
    assert f"suppressed with probability **{100 * chance:.1f}%**" in text(app)


def test_a_suspicion_is_bounded_for_one_and_less_for_a_household(open_choose):
    """A suspicion of 10% at ε 0.5: 15.5% for one person, 45.1% for four who travel together."""
    shown = text(at(open_choose(epsilon=0.5), "What ε means"))
    assert "15.5%" in shown
    assert "knows the others or believes them independent" in shown
    assert "4 who travel together" in shown
    assert "45.1%" in shown
    assert "from 10%, at 4 × ε = 2" in shown
    assert "anybody" not in shown


def test_an_error_is_from_the_kept_count_where_noise_comes_after_trimming(open_choose):
    app = open_choose(unit="person-day")
    assert "from its count after trimming" in app.number_input(key="choose_alpha").help
    app = open_choose(unit="trip")
    assert app.number_input(key="choose_alpha").help.endswith("from the truth.")


@pytest.mark.parametrize(("alpha", "trips", "epsilon"), [(10, 1, 0.2), (25, 4, 0.5)])
def test_shares_within_an_error_are_those_of_the_noise_added_up(open_choose, alpha, trips, epsilon):
    """A flow has one rounded Laplace noise, a change between two dates the sum of two."""
    app = at(open_choose(epsilon=epsilon, max_trips=trips), VIEWS[1])
    app.number_input(key="choose_alpha").set_value(alpha).run()
    rate, reach = epsilon / trips, 400
    z = np.arange(-reach, reach + 1)

    def below(x):
        return np.where(x < 0, np.exp(rate * x) / 2, 1 - np.exp(-rate * np.abs(x)) / 2)

    one = below(z + 0.5) - below(z - 0.5)
    two = np.convolve(one, one)
    near = {
        "Flow": one[np.abs(z) <= alpha].sum(),
        "Change": two[np.abs(np.arange(-2 * reach, 2 * reach + 1)) <= alpha].sum(),
    }
    shown = text(app)
    for what, share in near.items():
        card = shown.split(f"{what} within {alpha} trips")[1]
        value = re.search(r'<span class="value">(.*?)</span>', card)[1]
        assert float(value.rstrip("%")) == pytest.approx(100 * share, abs=0.06)
    assert near["Flow"] > near["Change"] + 0.05

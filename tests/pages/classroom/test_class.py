"""The page Class: the presenter's, the participants', and what both say of one choice."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages._ui.classroom import question
from pages._ui.classroom.question import About, Choice
from pages._ui.classroom.rooms import SEATS
from tests.support.page import html_of, text

PAGE = "pages/10_Class.py"


@pytest.fixture(autouse=True)
def no_rooms(monkeypatch):
    monkeypatch.setattr(question, "_rooms", type(question.rooms())())


def press(app: AppTest, label: str) -> AppTest:
    next(one for one in app.button if one.label == label).click().run()
    assert not app.exception, app.exception
    return app


def vote(app: AppTest, epsilon: str, trips: str, zones: int, why: int) -> AppTest:
    pills = app.get("button_group")
    for one, at in zip(pills, (epsilon, trips, zones), strict=True):
        options = [option.content for option in one.proto.options]
        value = one.options[at if isinstance(at, int) else options.index(at)]
        one.set_value(value)
    app.radio[0].set_value(app.radio[0].options[why])
    return press(app, "Vote")


def code_of(app: AppTest) -> str:
    return re.search(r'class-code">(\w+)<', html_of(app))[1]


def test_a_class_from_the_open_door_to_the_next_round(open_page):
    wall = press(open_page(PAGE), "Open a room")
    code = code_of(wall)
    assert "data:image/svg+xml" in html_of(wall)
    assert f"Class?class_code={code}" in html_of(wall) + text(wall)
    phones = [open_page(PAGE, class_code=code) for _ in range(3)]
    assert len({re.search(r"You are (.*?)\.", text(one))[1] for one in phones}) == 3
    for phone, epsilon in zip(phones, ("0.1", "1", "10"), strict=True):
        vote(phone, epsilon, "30", 0, 1)
        assert f"Your vote: ε = {epsilon}, T = 30" in text(phone)
    press(wall, "Reveal")
    about = question.rooms().about(code)
    means = question.outcome(about, Choice(epsilon=1.0, max_trips=30, zones="zones"))
    phone = phones[0].run()
    for page in (wall, phone):
        assert "ε = 1, T = 30" in text(page)
        assert f"{100 * means.worth.best_guess:.1f}%" in html_of(page)
        assert f"{100 * means.use:.1f}%" in html_of(page)
    press(wall, "Vote again")
    assert "round 2" in html_of(phone.run())
    press(wall, "Close the room")
    assert "no room of that code" in text(phone.run())


def test_a_participants_page_is_the_question_and_nothing_else(open_page):
    code = code_of(press(open_page(PAGE), "Open a room"))
    phone = open_page(PAGE, class_code=code)
    assert not phone.get("page_link")
    assert not phone.sidebar.children
    assert not phone.title
    assert not [one for one in phone.button if one.label != "Vote"], "nothing to reveal or close"


def test_a_vote_without_a_reason_is_asked_for_it(open_page):
    code = code_of(press(open_page(PAGE), "Open a room"))
    phone = press(open_page(PAGE, class_code=code), "Vote")
    assert "Choose ε, T, zones and a reason" in text(phone)
    assert question.rooms().round(code).votes == ()


def test_the_sixty_first_and_a_wrong_code_are_told_in_words(open_page):
    code = code_of(press(open_page(PAGE), "Open a room"))
    for _ in range(SEATS):
        question.rooms().join(code)
    assert f"room {code} is full" in text(open_page(PAGE, class_code=code))
    assert "there is no room of that code, got NOSUCH" in text(open_page(PAGE, class_code="nosuch"))


def test_a_second_presenter_takes_part_and_only_the_key_leads(open_page):
    wall = press(open_page(PAGE), "Open a room")
    code = code_of(wall)
    assert "Vote" in [one.label for one in open_page(PAGE, class_code=code).button]
    other = open_page(PAGE)
    for key in ("WRONGKEY", wall.session_state["session"].pages):
        if not isinstance(key, str):
            key = next(one.key for one in key.values() if getattr(one, "code", "") == code)
        fields = [one for one in other.text_input if one.label in ("Its key",)]
        next(one for one in other.text_input if "Lead a room" in one.label).set_value(code)
        fields[0].set_value(key)
        press(other, "Lead it")
        if key == "WRONGKEY":
            assert "no room of that code and key" in text(other)
    assert code_of(other) == code


@pytest.mark.parametrize("unit", ["person-day", "person"])
def test_a_choice_means_on_this_page_what_it_means_on_home(open_home, unit):
    """Home's gauges judge the setting at hand; the class's choice is judged the same."""
    about = About(
        dataset="demo-city", unit=unit, time="period" if unit == "person" else "day", threshold=5
    )
    means = question.outcome(about, Choice(epsilon=2.0, max_trips=10, zones="zones"))
    home = open_home(od_data="demo-city", unit=unit, threshold="5", epsilon="2", max_trips="10")
    gauges = re.findall(r'<span class="words"><b>([\d.]+%)</b>', html_of(home))
    assert gauges == [f"{100 * means.worth.best_guess:.1f}%", f"{100 * means.use:.1f}%"]


def test_data_of_ones_own_open_no_room(open_page):
    page = open_page(PAGE)
    page.selectbox(key="od_data").set_value("town").run()
    assert "works on shipped data" in text(page)
    assert "Open a room" not in [one.label for one in page.button]

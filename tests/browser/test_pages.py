"""All eight pages in a real browser: settings stay, a phone shows them, anybody can use them."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages._ui.frame.page_table import PAGES
from pages._ui.settings import fields
from tests.browser.conftest import visit
from tests.browser.test_home import SLIDER, at_home
from tests.support.browser import choose, settled

expect = pytest.importorskip("playwright.sync_api").expect

RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
COLOUR_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""The rules that a theme can break."""

MAIN = {
    "": ".gauges",
    "Density": ".card",
    "Origin_Destination": ".card",
    "Choose": ".plain",
    "Decisions": ".verdict",
    "Report": ".card",
    "Release": ".card",
    "Data": '[data-testid="stFileUploader"]',
}
"""Of every page, as in the address, its answer, or what it asks for first."""
SET = (
    "epsilon=0.5&threshold=7&max_visits=12&unit=one+person%2C+whole+period"
    "&od_zones=10+clusters&od_data=demo-city"
)
STILL = "* { transition: none !important; animation: none !important }"


def link(page):
    return dict(parse_qsl(urlsplit(page.url).query))


@pytest.fixture(scope="module")
def one(browser, address):
    """One session for all that is only looked at."""
    with visit(browser) as page:
        yield page


def opened(page, address, path):
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{address}/{path}")
    page.locator(f"{MAIN[path]}:visible").first.wait_for()
    page.add_style_tag(content=STILL)
    settled(page)


def violations(page, scheme, rules):
    """Return what axe-core finds serious, in one colour scheme."""
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "scheme => getComputedStyle(document.querySelector('.stApp')).colorScheme === scheme",
        arg=scheme,
    )
    settled(page)
    found = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]}).response
    return [one for one in found["violations"] if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("path", MAIN, ids=lambda path: path or "Home")
def test_a_page_is_open_to_everybody_and_to_a_phone(one, address, path):
    opened(one, address, path)
    assert not violations(one, "light", RULES)
    if not path:
        assert not violations(one, "dark", COLOUR_RULES)
        one.emulate_media(color_scheme="light")
    one.set_viewport_size({"width": 390, "height": 844})
    settled(one)
    assert one.evaluate("document.documentElement.scrollWidth") <= 390
    behind = "getComputedStyle(document.querySelector('[data-testid=stHeader]')).backgroundColor"
    assert one.evaluate(behind) != "rgba(0, 0, 0, 0)"  # what scrolls under it would be seen
    cut = """() => [...document.querySelectorAll('.card, .gauge, .verdict, .advice, button')]
        .filter(one => one.checkVisibility() && one.getBoundingClientRect().right > 391)
        .map(one => one.innerText)"""
    assert not one.evaluate(cut)
    answer = one.locator(f"{MAIN[path]}:visible").first
    answer.scroll_into_view_if_needed()
    expect(answer).to_be_in_viewport()


def go(page, name):
    page.get_by_test_id("stTopNavLink").filter(has_text=re.compile(f"^{name}$")).click()
    page.locator("h1").filter(has_text="Explorer" if name == "Home" else name).wait_for()
    settled(page)


def test_every_page_keeps_what_is_set_and_back_leads_to_the_page_before(page, address):
    at_home(page, f"{address}/?{SET}")
    page.locator(SLIDER).press("ArrowLeft")
    page.wait_for_url(re.compile("epsilon=0.45"))
    settled(page)
    wanted = {**dict(parse_qsl(SET)), "epsilon": "0.45", "v": fields.LINK_VERSION}
    words = page.locator(".gauge .words").all_inner_texts()
    go(page, "Choose")
    for _ in range(2):
        page.go_back()
        settled(page)
        if urlsplit(page.url).path == "/":
            break
    page.locator(".gauges").wait_for()
    assert (urlsplit(page.url).path, link(page)) == ("/", wanted)
    for name in [page.title for page in PAGES.values()][::-1]:
        go(page, name)
        if name == "Data":  # beside a file they mean nothing
            expect(page.locator(".st-key-epsilon")).to_have_count(0)
            expect(page.get_by_test_id("stSidebar")).to_be_hidden()
            continue
        assert {**link(page), **wanted} == link(page), name
        for key in ("epsilon", "threshold", "max_visits"):
            slider = page.locator(f".st-key-{key} input[type=range]").first
            expect(slider).to_have_attribute("aria-valuetext", wanted[key])
    expect(page.locator(".gauge .words")).to_have_text(words, use_inner_text=True)


def test_the_version_of_a_link_goes_to_the_next_page_in_the_same_step_of_back(page, address):
    at_home(page, f"{address}/?epsilon=0.5&v={fields.LINK_VERSION}")
    before, steps = link(page), page.evaluate("history.length")
    for name in ("Choose", "Home"):
        go(page, name)
        assert link(page) == before
    assert page.evaluate("history.length") == steps + 2
    page.go_back()
    page.wait_for_url(re.compile("Choose"))
    settled(page)
    assert link(page) == before


def test_a_reset_goes_before_what_the_link_says_of_a_field_that_was_not_drawn(page, address):
    at_home(page, f"{address}/?{SET}&od_time=whole")  # a person's time is fixed
    go(page, "Origin–destination")
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="Undo").wait_for()
    settled(page)
    assert "od_time" not in link(page)
    expect(page.get_by_role("combobox", name=re.compile("^Time"))).to_have_value("Days")


def test_back_after_one_button_brings_back_all_that_it_changed(page, address):
    slider = at_home(page, f"{address}/?{SET}&od_time=Weeks").locator(SLIDER)
    steps = page.evaluate("history.length")
    for _ in range(2):  # the link follows each move
        slider.press("ArrowRight")
        settled(page)
    for whose in ("one person's day", "one person, whole period"):  # one has a time, one has not
        choose(page, "Unit of privacy", whose)
    assert page.evaluate("history.length") == steps  # no move is a step of Back
    before, words = link(page), page.locator(".gauge .words").all_inner_texts()
    page.get_by_role("button", name="Use this").click()
    settled(page)
    assert link(page) != before
    page.go_back()
    settled(page)
    assert link(page) == before
    expect(page.locator(".gauge .words")).to_have_text(words, use_inner_text=True)

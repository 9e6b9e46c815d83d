"""From page to page in a real browser: link and settings stay; each fits a phone, and is read."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages._ui.shell.frame import PAGES
from tests.support.accessibility import COLOUR_RULES, RULES, serious
from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

SLIDER = ".st-key-epsilon input[type=range]"
PATHS = ["", *(path.split("_", 1)[1].removesuffix(".py") for path in list(PAGES)[1:])]


def link(page):
    return dict(parse_qsl(urlsplit(page.url).query))


def go(page, name):
    page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    page.locator("h1").filter(has_text="Explorer" if name == "Home" else name).wait_for()
    settled(page)


@pytest.fixture(scope="module")
def visit(browser, address):
    """One session for all pages."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(60_000)
    yield page
    context.close()


def test_pages_keep_what_is_set_and_back_leads_to_the_page_before(page, address):
    page.goto(f"{address}/?epsilon=0.5&threshold=7&unit=person")
    page.locator(".advice").first.wait_for()
    settled(page)
    for name in ("Origin–destination", "Choose", "Home"):
        go(page, name)
        expect(page).to_have_url(re.compile("epsilon=0.5"))
        assert link(page)["threshold"] == "7"
        assert link(page)["unit"].startswith("one person,")
        expect(page.locator(SLIDER)).to_have_attribute("aria-valuetext", "0.5")
    page.go_back()
    if "Choose" not in page.url:
        page.go_back()
    page.locator("h1").filter(has_text="Choose").wait_for()
    settled(page)
    expect(page.locator(SLIDER)).to_have_attribute("aria-valuetext", "0.5")
    expect(page.get_by_role("combobox", name="What is protected")).to_have_value(
        "one person, whole period"
    )


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path or "Home")
def test_every_page_fits_a_phone_and_is_accessible(visit, address, path):
    visit.emulate_media(color_scheme="light")
    visit.set_viewport_size({"width": 390, "height": 844})
    visit.goto(f"{address}/{path}")
    visit.locator("h1").first.wait_for()
    settled(visit)
    assert visit.evaluate("document.documentElement.scrollWidth") <= 390
    visit.set_viewport_size({"width": 1280, "height": 720})
    settled(visit)
    visit.add_style_tag(content="* { transition: none !important; animation: none !important }")
    visit.wait_for_timeout(300)
    lines = serious(visit, None, RULES)
    if not path:  # what has no colour is the same in both
        visit.emulate_media(color_scheme="dark")
        visit.wait_for_timeout(600)
        lines += serious(visit, None, COLOUR_RULES)
    assert not lines, "\n".join(lines)

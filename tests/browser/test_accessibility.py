"""No page has a serious violation of accessibility rules, as axe-core finds them (offline)."""

from pathlib import Path

import pytest

from tests.support.accessibility import COLOUR_RULES, RULES, serious
from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect

ROOT = Path(__file__).parents[2]
PATHS = ("", *sorted(path.stem.partition("_")[2] for path in ROOT.glob("pages/*.py")))
"""Home and every page, as in the address."""

THEMES = {"light": RULES, "dark": COLOUR_RULES}
"""By theme, the rules that are looked at: what has no colour is the same in both."""
in_each_theme = pytest.mark.parametrize(
    "theme", ["light", pytest.param("dark", marks=pytest.mark.long)]
)
_THEME = (
    "theme => getComputedStyle(document.querySelector('[data-testid=\"stApp\"]')).colorScheme"
    " === theme"
)


@pytest.fixture(scope="module")
def visit(browser, address):
    """Return a function that opens a page of the dashboard, all in one session."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(90_000)

    def run(path):
        page.emulate_media(color_scheme="light")
        page.goto(f"{address}/{path}")
        page.wait_for_selector("h1")
        settled(page)
        return page

    yield run
    context.close()


def settle(page):
    """Wait until the page is computed; nothing then fades between two colours."""
    settled(page)
    page.add_style_tag(content="* { transition: none !important; animation: none !important }")
    page.wait_for_timeout(400)


def violations_of(page, theme, part=None):
    page.emulate_media(color_scheme=theme)
    page.wait_for_function(_THEME, arg=theme)
    settle(page)
    return serious(page, part, THEMES[theme])


@in_each_theme
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path or "Home")
def test_no_page_has_a_serious_violation(visit, path, theme):
    lines = violations_of(visit(path), theme)
    assert not lines, "\n".join(lines)

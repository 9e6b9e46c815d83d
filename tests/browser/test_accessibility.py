"""No page has a serious violation of accessibility rules, as axe-core finds them (offline)."""

from pathlib import Path

import pytest

from tests.support.accessibility import serious

ROOT = Path(__file__).parents[2]
PATHS = ("", *sorted(path.stem.partition("_")[2] for path in ROOT.glob("pages/*.py")))
"""Home and every page, as in the address."""

_SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'


@pytest.fixture(scope="module")
def visit(browser, address):
    """Return a function that opens a page of the dashboard, all in one session."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(90_000)

    def run(path):
        page.goto(f"{address}/{path}")
        page.wait_for_selector("h1")
        page.wait_for_selector(_SETTLED)
        page.wait_for_timeout(700)
        return page

    yield run
    context.close()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path or "Home")
def test_no_page_has_a_serious_violation(visit, path):
    page = visit(path)
    found = serious(page)
    assert not found, "\n".join(found)

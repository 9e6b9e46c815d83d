"""The page Report in a real browser: a weight that was moved stays in the link and in its view."""

import re

import pytest

pytestmark = pytest.mark.browser

SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def weight(page):
    """Open the controls of the trips by hour and return their weight."""
    page.locator('[data-testid="stVegaLiteChart"]').first.wait_for()
    page.wait_for_selector(SETTLED)
    page.locator('[data-testid="stPopover"]').nth(4).get_by_role("button").click()
    slider = page.get_by_role("slider", name=re.compile("Weight in the budget")).first
    slider.wait_for()
    return slider


def test_a_moved_weight_stays_in_the_link_with_all_other_settings(page, address):
    page.goto(f"{address}/Report?report_trips=10&report_losses=14")
    slider = weight(page)
    slider.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('report_weight_hours=2')")
    page.wait_for_selector(SETTLED)
    assert "report_trips=10" in page.url
    assert "report_losses=14" in page.url
    shares = page.locator(".budget").inner_text()
    assert "Hours 14%" in shares
    page.reload()
    assert weight(page).get_attribute("aria-valuetext") == "2"
    assert page.locator(".budget").inner_text() == shares

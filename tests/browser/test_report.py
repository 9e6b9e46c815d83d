"""The page Report in a real browser: a weight that was moved stays in the link and in its view."""

import re

import pytest

from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser


def weight(page):
    """Open the controls of the trips by hour and return their weight."""
    page.locator('[data-testid="stVegaLiteChart"]').first.wait_for()
    settled(page)
    page.locator('[data-testid="stPopover"]').nth(4).get_by_role("button").click()
    slider = page.get_by_role("slider", name=re.compile("Weight in the budget")).first
    slider.wait_for()
    return slider


def test_a_moved_weight_stays_in_the_link_with_all_other_settings(page, address):
    page.goto(f"{address}/Report?report_trips=10&report_losses=14")
    slider = weight(page)
    slider.press("ArrowRight")
    page.wait_for_function("() => location.search.includes('report_weight_hours=2')")
    settled(page)
    assert "report_trips=10" in page.url
    assert "report_losses=14" in page.url
    expect(page.locator(".budget")).to_contain_text("Hours 14.3%")  # 2 of 14 shares
    shares = page.locator(".budget").inner_text()
    page.reload()
    expect(weight(page)).to_have_attribute("aria-valuetext", "2")
    expect(page.locator(".budget")).to_have_text(shares, use_inner_text=True)

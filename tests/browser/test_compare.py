"""Compare in a real browser: pin on one page, look on another, take off, share the link."""

import pytest

from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

PINNED = "e0.1"


def test_a_setting_pinned_elsewhere_stands_beside_that_of_now(page, address):
    page.goto(f"{address}/Origin_Destination?od_data=demo-city&epsilon=0.1")
    page.wait_for_selector(".card .value")
    settled(page)
    page.get_by_role("button", name="Pin to compare").click()
    page.get_by_role("link", name="Compare 1 pinned").click()
    page.wait_for_selector(".compare")
    settled(page)
    expect(page.locator(".compare thead th")).to_have_text(["", "A", "Now"])
    page.wait_for_url(f"**{PINNED}**")
    page.goto(f"{address}/Compare?od_data=demo-city&pin_a={PINNED}")
    row = page.locator(".compare tr.differs", has_text="Privacy loss")
    expect(row.locator("td")).to_have_text(["0.1", "1"])
    expect(page.locator("svg").nth(1)).to_be_visible()
    settled(page)
    page.get_by_role("button", name="close").first.click()
    expect(page.get_by_text("Nothing is pinned yet")).to_be_visible()
    page.wait_for_url(lambda url: "pin_a" not in url)

"""Attack in a real browser: from home by a click, its number by hand, and back."""

import math
import re

import pytest

from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser


def said(page):
    """Return ε, the right guesses of the best attack and those that the guarantee allows."""
    text = page.locator(".attack-answer").inner_text()
    got, allowed = re.search(r"gets ([\d.]+), and the guarantee allows ([\d.]+)\.", text).groups()
    slider = page.get_by_role("slider", name="Privacy loss").first
    return float(slider.get_attribute("aria-valuetext")), float(got), float(allowed)


def by_hand(epsilon):
    """One trip in a shown flow, rounded Laplace noise of scale 1/ε; and any mechanism at all."""
    return 100 - 50 * math.exp(-epsilon / 2), 100 / (1 + math.exp(-epsilon))


def test_the_sentence_follows_epsilon_and_back_leads_home(page, address):
    page.goto(f"{address}/?unit=trip")
    page.locator("h1").filter(has_text="Mobility Privacy Explorer").wait_for()
    page.locator(".st-key-navigation").get_by_role("link", name="Attack", exact=True).click()
    page.locator(".attack-answer").wait_for()
    settled(page)
    seen = []
    for _ in range(3):
        epsilon, *guesses = said(page)
        assert guesses == pytest.approx(by_hand(epsilon), abs=0.5)  # printed as whole numbers
        seen.append(epsilon)
        before = page.locator(".attack-answer").inner_text()
        page.get_by_role("slider", name="Privacy loss").first.press("ArrowLeft")
        page.wait_for_function(
            "before => document.querySelector('.attack-answer').innerText != before", arg=before
        )
        settled(page)
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == 3
    expect(page.locator(".attack-dots i")).to_have_count(100)
    assert page.locator('[data-testid="stException"], [data-testid="stAlert"]').count() == 0
    page.go_back()
    page.locator("h1").filter(has_text="Mobility Privacy Explorer").wait_for()
    page.wait_for_url("**unit=trip**")

"""The Density page in a real browser: map, clicks, play, long work, share link, dark."""

import io
import re
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.support.browser import settled

pytestmark = pytest.mark.browser

MAP = '[data-testid="stDeckGlJsonChart"]'
HOUR = "Hour of the week"


def open_density(page, address, query="density_data=demo-city"):
    page.goto(f"{address}/Density?{query}")
    page.get_by_role("heading", name="Look deeper").wait_for()
    page.wait_for_selector(f"{MAP} canvas")
    settle(page)


def settle(page):
    settled(page)


def error_card(page):
    return page.locator(".card .value").first.inner_text()


def picture(page, holds=lambda pixels: coloured(pixels) > 0.005):
    """Return the map's pixels, shape (height, width, 3), once they stand still and are as wanted.

    A busy machine draws a map long after its page has settled.
    """
    place = page.locator(MAP).first
    place.scroll_into_view_if_needed()
    before = None
    for _ in range(20):
        page.wait_for_timeout(450)
        shot = Image.open(io.BytesIO(place.screenshot()))
        pixels = np.asarray(shot.convert("RGB")).astype(int)
        if before is not None and np.array_equal(pixels, before) and holds(pixels):
            return pixels
        before = pixels
    raise AssertionError("the map never showed what it should")


def covered(page):
    """Return the share of the map that is not background."""
    pixels = picture(page)
    return float((np.abs(pixels - pixels[2, 2]).sum(axis=2) > 30).mean())


def coloured(pixels):
    return float(((pixels.max(axis=2) - pixels.min(axis=2)) > 60).mean())


def pick(page, name):
    page.get_by_role("radio", name=name, exact=True).or_(
        page.get_by_role("button", name=name, exact=True)
    ).first.click()
    settle(page)


def hour(page):
    return page.get_by_role("slider", name=HOUR).get_attribute("aria-valuetext")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_the_map_is_coloured_and_switches(page, address, scheme):
    page.emulate_media(color_scheme=scheme)
    open_density(page, address)
    private = picture(page, lambda pixels: coloured(pixels) > 0.1)
    pick(page, "Error")
    error = picture(page, lambda pixels: np.abs(pixels - private).mean() > 5)
    expect(page.get_by_text("too few")).to_have_count(1)
    pick(page, "True")
    picture(page, lambda pixels: np.abs(pixels - error).mean() > 5)


@pytest.mark.long
def test_the_view_is_kept_when_map_and_hour_change(page, address):
    open_density(page, address)
    before = zoomed = covered(page)
    page.locator(MAP).first.hover()
    for _ in range(10):
        if zoomed < 0.7 * before:
            break
        page.mouse.wheel(0, 100)
        zoomed = covered(page)
    assert 0 < zoomed < 0.7 * before
    pick(page, "True")
    assert covered(page) == pytest.approx(zoomed, rel=0.1)
    page.get_by_role("slider", name=HOUR).press("ArrowRight")
    settle(page)
    assert covered(page) == pytest.approx(zoomed, rel=0.1)


def test_a_click_on_a_zone_shows_its_week(page, address):
    open_density(page, address)
    picture(page)
    shown = page.get_by_text(re.compile(r": relative error .* correlation"))
    first = shown.inner_text().split(":")[0]
    box = page.locator(MAP).first.bounding_box()
    for across in (0.42, 0.5, 0.58, 0.46):  # the pixel may be in the zone that is shown already
        page.mouse.move(box["x"] + across * box["width"], box["y"] + 0.4 * box["height"])
        page.wait_for_timeout(700)
        page.mouse.click(box["x"] + across * box["width"], box["y"] + 0.4 * box["height"])
        with suppress(AssertionError):
            expect(shown).not_to_contain_text(f"{first}: relative", timeout=5_000)
            break
    settle(page)
    name = shown.inner_text().split(":")[0]
    assert name != first
    expect(page.get_by_role("combobox", name="Week of zone")).to_have_value(name)


@pytest.mark.long
def test_play_runs_through_the_hours_and_pauses(page, address):
    open_density(page, address)
    start = hour(page)
    page.get_by_role("button", name="Play").click()
    slider = page.get_by_role("slider", name=HOUR)
    expect(slider).not_to_have_attribute("aria-valuetext", start, timeout=60_000)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play").wait_for()
    settle(page)
    stopped = hour(page)
    page.wait_for_timeout(2500)
    assert hour(page) == stopped != start


@pytest.mark.long
def test_a_sweep_shows_partial_results_can_be_cancelled_and_goes_on(page, paris_address):
    open_density(page, paris_address, "density_view=methods")
    page.get_by_role("table").get_by_text("EFPAG, joint").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_text("stopped at").wait_for()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Cancel").wait_for()


@pytest.mark.long
def test_the_page_stays_free_while_a_sweep_runs(page, paris_address):
    open_density(page, paris_address, "density_view=kept")
    page.get_by_role("button", name="Cancel").wait_for()
    before = error_card(page)
    page.get_by_role("slider", name="Privacy loss").press("ArrowLeft")
    page.wait_for_function(
        "before => document.querySelector('.card .value').innerText !== before", arg=before
    )


@pytest.mark.long
def test_the_share_link_holds_switches_and_view(page, address, browser):
    open_density(page, address)
    pick(page, "Zone by zone")
    page.locator(".st-key-density_smoothing label").first.click()
    page.wait_for_url("**density_smoothing=false**")
    page.wait_for_url("**density_view=zones**")
    settle(page)
    shown, link = error_card(page), page.url
    other = browser.new_page()
    other.goto(link)
    other.get_by_text("Which zones can be used?").wait_for()
    expect(other.locator(".card .value").first).to_have_text(shown)
    other.close()


def test_switches_show_what_is_computed(page, address):
    """A widget that is drawn late showed its kind's own first value, not the setting's."""
    open_density(page, address, "density_data=demo-city&density_equal=true")
    for name, on in {
        "Improved scaling": True,
        "Night smoothing": True,
        "Analytic Gaussian": False,
        "Compare at equal proved ε": True,
    }.items():
        expect(page.get_by_role("switch", name=name)).to_be_checked(checked=on)
    expect(page.locator(f"{MAP} canvas").first).to_be_attached()
    expect(page.get_by_role("radio", name="Private", exact=True)).to_be_checked()

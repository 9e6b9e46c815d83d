"""Fingers on home's picture: two zoom it, one still scrolls the page."""

import pytest

from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect


@pytest.fixture
def phone(browser, address):
    """Home on a phone, the picture in the middle of the window, and a function that touches it."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    page.set_default_timeout(90_000)
    page.goto(address)
    picture = page.locator(".stage .private svg")
    picture.wait_for()
    settled(page)
    picture.evaluate("one => one.scrollIntoView({block: 'center'})")
    session = context.new_cdp_session(page)

    def touch(kind, *points):
        fingers = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})

    yield page, picture, touch
    context.close()


def test_two_fingers_zoom_both_sides_alike_and_in_the_middle(phone):
    page, picture, touch = phone
    whole = picture.get_attribute("viewBox")
    box = picture.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    touch("touchStart", (x - 20, y), (x + 20, y))
    touch("touchMove", (x - 40, y), (x + 40, y))
    touch("touchEnd")
    expect(picture).not_to_have_attribute("viewBox", whole)
    near = picture.get_attribute("viewBox")
    expect(page.locator(".stage .true svg")).to_have_attribute("viewBox", near)
    before, after = ([float(part) for part in one.split()] for one in (whole, near))
    assert after[2] == pytest.approx(before[2] / 2, rel=0.05)
    for side in (0, 1):
        middle = [one[side] + one[side + 2] / 2 for one in (before, after)]
        assert middle[1] == pytest.approx(middle[0], abs=0.05 * before[side + 2])
    touch("touchStart", (x - 80, y), (x + 80, y))
    touch("touchMove", (x - 10, y), (x + 10, y))
    touch("touchEnd")
    expect(picture).to_have_attribute("viewBox", whole)


def test_one_finger_scrolls_the_page_from_the_picture(phone):
    page, picture, touch = phone
    place = "document.querySelector('[data-testid=stMain]').scrollTop"
    before, whole = page.evaluate(place), picture.get_attribute("viewBox")
    box = picture.bounding_box()
    x, y = box["x"] + box["width"] / 3, box["y"] + box["height"] / 2
    touch("touchStart", (x, y))
    for moved in range(20, 161, 20):
        touch("touchMove", (x, y - moved))
    touch("touchEnd")
    page.wait_for_function(f"before => {place} > before + 50", arg=before)
    expect(picture).to_have_attribute("viewBox", whole)

"""Home in a real browser: what AppTest cannot show."""

import io

import numpy as np
import pytest

from engine.parameters import EPSILON_STOPS

pytestmark = pytest.mark.browser

MAPS = ".sketch svg"
SETTLED = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def open_home(page, address, query=""):
    page.goto(f"{address}/{query}")
    page.wait_for_selector(".card .value")
    settle(page)
    page.wait_for_function(f"() => document.querySelectorAll('{MAPS}').length == 4")


def settle(page):
    """Wait until ranges and distances are filled in and the script has ended."""
    page.wait_for_function(
        "() => document.querySelectorAll('.card .value').length == 8"
        " && ![...document.querySelectorAll('.card .range')].some(e => e.innerText.includes('…'))"
    )
    page.wait_for_selector(SETTLED)


def figures(page):
    return page.locator(".card .value").all_inner_texts()


def move(page, label, key):
    """Press a key on a slider and wait until the large numbers have changed."""
    before = figures(page)
    page.get_by_role("slider", name=label).press(key)
    page.wait_for_function(
        "before => JSON.stringify([...document.querySelectorAll('.card .value')]"
        ".map(e => e.innerText)) != before",
        arg=str_json(before),
    )
    settle(page)


def str_json(values):
    return "[" + ",".join('"' + value + '"' for value in values) + "]"


def colours(page, index):
    """Return how many different saturated colours a map shows."""
    from PIL import Image

    place = page.locator(MAPS).nth(index)
    place.scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    pixels = np.asarray(Image.open(io.BytesIO(place.screenshot())).convert("RGB")).reshape(-1, 3)
    wide = pixels.max(axis=1).astype(int) - pixels.min(axis=1) > 60
    return len(np.unique(pixels[wide], axis=0))


def fills(page, index):
    """Return the colours of all zones of a map."""
    zones = page.locator(MAPS).nth(index).locator(".zone")
    return zones.evaluate_all("zones => zones.map(zone => zone.getAttribute('fill'))")


def test_home_loads_with_numbers_and_coloured_maps_and_asks_nobody_else(page, address):
    open_home(page, address)
    assert len(figures(page)) == 8
    assert page.locator(".verdict").count() == 1
    page.wait_for_selector(MAPS)
    assert page.locator(MAPS).count() == 4
    for index in range(4):
        assert colours(page, index) > 20, f"map {index} shows no colours"


def test_a_zone_under_the_pointer_says_its_numbers(page, address):
    open_home(page, address)
    zone = page.locator(".sketch .zone").nth(70)
    zone.hover()
    tip = page.locator(".sketch .tip:not([hidden])")
    words = tip.inner_text().splitlines()
    assert len(words) == 4
    assert [word.split(":")[0] for word in words[1:]] == ["true", "private", "error"]


def test_the_private_map_follows_epsilon_and_the_true_map_stays(page, address):
    open_home(page, address)
    page.wait_for_selector(MAPS)
    before = [fills(page, index) for index in (0, 1)]
    for _ in range(6):
        page.get_by_role("slider", name="Privacy loss").press("ArrowLeft")
    settle(page)
    page.wait_for_timeout(1000)
    after = [fills(page, index) for index in (0, 1)]
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_moving_epsilon_changes_the_numbers_and_the_link(page, address):
    open_home(page, address)
    before = figures(page)
    move(page, "Privacy loss", "ArrowLeft")
    assert figures(page) != before
    assert "epsilon=0.9" in page.url


def test_settings_survive_a_reload_of_the_share_link(page, address, browser):
    open_home(page, address)
    move(page, "Privacy loss", "ArrowLeft")
    move(page, "Suppress flows below", "ArrowRight")
    page.get_by_role("combobox", name="What is protected").click()
    page.get_by_role("option", name="one single trip").click()
    page.wait_for_url("**unit=trip**")
    settle(page)
    wanted, link = figures(page), page.url
    assert all(part in link for part in ("epsilon=0.9", "threshold=16", "unit=trip"))
    page.reload()
    page.wait_for_selector(".card .value")
    settle(page)
    assert figures(page) == wanted
    other = browser.new_page()
    other.goto(link)
    other.wait_for_selector(".card .value")
    settle(other)
    assert figures(other) == wanted
    other.close()


def test_settings_survive_a_change_of_page_and_back(page, address):
    open_home(page, address)
    move(page, "Privacy loss", "ArrowLeft")
    wanted = figures(page)
    links = page.locator('[data-testid="stSidebar"] [data-testid="stPageLink"] a')
    if links.count() < 2:
        pytest.skip("there is no second page")
    links.nth(1).click()
    page.wait_for_url("**/Density**")
    page.wait_for_selector(SETTLED)
    assert "epsilon=0.9" in page.url
    links.nth(0).click()
    page.wait_for_selector(".card .value")
    settle(page)
    assert "epsilon=0.9" in page.url
    assert figures(page) == wanted


def test_a_bad_link_opens_with_the_defaults(page, address):
    open_home(page, address)
    wanted = figures(page)
    open_home(page, address, "?epsilon=nan&delta=2&max_visits=-3&unit=%3Cb%3E&od_data=../../etc")
    assert figures(page) == wanted
    assert "nan" not in page.url
    assert "etc" not in page.url


WATCH = """() => {
  window.seen = new Set();
  const look = () => {
    const parts = [...document.querySelectorAll('.verdict, .cards, canvas, .sketch')];
    window.seen.add(parts.map(e => Math.round(e.getBoundingClientRect().top)).join(' '));
    requestAnimationFrame(look);
  };
  look();
}"""


def test_numbers_do_not_move_the_page_while_they_fill_in(page, address):
    open_home(page, address)
    page.wait_for_selector(MAPS)
    page.wait_for_timeout(2000)
    page.evaluate(WATCH)
    move(page, "Visits kept", "ArrowRight")
    assert len(page.evaluate("[...window.seen]")) == 1


@pytest.mark.parametrize(("width", "scheme"), [(1440, "dark"), (1024, "light")])
def test_nothing_is_wider_than_the_window(browser, address, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    open_home(page, address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for card in page.locator(".card").all():
        box = card.evaluate("e => [e.scrollWidth, e.clientWidth, e.scrollHeight, e.clientHeight]")
        assert box[0] <= box[1]
        assert box[2] <= box[3]
    context.close()


def test_on_a_phone_each_column_stands_whole(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(90_000)
    open_home(page, address)
    flows = page.get_by_role("heading", name="Origin–destination flows").bounding_box()["y"]
    cards = [card.bounding_box()["y"] for card in page.locator(".card").all()]
    assert all(y < flows for y in cards[:4])
    assert all(y > flows for y in cards[4:])
    context.close()


def test_curves_are_whole_and_say_where_the_slider_stands(page, address):
    open_home(page, address, "?epsilon=0.5")
    curves = page.locator(".curve")
    assert curves.count() == 2
    for curve in curves.all():
        points = curve.locator(".hit title").all_text_contents()
        assert len(points) == len(EPSILON_STOPS)
        assert points[EPSILON_STOPS.index(0.5)].endswith("% at ε = 0.5")
        assert "you are here: ε = 0.5" in curve.text_content()
        here = curve.locator('circle[fill="#d1495b"]')
        line = curve.locator("line[stroke-dasharray]")
        assert here.count() == 1
        assert here.get_attribute("cx") == line.get_attribute("x1")
        shares = [float(words.split("%")[0].replace(",", "")) / 100 for words in points]
        heights = [float(dot.get_attribute("cy")) for dot in curve.locator(".hit").all()]
        top, bottom = (float(line.get_attribute(end)) for end in ("y1", "y2"))
        for share, height in zip(shares, heights, strict=True):
            assert (bottom - height) / (bottom - top) == pytest.approx(min(share, 1), abs=0.006)

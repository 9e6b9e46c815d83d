"""Home in a real browser: what AppTest cannot show; most tests share one session."""

import pytest

from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

SLIDER = ".st-key-epsilon input[type=range]"
PRIVATE = ".sides figure:nth-child(2)"
FIRST = (".st-key-home_need", ".gauges", ".st-key-epsilon", ".sides", ".st-key-home_card .verdict")


def open_home(page, address, query=""):
    page.goto(f"{address}/{query}")
    page.wait_for_selector(".sides svg")
    page.wait_for_function("() => document.querySelectorAll('.card .value').length == 8")
    settled(page)


@pytest.fixture(scope="module")
def home(browser, address):
    """One session of home for tests that leave it as they find it."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme="light")
    page = context.new_page()
    page.set_default_timeout(60_000)
    open_home(page, address)
    yield page
    context.close()


def bottoms(page, parts):
    boxes = [page.locator(part).first.bounding_box() for part in parts]
    return [box["y"] + box["height"] for box in boxes]


@pytest.mark.parametrize(
    ("width", "height"), [(1280, 720), pytest.param(1366, 768, marks=pytest.mark.long)]
)
def test_the_answer_stands_on_the_first_screen(browser, address, width, height):
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.set_default_timeout(60_000)
    open_home(page, address)
    page.locator(".advice").first.wait_for()
    down = bottoms(page, (*FIRST, ".advice"))
    assert max(down) <= height
    assert down[:4] == sorted(down[:4])  # the need, then two gauges, one slider, the picture
    expect(page.get_by_role("slider", name="Privacy loss")).to_have_count(1)
    context.close()


def test_moving_epsilon_moves_gauges_picture_and_link_together(home):
    before = home.locator(PRIVATE).inner_html(), home.locator(".gauge .words b").all_inner_texts()
    true = home.locator(".sides figure").first.inner_html()
    home.locator(SLIDER).press("Home")
    home.wait_for_url("**epsilon=0.01**")
    settled(home)
    expect(home.locator(SLIDER)).to_be_focused()
    assert home.locator(PRIVATE).inner_html() != before[0]
    assert home.locator(".gauge .words b").all_inner_texts() != before[1]
    assert home.locator(".sides figure").first.inner_html() == true


def test_settings_survive_a_reload_of_the_share_link(page, address):
    open_home(page, address, "?epsilon=0.9&threshold=16&unit=one+single+trip")
    wanted = page.locator(".card .value").all_inner_texts()
    page.reload()
    page.wait_for_selector(".sides svg")
    settled(page)
    expect(page.locator(".card .value")).to_have_text(wanted)


def test_a_presenter_has_one_screen_and_no_settings(page, address):
    page.set_viewport_size({"width": 1280, "height": 720})
    open_home(page, address, "?view=presenter")
    expect(page.locator('[data-testid="stSidebar"]:visible')).to_have_count(0)
    assert max(bottoms(page, (".gauges", ".st-key-epsilon", ".sides"))) <= 720


@pytest.mark.parametrize(("width", "scheme"), [(768, "light"), (390, "dark")])
def test_nothing_is_wider_than_the_window(browser, address, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(60_000)
    open_home(page, address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    clipped = page.locator(".card, .gauge").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)"
    )
    assert not clipped
    context.close()

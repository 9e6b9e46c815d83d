"""Home in a real browser: what AppTest cannot show; most tests share one session."""

import pytest

from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

SLIDER = ".st-key-epsilon input[type=range]"
PRIVATE = ".stage .private"


def open_home(page, address, query="?"):
    page.goto(f"{address}/{query}")
    page.wait_for_selector(".stage svg")
    settle(page)


def settle(page):
    """Wait until ranges and distances are filled in and the script has ended."""
    page.wait_for_function(
        "() => document.querySelectorAll('.card .value').length == 8"
        " && ![...document.querySelectorAll('.card .range')].some(e => e.innerText.includes('…'))"
    )
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


def figures(page):
    return page.locator(".card .value").all_inner_texts()


def guess(page):
    return page.locator(".gauge .words b").nth(0).inner_text()


def press(page, key, times=1):
    """Press a key on ε and wait until the picture's title follows."""
    for _ in range(times):
        before = page.locator(f"{PRIVATE} .paneltitle").inner_text()
        page.locator(SLIDER).press(key)
        page.wait_for_function(
            f"before => document.querySelector('{PRIVATE} .paneltitle').innerText != before",
            arg=before,
        )


def test_home_shows_both_sides_and_nothing_left_the_machine(page, address):
    open_home(page, address)
    expect(page.locator(".gauge")).to_have_count(2)
    expect(page.locator(".stage svg")).to_have_count(2)
    assert len(figures(page)) == 8
    flows = page.locator(".stage .true .flow")
    assert flows.count() > 20
    colours = flows.evaluate_all("all => new Set(all.map(one => one.style.fill)).size")
    assert colours > 10


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (1280, 720),
        (1024, 768),
        *(pytest.param(*size, marks=pytest.mark.long) for size in ((1366, 768), (1920, 1080))),
    ],
)
def test_the_answer_stands_on_the_first_screen(browser, address, width, height):
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    page.set_default_timeout(60_000)
    open_home(page, address)
    page.get_by_role("button", name="Use it").wait_for()
    parts = (".st-key-home_need", ".gauges", ".st-key-epsilon", ".stage", ".st-key-home_card")
    boxes = [page.locator(part).bounding_box() for part in parts]
    bottoms = [box["y"] + box["height"] for box in boxes]
    assert max(bottoms) <= height
    assert bottoms[:4] == sorted(bottoms[:4])  # the need, then two gauges, one slider, the picture
    inside = [one.is_visible() for one in page.get_by_role("slider", name="Privacy loss").all()]
    names = ["Allowance beyond", "Visits kept", "Trips kept", "Suppress flows"]
    others = [page.get_by_role("slider", name=name).is_visible() for name in names]
    panel = page.locator('[data-testid="stSidebar"]').bounding_box()
    opened = panel["x"] + panel["width"] > 100
    assert opened == (width >= 1280)  # five sliders beside it where there is room
    if opened:
        assert inside == [True, True]
        assert others == [True] * 4
    context.close()


def test_moving_epsilon_moves_gauge_picture_numbers_and_link_together(home):
    press(home, "Home")
    settle(home)
    before = guess(home), home.locator(PRIVATE).inner_html(), figures(home)
    true = home.locator(".stage .true svg").inner_html()
    press(home, "ArrowRight", 3)
    settle(home)
    expect(home.locator(SLIDER)).to_be_focused()
    assert guess(home) != before[0] or home.locator(PRIVATE).inner_html() != before[1]
    assert home.locator(PRIVATE).inner_html() != before[1]
    assert home.locator(".stage .true svg").inner_html() == true
    assert figures(home) != before[2]
    home.wait_for_url("**epsilon=0.0125**")


def test_a_zone_and_a_flow_under_the_pointer_say_their_numbers(home):
    arrow = home.locator(".stage .true .flow").last
    arrow.scroll_into_view_if_needed()
    arrow.dispatch_event("pointermove", {"clientX": 500, "clientY": 400, "bubbles": True})
    words = home.locator(".stage .tip:not([hidden])").inner_text().splitlines()
    assert "→" in words[0]
    assert [word.split(":")[0] for word in words[1:]] == [
        "true",
        "private",
        "error",
        "90% of draws",
    ]
    zone = home.locator(".stage .true .ground").first
    zone.dispatch_event("pointermove", {"clientX": 500, "clientY": 400, "bubbles": True})
    expect(home.locator(".stage .tip")).not_to_contain_text("→")


def test_what_is_pointed_at_is_marked_on_the_other_map(home):
    press(home, "End")  # with much noise every private flow may be a wrong one
    settle(home)
    arrow = home.locator(".stage .private .flow.shown").last
    arrow.dispatch_event("pointermove", {"clientX": 500, "clientY": 400, "bubbles": True})
    name = home.locator(".stage .tip:not([hidden])").inner_text().splitlines()[0]
    twin = home.locator(".stage .true .twin")
    expect(twin).to_have_count(1)
    expect(home.locator(".stage .private .twin")).to_have_count(0)
    twin.dispatch_event("pointermove", {"clientX": 500, "clientY": 400, "bubbles": True})
    expect(home.locator(".stage .tip")).to_contain_text(name)
    expect(home.locator(".stage .private .twin")).to_have_count(1)
    home.locator(".stage .true svg").dispatch_event("pointerleave")
    expect(home.locator(".stage .twin")).to_have_count(0)
    press(home, "ArrowLeft", 2)
    settle(home)


def test_the_picture_zooms_both_sides_alike_and_keeps_its_view_when_epsilon_moves(home):
    def views():
        return home.locator(".stage svg").evaluate_all(
            "all => all.map(one => one.getAttribute('viewBox'))"
        )

    whole = views()
    home.get_by_role("button", name="Zoom in").click()
    near = views()
    assert near[0] == near[1] != whole[0]
    press(home, "ArrowRight")
    settle(home)
    assert views() == near
    home.get_by_role("button", name="Show the whole map").click()
    assert views() == whole


def test_the_swipe_is_moved_by_keys_and_shows_truth_to_its_left(home):
    home.get_by_role("button", name="Lay one map over the other").click()
    handle = home.get_by_role("separator", name="Swipe")
    handle.focus()
    handle.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuenow", "55")
    clip = "e => getComputedStyle(e).clipPath"
    assert home.locator(".stage .true").evaluate(clip) == "inset(0px 45% 0px 0px)"
    assert home.locator(PRIVATE).evaluate(clip) == "inset(0px 0px 0px 55%)"
    home.get_by_role("button", name="Show both maps side by side").click()


def test_density_takes_the_stage_with_zones_on_one_scale(home):
    home.get_by_role("radio", name="Density").click()
    home.wait_for_selector(".stage .zone")
    settle(home)
    fills = "zones => zones.map(zone => zone.getAttribute('fill'))"
    true = home.locator(".stage .true .zone").evaluate_all(fills)
    private = home.locator(f"{PRIVATE} .zone").evaluate_all(fills)
    assert len(true) == len(private) > 100
    assert len(set(true)) > 20
    assert true != private
    home.get_by_role("radio", name="Flows").click()
    home.wait_for_selector(".stage .flow")
    settle(home)


def test_settings_survive_a_reload_of_the_share_link(page, address):
    open_home(page, address, "?epsilon=0.9&threshold=16&unit=trip")
    wanted, link = figures(page), page.url
    assert all(part in link for part in ("epsilon=0.9", "threshold=16", "unit=trip"))
    page.reload()
    page.wait_for_selector(".stage svg")
    settle(page)
    expect(page.locator(".card .value")).to_have_text(wanted)
    page.wait_for_url(link)
    open_home(page, address, "?epsilon=nan&delta=2&max_visits=-3&unit=%3Cb%3E&od_data=../../etc")
    page.wait_for_url(lambda url: "nan" not in url and "etc" not in url)
    expect(page.locator(f"{PRIVATE} .paneltitle")).to_contain_text("ε = 1")


def test_numbers_do_not_move_the_page_while_they_fill_in(home):
    home.evaluate(
        """() => { window.seen = new Set(); const look = () => {
        const parts = [...document.querySelectorAll('.gauges, .stage, .cards')];
        window.seen.add(parts.map(e => Math.round(e.getBoundingClientRect().top)).join(' '));
        requestAnimationFrame(look); }; look(); }"""
    )
    before = figures(home)
    slider = home.get_by_role("slider", name="Visits kept")
    slider.press("ArrowRight")
    home.wait_for_function(
        "before => [...document.querySelectorAll('.card .value')].map(e => e.innerText).join()"
        " != before",
        arg=",".join(before),
    )
    settle(home)
    assert home.evaluate("window.seen.size") == 1


def test_a_presenter_has_one_screen_and_keys_for_everything(page, address):
    page.set_viewport_size({"width": 1280, "height": 720})
    open_home(page, address, "?view=presenter")
    expect(page.locator('[data-testid="stSidebar"]:visible')).to_have_count(0)
    for part in (".gauges", ".st-key-epsilon", ".stage"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= 720, part
    page.locator(".gauge .name").first.click()
    title = page.locator(f"{PRIVATE} .paneltitle")
    before = title.inner_text()
    page.keyboard.press("ArrowLeft")
    expect(title).not_to_have_text(before)
    page.wait_for_url(lambda url: "epsilon=0.9" in url and "view=presenter" in url)
    page.keyboard.press("ArrowRight")
    expect(title).to_have_text(before)
    expect(page.locator(SLIDER)).to_be_focused()
    page.keyboard.press("4")
    expect(page.locator(".stage .frame.swipe")).to_have_count(1)
    page.keyboard.press("4")
    expect(page.locator(".stage .frame.swipe")).to_have_count(0)
    for key, shapes in (("2", ".stage .zone"), ("1", ".stage .flow")):
        page.keyboard.press(key)
        page.wait_for_selector(shapes)
        settle(page)
        box = page.locator(".stage").bounding_box()
        assert box["y"] + box["height"] <= 720, key
    left, right = (page.locator(f".stage .{side} .paneltitle") for side in ("true", "private"))
    for words in (("Published", "Ours"), ("True", "Width of the range"), ("Decided", "With a")):
        page.keyboard.press("3")  # and a fourth time shows true and private again
        for titles, word in zip((left, right), words, strict=True):
            titles.filter(has_text=word).wait_for()  # the last picture may stay for a moment
        settle(page)
        expect(left.or_(right)).to_have_count(2)
    page.keyboard.press("3")
    title.filter(has_text=before).wait_for()
    settle(page)
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()
    page.keyboard.press(" ")
    page.get_by_role("button", name="Play").wait_for()


@pytest.mark.parametrize(("width", "scheme"), [(1440, "dark"), (768, "light"), (390, "light")])
def test_nothing_is_wider_than_the_window(browser, address, width, scheme):
    context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(60_000)
    open_home(page, address)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    clipped = page.locator(".card, .gauge").evaluate_all(
        "all => all.filter(e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight)"
        ".map(e => e.innerText)"
    )
    assert not clipped
    sliders = [page.locator(SLIDER)]
    if width < 640:  # gauges, slider and map on one screen
        expect(page.locator(".stage .frame.swipe")).to_have_count(1)
        parts = (".gauges", ".st-key-epsilon", ".stage .frame")
        boxes = [page.locator(part).bounding_box() for part in parts]
        assert all(box["y"] >= 0 and box["y"] + box["height"] <= 844 for box in boxes)
        for place in ("0", "document.body.scrollHeight"):
            page.evaluate(f"document.querySelector('[data-testid=stMain]').scrollTo(0, {place})")
            box = sliders[0].bounding_box()
            assert 0 <= box["y"] <= 844, "the slider is out of sight"
    context.close()


def test_zones_that_lie_too_close_are_drawn_in_groups_until_one_zooms_in(page, address):
    page.set_viewport_size({"width": 340, "height": 800})
    open_home(page, address)
    page.get_by_role("button", name="Side by side").click()  # a phone opens one over the other
    zones = page.locator(f"{PRIVATE} .ground")
    note = page.locator(".stage .key .note")
    expect(zones).to_have_count(37)
    expect(note).to_contain_text("flows between groups of zones, added up from the released flows")
    for _ in range(4):  # until zones stand apart in half the width
        page.get_by_role("button", name="Zoom in").click()
    expect(zones).to_have_count(150)
    expect(note).to_have_text("Each zone's own flows.")
    page.get_by_role("button", name="Show the whole map").click()
    expect(zones).to_have_count(37)
    page.get_by_role("button", name="Draw each zone's own flows").click()
    expect(zones).to_have_count(150)

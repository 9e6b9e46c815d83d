"""All pages in a real browser: settings stay, a phone shows them, anybody can use them."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages._ui.settings import fields
from tests.browser.conftest import visit
from tests.browser.test_home import SLIDER, at_home
from tests.support.browser import choose, settled
from tests.support.server import served

expect = pytest.importorskip("playwright.sync_api").expect

RULES = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
COLOUR_RULES = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
"""The rules that a theme can break."""

MAIN = {
    "Home": ".gauges",
    "Density": ".numbers",
    "Origin–destination": ".numbers",
    "Choose": ".plain",
    "Decisions": ".verdict",
    "Report": ".plain",
    "Release": ".plain",
    "Data": '[data-testid="stFileUploader"]',
}
"""Of every page its answer, or what it asks for first."""
SET = (
    "epsilon=0.5&threshold=7&max_visits=12&unit=one+person%2C+whole+period"
    "&od_zones=10+clusters&od_data=rwanda-districts"
)
STILL = "* { transition: none !important; animation: none !important }"


def link(page):
    return dict(parse_qsl(urlsplit(page.url).query))


def go(page, title):
    """Open a page by the navigation."""
    page.get_by_test_id("stTopNavLink").filter(has_text=re.compile(f"^{title}$")).click()
    page.locator("h1").filter(has_text="Explorer" if title == "Home" else title).wait_for()
    settled(page)


@pytest.fixture(scope="module")
def one(browser, address):
    """One session for all that is only looked at."""
    with visit(browser) as page:
        at_home(page, address)
        page.add_style_tag(content=STILL)
        yield page


def violations(page, scheme, rules):
    """Return what axe-core finds serious, in one colour scheme."""
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(
        "scheme => getComputedStyle(document.querySelector('.stApp')).colorScheme === scheme",
        arg=scheme,
    )
    settled(page)
    found = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]}).response
    return [one for one in found["violations"] if one["impact"] in ("serious", "critical")]


@pytest.mark.parametrize("title", MAIN)
def test_a_page_is_open_to_everybody_to_a_phone_and_at_150_percent(one, title):
    one.set_viewport_size({"width": 1280, "height": 720})
    go(one, title)
    answer = one.locator(f"{MAIN[title]}:visible").first
    answer.wait_for()
    assert not violations(one, "light", RULES)
    if title == "Home":
        assert not violations(one, "dark", COLOUR_RULES)
        one.emulate_media(color_scheme="light")
    if title in ("Home", "Density"):
        one.set_viewport_size({"width": 853, "height": 480})
        settled(one)
        left, right = (one.locator(".sides figure").nth(i).bounding_box() for i in (0, 1))
        assert left["y"] == right["y"]
        assert right["x"] > left["x"] + left["width"]
    one.set_viewport_size({"width": 390, "height": 844})
    settled(one)
    assert one.evaluate("document.documentElement.scrollWidth") <= 390
    behind = "getComputedStyle(document.querySelector('[data-testid=stHeader]')).backgroundColor"
    assert one.evaluate(behind) != "rgba(0, 0, 0, 0)"  # what scrolls under it would be seen
    cut = """() => [...document.querySelectorAll('.gauge, .verdict, .advice, button')]
        .filter(one => one.checkVisibility() && one.getBoundingClientRect().right > 391)
        .map(one => one.innerText)"""
    assert not one.evaluate(cut)
    answer.scroll_into_view_if_needed()
    expect(answer).to_be_in_viewport()


def test_every_page_keeps_what_is_set_and_back_leads_to_the_page_before(page, address):
    at_home(page, f"{address}/?{SET}&v={fields.LINK_VERSION}")
    page.locator(SLIDER).press("ArrowLeft")
    page.wait_for_url(re.compile("epsilon=0.45"))
    settled(page)
    wanted = {**dict(parse_qsl(SET)), "epsilon": "0.45", "v": fields.LINK_VERSION}
    words = page.locator(".gauge .words").all_inner_texts()
    for name in ("Choose", "Home"):
        steps = page.evaluate("history.length")
        go(page, name)
        assert page.evaluate("history.length") == steps + 1  # the version goes in the same step
        assert {**link(page), **wanted} == link(page), name
    page.go_back()
    page.wait_for_url(re.compile("Choose"))
    settled(page)
    page.go_back()
    settled(page)
    page.locator(".gauges").wait_for()
    assert (urlsplit(page.url).path, link(page)) == ("/", wanted)
    for name in [*MAIN][::-1]:
        go(page, name)
        if name == "Data":  # beside a file they mean nothing
            expect(page.locator(".st-key-epsilon")).to_have_count(0)
            expect(page.get_by_test_id("stSidebar")).to_be_hidden()
            continue
        assert {**link(page), **wanted} == link(page), name
        for key in ("epsilon", "threshold", "max_visits"):
            slider = page.locator(f".st-key-sliders .st-key-{key} input[type=range]")
            expect(slider).to_have_attribute("aria-valuetext", wanted[key])
    expect(page.locator(".gauge .words")).to_have_text(words, use_inner_text=True)


def test_a_reset_goes_before_what_the_link_says_of_a_field_that_was_not_drawn(page, address):
    page.goto(f"{address}/Choose?{SET}&od_time=whole")  # a person's time is fixed
    page.locator(MAIN["Choose"]).first.wait_for()
    settled(page)
    page.get_by_role("button", name="Reset").click()
    page.get_by_role("button", name="Undo").wait_for()
    settled(page)
    assert "od_time" not in link(page)
    expect(page.get_by_role("combobox", name=re.compile("^Time"))).to_have_value("Days")


def test_back_and_undo_bring_back_all_that_one_button_changed(page, address):
    slider = at_home(page, f"{address}/?{SET}&od_time=Weeks").locator(SLIDER)
    steps = page.evaluate("history.length")
    for _ in range(2):  # the link follows each move
        slider.press("ArrowRight")
        settled(page)
    for whose in ("one person's day", "one person, whole period"):  # one has a time, one has not
        choose(page, "Unit of privacy", whose)
    assert page.evaluate("history.length") == steps + 1  # the first move alone is a step of Back
    before, words = link(page), page.locator(".gauge .words").all_inner_texts()
    status = page.locator(".st-key-undo").get_by_role("status")
    expect(status).to_have_text("")  # there before it speaks, else not heard
    page.get_by_role("button", name="Use this").click()
    expect(status).to_have_text(re.compile("^Set: .*ε"))
    settled(page)
    assert link(page) != before
    page.go_back()
    settled(page)
    assert link(page) == before
    expect(page.locator(".gauge .words")).to_have_text(words, use_inner_text=True)

    page.get_by_role("button", name="Use this").click()
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_in_viewport(ratio=1)
    go(page, "Choose")
    expect(undo).to_be_in_viewport(ratio=1)
    go(page, "Home")
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    expect(undo).to_be_in_viewport(ratio=1)
    undo.press("Enter")
    expect(undo).to_have_count(0)
    settled(page)
    assert link(page) == before
    expect(page.locator(".gauge .words")).to_have_text(words, use_inner_text=True)


def test_back_goes_through_pages_and_then_to_what_was_opened_before_it_leaves(page, address):
    def stands():
        epsilon = page.locator(SLIDER).first.get_attribute("aria-valuetext")
        method = page.get_by_role("combobox", name="Method", exact=True).last
        return urlsplit(page.url).path, epsilon, method.input_value(), link(page)

    page.goto("about:blank")
    slider = at_home(page, f"{address}/?{SET}&v={fields.LINK_VERSION}").locator(SLIDER)
    as_opened = stands()
    for key in ("ArrowLeft", "ArrowLeft"):
        slider.press(key)
        settled(page)
    choose(page, "Method", "Empirical Bayes")
    as_left = stands()
    go(page, "Choose")
    page.get_by_text("What ε means", exact=True).click()
    settled(page)
    view = link(page)
    assert view["choose_view"] == "What ε means"
    for title in ("Data", "Release", "Decisions"):
        go(page, title)
    page.locator(SLIDER).first.press("ArrowRight")
    settled(page)
    for path in ("/Release", "/Data", "/Choose"):
        page.go_back()
        settled(page)
        assert urlsplit(page.url).path == path
    assert link(page)["choose_view"] == view["choose_view"]
    for expected in (as_left, as_opened):
        page.go_back()
        settled(page)
        assert stands() == expected
    page.go_back()
    assert page.url == "about:blank"


def test_a_flow_under_the_pointer_is_lit_with_its_zones_on_both_maps_at_once(page, address):
    page.goto(f"{address}/?od_data=demo-city&od_zones=30+clusters&epsilon=1")
    page.locator(".sides svg").first.wait_for()
    settled(page)
    maps, words = page.locator(".sides figure"), page.locator(".map-words")
    flow = maps.first.locator(".flow").last  # the largest, on top
    flow.scroll_into_view_if_needed()
    start, end = flow.get_attribute("data-zones").split(" ")
    spot = """flow => {
        const box = flow.getBBox(), point = flow.ownerSVGElement.createSVGPoint()
        for (let i = 0; i < 400; i++) {
            point.x = box.x + box.width * (i % 20) / 20
            point.y = box.y + box.height * Math.floor(i / 20) / 20
            if (!flow.isPointInFill(point)) continue
            const {x, y} = point.matrixTransform(flow.getScreenCTM())
            if (document.elementFromPoint(x, y) === flow) return [x, y]
        }
    }"""
    page.mouse.move(*flow.evaluate(spot))
    expect(words).to_be_visible()
    assert words.inner_text() == flow.get_attribute("data-words")
    assert re.fullmatch(
        r".+ → .+\ntrue: [\d,]+\nwith noise: .+\ndifference: .+", words.inner_text()
    )
    for side in (maps.nth(0), maps.nth(1)):
        lit = side.locator(".pointed")
        assert lit.count() == 3  # a flow that both maps draw, and its two zones
        zones = side.locator(".ground")
        for zone in (start, end):
            expect(zones.nth(int(zone))).to_have_class("ground pointed")
        expect(side.locator(".flow.pointed")).to_have_attribute("data-zones", f"{start} {end}")
        pale = side.locator(".flow:not(.pointed)").first
        assert float(pale.evaluate("flow => getComputedStyle(flow).opacity")) < 0.2
    page.keyboard.press("Escape")
    expect(words).to_be_hidden()
    assert page.locator(".sides .pointed").count() == 0


def test_a_chart_of_simulated_people_can_be_saved_and_one_of_real_people_cannot(browser, data_root):
    """Both fill the screen, where neither offers more."""
    with served({"MOBILITY_DATA": str(data_root)}) as address, visit(browser) as page:
        page.goto(f"{address}/Density")
        settled(page)
        chart = page.locator(":has(> .stVegaLiteChart)").first
        labels = "all => all.filter(one => one.checkVisibility()).map(one => one.ariaLabel)"
        for name, saving in (("demo-city", 3), ("town", 0)):
            choose(page, "Visits dataset", name)
            for word in ("Fullscreen", "Close fullscreen"):
                chart.hover()
                toggle = chart.get_by_role("button", name=word)
                expect(toggle).to_be_visible()
                offered = chart.locator("button").evaluate_all(labels)
                assert len(offered) == saving + 1, offered
                assert any("Download" in label for label in offered) == bool(saving)
                toggle.click()

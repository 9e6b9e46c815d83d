"""Home in a real browser: the first screen, ε, the link, Present."""

import re

import pytest

from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect

SLIDER = ".st-key-epsilon input[type=range]"
PRIVATE = ".sides figure:nth-child(2)"
GAUGES = ".gauge .words"
CONTROLS = """() => {
    const seen = one => one.checkVisibility({visibilityProperty: true, opacityProperty: true})
        && one.getBoundingClientRect().bottom > 0;
    const part = one => one.matches('[aria-label^="Help for"]')
        || one.matches('.stSelectbox button, .stNumberInput button');
    const all = [...document.querySelectorAll('a[href], button, input, textarea, summary')];
    const drawn = all.filter(one => seen(one) && !part(one));
    return new Set(drawn.map(one => one.closest('.stButtonGroup') || one)).size;
}"""
"""How many controls are seen; a choice of two counts once, and with its arrow."""


def at_home(page, link):
    page.goto(link)
    page.locator(".advice").wait_for()
    settled(page)
    return page


def shown(page):
    """What a reader compares: all gauges and the private picture."""
    gauges = page.locator(GAUGES).all_inner_texts()
    assert len(gauges) == 3
    return gauges, page.locator(PRIVATE).inner_html()


def test_the_answer_stands_on_the_first_screen(page, address):
    at_home(page, address)
    use = page.get_by_role("button", name="Use this")
    parts = (
        *(".st-key-sliders", ".st-key-home_need", ".gauges"),
        *(".sides", ".numbers", ".st-key-home_error", ".advice"),
    )
    purpose = page.get_by_text("See what privacy costs before you publish how people move")
    expect(purpose).to_contain_text(re.compile("Simulated people.*not a release"))
    for width, height in ((1366, 768), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        for one in (purpose, use, *(page.locator(part).first for part in parts)):
            expect(one).to_be_in_viewport(ratio=1)
        tops = [page.locator(part).first.bounding_box()["y"] for part in parts[:4]]
        assert tops == sorted(tops)
        assert page.evaluate(CONTROLS) <= 40
    sliders = page.locator(".st-key-sliders input[type=range]")
    expect(sliders).to_have_count(5)
    page.mouse.wheel(0, 2000)
    for number in range(5):
        expect(page.locator(".st-key-sliders > *").nth(number)).to_be_in_viewport(ratio=0.9)
    expect(page.locator(".advice")).to_contain_text(
        re.compile("Publish .* trips .* guessed correctly")
    )
    expect(page.get_by_role("slider", name="Privacy loss")).to_have_count(1)
    at_home(page, address)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Handout").click()
    sheet = page.context.new_page()
    sheet.set_content(saved.value.path().read_text(encoding="utf-8"))
    expect(sheet.get_by_text("Recommended: Publish")).to_be_visible()
    assert sheet.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
    sheet.close()


def fills_the_screen(page, *parts):
    """What is presented needs no scrolling, and is large enough to be read from afar."""
    for width, height in ((1280, 720), (1366, 768), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        for part in (".st-key-sliders", ".gauges", ".sides", *parts):
            expect(page.locator(part).first).to_be_in_viewport(ratio=1)
        main = page.get_by_test_id("stMain")
        assert main.evaluate("e => e.scrollHeight - e.clientHeight") <= 0, width
        sizes = """() => [...document.querySelectorAll(
            '.gauge *, .numbers *, .advice *, .st-key-sliders label p, .st-key-home_need label p')]
            .filter(e => e.innerText && !e.matches('.sign'))
            .map(e => parseFloat(getComputedStyle(e).fontSize))"""
        assert min(page.evaluate(sizes)) >= 16


@pytest.mark.parametrize(("path", "parts"), [("Density", [".numbers"]), ("Decisions", [])])
def test_what_is_presented_fills_one_screen(page, address, path, parts):
    page.goto(f"{address}/{path}?view=Present&v=3")
    page.locator(".advice, .verdict").first.wait_for()
    fills_the_screen(page, *parts)


def test_a_presenter_moves_the_slider_last_touched_by_keys_and_the_link_shows_the_same(
    session, address
):
    page = at_home(session(), f"{address}/?epsilon=0.5&v=3")
    page.get_by_text("Present", exact=True).click()
    expect(page.locator('[data-testid="stSidebar"]:visible')).to_have_count(0)
    fills_the_screen(page, ".numbers", ".st-key-epsilon")
    for key, stop in (("ArrowRight", "0.55"), ("ArrowLeft", "0.5"), ("ArrowLeft", "0.45")):
        before = shown(page)
        page.locator(".sides").click()  # whatever was clicked last
        page.keyboard.press(key)
        page.wait_for_url(re.compile(f"epsilon={stop}(&|$)"))
        settled(page)
        now = shown(page)
        assert all(one != other for one, other in zip(now, before, strict=True))
    assert shown(at_home(session(), page.url)) == shown(page)
    page.locator(".st-key-threshold input").press("ArrowRight")
    settled(page)
    page.locator(".sides").click()
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile("threshold=17"))

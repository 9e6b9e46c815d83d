"""From page to page in a real browser: settings, verdict and link stay; Back takes one press."""

import itertools
import shutil
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

import pytest

from pages._ui.shell.frame import PAGES
from tests.browser.conftest import ROOT, served
from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

CHANGED = {
    "epsilon": "0.5",
    "threshold": "7",
    "max_visits": "12",
    "unit": "person",
    "variant": "zones_laplace",
    "density_data": "paris",
    "od_data": "demo-city",
}
SHOWN = tuple(label for label, _ in PAGES.values())
NEEDS = {"Home": 8, "Density": 4, "Origin–destination": 4}


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Address of a dashboard with a small dataset under four names: none opens as the first."""
    folder = tmp_path_factory.mktemp("data")
    for name in ("a-city", "demo-city", "paris", "rwanda-districts"):
        shutil.copytree(ROOT / "data" / "demo-city", folder / name)
    with served({"MOBILITY_DATA": str(folder)}) as url:
        yield url


def all_pairs(names: Sequence[str]) -> list[str]:
    """Return a walk from the first name that goes from each to each other one, once."""
    left = {(one, other) for one in names for other in names if one != other}
    walk, branch = [], [names[0]]
    while branch:
        onward = next((pair for pair in sorted(left) if pair[0] == branch[-1]), None)
        if onward is None:
            walk.append(branch.pop())
        else:
            left.remove(onward)
            branch.append(onward[1])
    return walk[::-1]


def link(page) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(page.url).query))


def go(page, name) -> None:
    page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    arrive(page, name)


def arrive(page, name) -> None:
    title = "Mobility Privacy Explorer" if name == "Home" else name
    page.locator("h1").filter(has_text=title).wait_for()
    if name in NEEDS:
        page.wait_for_function(
            f"() => document.querySelectorAll('.card .value').length >= {NEEDS[name]}"
            " && document.querySelector('.verdict') && !document.querySelector('.verdict.pending')"
            " && ![...document.querySelectorAll('.verdict')].some(v => /Judging/.test(v.innerText))"
        )
        page.get_by_role("slider", name="Privacy loss").first.wait_for()
    settled(page)


def move(page) -> None:
    """Move ε by one stop and wait until the link says so."""
    before = link(page)
    page.get_by_role("slider", name="Privacy loss").first.press("ArrowLeft")
    page.wait_for_url(lambda url: dict(parse_qsl(urlsplit(url).query)) != before)
    settled(page)


def key_of(box) -> str:
    """Return the key of the setting that a widget draws: labels may repeat in another group."""
    return box.evaluate("e => e.closest('[class*=st-key-]').className.match(/st-key-(\\w+)/)[1]")


def pickers(page) -> dict[str, str]:
    """Return what the sidebar's pickers and sliders read, by label."""
    boxes = page.locator('[data-testid="stSidebar"] [data-testid="stSelectbox"]')
    read = {
        key_of(box): box.locator("input").get_attribute("value") or box.inner_text()
        for box in boxes.all()
        if box.is_visible()
    }
    for slider in page.locator('[data-testid="stSidebar"] [role="slider"]').all():
        name = slider.get_attribute("aria-label") or slider.get_attribute("aria-labelledby")
        read[str(name)] = slider.get_attribute("aria-valuetext") or slider.get_attribute(
            "aria-valuenow"
        )
    return read


def keeps_everything(page, address, settings, walk) -> None:
    """Walk by clicks alone; settings, pickers and home's verdict must be as they were."""
    query = "&".join(f"{key}={value}" for key, value in settings.items())
    page.goto(f"{address}/?{query}")
    arrive(page, walk[0])
    said = page.locator(".verdict").all_inner_texts()
    read: dict[str, dict[str, str]] = {walk[0]: pickers(page)}
    assert link(page) == settings
    for now, name in itertools.pairwise(walk):
        go(page, name)
        assert link(page) == settings, f"{now} → {name}"
        first = read.setdefault(name, pickers(page))
        assert pickers(page) == first, f"{now} → {name}"
        for label, value in read[walk[0]].items():
            assert first.get(label, value) == value, f"{now} → {name}: {label}"
        if name == walk[0]:
            expect(page.locator(".verdict")).to_have_text(said, use_inner_text=True)


def test_there_and_back_over_all_pages_keeps_settings_and_verdict(page, several):
    keeps_everything(page, several, CHANGED, [*SHOWN, *SHOWN[-2::-1]])


@pytest.mark.long
@pytest.mark.parametrize("settings", [{}, CHANGED], ids=["defaults", "changed"])
def test_every_page_reached_from_every_page_keeps_settings_and_verdict(page, several, settings):
    walk = all_pairs(SHOWN)
    assert len(walk) == len(SHOWN) * (len(SHOWN) - 1) + 1
    keeps_everything(page, several, settings, walk)


def test_one_press_of_back_leads_to_the_page_before_as_it_was_left(page, several):
    page.goto(f"{several}/")
    arrive(page, "Home")
    for _ in range(3):
        move(page)
    left = link(page)
    go(page, "Density")
    move(page)
    page.go_back()
    arrive(page, "Home")
    settled(page)
    assert urlsplit(page.url).path == "/"
    assert link(page) == left
    slider = page.get_by_role("slider", name="Privacy loss").first
    expect(slider).to_have_attribute("aria-valuetext", left["epsilon"])

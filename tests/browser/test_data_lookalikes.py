"""Thirty look-alikes of real files go from drop to dataset in the browser, or are told what mends
them."""

import numpy as np
import pytest

from tests.reference.ingest_inputs import TOWERS
from tests.support.browser import choose, settled
from tests.support.data_browser import build, drop, open_data
from tests.support.messy_files import HEADER, MESSY, SWAPPED, by_points, dated, lines, trips

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = [pytest.mark.browser, pytest.mark.long]

BUILT_WITHIN_MS = 300_000
PLACES = "location_id,lat,lng\n" + "".join(f"{i},{lat},{lng}\n" for i, lat, lng in TOWERS)
EARLY = "uid,datetime,origin,destination\n" + "".join(
    f"{i % 7},{i % 12 + 1:02d}/09/2015 08:00,A,B\n" for i in range(40)
)
MIXED = lines(dated("%Y-%m-%d %H:%M:%S")).split("\n")
TOLD = {
    "swapped": (
        lines(by_points, SWAPPED),
        "Longitude and latitude seem swapped",
        "Choose the two columns the other way round",
    ),
    "headerless": (
        "alice,house,work,monday\nbob,house,work,monday\n",
        "None of the 4 column names is a usual one",
        "choose the columns below",
    ),
    "mixed_ends": ("\r\n".join(MIXED[:20]) + "\r\n" + "\n".join(MIXED[20:]), "line", ""),
    "unreadable": (
        lines(dated("%Y-%m-%d %H:%M:%S")) + "CANARY,some day,A,B\n",
        "1 of 41",
        "Leave unreadable rows out, and count them",
    ),
}
"""What cannot be built as it is: the rows, a word of the message, and the control it names."""


def open_with(page, address, name, contents, places=PLACES):
    open_data(page, address)
    drop(page, 0, name, contents)
    drop(page, 1, "towers.csv", places.encode())


def read_period(page):
    page.get_by_role("button", name="Read the period from the data").click()
    page.get_by_text("The period is the one that the file's name tells").wait_for()
    settled(page)


@pytest.mark.parametrize("name", MESSY)
def test_a_look_alike_goes_from_drop_to_dataset(page, address, name):
    packed = ".gz" if name == "gzip" else ""
    open_with(page, address, f"{name}.csv{packed}", MESSY[name])
    page.locator(".picture").wait_for()
    read_period(page)
    assert page.locator(".rows em").count() == 0  # every first time is read
    assert "was built in" in build(page, BUILT_WITHIN_MS)
    assert page.locator(".account .sum").first.inner_text().split() == ["all", "40"]
    unused = page.locator(".account").first.locator(".unused")
    assert unused.count() == 0, unused.all_inner_texts()


def test_dates_in_doubt_are_asked(page, address):
    open_with(page, address, "early.csv", EARLY.encode())
    expect(page.get_by_text("is that 3 April or 4 March?")).to_be_visible()
    expect(page.get_by_role("button", name="Build the dataset")).to_be_disabled()
    choose(page, "Order of the date", "day first")
    read_period(page)
    assert "was built in" in build(page, BUILT_WITHIN_MS)


def test_twelve_thousand_places_are_offered_coarser_zones_and_built(page, address):
    rng = np.random.default_rng(2)
    lat, lng = 20.6 + 0.1 * rng.random(12_000), -103.4 + 0.1 * rng.random(12_000)
    places = "location_id,lat,lng\n" + "".join(
        f"P{i},{lat[i]:.6f},{lng[i]:.6f}\n" for i in range(12_000)
    )
    rows = [f"{i % 7},{at:%Y-%m-%d %H:%M},P{i},P{i + 1}" for i, (_, at, _, _) in enumerate(trips())]
    contents = "\n".join([",".join(HEADER), *rows]).encode()
    open_with(page, address, "many_2015_09.csv", contents, places)
    verdict = page.locator(".verdict").filter(has_text="12,000 zones")
    verdict.wait_for()
    assert "144,000,000 pairs" in verdict.inner_text()
    page.get_by_role("radio", name="Clusters of places").click()
    page.get_by_text("30 zones", exact=True).wait_for()
    settled(page)
    assert "was built in" in build(page, BUILT_WITHIN_MS)


@pytest.mark.parametrize("name", TOLD)
def test_what_cannot_be_built_gets_one_message(page, address, name):
    contents, word, control = TOLD[name]
    open_with(page, address, f"{name}_2015_09.csv", contents.encode())
    button = page.get_by_role("button", name="Build the dataset")
    if button.is_enabled():
        build(page, BUILT_WITHIN_MS)
    text = page.locator("[data-testid='stMain']").inner_text()
    assert word in text, text
    assert control in text
    if name == "unreadable":
        assert "CANARY" not in text

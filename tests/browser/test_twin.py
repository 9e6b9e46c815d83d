"""A newcomer's path in a real browser: public zones, a twin, what to choose, and a release."""

import json
import re
import shutil

import pytest
import shapely

from tests.browser.conftest import ROOT, served
from tests.browser.test_release import ledger
from tests.support.browser import choose, settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

SIDE = 3
ZONES = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"code": f"Z{i}", "name": f"Zone {i}", "population": 1_000 * (i + 1)},
            "geometry": shapely.geometry.mapping(
                shapely.box(
                    i % SIDE / 10, i // SIDE / 10, (i % SIDE + 1) / 10, (i // SIDE + 1) / 10
                )
            ),
        }
        for i in range(SIDE * SIDE)
    ],
}
PEOPLE = sum(one["properties"]["population"] for one in ZONES["features"]) // 10


@pytest.fixture
def place(tmp_path):
    """A dashboard with demo-city, which stands for the confidential data, and a budget for it."""
    shutil.copytree(ROOT / "data" / "demo-city", tmp_path / "demo-city")
    ledger(tmp_path, "budget", "set", "demo people", "--datasets", "demo-city", epsilon="90")
    with served({"MOBILITY_DATA": str(tmp_path)}) as address:
        yield address, tmp_path


def test_from_a_geojson_over_a_twin_to_a_statement_that_names_it(page, place):
    address, folder = place
    # five actions from a file with a population column to a twin on home
    page.goto(f"{address}/Data")
    page.get_by_text("No data yet, or none I may look at").click()
    page.get_by_text("Zones, or a table of places").wait_for()
    settled(page)
    contents = {"name": "town.geojson", "mimeType": "", "buffer": json.dumps(ZONES).encode()}
    page.locator('input[type="file"]').last.set_input_files(contents)
    page.get_by_role("button", name="Make the twin").click()
    page.get_by_role("button", name="See it on home").first.click()
    # home opens on what is recommended
    notice = page.get_by_text(re.compile("twin-town opens on its recommended setting|as you have"))
    notice.first.wait_for(timeout=60_000)
    settled(page)
    if (tour := page.get_by_role("button", name="End the tour")).count():
        tour.click()
    page.get_by_role("button", name="All settings").click()
    page.get_by_role("button", name="Make and judge eight twins").click()
    page.get_by_text(re.compile("comes within 5% of the best setting in . of 8 twins")).wait_for(
        timeout=240_000
    )
    # other data are released with it
    page.get_by_role("link", name="Release").first.click()
    page.get_by_role("combobox", name="Trips dataset", exact=True).wait_for()
    settled(page)
    choose(page, "Trips dataset", "demo-city")
    choose(page, "How were ε and the other settings chosen?", "twin")
    expect(page.get_by_text(f"Stated with it: {PEOPLE:,} people")).to_be_visible()
    box = page.get_by_role("textbox", name=re.compile("Type demo-city to confirm"))
    box.fill("demo-city")
    box.press("Enter")
    button = page.get_by_role("button", name="Release", exact=True)
    expect(button).to_be_enabled(timeout=60_000)
    settled(page)
    button.click()
    page.get_by_text(re.compile("Released: demo-city-od")).first.wait_for(timeout=60_000)
    statement = next((folder / "local" / "releases").glob("*/statement.json"))
    text = statement.read_text(encoding="utf-8")
    assert "simulated people made of public facts alone" in text
    for part in (f"{PEOPLE:,} people", "column “population”", "0.8 trips", "seed 1", "affinity"):
        assert part in text, part

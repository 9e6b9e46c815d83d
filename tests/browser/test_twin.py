"""The whole way of somebody without data, from a file of zones to a release of other data."""

import json
import re
import shutil

import pytest
import shapely

from engine.datasets import Dataset
from tests.browser.conftest import served
from tests.browser.test_release import confirmed, ledger
from tests.support.browser import choose, settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

SIDE, RESIDENTS, SOURCE = 3, 9_000, "annual report 2025"


def squares() -> bytes:
    """Nine zones as GeoJSON, with a column of residents that is called population."""
    features = [
        {
            "type": "Feature",
            "properties": {"zone": f"Z{x}{y}", "name": f"Zone {x}{y}", "population": RESIDENTS},
            "geometry": shapely.geometry.mapping(
                shapely.box(x / 10, y / 10, x / 10 + 0.1, y / 10 + 0.1)
            ),
        }
        for x in range(SIDE)
        for y in range(SIDE)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def test_what_is_chosen_on_a_twin_of_ones_own_zones_is_released_from_other_data(
    page, tmp_path, tiny_city: Dataset
):
    other = "other-city"
    shutil.copytree(tiny_city.folder.parent, tmp_path / other)
    ledger(tmp_path, "budget", "set", "people", "--datasets", other, epsilon=1_000)
    with served({"MOBILITY_DATA": str(tmp_path)}) as address:
        page.goto(f"{address}/Data")
        settled(page)
        page.get_by_role("radio", name="No data yet").click()  # 1
        settled(page)
        zones = {"name": "z.geojson", "mimeType": "", "buffer": squares()}
        page.locator('input[type="file"]').last.set_input_files(zones)  # 2
        page.locator(".picture").wait_for()
        field = page.get_by_role("textbox", name="Where these numbers are printed")
        field.fill(SOURCE)  # not needed for a twin, but for a reader of the statement
        field.press("Enter")
        settled(page)
        page.get_by_role("button", name="Make the twin").click()  # 3
        page.get_by_role("button", name="See it on home").click()  # 4: the twin on home
        settled(page)

        choose(page, "Time", "for the whole period")
        page.locator(".st-key-home_card").get_by_role("button", name="Use this").click()
        page.get_by_text("as you have it ✓").wait_for()
        page.locator(".st-key-home_card").get_by_role("link", name="Release").click()
        page.wait_for_url(re.compile("Release"))
        settled(page)
        choose(page, "Trips dataset", other)
        tuned = page.get_by_role("combobox", name="How were ε and the other settings chosen?")
        expect(tuned).to_have_value("On a twin, made of public facts alone")
        confirmed(page, other).click()
        page.get_by_text(re.compile(f"Released: {other}-od")).first.wait_for()
    (bundle,) = (tmp_path / "local" / "releases").glob("*/statement.json")
    words = bundle.read_text(encoding="utf-8")
    for part in ("on a twin", "8,100 people", SOURCE, "9 zones", "81,000 residents", "seed 1"):
        assert part in words, part

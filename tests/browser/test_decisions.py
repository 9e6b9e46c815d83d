"""Decisions in a real browser on a dataset of one's own, which tells no homes."""

import json
import shutil

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from tests.browser.conftest import ROOT, served
from tests.reference import decisions_reference as plain
from tests.support.browser import settled

pytestmark = pytest.mark.browser

MODEL = "decisions_threshold=2&decisions_beta=0.5&decisions_mu=0.1&unit=trip&threshold=2"
LARGEST, LARGE, USUAL = 4, 5000, 1000


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """Address of a dashboard with one dataset: confidential, and without homes."""
    root = tmp_path_factory.mktemp("data")
    folder = root / "local" / "own-town"
    shutil.copytree(ROOT / "data" / "demo-city", folder)
    version = folder / (folder / "current").read_text().strip()
    (version / "homes.parquet").unlink()
    document = json.loads((version / "dataset.json").read_text(encoding="utf-8"))
    del document["checksums"]["homes.parquet"]
    document |= {"name": "own-town", "simulated": False}
    (version / "dataset.json").write_text(json.dumps(document), encoding="utf-8")
    with served({"MOBILITY_DATA": str(root)}) as url:
        yield url


@pytest.fixture(scope="module")
def town():
    return datasets.load("demo-city")


def table(people):
    lines = "".join(f"{zone},{count}\n" for zone, count in people.items())
    content = f"zone_id,population\n{lines}"
    return {"name": "people.csv", "mimeType": "text/csv", "buffer": content.encode()}


def never_acting(town, people):
    """Per cent of zone-days on which no zone should act, by plain loops."""
    matrices = od.truth(town).tolist()
    prevalence = plain.epidemic(
        matrices, people, LARGEST, beta=0.5, mu=0.1, alpha=1.0, seed_share=0.01
    )
    return 100 * float((np.array(prevalence) < 0.02).mean())


def test_a_table_of_populations_is_uploaded_and_aid_and_back_leave_it(page, own, town):
    zones = [str(zone) for zone in town.zones["zone_id"]]
    people = dict.fromkeys(zones, USUAL) | {zones[LARGEST]: LARGE}
    page.goto(f"{own}/?{MODEL}")
    page.locator("h1").filter(has_text="Mobility Privacy Explorer").wait_for()
    page.locator(".st-key-navigation").get_by_role("link", name="Decisions", exact=True).click()
    page.get_by_text("holds no homes").first.wait_for()
    settled(page)
    assert page.locator(".verdict, .card .value").count() == 0  # nothing is half-computed
    page.get_by_text("A table of mine (CSV)").click()
    upload = page.locator("input[type=file]")
    for bad, text in (
        (dict.fromkeys(zones[1:], USUAL), "must name every zone of the dataset"),
        (people | {zones[0]: 0}, "must be a finite number above 0, got 0"),
        (people | {zones[0]: "nan"}, "must be a finite number above 0, got nan"),
    ):
        upload.set_input_files(table(bad))
        page.get_by_text(text).first.wait_for()
        settled(page)
        assert page.locator(".card .value").count() == 0
    upload.set_input_files(table(people))
    page.locator(".card .value").first.wait_for()
    page.get_by_text("Populations: a table that was given").wait_for()
    settled(page)
    expected = never_acting(town, list(people.values()))
    said = page.locator(".verdict").first.inner_text()
    assert f"never acting would get {expected:.0f}%" in said or (
        f"never acting would get {expected:.1f}%" in said
    ), (said, expected)
    page.get_by_role("radio", name="Aid after a shock").click()
    page.get_by_text("Choose the affected zones").first.wait_for()
    settled(page)
    page.get_by_role("radio", name="Epidemic").click()
    page.get_by_text("Populations: a table that was given").wait_for()
    settled(page)
    assert page.locator('[data-testid="stException"]').count() == 0
    page.go_back()
    page.locator("h1").filter(has_text="Mobility Privacy Explorer").wait_for()

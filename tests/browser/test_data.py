"""The Data page in a real browser: upload, build, pickers, refusals, and two sessions apart."""

import random
import re
import shutil
import stat
import tempfile
from pathlib import Path

import pytest

from tests.browser.conftest import ROOT, served
from tests.support.browser import offered, settled
from tests.support.data_browser import build, drop, open_data

expect = pytest.importorskip("playwright.sync_api").expect

pytestmark = pytest.mark.browser

HEADER = "Usuario_Id,Inicio_del_viaje,Fin_del_viaje,Origen_Id,Destino_Id"
HOSTILE_NAME = "<img src=x onerror=alert(1)> ![p](http://elsewhere.example/p.png) =1+1"
STATIONS = 9


def trips_csv(rows=1200, seed=1):
    """Trips of 60 people in a week of September 2015; some start and end at one station."""
    rng = random.Random(seed)
    lines = [HEADER]
    for _ in range(rows):
        day, hour = rng.randrange(7, 14), rng.randrange(6, 22)
        a, b = rng.randrange(STATIONS), rng.randrange(STATIONS)
        at = f"2015-09-{day:02d} {hour:02d}:"
        lines.append(f"{rng.randrange(60)},{at}{rng.randrange(30):02d}:00,{at}45:00,{a},{b}")
    return "\n".join(lines).encode()


def places_csv():
    lines = ["id,name,latitude,longitude"]
    lines += [
        f'{i},"{HOSTILE_NAME} {i}",{20.66 + i % 3 / 100},{-103.36 + i // 3 / 100}'
        for i in range(STATIONS)
    ]
    return "\n".join(lines).encode()


def fill(page, name, trips=None):
    """Upload a table and its places and say when and where they are."""
    drop(page, 0, "trips_2015_09.csv", trips or trips_csv())
    page.locator(".rows").wait_for()
    drop(page, 1, "stations.csv", places_csv())
    page.locator(".picture").wait_for()
    settled(page)
    zone = page.get_by_role("combobox", name="Time zone of the places")
    expect(zone).to_have_value("America/Mexico_City")  # offered from the coordinates
    field = page.get_by_role("textbox", name="Name of the dataset")
    field.fill(name)
    field.press("Enter")
    settled(page)


def test_files_become_a_dataset_on_home_and_nobody_else_sees_it(page, address, browser):
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    open_data(page, address)
    fill(page, "uploaded-city")
    heads = ["Person", "Time", "End time", "Origin", "Destination"]
    expect(page.locator(".rows th span")).to_have_text(heads)
    assert "uploaded-city was built in" in build(page)
    expect(page.locator(".account .sum").first).to_have_text(re.compile(r"^\s*all\s*1,200\s*$"))
    expect(page.get_by_text("Computed from confidential data")).to_have_count(1)

    other = browser.new_context().new_page()
    open_data(other, address)
    assert "uploaded-city" not in other.locator("body").inner_text()
    other.goto(f"{address}/Choose?od_data=uploaded-city&density_data=uploaded-city")
    other.get_by_role("combobox", name="Trips dataset", exact=True).wait_for()
    settled(other)
    assert not any("uploaded-city" in name for name in offered(other, "Trips dataset"))
    other.context.close()

    page.get_by_role("button", name="See it on home").click()
    page.wait_for_selector(".card .value")
    settled(page)
    page.get_by_text("Details: curves over").click()
    table = page.locator(".rows table")
    table.first.wait_for()
    for label in ("Visits dataset", "Trips dataset"):
        assert "uploaded-city" in offered(page, label)
    expect(page.get_by_text("computed from confidential data").first).to_be_visible()
    assert "uploaded-city" not in page.url
    table.filter(has_text=HOSTILE_NAME).first.wait_for()
    assert table.locator(":is(img, a)").count() == 0
    assert page.locator('img[src="x"]').count() == 0
    assert dialogs == []


def test_a_file_dropped_while_another_is_looked_at_is_not_lost(page, address):
    open_data(page, address)
    files = page.locator('input[type="file"]')
    for place, name, contents in ((0, "t_2015_09.csv", trips_csv()), (1, "s.csv", places_csv())):
        files.nth(place).set_input_files({"name": name, "mimeType": "", "buffer": contents})
        page.wait_for_timeout(150)  # the look at it has begun and has not ended
    page.locator(".picture").wait_for()
    settled(page)
    expect(page.get_by_title("t_2015_09.csv", exact=True)).to_be_visible()
    expect(page.get_by_title("s.csv", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Build the dataset")).to_be_enabled()


def test_what_was_chosen_stays_on_another_page_and_back(page, address):
    open_data(page, address)
    drop(page, 0, "trips_2015_09.csv", trips_csv(50))
    drop(page, 1, "stations.csv", places_csv())
    page.locator(".picture").wait_for()
    page.get_by_role("radio", name="Clusters of places").click()
    settled(page)
    page.get_by_role("spinbutton", name="Number of clusters").fill("4")
    page.get_by_role("spinbutton", name="Number of clusters").press("Enter")
    page.get_by_text("4 zones", exact=True).wait_for()
    settled(page)
    page.get_by_role("link", name="Choose ε").first.click()
    page.get_by_role("heading", name="Choose ε").first.wait_for()
    settled(page)
    page.get_by_role("link", name="Data", exact=True).first.click()
    page.get_by_text("Kept from before: trips_2015_09.csv").wait_for()
    page.get_by_text("4 zones", exact=True).wait_for()
    expect(page.get_by_role("button", name="Build the dataset")).to_be_enabled()


def test_a_sessions_files_are_its_owners_only_and_lie_in_its_own_folder(page, address, browser):
    before = set(Path(tempfile.gettempdir()).glob("mobility-session-*"))
    open_data(page, address)
    drop(page, 0, "mine_2015_09.csv", trips_csv(50))
    page.locator(".rows").wait_for()
    other = browser.new_context().new_page()
    open_data(other, address)
    drop(other, 0, "theirs_2015_09.csv", trips_csv(50))
    other.locator(".rows").wait_for()
    folders = set(Path(tempfile.gettempdir()).glob("mobility-session-*")) - before
    holding = {
        name: {folder for folder in folders if list(folder.rglob(name))}
        for name in ("mine_2015_09.csv", "theirs_2015_09.csv")
    }
    assert len(holding["mine_2015_09.csv"]) == len(holding["theirs_2015_09.csv"]) == 1
    assert holding["mine_2015_09.csv"].isdisjoint(holding["theirs_2015_09.csv"])
    for folder in set.union(*holding.values()):
        for path in (folder, *folder.rglob("*")):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    assert "mine_2015_09" not in other.locator("body").inner_text()
    other.context.close()


def test_hostile_files_are_refused_in_plain_words_and_the_form_stays(page, address):
    open_data(page, address)
    drop(page, 0, "disguise.parquet", b"uid,datetime\nCANARY,1\n")
    expect(page.locator(".verdict")).to_contain_text("claims to be Parquet but is not")
    expect(page.get_by_role("button", name="Build the dataset")).to_be_disabled()
    open_data(page, address)
    fill(page, "late-fault", trips_csv() + b"\nCANARY,2015-09-07 08:00:00\n")
    text = build(page)
    assert "trips_2015_09.csv has a row with too many or too few columns (line 1,202)" in text
    assert "CANARY" not in page.locator("body").inner_text()
    expect(page.get_by_text("trips_2015_09.csv", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Build the dataset")).to_be_enabled()


@pytest.mark.long
def test_a_path_is_read_and_a_dataset_kept_and_deleted(page, address, tmp_path):
    (tmp_path / "trips_2015_09.csv").write_bytes(trips_csv())
    (tmp_path / "stations.csv").write_bytes(places_csv())
    open_data(page, address)
    page.get_by_role("radio", name="Path on this computer").click()
    settled(page)
    for label, path in (("Trips, visits or flows", "trips_*.csv"), ("Stations", "stations.csv")):
        field = page.get_by_role("textbox", name=label)
        field.fill(str(tmp_path / path))
        field.press("Enter")
        settled(page)
    assert "kept on this computer" not in build(page)
    page.get_by_role("button", name="Keep on this computer").click()
    page.get_by_text("kept on this computer in data/local").wait_for()
    page.get_by_role("button", name="Build another").click()
    page.get_by_role("heading", name="Kept on this computer").wait_for()
    settled(page)
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete it for good").click()
    page.get_by_role("heading", name="Kept on this computer").wait_for(state="detached")


def test_nothing_is_wider_than_a_small_window(browser, address):
    width = 1024
    context = browser.new_context(viewport={"width": width, "height": 768}, color_scheme="dark")
    page = context.new_page()
    open_data(page, address)
    fill(page, "wide")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for part in page.locator(".datasets, [data-testid='stVerticalBlock']").all():
        wide, shown = part.evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert wide <= shown + 1
    context.close()


def test_served_to_others_no_path_can_be_named(page, tmp_path):
    shutil.copytree(ROOT / "data" / "demo-city", tmp_path / "demo-city")
    everywhere = {"STREAMLIT_SERVER_ADDRESS": "0.0.0.0", "MOBILITY_DATA": str(tmp_path)}
    with served(everywhere) as url:
        open_data(page, url)
        expect(page.get_by_text("offered only where the page is served")).to_be_visible()
        expect(page.locator('input[type="file"]')).to_have_count(3)
        expect(page.get_by_role("radio", name="Path on this computer")).to_have_count(0)
        expect(page.get_by_role("button", name="Make it")).to_have_count(0)

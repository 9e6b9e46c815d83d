"""A newcomer's path on the Data page: messy files become datasets without leaving the page."""

import re

import pytest

from tests.support.browser import choose, settled

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

pytestmark = pytest.mark.browser

STATIONS = {str(i): (20.66 + i % 3 / 100, -103.36 + i // 3 / 100) for i in range(9)}
PLACES = "id;name;latitude;longitude\n" + "".join(
    f"{i};Estación {i};{lat:.2f};{lng:.2f}\n" for i, (lat, lng) in STATIONS.items()
)


def pairs():
    return [(i % 7, i % 30 + 1, i % 24, str(i % 9), str((i * 5 + 1) % 9)) for i in range(300)]


def comma(number):
    return f"{number:.2f}".replace(".", ",")


def coordinates():
    """Trips by coordinates: semicolons, decimal commas, day first, Windows-1252."""
    head = "usuario;inicio;start_lat;start_lng;end_lat;end_lng;año\n"
    body = "".join(
        f"{uid};{day:02d}/09/2015 {hour:02d}:15;"
        + ";".join(comma(v) for v in (*STATIONS[a], *STATIONS[b]))
        + ";x\n"
        for uid, day, hour, a, b in pairs()
    )
    return (head + body).encode("windows-1252")


def american():
    """Month first with AM and PM."""
    head = "User ID,Start time,From station ID,To station ID\n"
    body = "".join(
        f"{uid},9/{day}/2015 {hour % 12 or 12}:15 {'AM' if hour < 12 else 'PM'},{a},{b}\n"
        for uid, day, hour, a, b in pairs()
    )
    return (head + body).encode()


def ambiguous():
    """The first twelve days of a month alone, date and hour in two columns."""
    head = "usuario;fecha;hora;origen;destino\n"
    body = "".join(
        f"{uid};{day % 12 + 1:02d}/09/2015;{hour:02d}:15;{a};{b}\n"
        for uid, day, hour, a, b in pairs()
    )
    return ("\ufeff" + head + body).encode()


MESSY = {"coordinates": coordinates, "american": american, "ambiguous": ambiguous}


def drop(page, place, name, contents):
    files = page.locator('input[type="file"]')
    files.nth(place).set_input_files({"name": name, "mimeType": "text/csv", "buffer": contents})
    page.get_by_title(name, exact=True).wait_for()  # long names are shortened, not the title
    settled(page)


@pytest.mark.long
@pytest.mark.parametrize("name", MESSY)
def test_a_messy_file_becomes_a_dataset_without_leaving_the_page(page, address, name):
    page.goto(f"{address}/Data")
    page.get_by_role("button", name="Build the dataset").wait_for()
    settled(page)
    drop(page, 0, f"{name}_2015_09.csv", MESSY[name]())
    page.locator(".rows").wait_for()
    drop(page, 1, "stations.csv", PLACES.encode("windows-1252"))
    page.locator(".picture").wait_for()
    settled(page)
    if name == "ambiguous":
        expect(page.get_by_text("is that 3 April or 4 March?")).to_be_visible()
        expect(page.get_by_role("button", name="Build the dataset")).to_be_disabled()
        choose(page, "Order of the date", "day first")
    expect(page.locator(".rows td small").first).to_contain_text("Sep 2015")
    zone = page.get_by_role("combobox", name="Time zone of the places")
    expect(zone).to_have_value("America/Mexico_City")
    page.get_by_role("button", name="Build the dataset").click()
    page.locator(".verdict").filter(has_text="was built in").wait_for()
    settled(page)
    expect(page.locator(".account .sum").first).to_have_text(re.compile(r"^\s*all\s*300\s*$"))
    expect(page.locator(".account td").filter(has_text="used").first).to_be_visible()


def test_what_was_chosen_stays_on_another_page_and_back(page, address):
    page.goto(f"{address}/Data")
    page.get_by_role("button", name="Build the dataset").wait_for()
    settled(page)
    drop(page, 0, "american_2015_09.csv", american())
    drop(page, 1, "stations.csv", PLACES.encode("utf-8"))
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
    page.get_by_text("Kept from before: american_2015_09.csv").wait_for()
    page.get_by_text("4 zones", exact=True).wait_for()
    expect(page.get_by_role("button", name="Build the dataset")).to_be_enabled()

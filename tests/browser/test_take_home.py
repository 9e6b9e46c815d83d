"""Whatever is saved from a page opens, and says its settings and that it is no release."""

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from tests.support.browser import drawn, settled

expect = pytest.importorskip("playwright.sync_api").expect

ROOT = Path(__file__).parents[2]
NOTICE = "Exploration, not a release."
SETTING = "Privacy loss (ε)"
SAVING = re.compile("PNG|SVG|CSV|report")
PATHS = sorted(
    path.stem.partition("_")[2]
    for path in ROOT.glob("pages/*.py")
    if path.name not in ("7_Release.py", "8_Data.py")  # with files of their own
)


def saved(page, folder):
    """Press every button that saves something and return the files."""
    settled(page)
    page.wait_for_timeout(1500)
    page.locator(".take-home summary").click()
    page.locator(".take-home details[open]").wait_for()
    drawn(page)  # the list is made a moment after; a page may have nothing to list
    buttons = page.locator(".take-home button").filter(has_text=SAVING)
    files = []
    for number in range(buttons.count()):
        with page.expect_download() as download:
            buttons.nth(number).click()
        file = folder / f"{number}-{download.value.suggested_filename}"
        download.value.save_as(file)
        files.append(file)
    return files


def check(file, page):
    """Open a file that was saved and look for the settings in it."""
    if file.suffix == ".png":
        picture = Image.open(file)
        picture.load()
        assert min(picture.size) > 100
        said = picture.text["Comment"]
    elif file.suffix == ".svg":
        root = ElementTree.parse(file).getroot()
        said = " ".join(root.itertext())
    elif file.suffix == ".csv":
        said = file.read_text(encoding="utf-8")
        rows = list(
            csv.reader(
                io.StringIO(
                    "\n".join(line for line in said.splitlines() if not line.startswith("# "))
                )
            )
        )
        assert len(rows) > 1
        assert all(len(row) == len(rows[0]) for row in rows)
    else:
        said = file.read_text(encoding="utf-8")
        page.goto(file.as_uri())
        pages = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", pages)) == 1, "the report prints to one page"
    assert NOTICE in said, file.name
    assert SETTING in said, file.name


def test_everything_on_home_is_saved_with_its_settings(page, address, browser, tmp_path):
    page.goto(address)
    page.wait_for_selector(".take-home details")
    expect(page.locator(".stage svg")).to_have_count(2)
    files = saved(page, tmp_path)
    kinds = [file.suffix for file in files]
    assert kinds.count(".html") == 1
    assert kinds.count(".png") == kinds.count(".svg") >= 2
    assert ".csv" in kinds
    reader = browser.new_page()
    for file in files:
        check(file, reader)
    reader.close()


@pytest.mark.long
@pytest.mark.parametrize("path", PATHS)
def test_every_save_button_of_every_page(page, address, browser, tmp_path, path):
    page.goto(f"{address}/{path}")
    page.wait_for_selector(".take-home details")
    reader = browser.new_page()
    for file in saved(page, tmp_path):
        check(file, reader)
    reader.close()


def test_a_map_is_saved_as_it_is_seen_with_its_scale_and_settings(page, address, tmp_path):
    page.goto(f"{address}/Origin_Destination?threshold=1")
    page.wait_for_selector('[data-testid="stDeckGlJsonChart"] canvas')
    settled(page)
    page.locator(".take-home summary").click()
    row = page.locator(".take-home li", has_text="Map: ")
    button = row.get_by_role("button", name="PNG")
    button.wait_for()
    with page.expect_download() as download:
        row.get_by_role("button", name="CSV").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    check(file, page)
    assert "\r\nfrom,to,true,private,error\r\n" in file.read_bytes().decode()
    for _ in range(20):  # the card draws a frame later, a busy one much later
        page.wait_for_timeout(1000)
        with page.expect_download() as download:
            button.click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        check(file, page)
        if colours_in_the_middle(file) > 50:
            break
    assert colours_in_the_middle(file) > 50, "the map is blank"


def colours_in_the_middle(file):
    """Return how many colours a saved map has within its frame."""
    picture = Image.open(file).convert("RGB")
    width, height = picture.size
    map_part = picture.crop((width // 4, height // 6, 3 * width // 4, height // 2))
    return len(map_part.getcolors(maxcolors=1_000_000))

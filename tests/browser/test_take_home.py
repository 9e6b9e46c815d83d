"""Whatever is saved from a page opens, and says its settings and that it is no release."""

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from pages._ui.shell.kept import NOT_KEPT
from tests.support.browser import drawn, settled

expect = pytest.importorskip("playwright.sync_api").expect

ROOT = Path(__file__).parents[2]
NOTICE = "Exploration, not a release."
SETTING = "Privacy loss (ε)"
SAVING = re.compile("PNG|SVG|CSV|report")
PATHS = sorted(
    path.stem.partition("_")[2] for path in ROOT.glob("pages/*.py") if path.name not in NOT_KEPT
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
    assert "\r\nfrom,to,true,private,error,90% of draws\r\n" in file.read_bytes().decode()
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


def test_a_number_is_saved_as_a_number_and_no_text_as_a_formula(page):
    """Cells as pages write them; only a whole number stands bare, every other text is inert."""
    source = (ROOT / "pages/_ui/drawing/take_home.js").read_text(encoding="utf-8")
    page.add_script_tag(content=source.replace("export default ", "const main_ = "))
    written = {
        "−43": "-43",
        "+28": "28",
        "1,234.5": "1234.5",
        "+1,234": "1234",
        "−50%": "-50%",
        "-1.5": "-1.5",
        "1e-7": "1e-7",
        "007": "007",
        "−43 trips": "−43 trips",
        "+28 trips": "'+28 trips",
        "-1+2": "'-1+2",
        "-cmd": "'-cmd",
        "=1+1": "'=1+1",
        "@a": "'@a",
        "1,23": '"1,23"',
        "–": "–",
    }
    text = page.evaluate("(cells) => csv([cells], [])", list(written))
    (row,) = csv.reader(io.StringIO(text))
    assert row == [next(csv.reader([one]))[0] for one in written.values()]
    assert page.evaluate("() => csv([[-43, 0.5]], ['note'])") == "# note\r\n-43,0.5\r\n"


def test_errors_of_flows_are_saved_as_numbers(page, address, tmp_path):
    page.goto(f"{address}/?threshold=1&epsilon=0.1")
    page.wait_for_selector(".stage svg")
    for file in saved(page, tmp_path):
        if file.suffix != ".csv":
            continue
        lines = file.read_text(encoding="utf-8").splitlines()
        rows = list(csv.DictReader(line for line in lines if not line.startswith("# ")))
        assert not any("−" in str(cell) for row in rows for cell in row.values()), file.name
        if rows and "error" in rows[0] and "where" in rows[0]:
            errors = [float(row["error"]) for row in rows]
            assert errors == [float(row["private"]) - float(row["true"]) for row in rows]
            if "private" in file.name:
                assert min(errors) < 0 < max(errors)


def test_the_report_is_a_handout_with_picture_legend_verdict_settings_date_and_link(
    page, address, tmp_path, browser
):
    page.goto(f"{address}/?epsilon=0.1")
    page.wait_for_selector(".stage svg")
    settled(page)
    page.locator(".take-home summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="One-page report (HTML)").click()
    file = tmp_path / "report.html"
    download.value.save_as(file)
    reader = browser.new_page(viewport={"width": 711, "height": 1040})
    reader.goto(file.as_uri())
    for part in (".gauge .scale", ".gauge .needle", ".gauge .ends", ".verdict", ".key .bar i"):
        box = reader.locator(part).first.bounding_box()
        assert box is not None, part
        assert box["width"] > 2, part
        assert box["height"] > 2, part
    scale = reader.locator(".gauge .scale").first
    assert "gradient" in scale.evaluate("(one) => getComputedStyle(one).backgroundImage")
    expect(reader.locator("figure > svg")).to_have_count(reader.locator("figure").count())
    assert reader.locator("figure").count() >= 2
    ends = reader.locator(".gauge .ends span").all_inner_texts()
    assert "50%: a coin toss" in ends  # words of their own, each in its place
    left, right = (reader.locator(".gauge .ends span").nth(i).bounding_box() for i in (0, 1))
    assert left["x"] + left["width"] + 5 < right["x"]
    text = reader.locator("body").inner_text()
    assert re.search(r"Made on \d+ \w+ \d{4} at \d\d:\d\d", text)
    assert f"{address}/?epsilon=0.1" in text
    assert "Privacy loss (ε): 0.1" in text
    assert "nobody travelled" in text
    verdicts = reader.locator(".verdict").evaluate_all(
        "(all) => all.map((one) => one.scrollHeight <= one.clientHeight + 1)"
    )
    assert verdicts
    assert all(verdicts), "nothing is cut off"
    pdf = reader.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    reader.close()


def test_printing_a_page_prints_the_handout(page, address):
    page.add_init_script(
        "Object.defineProperty(window, 'print', {set() {}, get: () => () => {"
        "top.printed = {title: document.title, body: document.body.innerText,"
        " pictures: document.querySelectorAll('figure > svg').length};"
        "window.dispatchEvent(new Event('afterprint'));}});"
    )
    page.goto(f"{address}/?epsilon=0.1")
    page.wait_for_selector(".stage svg")
    settled(page)
    page.locator(".take-home summary").click()
    page.get_by_role("button", name="Print this page").click()
    printed = page.wait_for_function("() => window.printed").json_value()
    assert NOTICE in printed["title"]
    assert "Privacy loss (ε): 0.1" in printed["body"]
    assert "Take it home" not in printed["body"]
    assert printed["pictures"] >= 2
    expect(page.locator("iframe.handout")).to_have_count(0)

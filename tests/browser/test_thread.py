"""From a need on home to a released bundle: one setting, the same at every station."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from engine.command import main
from engine.parameters import ODParameters
from pages._ui.settings import fields
from tests.browser.conftest import visit
from tests.browser.test_pages import go
from tests.support.bicycles import bicycles
from tests.support.browser import choose, opened, settled
from tests.support.releases import seen
from tests.support.server import served

expect = pytest.importorskip("playwright.sync_api").expect

RETAINED = re.compile(r"(\d+) of 100 trips between [^.;]* are (?:retained|matched)")
GUESSES = re.compile(r"correctly at most (\d+) times in 100")


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Return what runs the release command on this test's datasets and returns its words."""
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))

    def run(*words):
        capsys.readouterr()
        assert main(["release", *map(str, words), "--ledger", str(tmp_path / "ledger.sqlite")]) == 0
        return capsys.readouterr().out

    return run


def linked(url, dataset):
    """Return the flows that a link holds, as a setting."""
    texts = {key: values[0] for key, values in parse_qs(urlsplit(url).query).items()}

    def read(field):
        return field.read(texts[field.key]) if field.key in texts else field.default

    unit = read(fields.UNIT)
    zones = re.sub(r"(\d+) clusters", r"clusters-\1", texts.get("od_zones", "zones"))
    step = "whole" if unit == "person" else read(fields.OD_TIME)
    asked = ODParameters(
        epsilon=read(fields.EPSILON),
        max_trips_per_user=read(fields.MAX_TRIPS),
        suppression_threshold=read(fields.THRESHOLD),
        unit=unit,
        method=read(fields.OD_METHOD),
    )
    return seen(asked, dataset=dataset, zones=zones, step=step)


def stated(bundle):
    """Return the setting that a bundle's statement holds."""
    one = json.loads((bundle / "statement.json").read_text(encoding="utf-8"))["setting"]
    when = {"step": one["time"], "first": one["first"], "last": one["last"]}
    parameters = ODParameters(**one["parameters"])
    return seen(parameters, dataset=one["dataset"], zones=one["zones"], **when)


def said(text, pattern=RETAINED):
    """Return the number of a hundred that a sentence names."""
    found = pattern.search(text)
    assert found, text
    return int(found[1])


def test_what_home_judges_is_what_is_released(browser, tmp_path, command):
    name = "bicycles"
    bicycles(tmp_path, tmp_path / name)
    by = ("--datasets", name, "--epsilon", 40, "--by", "custodian")
    command("budget", "set", "people", *by)
    with served() as address, visit(browser) as page:
        need = f"od_zones=30+clusters&unit=one+person%2C+whole+period&v={fields.LINK_VERSION}"
        page.goto(f"{address}/?{need}")
        use = page.get_by_role("button", name="Use this")
        use.wait_for()
        recommended = page.locator(".advice").inner_text()
        use.click()
        page.get_by_text("your current setting").wait_for()
        settled(page)
        home = linked(page.url, name)
        assert name not in page.url
        right = said(recommended)
        gauges, guessed = page.locator(".gauge .words"), said(recommended, GUESSES)
        expect(gauges.nth(0)).to_contain_text(f"{guessed} of 100 guesses")
        expect(gauges.nth(1)).to_contain_text(f"{right} of 100 trips")
        assert home.zone_level == "clusters-30"
        assert home.time.aggregation == "whole"

        page.locator(".st-key-home_card").get_by_role("link", name="Release").click()
        page.wait_for_url(re.compile("Release"))
        release = confirmed(page, name, 40_000)
        assert linked(page.url, name) == home
        limit = page.locator(".st-key-max_trips input[type=range]")
        expect(limit).to_have_attribute("aria-valuetext", f"{home.parameters.max_trips_per_user}")
        page.get_by_text("Show its utility from the data").click()
        sentence = page.get_by_text(RETAINED).filter(has_text=GUESSES).last.inner_text()
        assert said(sentence) == right
        assert said(sentence, GUESSES) == guessed
        release.click()
        page.get_by_text(f"Released: {name}-od").wait_for()
    (bundle,) = (path for path in (tmp_path / "local" / "releases").iterdir() if path.is_dir())
    assert stated(bundle) == home
    assert f"ε = {home.parameters.epsilon:g} of 40" in command("budget", "show")


def confirmed(page, name, trips):
    """Answer what Release asks until its button can be pressed; return it."""
    public = page.get_by_role("spinbutton", name=re.compile("Public estimate of the number"))
    box = page.get_by_role("textbox", name=f"Type {name} to confirm")
    public.or_(box).first.wait_for()
    settled(page)
    if public.count():
        public.fill(f"{trips}")
        public.press("Enter")
        settled(page)
    box.fill(name)
    box.press("Enter")
    button = page.get_by_role("button", name="Release", exact=True)
    expect(button).to_be_enabled()
    settled(page)
    return button


def test_what_is_set_on_report_is_what_release_takes(page, address):
    off = "&".join(f"report_off={one}" for one in ("Trips+by+hour", "Visits+by+zone"))
    page.goto(f"{address}/Report?od_data=demo-city&report_trips=5&report_unit=A+single+trip&{off}")
    page.get_by_text("ε = 1 for one trip, shared by 4 analyses: 0.25 each").wait_for()
    settled(page)
    opened(page, "Leave out these analyses").filter(has_text="Flows between zones").first.click()
    page.get_by_text("ε = 1 for one trip, shared by 3 analyses: 0.333 each").wait_for()
    page.keyboard.press("Escape")
    go(page, "Release")
    page.get_by_text("Mobility report", exact=True).click()
    page.get_by_text("3 queries, each over bins").first.wait_for()
    page.get_by_text("Each trip is counted by itself").first.wait_for()
    settled(page)
    said = parse_qs(urlsplit(page.url).query)
    assert said["report_unit"] == ["A single trip"]
    assert sorted(said["report_off"]) == [
        "Flows between zones", "Trips by hour", "Visits by zone"
    ]  # fmt: skip
    go(page, "Report")
    choose(page, "Who is protected", "A person")
    go(page, "Release")
    page.get_by_text("At most 5 trips per person over the whole period").first.wait_for()
    page.get_by_text("5 queries, each over bins").first.wait_for()


def files_of(page, *files):
    """Give the Data page its files, one place after the other."""
    for place, (name, text) in enumerate(files):
        file = {"name": name, "mimeType": "", "buffer": text.encode()}
        page.locator('input[type="file"]').nth(place).set_input_files(file)
        page.get_by_title(name, exact=True).wait_for()
        settled(page)


def test_own_files_become_a_dataset_that_no_link_names(page, address):
    rows = [
        f"{person} ;2015-09-{day:02d} {8 + person % 9:02d}:00 ;{person % 7};{(person + day) % 7}"
        for day in range(7, 14)
        for person in range(60)
    ]
    trips = "\n".join(["Usuario;Salida;Origen;Destino", *rows, "", rows[0]])
    towers = [f"{i},{20.66 + i % 3 / 100},{-103.36 + i // 3 / 100}" for i in range(7)]
    page.goto(f"{address}/Data")
    page.get_by_role("button", name="Build the dataset").wait_for()
    settled(page)
    places = "\n".join(["id,latitude,longitude", *towers])
    files_of(page, ("t_2015_09.csv", trips), ("stations.csv", places))
    page.get_by_text("Still needed: a column for “Time”").wait_for()
    choose(page, "Time", "Salida")
    name = page.get_by_role("textbox", name="Name of the dataset")
    name.fill("secret-city")
    name.press("Enter")
    settled(page)
    page.get_by_role("button", name="Build the dataset").click()
    page.get_by_text("secret-city was built in").wait_for()
    page.get_by_role("button", name="Open on Home").first.click()
    page.locator(".gauges").wait_for()
    settled(page)
    expect(page.get_by_role("combobox", name="Trips dataset")).to_have_value(
        re.compile("secret-city")
    )
    assert "secret" not in page.url
    go(page, "Choose")
    assert "secret" not in page.url

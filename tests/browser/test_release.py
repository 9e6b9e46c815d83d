"""A release in a real browser: two sessions cannot spend at once, a refresh repeats nothing."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.browser.conftest import ROOT, served
from tests.support.browser import choose, settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

QUERY = "Release?od_data=demo-city&epsilon=0.1&unit=person-day"


@pytest.fixture
def place(tmp_path):
    """A dashboard with a data folder of its own, in which a budget for one release is declared."""
    shutil.copytree(ROOT / "data" / "demo-city", tmp_path / "demo-city")
    ledger(tmp_path, "budget", "set", "demo people", "--datasets", "demo-city", epsilon=0.7)
    with served({"MOBILITY_DATA": str(tmp_path)}) as address:
        yield address, tmp_path


def ledger(folder, *words, epsilon=None):
    declared = [] if epsilon is None else ["--epsilon", str(epsilon), "--by", "custodian"]
    command = [sys.executable, "-m", "engine", "release", *words, *declared]
    option = ["--ledger", str(folder / "ledger.sqlite")]
    done = subprocess.run(
        [*command, *option], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def ready(page, address):
    page.goto(f"{address}/{QUERY}")
    return confirmed(page, "demo-city")


def confirmed(page, dataset):
    page.get_by_role("button", name="Release", exact=True).wait_for()
    settled(page)
    box = page.get_by_role("textbox", name=re.compile(f"Type {dataset} to confirm"))
    box.fill(dataset)
    box.press("Enter")
    button = page.get_by_role("button", name="Release", exact=True)
    expect(button).to_be_enabled(timeout=60_000)
    settled(page)
    return button


def test_two_sessions_spend_once_and_a_refresh_neither_repeats_nor_loses_it(page, browser, place):
    """Both have confirmed the last share of the budget; both press; one bundle, one cost."""
    address, folder = place
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    other = context.new_page()
    try:
        mine, theirs = ready(page, address), ready(other, address)
        mine.click(no_wait_after=True)
        theirs.click(no_wait_after=True)
        page.get_by_text(re.compile("Releas(ing|ed:) demo-city-od")).first.wait_for(timeout=60_000)
        page.reload()  # while it is being made, or just after; a press that is not sent is lost
        for one in (page, other):
            one.get_by_text(re.compile("Released: demo-city-od")).first.wait_for(timeout=60_000)
        page.reload()  # after it was made
        page.get_by_text(re.compile("Released: demo-city-od")).first.wait_for(timeout=30_000)
    finally:
        context.close()
    assert "ε = 0.7 of 0.7" in ledger(folder, "budget", "show")
    assert "in 1 release;" in ledger(folder, "budget", "show")
    assert "3 entries, unbroken" in ledger(folder, "verify")
    releases = folder / "local" / "releases"
    bundles = [path for path in releases.iterdir() if path.is_dir()]
    assert len(bundles) == 1
    assert (bundles[0] / "SHA256SUMS").is_file()
    assert (releases / f"{bundles[0].name}.zip").is_file()


def test_from_a_need_by_way_of_decisions_to_a_release_in_six_actions(page, tmp_path):
    """Home is open on shipped data whose custodian has declared a budget."""
    data, actions = "rwanda-districts", []
    page.set_default_timeout(60_000)  # every setting is judged before one is recommended
    shutil.copytree(ROOT / "data" / data, tmp_path / data)
    ledger(tmp_path, "budget", "set", "people of Rwanda", "--datasets", data, epsilon=2)

    def act(name, action, *arguments):
        actions.append(name)
        settled(page)
        return action(*arguments)

    with served({"MOBILITY_DATA": str(tmp_path)}) as address:
        page.goto(f"{address}/")
        page.locator(".sides svg").first.wait_for()
        act("state the need", choose, page, "Time", "for the whole period")
        act("recommended", page.get_by_role("button", name="Use this").click)
        page.get_by_text("as you have it ✓").wait_for()
        expect(page.locator(".gauge .words b").first).to_have_text("73 of 100")
        card = page.locator(".st-key-home_card")
        act("to Release", card.get_by_role("link", name="Release").click)
        page.wait_for_url(re.compile("Release.*max_trips=30"))
        button = act("its name is typed", confirmed, page, data)
        act("release", button.click)
        page.get_by_text(re.compile(f"Released: {data}-od")).first.wait_for(timeout=60_000)
    assert len(actions) <= 6, actions
    assert "ε = 1 of 2" in ledger(tmp_path, "budget", "show")
    (stated,) = (tmp_path / "local" / "releases").glob("*/statement.json")
    statement = json.loads(stated.read_text(encoding="utf-8"))
    assert (statement["unit"], statement["epsilon"]) == ("person", 1)
    assert statement["tuning"]["how"] == "these data"

"""A release in a real browser: two sessions cannot spend at once, a refresh repeats nothing."""

import re
import shutil
import subprocess
import sys

import pytest

from tests.browser.conftest import ROOT, served
from tests.support.browser import settled

expect = pytest.importorskip("playwright.sync_api").expect
pytestmark = pytest.mark.browser

QUERY = "Release?od_data=demo-city&epsilon=0.1&unit=person-day"


@pytest.fixture
def place(tmp_path):
    """A dashboard with a data folder of its own, in which a budget for one release is declared."""
    shutil.copytree(ROOT / "data" / "demo-city", tmp_path / "demo-city")
    ledger(tmp_path, "budget", "set", "demo people", "--datasets", "demo-city")
    with served({"MOBILITY_DATA": str(tmp_path)}) as address:
        yield address, tmp_path


def ledger(folder, *words, epsilon="0.7"):
    declared = ["--epsilon", epsilon, "--by", "custodian"] if "set" in words else []
    command = [sys.executable, "-m", "engine.release", *words, *declared]
    option = ["--ledger", str(folder / "ledger.sqlite")]
    done = subprocess.run(
        [*command, *option], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout


def ready(page, address):
    page.goto(f"{address}/{QUERY}")
    page.get_by_role("button", name="Release", exact=True).wait_for()
    settled(page)
    box = page.get_by_role("textbox", name=re.compile("Type demo-city to confirm"))
    box.fill("demo-city")
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

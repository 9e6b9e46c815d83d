"""Real bike trips on the Data page: few actions to a dataset, and its verdict before."""

import pytest

from tests.browser.conftest import ROOT
from tests.support.browser import settled
from tests.support.data_browser import open_data

pytest.importorskip("playwright.sync_api")

REAL = ROOT.parent / "shared" / "data" / "mibici"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.real_data,
    pytest.mark.skipif(not REAL.exists(), reason="the real data are not at ../shared/data/mibici"),
]


class Hand:
    """Acts on the page and counts what a person does."""

    def __init__(self, page):
        self.page = page
        self.actions = 0

    def drop(self, place, paths):
        self.actions += 1
        self.page.locator('input[type="file"]').nth(place).set_input_files(paths)
        self.page.get_by_title(paths[-1].name, exact=True).wait_for()
        settled(self.page)

    def click(self, role, name):
        self.actions += 1
        self.page.get_by_role(role, name=name).click()
        settled(self.page)


def test_ten_months_become_a_dataset_in_three_actions(page, address):
    open_data(page, address)
    hand = Hand(page)
    hand.drop(0, sorted(REAL.glob("trips_*.csv")))
    hand.drop(1, [REAL / "stations.csv"])
    page.locator(".picture").wait_for()
    hand.click("button", "Build the dataset")
    page.locator(".verdict").filter(has_text="was built in").wait_for()
    assert hand.actions <= 5
    assert page.locator(".account .sum").first.inner_text().split() == ["all", "356,867"]


def test_a_month_at_thirty_clusters_is_said_to_be_usable_before_it_is_built(page, address):
    open_data(page, address)
    hand = Hand(page)
    hand.drop(0, [REAL / "trips_2015_09.csv"])
    hand.drop(1, [REAL / "stations.csv"])
    page.locator(".picture").wait_for()
    hand.click("radio", "Clusters of places")
    page.get_by_text("30 zones", exact=True).wait_for()
    hand.click("button", "What verdict to expect?")
    verdict = page.locator(".verdict").filter(has_text="Read from the data")
    verdict.first.wait_for()
    person, trip = verdict.all_inner_texts()
    assert "all trips of a person" in person.lower()
    assert "usable in part from ε = 1, T = 50 on: 5" in person  # by which trips are kept, 52 or 54%
    assert "usable in part from ε = 0.02 on: 55.4%" in trip
    hand.click("button", "Build the dataset")
    page.locator(".verdict").filter(has_text="was built in").wait_for()
    assert hand.actions == 5

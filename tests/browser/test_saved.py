"""What a browser offers to save of a chart."""

import pytest

from tests.browser.conftest import visit
from tests.pages.conftest import data_root as data_root
from tests.support.browser import choose, settled
from tests.support.server import served

expect = pytest.importorskip("playwright.sync_api").expect


def test_a_chart_of_simulated_people_can_be_saved_and_one_of_real_people_cannot(browser, data_root):
    """Both fill the screen, where neither offers more."""
    with served({"MOBILITY_DATA": str(data_root)}) as address, visit(browser) as page:
        page.goto(f"{address}/Density")
        settled(page)
        chart = page.locator(":has(> .stVegaLiteChart)").first
        labels = "all => all.filter(one => one.checkVisibility()).map(one => one.ariaLabel)"
        for name, saving in (("demo-city", 3), ("town", 0)):
            choose(page, "Visits dataset", name)
            for word in ("Fullscreen", "Close fullscreen"):
                chart.hover()
                toggle = chart.get_by_role("button", name=word)
                expect(toggle).to_be_visible()
                offered = chart.locator("button").evaluate_all(labels)
                assert len(offered) == saving + 1, offered
                assert any("Download" in label for label in offered) == bool(saving)
                toggle.click()

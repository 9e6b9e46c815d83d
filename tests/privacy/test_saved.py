"""What can be saved of a page says what it is; of real people nothing can."""

import pytest

from pages._ui.wording.datasets import CONFIDENTIAL_BANNER, SIMULATED_BANNER
from tests.privacy.conftest import SEEN, sent
from tests.support.charts import drawn as drawn, said


def test_of_real_people_no_chart_can_be_saved_and_every_one_says_so(on_town, drawn):
    for path, _ in on_town():
        for chart in drawn.values():
            assert chart["usermeta"]["embedOptions"]["actions"] is False, path
            assert CONFIDENTIAL_BANNER.replace("**", "") in said(chart), path
        if path == "pages/1_Density.py":
            assert drawn


@pytest.mark.parametrize("path", ["pages/1_Density.py", "pages/6_Report.py"])
def test_of_simulated_people_a_chart_says_what_is_set_and_that_it_is_no_release(
    open_page, drawn, path
):
    open_page(path, epsilon="0.3", density_data="demo-city", od_data="demo-city")
    assert drawn
    for chart in drawn.values():
        assert chart["usermeta"]["embedOptions"]["actions"] is True
        assert said(chart).startswith(f"Exploration, not a release. {SIMULATED_BANNER}.")
        assert "ε = 0.3" in said(chart)


def test_nothing_of_real_people_is_served_by_an_address(on_town):
    """Streamlit serves a file to whoever knows its address, in whatever session."""
    seen = [path for path, app in on_town() if "/media/" not in sent(app)]
    assert seen == SEEN

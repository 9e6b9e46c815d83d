"""What can be saved of a page says what it is; of real people nothing can."""

import pytest

from engine.text.dataset_text import SIMULATED_BANNER
from tests.privacy.conftest import SEEN, sent
from tests.support.charts import drawn as drawn, said


@pytest.mark.parametrize("path", ["pages/1_Density.py", "pages/5_Report.py"])
def test_of_simulated_people_a_chart_says_what_is_set_and_that_it_is_no_release(
    open_page, drawn, path
):
    app = open_page(path, epsilon="0.3", density_data="demo-city", od_data="demo-city")
    assert drawn
    for key, chart in drawn.items():
        assert f"real_{key}" not in sent(app)
        assert said(chart).startswith(f"Exploration, not a release. {SIMULATED_BANNER}.")
        assert "ε 0.3" in said(chart)
        assert "τ" not in said(chart)  # of flows, whose dataset is set to the same


def test_nothing_of_real_people_is_served_by_an_address(on_town):
    """Streamlit serves a file to whoever knows its address, in whatever session."""
    seen = [path for path, app in on_town() if "/media/" not in sent(app)]
    assert seen == SEEN

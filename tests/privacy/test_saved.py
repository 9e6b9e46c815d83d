"""What is saved of real people's data carries the custodian's banner, whatever page it is from."""

import json
from pathlib import Path

import pytest

from pages._ui.shell.frame import PAGES
from pages._ui.shell.kept import NOT_KEPT
from pages._ui.wording.datasets import CONFIDENTIAL_BANNER, SIMULATED_BANNER
from tests.privacy.conftest import SEEN, sent

BANNER = f"{CONFIDENTIAL_BANNER.replace('**', '')} Dataset: town."


def banners(app) -> list[str]:
    """Return what every file saved from the page says of its data."""
    (fold,) = (
        one.proto for one in app.get("bidi_component") if one.proto.component_name == "take_home"
    )
    return json.loads(fold.json)["banners"]


def test_every_page_that_shows_real_people_has_it(on_town):
    pages = {path: False for path in SEEN if Path(path).name not in NOT_KEPT}
    for path, app in on_town():
        if path not in pages:  # nothing is saved there
            continue
        assert banners(app) == [BANNER], path
        pages[path] = any(CONFIDENTIAL_BANNER in one.value for one in app.warning)
    # these two read no true count until they are asked to
    silent = ["pages/3_Choose_Epsilon.py"]
    assert [path for path, said in pages.items() if not said] == silent


def test_simulated_people_are_called_so(open_home):
    assert banners(open_home()) == [f"{SIMULATED_BANNER}."]


@pytest.mark.parametrize("part", ["density_data", "od_data"])
def test_a_pinned_setting_of_real_people_has_it_beside_a_simulated_one(open_home, part):
    app = open_home()
    app.selectbox(key=part).set_value("town").run()
    app.button(key="pin").click().run()
    app.selectbox(key=part).set_value("demo-city").run()
    assert banners(app) == [f"{SIMULATED_BANNER}."]
    app.switch_page("pages/9_Compare.py").run()
    if part == "density_data":
        app.segmented_control(key="compare_part").set_value("density").run()
    assert "town" in sent(app)
    assert banners(app) == [BANNER]


def test_nothing_of_real_people_is_served_by_an_address(on_town):
    """Streamlit serves a file to whoever knows its address, in whatever session."""
    for path, app in on_town():
        assert "/media/" not in sent(app), path
    assert len(PAGES) == len(SEEN) + 2

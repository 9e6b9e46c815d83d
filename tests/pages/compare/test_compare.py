"""The page Compare: what stands side by side, what its link holds, what it says of bad links."""

import html
import re
from pathlib import Path

import numpy as np
import pytest

from engine import datasets, origin_destination as od, resolution, usability
from engine.parameters import ODParameters
from pages._ui.cache.draws import generator
from pages._ui.release import work
from pages._ui.shell import pins
from pages._ui.shell.setting import LONGEST_TEXT
from pages._ui.shell.settings import SETTINGS, SIMULATED_SEED
from pages._ui.wording.measures import MEAN_ERROR
from pages._ui.wording.numbers import percent, trip_count
from tests.support.link import link_of

PAGE = "pages/9_Compare.py"
ROOT = Path(__file__).parents[3]


@pytest.fixture
def open_compare(open_home):
    """Return a function that opens the page by a link."""

    def run(**link):
        app = open_home(**{"density_data": "demo-city", "od_data": "demo-city", **link})
        app.switch_page(PAGE).run()
        assert not app.exception, app.exception
        return app

    return run


def table(app):
    """Return the rows of the table: name → its cells."""
    body = next(one.proto.body for one in app.get("html") if 'class="compare"' in one.proto.body)
    rows = re.findall(r"<tr([^>]*)><th scope=\"row\">(.*?)</th>(.*?)</tr>", body)
    return {
        html.unescape(name): (
            "differs" in kind,
            [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", cells)],
        )
        for kind, name, cells in rows
    }


def warnings(app):
    return " ".join(one.value for one in app.warning)


def test_settings_stand_side_by_side_and_those_that_differ_are_marked(open_compare):
    app = open_compare(pin_a="bdemo-city~e0.1", pin_b="bdemo-city~zclusters-5", epsilon="2")
    rows = table(app)
    assert rows["Privacy loss (ε)"] == (True, ["0.1", "1", "2"])
    assert rows["Zones"] == (True, ["all zones", "5 clusters", "all zones"])
    assert rows["Trips kept (T)"] == (False, ["4", "4", "4"])
    assert {"pin_a": "bdemo-city~e0.1"}.items() <= link_of(app).items()


def test_the_numbers_are_the_engines(open_compare):
    app = open_compare(pin_a="bdemo-city~e0.5~wweek~zclusters-5")
    shown = table(app)["Trips in usable flows"][1][0]
    view = resolution.coarsen(
        datasets.load("demo-city"), resolution.Resolution(zones="clusters-5", time="week")
    )
    parameters = ODParameters(
        epsilon=0.5, max_trips_per_user=4, suppression_threshold=15, unit="person-day"
    )
    expected = od.expected(view, parameters, days=0)
    share = usability.usable_share(usability.Flows.of(expected.histogram), parameters)
    assert shown == percent(share)
    truth = int(od.truth(view, days=0).sum())
    assert table(app)["True trips between zones"][1][0] == f"{truth:,}"
    days = len(datasets.describe("demo-city").days)
    assert table(app)["ε of a person in all"][1][0] == f"{days * 0.5:g}"


@pytest.mark.parametrize("method", [key for key, row in od.METHODS.items() if not row.expected])
def test_a_method_without_a_law_stands_beside_the_published_one_with_numbers_of_its_draw(
    open_compare, method
):
    """A row of the engine's table is all that it takes: no page knows the method."""
    app = open_compare(pin_a="bdemo-city", od_method=method, epsilon="0.5")
    rows = table(app)
    names = [od.METHODS[each].short for each in ("published", method)]
    assert rows["Method"] == (True, names)
    demo = datasets.load("demo-city")
    parameters = ODParameters(epsilon=0.5, max_trips_per_user=4, method=method)
    rng = generator((SIMULATED_SEED, 0), "trips", 0, 1)  # the first day's
    release = od.release(demo, parameters, rng=rng, days=0)
    true = od.truth(demo, days=0)[0]
    error = np.abs(release.typical[0] - true)[~np.eye(len(true), dtype=bool)].mean()
    assert rows[f"{MEAN_ERROR} (this draw)"][1] == ["–", trip_count(error)]
    gone = np.abs(release.counts[0].sum(axis=1) - true.sum(axis=1)).sum() / true.sum()
    assert rows["Error of totals leaving zones (this draw)"][1][1] == percent(gone)
    assert rows["ε of a person in all"][1] == ["7", "3.5"]


def test_pinning_adds_moves_up_and_stops_at_four(open_compare):
    app = open_compare(**{f"pin_{letter}": f"bdemo-city~s{i}" for i, letter in enumerate("abc")})
    app.button(key="pin").click().run()
    assert len(pins_of(app)) == 4
    app.select_slider(key="epsilon").set_value(0.3).run()
    app.button(key="pin").click().run()
    assert any("take one off" in toast.value for toast in app.toast)
    app.button(key="compare_remove_a").click().run()
    assert pins_of(app)["pin_a"] == "bdemo-city~s1"
    assert table(app)["Privacy loss (ε)"][1][-1] == "0.3"  # room for the sidebar's again
    app.button(key="compare_use_b").click().run()
    assert app.slider(key="threshold").value == 2


@pytest.mark.parametrize(
    "page",
    [
        path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.glob("pages/*.py"))
        if path.name != "8_Data.py"  # it has no settings
    ],
)
def test_every_page_pins_what_is_set(open_page, monkeypatch, page):
    monkeypatch.setattr(work, "served_locally", lambda: True)
    app = open_page(page, epsilon="0.3", threshold="7", decisions_threshold="2")
    app.button(key="pin").click().run()
    assert not app.exception, app.exception
    assert pins_of(app) == {"pin_a": "e0.3~s7"}


def pins_of(app):
    return {key: text for key, text in link_of(app).items() if key.startswith("pin_")}


def test_a_bad_link_is_told_and_the_rest_stands(open_compare):
    app = open_compare(
        pin_a="bnowhere", pin_b="b-", pin_c="bdemo-city~e99~zprovince", pin_d="bdemo-city~x1"
    )
    said = warnings(app)
    assert "The trips dataset “nowhere” is not on this computer" in said
    assert "made with trips of somebody's own" in said
    assert "ε = 99" in said
    assert "zones = province" in said
    assert "“x1”, which names no setting" in said
    rows = table(app)
    assert rows["Trips dataset"][1] == ["–", "–", "demo-city", "demo-city"]
    assert rows["Trips in usable flows"][1][:2] == ["–", "–"]
    assert rows["Trips in usable flows"][1][2] != "–"


def test_more_settings_than_four_are_told(open_compare):
    app = open_compare(**{f"pin_{letter}": "bdemo-city" for letter in "abcdef"})
    assert "2 more than the 4 settings" in warnings(app)


def test_a_dataset_of_ones_own_stays_out_of_the_link(open_compare):
    app = open_compare()
    app.selectbox(key="od_data").set_value("town").run()
    app.button(key="pin").click().run()
    assert pins_of(app) == {"pin_a": "b-"}
    assert table(app)["Trips dataset"][1][0] == "town"
    assert "town" not in str(link_of(app))


def test_density_has_the_same_columns(open_compare, settled):
    app = open_compare(
        compare_part="density", pin_a="ademo-city~hday-part", pin_b="ademo-city~yclusters-5"
    )
    settled(app)
    rows = table(app)
    assert rows["Time"][1] == ["Day parts × weekend", "Hours", "Hours"]
    assert rows["Usable zones"][1][1].endswith(" of 5")
    for view in ("True", "Error", "Difference"):
        app.button_group(key="compare_map").set_value(view).run()
        assert not app.exception
    captions = " ".join(one.value for one in app.caption)
    assert "no difference to draw zone by zone" in captions


@pytest.mark.parametrize("text", ["e0.5~bparis", "~", "zclusters-30~wweek~u-"])
def test_a_pin_reads_back_what_it_wrote(text):
    once = pins.read(text).text
    assert pins.read(once) == pins.read(text)
    assert pins.read(once).text == once


def test_every_setting_of_the_sidebar_can_be_pinned_within_a_links_length():
    longest = {
        "density_data": "afghanistan-2020-districts",
        "od_data": "afghanistan-2020-districts",
        "cluster_minimum": "1e+09",
        "delta": "1.25e-08",
        "epsilon": "0.0125",
        "max_visits": "168",
        "threshold": "100",
        "max_trips": "256",
        "density_zones": "clusters-400",
        "od_zones": "clusters-400",
        "density_hours": "hour",
        "od_time": "period",
        "od_method": "published",
        "unit": "person-day",
        "variant": "towers_laplace",
    }
    assert SETTINGS.keys() < longest.keys() == pins.KEYS.keys()
    assert len(set(pins.KEYS.values())) == len(pins.KEYS)
    assert len(pins.Pin(tuple(longest.items())).text) <= LONGEST_TEXT

"""A measure of flows that stands on several pages has one value, one label and one population."""

import html
import re

import pytest

from pages._ui.wording.measures import trip_labels
from tests.support.tables import shown

PAGE = "pages/2_Origin_Destination.py"
SHARE = r"([<>]?[\d.,]+%)"
_CARD = re.compile(r'<div class="label">(.*?)</div>.*?<span class="value">(.*?)</span>', re.DOTALL)


def bodies(app):
    return [one.proto.body for one in app.get("html")]


def cards(app):
    """Return label → value of all cards."""
    matches = _CARD.findall(" ".join(bodies(app)))
    return {html.unescape(label): html.unescape(value) for label, value in matches}


def words(app):
    """Return all that stands on the page, without tags."""
    text = " ".join([*bodies(app), *(one.value for one in app.caption)])
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


def share(pattern, text):
    """Return the first share after or before some words; 0.0% where they are not said."""
    match = re.search(pattern.replace("%", SHARE), text)
    return "0.0%" if match is None else match.group(1)


def verdict(app):
    return share(r"(?:Usable for|usable ones carry)\D*% of all trips", words(app))


@pytest.mark.parametrize(
    "settings",
    [
        {"epsilon": "10", "threshold": "5", "max_trips": "2"},
        {"epsilon": "0.01", "threshold": "5"},
        {"epsilon": "3", "threshold": "0", "unit": "person"},
    ],
)
def test_a_measure_of_flows_reads_alike_on_every_page(open_home, settings):
    least = max(int(settings["threshold"]), 1)
    names = trip_labels(f"{least}+")
    app = open_home(density_data="only-visits", od_data="demo-city", **settings)
    home = {field: cards(app)[label] for field, label in names.items()}
    usable = share(r"% +of trips lie in usable flows", words(app))
    dropped = share(r"Of all trips trimming drops %", words(app))
    assert verdict(app) == usable

    app.switch_page(PAGE)
    app.session_state["od_view"] = "Errors"
    app.session_state["od_errors_population"] = "large"
    app.run()
    assert {field: cards(app)[label] for field, label in names.items()} == home
    assert verdict(app) == usable
    yours = shown(app)[-1].iloc[-1]
    assert yours["Median error (trips)"] == home["median_error"].split()[0]
    assert yours["Relative error (MRE)"] == home["relative_error"]

    for field in ("zero_share", "visible_share"):
        app.session_state["od_view"] = "ε × τ"
        app.session_state["od_measure"] = trip_labels("τ or more")[field]
        app.run()
        assert share(r"τ = \d+: \*\*%", words(app)) == home[field]

    app.session_state["od_view"] = "Trimming (T)"
    app.run()
    kept = share(r"% of true trips are kept", words(app))
    assert float(kept[:-1]) + float(dropped[:-1]) == pytest.approx(100)

"""What leaves by the link and by saving: settings and shipped names, nothing of real people."""

import logging
import secrets

import pandas as pd
import pytest

from engine.text.dataset_text import CONFIDENTIAL_BANNER, SIMULATED_BANNER
from pages._ui.settings import fields
from tests.privacy.conftest import SEEN, sent
from tests.privacy.test_seeds import CANARY, FORMS, secret_seeds
from tests.support.charts import drawn as drawn, said
from tests.support.page import link_of, text


def bound(app) -> dict[str, object]:
    """Return the widgets whose value a browser writes into the address, by key."""
    every = [*app.selectbox, *app.select_slider, *app.toggle, *app.get("button_group")]
    return {one.key: one for one in every if one.proto.query_param_key}


def test_a_local_dataset_is_neither_taken_from_a_link_nor_put_into_one(open_home):
    app = open_home(density_data="town", od_data="demo-city", home_shown="density")
    assert app.selectbox(key="density_data").value == "demo-city"
    assert not set(link_of(app)) & set(fields.NAMES)
    app.selectbox(key="density_data").set_value("town").run()
    assert app.selectbox(key="density_data").value == "town"
    assert not set(link_of(app)) & set(fields.NAMES)


def test_no_page_puts_a_name_zone_or_day_of_real_data_into_it_nor_tells_their_seed(
    on_town, data_root, monkeypatch, caplog, temporary
):
    """Nor is anything of them served by an address, which is open to whoever knows it."""
    monkeypatch.setattr(secrets, "randbits", lambda bits: CANARY)
    caplog.set_level(logging.DEBUG)
    (zones,) = (data_root / "local" / "town").glob("*/zones.parquet")
    table = pd.read_parquet(zones)
    own_texts = {"town", *(str(one) for column in table for one in table[column])}
    seen, warned = [], []
    for path, app in on_town():
        seen.append(path)
        warned += [path] if CONFIDENTIAL_BANNER in text(app) else []
        assert "town" in sent(app), path
        assert "/media/" not in sent(app), path
        assert set(secret_seeds(app)) == {CANARY}, path
        places = [sent(app), repr(link_of(app)), caplog.text, repr(app.query_params)]
        files = [file for file in temporary.rglob("*") if file.is_file()]
        places += [file.read_bytes().decode("latin-1") for file in files]
        for place in places:
            assert not any(form in place for form in FORMS), path
        linked = bound(app)
        assert {"epsilon", "threshold"} <= set(linked), path
        assert not set(linked) & {"density_data", "od_data"}, path
        for key, widget in linked.items():
            options = set(getattr(widget, "options", ()))
            assert not own_texts & options or key in ("max_trips", "threshold", "max_visits"), key
        assert "town" not in "".join(link_of(app).values()), path
        assert not own_texts & set(link_of(app).values()), path
    assert seen == SEEN
    assert warned == [path for path in SEEN if path != "pages/3_Choose.py"]  # it reads nothing yet


def test_names_are_bound_where_all_of_them_are_shipped(open_home, monkeypatch):
    assert "od_data" not in bound(open_home())
    monkeypatch.setenv("MOBILITY_PUBLIC", "1")
    assert {"od_data", "od_zones"} <= set(bound(open_home()))


def test_a_name_goes_from_the_link_once_own_datasets_are_offered_too(open_home, monkeypatch):
    monkeypatch.setenv("MOBILITY_PUBLIC", "1")
    app = open_home(density_data="only-visits")
    assert link_of(app)["density_data"] == "only-visits"
    monkeypatch.delenv("MOBILITY_PUBLIC")
    assert not set(link_of(app.run())) & set(fields.NAMES)


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

"""The link: settings and names of shipped datasets, and nothing else of anybody's data."""

import pandas as pd

from tests.support.link import link_of


def test_a_local_dataset_is_neither_taken_from_a_link_nor_put_into_one(open_home):
    assert open_home(density_data="town").selectbox(key="density_data").value == "demo-city"
    app = open_home()
    app.selectbox(key="density_data").set_value("town").run()
    assert app.selectbox(key="density_data").value == "town"
    assert "density_data" not in link_of(app)
    app.selectbox(key="density_data").set_value("only-visits").run()
    assert link_of(app)["density_data"] == "only-visits"


def test_no_page_puts_a_name_zone_or_day_of_real_data_into_it(on_town, data_root):
    (zones,) = (data_root / "local" / "town").glob("*/zones.parquet")
    table = pd.read_parquet(zones, columns=["zone_id", "name"])
    own_texts = {str(one) for column in table for one in table[column]}
    moved = 0
    for path, app in on_town():
        for picker in list(app.selectbox):
            if picker.key in ("density_data", "od_data") or len(picker.options) < 2:
                continue
            if not picker.disabled and any(one in picker.options[-1] for one in own_texts):
                app.selectbox(key=picker.key).set_value(picker.options[-1]).run()
                moved += 1
        link = link_of(app)
        assert "town" not in "".join(link.values()), path
        assert not own_texts & set(link.values()), path
        assert not {key for key in link if key.endswith(("_zone", "_origin", "_day"))}, path
    assert moved

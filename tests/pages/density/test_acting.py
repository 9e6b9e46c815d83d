"""Curves and tables act: a point of a curve sets ε, a row marks its zone."""

from pages._ui.density import charts as density_charts

PAGE = "pages/1_Density.py"


def test_a_clicked_point_sets_epsilon(open_page, monkeypatch):
    app = open_page(PAGE, density_data="demo-city")
    taken = {}
    monkeypatch.setattr(density_charts, "use_settings", lambda **values: taken.update(values))
    density_charts.take_epsilon({"selection": {"point": [{"epsilon": 0.3}]}})
    density_charts.take_epsilon({"selection": {"point": []}})
    assert taken == {"epsilon": 0.3}
    assert not app.exception


def test_the_table_of_worst_zones_can_be_clicked(open_page):
    app = open_page(PAGE, density_data="demo-city", density_view="zones")
    table = next(one for one in app.dataframe if "Zones that lose most" in one.value)
    assert len(table.value) == 6
    assert table.proto.id  # a table that reports its selection has an id

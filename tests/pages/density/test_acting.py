"""Curves and tables act: a point of a curve sets ε, a row marks its zone."""

from pages._ui.density import charts as density_charts
from pages._ui.drawing import rows

PAGE = "pages/1_Density.py"


def test_a_clicked_point_sets_epsilon(open_page, monkeypatch):
    app = open_page(PAGE, density_data="demo-city")
    taken = {}
    monkeypatch.setattr(density_charts, "use_settings", lambda **values: taken.update(values))
    density_charts.take_epsilon([{"epsilon": 0.3}])
    density_charts.take_epsilon([])
    assert taken == {"epsilon": 0.3}
    assert not app.exception


def test_a_row_of_the_worst_zones_marks_its_zone(open_page, monkeypatch):
    drawn = []

    def row(columns, *, chosen, **_):
        drawn.append((columns["Zones that lose most"], chosen))
        return 4 if len(drawn) == 1 else None

    monkeypatch.setattr(rows, "draw", row)
    app = open_page(PAGE, density_data="demo-city", density_view="zones")
    assert not app.exception
    assert len(drawn[0][0]) == 6
    assert drawn[-1] == (drawn[0][0], 4)

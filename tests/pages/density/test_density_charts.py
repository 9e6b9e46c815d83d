"""Charts of the Density page: what their bands and ticks are, and that a point sets ε."""

import pandas as pd
import pytest

from pages._ui.density import charts as density_charts
from pages._ui.density.charts import Band
from pages._ui.drawing import charts


@pytest.mark.parametrize(
    ("low", "high"),
    [(0.05, 2.0), (0.21, 0.3), (0.12, 0.13), (5.3, 9.1), (0.01, 3e4), (4e5, 9e7), (1.0, 1e10)],
)
def test_a_logarithmic_axis_has_a_few_ticks_inside_its_range(low, high):
    axis = charts.multiples("Error", low, high)
    least, most = axis.domain
    assert (least, most) == (low, pytest.approx(high * 1.1))
    assert 2 <= len(axis.ticks) <= 7
    assert all(least <= tick <= most for tick in axis.ticks)
    assert list(axis.ticks) == sorted(set(axis.ticks))


def test_bands_are_the_spread_around_the_mean_and_a_clicked_point_sets_epsilon(monkeypatch):
    drawn, taken = [], {}
    monkeypatch.setattr(charts, "curve", lambda lines, **options: drawn.append((lines, options)))
    monkeypatch.setattr(density_charts, "use_settings", lambda **values: taken.update(values))
    table = pd.DataFrame(
        [
            {"epsilon": e, "curve": c, "kind": k, "repeats": 5, "error": 1 / e, "error_sd": 0.25}
            for c, k in (("a", "x"), ("b", "x"), ("a", "y"))
            for e in (0.1, 1.0, 10.0)
        ]
    )
    error = Band("error", "error_sd", "Error", percent=True)
    density_charts.bands(table, (error, Band("error", "error_sd", "r")), 1.0, key="k", alt="a")
    lines, options = drawn[0]
    assert [line.name for line in lines] == ["a · x", "b · x", "a · y"]
    assert lines[0].colour == lines[2].colour != lines[1].colour
    assert lines[0].dash == lines[1].dash != lines[2].dash
    assert lines[0].y == [10.0, 1.0, 0.1]
    assert lines[0].high == pytest.approx([10.25, 1.25, 0.35])
    assert lines[0].low == pytest.approx([9.75, 0.75, 0.025])  # the axis ends there
    assert drawn[1][0][0].low == pytest.approx([9.75, 0.75, -0.15])
    assert lines[0].written[1] == "100.0% ± 25.0%, 5 repeats"
    options["on_pick"](0.3)
    assert taken == {"epsilon": 0.3}

"""The view Change: verdicts are the engine's on the page's noise, and what it says of both."""

import numpy as np
import pytest

from engine import datasets, origin_destination as od
from engine.contract import Seen, Setting, When
from engine.origin_destination import change
from engine.parameters import ODParameters
from engine.resolution import look_at
from pages._ui import cached
from pages._ui.state import SIMULATED_SEED
from pages._ui.trips import change as page
from tests.support.page import text
from tests.support.trips import save_trips

UNITS = "trip", "person-day", "person"


@pytest.mark.parametrize("unit", UNITS)
def test_verdicts_are_told_from_the_noisy_cells_of_both_spans(open_od, method, unit, monkeypatch):
    drawn, keep = [], page.picture_of
    monkeypatch.setattr(page, "picture_of", lambda *given: drawn.append(given) or keep(*given))
    app = open_od("Change", unit=unit, od_method=method, epsilon=0.5)
    (days,) = (one for one in app.select_slider if "day after" in one.label)
    said = text(days.set_value((0, 6)).run())
    parameters = ODParameters(
        epsilon=0.5, unit=unit, max_trips_per_user=1 if unit == "trip" else 4, method=method
    )
    city, hides, noisy, true = datasets.load("demo-city"), od.suppresses(parameters), [], []
    for first in (0, 4):
        seen = Seen(dataset=str(city.folder), when=When(step="whole", first=first, last=first + 2))
        noise = cached.flow_noise(Setting(seen=seen, parameters=parameters), (SIMULATED_SEED, 0))
        draw, view = {"noise": noise, "days": 0}, look_at(city, when=seen.when)
        noisy.append(change.noisy_cells(view, parameters, **draw))
        true.append(od.truth(view, days=0)[0])
        released = od.release(view, parameters, **draw)
        cells = released.counts if hides else released.measurement.cells
        assert (np.where(hides & (noisy[-1] < 15), 0, noisy[-1]) == cells[0]).all()
    least = 15 if hides else -np.inf
    told = change.compare(*noisy, change.noise_law(parameters), least_shown=least)
    _, truly, changed, signs, say, _ = drawn[-1]
    assert (truly == true[1] - true[0]).all()
    assert (changed == told.flows.change).all()
    assert (signs == told.flows.signs).all()
    assert sum("is suppressed" in say(i) for i in range(truly.size)) == (~told.written).sum()
    low, high = change.ratios(*noisy, change.noise_law(parameters), least=100)
    known = np.flatnonzero((np.isfinite(low) & told.written).ravel())
    for at in known[:3]:
        assert f", {low.flat[at]:.0%} to {high.flat[at]:.0%} of before" in say(at)
    assert f"ε = {dict(zip(UNITS, (0.5, 3, 1), strict=True))[unit]:g} for both spans" in said
    assert "can be told" in said
    assert "nan" not in said.lower().replace("finance", "")


def test_only_spans_without_a_day_in_common_are_offered(open_od):
    app = open_od("Change")
    (days,) = (one for one in app.select_slider if "day after" in one.label)
    assert days.value == (0, 5)
    app = days.set_value((2, 6)).run()
    (length,) = (one for one in app.number_input if one.label == "Days in each")
    assert (length.value, length.max) == (2, 2)
    app = days.set_value((2, 2)).run()
    assert "A change needs two days" in text(app)


@pytest.mark.parametrize(("zones", "days", "lacks"), [(1, 4, "zone"), (2, 1, "day")])
def test_without_two_days_and_two_zones_there_is_no_change(
    open_od, tmp_path, monkeypatch, zones, days, lacks
):
    save_trips(tmp_path / "tiny", [], zones=zones, days=days)
    monkeypatch.setenv("MOBILITY_DATA", str(tmp_path))
    said = text(open_od("Change", od_data="tiny"))
    assert f"A change needs two {lacks}s, and this dataset has one." in said

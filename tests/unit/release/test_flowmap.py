"""What a bundle adds up is unbiased: many zones and days at a small ε, where noise is most."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from engine import origin_destination as od
from engine.origin_destination.estimate.measurement import discrete_laplace
from engine.release import Product, noise
from engine.release.files import clear_bar
from tests.reference import estimate_reference as plain
from tests.support.releases import ours
from tests.support.trips import save_trips

ZONES, DAYS, EPSILON = 60, 28, 0.06


def saved(folder, flows):
    """Save a dataset of some flows, (origin, destination): trips on every day."""
    rows = [(day, *pair, 1, n) for day in range(DAYS) for pair, n in flows.items()]
    return save_trips(folder / "sparse", rows, zones=ZONES, days=DAYS)


@pytest.fixture
def fast(monkeypatch):
    """The same law from a generator of the test: many draws, the same every time."""
    rng = np.random.default_rng(8)

    def draw(counts, scale):
        return counts + discrete_laplace(rng.laplace(0, 1, counts.shape), 1 / scale)

    monkeypatch.setattr(noise, "discrete_laplace", draw)


def product(kind):
    parameters = od.ODParameters(epsilon=EPSILON, max_trips_per_user=1, unit="person-day")
    return kind(parameters=parameters)


def drawn(kind, dataset, folder):
    folder.mkdir()
    product(kind).write(dataset, folder, lambda share: None)
    flows = pd.read_csv(folder / "flowmap" / "flows.csv")
    totals = pd.read_csv(folder / "flowmap" / "totals.csv", index_col="flows")
    return flows, totals


@pytest.mark.usefixtures("fast")
def test_the_file_does_not_read_two_thousand_times_the_trips(tmp_path):
    """Sums of what is suppressed day by day read 2,000 times the trips here; these are unbiased."""
    dataset = saved(tmp_path, {(a, a + 1): 1 for a in range(12)})
    kept, read, old = 12 * DAYS, [], 0
    for number in range(12):
        folder = tmp_path / str(number)
        flows, totals = drawn(Product, dataset, folder)
        assert flows["count"].sum() < 3 * kept
        assert totals.loc[["in flows.csv", "left out"], "count"].sum() == totals.loc["all", "count"]
        assert totals.loc["all", "number"] == ZONES * (ZONES - 1)
        assert totals.loc["in flows.csv", "number"] == len(flows)
        read.append(totals.loc["all", "count"])
        if not number:
            old = pd.read_csv(folder / "flows.csv")["flow"].sum()
            assert totals.loc["all", "low_90"] < kept < totals.loc["all", "high_90"]
    assert 1_500 < old / kept < 2_500
    sd = np.sqrt(2 * DAYS * ZONES * (ZONES - 1)) / EPSILON
    assert abs(np.mean(read) - kept) < 4 * sd / np.sqrt(len(read))
    assert 0.4 * sd < np.std(read) < 1.8 * sd


@pytest.mark.parametrize(("kind", "draws"), [(Product, 20), (ours, 3)])
@pytest.mark.usefixtures("fast")
def test_flows_in_the_file_are_unbiased_and_all_in_their_bars(tmp_path, kind, draws):
    large = {(a, a + 1): 60 for a in range(20)}
    dataset = saved(tmp_path, large)
    every, held = [], 0
    for number in range(draws):
        flows, _ = drawn(kind, dataset, tmp_path / str(number))
        kept = np.array(
            [
                DAYS * large.get((int(a[1:]), int(b[1:])), 0)
                for a, b in zip(flows["origin"], flows["dest"], strict=True)
            ]
        )
        held += bool(((flows["low_90"] <= kept) & (kept <= flows["high_90"])).all())
        bar = clear_bar(1 / EPSILON, DAYS, ZONES * (ZONES - 1))
        assert set(flows["high_90"] - flows["count"]) == set(flows["count"] - flows["low_90"])
        assert set(flows["count"] - flows["low_90"]) == {bar}
        assert (flows["low_90"] > 0).all()
        assert (kept > 0).sum() == len(large)  # far above the bar: none is left out
        every.append((flows["count"] - kept)[kept > 0])
    error = np.concatenate(every)
    sd = np.sqrt(2 * DAYS) / EPSILON
    assert abs(error.mean()) < 4 * sd / np.sqrt(len(error))
    assert held >= stats.binom.ppf(0.001, draws, 0.9)  # one run in a thousand may hold less


@pytest.mark.parametrize(("scale", "days", "flows"), [(4.0, 7, 90), (10.0, 3, 1), (2.5, 1, 500)])
def test_the_bar_of_all_flows_at_once_is_the_convolutions(scale, days, flows):
    level = 1 - 0.1 / flows
    expected = plain.total_reach(1 / scale, days, level, support=int(40 * scale) + 3)
    assert clear_bar(scale, days, flows) == expected


@pytest.mark.usefixtures("fast")
def test_flows_by_time_are_the_released_cells_that_stand_clear(tmp_path):
    large = {(a, a + 1): 900 for a in range(20)}
    folder = tmp_path / "bundle"
    drawn(Product, saved(tmp_path, large), folder)
    shown = pd.read_csv(folder / "flowmap" / "flows_by_time.csv")
    assert list(shown.columns) == ["origin", "dest", "count", "time"]
    assert len(shown) == len(large) * DAYS  # no cell of noise alone is above the bar
    cells = pd.read_csv(folder / "flows.csv").set_index(["origin", "destination", "date"])["flow"]
    named = shown.set_index(["origin", "dest", "time"])["count"]
    assert (cells.loc[named.index].to_numpy() == named.to_numpy()).all()
    assert named.min() > clear_bar(1 / EPSILON, 1, ZONES * (ZONES - 1) * DAYS)

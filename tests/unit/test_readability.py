"""Too little signal for single flows: from public facts alone, by plain loops and by draws."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from engine import datasets
from engine.parameters import DensityParameters, ODParameters
from engine.readability import describe_weak_signal
from engine.release.command import main
from tests.support.releases import seen

CITY = datasets.load("demo-city")
PUBLIC = SimpleNamespace(zones=CITY.zones, metadata=CITY.metadata)  # has no count


def warned(trips, *, zones=150, step="day", epsilon=0.1, limit=4, unit="person-day", **time):
    parameters = ODParameters(epsilon=epsilon, max_trips_per_user=limit, unit=unit)
    return describe_weak_signal(seen(parameters, step=step, **time), PUBLIC, zones, trips)


@pytest.mark.parametrize(
    ("matrices", "zones", "setting"),
    [(7, 150, {}), (1, 150, {"step": "whole", "limit": 1}), (1, 12, {"step": "week", "zones": 12}),
     (2, 150, {"step": "whole", "last": 6, "span": 3})],
)  # fmt: skip
def test_it_is_warned_below_the_limit_and_not_from_it_on(matrices, zones, setting):
    limit = 0.07 * matrices * zones * (zones - 1) * setting.get("limit", 4) / 0.1
    assert not warned(1.001 * limit, **setting)
    text = warned(0.999 * limit, **setting)
    assert f"Stated are {0.999 * limit:,.0f} trips: per flow and times ε/T that is 0.069." in text
    assert not warned(None, **setting)
    assert ("week" in text or "in all" in text) == (matrices > 1 and "span" not in setting)


def test_coarser_zones_and_longer_times_lift_it_by_plain_loops():
    for trips in (10**3, 10**4, 6 * 10**4, 10**5, 3 * 10**5):
        text, flows = warned(trips), 0.1 / 4 * trips / 0.07
        zones = [n for n in (100, 50, 30, 20, 10, 5) if 7 * n * (n - 1) <= flows]
        times = ["a week", "in all"] if flows >= 150 * 149 else []
        assert re.findall(r"(\d+) zones, if", text) == [f"{n}" for n in zones[:1]]
        assert re.findall(r"one matrix (a week|in all)", text) == times[:1]
        assert ("take both, or a larger ε" in text) == (not zones and not times)


def test_totals_alone_are_so_much_nearer_than_sums_of_noisy_flows():
    rng, n = np.random.default_rng(0), 30
    sums = np.abs(rng.laplace(size=(20_000, n - 1)).sum(axis=1)).mean()
    alone = np.abs(rng.laplace(scale=2, size=200_000)).mean()  # half of ε for either direction
    told = float(re.search(r"would be ([\d.]+) times", warned(1, zones=n))[1])
    assert told == pytest.approx(sums / alone, abs=0.07)
    assert "Totals" not in warned(1, zones=4)
    density = seen(DensityParameters(epsilon=1.0, method="towers_laplace"))
    assert not describe_weak_signal(density, PUBLIC, 150, 1)


def test_the_command_of_releases_says_so_before_anything_is_spent(tmp_path, capsys):
    release = ["od", "demo-city", "--tuned-on", "simulated", "--epsilon", "0.1", "--trips"]
    place = ["--out", str(tmp_path / "x"), "--ledger", str(tmp_path / "none")]
    for trips, warning in (("9000", True), ("90000000", False)):
        assert main([*release, trips, *place]) == 2  # no budget
        assert ("warning: Too little signal" in capsys.readouterr().out) is warning

"""The zones that lose most on home: by size of the error, whichever its sign."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from pages._ui.home import estimate as home_estimate

TRUE = np.array([50, 300, 10, 80, 0, 200, 90, 70])
PRIVATE = np.array([90, 100, 12, 85, 60, 199, 20, 100])
BY_SIZE = [1, 6, 4, 0, 7, 3]
"""Off by 200, 70, 60, 40, 30 and 5; two of them read too little."""


@pytest.mark.parametrize("kind", [int, float])
def test_zones_are_ordered_by_how_much_they_are_off_either_way(monkeypatch, kind):
    names = [f"zone {i}" for i in range(8)]
    city = SimpleNamespace(zones=pd.DataFrame({"name": names}))
    monkeypatch.setattr(home_estimate.cached_datasets, "dataset", lambda key: city)
    worst = home_estimate.worst("k", np.diag(TRUE), np.diag(PRIVATE).astype(kind))
    assert list(worst.zones) == BY_SIZE
    columns = worst.columns
    assert columns["Zone"] == [names[zone] for zone in BY_SIZE]
    assert columns["Departures"] == [f"{TRUE[zone]:,}" for zone in BY_SIZE]
    assert columns["Private"] == [f"{PRIVATE[zone]:,}" for zone in BY_SIZE]
    assert columns["Error"] == ["−67%", "−78%", "–", "+80%", "+43%", "+6.2%"]

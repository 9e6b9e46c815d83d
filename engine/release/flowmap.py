"""Flows summed over all matrices of a release, for flowmap tools.

A bar that holds for all flows at once removes sums that may be noise alone. If suppressed counts
must stay hidden, only shown flows are summed.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import pyarrow as pa
from scipy.special import gammaln

from ..arrays import Booleans, Floats, Integers
from ..origin_destination.noise_bounds import total_half_width
from .bundle import escape_formulas, write_table, zone_points
from .plan import CONFIDENCE, ReleasePlan


class FlowSums:
    """Sums over matrices by flow: noisy cells, shown cells and their number, and estimates."""

    def __init__(self, flows: int) -> None:
        self.noisy, self.shown, self.shown_matrices = np.zeros((3, flows), dtype=np.int64)
        self.estimates: Floats = np.zeros(flows)

    def add(self, noisy: Integers, shown: Booleans, estimates: Floats | float) -> None:
        """Add one matrix."""
        self.noisy += noisy
        self.shown += noisy * shown
        self.shown_matrices += shown
        self.estimates += estimates


def write_flowmap(
    plan: ReleasePlan,
    zones: gpd.GeoDataFrame,
    folder: Path,
    ends: Sequence[pa.Array],
    sums: FlowSums,
) -> None:
    """Write the tables ``locations``, ``flows`` and ``totals`` for flowmap tools.

    The number of a flow is the one in ``flows.csv``, summed.
    """
    folder.mkdir()
    ids, names = (escape_formulas(zones[name]) for name in ("zone_id", "name"))
    lon, lat = zone_points(zones)
    write_table(folder / "locations.csv", [{"id": ids, "name": names, "lat": lat, "lon": lon}])
    scale, matrices, flows = plan.stages[0].scale, plan.matrices, len(sums.noisy)
    bars = np.full(flows, clear_bar(scale, matrices, flows))
    if plan.is_own_method:
        counts, clear = np.round(sums.estimates, 2), sums.noisy > bars
    elif plan.has_sums:
        counts, clear = sums.noisy, (sums.noisy > bars) & (sums.noisy >= plan.min_shown_count)
    else:
        bars = shown_bars(scale, matrices, flows)[sums.shown_matrices]
        counts, clear = sums.shown, sums.shown > bars
    shown, where = counts[clear], pa.array(np.flatnonzero(clear))
    columns = {"origin": ends[0].take(where), "dest": ends[1].take(where), "count": shown}
    if not plan.is_own_method:
        columns |= {"low_95": shown - bars[clear], "high_95": shown + bars[clear]}
    write_table(folder / "flows.csv", [columns])
    every, clear_sum = counts.sum(), shown.sum()
    totals: dict[str, Any] = {
        "flows": ["in flows.csv", "left out", "all"],
        "number": [len(shown), flows - len(shown), flows],
        "count": np.round([clear_sum, every - clear_sum, every], 2).astype(counts.dtype),
    }
    if plan.has_sums:
        total, bar = int(sums.noisy.sum()), total_half_width(1 / scale, matrices * flows)
        prefix = "measured_" if plan.is_own_method else ""
        totals |= {"measured": [None, None, total]} if plan.is_own_method else {}
        totals[f"{prefix}low_95"] = [None, None, total - bar]
        totals[f"{prefix}high_95"] = [None, None, total + bar]
    write_table(folder / "totals.csv", [totals])


def clear_bar(scale: float, matrices: int, flows: int) -> int:
    """Return the bar of sums over `matrices`, for all flows at once (Bonferroni)."""
    return total_half_width(1 / scale, matrices, confidence=1 - (1 - CONFIDENCE) / flows)


def shown_bars(scale: float, matrices: int, flows: int) -> Integers:
    """Return the bars of sums over 0 to all matrices, whichever of them are shown.

    They hold for all flows and choices of matrices at once: Chernoff's bound, with Bonferroni over
    sides, flows, numbers of matrices and choices of so many.
    """
    if matrices == 1:
        return np.array([0, clear_bar(scale, 1, flows)])
    rate, number = 1 / scale, np.arange(1, matrices + 1)[:, None]
    angles = np.linspace(0, rate, 502)[1:-1]
    # ln E e^(θZ) of one noise
    moment = 2 * np.log(-np.expm1(-rate))
    moment = moment - np.log(-np.expm1(angles - rate)) - np.log(-np.expm1(-angles - rate))
    choices = gammaln(matrices + 1) - gammaln(number + 1) - gammaln(matrices - number + 1)
    level = np.log((1 - CONFIDENCE) / (2 * flows * matrices)) - choices
    reach = ((number * moment - level) / angles).min(axis=1)  # P(S ≥ reach) is at most the level
    return np.append(0, np.ceil(reach - 1)).astype(np.int64)

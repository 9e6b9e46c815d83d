"""Flows summed over all matrices of a release, as CSV for flow maps (flowmap.blue, kepler.gl).

A *clear* flow is one whose sum exceeds a *simultaneous bar*, the half-width of 95% error bars that
hold for all flows at once; only clear flows are written. If a plan has no sums before suppression,
only shown counts are added up, so that no suppressed count can be recomputed.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from scipy.special import gammaln

from ..arrays import Booleans, Floats, Integers
from ..datasets import Dataset
from ..origin_destination.noise_bounds import total_half_width
from .bundle import escape_formulas, write_table, zone_points
from .plan import CONFIDENCE, ReleasePlan


class FlowSums:
    """Sums over matrices by flow: of noisy counts, of the shown ones, their number, estimates."""

    def __init__(self, flows: int) -> None:
        self.noisy_sums, self.shown_sums, self.shown_matrix_counts = np.zeros((3, flows), np.int64)
        self.estimate_sums: Floats = np.zeros(flows)

    def add(self, noisy_counts: Integers, is_shown: Booleans, estimates: Floats | float) -> None:
        """Add one matrix."""
        self.noisy_sums += noisy_counts
        self.shown_sums += noisy_counts * is_shown
        self.shown_matrix_counts += is_shown
        self.estimate_sums += estimates


def write_flowmap(
    plan: ReleasePlan, view: Dataset, folder: Path, ends: Sequence[pa.Array], sums: FlowSums
) -> None:
    """Write ``locations.csv``, ``flows.csv`` (clear flows) and ``totals.csv`` into a new folder.

    `ends` are the ids of all flows' origins and destinations. Numbers are sums over matrices: of
    estimates; or of noisy counts before suppression; or, in a plan without sums, of shown counts.
    """
    folder.mkdir()
    ids, names = (escape_formulas(view.zones[name]) for name in ("zone_id", "name"))
    lon, lat = zone_points(view.zones)
    write_table(folder / "locations.csv", [{"id": ids, "name": names, "lat": lat, "lon": lon}])
    scale, matrices, flows = plan.stages[0].scale, plan.matrix_count, len(sums.noisy_sums)
    bars, min_shown = np.full(flows, simultaneous_bar(scale, matrices, flows)), plan.min_shown_count
    if plan.has_estimates:
        counts, is_clear = np.round(sums.estimate_sums, 2), sums.noisy_sums > bars
    elif plan.has_sums:
        counts, is_clear = sums.noisy_sums, sums.noisy_sums > np.maximum(bars, min_shown - 1)
    else:
        bars = shown_sum_bars(scale, matrices, flows)[sums.shown_matrix_counts]
        counts, is_clear = sums.shown_sums, sums.shown_sums > bars
    clear_counts, rows = counts[is_clear], pa.array(np.flatnonzero(is_clear))
    columns = {"origin": ends[0].take(rows), "dest": ends[1].take(rows), "count": clear_counts}
    if not plan.has_estimates:
        clear_bars = bars[is_clear]
        columns |= {"low_95": clear_counts - clear_bars, "high_95": clear_counts + clear_bars}
    write_table(folder / "flows.csv", [columns])
    all_sum, clear_sum = counts.sum(), clear_counts.sum()
    totals: dict[str, Any] = {
        "flows": ["in flows.csv", "left out", "all"],
        "number": [len(clear_counts), flows - len(clear_counts), flows],
        "count": np.round([clear_sum, all_sum - clear_sum, all_sum], 2).astype(counts.dtype),
    }
    if plan.has_sums:
        total, bar = int(sums.noisy_sums.sum()), total_half_width(1 / scale, matrices * flows)
        prefix = "measured_" if plan.has_estimates else ""
        totals |= {"measured": [None, None, total]} if plan.has_estimates else {}
        totals[f"{prefix}low_95"] = [None, None, total - bar]
        totals[f"{prefix}high_95"] = [None, None, total + bar]
    write_table(folder / "totals.csv", [totals])


def simultaneous_bar(scale: float, counts: int, sums: int) -> int:
    """Return the bar of sums of `counts` counts that holds for all `sums` at once (Bonferroni)."""
    return total_half_width(1 / scale, counts, confidence=1 - (1 - CONFIDENCE) / sums)


def shown_sum_bars(scale: float, matrices: int, flows: int) -> Integers:
    """Return the bars of sums of 0, 1, … `matrices` counts, whichever of the counts are shown.

    They hold for all flows and choices of matrices at once. Chernoff's bound on S, the sum of m
    noises Z: ln P(S ≥ s) ≤ m·ln E e^(θZ) − θs for each θ below 1/scale. Bonferroni over two sides,
    all flows, all m and the choices of m matrices.
    """
    if matrices == 1:
        return np.array([0, simultaneous_bar(scale, 1, flows)])
    rate, summed_matrices = 1 / scale, np.arange(1, matrices + 1)[:, None]
    theta = np.linspace(0, rate, 502)[1:-1]
    log_mgf = 2 * np.log(-np.expm1(-rate))  # ln E e^(θZ) of discrete Laplace noise
    log_mgf = log_mgf - np.log(-np.expm1(theta - rate)) - np.log(-np.expm1(-theta - rate))
    log_choices = gammaln(matrices + 1) - gammaln(summed_matrices + 1)
    log_choices = log_choices - gammaln(matrices - summed_matrices + 1)
    log_probability = np.log((1 - CONFIDENCE) / (2 * flows * matrices)) - log_choices
    # P(S ≥ bound) is at most that probability, so that the largest whole number below is the bar
    bounds = ((summed_matrices * log_mgf - log_probability) / theta).min(axis=1)
    return np.append(0, np.ceil(bounds - 1)).astype(np.int64)

"""Errors of private counts X̂ against true counts X (P1: Acs & Castelluccia 2014, §3.3 and §6.4).

An undefined value – the correlation of a constant series, a distance to an empty map – is NaN.
Callers count these values and never average them in silence.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Floats, Integers, Numbers
from .errors import ParameterError

NOTHING_SHOWN = 0.05
"""A release of fewer expected trips than this shows no trip, in at least 95% of draws (Markov's
inequality)."""


def largest_positions(values: Numbers, n: int) -> Integers:
    """Return the positions of the `n` largest values, the largest first; ties by position."""
    chosen = np.arange(len(values))
    sample = values[::64]
    if 0 < n < len(sample):  # a lower bound of the n-th largest value saves sorting the rest
        chosen = np.flatnonzero(values >= np.partition(sample, len(sample) - n)[len(sample) - n])
    return chosen[np.argsort(-values[chosen], kind="stable")][:n].astype(np.int64)


def mean_of_finite(values: Floats) -> float:
    """Return the mean of the finite values; NaN without any."""
    finite_values = values[np.isfinite(values)]
    return float(finite_values.mean()) if len(finite_values) else float("nan")


def mean_relative_error(truth: Floats, private: Floats) -> Floats:
    """Return the mean of |X̂ − X| / max(γ, X) by zone, γ 0.1% of its total; NaN if 0 (P1 §3.3)."""
    truth, private = _check_tables(truth, private)
    floor = 0.001 * truth.sum(axis=1, keepdims=True)
    bound = np.where(floor > 0, np.maximum(floor, truth), np.nan)
    return np.asarray((np.abs(private - truth) / bound).mean(axis=1))


def pearson_correlation(truth: Floats, private: Floats) -> Floats:
    """Return each zone's Pearson correlation over the hours; NaN where a series is constant."""
    truth, private = _check_tables(truth, private)
    a = truth - truth.mean(axis=1, keepdims=True)
    b = private - private.mean(axis=1, keepdims=True)
    # a constant series leaves rounding errors of its own size, not zeros
    constant = (np.ptp(truth, axis=1) == 0) | (np.ptp(private, axis=1) == 0)
    length = np.sqrt(np.einsum("zt,zt->z", a, a)) * np.sqrt(np.einsum("zt,zt->z", b, b))
    length = np.where(constant | (length == 0), np.nan, length)
    return np.clip(np.einsum("zt,zt->z", a, b) / length, -1.0, 1.0)


def total_error(truth: Floats, private: Floats) -> float:
    """Return |Σ X̂ − Σ X| / Σ X over all zones and hours; NaN if the truth is all zero."""
    truth, private = _check_tables(truth, private)
    total = float(truth.sum())
    return abs(float(private.sum()) - total) / total if total > 0 else float("nan")


def earth_movers_distance(truth: Floats, private: Floats, distances_m: Floats) -> Floats:
    """Return the earth mover's distance between the true and the private map of every hour.

    Of counts of at least 0, (zones, hours), and metres between the centres of zones, (zones,
    zones); in metres, NaN in hours in which one of the maps is empty. Both are normalised. With a
    metric ground distance the common mass min(p, q) never moves, so only the differences are
    transported: exact, and about four times faster.
    """
    truth, private = _check_tables(truth, private)
    size = len(truth)
    if distances_m.shape != (size, size):
        rule = f"distances_m must have shape ({size}, {size}), one row a zone"
        remedy = "take centre_distances_m(dataset.zones)"
        raise ParameterError(rule, value=f"{distances_m.shape}", remedy=remedy)
    if truth.min(initial=0.0) < 0 or private.min(initial=0.0) < 0:
        rule = "maps must have no negative count"
        remedy = "clip negative counts to 0 first"
        raise ParameterError(rule, value="one", remedy=remedy)
    hours = zip(truth.T, private.T, strict=True)
    return np.array([_earth_moved(p, q, distances_m) for p, q in hours])


def common_part(error: ArrayLike, released: ArrayLike, true: ArrayLike) -> Any:
    """Return the common part of a release X and the truth t: 1 − `error` / (`true` + `released`).

    Takes the sums Σ E|X − t|, Σ E X and Σ t; equals Σ E min(X, t) over the mean of Σ E X and Σ t.
    From 0 to 1; NaN without true trips. It is the Sørensen index, in mobility the common part of
    commuters (CPC, Lenormand et al. 2012). Dropped, suppressed and invented trips lower it. As a
    ratio of expectations it is within .0004 of the mean ratio of draws.
    """
    trips = np.asarray(true, dtype=np.float64)
    return 1 - np.asarray(error) / np.where(trips > 0, trips + np.asarray(released), np.nan)


def _earth_moved(p: Floats, q: Floats, distances_m: Floats) -> float:
    from ot import emd2  # loads slowly and is needed last

    if p.sum() <= 0 or q.sum() <= 0:
        return float("nan")
    difference = p / p.sum() - q / q.sum()
    source, sink = np.flatnonzero(difference > 0), np.flatnonzero(difference < 0)
    supply, demand = difference[source], -difference[sink]
    mass = supply.sum()
    if mass <= 0 or demand.sum() <= 0:
        return 0.0
    costs = np.ascontiguousarray(distances_m[np.ix_(source, sink)])
    moved: Any = emd2(supply / mass, demand / demand.sum(), costs, numItermax=10_000_000)
    return float(mass) * float(moved)


def _check_tables(truth: Floats, private: Floats) -> tuple[Floats, Floats]:
    if truth.shape != private.shape or truth.ndim != 2:
        rule = "truth and private must be tables of the same shape (zones, hours)"
        remedy = "compare a release with the truth of its dataset"
        raise ParameterError(rule, value=f"{truth.shape} and {private.shape}", remedy=remedy)
    return truth.astype(np.float64, copy=False), private.astype(np.float64, copy=False)

"""What privacy costs an analysis: the package's benchmark measures, and ours beside them.

All compare private numbers as shown (whole, not below 0) with the truth over all trips. Measures
of distributions normalise both. A measure that does not exist is NaN.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, TypedDict, Unpack

import numpy as np

from .. import metrics, validation
from ..arrays import Floats, Integers, Numbers
from ..errors import ParameterError
from .aggregates import ReportTable
from .analyses import Analysis
from .mechanism import ReportRelease
from .settings import ReportParameters
from .vectors import numbers

TOP = (1, 2, 5, 10, 50, 100)
_MANY = 10_000
_PLACES = frozenset({Analysis.ZONES, Analysis.FLOWS})
_SINGLE = frozenset({Analysis.STATISTICS, Analysis.MISSING})


def relative_errors(truth: Numbers, private: Numbers) -> Floats:
    """Return |private − true| / true of single numbers; NaN where the truth is 0.

    Examples
    --------
    >>> relative_errors(np.array([100, 0]), np.array([90, 3]))
    array([0.1, nan])
    """
    exact = truth.astype(np.float64)
    return np.abs(private - exact) / np.where(exact > 0, exact, np.nan)


def smape(truth: Numbers, private: Numbers, times: Numbers | None = None) -> float:
    """Return the mean of |private − true| / ((|private| + |true|)/2); 0/0 counts as 0. 0 to 2.

    `times` says how often each pair of numbers stands there, once by default.

    Examples
    --------
    >>> smape(np.array([0, 10]), np.array([0, 30]))
    0.5
    """
    together = (np.abs(truth) + np.abs(private)) / 2
    apart = np.abs(private - truth) / np.where(together > 0, together, 1.0)
    return float(np.average(apart, weights=times))


def kl_divergence(truth: Numbers, private: Numbers, times: Numbers | None = None) -> float:
    """Return Kullback–Leibler(private ‖ true) in nats; infinite where only the truth is 0.

    `times` says how often each pair of numbers stands there, once by default.

    Examples
    --------
    >>> round(kl_divergence(np.array([1, 1]), np.array([3, 1])), 4)
    0.1308
    """
    p, q, times = _shares(truth, private, times)
    on = p != 0  # NaN stays
    if (q[on] == 0).any():
        return float("inf")
    return float(np.sum(times[on] * p[on] * np.log(p[on] / q[on])))


def js_divergence(truth: Numbers, private: Numbers, times: Numbers | None = None) -> float:
    """Return the Jensen–Shannon divergence in nats, 0 to ln 2. Its root is the JS distance.

    `times` says how often each pair of numbers stands there, once by default.

    Examples
    --------
    >>> round(js_divergence(np.array([1, 0]), np.array([0, 1])), 4)
    0.6931
    """
    p, q, times = _shares(truth, private, times)
    middle = (p + q) / 2
    ratios = [np.log(np.where(x > 0, x / np.where(middle > 0, middle, 1), 1)) for x in (p, q)]
    return float((times * p) @ ratios[0] + (times * q) @ ratios[1]) / 2


def earth_movers_distance(truth: Numbers, private: Numbers, width: float) -> float:
    """Return how far mass moves between neighbouring bins of equal width, in their unit.

    Examples
    --------
    >>> earth_movers_distance(np.array([1, 0, 0]), np.array([0, 0, 1]), 5.0)
    10.0
    """
    p, q, _ = _shares(truth, private, None)
    return float(np.abs(np.cumsum(p - q)).sum() * width)


def kendall_tau(truth: Numbers, private: Numbers) -> float:
    """Return Kendall's τ_b of the order of places by their counts, −1 to 1.

    Over all places and their counts: the package correlates the numbers of the ids of the first
    few, which says nothing about order.

    Examples
    --------
    >>> kendall_tau(np.array([3, 2, 1]), np.array([30, 10, 20])).__round__(4)
    0.3333
    """
    if np.ptp(truth) == 0 or np.ptp(private) == 0:
        return float("nan")
    from scipy.stats import kendalltau  # slow to load, and asked for seldom

    correlation: Any = kendalltau(truth, private)
    return float(correlation.statistic)


def top_n_coverage(truth: Numbers, private: Numbers, n: int) -> float:
    """Return the share of the true first `n` places that are among the private first `n`.

    Ties are ordered by position. NaN where there are fewer places.

    Examples
    --------
    >>> top_n_coverage(np.array([5, 4, 1]), np.array([9, 0, 8]), 2)
    0.5
    """
    validation.whole_number("n", n, 1, remedy="10 is usual")
    if n > len(truth):
        return float("nan")
    return len(np.intersect1d(metrics.largest(truth, n), metrics.largest(private, n))) / n


def scores(truth: ReportTable, release: ReportRelease) -> dict[Analysis, dict[str, float]]:
    """Return the errors of a report, an analysis each: what `losses` measures without delay.

    Examples
    --------
    >>> from engine import datasets, report
    >>> demo = datasets.load("demo-city")
    >>> private = report.release(demo, report.ReportParameters(epsilon=1.0),
    ...                          rng=np.random.default_rng(0))
    >>> 0 < scores(report.truth(demo), private)[Analysis.HOURS]["smape"] < 1
    True
    """
    return {analysis: losses(truth, release, analysis) for analysis in release.results}


class Wanted(TypedDict, total=False):
    """Which measures are wanted.

    `slow` includes those that take more than some milliseconds: τ, and the earth mover's distance
    of zones, for which `distances_m` holds metres between zones, shape (zones, zones). `only` names
    the measures that are wanted; all by default.
    """

    slow: bool
    distances_m: Floats | None
    only: Collection[str] | None


def losses(
    truth: ReportTable, release: ReportRelease, analysis: Analysis, **wanted: Unpack[Wanted]
) -> dict[str, float]:
    """Return the measures that fit one analysis, by name.

    Parameters
    ----------
    truth : ReportTable
        Of the dataset, see `engine.report.truth`.
    release : ReportRelease
        With the analysis.
    analysis : Analysis
        Single numbers have relative errors by part; zones and flows also τ and coverage.
    **wanted
        See `Wanted`.

    Returns
    -------
    dict of str to float
        ``relative_error``, ``smape``, ``kl_divergence``, ``js_divergence``,
        ``earth_movers_distance``, ``kendall_tau``, ``top_n_coverage`` with n a number,
        ``mean_relative_error``, ``pearson``: those that fit the analysis.

    Raises
    ------
    ParameterError
        If the analysis is not in the release.
    """
    if analysis not in release.results:
        raise ParameterError(f"{str(analysis)!r} is not in this report; give it a weight above 0")
    parameters = release.parameters
    true = numbers(truth, analysis, parameters)
    return distances(true, release.results[analysis].shown, analysis, parameters, **wanted)


def distances(
    true: Integers,
    private: Integers,
    analysis: Analysis,
    parameters: ReportParameters,
    *,
    slow: bool = False,
    distances_m: Floats | None = None,
    only: Collection[str] | None = None,
) -> dict[str, float]:
    """Return the measures of `losses` between any two reports of the same bins and zones.

    Examples
    --------
    >>> days = np.array([4, 0, 0, 0, 0, 0, 0])
    >>> between = distances(days, 2 * days, Analysis.WEEKDAYS, ReportParameters(epsilon=1.0))
    >>> between["js_divergence"], round(between["smape"], 3)
    (0.0, 0.095)
    """
    if analysis in _SINGLE:
        errors = relative_errors(true, private)
        known = errors[~np.isnan(errors)]
        return {"relative_error": float(known.mean()) if len(known) else float("nan")}
    pairs = _distinct(true, private)
    measures: dict[str, Callable[[], float]] = {
        "smape": lambda: smape(*pairs),
        "kl_divergence": lambda: kl_divergence(*pairs),
        "js_divergence": lambda: js_divergence(*pairs),
        "mean_relative_error": lambda: float(
            metrics.mean_relative_error(_row(true), _row(private))[0]
        ),
        "pearson": lambda: float(metrics.pearson(_row(true), _row(private))[0]),
    }
    if analysis.is_histogram:
        width = parameters.bins_of(analysis).width
        measures["earth_movers_distance"] = lambda: earth_movers_distance(true, private, width)
    if analysis in _PLACES:
        measures |= _of_places(true, private, analysis, slow=slow, distances_m=distances_m)
    return {name: measure() for name, measure in measures.items() if only is None or name in only}


def summarised(repeats: list[Mapping[str, float]]) -> dict[str, tuple[float, float, float]]:
    """Return median, 5% and 95% point of each measure over repeated draws; NaN where none exists.

    Examples
    --------
    >>> summarised([{"smape": 0.1}, {"smape": 0.3}])["smape"][0]
    0.2
    """
    names = repeats[0].keys() if repeats else ()
    summary: dict[str, tuple[float, float, float]] = {}
    for name in names:
        values = np.array([repeat[name] for repeat in repeats])
        known = values[~np.isnan(values)]
        # nothing lies between a number and infinity
        method = "inverted_cdf" if np.isinf(known).any() else "median_unbiased"
        with np.errstate(invalid="ignore"):
            points = np.quantile(
                known if len(known) else [np.nan], (0.5, 0.05, 0.95), method=method
            )
        middle, low, high = points.tolist()
        summary[name] = (middle, low, high)
    return summary


def _of_places(
    true: Integers, private: Integers, analysis: Analysis, *, slow: bool, distances_m: Floats | None
) -> dict[str, Callable[[], float]]:
    # zones end with what is outside them, which is no place
    end = -1 if analysis is Analysis.ZONES else None
    truth, private = true[:end], private[:end]
    measures: dict[str, Callable[[], float]] = {
        f"top_{n}_coverage": partial(top_n_coverage, truth, private, n) for n in TOP
    }
    if slow:
        measures["kendall_tau"] = lambda: kendall_tau(truth, private)
    if slow and distances_m is not None and analysis is Analysis.ZONES:
        measures["earth_movers_distance"] = lambda: float(
            metrics.earth_movers_distance(_row(truth).T, _row(private).T, distances_m)[0]
        )
    return measures


def _row(counts: Numbers) -> Floats:
    return counts.astype(np.float64)[None, :]


def _shares(truth: Numbers, private: Numbers, times: Numbers | None) -> tuple[Floats, ...]:
    """Return private and true shares of their sums, NaN where one is 0, and how often each is."""
    weights = np.ones(len(truth)) if times is None else times.astype(np.float64)
    totals = [float(counts @ weights) for counts in (private, truth)]
    p, q = (
        counts / (total if min(totals) > 0 else np.nan)
        for counts, total in zip((private, truth), totals, strict=True)
    )
    return p, q, weights


def _distinct(truth: Integers, private: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the pairs of a true and a private number that occur, and how often each does.

    Of a million flows few pairs are different.
    """
    most = int(private.max(initial=0)) + 1
    cells = (int(truth.max(initial=0)) + 1) * most
    if len(truth) < _MANY or cells > len(truth):
        return truth, private, np.ones(len(truth), dtype=np.int64)
    times = np.bincount(truth * most + private, minlength=cells)
    pair = np.flatnonzero(times)
    return pair // most, pair % most, times[pair]

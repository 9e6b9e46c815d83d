"""How well one density release holds: the figures that every page and report shows."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from .. import metrics
from ..arrays import Floats
from ..sweeping import Point
from .mechanism import NOISE_EXCEEDS_DATA, DensityRelease


@dataclass(frozen=True, eq=False, kw_only=True)
class DensityScores:
    """Errors of one density release against the truth; confidential unless simulated.

    Attributes
    ----------
    error : array, shape (zones,)
        Mean relative error of every zone over its hours, at least 0; NaN without visits.
    correlation : array, shape (zones,)
        Pearson correlation over the hours, −1 to 1; NaN where a series is constant.
    total_error : float
        Relative error of the number of all visits of the week.
    exceeded : bool
        Whether the noise exceeds the data: every private count reads 0.
    """

    error: Floats
    correlation: Floats
    total_error: float
    exceeded: bool

    @property
    def mean_error(self) -> float:
        """Mean relative error over the zones that have one; NaN where none has.

        NaN also where every count reads 0: an error of 100% throughout says nothing, and beside
        releases that are off by more it would look good.
        """
        return float("nan") if self.exceeded else metrics.mean_of_known(self.error)

    @property
    def mean_correlation(self) -> float:
        """Mean correlation over the zones that have one; NaN where none has."""
        return metrics.mean_of_known(self.correlation)


def scores(truth: Floats, release: DensityRelease) -> DensityScores:
    """Return the errors of `release` against the truth of its dataset.

    Parameters
    ----------
    truth : array, shape (zones, 168)
        True visits by zone and hour, see `engine.density.truth`.

    Examples
    --------
    >>> from engine import datasets, density
    >>> demo = datasets.load("demo-city")
    >>> parameters = density.DensityParameters(epsilon=1.0)
    >>> release = density.release(demo, parameters, rng=np.random.default_rng(0))
    >>> scored = scores(density.truth(demo), release)
    >>> scored.error.shape, scored.exceeded
    ((150,), False)
    """
    return DensityScores(
        error=metrics.mean_relative_error(truth, release.counts),
        correlation=metrics.pearson(truth, release.counts),
        total_error=metrics.total_error(truth, release.counts),
        exceeded=NOISE_EXCEEDS_DATA in release.flags,
    )


@dataclass(frozen=True, kw_only=True)
class MeanScores:
    """Means of `DensityScores` over the zones, and of many releases over these: a few numbers.

    Attributes
    ----------
    error, correlation : float
        As ``DensityScores.mean_error`` and ``mean_correlation``.
    total_error : float
        Relative error of the number of all visits.
    exceeded : float
        Whether every private count reads 0; of many releases how many do.
    """

    error: float
    correlation: float
    total_error: float
    exceeded: float


def mean_scores(truth: Floats, release: DensityRelease) -> MeanScores:
    """Return the means of the `scores` of a release: all that a curve over ε keeps of it."""
    scored = scores(truth, release)
    return MeanScores(
        error=scored.mean_error,
        correlation=scored.mean_correlation,
        total_error=scored.total_error,
        exceeded=scored.exceeded,
    )


def summarise(points: Iterable[Point]) -> dict[int, tuple[MeanScores, MeanScores, int]]:
    """Return mean, standard deviation and number of releases of each setting of a sweep.

    Parameters
    ----------
    points : iterable of Point
        Of `engine.sweeping.sweep` with ``score=mean_scores``; those that have arrived.

    Returns
    -------
    dict
        By position of the setting, in order. A release that is zero everywhere is left out of the
        means of error and correlation, and counted in ``exceeded`` of the first. A standard
        deviation of fewer than two values is NaN.
    """
    by_setting: dict[int, list[MeanScores]] = {}
    for point in points:
        by_setting.setdefault(point.setting, []).append(point.scores)
    return {
        setting: (
            _over(by_setting[setting], metrics.mean_of_known),
            _over(by_setting[setting], _deviation),
            len(by_setting[setting]),
        )
        for setting in sorted(by_setting)
    }


def _over(drawn: list[MeanScores], statistic: Callable[[Floats], float]) -> MeanScores:
    return MeanScores(
        error=statistic(np.array([each.error for each in drawn])),
        correlation=statistic(np.array([each.correlation for each in drawn])),
        total_error=statistic(np.array([each.total_error for each in drawn])),
        exceeded=sum(each.exceeded for each in drawn),
    )


def _deviation(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else float("nan")

"""Errors of one density release against the truth."""

from dataclasses import dataclass

import numpy as np

from .. import metrics
from ..arrays import Floats
from .mechanism import NO_POSITIVE_TOTAL, DensityRelease


@dataclass(frozen=True, eq=False, kw_only=True)
class DensityScores:
    """Errors of one density release against the truth; confidential unless simulated.

    `error` and `correlation`, shape (zones,), are the mean relative error over the hours, NaN
    without visits, and Pearson's correlation over the hours, NaN of a constant series. Over all
    zones and hours, X true, `mean_absolute_error` is the mean of |X̂ − X|, `total_error`
    |Σ X̂ − Σ X| / Σ X and `common_part` the Sørensen index 2·Σ min(X̂, X) / (Σ X̂ + Σ X).
    `is_empty`: the release has the flag `NO_POSITIVE_TOTAL`.
    """

    error: Floats
    correlation: Floats
    mean_absolute_error: float
    total_error: float
    common_part: float
    is_empty: bool

    @property
    def mean_error(self) -> float:
        """Mean relative error over the zones that have one; NaN if none has, or if all are 0."""
        return float("nan") if self.is_empty else metrics.mean_of_finite(self.error)

    @property
    def mean_correlation(self) -> float:
        """Mean correlation over the zones that have one; NaN where none has."""
        return metrics.mean_of_finite(self.correlation)


def scores(truth: Floats, release: DensityRelease) -> DensityScores:
    """Return the errors of `release` against the `truth` of its dataset, both (zones, 168)."""
    absolute_errors = np.abs(release.counts - truth)
    return DensityScores(
        error=metrics.mean_relative_error(truth, release.counts),
        correlation=metrics.pearson_correlation(truth, release.counts),
        mean_absolute_error=float(absolute_errors.mean()),
        total_error=metrics.total_error(truth, release.counts),
        common_part=float(
            metrics.common_part(absolute_errors.sum(), release.counts.sum(), truth.sum())
        ),
        is_empty=NO_POSITIVE_TOTAL in release.flags,
    )

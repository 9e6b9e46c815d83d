"""Errors of one density release against the truth."""

from dataclasses import dataclass

import numpy as np

from .. import metrics
from ..arrays import Floats
from .mechanism import NOISE_EXCEEDS_DATA, DensityRelease


@dataclass(frozen=True, eq=False, kw_only=True)
class DensityScores:
    """Errors of one density release against the truth; confidential unless simulated.

    `error` and `correlation`, shape (zones,), are the mean relative error over the hours, NaN
    without visits, and Pearson's correlation over the hours, NaN of a constant series. Of the
    whole: `total_error` is the relative error of all visits, `common_part` the Sørensen index by
    zone and hour, and `exceeds_data` says that the release has the flag `NOISE_EXCEEDS_DATA`.
    """

    error: Floats
    correlation: Floats
    total_error: float
    common_part: float
    exceeds_data: bool

    @property
    def mean_error(self) -> float:
        """Mean relative error over the zones that have one; NaN where none has.

        Also NaN if every count is 0: an error of 100% would look good beside larger ones.
        """
        return float("nan") if self.exceeds_data else metrics.mean_of_finite(self.error)

    @property
    def mean_correlation(self) -> float:
        """Mean correlation over the zones that have one; NaN where none has."""
        return metrics.mean_of_finite(self.correlation)


def scores(truth: Floats, release: DensityRelease) -> DensityScores:
    """Return the errors of `release` against the `truth` of its dataset, both (zones, 168)."""
    absolute_error = np.abs(release.counts - truth).sum()
    return DensityScores(
        error=metrics.mean_relative_error(truth, release.counts),
        correlation=metrics.pearson_correlation(truth, release.counts),
        total_error=metrics.total_error(truth, release.counts),
        common_part=float(metrics.common_part(absolute_error, release.counts.sum(), truth.sum())),
        exceeds_data=NOISE_EXCEEDS_DATA in release.flags,
    )

"""Truncation error and noise of a report by the contribution limit M."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from ..arrays import Floats
from .measures import STOPS
from .mechanism import AnalysisResult


@dataclass(frozen=True, kw_only=True)
class TripAssumption:
    """Public assumption on people's trips in the period, a lognormal, never from the data (R1)."""

    people: int
    mean: float
    standard_deviation: float

    def trips_left_out(self, max_trips_per_user: int) -> float:
        """Return the expected trips beyond M of all people together: n·E[(K − M)⁺]."""
        variance = np.log1p((self.standard_deviation / self.mean) ** 2)
        spread = np.sqrt(variance)
        reach = (np.log(self.mean / max_trips_per_user) + variance / 2) / spread
        above = self.mean * ndtr(reach) - max_trips_per_user * ndtr(reach - spread)
        return float(self.people * above)


@dataclass(frozen=True, eq=False)
class BoundingCurve:
    """Expected sums of absolute errors over all numbers of an analysis at each M, in trips."""

    truncation_error: Floats
    noise_error: Floats

    @property
    def best_limit(self) -> int:
        """The M with the least total error."""
        return STOPS[int(np.argmin(self.truncation_error + self.noise_error))]


def compute_bounding_curve(
    assumption: TripAssumption, result: AnalysisResult, max_trips_per_user: int
) -> BoundingCurve:
    """Return truncation error and noise of trips or points at every M, at unit ``user``."""
    per_trip = 2 if result.analysis.counted_item == "point" else 1
    noise = float(result.mean_absolute_noise().sum()) / per_trip / max_trips_per_user
    return BoundingCurve(
        truncation_error=np.array([assumption.trips_left_out(m) for m in STOPS]),
        noise_error=noise * np.array(STOPS),
    )

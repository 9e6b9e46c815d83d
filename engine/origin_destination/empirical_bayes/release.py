"""Release matrices by empirical Bayes: measure once, then estimate from the noisy cells."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Unpack

import numpy as np

from ...arrays import Booleans, Floats, Integers
from ...datasets import Dataset
from ...geography import centre_distances_m
from ...parameters import ODParameters
from ...privacy_cost import PrivacyCost
from ..mechanism import ReleaseArguments
from ..noise_bounds import cell_half_width, min_detected_count, noise_variance, total_half_width
from . import intervals
from .measurement import Measurement, beyond_rate, max_excess_count, measure
from .posterior import compute_posterior, iterate_expectations


class ScaleUp(NamedTuple):
    """Factor that scales up sums, and the 95% range of (truncated + trips beyond T)/truncated.

    `high_95` is None where the number of truncated trips does not exceed its noise.
    """

    factor: float
    low_95: float
    high_95: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class EmpiricalBayesRelease:
    """One release by empirical Bayes: estimated trips, with model-based and model-free statements.

    Arrays have shape (days, zones, zones), but `distances_m`, public metres, (zones, zones).

    - `counts`: expected trips (posterior mean), at least 0 and not whole; use these for sums.
    - `point_estimates`: whole trips of one flow (posterior median), with the least expected
      absolute error. Not for sums: medians of small flows are mostly 0 and add up to too little.
    - `zero_probability`: P(no truncated trip) by the model.
    - `is_detected`: flows detected whatever the model: on average at most 5% of the detected flows
      of a release, all its days together, are empty.
    """

    counts: Floats
    point_estimates: Floats
    zero_probability: Floats
    is_detected: Booleans
    measurement: Measurement
    distances_m: Floats

    @property
    def parameters(self) -> ODParameters:
        """The settings, with ``method="empirical_bayes"``."""
        return self.measurement.parameters

    @property
    def cost(self) -> PrivacyCost:
        """Privacy loss of one unit."""
        return self.measurement.cost

    @cached_property
    def is_likely(self) -> Booleans:
        """Flows that are not detected, but are empty with less than 5% by the model."""
        return ~self.is_detected & (self.zero_probability < 0.05)

    @property
    def is_shown(self) -> Booleans:
        """Flows that are shown individually; the others belong in sums."""
        return self.is_detected | self.is_likely

    @property
    def shown_counts(self) -> Floats:
        """Shown number of each flow, not for sums: `point_estimates`, 0 where not shown."""
        return np.where(self.is_shown, self.point_estimates, 0.0)

    @cached_property
    def interval(self) -> tuple[Integers, Integers]:
        """95% ranges of truncated counts, shape (days, zones, zones), as `iterate_intervals`."""
        low, high = zip(*iterate_intervals(self.measurement, self.distances_m), strict=True)
        return np.stack(low), np.stack(high)

    def exact_interval(self) -> tuple[Integers, Integers]:
        """Return ranges, at least 0, that contain all truncated counts at once in 95% of releases.

        They therefore hold for flows chosen by looking at the release, too.
        """
        cells = self.measurement.cells
        off = ~np.eye(cells.shape[-1], dtype=np.bool_)
        reach = cell_half_width(self.measurement.rate, cells=max(len(cells) * int(off.sum()), 1))
        return np.maximum(cells - reach, 0) * off, np.maximum(cells + reach, 0) * off

    def exact_totals(self, axis: int) -> tuple[Integers, int]:
        """Return noisy totals of zones, shape (days, zones), and their half-width z.

        Truncated totals lie within ± z all at once in 95 of 100 releases; `axis` is −1 for trips
        out of each zone, −2 for trips into it.
        """
        totals, zones = self.measurement.cells.sum(axis=axis), self.counts.shape[-1]
        if zones < 2:
            return totals, 0
        level = 1 - 0.05 / totals.size
        return totals, total_half_width(self.measurement.rate, zones - 1, confidence=level)


def release(
    dataset: Dataset, parameters: ODParameters, **draw: Unpack[ReleaseArguments]
) -> EmpiricalBayesRelease:
    """Draw one release; arguments and errors as `engine.origin_destination.release`.

    `noise` is the noise of Laplace with suppression, made discrete, so that both methods can be
    compared on one draw.
    """
    measured = measure(dataset, parameters, **draw)
    return estimate_from_measurement(measured, centre_distances_m(dataset.zones))


def iterate_release(
    dataset: Dataset, parameters: ODParameters, **draw: Unpack[ReleaseArguments]
) -> Iterator[EmpiricalBayesRelease]:
    """Yield `release` matrix by matrix, each estimated from the noisy cells of all."""
    return estimate_days(measure(dataset, parameters, **draw), centre_distances_m(dataset.zones))


def estimate_from_measurement(measured: Measurement, distances_m: Floats) -> EmpiricalBayesRelease:
    """Return the estimates of a measurement: a pure function of noisy cells and public geometry."""
    days = list(estimate_days(measured, distances_m))
    if len(days) == 1:  # nothing is copied
        return days[0]
    names = ("counts", "point_estimates", "zero_probability", "is_detected")
    stacks = {name: np.concatenate([getattr(day, name) for day in days]) for name in names}
    return EmpiricalBayesRelease(**stacks, measurement=measured, distances_m=distances_m)


def estimate_days(measured: Measurement, distances_m: Floats) -> Iterator[EmpiricalBayesRelease]:
    """Yield the release of `estimate_from_measurement` day by day, with one day in memory.

    Sums are scaled up by the trips beyond T. A point estimate is scaled by its posterior mean, or
    by the intensity where that mean is small, and rounded down. Exact statements are about
    truncated trips.
    """
    min_detected, factor = min_detected_count(measured.cells, measured.rate), scale_up(measured)
    off = ~np.eye(measured.cells.shape[-1], dtype=np.bool_)
    for day, expect in enumerate(iterate_expectations(measured.cells, measured.rate, distances_m)):
        posterior = compute_posterior(measured.cells[day], measured.rate, expect(None))
        mean, typical, empty, intensity = posterior
        # a smaller mean of truncated trips tells less of the trips beyond T than the intensity
        behind = np.where(mean < 8.0, intensity, mean)
        yield EmpiricalBayesRelease(
            counts=factor * mean[None],
            point_estimates=np.floor(typical + (factor - 1) * behind)[None],
            zero_probability=empty[None],
            is_detected=off & (measured.cells[day : day + 1] >= min_detected),
            measurement=replace(measured, cells=measured.cells[day : day + 1]),
            distances_m=distances_m,
        )


def scale_up(measured: Measurement) -> float:
    """Return the factor of sums for the trips beyond T, as far as these exceed their noise.

    One factor serves all matrices of a release: the count of a quiet day would be mostly noise. The
    count is used beyond two standard deviations; in a single matrix of unit person, where T drops
    more, beyond one. A unit with n counted trips beyond T has T within it, so trips beyond T of
    more than n/T times those within it are noise.
    """
    totals, parameters = measured.totals, measured.parameters
    if totals is None:
        return 1.0
    kept_trips = max(totals.kept_trips, 1)
    most = kept_trips * max_excess_count(parameters) / parameters.max_trips_per_user
    deviations = 1 if parameters.unit == "person" and totals.matrices == 1 else 2
    variance = deviations**2 * totals.matrices * noise_variance(beyond_rate(parameters))
    # positive part of James and Stein
    believed = max(1 - variance / max(min(totals.trips_beyond, most), 1.0) ** 2, 0.0)
    return 1 + float(np.clip(believed * totals.trips_beyond, 0.0, most)) / kept_trips


def state_scale_up(measured: Measurement) -> ScaleUp | None:
    """Return the factor with its 95% range; None where trips beyond T are not measured.

    Each of the two sums lies within its half-width in 97.5 of 100 releases, without any model.
    """
    totals, zones = measured.totals, measured.cells.shape[-1]
    if totals is None:
        return None
    kept, more, matrices = totals.kept_trips, totals.trips_beyond, totals.matrices
    both = 1 - (1 - intervals.CONFIDENCE) / 2
    kept_reach = total_half_width(measured.rate, matrices * zones * (zones - 1), confidence=both)
    more_reach = total_half_width(beyond_rate(measured.parameters), matrices, confidence=both)
    low = 1 + max(more - more_reach, 0) / max(kept + kept_reach, 1)
    high = 1 + max(more + more_reach, 0) / (kept - kept_reach) if kept > kept_reach else None
    return ScaleUp(scale_up(measured), low, high)


def iterate_intervals(
    measured: Measurement, distances_m: Floats
) -> Iterator[tuple[Integers, Integers]]:
    """Yield low and high of all truncated counts, shape (zones, zones), one day after another.

    Each range contains its truncated count in at least 95 of 100 releases without any model, if the
    flow was chosen without looking at the release; the model only makes it short.
    """
    for day, expect in enumerate(iterate_expectations(measured.cells, measured.rate, distances_m)):
        yield intervals.day_intervals(measured.cells[day], measured.rate, expect)

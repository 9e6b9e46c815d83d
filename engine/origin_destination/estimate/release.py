"""One release by `estimate`: measure once, then read with statistics what was measured."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Unpack

import numpy as np

from ...arrays import Booleans, Floats, Integers
from ...datasets import Dataset
from ...geography import centre_distances_m
from ...ledger import Ledger
from ...parameters import ODParameters
from ..mechanism import Draw
from ..statements import cell_reach, least_certain, total_reach
from . import assisted
from .measurement import BEYOND_SHARE, Measurement, counts_beyond, measure
from .reading import beyond_noise, expectations, read

LIKELY_EMPTY = 0.05
"""A flow is likely where the model's P(no trip) is below this."""

FEW_TRIPS = 8.0
"""A flow of fewer kept trips says less of those beyond T than what is expected of it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class EstimateRelease:
    """Estimated trips, what the model says of them and what holds without any model.

    Parameters
    ----------
    counts : array, shape (days, zones, zones)
        Expected trips (posterior mean), at least 0 and not whole: what to add up.
    typical : array, same shape
        The number of one flow (posterior median), whole, with the least expected absolute error.
        Not for sums: small flows are mostly empty, so their medians add up to too little.
    empty : array, same shape
        P(no kept trip) by the model.
    certain : bool array, same shape
        Flows named as existing whatever the model: on average at most 5% of those that a release
        names, all its days together, are empty.
    factor : array, shape (days,)
        By which sums of a day are scaled up for the trips beyond T.
    measurement, distances_m : Measurement, array of shape (zones, zones)
        The noisy cells on which all rests, and public metres between zones.
    """

    counts: Floats
    typical: Floats
    empty: Floats
    certain: Booleans
    factor: Floats
    measurement: Measurement
    distances_m: Floats

    @property
    def parameters(self) -> ODParameters:
        """The settings, with ``method="estimate"``."""
        return self.measurement.parameters

    @property
    def ledger(self) -> Ledger:
        """What one unit of protection pays."""
        return self.measurement.ledger

    @property
    def days(self) -> tuple[int, ...]:
        """Positions of the days in the declared period."""
        return self.measurement.days

    @cached_property
    def likely(self) -> Booleans:
        """Flows that are not certain, but empty with less than 5% by the model."""
        return ~self.certain & (self.empty < LIKELY_EMPTY)

    @property
    def shown(self) -> Booleans:
        """Flows that are shown by themselves; the others are to be kept in sums."""
        return self.certain | self.likely

    @property
    def as_shown(self) -> Floats:
        """The number shown of each flow by itself, not for sums: `typical`, 0 where not shown."""
        return np.where(self.shown, self.typical, 0.0)

    @cached_property
    def interval(self) -> tuple[Integers, Integers]:
        """The 95% range of every kept count, shape (days, zones, zones), as `intervals`."""
        low, high = zip(*intervals(self.measurement, self.distances_m), strict=True)
        return np.stack(low), np.stack(high)

    def exact_interval(self) -> tuple[Integers, Integers]:
        """Return ranges, at least 0, that hold all kept counts at once in 95 of 100 releases.

        So they hold for flows that were chosen by what was released, too.
        """
        cells = self.measurement.cells
        off = ~np.eye(cells.shape[-1], dtype=np.bool_)
        reach = cell_reach(self.measurement.rate, cells=max(len(cells) * int(off.sum()), 1))
        return np.maximum(cells - reach, 0) * off, np.maximum(cells + reach, 0) * off

    def exact_totals(self, axis: int) -> tuple[Integers, int]:
        """Return noisy totals of zones, shape (days, zones), and z: kept ones are in it ± z.

        All at once in 95 of 100 releases; `axis` is −1 for trips out of each zone, −2 for trips
        into it.
        """
        totals, zones = self.measurement.cells.sum(axis=axis), self.counts.shape[-1]
        if zones < 2:
            return totals, 0
        level = 1 - 0.05 / totals.size
        return totals, total_reach(self.measurement.rate, zones - 1, confidence=level)


def release(
    dataset: Dataset,
    parameters: ODParameters,
    *,
    distances_m: Floats | None = None,
    **draw: Unpack[Draw],
) -> EstimateRelease:
    """Draw one release and read it; arguments and errors as `engine.origin_destination.release`.

    `noise` is the noise of the published method, made discrete: both can be compared on one draw.
    `distances_m`, metres between zones, are those between their centres where None.
    """
    measured = measure(dataset, parameters, **draw)
    if distances_m is None:
        distances_m = centre_distances_m(dataset.zones)
    return read_measurement(measured, distances_m)


def read_measurement(measured: Measurement, distances_m: Floats) -> EstimateRelease:
    """Read a measurement: a pure function of noisy cells and public geometry."""
    days = list(read_days(measured, distances_m))
    if len(days) == 1:  # nothing is copied
        return days[0]
    names = ("counts", "typical", "empty", "certain", "factor")
    stacks = {name: np.concatenate([getattr(day, name) for day in days]) for name in names}
    return EstimateRelease(**stacks, measurement=measured, distances_m=distances_m)


def read_days(measured: Measurement, distances_m: Floats) -> Iterator[EstimateRelease]:
    """Yield what `read_measurement` returns, one day after the other: one day is in memory.

    Sums are scaled up by the trips beyond T. A flow gets as many for each kept trip, where it has
    few by what is behind its count; rounded down. Exact statements are about kept trips.
    """
    least = least_certain(measured.cells, measured.rate)
    off = ~np.eye(measured.cells.shape[-1], dtype=np.bool_)
    for day, expect in enumerate(expectations(measured.cells, measured.rate, distances_m)):
        mean, typical, empty, intensity = read(measured.cells[day], measured.rate, expect(None))
        factor = _factor(measured, day, float(mean.sum()))
        behind = np.where(mean < FEW_TRIPS, intensity, mean)
        yield EstimateRelease(
            counts=factor * mean[None],
            typical=np.floor(typical + (factor - 1) * behind)[None],
            empty=empty[None],
            certain=off & (measured.cells[day : day + 1] >= least),
            factor=np.array([factor]),
            measurement=replace(measured, cells=measured.cells[day : day + 1]),
            distances_m=distances_m,
        )


def _factor(measured: Measurement, day: int, kept: float) -> float:
    """Return by how much the trips beyond T, as far as they exceed their noise, scale up."""
    if measured.beyond is None:
        return 1.0
    parameters = measured.parameters
    limit, beyond = parameters.max_trips_per_user, counts_beyond(parameters)
    scale = beyond / (BEYOND_SHARE * parameters.epsilon)
    more = beyond_noise(float(measured.beyond[day]), scale**2)
    return float(np.clip(1 + more / max(kept, 1.0), 1.0, (limit + beyond) / limit))


def intervals(measured: Measurement, distances_m: Floats) -> Iterator[tuple[Integers, Integers]]:
    """Yield low and high of every kept count, shape (zones, zones), one day after another.

    Each holds its kept count in at least 95 of 100 releases whatever the world is like, if the flow
    was chosen without looking at the release; the model makes it short.
    """
    for day, expect in enumerate(expectations(measured.cells, measured.rate, distances_m)):
        yield assisted.of_day(measured.cells[day], measured.rate, expect)

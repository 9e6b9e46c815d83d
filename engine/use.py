"""Of 100 trips, how many are where they really were: the common part, the one measure of use.

`engine.metrics.common_part`, exact where a method has a law, else of repeated draws. The limits are
conventions, not theorems. A use is made of the truth: it is confidential like it, unless the people
are simulated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import density, metrics, origin_destination as od, sweeping
from .arrays import Floats
from .contract import Seen, Setting
from .datasets import Dataset
from .origin_destination import NoiseLaw
from .origin_destination.laws import effective_threshold
from .parameters import DensityParameters, ODParameters, ODUnit
from .resolution import FINEST, look_at
from .steps import Level, step

FLOWS_LIMITS, DENSITY_LIMITS = (0.9, 0.7), (0.95, 0.8)
"""From where on use is good, and good in part. A flat week at the right totals has .74 of visits
in common, and the city's rhythm at the right totals .93."""

DRAWS = 3
"""Releases behind a use that has no exact law, with its standard error."""
DRAWN_CELLS = 250_000
"""Draws read the first matrices that have at most so many cells together, one at least."""

READ_ERROR, CONFIDENCE, NEARLY_ALL = 0.25, 0.95, 0.9
"""A flow can be read by itself where a release shows it, off by at most a quarter in 95% of draws;
from a size on, where that holds of 90% of the flows and of their trips."""

_DAYS_PER_WEEK = 7
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Use:
    """What of the truth a release holds.

    Attributes
    ----------
    share : float
        Common part, from 0 to 1; NaN where there is nothing to hold.
    error : float
        Standard error of `share`; 0 where it is exact.
    crossing : float
        Share of all trips that cross the zones seen; those inside a coarse zone are dropped.
    released : float
        Expected trips (visits) in the release, as a multiple of the true ones.
    limits : tuple of float
        From where on `share` is good, and good in part.
    """

    share: float
    error: float = 0.0
    crossing: float = 1.0
    released: float = 1.0
    limits: tuple[float, float] = FLOWS_LIMITS

    @property
    def level(self) -> Level:
        """The verdict; a release of nothing, or of more noise than trips, is always ``noisy``."""
        return step(self.share, good=self.limits[0], partly=self.limits[1])

    @property
    def of_all(self) -> float:
        """Common part × share that crosses: what ranks settings of different zones."""
        return self.share * self.crossing


def use(setting: Setting, dataset: Dataset, *, seed: int | None = 0, draws: int = DRAWS) -> Use:
    """Return the use of a setting: one number on every page, in the frontier and on the handout.

    Parameters
    ----------
    setting : Setting
        Of flows or of a density.
    dataset : Dataset
        As it was ingested.
    seed : int or None
        Of the draws where there is no law: same seed, same use. None for people who are not
        simulated, and then other noise every time.
    draws : int
        At least 2.

    Examples
    --------
    >>> from engine import datasets
    >>> flows = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=15)
    >>> city = datasets.load("rwanda-districts")
    >>> known = use(Setting(seen=Seen(dataset=city.id), parameters=flows), city)
    >>> round(known.share, 3), known.level
    (0.894, 'partly')
    """
    parameters = setting.parameters
    if isinstance(parameters, ODParameters) and od.METHODS[parameters.method].expected is not None:
        epsilon, threshold = parameters.epsilon, parameters.suppression_threshold
        limit = parameters.max_trips_per_user
        grid = exact_uses(dataset, setting.seen, parameters.unit, limit, [epsilon], [threshold])
        return grid[0][0]
    return drawn_uses(dataset, setting.seen, [parameters], seed=seed, draws=draws)[0]


def exact_uses(
    dataset: Dataset,
    seen: Seen,
    unit: ODUnit,
    limit: int,
    epsilons: Sequence[float],
    thresholds: Sequence[int],
) -> list[list[Use]]:
    """Return the uses of the published flows, a row an ε and a column a τ; nothing is drawn."""
    view, parts = look(dataset, seen)
    error: Any = 0.0
    total: Any = 0.0
    true = 0.0
    for when in parts:
        counted = od.histogram(view, unit, limit, **when)
        grid = od.heat_map(counted, epsilons, thresholds, limit)
        error = error + grid.mean_absolute * counted.cells.sum()
        total = total + counted.true_trips + grid.bias
        true += counted.true_trips
    crossing = _crossing(dataset, seen, true)
    return [
        [_use(off, released, true, crossing=crossing) for off, released in zip(*row, strict=True)]
        for row in zip(error.tolist(), total.tolist(), strict=True)
    ]


def drawn_uses(
    dataset: Dataset,
    seen: Seen,
    settings: Sequence[ODParameters | DensityParameters],
    *,
    seed: int | None = 0,
    draws: int = DRAWS,
) -> list[Use]:
    """Return the uses of settings of one product by draws that share their noise."""
    view, parts = look(dataset, seen)
    flows = isinstance(settings[0], ODParameters)
    product: Any = od if flows else density
    sums = np.zeros((len(settings), draws, 3))
    for number, when in enumerate(_few(view, parts) if flows else [{}]):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
        points = sweeping.sweep(product, view, settings, draws, rng=rng, score=_off, **when)
        for point in points:
            sums[point.setting, point.repeat] += point.scores
    limits = FLOWS_LIMITS if flows else DENSITY_LIMITS
    crossing = _crossing(dataset, seen) if flows else 1.0
    return [
        _use(*one.sum(axis=0), crossing=crossing, limits=limits, error=_standard_error(one))
        for one in sums
    ]


def look(dataset: Dataset, seen: Seen) -> tuple[Dataset, list[dict[str, Any]]]:
    """Return a dataset at the zones seen, and the days of every matrix or run of daily ones."""
    view = look_at(dataset, seen.zones)
    when = seen.when
    days = list(when.positions(len(dataset.metadata.days)))
    if when.step == "day":
        return view, [{"days": days}]
    length = _DAYS_PER_WEEK if when.step == "week" else len(days)
    starts = range(0, len(days), length)
    return view, [{"days": days[at : at + length], "sum_days": True} for at in starts]


def readable_flows(kept: Floats, true: Floats, parameters: ODParameters) -> Any:
    """Return which flows of the published method can be read by themselves, exactly.

    `kept` and `true` are whole numbers of trips after trimming and before, `true` above 0.

    Examples
    --------
    >>> settings = ODParameters(epsilon=1.0, suppression_threshold=15)
    >>> readable_flows(np.array([100.0, 80.0, 70.0]), np.full(3, 100.0), settings)
    array([ True,  True, False])
    """
    law = NoiseLaw(1 / parameters.noise_scale)
    least = effective_threshold(parameters.suppression_threshold)
    low = np.maximum(np.ceil(true * (1 - READ_ERROR)), least)
    high = np.floor(true * (1 + READ_ERROR))
    return law.tail(low - kept) - law.tail(high + 1 - kept) >= CONFIDENCE - _ROUNDING


def readable_from(setting: Setting, dataset: Dataset) -> int | None:
    """Return from how many trips on nearly all flows can be read by themselves; None where none."""
    parameters = setting.parameters
    view, parts = look(dataset, setting.seen)
    counted = [
        od.histogram(view, parameters.unit, parameters.max_trips_per_user, **when) for when in parts
    ]
    kept, true, cells = (
        np.concatenate([getattr(one, name)[one.true > 0] for one in counted])
        for name in ("kept", "true", "cells")
    )
    good = readable_flows(kept, true, parameters)
    sizes, size = np.unique(true, return_inverse=True)
    enough = np.ones(len(sizes), dtype=bool)
    for weights in (cells, cells * true):
        every, fine = (
            np.bincount(size, weights=some, minlength=len(sizes))[::-1].cumsum()[::-1]
            for some in (weights, weights * good)
        )
        enough &= fine >= NEARLY_ALL * every
    return int(sizes[enough][0]) if enough.any() else None


def _off(truth: Any, release: Any) -> tuple[float, float, float]:
    """Return the absolute error of a release flow by flow, its sum and that of the truth."""
    each = np.maximum(getattr(release, "typical", release.counts), 0.0)
    return float(np.abs(each - truth).sum()), float(each.sum()), float(truth.sum())


def _use(error_sum: float, released: float, true: float, **more: Any) -> Use:
    share = float(metrics.common_part(error_sum, released, true))
    return Use(share=share, released=float(released / true) if true > 0 else 1.0, **more)


def _standard_error(sums: Floats) -> float:
    shares = metrics.common_part(*sums.T)
    return float(np.std(shares, ddof=1) / np.sqrt(len(sums)))


def _few(view: Dataset, parts: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the first matrices that draws can read."""
    most = max(1, DRAWN_CELLS // len(view.zones) ** 2)
    if "sum_days" in parts[0]:
        yield from parts[:most]
    else:
        yield {"days": parts[0]["days"][:most]}


def _crossing(dataset: Dataset, seen: Seen, true: float | None = None) -> float:
    """Return the share of the trips between a dataset's zones that cross the zones seen."""
    if seen.zones == FINEST:
        return 1.0
    days = list(seen.when.positions(len(dataset.metadata.days)))
    if true is None:
        true = _trips(look(dataset, seen)[0], days)
    every = _trips(dataset, days)
    return true / every if every > 0 else 0.0


def _trips(dataset: Dataset, days: Sequence[int]) -> float:
    return od.histogram(dataset, days=days, sum_days=True).true_trips

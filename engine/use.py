"""Of 100 trips, how many are where they really were: the common part, the one measure of use.

`engine.metrics.common_part`, exact where a method has a law, else of repeated draws. The limits are
conventions, not theorems. A use is made of the truth: it is confidential like it, unless the people
are simulated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import density, metrics, origin_destination as od, sweeping
from .arrays import Floats
from .contract import Seen, Setting
from .datasets import Dataset, remembered
from .origin_destination import NoiseLaw
from .parameters import DensityParameters, ODParameters, ODUnit
from .resolution import FINEST, look_at
from .steps import Level, step

FLOWS_LIMITS, DENSITY_LIMITS = (0.9, 0.7), (0.95, 0.8)
"""From where on use is good, and good in part. A flat week at the right totals has .74 of visits
in common, and the city's rhythm at the right totals .93."""

DENSITY_DRAWS, FLOWS_DRAWS = 5, 2
"""Releases behind a use that has no exact law, with its standard error. Of flows they are of the
first matrix alone: our method reads several days better together, so it is judged with care."""

READ_ERROR, CONFIDENCE, NEARLY_ALL = 0.25, 0.95, 0.9
"""A flow can be read by itself where a release shows it, off by at most a quarter in 95% of draws;
from a size on, where that holds of 90% of the flows and of their trips."""

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Use:
    """What of the truth a release holds.

    `share` is the common part, from 0 to 1, NaN where there is nothing to hold, and `error` its
    standard error, 0 where it is exact; `crossing` the share of all trips that cross the zones
    seen (those inside a coarse zone are dropped); `released` the expected trips or visits as a
    multiple of the true ones; `limits` say from where on `share` is good, and good in part.
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


def use(
    setting: Setting, dataset: Dataset, *, seed: int | None = 0, draws: int | None = None
) -> Use:
    """Return the use of a setting: one number on every page, in the frontier and on the handout.

    Where there is no law, `draws` releases are judged: same `seed`, same use; None for people who
    are not simulated, and then other noise every time. `dataset` is as it was ingested.

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
        limits = [parameters.max_trips_per_user]
        ((known,),) = exact_uses(
            dataset, setting.seen, parameters.unit, limits, [epsilon], [threshold]
        )[0]
        return known
    return drawn_uses(dataset, setting.seen, [parameters], seed=seed, draws=draws)[0]


def exact_uses(
    dataset: Dataset,
    seen: Seen,
    unit: ODUnit,
    limits: Sequence[int],
    epsilons: Sequence[float],
    thresholds: Sequence[int],
) -> list[list[list[Use]]]:
    """Return the uses of the published flows by T, ε and τ; nothing is drawn."""
    view = look_at(dataset, seen.zones, seen.when)
    known: list[list[list[Use]]] = []
    for limit in limits:
        counted = od.histogram(view, unit, limit)
        grid = od.heat_map(counted, epsilons, thresholds, limit)
        true, cells = counted.true_trips, counted.cells.sum()
        both = np.stack([grid.mean_absolute * cells, true + grid.bias], axis=-1).tolist()
        crossing = _crossing(dataset, seen, true)
        known.append(
            [[_use(off, sums, true, crossing=crossing) for off, sums in row] for row in both]
        )
    return known


def drawn_uses(
    dataset: Dataset,
    seen: Seen,
    settings: Sequence[ODParameters | DensityParameters],
    *,
    seed: int | None = 0,
    draws: int | None = None,
) -> list[Use]:
    """Return the uses of settings of one product by draws that share their noise."""
    view = look_at(dataset, seen.zones, seen.when)
    flows = isinstance(settings[0], ODParameters)
    product: Any = od if flows else density
    draws = draws or (FLOWS_DRAWS if flows else DENSITY_DRAWS)
    when: dict[str, Any] = {"days": 0} if flows else {}
    sums = np.zeros((len(settings), draws, 3))
    for setting, repeat, off in sweeping.sweep(
        product, view, settings, draws, rng=np.random.default_rng(seed), score=_off, **when
    ):
        sums[setting, repeat] = off
    limits = FLOWS_LIMITS if flows else DENSITY_LIMITS
    crossing = 1.0
    if flows:
        crossing = _crossing(dataset, seen, od.histogram(view).true_trips)
    return [
        _use(off, released, true, crossing=crossing, limits=limits, error=_standard_error(one))
        for one in sums
        for off, released, true in [one.sum(axis=0).tolist()]
    ]


def readable_from(setting: Setting, dataset: Dataset) -> int | None:
    """Return from how many trips on nearly all flows can be read by themselves; None where none."""
    parameters = setting.parameters
    view = look_at(dataset, setting.zones, setting.when)
    counted = od.histogram(view, parameters.unit, parameters.max_trips_per_user)
    some = counted.true > 0
    kept, true, cells = counted.kept[some], counted.true[some], counted.cells[some]
    # exactly, of whole numbers of trips after trimming and before
    law, least = NoiseLaw(1 / parameters.noise_scale), parameters.least_shown
    low = np.maximum(np.ceil(true * (1 - READ_ERROR)), least)
    high = np.floor(true * (1 + READ_ERROR))
    good = law.tail(low - kept) - law.tail(high + 1 - kept) >= CONFIDENCE - _ROUNDING
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


def _crossing(dataset: Dataset, seen: Seen, true: float) -> float:
    """Return the share of the trips between a dataset's own zones that cross the zones seen."""
    if seen.zones == FINEST:
        return 1.0
    when = seen.when
    every = remembered(
        dataset, ("trips", when), lambda: od.histogram(look_at(dataset, when=when)).true_trips
    )
    return true / every if every > 0 else 0.0

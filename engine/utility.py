"""Utility of a release: the share of true trips retained and the share of shown trips genuine.

They are Σ E min(X, t) of truth t and release X, divided by Σ t and by Σ E X: exact where a method
has an exact expectation, else means of draws. Utility is as confidential as the truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import density, origin_destination as od, sweeping
from .arrays import Floats
from .contract import Selection, Setting
from .datasets import Dataset, memoise
from .metrics import NOTHING_SHOWN
from .origin_destination import NoiseDistribution
from .parameters import DensityParameters, ODParameters, ODUnit
from .resolution import FINEST, make_view
from .verdict import Verdict, rate_value

FLOWS_LIMITS, DENSITY_LIMITS = (0.9, 0.7), (0.95, 0.8)
"""Utility from which a verdict is good, and fair: conventions. A density with right totals and no
weekly rhythm retains .74 of the visits; with the whole city's rhythm .93."""

DENSITY_DRAWS, FLOWS_DRAWS = 5, 2
"""Number of draws without an exact expectation. Those of flows are of the first matrix alone, which
understates empirical Bayes: it estimates several days together better."""

RELIABLE_ERROR, CONFIDENCE, NEARLY_ALL = 0.25, 0.95, 0.9
"""A flow is reliable if a release shows it within a quarter of the truth in 95% of releases.
`min_trips` is the size above which 90% of the flows, and of their trips, are reliable."""

_ROUNDING = 1e-9

Measure = Literal["retained", "genuine"]


@dataclass(frozen=True, kw_only=True)
class Utility:
    """Shares of trips retained and genuine, with the sums they follow from.

    `common`, `true` and `released` are Σ E min(X, t), Σ t and Σ E X, in trips over ordered pairs of
    zones × matrices, or visits over zone × hour. `standard_errors` are those of `retained` and
    `genuine`, 0 if exact. `crossing_share` is the share of all trips that cross the selected zones.
    `verdict_limits` are the utilities from which it is good, and fair.
    """

    common: float
    true: float
    released: float
    standard_errors: tuple[float, float] = (0.0, 0.0)
    draws: int = 0
    crossing_share: float = 1.0
    verdict_limits: tuple[float, float] = FLOWS_LIMITS

    @property
    def shows_nothing(self) -> bool:
        """Whether the expected release shows practically no trip."""
        return self.released < NOTHING_SHOWN

    @property
    def retained(self) -> float:
        """Share of the true trips that the release counts in their flow; NaN without true trips."""
        return _ratio(0.0 if self.shows_nothing else self.common, self.true)

    @property
    def genuine(self) -> float:
        """Share of the released trips that are true, not invented; NaN if practically none is."""
        return math.nan if self.shows_nothing else _ratio(self.common, self.released)

    @property
    def score(self) -> float:
        """Utility: the smaller of `retained` and `genuine`; NaN without true trips."""
        return min(self.retained, math.inf if self.shows_nothing else self.genuine)

    @property
    def shortfall(self) -> Measure:
        """Name of the smaller share: ``retained`` or ``genuine``."""
        return "retained" if self.released <= self.true else "genuine"

    @property
    def standard_error(self) -> float:
        """Standard error of `score`; 0 if exact."""
        return self.standard_errors[self.shortfall == "genuine"]

    @property
    def released_ratio(self) -> float:
        """Expected released trips as a multiple of the true ones."""
        return self.released / self.true if self.true > 0 else 1.0

    @property
    def verdict(self) -> Verdict:
        """Verdict on `score`."""
        return rate_value(self.score, good=self.verdict_limits[0], fair=self.verdict_limits[1])

    @property
    def common_part(self) -> float:
        """Harmonic mean of both shares: the common part of commuters (CPC, Sørensen index)."""
        return _ratio(2 * self.common, self.true + self.released) if self.true > 0 else math.nan

    @property
    def overall_common_part(self) -> float:
        """Common part × `crossing_share`: ranks settings of different zones."""
        return self.common_part * self.crossing_share


def compute_utility(
    setting: Setting, dataset: Dataset, *, seed: int | None = 0, draws: int | None = None
) -> Utility:
    """Return the utility of a setting on a dataset as it was ingested.

    Without an exact expectation it is the mean of `draws` releases: the same `seed` gives the same
    utility. People who are not simulated get fresh noise: seed None.
    """
    parameters = setting.parameters
    if isinstance(parameters, ODParameters) and od.METHODS[parameters.method].expected is not None:
        epsilon, threshold = parameters.epsilon, parameters.suppression_threshold
        limits = [parameters.max_trips_per_user]
        return exact_utilities(
            dataset, setting.selection, parameters.unit, limits, [epsilon], [threshold]
        )[0][0][0]
    return drawn_utilities(dataset, setting.selection, [parameters], seed=seed, draws=draws)[0]


def exact_utilities(
    dataset: Dataset,
    selection: Selection,
    unit: ODUnit,
    limits: Sequence[int],
    epsilons: Sequence[float],
    thresholds: Sequence[int],
) -> list[list[list[Utility]]]:
    """Return the exact utilities of Laplace with suppression, by T, ε and τ."""
    view = make_view(dataset, selection.zone_level, selection.time)
    utilities: list[list[list[Utility]]] = []
    for limit in limits:
        histogram = od.compute_histogram(view, unit, limit)
        grid = od.compute_error_grid(histogram, epsilons, thresholds, limit)
        true = histogram.total_trips
        sums = np.stack([grid.common, true + grid.bias], axis=-1).tolist()
        crossing = _crossing(dataset, selection, true)
        utilities.append(
            [
                [
                    Utility(common=common, true=true, released=released, crossing_share=crossing)
                    for common, released in row
                ]
                for row in sums
            ]
        )
    return utilities


def drawn_utilities(
    dataset: Dataset,
    selection: Selection,
    settings: Sequence[ODParameters | DensityParameters],
    *,
    seed: int | None = 0,
    draws: int | None = None,
) -> list[Utility]:
    """Return the utilities of settings of one product, by draws that share their noise."""
    view = make_view(dataset, selection.zone_level, selection.time)
    flows = isinstance(settings[0], ODParameters)
    product: Any = od if flows else density
    draws = draws or (FLOWS_DRAWS if flows else DENSITY_DRAWS)
    if not flows:  # evaluate the released numbers
        settings = [density.match_release_noise(setting) for setting in settings]
    time: dict[str, Any] = {"days": 0} if flows else {}
    sums = np.zeros((len(settings), draws, 3))
    for setting, repeat, row in sweeping.sweep(
        product, view, settings, draws, rng=np.random.default_rng(seed), score=_sums, **time
    ):
        sums[setting, repeat] = row
    limits = FLOWS_LIMITS if flows else DENSITY_LIMITS
    crossing = 1.0
    if flows:
        crossing = _crossing(dataset, selection, od.compute_histogram(view).total_trips)
    return [_average(rows, crossing_share=crossing, verdict_limits=limits) for rows in sums]


@dataclass(frozen=True, kw_only=True)
class ReliableFlows:
    """Number of released flows that are reliable by themselves; computed from the truth.

    `count` of `numbers` flows are reliable and carry the share `trips` of all trips. At least
    `min_trips` trips make nearly every flow reliable; None if no size does.
    """

    count: int
    numbers: int
    trips: float
    min_trips: int | None


def count_reliable_flows(setting: Setting, dataset: Dataset) -> ReliableFlows:
    """Return the reliable flows of Laplace with suppression, by the noise distribution."""
    parameters = setting.parameters
    view = make_view(dataset, setting.zone_level, setting.time)
    counted = od.compute_histogram(view, parameters.unit, parameters.max_trips_per_user)
    is_positive = counted.true_counts > 0
    truncated = counted.truncated_counts[is_positive]
    true = counted.true_counts[is_positive]
    cells = counted.cell_counts[is_positive]
    # exact for whole numbers of trips, truncated and true
    law, min_shown = NoiseDistribution(1 / parameters.noise_scale), parameters.min_shown_count
    low = np.maximum(np.ceil(true * (1 - RELIABLE_ERROR)), min_shown)
    high = np.floor(true * (1 + RELIABLE_ERROR))
    reliable = (
        law.upper_tail(low - truncated) - law.upper_tail(high + 1 - truncated)
        >= CONFIDENCE - _ROUNDING
    )
    sizes, size = np.unique(true, return_inverse=True)
    enough = sizes >= min_shown  # hardly any smaller flow is shown
    for weights in (cells, cells * true):
        totals, reliable_totals = (
            np.bincount(size, weights=values, minlength=len(sizes))[::-1].cumsum()[::-1]
            for values in (weights, weights * reliable)
        )
        enough &= reliable_totals >= NEARLY_ALL * totals
    trips = counted.total_trips
    return ReliableFlows(
        count=int(cells @ reliable),
        numbers=int(counted.cell_counts.sum()),
        trips=float((cells * true) @ reliable / trips) if trips else 0.0,
        min_trips=int(sizes[enough][0]) if enough.any() else None,
    )


def _sums(truth: Any, release: Any) -> tuple[float, float, float]:
    """Return Σ min(X, t), Σ t and Σ max(X, 0) of one release X."""
    released = np.maximum(release.counts, 0.0)
    common = np.minimum(released, truth).sum()
    return float(common), float(truth.sum()), float(released.sum())


def _average(rows: Floats, **fields: Any) -> Utility:
    """Return the mean utility of draws; `rows` are their `_sums`."""
    draws, (common, true, released) = len(rows), rows.mean(axis=0).tolist()
    # ratio estimator: deviations of the numerator from ratio × denominator
    errors = [
        float(np.std(rows[:, 0] - common / whole * rows[:, at], ddof=1) / whole / np.sqrt(draws))
        if whole > 0
        else 0.0
        for at, whole in ((1, true), (2, released))
    ]
    return Utility(
        common=common,
        true=true,
        released=released,
        standard_errors=(float(errors[0]), float(errors[1])),
        draws=draws,
        **fields,
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _crossing(dataset: Dataset, selection: Selection, crossing_trips: float) -> float:
    """Return the share of trips between a dataset's own zones that cross the selected zones."""
    if selection.zone_level == FINEST:
        return 1.0
    time = selection.time
    total = memoise(
        dataset,
        ("trips", time),
        lambda: od.compute_histogram(make_view(dataset, time=time)).total_trips,
    )
    return crossing_trips / total if total > 0 else 0.0

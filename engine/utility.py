"""Utility of a release: how many true trips it retains, and how many of those shown are genuine.

Both are shares of what truth t and release X have in common, Σ E min(X, t): exact where a method
has a law, else the mean of draws. Utility is as confidential as the truth that it is computed from,
unless the people are simulated. The limits of its verdict are conventions, not theorems.
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
"""From where on utility is good, and fair. A density without any weekly rhythm but with the right
totals retains .74 of the visits, one with the rhythm of the whole city .93."""

DENSITY_DRAWS, FLOWS_DRAWS = 5, 2
"""Releases behind a utility that has no exact law. Of flows they are of the first matrix alone: our
method reads several days better together, so it is judged with care."""

RELIABLE_ERROR, CONFIDENCE, NEARLY_ALL = 0.25, 0.95, 0.9
"""A flow is reliable by itself where a release shows it, off by at most a quarter, in 95% of
releases; from a size on, where that holds of 90% of the flows and of their trips."""

_ROUNDING = 1e-9

Measure = Literal["retained", "genuine"]


@dataclass(frozen=True, kw_only=True)
class Utility:
    """What a release retains of the truth, and how much of what it shows is genuine.

    `common` is Σ E min(X, t) over all cells (flows: ordered pairs of zones × matrices, in trips;
    density: zone × hour, in visits), `true` and `released` are Σ t and Σ E X. `standard_errors`
    are those of `retained` and `genuine`, 0 where no draws are behind them. `crossing` is the share
    of all trips that cross the zones seen (those inside a coarse zone are dropped); `limits` say
    from where on utility is good, and fair.
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
        """Whether hardly any release shows a single trip."""
        return self.released < NOTHING_SHOWN

    @property
    def retained(self) -> float:
        """Share of the true trips that the release still counts in their flow; NaN without any."""
        return _ratio(0.0 if self.shows_nothing else self.common, self.true)

    @property
    def genuine(self) -> float:
        """Share of the released trips that are true; the others are invented. NaN of nothing."""
        return math.nan if self.shows_nothing else _ratio(self.common, self.released)

    @property
    def score(self) -> float:
        """Utility: the smaller of `retained` and `genuine`; NaN where nothing is true."""
        return min(self.retained, math.inf if self.shows_nothing else self.genuine)

    @property
    def shortfall(self) -> Measure:
        """Which of the two is the smaller one."""
        return "retained" if self.released <= self.true else "genuine"

    @property
    def standard_error(self) -> float:
        """The standard error of `score`; 0 where it is exact."""
        return self.standard_errors[self.shortfall == "genuine"]

    @property
    def released_ratio(self) -> float:
        """Expected released trips as a multiple of the true ones."""
        return self.released / self.true if self.true > 0 else 1.0

    @property
    def verdict(self) -> Verdict:
        """The verdict on `score`."""
        return rate_value(self.score, good=self.verdict_limits[0], fair=self.verdict_limits[1])

    @property
    def common_part(self) -> float:
        """Harmonic mean of both, the literature's common part of commuters (CPC, Sørensen)."""
        return _ratio(2 * self.common, self.true + self.released) if self.true > 0 else math.nan

    @property
    def overall_common_part(self) -> float:
        """Common part × share that crosses: what ranks settings of different zones."""
        return self.common_part * self.crossing_share


def compute_utility(
    setting: Setting, dataset: Dataset, *, seed: int | None = 0, draws: int | None = None
) -> Utility:
    """Return the utility of a setting, the same on every page, in the frontier and on the handout.

    Where there is no law, `draws` releases are judged: same `seed`, same utility; None for people
    who are not simulated, and then other noise every time. `dataset` is as it was ingested.

    >>> from engine import datasets
    >>> flows = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=15)
    >>> country = datasets.load("rwanda-districts")
    >>> setting = Setting(selection=Selection(dataset_id=country.id), parameters=flows)
    >>> utility = compute_utility(setting, country)
    >>> round(utility.retained, 2), round(utility.genuine, 3), utility.verdict
    (0.81, 0.997, 'partly')
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
    """Return the utilities of Laplace noise with suppression by T, ε and τ; nothing is drawn."""
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
    seen: Selection,
    settings: Sequence[ODParameters | DensityParameters],
    *,
    seed: int | None = 0,
    draws: int | None = None,
) -> list[Utility]:
    """Return the utilities of settings of one product by draws that share their noise."""
    view = make_view(dataset, seen.zone_level, seen.time)
    flows = isinstance(settings[0], ODParameters)
    product: Any = od if flows else density
    draws = draws or (FLOWS_DRAWS if flows else DENSITY_DRAWS)
    if not flows:  # what is judged is what is released
        settings = [density.as_released(setting) for setting in settings]
    when: dict[str, Any] = {"days": 0} if flows else {}
    sums = np.zeros((len(settings), draws, 3))
    for setting, repeat, row in sweeping.sweep(
        product, view, settings, draws, rng=np.random.default_rng(seed), score=_sums, **when
    ):
        sums[setting, repeat] = row
    limits = FLOWS_LIMITS if flows else DENSITY_LIMITS
    crossing = 1.0
    if flows:
        crossing = _crossing(dataset, seen, od.compute_histogram(view).total_trips)
    return [_average(rows, crossing_share=crossing, verdict_limits=limits) for rows in sums]


@dataclass(frozen=True, kw_only=True)
class ReliableFlows:
    """How many of the released numbers are reliable by themselves; made of the truth.

    `count` of `numbers`, which carry the share `trips` of all trips; nearly all flows of
    `min_trips` or more are, None where that holds from no size on.
    """

    count: int
    numbers: int
    trips: float
    min_trips: int | None


def count_reliable_flows(setting: Setting, dataset: Dataset) -> ReliableFlows:
    """Return which flows are reliable by themselves, by the law of the noise."""
    parameters = setting.parameters
    view = make_view(dataset, setting.zone_level, setting.time)
    counted = od.compute_histogram(view, parameters.unit, parameters.max_trips_per_user)
    some = counted.true_counts > 0
    kept, true, cells = (
        counted.truncated_counts[some],
        counted.true_counts[some],
        counted.cell_counts[some],
    )
    # exactly, of whole numbers of trips after trimming and before
    law, least = NoiseDistribution(1 / parameters.noise_scale), parameters.min_shown_count
    low = np.maximum(np.ceil(true * (1 - RELIABLE_ERROR)), least)
    high = np.floor(true * (1 + RELIABLE_ERROR))
    reliable = (
        law.upper_tail(low - kept) - law.upper_tail(high + 1 - kept) >= CONFIDENCE - _ROUNDING
    )
    sizes, size = np.unique(true, return_inverse=True)
    enough = sizes >= least  # of smaller ones hardly any is shown
    for weights in (cells, cells * true):
        every, fine = (
            np.bincount(size, weights=values, minlength=len(sizes))[::-1].cumsum()[::-1]
            for values in (weights, weights * reliable)
        )
        enough &= fine >= NEARLY_ALL * every
    trips = counted.total_trips
    return ReliableFlows(
        count=int(cells @ reliable),
        numbers=int(counted.cell_counts.sum()),
        trips=float((cells * true) @ reliable / trips) if trips else 0.0,
        min_trips=int(sizes[enough][0]) if enough.any() else None,
    )


def _sums(truth: Any, release: Any) -> tuple[float, float, float]:
    """Return Σ min(X, t), Σ t and Σ X of one release of numbers X, those below 0 read as 0."""
    released = np.maximum(release.counts, 0.0)
    common = np.minimum(released, truth).sum()
    return float(common), float(truth.sum()), float(released.sum())


def _average(rows: Floats, **fields: Any) -> Utility:
    """Return the utility of several draws; `rows` are those of `_sums`, one a draw."""
    draws, (common, true, released) = len(rows), rows.mean(axis=0).tolist()
    # of a ratio of sums: the deviations of its numerator from the ratio times its denominator
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


def _crossing(dataset: Dataset, seen: Selection, true: float) -> float:
    """Return the share of the trips between a dataset's own zones that cross the zones seen."""
    if seen.zone_level == FINEST:
        return 1.0
    when = seen.time
    every = memoise(
        dataset,
        ("trips", when),
        lambda: od.compute_histogram(make_view(dataset, time=when)).total_trips,
    )
    return true / every if every > 0 else 0.0

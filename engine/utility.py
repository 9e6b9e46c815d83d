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
from .contract import Seen, Setting
from .datasets import Dataset, remembered
from .metrics import NOTHING_SHOWN
from .origin_destination import NoiseLaw
from .parameters import DensityParameters, ODParameters, ODUnit
from .resolution import FINEST, look_at
from .steps import Level, step

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
    crossing: float = 1.0
    limits: tuple[float, float] = FLOWS_LIMITS

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
    def level(self) -> Level:
        """The verdict on `score`."""
        return step(self.score, good=self.limits[0], partly=self.limits[1])

    @property
    def common_part(self) -> float:
        """Harmonic mean of both, the literature's common part of commuters (CPC, Sørensen)."""
        return _ratio(2 * self.common, self.true + self.released) if self.true > 0 else math.nan

    @property
    def overall_common_part(self) -> float:
        """Common part × share that crosses: what ranks settings of different zones."""
        return self.common_part * self.crossing


def compute_utility(
    setting: Setting, dataset: Dataset, *, seed: int | None = 0, draws: int | None = None
) -> Utility:
    """Return the utility of a setting, the same on every page, in the frontier and on the handout.

    Where there is no law, `draws` releases are judged: same `seed`, same utility; None for people
    who are not simulated, and then other noise every time. `dataset` is as it was ingested.

    >>> from engine import datasets
    >>> flows = ODParameters(epsilon=1.0, max_trips_per_user=4, suppression_threshold=15)
    >>> country = datasets.load("rwanda-districts")
    >>> utility = compute_utility(Setting(seen=Seen(dataset=country.id), parameters=flows), country)
    >>> round(utility.retained, 2), round(utility.genuine, 3), utility.level
    (0.81, 0.997, 'partly')
    """
    parameters = setting.parameters
    if isinstance(parameters, ODParameters) and od.METHODS[parameters.method].expected is not None:
        epsilon, threshold = parameters.epsilon, parameters.suppression_threshold
        limits = [parameters.max_trips_per_user]
        return exact_utilities(
            dataset, setting.seen, parameters.unit, limits, [epsilon], [threshold]
        )[0][0][0]
    return drawn_utilities(dataset, setting.seen, [parameters], seed=seed, draws=draws)[0]


def exact_utilities(
    dataset: Dataset,
    seen: Seen,
    unit: ODUnit,
    limits: Sequence[int],
    epsilons: Sequence[float],
    thresholds: Sequence[int],
) -> list[list[list[Utility]]]:
    """Return the utilities of Laplace noise with suppression by T, ε and τ; nothing is drawn."""
    view = look_at(dataset, seen.zones, seen.when)
    utilities: list[list[list[Utility]]] = []
    for limit in limits:
        counted = od.histogram(view, unit, limit)
        grid = od.heat_map(counted, epsilons, thresholds, limit)
        true = counted.true_trips
        sums = np.stack([grid.common, true + grid.bias], axis=-1).tolist()
        crossing = _crossing(dataset, seen, true)
        utilities.append(
            [
                [
                    Utility(common=common, true=true, released=released, crossing=crossing)
                    for common, released in row
                ]
                for row in sums
            ]
        )
    return utilities


def drawn_utilities(
    dataset: Dataset,
    seen: Seen,
    settings: Sequence[ODParameters | DensityParameters],
    *,
    seed: int | None = 0,
    draws: int | None = None,
) -> list[Utility]:
    """Return the utilities of settings of one product by draws that share their noise."""
    view = look_at(dataset, seen.zones, seen.when)
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
        crossing = _crossing(dataset, seen, od.histogram(view).true_trips)
    return [_average(rows, crossing=crossing, limits=limits) for rows in sums]


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
    view = look_at(dataset, setting.zones, setting.when)
    counted = od.histogram(view, parameters.unit, parameters.max_trips_per_user)
    some = counted.true > 0
    kept, true, cells = counted.kept[some], counted.true[some], counted.cells[some]
    # exactly, of whole numbers of trips after trimming and before
    law, least = NoiseLaw(1 / parameters.noise_scale), parameters.least_shown
    low = np.maximum(np.ceil(true * (1 - RELIABLE_ERROR)), least)
    high = np.floor(true * (1 + RELIABLE_ERROR))
    reliable = law.tail(low - kept) - law.tail(high + 1 - kept) >= CONFIDENCE - _ROUNDING
    sizes, size = np.unique(true, return_inverse=True)
    enough = sizes >= least  # of smaller ones hardly any is shown
    for weights in (cells, cells * true):
        every, fine = (
            np.bincount(size, weights=values, minlength=len(sizes))[::-1].cumsum()[::-1]
            for values in (weights, weights * reliable)
        )
        enough &= fine >= NEARLY_ALL * every
    trips = counted.true_trips
    return ReliableFlows(
        count=int(cells @ reliable),
        numbers=int(counted.cells.sum()),
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


def _crossing(dataset: Dataset, seen: Seen, true: float) -> float:
    """Return the share of the trips between a dataset's own zones that cross the zones seen."""
    if seen.zones == FINEST:
        return 1.0
    when = seen.when
    every = remembered(
        dataset, ("trips", when), lambda: od.histogram(look_at(dataset, when=when)).true_trips
    )
    return true / every if every > 0 else 0.0

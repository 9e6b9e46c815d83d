"""Utility of a release: the share of true trips retained and the share of released trips genuine.

They are Σ E min(X, t) of true counts t and released counts X, divided by Σ t and by Σ E X: exact if
the method has an exact expectation, else means of draws. Utility is as confidential as the truth.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from . import density, origin_destination as od
from .arrays import Floats
from .contract import Selection, Setting, draw_generators
from .datasets import Dataset, memoise
from .metrics import NOTHING_SHOWN
from .origin_destination import NoiseDistribution
from .origin_destination.matrices import CountHistogram
from .parameters import DensityParameters, ODParameters, ODUnit
from .resolution import FINEST, make_view
from .verdict import Verdict, rate_value

FLOWS_LIMITS, DENSITY_LIMITS = (0.9, 0.7), (0.95, 0.8)
"""Least utility that is rated good, and fair: conventions. A density with right totals and no
weekly rhythm retains .74 of the visits; with the whole city's rhythm .93."""

DENSITY_DRAWS, FLOWS_DRAWS = 5, (2, 8)
"""Number of draws if there is no exact expectation; of flows at least and at most."""

MAX_STANDARD_ERROR = 0.01
"""Flows are drawn again until the standard error of their score is at most this."""

MAX_JUDGED_CELLS = 3_000_000
"""Draws of flows are of the first matrices with at most so many cells: mostly of all."""

RACE_MARGINS = (0.03, 0.01)
"""A setting leaves a race if it is further behind after one matrix, and after whole draws."""

RELIABLE_ERROR, CONFIDENCE, NEARLY_ALL = 0.25, 0.95, 0.9
"""A flow is reliable if a release shows it within a quarter of the truth in 95% of releases.
`ReliableFlows.min_trips` is the size from which 90% of flows, and of their trips, are reliable."""

FLOW_SIZES = np.array([5, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 500, 1000, 2000, 5000])
"""Sizes in true trips from which drawn flows are compared with the truth."""

Share = Literal["retained", "genuine"]
TripSums = tuple[float, ...]
"""Σ min(X, t), Σ t and Σ X of one draw, or of one matrix of it; then of each of `FLOW_SIZES` the
flows, and those shown within a quarter of the truth."""


@dataclass(frozen=True, kw_only=True)
class Utility:
    """Shares of trips retained and genuine, with the sums they follow from.

    `common`, `true` and `released` are Σ E min(X, t), Σ t and Σ E X: trips over ordered pairs of
    zones and matrices, or visits over zones and hours. `standard_errors` are those of `retained`
    and `genuine`, 0 if exact (no `draws`). `crossing_share` is the share of the trips between the
    dataset's own zones that cross the selected ones. `verdict_limits` are the least scores that
    are good, and fair. Draws are of the first of all matrices: `matrices` are both numbers. Of the
    flows of at least `accurate_from` trips 95% are shown within a quarter of the truth in these
    draws; None if that holds for no size, or was not drawn.
    """

    common: float
    true: float
    released: float
    standard_errors: tuple[float, float] = (0.0, 0.0)
    draws: int = 0
    crossing_share: float = 1.0
    verdict_limits: tuple[float, float] = FLOWS_LIMITS
    matrices: tuple[int, int] = (1, 1)
    accurate_from: int | None = None

    @property
    def shows_nothing(self) -> bool:
        """Whether the expected release shows practically no trip."""
        return self.released < NOTHING_SHOWN

    @property
    def retained(self) -> float:
        """Share of the true trips that are released in their flow; NaN without true trips."""
        return _ratio(0.0 if self.shows_nothing else self.common, self.true)

    @property
    def genuine(self) -> float:
        """Share of the released trips that are true, not invented; NaN if nothing is shown."""
        return math.nan if self.shows_nothing else _ratio(self.common, self.released)

    @property
    def score(self) -> float:
        """Utility: the smaller of `retained` and `genuine`; NaN without true trips."""
        return min(self.retained, math.inf if self.shows_nothing else self.genuine)

    @property
    def shortfall(self) -> Share:
        """Name of the smaller share, which is the `score`."""
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
        """Harmonic mean of both shares: the common part of commuters (CPC), see `metrics`."""
        return _ratio(2 * self.common, self.true + self.released) if self.true > 0 else math.nan

    @property
    def overall_common_part(self) -> float:
        """Common part × `crossing_share`, by which settings of different zones are ranked."""
        return self.common_part * self.crossing_share


def compute_utility(
    setting: Setting,
    dataset: Dataset,
    *,
    seed: int | None = 0,
    draws: int | None = None,
    first_matrix: bool = False,
) -> Utility:
    """Return the utility of a setting on a dataset as it is loaded, not a view of it.

    If there is no exact expectation, it is the mean of `draws` releases. The same `seed` gives the
    same utility; None gives fresh noise, for people who are not simulated. Draws of `first_matrix`
    are a quick preview: it alone is judged, as it is estimated together with the others.
    """
    parameters = setting.parameters
    if isinstance(parameters, ODParameters) and od.METHODS[parameters.method].has_flow_distribution:
        limits, epsilons = [parameters.max_trips_per_user], [parameters.epsilon]
        grid = limits, epsilons, [parameters.suppression_threshold]
        return exact_utilities(dataset, setting.selection, parameters.unit, *grid)[0]
    options: dict[str, Any] = {"seed": seed, "draws": draws, "first_matrix": first_matrix}
    options["compares_flows"] = isinstance(parameters, ODParameters)
    return drawn_utilities(dataset, setting.selection, [parameters], **options)[parameters]


def compute_suppression_utility(view: Dataset, min_shown: int) -> Utility:
    """Return the utility of suppression without noise: it has no ε, T or unit of privacy."""
    histogram = od.compute_histogram(view)
    trips = histogram.cell_counts * histogram.true_counts
    shown_trips = float(trips @ (histogram.true_counts >= min_shown))
    return Utility(common=shown_trips, true=histogram.total_trips, released=shown_trips)


def exact_utilities(
    dataset: Dataset,
    selection: Selection,
    unit: ODUnit,
    trip_limits: Sequence[int],
    epsilons: Sequence[float],
    thresholds: Sequence[int],
) -> list[Utility]:
    """Return exact utilities of a method that `has_flow_distribution`, by T, then ε, then τ."""
    utilities: list[Utility] = []
    for limit in trip_limits:
        histogram = _view_histogram(dataset, selection, unit, limit)
        grid = od.compute_error_grid(histogram, epsilons, thresholds, limit)
        true = histogram.total_trips
        released = true + grid.bias  # the bias is that of all flows together
        crossing = _share_crossing(dataset, selection, true)
        sums = (array.ravel().tolist() for array in (grid.common, released))
        utilities += [
            Utility(common=common, true=true, released=shown, crossing_share=crossing)
            for common, shown in zip(*sums, strict=True)
        ]
    return utilities


def _view_histogram(
    dataset: Dataset, selection: Selection, unit: ODUnit, limit: int
) -> CountHistogram:
    """Return the histogram of a view, stored with the dataset: each view is made anew."""
    level, time = selection.zone_level, selection.time
    return memoise(
        dataset,
        ("histogram of view", level, time, unit, limit),
        lambda: od.compute_histogram(make_view(dataset, level, time), unit, limit),
    )


def drawn_utilities(
    dataset: Dataset,
    selection: Selection,
    parameter_sets: Sequence[ODParameters | DensityParameters],
    *,
    seed: int | None = 0,
    draws: int | None = None,
    first_matrix: bool = False,
    race_margins: tuple[float, float] = (math.inf, math.inf),
    compares_flows: bool = False,
) -> dict[Any, Utility]:
    """Return utilities by parameters (densities: of one method), all under common noise.

    Flows race: those leave whose common part and score are both further behind the best of the same
    ε than the margin, the first of one matrix and the second of whole draws. Only where it
    `compares_flows` each of them is estimated by itself, for `accurate_from`.
    """
    view = make_view(dataset, selection.zone_level, selection.time)
    rng = np.random.default_rng(seed)
    if not isinstance(parameter_sets[0], ODParameters):
        return _judge_densities(view, parameter_sets, draws or DENSITY_DRAWS, rng)
    matrix_count, cells = len(view.metadata.periods), len(view.zones) ** 2
    days = range(max(min(matrix_count, MAX_JUDGED_CELLS // cells), 1))
    true = od.truth(view, days=days)[: 1 if first_matrix else None]
    crossing = _share_crossing(dataset, selection, od.compute_histogram(view).total_trips)
    fields: dict[str, Any] = {"matrices": (len(true), matrix_count), "crossing_share": crossing}
    generator_of, min_draws, max_draws = draw_generators(rng), *FLOWS_DRAWS
    rows: dict[Any, list[TripSums]] = {candidate: [] for candidate in parameter_sets}
    utilities: dict[Any, Utility] = {}
    measure = _compare_flows if compares_flows else _sum_trips
    for draw in range(draws or max_draws):
        noise = od.draw_noise(view, parameter_sets[0], rng=generator_of(draw), days=days)
        sums = {
            candidate: map(measure, true, od.iterate_release(view, candidate, noise=noise))
            for candidate in rows
            if draws or draw < min_draws or utilities[candidate].standard_error > MAX_STANDARD_ERROR
        }
        firsts = {candidate: next(matrices) for candidate, matrices in sums.items()}
        if not draw:
            previews = {candidate: _average([row]) for candidate, row in firsts.items()}
            for candidate in _find_losers(previews, race_margins[0]):
                del rows[candidate], sums[candidate]
        for candidate, matrices in sums.items():
            rows[candidate].append(tuple(np.sum([firsts[candidate], *matrices], axis=0).tolist()))
        utilities = {candidate: _average(drawn, **fields) for candidate, drawn in rows.items()}
        for candidate in _find_losers(utilities, race_margins[1]):
            del rows[candidate]
    return {candidate: utilities[candidate] for candidate in rows}


def _judge_densities(
    view: Dataset, parameter_sets: Sequence[Any], draws: int, rng: np.random.Generator
) -> dict[Any, Utility]:
    """Return utilities by parameters, at the noise of a published release."""
    true, generator_of = density.truth(view), draw_generators(rng)
    rows: dict[Any, list[TripSums]] = {parameters: [] for parameters in parameter_sets}
    for draw in range(draws):
        noise = density.draw_noise(view, parameter_sets[0], rng=generator_of(draw))
        for parameters, sums in rows.items():
            release = density.release(view, density.match_release_noise(parameters), noise=noise)
            sums.append(_sum_trips(true, release))
    limits = DENSITY_LIMITS
    return {candidate: _average(sums, verdict_limits=limits) for candidate, sums in rows.items()}


def _find_losers(utilities: dict[ODParameters, Utility], margin: float) -> list[ODParameters]:
    """Return the settings that are behind the best of their ε by more than `margin`."""

    def is_behind(candidate: ODParameters, measure: str) -> bool:
        rivals = [use for rival, use in utilities.items() if rival.epsilon == candidate.epsilon]
        best = max(getattr(rival, measure) for rival in rivals)
        return getattr(utilities[candidate], measure) + margin < best  # not if any is NaN

    return [
        candidate
        for candidate in utilities
        if is_behind(candidate, "common_part") and is_behind(candidate, "score")
    ]


@dataclass(frozen=True, kw_only=True)
class ReliableFlows:
    """Number of flows that are reliable by themselves; computed from the truth.

    `count` of all `numbers` (flows) are reliable; they carry the share `trips` of all trips. From
    `min_trips` trips on nearly every flow is reliable; None if that holds for no size.
    """

    count: int
    numbers: int
    trips: float
    min_trips: int | None


def share_within_limit(setting: Setting, dataset: Dataset) -> float:
    """Return the share of true trips or visits that T or ℓ leaves, without any noise.

    Of a view without any it is 1. It is computed from the truth.
    """
    parameters = setting.parameters
    if isinstance(parameters, DensityParameters):
        within = density.presampled_counts(dataset, parameters.max_visits_per_user).sum()
        return float(within / (density.truth(dataset).sum() or 1))
    histogram = _view_histogram(
        dataset, setting.selection, parameters.unit, parameters.max_trips_per_user
    )
    return 1 - histogram.dropped_trips / (histogram.total_trips or 1)


def count_reliable_flows(setting: Setting, dataset: Dataset) -> ReliableFlows:
    """Return the exact number of reliable flows of a method that `has_flow_distribution`."""
    parameters = setting.parameters
    histogram = _view_histogram(
        dataset, setting.selection, parameters.unit, parameters.max_trips_per_user
    )
    columns = histogram.truncated_counts, histogram.true_counts, histogram.cell_counts
    truncated, true, cells = (column[histogram.true_counts > 0] for column in columns)
    noise, min_shown = NoiseDistribution(1 / parameters.noise_scale), parameters.min_shown_count
    # shown and within a quarter of the truth; exact, because counts are whole numbers
    smallest = np.maximum(np.ceil(true * (1 - RELIABLE_ERROR)), min_shown)
    largest = np.floor(true * (1 + RELIABLE_ERROR))
    chance = noise.upper_tail(smallest - truncated) - noise.upper_tail(largest + 1 - truncated)
    is_reliable = chance >= CONFIDENCE - 1e-9  # rounding
    sizes, size_index = np.unique(true, return_inverse=True)
    is_enough = sizes >= min_shown  # hardly any smaller flow is shown
    for weights in (cells, cells * true):  # flows, and their trips
        totals, reliable_totals = (  # of this size and larger
            np.bincount(size_index, weights=values, minlength=len(sizes))[::-1].cumsum()[::-1]
            for values in (weights, weights * is_reliable)
        )
        is_enough &= reliable_totals >= NEARLY_ALL * totals
    trips = histogram.total_trips
    return ReliableFlows(
        count=int(cells @ is_reliable),
        numbers=int(histogram.cell_counts.sum()),
        trips=float((cells * true) @ is_reliable / trips) if trips else 0.0,
        min_trips=int(sizes[is_enough][0]) if is_enough.any() else None,
    )


def _sum_trips(truth: Any, release: Any) -> TripSums:
    """Return Σ min(X, t), Σ t and Σ max(X, 0) of one release X."""
    released = np.maximum(release.counts, 0.0)
    common = np.minimum(released, truth).sum()
    return float(common), float(truth.sum()), float(released.sum())


def _compare_flows(truth: Any, release: Any) -> TripSums:
    """Return the sums, and by size the flows and those shown within a quarter of the truth."""
    shown, off = release.shown_counts[0], ~np.eye(len(truth), dtype=bool)
    is_close = (shown > 0) & (np.abs(shown - truth) <= RELIABLE_ERROR * truth)
    sizes = [off & (truth >= size) for size in FLOW_SIZES]
    flows = [float(cells.sum()) for cells in sizes]
    return *_sum_trips(truth, release), *flows, *(float(is_close[cells].sum()) for cells in sizes)


def _find_accurate_size(flows: Floats, close: Floats) -> int | None:
    """Return the size from which flows are close often enough, also those of each larger size."""
    is_enough = np.logical_and.accumulate((close >= CONFIDENCE * flows)[::-1])[::-1]
    is_enough &= flows > 0
    return int(FLOW_SIZES[is_enough.argmax()]) if is_enough.any() else None


def _average(rows: Sequence[TripSums], **fields: Any) -> Utility:
    """Return the mean utility of draws; `rows` are their `TripSums` over all matrices."""
    sums = np.array(rows)
    draws, (common, true, released) = len(sums), sums[:, :3].mean(axis=0).tolist()
    if sums.shape[1] > 3:
        fields["accurate_from"] = _find_accurate_size(*np.split(sums[:, 3:].sum(axis=0), 2))
    # ratio estimator: deviations of the numerator from ratio × denominator
    errors = [
        float(np.std(sums[:, 0] - common / total * sums[:, i], ddof=1) / total / np.sqrt(draws))
        if total > 0 and draws > 1
        else 0.0
        for i, total in ((1, true), (2, released))
    ]
    return Utility(
        common=common,
        true=true,
        released=released,
        standard_errors=(errors[0], errors[1]),
        draws=draws,
        **fields,
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _share_crossing(dataset: Dataset, selection: Selection, crossing_trips: float) -> float:
    """Return `crossing_trips` as a share of the trips between the dataset's own zones."""
    if selection.zone_level == FINEST:
        return 1.0
    time = selection.time
    view = make_view(dataset, time=time)
    total = memoise(dataset, ("trips", time), lambda: od.compute_histogram(view).total_trips)
    return crossing_trips / total if total > 0 else 0.0

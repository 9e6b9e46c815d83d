"""Find changes of flows between two spans of days that exceed the noise.

Noisy counts differ by the change of truncated trips plus a noise S, the sum of both, of known
distribution (``docs/flows.md``). Everything but `simulate_power` is computed from noisy cells and
costs no further privacy.
"""

from collections.abc import Sequence
from typing import NamedTuple, Unpack

import numpy as np

from .. import validation
from ..arrays import Booleans, Floats, Integers, IntegersOrFloats
from ..datasets import Dataset
from ..parameters import ODParameters
from ..privacy_cost import Noise, Query, stage_noise_scale
from .calculators import find_min_rate
from .matrices import clear_diagonal, truncated_matrices
from .mechanism import ReleaseArguments, discrete_laplace, draw_variates, rounded_laplace
from .methods import METHODS
from .noise_bounds import NoiseSum
from .noise_distribution import NoiseDistribution, NoiseName

FALSE_DISCOVERY_RATE = 0.05
"""On average at most this share of the reported changes is none, or in the other direction."""

_NEGLIGIBLE = 1e-15


class ChangeEstimates(NamedTuple):
    """Noisy changes ± `half_width`, in trips; signs are 0 where the error bar includes 0.

    Counts differ where `signs` are not 0, and beyond chance where `signs_beyond_chance` are not.
    """

    change: Integers
    half_width: int
    signs: Integers
    signs_beyond_chance: Integers


class FlowChanges(NamedTuple):
    """Changes of flows (zones, zones), of totals of zones (zones,) and of the grand total ().

    `shown_flows` are shown in both releases. The others get a verdict alone: a change and one of
    its counts would reveal the suppressed count. A suppressed count enters a change of flows as the
    largest count that is suppressed.
    """

    flows: ChangeEstimates
    outflows: ChangeEstimates
    inflows: ChangeEstimates
    total: ChangeEstimates
    shown_flows: Booleans


class ChangeCounts(NamedTuple):
    """Reported changes; true ones found and missed; false ones, also in the wrong direction."""

    changed: float
    true_positives: float
    false_negatives: float
    false_positives: float


def noise_distribution(parameters: ODParameters) -> NoiseDistribution:
    """Return the noise distribution of every cell by a method, as its cost states it."""
    stages = METHODS[parameters.method].cost(parameters).stages
    rounded = stages[0].noise is Noise.ROUNDED_LAPLACE
    name: NoiseName = "rounded_laplace" if rounded else "discrete_laplace"
    return NoiseDistribution(1 / stage_noise_scale(stages, Query.FLOWS), name)


def draw_noisy_cells(
    dataset: Dataset, parameters: ODParameters, **draw: Unpack[ReleaseArguments]
) -> Integers:
    """Return the noisy cells of one matrix as `release` draws them, before suppression."""
    standard, chosen, summed = draw_variates(dataset, **draw)
    counts = truncated_matrices(dataset, parameters, days=chosen, sum_days=summed)
    cells = add_noise(counts, noise_distribution(parameters), standard)[0]
    clear_diagonal(cells)
    return cells


def add_noise(counts: Integers, law: NoiseDistribution, standard: Floats) -> Integers:
    """Return counts plus noise made of standard Laplace variates, for exploring."""
    rate = float(law.rate)
    if law.name == "rounded_laplace":
        return rounded_laplace(counts, standard, 1 / rate)
    return counts + discrete_laplace(standard, rate)


def find_changes(
    old_counts: Integers,
    new_counts: Integers,
    law: NoiseDistribution,
    *,
    least_shown: float = -np.inf,
) -> FlowChanges:
    """Return the changes between two spans of days, from their noisy cells alone.

    The spans have equally many days and none in common. A count below `least_shown` is suppressed:
    verdicts on flows use `least_shown` − 1 for it, which only makes a change smaller and reveals
    nothing more. A flow suppressed in both releases gets no verdict. Flows, zones by origin, zones
    by destination and the total are a family each, with one Benjamini–Hochberg on P(|S| ≥
    |change|). Another one, beyond chance, adds the Poisson variance of both counts to the noise, as
    if every trip were made independently of all others.
    """
    zones, change, trips = len(old_counts), new_counts - old_counts, new_counts + old_counts
    for matrix in (change, trips):
        clear_diagonal(matrix)
    zone, total = NoiseSum(law, 2 * (zones - 1)), NoiseSum(law, 2 * zones * (zones - 1))
    return FlowChanges(
        flows=_find_flow_changes(old_counts, new_counts, law, least_shown),
        outflows=_benjamini_hochberg(change.sum(axis=1), trips.sum(axis=1), zone),
        inflows=_benjamini_hochberg(change.sum(axis=0), trips.sum(axis=0), zone),
        total=_benjamini_hochberg(change.sum(), trips.sum(), total),
        shown_flows=np.minimum(old_counts, new_counts) >= least_shown,
    )


def ratio_intervals(
    old_counts: Integers, new_counts: Integers, law: NoiseDistribution, *, min_trips: int
) -> tuple[Floats, Floats]:
    """Return 95% ranges of the ratios of truncated trips, after to before, valid all at once.

    NaN where fewer than `min_trips` noisy trips are before, or where noise could make up all of
    them.
    """
    reach = float(law.half_width((1 - 0.95) / (2 * len(old_counts) * (len(old_counts) - 1))))
    is_bounded = (old_counts >= max(min_trips, 1)) & (old_counts > reach)
    is_bounded &= ~np.eye(len(old_counts), dtype=bool)
    before, after = old_counts[is_bounded], new_counts[is_bounded]
    low, high = np.full((2, *old_counts.shape), np.nan)
    low[is_bounded] = np.maximum(after - reach, 0) / (before + reach)
    high[is_bounded] = np.maximum(after + reach, 0) / (before - reach)
    return low, high


def change_probabilities(
    old_count: int,
    new_count: int,
    law: NoiseDistribution,
    reach: int,
    *,
    least_shown: float = -np.inf,
) -> tuple[float, float]:
    """Return the exact probabilities of a reported rise and fall, with error bar ± `reach`."""
    far = int(law.half_width(_NEGLIGIBLE))
    z = np.arange(-far, far + 1)

    def larger(larger_count: int, smaller_count: int) -> float:
        below = 1 - law.upper_tail(larger_count + z - smaller_count - reach)
        return float(law.pmf(z) @ (below * (larger_count + z - reach >= least_shown)))

    return larger(new_count, old_count), larger(old_count, new_count)


def min_rate_for_change(
    trips: int,
    share: float,
    *,
    confidence: float = 0.95,
    level: float = FALSE_DISCOVERY_RATE,
    law: NoiseName = "rounded_laplace",
) -> float:
    """Return the least ε/T at which a change by `share` of a flow of `trips` trips is reported.

    It is reported in a share `confidence` of releases, by bars that clear 0 where nothing changed
    with probability `level`: divide by n for one flow among n. At one half this is Theorem 7,
    exact.
    """
    validation.check_whole_number("trips", trips, 1, remedy="20")
    change = int(np.floor(trips * share + 0.5))
    validation.check_whole_number("change", change, 1, remedy="choose a larger share or flow")
    validation.check_inside("confidence", confidence, 0, 1, "0.95 is usual")

    def untold(rate: Floats) -> Floats:
        both = NoiseSum(NoiseDistribution(rate, law), 2)
        short = change - both.half_width(level)
        # P(change + S ≤ reach), S symmetric
        tail = both.two_sided_tail(abs(short) - (short > 0)) / 2
        return tail if short > 0 else 1 - tail

    return float(find_min_rate(untold, np.asarray(1 - confidence)))


def simulate_power(
    truncated: Sequence[Integers],
    true: Sequence[Integers],
    law: NoiseDistribution,
    *,
    rng: np.random.Generator,
    least_shown: float = -np.inf,
    share: float = 0.2,
    size: int = 1,
    draws: int = 20,
    beyond_chance: bool = False,
) -> ChangeCounts:
    """Return mean counts of right and wrong verdicts on flows over draws (confidential).

    True changes are those by at least `share` of the trips before, of flows of at least `size`
    trips before or after. Verdicts are that counts differ, or with `beyond_chance` beyond chance.
    """
    true_change, min_change = true[1] - true[0], np.maximum(share * true[0], 1)
    large = (np.abs(true_change) >= min_change) & (np.maximum(*true) >= size)
    outcomes_by_draw: list[list[float]] = []
    for _ in range(draws):
        # the difference of two exponential variates: twice as quick as `rng.laplace`
        old_counts, new_counts = (
            add_noise(counts, law, np.subtract(*rng.standard_exponential((2, *counts.shape))))
            for counts in truncated
        )
        flows = _find_flow_changes(old_counts, new_counts, law, least_shown)
        signs = flows.signs_beyond_chance if beyond_chance else flows.signs
        is_changed, right = signs != 0, signs == np.sign(true_change)
        outcomes = is_changed, large & right, large & ~is_changed, is_changed & ~right
        outcomes_by_draw.append([np.sum(outcome) for outcome in outcomes])
    return ChangeCounts(*np.mean(outcomes_by_draw, axis=0).tolist())


def _find_flow_changes(
    old_counts: Integers, new_counts: Integers, law: NoiseDistribution, least_shown: float
) -> ChangeEstimates:
    first, last = (np.maximum(counts, least_shown - 1) for counts in (old_counts, new_counts))
    change = np.asarray(last - first, dtype=np.int64)
    clear_diagonal(change)
    return _benjamini_hochberg(change, first + last, NoiseSum(law, 2), len(change))


def _benjamini_hochberg(
    change: Integers, trips: IntegersOrFloats, noise: NoiseSum, diagonal: int = 0
) -> ChangeEstimates:
    """Return verdicts by Benjamini–Hochberg, with error bars of its last level.

    `trips` are of both spans together: the Poisson variance of the change.
    """
    change = np.asarray(change)
    sizes, counts = np.unique(np.abs(change), return_counts=True)
    test_count, ranks = change.size - diagonal, counts[::-1].cumsum()[::-1]
    is_rejected = noise.two_sided_tail(sizes - 1) <= FALSE_DISCOVERY_RATE * ranks / test_count
    largest_rank = int(ranks[is_rejected][0]) if is_rejected.any() else 1
    reach = noise.half_width(FALSE_DISCOVERY_RATE * largest_rank / test_count)
    signs = np.asarray(np.sign(change) * (np.abs(change) > reach))
    signs_beyond_chance = signs.copy()
    # where counts do not differ by the noise, chance added to it makes no rank
    tails = noise.tail_with_chance(np.abs(change[signs != 0]), trips[signs != 0])
    ordered, ranks = np.sort(tails), np.arange(1, len(tails) + 1)
    last = ordered[ordered <= FALSE_DISCOVERY_RATE * ranks / test_count].max(initial=0.0)
    signs_beyond_chance[signs != 0] *= tails <= last
    return ChangeEstimates(change, reach, signs, signs_beyond_chance)

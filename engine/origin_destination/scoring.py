"""How well one release of trips holds: the figures that every page and report shows.

Errors are those of the flows of at least τ′ = max(τ, 1) true trips, which a release without noise
and trimming would show; that population is the same wherever these scores stand.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Booleans, Counts, Floats, Integers
from ..parameters import ODParameters
from . import laws
from .drawn import drawn_errors, drawn_outcomes
from .exact.expected import Expectation
from .exact.outcomes import Errors, Outcomes

_USUAL_SCALES = 8
"""Noises of up to so many scales are usual: all but one in 3,000."""


@dataclass(frozen=True, kw_only=True)
class TripScores:
    """Errors of one release of matrices, drawn or expected.

    Attributes
    ----------
    flows : float
        Flows of at least τ′ trips.
    median_error, mean_error : float
        Absolute error of these flows, in trips; NaN where there is none.
    relative_error : float
        Mean of |x̂ − x|/x over these flows, suppressed ones included.
    zero_share : float
        Share of all ordered pairs of zones that read 0.
    visible_share : float
        Share of all true trips, trimmed ones too, that lies in those of these flows that stay
        visible.
    lost_flows : float
        Those of these flows that read 0.
    phantom_flows : float
        Flows shown although nobody travelled.
    """

    flows: float
    median_error: float
    mean_error: float
    relative_error: float
    zero_share: float
    visible_share: float
    lost_flows: float
    phantom_flows: float


def expected_scores(exact: Expectation) -> TripScores:
    """Return what a release is expected to score, exactly; the median is that of all draws.

    Examples
    --------
    >>> from engine.origin_destination.exact.expected import expectation_of_matrix
    >>> settings = ODParameters(epsilon=0.5, unit="trip")
    >>> scored = expected_scores(expectation_of_matrix([[0, 40], [9, 0]], settings))
    >>> scored.flows, scored.median_error, round(scored.zero_share, 3)
    (1.0, 1.0, 0.484)
    """
    return _scores(exact.errors["large"], exact.outcomes, exact.histogram.true_trips)


def drawn_scores(true: Counts, released: Counts, parameters: ODParameters) -> TripScores:
    """Return the scores of one release.

    Arrays as for `drawn_outcomes`; of the parameters τ is used.

    Examples
    --------
    >>> scored = drawn_scores(np.array([[0, 40], [9, 0]]), np.array([[0, 43], [0, 0]]),
    ...                      ODParameters(epsilon=0.5))
    >>> scored.median_error, scored.zero_share
    (3.0, 0.5)
    """
    threshold = parameters.suppression_threshold
    errors = drawn_errors(true, released, threshold, "large")
    outcomes = drawn_outcomes(true, released, threshold)
    return _scores(errors, outcomes, float(true.sum()))


def sampled_scores(exact: Expectation, *, rng: np.random.Generator) -> TripScores:
    """Return the scores of one more release, of which nothing but the scores is kept.

    They have the law of `drawn_scores`. Noise is drawn for the flows of at least τ′ trips, together
    where many have the same counts; of the others only how many are shown. So the cost does not
    grow with the number of pairs of zones.

    Examples
    --------
    >>> from engine.origin_destination.exact.expected import expectation_of_matrix
    >>> settings = ODParameters(epsilon=0.5, unit="trip")
    >>> exact = expectation_of_matrix([[0, 40], [9, 0]], settings)
    >>> sampled_scores(exact, rng=np.random.default_rng(0)).flows
    1.0
    """
    counted, parameters = exact.histogram, exact.parameters
    cells, least = counted.cells.astype(np.int64), parameters.least_shown
    large = counted.true >= least
    hidden = laws.suppressed_probability(exact.law, counted.kept, parameters.suppression_threshold)
    zeros = rng.binomial(cells[~large], hidden[~large])
    pair, noise, times = _noises(exact, np.flatnonzero(large), rng)
    true, released = counted.true[pair], counted.kept[pair] + noise
    lost = released < least
    error = np.abs(np.where(lost, 0.0, released) - true)
    flows, lost_flows = float(times.sum()), float(times[lost].sum())
    trips = counted.true_trips
    return TripScores(
        flows=flows,
        median_error=_middle(error, times),
        mean_error=_share(float(error @ times), flows),
        relative_error=_share(float((error / np.maximum(true, 1.0)) @ times), flows),
        zero_share=_share(float(zeros.sum()) + lost_flows, float(cells.sum())),
        visible_share=_share(float(true[~lost] @ times[~lost]), trips),
        lost_flows=lost_flows,
        phantom_flows=float((cells[~large] - zeros)[counted.true[~large] == 0].sum()),
    )


@dataclass(frozen=True, kw_only=True)
class TripAccount:
    """Where true trips go, in trips: true − trimmed − suppressed + added = released.

    Attributes
    ----------
    true, trimmed : float
        All trips between zones, and those that trimming to T drops.
    suppressed : float
        Expected trips, kept by trimming, in flows that then read 0.
    added : float
        Expected net change by noise in what is shown, phantom flows included.
    released : float
        Expected total of the release.
    median_trimmed : float
        What trimming alone drops from the median flow of at least τ′ trips; NaN without one.
    """

    true: float
    trimmed: float
    suppressed: float
    added: float
    released: float
    median_trimmed: float


def trip_account(exact: Expectation) -> TripAccount:
    """Return the account of all trips, from the truth to the release, exactly.

    Examples
    --------
    >>> from engine.origin_destination.exact.expected import expectation_of_matrix
    >>> settings = ODParameters(epsilon=2.0, unit="person-day")
    >>> account = trip_account(expectation_of_matrix([[0, 40], [9, 0]], settings,
    ...                                            kept=[[0, 30], [9, 0]]))
    >>> account.true, account.trimmed, round(account.suppressed, 2), round(account.released, 2)
    (49.0, 10.0, 9.0, 30.0)
    """
    counted, threshold = exact.histogram, exact.parameters.suppression_threshold
    hidden = laws.suppressed_probability(exact.law, counted.kept, threshold)
    suppressed = float(laws.total(counted.cells * hidden, counted.kept))
    remaining = counted.true_trips - counted.trimmed_trips - suppressed
    shift = laws.mean_shift(exact.law, counted.kept, threshold)
    released = float(laws.total(counted.cells, counted.kept + shift))
    dropped, large = counted.true - counted.kept, exact.weights("large")
    some = large.any()
    return TripAccount(
        true=counted.true_trips,
        trimmed=counted.trimmed_trips,
        suppressed=suppressed,
        added=released - remaining,
        released=released,
        median_trimmed=float(
            np.quantile(dropped, 0.5, weights=large, method="inverted_cdf") if some else np.nan
        ),
    )


@dataclass(frozen=True, kw_only=True)
class ZeroAccount:
    """Which share of all ordered pairs of zones reads 0, from the truth to the release.

    Attributes
    ----------
    empty : float
        Pairs between which nobody travels.
    below_threshold : float
        Pairs with fewer than τ′ true trips, the empty ones too.
    after_trimming : float
        Pairs with fewer than τ′ trips after trimming: what would read 0 without noise.
    released : float
        Pairs expected to read 0 in the release: less than that where noise lifts small flows into
        view, more where it hides large ones.
    """

    empty: float
    below_threshold: float
    after_trimming: float
    released: float


def zero_account(exact: Expectation) -> ZeroAccount:
    """Return the account of pairs that read 0, exactly.

    Examples
    --------
    >>> from engine.origin_destination.exact.expected import expectation_of_matrix
    >>> settings = ODParameters(epsilon=1e3, unit="person-day")
    >>> account = zero_account(expectation_of_matrix([[0, 40], [9, 0]], settings,
    ...                                            kept=[[0, 12], [9, 0]]))
    >>> account.empty, account.below_threshold, account.after_trimming, account.released
    (0.0, 0.5, 1.0, 1.0)
    """
    counted, threshold = exact.histogram, exact.parameters.suppression_threshold
    least = float(laws.effective_threshold(threshold))
    cells = float(counted.cells.sum())
    hidden = laws.suppressed_probability(exact.law, counted.kept, threshold)

    def share(among: Booleans) -> float:
        return _share(float(counted.cells[among].sum()), cells)

    return ZeroAccount(
        empty=share(counted.true == 0),
        below_threshold=share(counted.true < least),
        after_trimming=share(counted.kept < least),
        released=_share(float(laws.total(counted.cells, hidden)), cells),
    )


def _scores(errors: Errors, outcomes: Outcomes, trips: float) -> TripScores:
    cells = (outcomes.kept_suppressed, outcomes.revealed, outcomes.lost, outcomes.kept)
    hidden = float(outcomes.kept_suppressed.cells + outcomes.lost.cells)
    return TripScores(
        flows=errors.cells,
        median_error=errors.median_absolute,
        mean_error=errors.mean_absolute,
        relative_error=errors.mean_bounded_relative,
        zero_share=_share(hidden, sum(float(part.cells) for part in cells)),
        visible_share=_share(float(outcomes.kept.trips), trips),
        lost_flows=float(outcomes.lost.cells),
        phantom_flows=float(outcomes.phantom.cells),
    )


def _noises(
    exact: Expectation, pairs: Integers, rng: np.random.Generator
) -> tuple[Integers, Integers, Integers]:
    """Draw the noise of every cell with some pairs of counts: pair, noise, and how many cells.

    Where more cells share a pair than there are usual noises, the cells are dealt to those.
    """
    law, cells = exact.law, exact.histogram.cells.astype(np.int64)
    reach = int(np.ceil(_USUAL_SCALES / law.rate))
    many = cells[pairs] > 2 * reach + 1
    usual = law.pmf(np.arange(-reach, reach + 1))
    dealt = rng.multinomial(cells[pairs[many]], np.append(usual, 1 - usual.sum()))
    row, place = np.nonzero(dealt[:, :-1])
    few, far = np.repeat(pairs[~many], cells[pairs[~many]]), np.repeat(pairs[many], dealt[:, -1])
    nothing = rng.random(len(few)) < law.zero
    # the noise is geometric, so beyond any size it goes on as it began
    size = rng.geometric(law.gap, len(few) + len(far))
    size += np.repeat([0, reach], [len(few), len(far)])
    size[: len(few)][nothing] = 0
    alone = size * rng.choice([-1, 1], len(size))
    return (
        np.concatenate([pairs[many][row], few, far]),
        np.concatenate([place - reach, alone]),
        np.concatenate([dealt[row, place], np.ones_like(alone)]),
    )


def _middle(values: Floats, times: Integers) -> float:
    """Return the median of values that stand for so many each; NaN without any."""
    order = np.argsort(values)
    up_to = np.cumsum(times[order])
    if not len(up_to):
        return float("nan")
    ends = np.searchsorted(up_to, [(up_to[-1] - 1) // 2, up_to[-1] // 2], side="right")
    return float(values[order][ends].mean())


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")

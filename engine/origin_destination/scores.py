"""How well one release of trips holds, drawn or expected: the figures that every page shows."""

from dataclasses import dataclass

import numpy as np

from .. import metrics
from ..arrays import Booleans, Counts, Floats
from ..errors import ParameterError
from .exact import Expectation, Outcomes, Share


@dataclass(frozen=True, kw_only=True)
class TripScores:
    """Errors of one release of matrices, drawn or expected, in trips and shares.

    Over all ordered pairs of zones, but `relative_error`, the mean of |x̂ − x|/x over the `flows` of
    at least τ′ = max(τ, 1) true trips (NaN where there is none), and `lost_flows`, those of them
    that read 0. `phantom_flows` are shown although nobody travelled. `retained`, `genuine` and
    `common_part` are of the numbers to add up (see `engine.utility`).
    """

    mean_error: float
    retained: float
    genuine: float
    common_part: float
    flows: float
    relative_error: float
    zero_share: float
    lost_flows: float
    phantom_flows: float


def expected_scores(exact: Expectation) -> TripScores:
    """Return what a release is expected to score, exactly."""
    true, released = exact.histogram.true_trips, float(exact.grand.expected)
    common = (true + released - exact.split.total) / 2
    return _scores(
        exact.mean_error(), (common, true, released), exact.relative_error("large"), exact.outcomes
    )


def drawn_scores(
    true: Counts,
    released: Counts,
    least_shown: int,
    shown: Booleans | None = None,
    added_up: Counts | None = None,
) -> TripScores:
    """Return the scores of one release of the best number of each flow; see `drawn_outcomes`.

    Those above 0 are shown where `shown` is None; `added_up` are the numbers for sums where these
    are others.
    """
    outcomes = drawn_outcomes(true, released if shown is None else released * shown, least_shown)
    off = np.broadcast_to(~np.eye(true.shape[-1], dtype=bool), true.shape)
    t, out = true[off].astype(np.float64), released[off].astype(np.float64)
    sums = np.maximum(out if added_up is None else added_up[off], 0.0)
    large = t >= least_shown
    error = np.abs(out - t)
    bounded = error[large] / np.maximum(t[large], 1.0)
    return _scores(
        float(error.mean()) if len(t) else float("nan"),
        (float(np.minimum(sums, t).sum()), float(t.sum()), float(sums.sum())),
        float(bounded.mean()) if large.any() else float("nan"),
        outcomes,
    )


def drawn_outcomes(true: Counts, released: Counts, least_shown: int) -> Outcomes:
    """Return what became of every off-diagonal cell in one release; `least_shown` is τ′.

    `true` (before trimming) and `released` have shape (zones, zones) or (days, zones, zones).
    """
    if true.shape != released.shape or true.ndim < 2 or true.shape[-1] != true.shape[-2]:
        raise ParameterError(
            "true and released must be square matrices of the same shape, got "
            f"{true.shape} and {released.shape}; take both for the same days"
        )
    off = ~np.eye(true.shape[-1], dtype=bool)
    small, hidden, none = true < least_shown, released == 0, true == 0

    def share(which: Booleans, trips: Counts = true) -> Share:
        cells = which & off
        return Share(float(cells.sum()), float(trips.sum(where=cells, dtype=np.float64)))

    return Outcomes(
        kept_suppressed=share(small & hidden),
        revealed=share(small & ~hidden),
        lost=share(~small & hidden),
        kept=share(~small & ~hidden),
        phantom=share(none & ~hidden, released),
    )


def total_error(true: Floats, released: Floats) -> float:
    """Return the error of totals of zones, Σ|x̂ − x|/Σx; NaN without trips."""
    trips = float(true.sum())
    return float(np.abs(released - true).sum()) / trips if trips > 0 else float("nan")


def _scores(
    mean: float, sums: tuple[float, float, float], relative: float, outcomes: Outcomes
) -> TripScores:
    common, true, released = sums
    hidden = outcomes.kept_suppressed.cells + outcomes.lost.cells
    pairs = hidden + outcomes.revealed.cells + outcomes.kept.cells
    return TripScores(
        mean_error=mean,
        retained=common / true if true > 0 else float("nan"),
        genuine=common / released if released >= metrics.NOTHING_SHOWN else float("nan"),
        common_part=2 * common / (true + released) if true > 0 else float("nan"),
        flows=outcomes.lost.cells + outcomes.kept.cells,
        relative_error=relative,
        zero_share=hidden / pairs if pairs > 0 else float("nan"),
        lost_flows=outcomes.lost.cells,
        phantom_flows=outcomes.phantom.cells,
    )

"""Scores of one release of trips, drawn or expected, as every page shows them."""

from dataclasses import dataclass

import numpy as np

from .. import metrics
from ..arrays import Booleans, Floats, IntegersOrFloats
from ..errors import ParameterError
from .exact import OutcomeCount, Outcomes, ReleaseExpectation

LARGE_FLOW_TRIPS = 15
"""Relative errors and lost flows are of flows of at least so many true trips, whatever τ is."""


@dataclass(frozen=True, kw_only=True)
class TripScores:
    """Errors of one release of matrices, drawn or expected, in trips and shares.

    Over all ordered pairs of zones, but of the `large_flows` of at least `LARGE_FLOW_TRIPS`
    `relative_error`, the mean of |x̂ − x|/x (NaN where there is none), and `lost_flows`, those
    released as 0. `phantom_flows` are shown although nobody travelled. `retained`, `genuine` and
    `common_part` are of the numbers for sums (see `engine.utility`).
    """

    mean_error: float
    retained: float
    genuine: float
    common_part: float
    large_flows: float
    relative_error: float
    zero_share: float
    lost_flows: float
    phantom_flows: float


def score_expectation(exact: ReleaseExpectation) -> TripScores:
    """Return the exact expected scores of a release."""
    true, released = exact.histogram.total_trips, exact.released_trips
    sums = (true + released - exact.error_decomposition.total) / 2, true, released
    relative = exact.relative_error(LARGE_FLOW_TRIPS)
    return _build_scores(exact.mean_error(), sums, relative, exact.count_outcomes(LARGE_FLOW_TRIPS))


def score_draw(
    true: IntegersOrFloats,
    released: IntegersOrFloats,
    is_shown: Booleans | None = None,
    added_up: IntegersOrFloats | None = None,
) -> TripScores:
    """Return one release's scores by `classify_outcomes`; `added_up` are the numbers for sums."""
    shown = released if is_shown is None else released * is_shown
    outcomes = classify_outcomes(true, shown, LARGE_FLOW_TRIPS)
    off = np.broadcast_to(~np.eye(true.shape[-1], dtype=bool), true.shape)
    t, out = true[off].astype(np.float64), released[off].astype(np.float64)
    sums = np.maximum(out if added_up is None else added_up[off], 0.0)
    large = t >= LARGE_FLOW_TRIPS
    error = np.abs(out - t)
    bounded = error[large] / t[large]
    return _build_scores(
        float(error.mean()) if len(t) else float("nan"),
        (float(np.minimum(sums, t).sum()), float(t.sum()), float(sums.sum())),
        float(bounded.mean()) if large.any() else float("nan"),
        outcomes,
    )


def classify_outcomes(
    true: IntegersOrFloats, released: IntegersOrFloats, least_shown: int
) -> Outcomes:
    """Return the outcome of every off-diagonal cell in one release; `least_shown` is τ′."""
    if true.shape != released.shape or true.ndim < 2 or true.shape[-1] != true.shape[-2]:
        rule = "true and released must be square matrices of the same shape"
        remedy = "take both for the same days"
        raise ParameterError(rule, value=f"{true.shape} and {released.shape}", remedy=remedy)
    off = ~np.eye(true.shape[-1], dtype=bool)
    small, hidden, none = true < least_shown, released == 0, true == 0

    def share(which: Booleans, trips: IntegersOrFloats = true) -> OutcomeCount:
        cells = which & off
        return OutcomeCount(float(cells.sum()), float(trips.sum(where=cells, dtype=np.float64)))

    return Outcomes(
        rightly_suppressed=share(small & hidden),
        revealed=share(small & ~hidden),
        lost=share(~small & hidden),
        rightly_released=share(~small & ~hidden),
        phantom=share(none & ~hidden, released),
    )


def total_error(true: Floats, released: Floats) -> float:
    """Return the error of totals of zones, Σ|x̂ − x|/Σx; NaN without trips."""
    trips = float(true.sum())
    return float(np.abs(released - true).sum()) / trips if trips > 0 else float("nan")


def _build_scores(
    mean: float, sums: tuple[float, float, float], relative: float, outcomes: Outcomes
) -> TripScores:
    common, true, released = sums
    hidden = outcomes.rightly_suppressed.cells + outcomes.lost.cells
    pairs = hidden + outcomes.revealed.cells + outcomes.rightly_released.cells
    return TripScores(
        mean_error=mean,
        retained=common / true if true > 0 else float("nan"),
        genuine=common / released if released >= metrics.NOTHING_SHOWN else float("nan"),
        common_part=2 * common / (true + released) if true > 0 else float("nan"),
        large_flows=outcomes.lost.cells + outcomes.rightly_released.cells,
        relative_error=relative,
        zero_share=hidden / pairs if pairs > 0 else float("nan"),
        lost_flows=outcomes.lost.cells,
        phantom_flows=outcomes.phantom.cells,
    )

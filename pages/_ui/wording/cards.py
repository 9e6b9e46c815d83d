"""The large numbers of a release and their ranges, the same on every page."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from engine.density import DensityScores
from engine.origin_destination import calculators
from engine.origin_destination.agreement import Agreement
from engine.origin_destination.scoring import TripAccount, TripScores, ZeroAccount
from engine.parameters import ODParameters
from pages._ui.cache.draws import REPEATS
from pages._ui.drawing.cards import Card
from pages._ui.wording.measures import (
    MEAN_ERROR,
    density_displacement,
    density_error,
    density_rhythm,
    flow_error,
    trip_labels,
)
from pages._ui.wording.numbers import fixed, like, metres, percent, trip_count

WAITING = "calculating range …"
RANGES = (
    "Ranges beside the numbers hold in 9 of 10 draws of the noise; where a range uses fewer draws, "
    "their number is shown."
)


def interval(
    values: Sequence[float] | None, write: Callable[[float], str], *, finished: bool = False
) -> str:
    """Write the range of the draws, or that it is to come.

    The next draw lies between the least and the largest of n with probability (n − 1)/(n + 1):
    9 in 10 for `REPEATS`. Fewer are named.

    Examples
    --------
    >>> interval([3.0, 1.0, 2.0], "{:g}".format)
    '1 to 3 (3 draws)'
    """
    if not values:
        return WAITING
    known = [value for value in values if math.isfinite(value)]
    if len(known) < 2:
        return "no value in most draws" if finished or len(values) >= REPEATS else WAITING
    low, high = write(min(known)), write(max(known))
    if low == high:
        return f"{low} in all draws"
    return f"{low} to {high}" + (f" ({len(known)} draws)" if len(known) < REPEATS else "")


EXCEEDED = "Every private count reads 0: the noise exceeds the data."


def density_cards(
    scores: DensityScores,
    repeats: Sequence[DensityScores] | None = None,
    distances_m: Sequence[float] = (),
    *,
    finished: bool = False,
) -> list[Card]:
    """Return error, rhythm, displacement and error of the total with their ranges.

    Parameters
    ----------
    scores : DensityScores
        Of the release on the page.
    repeats : sequence of DensityScores, optional
        Of all draws computed, the page's own first; None while they are few.
    distances_m : sequence of float
        Mean earth mover's distances, the page's own first; empty while it is computed.
    finished : bool
        Whether nothing more is to come.
    """

    def over(name: str) -> list[float] | None:
        return None if repeats is None else [getattr(one, name) for one in repeats]

    error = Card(
        "Relative error (MRE)",
        percent(scores.mean_error),
        interval(over("mean_error"), percent, finished=finished),
        density_error(scores.mean_error),
    )
    if scores.exceeded:
        error = Card(error.label, "–", "", EXCEEDED)
    pending = not distances_m and not finished
    moved = distances_m[0] if distances_m else math.nan
    return [
        error,
        Card(
            "Rhythm kept (Pearson r)",
            fixed(scores.mean_correlation),
            interval(over("mean_correlation"), fixed, finished=finished),
            density_rhythm(scores.mean_correlation),
        ),
        Card(
            "Displacement (EMD)",
            "…" if pending else metres(moved),
            "computed last …" if pending else interval(distances_m, metres, finished=finished),
            "How far visits seem to move." if pending else density_displacement(moved),
        ),
        Card(
            "Error of the total",
            percent(scores.total_error),
            interval(over("total_error"), percent, finished=finished),
            "All visits of the week together are off by this share.",
        ),
    ]


_CONFIDENCE = 0.95
_SMALLEST_CHANGE = 0.0005
"""A change of a share below this cannot be seen in its percentage."""


def trip_cards(
    scores: TripScores,
    account: TripAccount,
    zeros: ZeroAccount,
    parameters: ODParameters,
    draws: Sequence[TripScores] | None = None,
    *,
    several: bool = False,
) -> list[Card]:
    """Return the errors of flows, the pairs that read 0 and the trips that stay visible.

    Parameters
    ----------
    scores, account, zeros : TripScores, TripAccount, ZeroAccount
        Expected, exactly.
    parameters : ODParameters
    draws : sequence of TripScores, optional
        Of repeated draws, for the ranges; None while they are computed.
    several : bool
        Whether it is said of the matrices of several days together: then there are no ranges.
    """

    def over(name: str, write: Callable[[float], str]) -> str:
        if several:
            return "expected, all days"
        return interval(draws and [getattr(score, name) for score in draws], write)

    least = parameters.least_shown
    labels = trip_labels(f"{least}+")
    none = "" if scores.flows else f"No flow has {trip_count(least)} or more."
    return [
        Card(
            labels["median_error"],
            trip_count(scores.median_error),
            over("median_error", like(scores.median_error)),
            none or causes(account, parameters),
        ),
        Card(
            labels["relative_error"],
            percent(scores.relative_error),
            over("relative_error", percent),
            none or flow_error(scores.relative_error),
        ),
        Card(
            labels["zero_share"],
            percent(scores.zero_share),
            over("zero_share", percent),
            hidden(zeros, least),
        ),
        Card(
            labels["visible_share"],
            percent(scores.visible_share),
            over("visible_share", percent),
            chain(account),
        ),
    ]


def causes(account: TripAccount, parameters: ODParameters) -> str:
    """Say what trimming and what noise do to a flow."""
    reach = trip_count(
        float(
            calculators.largest_cell_error(
                parameters.epsilon, 1 - _CONFIDENCE, parameters.max_trips_per_user
            )
        )
    )
    noise = f"oise moves a flow by at most {reach} in {_CONFIDENCE:.0%} of draws"
    if not account.median_trimmed > 0:
        return f"N{noise}."
    return (
        f"Trimming alone drops {trip_count(account.median_trimmed)} of the median flow; n{noise}."
    )


def hidden(zeros: ZeroAccount, least: int) -> str:
    """Say how many pairs read 0, from the truth to the release, and why noise changes that."""
    if not math.isfinite(zeros.released):
        return "There are no pairs of zones."
    fewer = f"fewer than {least} trips" if least > 1 else "no trip"
    sentence = f"{percent(zeros.below_threshold)} have {fewer}"
    if zeros.after_trimming - zeros.below_threshold >= _SMALLEST_CHANGE:
        sentence += f", {percent(zeros.after_trimming)} after trimming"
    change = zeros.released - zeros.after_trimming
    if change <= -_SMALLEST_CHANGE:
        return f"{sentence}; noise lifts some of these into view, so less noise means more zeros."
    if change >= _SMALLEST_CHANGE:
        return f"{sentence}; noise hides some more."
    return f"{sentence}; noise hardly changes that."


def chain(account: TripAccount) -> str:
    """Say where all trips go: trimmed, suppressed, and what the release adds up to."""
    if not account.true:
        return "The data have no trips."

    def of_all(trips: float) -> str:
        return percent(trips / account.true)

    trimmed = f"trimming drops {of_all(account.trimmed)}, " if account.trimmed else ""
    suppression = "suppression" if trimmed else "suppression drops"
    return (
        f"Of all trips {trimmed}{suppression} {of_all(account.suppressed)}; with its noise the "
        f"release adds up to {of_all(account.released)}."
    )


def agreement_cards(draws: Sequence[Agreement]) -> list[Card]:
    """Return mean error, error of totals, common part and false flows: means of some draws."""

    def card(label: str, name: str, write: Callable[[float], str], meaning: str) -> Card:
        if not draws:
            return Card(label, "…", interval(None, write), meaning)
        values = [getattr(one, name) for one in draws]
        mean = float(np.mean(values))
        # the unit stands once, beside the value
        ends = like(mean) if write is trip_count else write
        return Card(label, write(mean), interval(values, ends), meaning)

    return [
        card(MEAN_ERROR, "mean_error", trip_count, "How far a flow is off; mean of draws."),
        card(
            "Error of totals leaving zones",
            "outgoing_error",
            percent,
            "Trips that totals are off by, as a share of all trips.",
        ),
        card(
            "Common part of commuters",
            "common_part",
            percent,
            "Share of trips that truth and release have in common, flow by flow.",
        ),
        card(
            "Empty among shown flows",
            "false_share",
            percent,
            "Share of the flows shown that are empty in truth: nobody travels there.",
        ),
    ]

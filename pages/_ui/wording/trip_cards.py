"""The large numbers of a release of trips, the same on every page."""

import math
from collections.abc import Callable, Sequence

from engine.origin_destination import TripAccount, TripScores, ZeroAccount, calculators
from engine.parameters import ODParameters
from pages._ui.drawing.cards import Card
from pages._ui.wording.measures import flow_error, trip_labels
from pages._ui.wording.numbers import like, percent, trip_count
from pages._ui.wording.ranges import interval

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
